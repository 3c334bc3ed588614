"""Cores broken on purpose, one rule or one piece at a time: what a proof must refute to be worth anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import or_
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.utils import ceil_log2
from runewire_model import TranscoderParameters
from runewire_rtl import buffer as buffer_module
from runewire_rtl import input_stage, tally
from runewire_rtl.axi import AxiStream
from runewire_rtl.buffer import OutputBuffer
from runewire_rtl.compact import Compact
from runewire_rtl.compact import core as compact_core
from runewire_rtl.compact import packing as compact_packing
from runewire_rtl.compact.packing import Row
from runewire_rtl.compact.skid import Skid
from runewire_rtl.counters import Thermometer
from runewire_rtl.drain import Drain
from runewire_rtl.encodings import BACK_ENDS
from runewire_rtl.layouts import KIND_WIDTH
from runewire_rtl.pipeline import Pipeline, Timed
from runewire_rtl.reader import Reader
from runewire_rtl.stages import Stage
from runewire_rtl.tally import FLAGS
from runewire_rtl.transcoder import Transcoder

from . import cuts
from .breaking import Logic, Mutant, always, never, patched, step, tied
from .encodings import PAIRS, SPECIFICATIONS

__all__ = [
    "Mutant", "border_mutants", "buffer_mutants", "counter_mutants", "packing_mutants", "placement_mutants",
    "report_port_mutants", "reset_mutants", "row_mutants", "rows_mutants", "skid_mutants", "waiting_mutants",
    "whole_mutants", "window_mutants", "wrapper_mutants",
]


def _last_keep_ignored(original: Any) -> Any:
    def source(pipeline: Any, data: Any, beat: Any, *rest: Any, **options: Any) -> Any:
        last = beat.keep[-1]
        return original(pipeline, data, replace(beat, keep=[*beat.keep[:-1], Const(-1, len(last))]), *rest, **options)
    return source


def _target_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    if parameters.target is None:
        return []
    if parameters.fused is not None:
        return PAIRS[parameters.source, parameters.target].mutants(parameters)
    return SPECIFICATIONS[parameters.target].target_mutants(parameters)


def window_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken front ends and back ends, and broken reports."""
    lanes = parameters.lanes
    index_width = ceil_log2(lanes)

    def off_by_one(report: Logic) -> Logic:
        def broken(*values: Value) -> Value:
            value = Value.cast(report(*values))
            offset, error = value[1 + KIND_WIDTH :], value[0]
            return value ^ ((error & (offset[index_width:] == 1)) << 1 + KIND_WIDTH)
        return broken

    report = parameters.sidebands.report
    found = [
        *SPECIFICATIONS[parameters.source].source_mutants(parameters),
        *_target_mutants(parameters),
        *_sideband_mutants(parameters),
        patched("the last lane's keep is ignored", input_stage, "_stage", _last_keep_ignored),
        *(_mark_mutants(parameters) if parameters.mark else []),
    ]
    # Where nothing is wrong, a report has nothing to get wrong.
    wrong = report != "none" and (parameters.reads.wrong or (parameters.target is not None and parameters.narrows))
    compact = parameters.pipeline == "compact"
    if wrong:
        found.append(tied("each beat counts as its packet's first", "report_begins", 1) if compact
                     else tied("a later error replaces the first", "error_seen", 0))
    if wrong and report == "full":
        title = "the offset is off by one in the second beat"
        found.append(_reported(title, off_by_one) if compact else step(title, "report", off_by_one))
    kinds = [error.kind for packet in parameters.reads.wrong if (error := parameters.reads.first_error(packet))]
    if kinds and report in ("kind", "full"):
        bit = min((kind & -kind).bit_length() - 1 for kind in kinds)
        found.append(step("an error's kind loses its lowest bit", rf"kind{bit}_l\d+", never))
    if wrong and lanes > 1 and report != "flag":
        found.append(step("the last faulty lane of a beat counts, not the first", r"first_of\d+_l\d+",
                          lambda first: lambda left, right: first(right, left)))
    if wrong and lanes > 1 and report == "flag":
        found.append(step("the last lanes of a beat have no errors", r"any_of\d+_\d+",
                          lambda some: lambda *flags: some(*flags[:-1])))
    return found if report == "full" else [mutant for mutant in found if _shows(mutant, parameters)]


def _reported(title: str, change: Callable[[Logic], Logic]) -> Mutant:
    """Another report of a compact core."""
    def made(original: Any) -> Any:
        def kept(*arguments: Any) -> Timed:
            told: Timed = original(*arguments)
            return Timed(told.pipeline, told.step, change(lambda bits: bits)(told.at(told.step)), told.name)
        return kept
    return patched(title, compact_core, "kept_error", made)


def _mark_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to add a byte order mark."""
    found = [
        tied("no beat goes before a packet", "packet_begins", 0),
        step("a mark has no place", r"mark_there\d+", lambda _: lambda flag, mark: flag),
        step("a mark is what stands in its place", r"mark_unit\d+",
             lambda unit: lambda made, mark: unit(made, mark & 0)),
    ]
    if parameters.lanes > 1 or parameters.reads.wrong:
        # The mark stands for all of a beat of one unit, and of one that is never wrong nothing else counts.
        found.append(patched("what is offered counts with the mark before it", input_stage, "cleared",
                             lambda _: lambda value, flag: value))
    located = bool(parameters.reads.wrong) and parameters.sidebands.report == "full"
    if parameters.reads.byte_order_marks or located:
        found.append(patched("a mark counts as a packet's first beat", Pipeline, "over",
                             lambda _: property(lambda self: self.last)))
    return found


LOCATES = frozenset({
    "a sequence begins where its second byte is", "a unit that lacks a byte leaves the high surrogate alone",
    "what does not fit begins where it ends",
})
"""Mutants that only an offset tells from the sound core."""


def _shows(mutant: Mutant, parameters: TranscoderParameters) -> bool:
    """Whether what a mutant breaks is part of a core that tells less than all of an error, and can be seen there."""
    if mutant.title in LOCATES:
        return False
    if parameters.sidebands.report != "none":
        return True
    # Without a report there are no faults, and of the source's rules only what units or counters need.
    try:
        with mutant.broken():
            cuts.window(parameters, 1)
    except LookupError:
        return False
    return True


def _ends(title: str, broken: Logic) -> Mutant:
    """Another end of records. UTF-8 has a step of that name too, where sequences end, of two operands."""
    return step(title, r"ends_l\d+", lambda ends: lambda *operands:
                broken(ends, *operands) if len(operands) > 2 else ends(*operands))


def _lost(name: str) -> Mutant:
    """What comes in beside a beat is lost."""
    def change(original: Any) -> Any:
        def source(pipeline: Any, data: Any, beat: Any, *rest: Any, **options: Any) -> Any:
            beside = {side: Const(0, len(value)) if side == name else value for side, value in beat.beside.items()}
            return original(pipeline, data, replace(beat, beside=beside), *rest, **options)
        return source
    return patched(f"{name} is lost", input_stage, "_stage", change)


def _sideband_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """What goes beside the units, broken."""
    sidebands, found = parameters.sidebands, []
    if sidebands.user:
        found.append(_lost("user"))
    # In a compact core they go straight to the output's row.
    if sidebands.user and parameters.pipeline != "compact":
        found.append(step("user bits come with every beat", "user", lambda _: lambda user, last: user))
        if sidebands.report != "none":
            found.append(step("what came in as bad goes out as good", "bad", lambda _: lambda report, user: report))
    found += [_lost(name) for name in ("id", "dest") if getattr(sidebands, name)]
    if "replacements" in sidebands.count and parameters.reads.wrong:
        found.append(step("ill-formed subparts do not count", r"ill_formed_l\d+", never))
    if "utf16-units" in sidebands.count and parameters.reads.greatest > 0xFFFF:
        found.append(step("a pair counts as one unit", r"beyond_bmp_l\d+", never))
    if sidebands.records is not None and parameters.reads.wrong:
        alone = "a beat knows nothing of those before"
        found += [
            _ends("the delimiter ends no record", lambda ends, low, high, there, final: final),
            _ends("any byte with the delimiter's lower half ends a record",
                  lambda ends, low, high, there, final: ends(low, low | 1, there, final)),
            step("the packet's last byte ends no record", r"final_l\d+", never),
            step("a record that ends is always good", r"bad_l\d+", never),
            step("what goes on into the next beat is forgotten", "rest", never),
            # Where registers are few, the flag and what each lane sees of it are one.
            step(alone, r"open_bad_l\d+", never) if parameters.pipeline == "compact" else tied(alone, "open_bad", 0),
        ]
        if parameters.lanes > 1:
            found += [
                step("a record is ill-formed for what was in the one before", r"bad_l\d+",
                     lambda _: lambda end, after, before, *begun: end & (after | before)),
                step("a record does not reach back over lanes", r"so_far\d+_l\d+",
                     lambda _: lambda own, cut, whole: own),
            ]
    return found


def counter_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken counters."""
    found = [
        patched("the number is not cleared at a packet's end", tally, "cleared", lambda _: lambda value, last: value),
        patched("the number comes with every beat", tally, "masked", lambda _: lambda value, last: value),
        step("a number that does not fit starts again", r"(count|short)\d+", lambda number: lambda total, beyond, last:
             number(total, beyond & 0, last)),
        step("the first flag does not count", r"count\d+_of_l0",
             lambda count: lambda first, *rest: count(first & 0, *rest)),
    ]
    if parameters.lanes > FLAGS:
        # Fewer lanes take too long to count so far.
        found.append(step("a carry between chunks is lost", r"count\d+_from0_carry", never))
        found.append(step("all but the first flags do not count", r"count\d+_of_l[1-9]\d*", never))
    return found


def report_port_mutants() -> list[Mutant]:
    """Broken streams of reports."""
    return [
        tied("last beats do not wait", "report_port.two_wait", 0),
        tied("the report behind another is lost", "report_port.second", 0),
        patched("last beats are not held back", Transcoder, "_tell",
                lambda tell: lambda self, m, drain: tell(self, m, drain) & 0),
    ]


def packing_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to rows."""
    common = [
        step("an item is not written", r"row_of_l0", never),
        step("keep bits are not written", "keep0_row", never),
        step("last and report are not written", r"metadata_row", never),
        tied("every row is pushed as the first", "push_row", 0),
        tied("every row is pushed in the first bank", "push_turn", 0),
    ]
    told = bool(parameters.sidebands.told) or parameters.sidebands.user > 0
    if parameters.sidebands.records is not None:
        common += [
            step("marks are not written", r"marks0_row", never),
            tied("marks are always written into the first row", "marks_row", 0),
        ]
    if parameters.in_place:
        return [*common, tied("every beat is written into the first row", "row", 0)]
    lanes = parameters.lanes * parameters.slots
    dense = [
        *common,
        step("a full last row counts as unfinished", "whole", never),
        step("a last row that is just full is pushed twice", "filled",
              lambda _: lambda counts, *full: reduce(or_, full)),
        step("rows do not move on", "row_moves", never),
        tied("a packet's last row never comes", "late", 0),
        tied("the last bit is dropped", "late_last", 0),
        *([tied("the report is dropped", "late_report", 0)] if told else []),
        *([tied("the tags are dropped", "tags_before", 0)] if parameters.sidebands.id or parameters.sidebands.dest
          else []),
        tied("a packet's rows are always held back", "all_full", 1),
        tied("a packet's rows are never held back", "all_full", 0),
        step("the first lane is always kept", "reached_l0", always),
    ]
    if lanes > 1:
        dense += [
            step("two rows at once count as one", "row_twice", never),
            tied("the running count is forgotten", "running_bit0", 0),
            step("a carry between number bits is lost", "carry_bit0", never),
            *_merge_mutants(parameters),
        ]
    return dense


def border_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to the rows of the buffer that write, push or return what is not theirs."""
    found = [
        tied("every row is pushed in the first bank", "push_turn", 0),
        tied("every row's last and report are written beside the first", "push_row", 0),
    ]
    if parameters.in_place:
        return [*found, tied("every beat is written into the first row", "row", 0)]
    return [*found, step("rows do not move on", "row_moves", never), tied("a packet's last row never comes", "late", 0)]


def rows_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to the output of a compact core."""
    if not parameters.in_place:
        return [*row_mutants(parameters), *placement_mutants(parameters)]
    found = _end_mutants(parameters)
    if parameters.target is not None:
        found.append(step("items show where they are not kept", r"masked_l0", lambda _: lambda item, keep: item))
    return found


def placement_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways from items to the register of a compact core's output row."""
    found = [
        step("a full last row counts as unfinished", "whole", never),
        step("a last row that is just full comes twice", "filled", lambda _: lambda counts, *full: reduce(or_, full)),
        step("the first lane is always kept", "reached_l0", always),
    ]
    if parameters.lanes * parameters.slots > 1:
        found += [
            tied("the running count is forgotten", "running_bit0", 0),
            step("a carry between number bits is lost", "carry_bit0", never),
            step("a place has an item of the next row only", r"present_l\d+",
                 lambda present: lambda reached, wrapped, fills: present(reached & 0, wrapped, fills)),
            tied("items that have wrapped stay in their row", "wrapped_l0", 0),
            *_run_mutants(parameters),
        ]
    return found


def row_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken registers of a compact core's output row."""
    found = [*_end_mutants(parameters), _row("the last bit is dropped", lambda m, row: row.last.eq(0))]
    if parameters.lanes * parameters.slots > 1:
        found += [
            tied("the second of two rows never comes", "row.rest", 0),
            tied("the first lane of the row under way is forgotten", "row.under_way_l0", 0),
        ]
    return found


def _end_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ends of a compact core, of whatever rows."""
    sidebands = parameters.sidebands
    told = bool(sidebands.told) or sidebands.user > 0
    found = [patched("the report comes with every row", compact_packing, "_beside",
                     lambda beside: lambda entry, output, report, step, last:
                     beside(entry, output, report, step, Const(1)))] if told else []
    return [*found, _offered("a row is offered without a beat", 1), _offered("no row is offered", 0)]


def _offered(title: str, value: int) -> Mutant:
    """A row is always offered, or never."""
    return patched(title, compact_packing, "Arranged", lambda kind: lambda offer, *rest: kind(Const(value), *rest))


def _row(title: str, says: Callable[[Module, Row], Any]) -> Mutant:
    """Another statement of the register of the output's row, after its own."""
    def change(original: Any) -> Any:
        def elaborate(self: Row, platform: object) -> Module:
            m: Module = original(self, platform)
            m.d.sync += says(m, self)
            return m
        return elaborate
    return patched(title, Row, "elaborate", change)


def skid_mutants() -> list[Mutant]:
    """Broken places for the beat that was taken as the pipeline stopped."""
    return [tied("a beat that waits is lost", "waits", 0), *_wrong_skids()]


def _wrong_skids() -> list[Mutant]:
    return [
        _said("a beat is taken while another waits", Skid, lambda skid: skid.given.ready.eq(skid.open)),
        _said("the port's beat overtakes the one that waits", Skid,
              lambda skid: Value.cast(skid.output.payload).eq(Value.cast(skid.given.payload))),
    ]


def _said(title: str, kind: type, says: Callable[[Any], Any]) -> Mutant:
    """Another statement of a part, after its own."""
    def change(original: Any) -> Any:
        def elaborate(self: Any, platform: object) -> Module:
            m: Module = original(self, platform)
            m.d.comb += says(self)
            return m
        return elaborate
    return patched(title, kind, "elaborate", change)


def whole_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken cores, from port to port: what breaks a part of one, and ports that say something else."""
    sidebands = parameters.sidebands
    # An offset is not looked at.
    seen = replace(parameters, sidebands=replace(
        sidebands, report="kind" if sidebands.report == "full" else sidebands.report))
    parts = [*window_mutants(seen), *rows_mutants(parameters), *_wrong_skids(), *waiting_mutants(),
             *reset_mutants(compact=True)]
    return [
        # Registers that are tied are those of a netlist, and have other names in Verilog.
        *(mutant for mutant in parts if not mutant.edits),
        _said("a beat that waits is lost", Skid, lambda skid: skid.output.valid.eq(skid.given.valid & skid.open)),
        _said("a beat comes twice when the pipeline stops", Skid,
              lambda skid: skid.given.ready.eq((skid.open & ~skid.output.valid) | skid.advance)),
        _port("last is dropped", "m_axis_tlast", "0"),
        _port("all bytes are kept", "m_axis_tkeep", "~0"),
        _port("a bit of the data is dropped", "m_axis_tdata", "given & ~1"),
        *([_port("the report is dropped", "m_axis_tuser", "0")] if sidebands.told else []),
        _port("an offer waits for the input", "m_axis_tvalid", "given & s_axis_tvalid"),
        _port("nothing comes out", "m_axis_tvalid", "0"),
        _port("nothing is taken", "s_axis_tready", "0"),
    ]


def _port(title: str, name: str, says: str) -> Mutant:
    """A core whose port ``says`` something else than it is ``given``, in Verilog."""
    def change(original: Any) -> Any:
        def text(parameters: TranscoderParameters) -> str:
            whole, hits = re.subn(rf"\.{name} *\({name}\)", f".{name}(given)", original(parameters), count=1)
            if not hits:
                raise LookupError(f"no port is called {name} any more: the mutant {title!r} breaks nothing")
            return whole.replace("endmodule", f"wire [63:0] given;\nassign {name} = {says};\nendmodule", 1)
        return text
    return patched(title, cuts, "verilog_text", change)


def waiting_mutants() -> list[Mutant]:
    """Pipelines that do not wait as a whole."""
    def apart(original: Any) -> Any:
        def made(self: Stage, around: Module, name: str, text: str, enable: Value | None = None) -> None:
            original(self, around, name, text, None if name == "beats" else enable)
        return made

    def hasty(original: Any) -> Any:
        def join(self: Compact, m: Module, *rest: Any) -> Any:
            time = original(self, m, *rest)
            assert isinstance(self._advance, Signal)
            m.d.comb += self._advance.eq(1)
            return time
        return join

    return [
        patched("whether a beat passes is not held", Stage, "__init__", apart),
        patched("the pipeline waits for nothing", Compact, "_join", hasty),
    ]


def _merge_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    return [
        step("a place has an item where the beat has none", r"row_of_l0",
             lambda enables: lambda to, since, full, odd: enables(~(to & 0), since & 0, full, odd)),
        step("items are only where none has wrapped", r"row_of_l\d+",
             lambda enables: lambda to, since, full, odd: enables(to, since, full & 0, odd)),
        step("items are all written as if their row were even", r"row_of_l\d+",
             lambda enables: lambda to, since, full, odd: enables(to, since, full, odd & 0)),
        tied("items that have wrapped stay in their row", "wrapped_l0", 0),
        step("the even bank's rows do not move on", r"row_bank0_l\d+", never),
        *_run_mutants(parameters),
    ]


def _run_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    found = []
    if parameters.slots > 1:
        found.append(step("the items of a lane are not turned", r"turn_bit0_l\d+_\d+", never))
    if parameters.lanes > 1:
        found += [
            step("lanes are not numbered", r"(number|base)\d*(_l\d+)?_bit0", never),
            step("runs do not move", rf"swap{parameters.slots}_l\d+_\d+", never),
            step("runs are merged whatever their number", rf"swap{parameters.slots}_l\d+_\d+", always),
        ]
    return found


def _reader(title: str, breaks: Callable[[Module, Reader], None]) -> Mutant:
    """Statements are added to every read controller, after its own."""
    def change(original: Any) -> Any:
        def elaborate(self: Reader, platform: object) -> Module:
            m: Module = original(self, platform)
            breaks(m, self)
            return m
        return elaborate
    return patched(title, Reader, "elaborate", change)


def _masked(title: str, method: str, port: str) -> Mutant:
    """What a method of the buffer describes does not see ``port`` while a row is loaded."""
    def change(original: Any) -> Any:
        def described(self: OutputBuffer, m: Module, told: Any, *clear: Any) -> None:
            reader = told if isinstance(told, Reader) else told[0]
            whole = getattr(self, port)
            setattr(self, port, whole & ~Cat(reader.fetch).any().replicate(len(whole)))
            original(self, m, told, *clear)
            setattr(self, port, whole)
        return described
    return patched(title, OutputBuffer, method, change)


def _credited(title: str, given: int) -> Mutant:
    """Credits come back in every cycle, or never, whatever is read."""
    def change(original: Any) -> Any:
        return lambda self, m, leader: original(self, m, SimpleNamespace(fetch=[Const(given)]))
    return patched(title, OutputBuffer, "_credits", change)


def _loads(m: Module, reader: Reader) -> None:
    with m.If(reader.pending[0][0] & ~reader.fetched[0]):
        m.d.sync += [reader.fetch[0].eq(1), reader.fetched[0].eq(1)]


def _loses(m: Module, reader: Reader) -> None:
    with m.If(reader.valid & ~reader.ready & reader.fetched[1]):
        m.d.sync += reader.fetched[1].eq(0)


def _overtakes(m: Module, reader: Reader) -> None:
    with m.If(reader.fetched[1]):
        m.d.sync += reader.shown[1].eq(1)


def _withdraws(m: Module, reader: Reader) -> None:
    m.d.sync += reader.valid.eq(Cat(reader.fetched).any())


def buffer_mutants() -> list[Mutant]:
    """Broken output buffers."""
    return [
        _masked("a push is lost while a row is loaded", "_announce", "push"),
        _masked("a credit given back is lost while a row is loaded", "_credits", "returned"),
        _credited("a row that is read gives no credit back", 0),
        _credited("every cycle gives a credit back", 1),
        Mutant("beats are accepted until all credits are spent",
               lambda: patch.object(buffer_module, "CREDIT_LOOP", 1)),
        tied("rows are read that were never pushed", "reader_leader.announce_bank0", 1),
        tied("a group of lanes hears of no row", "reader_group0.announce_bank0", 0),
        _reader("an offer is withdrawn", _withdraws),
        _reader("a stall loses the row behind the one that waits", _loses),
        _reader("a bank loads the next row while it shows one", _loads),
        _reader("a row is shown before its turn", _overtakes),
        tied("lanes load a row in every cycle", "reader_group0.fetch_bank0", 1),
        tied("lanes are always read from the first row", "reader_group0.row_bank0_copy1", 0),
        tied("reports are always read from the first row", "reader_leader.row_bank0_copy0", 0),
        tied("marks are always read from the first row", "reader_group0.row_bank0_copy2", 0),
        tied("keep bits are always read from the first row", "reader_group0.row_bank0_copy0", 0),
        tied("lanes that are not kept show what they hold", "reader_group0.mask_bank0", 1),
        tied("both banks give a report", "reader_leader.shown_bank0", 1),
    ]


def _drain(title: str, says: Callable[[Drain], tuple[Value, Value]]) -> Mutant:
    """A drain that says something else: a signal, and what it is."""
    def change(original: Any) -> Any:
        def elaborate(self: Drain, platform: object) -> Module:
            m: Module = original(self, platform)
            signal, value = says(self)
            m.d.comb += signal.eq(value)
            return m
        return elaborate
    return patched(title, Drain, "elaborate", change)


def _not_cleared(title: str, kind: type, which: Callable[[Any], bool]) -> Mutant:
    """Parts of a kind that keep what they have over a reset."""
    def change(original: Any) -> Any:
        def elaborate(self: Any, platform: object) -> Module:
            if which(self):
                self.clear = Signal(name="never")
            m: Module = original(self, platform)
            return m
        return elaborate
    return patched(title, kind, "elaborate", change)


def reset_mutants(*, compact: bool = False) -> list[Mutant]:
    """Cores that a reset does not bring to their first state, or too late."""
    if compact:
        return [
            _drain("nothing is flushed", lambda drain: (drain.restart.flush, Const(0))),
            _drain("a core opens at once", lambda drain: (drain.open, Const(1))),
        ]
    return [
        _drain("nothing is flushed", lambda drain: (drain.restart.flush, Const(0))),
        _drain("nothing is cleared", lambda drain: (drain.restart.clear, Const(0))),
        _drain("a core opens at once", lambda drain: (drain.open, Const(1))),
        _drain("a core opens while copies of what clears it are set", lambda drain: (drain.open, ~drain.restart.clear)),
        _not_cleared("credits are kept over a reset", Thermometer, lambda counter: len(counter.up) > 1),
        _not_cleared("rows are kept over a reset", Thermometer, lambda counter: len(counter.up) == 1),
        _not_cleared("readers are not cleared", Reader, lambda reader: True),
    ]


def wrapper_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Ports that are not the wires of the core's streams that they should be."""
    reads, writes = parameters.reads, parameters.writes
    unit, item = reads.unit_bytes, 1 if parameters.target is None else writes.unit_bytes

    def items(core: Transcoder, above: int = 0) -> Value:
        """The output's data, of each item the byte that is worth least first, and ``above`` where it has no bits."""
        return Cat(Cat(each, Const(above, 8 * item - len(each))) for each in core.o.payload.data)

    def ordered(value: Value, size: int, big: bool) -> Value:
        places = range(len(value) // 8)
        return Cat(value.word_select(at - at % size + size - 1 - at % size if big else at, 8) for at in places)

    read_big, write_big = reads.byte_order == "big", writes.byte_order == "big"
    found = [
        _wired("keep bits come in a byte off",
               lambda bus: bus.core.i.payload.keep.eq(Cat(Const(0, 1), bus.s_axis_tkeep))),
        _wired("keep bits go out a byte off", lambda bus: bus.m_axis_tkeep.eq(
            Cat(Const(0, 1), *(bit.replicate(item) for bit in bus.core.o.payload.keep)))),
        _wired("last is dropped on its way in", lambda bus: bus.core.i.payload.last.eq(0)),
        _wired("last is dropped on its way out", lambda bus: bus.m_axis_tlast.eq(0)),
        _wired("valid and last are exchanged on their way in", lambda bus: [
            bus.core.i.valid.eq(bus.s_axis_tlast), bus.core.i.payload.last.eq(bus.s_axis_tvalid)]),
        _wired("valid goes past the core", lambda bus: bus.m_axis_tvalid.eq(bus.s_axis_tvalid)),
        _wired("the output's ready goes past the core", lambda bus: bus.s_axis_tready.eq(bus.m_axis_tready)),
        _wired("the core's output waits for nothing", lambda bus: bus.core.o.ready.eq(1)),
        _written("reset is active high", r"\(~aresetn\)", "(aresetn)"),
        _written("reset never comes", r"\(~aresetn\)", "(1'b0)"),
        _written("the core's clock stands still", r"\(aclk\)", "(1'b0)"),
        _written("a port is too wide", r"\[\d+:0\](?= +s_axis_tdata,)", f"[{8 * parameters.input_bytes}:0]"),
        _written("a port has another name", r"\bm_axis_tlast\b(?=,)", "m_axis_last"),
    ]
    if unit > 1:
        found.append(_wired("the bytes of a unit come in the other order", lambda bus:
                            bus.core.i.payload.data.as_value().eq(ordered(bus.s_axis_tdata, unit, not read_big))))
    if item > 1:
        found.append(_wired("the bytes of an item go out in the other order", lambda bus:
                            bus.m_axis_tdata.eq(ordered(items(bus.core), item, not write_big))))
    if parameters.lanes > 1:
        found += [
            _wired("units come in a lane off", lambda bus: bus.core.i.payload.data.as_value().eq(
                ordered(bus.s_axis_tdata.rotate_left(8 * unit), unit, read_big))),
            _wired("items go out a lane off", lambda bus: bus.m_axis_tdata.eq(
                ordered(items(bus.core).rotate_left(8 * item), item, write_big))),
        ]
    if parameters.target is not None and BACK_ENDS[writes.name].width < 8 * item:
        found.append(_wired("the upper bits of an item are not zero", lambda bus: bus.m_axis_tdata.eq(
            ordered(items(bus.core, -1), item, write_big))))
    return [*found, *_beside_mutants(parameters)]


def _beside_mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Ports beside the data that are other wires."""
    sidebands = parameters.sidebands
    found = [
        *(_untold(f"{name} is lost on its way in", lambda bus, name: bus.core.i.payload[name], name)
          for name in sidebands.carried),
        *(_untold(f"{name} is lost on its way out", lambda bus, name: getattr(bus, f"m_axis_t{name}"), name)
          for name in sidebands.tags),
    ]
    if len(sidebands.tags) > 1:
        found += [
            _wired("id and dest are exchanged on their way in", lambda bus: [
                bus.core.i.payload.id.eq(bus.s_axis_tdest), bus.core.i.payload.dest.eq(bus.s_axis_tid)]),
            _wired("id and dest are exchanged on their way out", lambda bus: [
                bus.m_axis_tid.eq(bus.core.o.payload.dest), bus.m_axis_tdest.eq(bus.core.o.payload.id)]),
        ]
    told = bool(sidebands.told) and sidebands.report_port != "only"
    marked = sidebands.records is not None
    if told:
        found += [
            _users("the report is lost", lambda report, user, marks: (report & 0, user, marks)),
            _users("the report and all above it is a bit off", lambda *fields: (Const(0, 1), *fields)),
        ]
    if told and sidebands.report in ("kind", "full"):
        found.append(_users("the kind is in the place of the error", lambda report, *others: (
            report[1 : 1 + KIND_WIDTH], report[0], report[1 + KIND_WIDTH :], *others)))
    if sidebands.user:
        found.append(_users("user is lost on its way out", lambda report, user, marks: (report, user & 0, marks)))
    if told and sidebands.user:
        found.append(_users("user is below the report", lambda report, user, marks: (user, report, marks)))
    if marked:
        found += [
            _users("marks are lost", lambda report, user, marks: (report, user, marks & 0)),
            _users("the marks of a byte are exchanged", lambda report, user, marks: (
                report, user, *(marks[at ^ 1] for at in range(len(marks))))),
        ]
    if marked and (told or sidebands.user):
        found.append(_users("marks are below the report", lambda report, user, marks: (marks, report, user)))
    if sidebands.report_port != "none":
        found += [
            _wired("reports are a bit off",
                   lambda bus: bus.m_report_tdata.eq(Cat(Const(0, 1), bus.core.report.payload))),
            _wired("a report is offered while a row is", lambda bus: bus.m_report_tvalid.eq(bus.core.o.valid)),
            _wired("reports are taken as rows are", lambda bus: bus.core.report.ready.eq(bus.m_axis_tready)),
        ]
        if sidebands.told_width % 8:
            found.append(_wired("the upper bits of a report are not zero", lambda bus: bus.m_report_tdata.eq(
                Cat(bus.core.report.payload, Const(-1, len(bus.m_report_tdata) - sidebands.told_width)))))
    return found


def _untold(title: str, which: Callable[[Any, str], Any], name: str) -> Mutant:
    """Ports where something is zero, by its name."""
    return _wired(title, lambda bus: which(bus, name).eq(0))


def _users(title: str, fields: Callable[..., tuple[Value, ...]]) -> Mutant:
    """Other ``fields`` of ``m_axis_tuser``, out of what the core has of them: the report, the user bits, the marks."""
    def says(bus: Any) -> Any:
        payload, sidebands = bus.core.o.payload, bus.core.parameters.sidebands
        end = Value.cast(payload.report)
        told = len(end) - sidebands.user
        marks = Value.cast(payload.marks) if sidebands.records is not None else Const(0, 0)
        return bus.m_axis_tuser.eq(Cat(fields(end[:told], end[told:], marks)))
    return _wired(title, says)


def _wired(title: str, says: Callable[[Any], Any]) -> Mutant:
    """Ports with other wires: what is said of them last counts."""
    return _said(title, AxiStream, says)


def _written(title: str, before: str, after: str) -> Mutant:
    """A top module with another text in the first place that there is for it."""
    def change(original: Any) -> Any:
        def text(parameters: TranscoderParameters) -> str:
            whole, hits = re.subn(before, after, original(parameters), count=1)
            if not hits:
                raise LookupError(f"the top module has no {before} any more: the mutant {title!r} breaks nothing")
            return whole
        return text
    return patched(title, cuts, "verilog_text", change)
