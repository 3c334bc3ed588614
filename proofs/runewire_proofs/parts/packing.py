"""Part `packing`: from items to rows of the output buffer, where each item, row and report goes, and when."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.sim import Simulator, SimulatorContext
from amaranth.utils import ceil_log2
from runewire_model import TranscoderParameters
from runewire_model.report import MARKS
from runewire_rtl.buffer.output_buffer import WRITTEN, OutputBuffer, Write
from runewire_rtl.buffer.read_controller import BANKS
from runewire_rtl.packing.packing import Packed, new_buffer
from runewire_rtl.pipeline import Timed

from ..encodings.options import early_rows
from ..feeding import BufferPorts, End, build, free_beats, free_flags, free_items, free_tags, freed
from ..miter import Miter
from ..ports import Cut, Ports
from ..proof import Facts, Proof
from .packing_faults import has_report, mutants

ALIGNED = "dprove -bijmpu; scorr -S 60 -C 100000; dprove -jmpru -F 1 -C 100000"
"""Induction over registers moved as far forward as possible: if all inputs are at one step, so is all state. In wide
cores the solver takes most of the time. Each of its counterexamples is simulated for 60 more cycles. That distinguishes
so many gates that the solver runs far less often."""


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: each item is in its lane and row; rows are in order; no credit is lost or added. Items and reports
    have one bit."""
    def miter(facts: Facts) -> Miter:
        made = cut(parameters, 1, facts) if facts else sound_cut(parameters)
        # What is broken has to show at the ports, not only in a lemma.
        slots = {} if parameters.in_place else {"SLOTS": parameters.slots, "USED": parameters.used_slots}
        return Miter(made.rtlil, "packing", [f"parts/{name}.v" for name in (
            "packing", "merge_lemma", "indexed_mux", "delay")],
            {**made.facts, **slots, "LEMMAS": int(facts is None)}, changes=early_rows(parameters, "packing.v"))

    return Proof("packing", ALIGNED, ["reach -o", "pdr"], miter, mutants(parameters))


@lru_cache(maxsize=1)
def sound_cut(parameters: TranscoderParameters) -> Cut:
    """The part as it is in the core, with items of one bit: parts `packing` and `border` begin there."""
    return cut(parameters, 1)


def cut(parameters: TranscoderParameters, width: int, facts: Facts = None) -> Cut:
    """The core's tail without its buffer.

    Beats, items and report are free inputs. ``go`` marks a beat at its step 0, ``go_last`` a packet's last. A beat
    has ``present``, ``data`` (``width`` bits an item), ``report`` (``width`` bits), ``marks`` (two bits a lane) and a
    ``tag``: one bit instead of the sidebands that do not change within a packet.

    Part `window` proves two assumptions. In dense rows nothing is present without a beat. From the first beat on the
    report is zero except on last beats; with an early error bit it may be anything.

    ``facts`` are measured if they are not given: never on a broken core.
    """
    ports, made = _cut(parameters, width)
    if facts is not None:
        return ports.cut(**facts)
    tagged = parameters.sidebands.id + parameters.sidebands.dest > 0
    return ports.cut(
        LANES=made.lanes, WIDTH=width, ROW=ceil_log2(made.depth), GROUP=made.group, IN_PLACE=int(parameters.in_place),
        WRITTEN=WRITTEN, REPORTS=int(has_report(parameters)), TAGS=int(tagged),
        MARKS=int(parameters.sidebands.records is not None),
        **_measure(_cut(parameters, width)[0], parameters.in_place, parameters.slots),
    )


def _cut(parameters: TranscoderParameters, width: int) -> tuple[Ports, OutputBuffer]:
    ports, early = Ports(), parameters.sidebands.early

    def tail(end: End, sound: Callable[[End], Packed]) -> Packed:
        pipeline, lanes, report = end.entry.pipeline, len(end.present), end.report
        entry = free_tags(ports, end.entry)
        given_marks = ports.new("marks", MARKS * lanes)
        free_beats(ports, pipeline)
        given, given_items, note = (
            ports.new(name, bits) for name, bits in
            (("present", lanes), ("data", lanes * width), ("report", width))
        )
        seen, begun = Signal(name="seen"), Signal(name="begun")
        ports.m.d.sync += seen.eq(begun)
        ports.m.d.comb += begun.eq(seen | pipeline.valid.at(0))
        present = free_flags(pipeline, given, end.present, Const(1) if parameters.in_place else pipeline.valid.at(0))
        if report is not None:
            assert isinstance(report, Timed), "the report of a core with a buffer has a step of its own"
            shown = note if early else note & (pipeline.last.at(0) | ~begun).replicate(width)
            report = freed(pipeline, shown, report)
        return sound(End(
            entry, end.output, present,
            free_items(pipeline, lambda lane: given_items.word_select(lane, width), end.items), report,
            free_flags(pipeline, given_marks, end.marks)))

    with new_buffer.replaced(lambda _: BufferPorts):
        made = build(ports, parameters, tail).buffer
    _show(ports, parameters, width, made)
    return ports, made


def _show(ports: Ports, parameters: TranscoderParameters, width: int, made: OutputBuffer) -> None:
    """The buffer's write ports, each with the row that it writes, its pushes and returned credits."""
    for name, writes, each in (
        ("lane", made.lane, made.width), ("keep", made.keep, None), ("metadata", [made.metadata], None),
        ("mark", made.mark or [_absent(keep) for keep in made.keep], None),
    ):
        # One for each lane, of those that are written together too.
        places = [write for write in writes for _ in range(len(write.data) // (each or len(write.data)))]
        ports.show(f"{name}_enable", Cat(write.enable.any() for write in places))
        ports.show(f"{name}_clash", Cat((write.enable & (write.enable - 1)).any() for write in places))
        ports.show(f"{name}_row", Cat(Cat(_bank(write), _row(write)) for write in places))
        if name != "metadata":
            ports.show(f"{name}_data", Cat(write.data for write in writes))
    # What is not there is zero.
    reported = has_report(parameters)
    tags = 1 + width * reported
    metadata = made.metadata.data
    tag = metadata[tags] if parameters.sidebands.id + parameters.sidebands.dest else Const(0, 1)
    ports.show("metadata_data", Cat(metadata[:tags], *[Const(0, width)] * (not reported), tag))
    ports.show("push", made.push)
    ports.show("returned", made.returned)


def _absent(keep: Write) -> Write:
    """A write port for record flags in a core without records: zeros, at the address of the keep bits."""
    return Write(Signal(BANKS), keep.rows, Const(0, MARKS * len(keep.data)))


def _row(write: Write) -> Value:
    """Address of the row that is written, in its bank."""
    first, second = write.rows
    return first if first is second else Mux(_bank(write), second, first)


def _bank(write: Write) -> Value:
    """Number of the bank that is written, of two: the row's lowest bit."""
    return write.enable[1]


def _measure(ports: Ports, in_place: bool, slots: int) -> dict[str, int]:
    """Cycles from a beat's step 0 to its writes, pushes and returns. A guess: the proof fails if it is wrong."""
    signals = ports.signals

    async def first(ctx: SimulatorContext, *names: str) -> dict[str, int]:
        """Cycles from a beat until each of these is set first."""
        found: dict[str, int] = {}
        for cycle in range(200):
            for name in names:
                if name not in found and ctx.get(signals[name]):
                    found[name] = cycle
            await ctx.tick()
            ctx.set(signals["go"], 0)
        return found

    delays: dict[str, int] = {}

    async def bench(ctx: SimulatorContext) -> None:
        for name in ("go", "go_last"):
            ctx.set(signals[name], 1)
        # A lane's items are in its last places.
        ctx.set(signals["present"], 1 << slots - 1)
        found = await first(ctx, "lane_enable", "keep_enable", "push", "metadata_enable", "mark_enable")
        delays["WRITE_DELAY"] = found["lane_enable"]
        delays["KEEP_DELAY"] = found["keep_enable"]
        # In dense rows a packet's last row comes a cycle late.
        delays["PUSH_DELAY"] = found["push"] - (0 if in_place else 1)
        delays["RETURN_DELAY"] = delays["PUSH_DELAY"]
        delays["METADATA_DELAY"] = found["metadata_enable"] - found["push"]
        delays["MARK_DELAY"] = found.get("mark_enable", 0)
        if not in_place:
            # The first beat without a row keeps its credit, the second returns it.
            ctx.set(signals["go_last"], 0)
            ctx.set(signals["present"], 0)
            ctx.set(signals["go"], 1)
            await ctx.tick()
            delays["RETURN_DELAY"] = (await first(ctx, "returned"))["returned"]

    simulator = Simulator(ports.m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return delays
