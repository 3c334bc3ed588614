"""What is proven of a core, and the run of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from amaranth.utils import ceil_log2
from runewire_model import TranscoderParameters
from runewire_model.report import REPORTS, Sidebands
from runewire_rtl import timing
from runewire_rtl.drain import start_cycles

from . import cuts
from .encodings import PAIRS, SPECIFICATIONS
from .engines import COMBINATIONAL, Engine, Miter, Outcome
from .mutants import (
    Mutant,
    border_mutants,
    buffer_mutants,
    counter_mutants,
    packing_mutants,
    placement_mutants,
    report_port_mutants,
    reset_mutants,
    row_mutants,
    rows_mutants,
    skid_mutants,
    waiting_mutants,
    whole_mutants,
    window_mutants,
    wrapper_mutants,
)

__all__ = ["Proof", "Record", "proofs", "run", "run_part"]

RETIMED = "dprove -jpu -F 1"
"""Induction over registers moved as far forward as they can be, where a fixed delay becomes combinational, and then to
where they are fewest."""

ALIGNED = "dprove -bijmpu; scorr -S 60 -C 100000; dprove -jmpru -F 1 -C 100000"
"""Induction over registers moved as far forward as they can be: if all inputs come at one step, all that is remembered
meets there too. In wide cores the solver takes most of the time. Each of its counterexamples is simulated for 60 more
cycles: that tells so many gates apart that it is asked far less often."""

STRAIGHT = "dprove -jpum -F 1 -C 100000"
"""The same in one step: registers are moved, then induction, whose counterexamples are not simulated further. Of a
compact encoder of eight lanes it ends in four seconds, where `ALIGNED` does not in five minutes."""

EACH_OUTPUT = ("pdr -T 60", "dprove -T 600", "pdr")
"""Of one output alone: property-directed reachability, which decides most, then sweeping once more, as less is left of
the rest, with interpolation. Their limits are by a clock: on a busy machine the next one begins sooner."""

INDUCTIVE = "lcorr; scorr -C 10000000; dprove -jpurm -F 1"
"""Induction over the registers where they are: for properties with lemmas that make them inductive together."""

REACHED = "reach -B 10000000 -F 1000000"
"""Sets of all states that can be reached: for what counts, in few registers. Flag `-r` would keep ABC from reordering
variables, and what takes 43 seconds would take 533. `pdr` is for sets of more nodes than that."""

RESET_LANES, RESET_INPUT = 2, 4
"""Lanes, and bytes of an input beat, of the widest core that is reset in a proof."""

BORDER_ITEMS, ROWS_ITEMS = 16, 4
"""Items per beat of the widest core whose border with the buffer is proven, and of the widest compact core of which all
from its items to its output is proven at once. Of rows in place both are proven at any width; others with more items
take the engine long, or it gives up."""

AFTER_RESET = 24
"""Cycles that a proof of a reset goes on for once the core is open, or its latency if that is more: what the first
packet finds has then come out."""

BEATS = 10
"""Width of the beat counter in the proof of the window logic: enough for every kind of carry in it."""

COUNTED = 18
"""Width of the counters that are proven: their first chunk, one in the midst that is carried into and out of, and the
last, which is narrower."""


WHOLE = {("utf-8", None): (1, 8), ("utf-8", "utf-32le"): (4, 21), ("utf-32le", "utf-8"): (1, 8)}
"""Cores that are proven from port to port: source and target, bytes of an item of their rows on the bus, and bits of
it."""

OF_RECORDS = frozenset({"RECORDS", "DELIMITER", "MARK_DELAY"})
"""Facts that only a core has whose input passes through."""
MARK_FACTS = (
    "LANES", "UNIT", "SLOTS", "WIDTH", "LOOKAHEAD", "IN_PLACE", "DROP", "OFFSET", "AMOUNT", "USER", "TAGS",
    "ITEM_DELAY", "REPORT_DELAY", "TAG_DELAY")
"""Numbers that the comparison needs of a core that adds byte order marks."""


@dataclass(frozen=True)
class Proof:
    """``name``: the part. ``mutants`` must each be refuted. ``miter`` builds the comparison, of a mutant with
    the numbers that the sound core has.
    ``abstracted``: what the part leaves out of the delivered core.
    ``reduce``: ABC's command for the induction; ``scripts``: those for what it leaves open. ``frames``: in place of
    these, all the cycles that the comparison speaks of."""

    name: str
    claim: str
    abstracted: str
    reduce: str
    scripts: Sequence[str]
    miter: Callable[[dict[str, int] | None], Miter]
    mutants: Sequence[Mutant]
    frames: int = 0


@dataclass(frozen=True)
class Record:
    """One run of an engine: on a part as it is (``mutant`` None), or on a broken one.

    ``design``: digest of the part as it is, and of its specification. ``good``: proven, or for a mutant refuted.
    """

    part: str
    design: str
    mutant: str | None
    outcome: Outcome

    @property
    def good(self) -> bool:
        return self.outcome.verdict == ("proven" if self.mutant is None else "refuted")


def proofs(parameters: TranscoderParameters) -> list[Proof]:
    """The parts that a core's proof is made of."""
    offset = BEATS + ceil_log2(parameters.lanes)
    source = SPECIFICATIONS[parameters.source].source
    fused = PAIRS[parameters.source, parameters.target] if parameters.fused is not None else None
    target = [] if parameters.target is None else [(fused or SPECIFICATIONS[parameters.target]).target]

    uncounted = "; what is counted" if parameters.mark and parameters.sidebands.count else ""

    def window(facts: dict[str, int] | None) -> Miter:
        cut = cuts.window(parameters, offset)
        common = {"DROP": int(parameters.errors == "drop"), "STRIP": int(parameters.bom == "strip"),
                  "IN_PLACE": int(parameters.in_place)}
        if fused is not None and fused.ahead > 1:
            measured = {name: fact for name, fact in cut.facts.items() if name not in OF_RECORDS}
            return Miter(cut.rtlil, "window_ahead", [source, *target, "window_ahead.v", "sidebands.v", "delay.v"],
                         facts or {**measured, **common, "AHEAD": fused.ahead,
                                   "REPLACEMENT": parameters.replacement or 0})
        options = {
            "UNIT": parameters.reads.unit_bytes, "SLOTS": parameters.slots if target else parameters.reads.unit_bytes,
            # The order of bytes is the wrapper's, but where the units come out as they came in.
            "PASS": int(not target), "BIG": int(not target and parameters.reads.byte_order == "big"), **common,
        }
        if parameters.mark:
            known = {name: number for name, number in {**cut.facts, **options}.items() if name in MARK_FACTS}
            return Miter(cut.rtlil, "window_mark", [source, *target, "window_mark.v", "delay.v"], facts or known)
        replaced = {} if parameters.replacement is None else {"REPLACEMENT": parameters.replacement}
        return Miter(cut.rtlil, "window", [source, *target, "window.v", "sidebands.v", "delay.v"],
                     facts or {**cut.facts, **options}, defines=replaced)

    # Two parts begin there; a broken one has facts, and is built each time.
    as_it_is = cache(partial(cuts.packing, parameters, 1, None))

    def packing(facts: dict[str, int] | None) -> Miter:
        cut = cuts.packing(parameters, 1, facts) if facts else as_it_is()
        # What is broken has to show at the ports, not only in a lemma.
        slots = {} if parameters.in_place else {"SLOTS": parameters.slots, "USED": parameters.used_slots}
        return Miter(cut.rtlil, "packing", ["packing.v", "ways.v", "pick.v", "delay.v"],
                     {**cut.facts, **slots, "LEMMAS": int(facts is None)})

    def rows(facts: dict[str, int] | None) -> Miter:
        cut = cuts.rows(parameters, 1)
        return Miter(cut.rtlil, "rows", ["rows.v", "rows_out.v"], facts or cut.facts)

    def placement(facts: dict[str, int] | None) -> Miter:
        cut = cuts.placement(parameters, 1)
        return Miter(cut.rtlil, "placement", ["placement.v", "placed.v", "ways.v", "pick.v", "delay.v"],
                     {**(facts or cut.facts), "LEMMAS": int(facts is None)})

    def row(facts: dict[str, int] | None) -> Miter:
        cut = cuts.row(parameters, 1)
        return Miter(cut.rtlil, "row", ["row.v", "placed.v", "rows_out.v"], facts or cut.facts)

    def skid(facts: dict[str, int] | None) -> Miter:
        cut = cuts.skid(parameters)
        return Miter(cut.rtlil, "skid", ["skid.v"], facts or cut.facts)

    def waiting(facts: dict[str, int] | None) -> Miter:
        cut = cuts.waiting(parameters)
        return Miter(cut.rtlil, "waiting", ["waiting.v"], facts or cut.facts)

    def buffer(facts: dict[str, int] | None) -> Miter:
        cut = cuts.buffer(parameters)
        return Miter(cut.rtlil, "buffer", ["buffer.v", "border.v"],
                     {**(facts or cut.facts), "LEMMAS": int(facts is None)})

    def border(facts: dict[str, int] | None) -> Miter:
        cut = cuts.packing(parameters, 1, facts) if facts else as_it_is()
        if not facts:
            # Rows and times are the buffer's own.
            numbers = cuts.buffer(parameters).facts
            first = min(cut.facts[f"{what}_DELAY"] for what in ("WRITE", "KEEP", "PUSH", "RETURN"))
            facts = {**{name: cut.facts[name] for name in ("LANES", "WIDTH", "GROUP")}, "LATER": first - 1,
                     "ROW": numbers["ROW"], "WRITTEN": numbers["WRITTEN"]}
        return Miter(cut.rtlil, "before_buffer", ["before_buffer.v", "border.v", "delay.v"], facts)

    def counters(facts: dict[str, int] | None) -> Miter:
        cut = cuts.counters(parameters, COUNTED)
        return Miter(cut.rtlil, "counters", ["counters.v", "delay.v"],
                     {**(facts or cut.facts), "LEMMAS": int(facts is None)})

    def report_port(facts: dict[str, int] | None) -> Miter:
        cut = cuts.report_port(parameters)
        return Miter(cut.rtlil, "report_port", ["report_port.v"], facts or cut.facts)

    def wrapper(facts: dict[str, int] | None) -> Miter:
        cut = cuts.wrapper(parameters)
        return Miter(cut.rtlil, "wrapper", ["wrapper.v"], facts or cut.facts, delivered=True)

    compact = parameters.pipeline == "compact"

    # To know a latency the core is built, and of wide ones no part asks for it.
    @cache
    def closed() -> int:
        return start_cycles(timing(parameters).latency)

    @cache
    def looked() -> int:
        return closed() + max(AFTER_RESET, timing(parameters).latency)

    def reset(facts: dict[str, int] | None) -> Miter:
        cut = cuts.reset_together(parameters) if compact else cuts.reset(parameters)
        return Miter(cut.rtlil, "reset", ["reset.v"],
                     {**(facts or {**cut.facts, "CYCLES": looked()}), "LEMMAS": int(facts is None)})

    def whole(facts: dict[str, int] | None) -> Miter:
        item, width = WHOLE[parameters.source, parameters.target]
        amount, time = REPORTS.index(parameters.sidebands.report), timing(parameters)
        found = {
            "UNIT": parameters.reads.unit_bytes, "SLOTS": parameters.slots if target else 1, "WIDTH": width,
            "ITEM": item, "PASS": int(not target), "LOOKAHEAD": time.lookahead, "AMOUNT": amount,
            "DROP": int(parameters.errors == "drop"), "STRIP": int(parameters.bom == "strip"),
            "OFFSET": parameters.sidebands.offset_bits if parameters.sidebands.report == "full" else 0,
            "LATENCY": time.latency, "START": closed()}
        return Miter(cuts.delivered(parameters), "whole", [source, *target, "whole.v"], facts or found, delivered=True)

    narrow = parameters.lanes <= RESET_LANES and parameters.lanes * parameters.reads.unit_bytes <= RESET_INPUT
    # A report that waits is no register that a reset brings to a value.
    restarted = [] if not narrow or parameters.sidebands.report_port != "none" else [
        Proof("reset", "from any state of all registers, one edge of reset leads to the state that the core has after "
              "it from its first values, and until then it takes and offers nothing",
              f"{looked()} cycles from the reset; memories give anything, the same in both", "", [], reset,
              reset_mutants(compact=compact), frames=looked() + 1),
    ]
    from_port_to_port = [] if not _is_whole(parameters) else [
        Proof("whole", "what comes out, from port to port, is what the serial specifications make of what was taken, "
              "in order, once, and soon enough; an offer stays until it is taken; and so after resets at any time",
              "the report's offset is not looked at", INDUCTIVE, ["pdr"], whole, whole_mutants(parameters)),
    ]
    counted = [] if not parameters.sidebands.count else [
        Proof("counters", "each counter tells with a packet's last beat how many of its flags were set, or all ones",
              f"counters of {COUNTED} bits, and of few; flags are any, and come at once", INDUCTIVE, ["pdr"], counters,
              counter_mutants(parameters)),
    ]
    apart = [] if parameters.sidebands.report_port == "none" else [
        Proof("report_port", "each packet's report comes once, in order, from the cycle after its last beat was taken; "
              "no last beat is offered without room for its report, and all others are",
              "what is before the output offers any rows, at any time", INDUCTIVE, ["pdr"], report_port,
              report_port_mutants()),
    ]
    return [
        Proof("window", "units, first error's kind and offset, and what goes beside them, are those of the serial "
              "specifications",
              f"offsets of {offset} bits, which packets go beyond{uncounted}", RETIMED, EACH_OUTPUT, window,
              window_mutants(parameters)),
        *(_together(placement, row, rows, skid, waiting, parameters) if compact
          else _buffered(packing, border, buffer, parameters)),
        *counted,
        *apart,
        *restarted,
        *from_port_to_port,
        Proof("wrapper", "each wire of the bus is that of the core's own streams which it should be, each port is as "
              "wide as it should be, and the core is in reset while aresetn is low",
              "what is between these streams gives anything", COMBINATIONAL, [], wrapper, wrapper_mutants(parameters)),
    ]


def _is_whole(parameters: TranscoderParameters) -> bool:
    """Whether a core is small enough to be proven from port to port."""
    return (parameters.pipeline == "compact" and parameters.lanes == 1 and not parameters.mark
            and (parameters.source, parameters.target) in WHOLE and _has_usual_ports(parameters)
            and (parameters.target is None or not parameters.in_place))


def _has_usual_ports(parameters: TranscoderParameters) -> bool:
    """Whether beside items a core has a report alone, of any kind."""
    sidebands = parameters.sidebands
    return sidebands == Sidebands(sidebands.report, sidebands.offset_bits)


Compare = Callable[[dict[str, int] | None], Miter]


def _together(placement: Compare, row: Compare, rows: Compare, skid: Compare, waiting: Compare,
              parameters: TranscoderParameters) -> list[Proof]:
    """What a compact core has between its items and its output, and what waits there and before."""
    apart = [] if parameters.in_place else [
        Proof("placement", "each item is in its lane, and what is said of it to the output's row is so",
              "items of one bit", STRAIGHT, ["reach -o", "pdr"], placement, placement_mutants(parameters)),
        Proof("row", "rows come out with their items, in order, none lost or twice, as soon as the rows before them "
              "let them; an offer stays until it is taken; the pipeline waits for nothing else",
              "items and reports of one bit", INDUCTIVE, ["pdr"], row, row_mutants(parameters)),
    ]
    at_once = [] if _is_wide(parameters, ROWS_ITEMS) else [
        Proof("rows", "each item is in its lane and row; rows come out in order, none lost or twice, as soon as "
              "the rows before them let them; an offer stays until it is taken; the pipeline waits for nothing else",
              "items and reports of one bit", INDUCTIVE, ["pdr"], rows, rows_mutants(parameters)),
    ]
    return [
        *apart, *at_once,
        Proof("skid", "beats are passed on as they were taken, in order, none lost or twice, each at once if it can be",
              "beats of few bits", INDUCTIVE, ["pdr"], skid, skid_mutants()),
        Proof("waiting", "no register of the pipeline changes while it waits; an offer stays until it is taken", "",
              INDUCTIVE, ["pdr"], waiting,
              waiting_mutants()),
    ]


def _is_wide(parameters: TranscoderParameters, items: int) -> bool:
    """Whether a core's rows are not in place, and its beats have more items than these."""
    return not parameters.in_place and parameters.lanes * parameters.slots > items


def _buffered(packing: Compare, border: Compare, buffer: Compare, parameters: TranscoderParameters) -> list[Proof]:
    """What other cores have there."""
    kept = [] if _is_wide(parameters, BORDER_ITEMS) else [
        Proof("border", "what comes before the buffer keeps to all that the buffer counts on",
              "items and reports of one bit", INDUCTIVE, [REACHED, "pdr"], border, border_mutants(parameters)),
    ]
    return [
        Proof("packing", "each item is in its lane and row, rows come in order, credits are neither lost nor made",
              "items and reports of one bit", ALIGNED, ["reach -o", "pdr"], packing, packing_mutants(parameters)),
        *kept,
        Proof("buffer", "rows come out as they were written, in order, none lost or twice; an offer stays until it is "
              "taken; credits are neither lost nor made",
              "few lanes, items, marks and reports of one bit, memories of one row, any one", INDUCTIVE, ["pdr"],
              buffer, buffer_mutants()),
    ]


def run(parameters: TranscoderParameters, engine: Engine, *, seconds: float = 600, mutants: bool = True,
        parts: Sequence[str] = (), known: Mapping[str | None, Outcome] = MappingProxyType({})) -> Iterator[Record]:
    """Prove every part of a core (or only those named), and refute its mutants, one record after another.

    ``seconds`` bounds each engine run. ``known``: outcomes that still hold, of mutants by title and of the part as
    it is by None; they are given back and not run again. Raises ToolError where a part cannot be built.
    """
    for proof in proofs(parameters):
        if parts and proof.name not in parts:
            continue
        sound = proof.miter(None)
        harness = ""
        made: dict[str, int] | None = None
        built = cache(partial(proof.miter, sound.parameters))
        for mutant in (None, *(proof.mutants if mutants else ())):
            title = None if mutant is None else mutant.title
            if title in known:
                yield Record(proof.name, sound.digest, title, known[title])
                continue
            broken = sound
            if mutant is not None:
                with mutant.broken():
                    broken = replace(proof.miter(sound.parameters) if mutant.rebuilt else built(), edits=mutant.edits)
            if broken.parameters != made:
                harness, made = engine.comparison(broken), broken.parameters
            with _graph(engine, broken, harness) as graph:
                if mutant is not None:
                    outcome = engine.refute(graph, seconds)
                elif proof.frames:
                    outcome = engine.exhaust(graph, proof.frames, seconds)
                else:
                    outcome = engine.prove(graph, proof.reduce, proof.scripts, seconds)
            yield Record(proof.name, sound.digest, title, outcome)


def run_part(parameters: TranscoderParameters, part: str, version: str, seconds: float, mutants: bool,
             known: Mapping[str | None, Outcome]) -> list[Record]:
    """What `run` gives of one part, by this machine's engine. Raises ToolError, also where that is not ``version``."""
    engine = Engine.find()
    engine.must_be(version)
    return list(run(parameters, engine, seconds=seconds, mutants=mutants, parts=[part], known=known))


@contextmanager
def _graph(engine: Engine, miter: Miter, comparison: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as folder:
        yield engine.graph(miter, comparison, Path(folder))
