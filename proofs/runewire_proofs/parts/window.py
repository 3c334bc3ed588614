"""Part `window`: from the input port to units, report and sidebands, all that judges bytes or scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from amaranth.hdl import Cat, Const
from amaranth.utils import ceil_log2
from runewire_model import TranscoderParameters
from runewire_model.report import COUNTERS, MARKS, REPORTS
from runewire_rtl.packing.packing import new_buffer
from runewire_rtl.pipeline import Pipeline, Timed
from runewire_rtl.report.packet_counters import tally

from ..encodings import SPECIFICATIONS, fused
from ..encodings.options import counted, early, in_place, wrapped
from ..feeding import BufferPorts, End, build
from ..miter import Miter
from ..ports import Cut, Ports
from ..proof import Facts, Proof
from .window_faults import mutants

RETIMED = "dprove -jpu -F 1"
"""Induction over registers moved as far forward as they can be, where a fixed delay becomes combinational, and then to
where they are fewest."""

EACH_OUTPUT = ("pdr -T 60", "dprove -T 600", "pdr")
"""For one output alone: property-directed reachability, which decides most; sweeping, as less is left of the rest, with
interpolation; then the first without a limit. Limits are by a clock: on a busy machine the next one begins sooner."""

BEATS = 10
"""Width of the beat counter: enough for every kind of carry in it."""

OF_RECORDS = frozenset({"RECORDS", "DELIMITER", "MARK_DELAY"})
"""Facts that only a core has whose input passes through."""
MARK_FACTS = (
    "LANES", "UNIT", "SLOTS", "WIDTH", "LOOKAHEAD", "IN_PLACE", "DROP", "OFFSET", "AMOUNT", "USER", "TAGS",
    "ITEM_DELAY", "REPORT_DELAY", "TAG_DELAY")
"""Facts that `window_mark.v` needs."""
OCTET_FACTS = ("LANES", "USER", "TAGS", "ITEM_DELAY", "REPORT_DELAY", "TAG_DELAY")
"""Facts that `window_octets.v` needs."""


def unproven_counters(parameters: TranscoderParameters) -> list[str]:
    """Names of the core's counters whose flags the specifications do not have; their sums are proven as any others."""
    return [name for name in parameters.sidebands.count if COUNTERS[name].rule is None]


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: units, the first error's kind and offset, and the sidebands are as in the serial specifications.

    Offsets have few bits, and packets exceed them. The flags of `unproven_counters` are left out; with an added mark,
    all counters.
    """
    offset_width = BEATS + ceil_log2(parameters.lanes)

    def miter(facts: Facts) -> Miter:
        return _miter(parameters, cut(parameters, offset_width), facts)

    def can_be_cut() -> None:
        cut(parameters, 1)

    return Proof("window", RETIMED, EACH_OUTPUT, miter, mutants(parameters, can_be_cut))


def _miter(parameters: TranscoderParameters, cut: Cut, facts: Facts) -> Miter:
    """The cut next to the specifications of its source and target, by one of four harnesses."""
    if parameters.packs_bytes:
        measured = {name: number for name, number in cut.facts.items() if name in OCTET_FACTS}
        return Miter(cut.rtlil, "window_octets", _parts("window_octets", "delay"), facts or measured)
    pair = fused(parameters)
    sources, changes = wrapped(parameters, SPECIFICATIONS[parameters.source].source)
    files = [f"encodings/{source}" for source in sources]
    if parameters.target is not None:
        files.append(f"encodings/{(pair or SPECIFICATIONS[parameters.target]).target}")
    units = {"UNIT_BYTES": parameters.reads.unit_bytes} if changes else {}
    options = {"DROP": int(parameters.errors == "drop"), "STRIP": int(parameters.bom == "strip"),
               "IN_PLACE": int(parameters.in_place)}
    if pair is not None and pair.ahead > 1:
        measured = {name: fact for name, fact in cut.facts.items() if name not in OF_RECORDS}
        return Miter(cut.rtlil, "window_ahead", [*files, *_parts("window_ahead", "sidebands", "delay")],
                     facts or {**measured, **options, "AHEAD": pair.ahead,
                               "REPLACEMENT": parameters.replacement or 0}, defines=units,
                     changes=[*changes, *counted(parameters), *in_place(parameters),
                              *early(parameters, ["window_ahead.v"])])
    passes = parameters.target is None
    options |= {
        "UNIT": parameters.reads.unit_bytes, "SLOTS": parameters.reads.unit_bytes if passes else parameters.slots,
        # The order of bytes is the wrapper's, but where the units come out as they came in.
        "PASS": int(passes), "BIG": int(passes and parameters.reads.byte_order == "big"),
    }
    if parameters.mark:
        known = {name: number for name, number in {**cut.facts, **options}.items() if name in MARK_FACTS}
        return Miter(cut.rtlil, "window_mark", [*files, *_parts("window_mark", "delay")], facts or known, defines=units,
                     changes=[*changes, *early(parameters, ["window_mark.v"])])
    defines = units if parameters.replacement is None else {**units, "REPLACEMENT": parameters.replacement}
    return Miter(cut.rtlil, "window", [*files, *_parts("window", "sidebands", "delay")],
                 facts or {**cut.facts, **options}, defines=defines,
                 changes=[*changes, *counted(parameters), *early(parameters, ["window.v"])])


def _parts(*names: str) -> list[str]:
    return [f"parts/{name}.v" for name in names]


def cut(parameters: TranscoderParameters, offset_width: int) -> Cut:
    """From the input port to the core's tail.

    ``item_valid``, ``item_last``, ``present`` and ``data`` are at one step, ``report_valid``, ``report_last`` and
    ``report`` at another. ``marks``, ``tags`` and the ``flags`` of each counter have steps of their own. Ports that the
    core lacks are zero. Offsets are ``offset_width`` bits wide. The tail is always ready: to the core, a beat without a
    handshake is no beat.
    """
    window = _Window(parameters, Ports())
    sidebands = parameters.sidebands
    tags = sidebands.id + sidebands.dest
    for name, width in (("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes),
                        ("i_data", 8 * parameters.input_bytes), ("i_user", max(1, sidebands.user)),
                        ("i_tags", max(1, tags))):
        window.ports.new(name, width)
    with tally.replaced(lambda _: window.count), new_buffer.replaced(lambda _: BufferPorts):
        build(window.ports, parameters, window.tail, offset_width=offset_width)
    rules = [rule for name in sidebands.count if (rule := COUNTERS[name].rule) is not None]
    return window.ports.cut(
        LANES=parameters.lanes, OFFSET=offset_width, AMOUNT=REPORTS.index(sidebands.report),
        COUNTERS=len(rules), USER=sidebands.user, TAGS=tags,
        COUNT=sum(rule << 4 * index for index, rule in enumerate(rules)),
        RECORDS=int(sidebands.records is not None), DELIMITER=sidebands.records or 0, **window.facts)


@dataclass
class _Window:
    """What is shown of a core before its tail, and at which steps."""

    parameters: TranscoderParameters
    ports: Ports
    facts: dict[str, int] = field(default_factory=dict)
    counted: list[list[Timed]] = field(default_factory=list)
    """Flags of each counter."""

    def count(self, pipeline: Pipeline, name: str, flags: Sequence[Timed], width: int) -> Timed:
        """A counter that is its flags."""
        if name not in {COUNTERS[each].field for each in unproven_counters(self.parameters)}:
            self.counted.append([*flags])
        return Timed(pipeline, 0, Const(0, 0), name)

    def tail(self, end: End, sound: Callable[[End], Any]) -> Any:
        """The core's tail, which says when items are made, with all that comes there shown."""
        made: list[Timed] = []

        def kept(after: int) -> list[Timed]:
            made[:] = end.items(after)
            return made

        report: Timed | None
        if callable(end.report):
            packed, report = _with_late_report(replace(end, items=kept), end.report, sound,
                                               early=self.parameters.sidebands.early)
        else:
            packed, report = sound(replace(end, items=kept)), end.report
        self._show(end, made, report)
        return packed

    def _show(self, end: End, made: Sequence[Timed], report: Timed | None) -> None:
        """The items that were ``made``, the report, and all that goes with them, each at a step of its own."""
        entry, present, marks = end.entry, end.present, end.marks
        ports, pipeline, lanes = self.ports, entry.pipeline, self.parameters.lanes

        def delay(step: int) -> int:
            # The harness, too, has registers for the beats that wait, and at least for one.
            return entry.latency - max(1, entry.lookahead) + pipeline.latency(step)

        def shown(*values: Timed) -> int:
            """The step at which values are shown: no sooner than the harness has them."""
            step = max([0, *(value.step for value in values)])
            return step if delay(step) >= 0 else pipeline.after_register(step)

        step = shown(*present, *made)
        ports.show("item_valid", pipeline.valid.at(step))
        ports.show("item_last", pipeline.last.at(step))
        ports.show("present", Cat(value.at(step) for value in present))
        ports.show("data", Cat(value.at(step) for value in made))
        reported = step if report is None else report.step
        report_bits = Const(0, 0) if report is None else report.at(reported)
        ports.show("report_valid", pipeline.valid.at(reported))
        ports.show("report_last", pipeline.last.at(reported))
        ports.show("report", report_bits if len(report_bits) else Const(0, 1))
        flagged = shown(*marks)
        ports.show("marks", Cat(mark.at(flagged) for mark in marks) if marks else Const(0, MARKS * lanes))
        tagged = shown() if entry.tags is None else shown(entry.tags)
        ports.show("tags", Const(0, 1) if entry.tags is None else entry.tags.at(tagged))
        at = [shown(*flags) for flags in self.counted]
        most = lanes * (self.parameters.reads.unit_bytes + 1)
        flags = [Cat([flag.at(step) for flag in flags], Const(0, most - len(flags)))
                 for flags, step in zip(self.counted, at, strict=True)]
        ports.show("flags", Cat(flags) if flags else Const(0, 1))
        self.facts["FLAG_DELAYS"] = sum(delay(step) << 8 * index for index, step in enumerate(at))
        self.facts.update(LOOKAHEAD=entry.lookahead, WIDTH=made[0].shape.width, **{
            f"{name}_DELAY": delay(at)
            for name, at in (("ITEM", step), ("REPORT", reported), ("MARK", flagged), ("TAG", tagged))})


def _with_late_report(end: End, report: Callable[[int], Timed], sound: Callable[[End], Any], *,
                      early: bool) -> tuple[Any, Timed]:
    """The tail of a compact core, and the report at the step that it chooses. ``early``: its lowest bit is valid at
    every beat."""
    made: list[Timed] = []

    def so_far(after: int) -> Timed:
        made[:] = [report(after)]
        return made[0]

    packed = sound(replace(end, report=so_far))
    # The report of a beat that is not its packet's last is not output.
    (value,) = made
    last = end.entry.pipeline.last.at(value.step).replicate(value.shape.width)
    # Only an early error bit is.
    return packed, Timed(value.pipeline, value.step, value.at(value.step) & (last | int(early)), value.name)
