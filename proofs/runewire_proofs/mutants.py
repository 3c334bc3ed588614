"""Cores broken on purpose, one rule or one piece at a time: what a proof must refute to be worth anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.utils import ceil_log2
from runewire_model import Parameters
from runewire_rtl import buffer as buffer_module
from runewire_rtl import source as source_module
from runewire_rtl.buffer import OutputBuffer, Reader
from runewire_rtl.layouts import KIND_WIDTH
from runewire_rtl.pipeline import Lanes, Pipeline

__all__ = ["Mutant", "buffer_mutants", "packing_mutants", "window_mutants"]

Logic = Callable[..., Any]


@dataclass(frozen=True)
class Mutant:
    """``title``: what is broken. ``broken``: a context in which cores are built so; ``edits``: registers
    of the finished netlist that are tied to a constant."""

    title: str
    broken: Callable[[], AbstractContextManager[object]] = nullcontext
    edits: Sequence[tuple[str, int]] = ()


def _step(title: str, names: str, change: Callable[[Logic], Logic]) -> Mutant:
    """The logic of every pipeline step whose name matches ``names`` is changed."""
    @contextmanager
    def broken() -> Iterator[None]:
        original = Pipeline.step
        hits = 0

        def step(self: Pipeline, name: str, function: Logic, *operands: Any, **options: Any) -> Any:
            nonlocal hits
            if re.fullmatch(names, name):
                hits += 1
                function = change(function)
            return original(self, name, function, *operands, **options)

        with patch.object(Pipeline, "step", step):
            yield
        if not hits:
            raise LookupError(f"no step is called {names} any more: the mutant {title!r} breaks nothing")
    return Mutant(title, broken)


def _never(function: Logic) -> Logic:
    return lambda *values: Value.cast(function(*values)) & 0


def _always(function: Logic) -> Logic:
    return lambda *values: ~(Value.cast(function(*values)) & 0)


def _both(first: Mutant, second: Mutant) -> Mutant:
    """Two mutants at once, by the title of the first."""
    @contextmanager
    def broken() -> Iterator[None]:
        with first.broken(), second.broken():
            yield
    return Mutant(first.title, broken)


def _tied(title: str, register: str, value: int) -> Mutant:
    return Mutant(title, edits=[(register, value)])


def _patched(title: str, target: Any, name: str, change: Callable[[Any], Any]) -> Mutant:
    return Mutant(title, lambda: patch.object(target, name, change(getattr(target, name))))


def _last_keep_ignored(original: Any) -> Any:
    def source(pipeline: Any, data: Any, beat: Any, *rest: Any, **options: Any) -> Any:
        return original(pipeline, data, replace(beat, keep=[*beat.keep[:-1], Const(1, 1)]), *rest, **options)
    return source


def _without_mask(*, ending: bool) -> Callable[[Any], Any]:
    """The mask of a byte's highest bit is left out: by the packet's end, or by the keep bit."""
    def change(original: Any) -> Any:
        def cat(low: Any, high: Any) -> Any:
            last = high.operands[-1]
            ends = getattr(last, "operator", None) == "~"
            return original(low, high.operands[0] if ends == ending else high)
        return cat
    return change


def window_mutants(parameters: Parameters) -> list[Mutant]:
    """Broken judges of bytes or of scalars."""
    lanes = parameters.lanes
    index_width = ceil_log2(lanes)

    def off_by_one(report: Logic) -> Logic:
        def broken(*values: Value) -> Value:
            value = Value.cast(report(*values))
            offset, error = value[: -1 - KIND_WIDTH], value[-1]
            return value ^ (error & (offset[index_width:] == 1))
        return broken

    later = [
        _tied("a later error replaces the first", "error_seen", 0),
        _step("an error's kind loses its lowest bit", r"kind0_l\d+", _never),
        _step("the offset is off by one in the second beat", "report", off_by_one),
        _patched("the last lane's keep is ignored", source_module, "_source", _last_keep_ignored),
    ]
    if lanes > 1:
        later.append(_step("the last faulty lane of a beat counts, not the first", r"first_of\d+_l\d+",
                           lambda first: lambda left, right: first(right, left)))
    if parameters.core == "encoder":
        drop = getattr(parameters, "errors", "replace") == "drop"
        return [
            _step("surrogates are encoded", r"surrogate_l\d+", _never),
            _step("values from 110000 are encoded", r"above_last_l\d+", _never),
            _step("values from 200000 are encoded", r"beyond\d*_l\d+", _never),
            _step("values up to 7FF get two bytes even below 80", r"two_l\d+", _always),
            _step("three bytes where two are enough", r"three_l\d+", _always),
            _step("no four-byte sequences", r"from4_l\d+", _never),
            _step("no three-byte sequences", r"from3_l\d+", _never),
            _step("the replacement is left out" if not drop else "what is dropped leaves a byte", r"present0_l\d+",
                  (lambda present: lambda keep, longer, *bad: keep & (bad[0] | longer)) if drop else _never),
            _step("the second last byte has no tail mark", r"byte1_l\d+", lambda byte: lambda *v: byte(*v)[:7]),
            _step("errors are not flagged", r"fault_l\d+", _never),
            *later,
        ]
    # The report judges values by itself, apart from what decodes.
    values = [
        _step("surrogates are accepted", r"surrogate_l\d+", _never),
        _step("overlong forms after E0 are accepted", r"overlong_e0_l\d+", _never),
        _step("overlong forms after F0 are accepted", r"overlong_f0_l\d+", _never),
        _step("C0 and C1 are accepted", r"overlong_l\d+", lambda found: lambda c, *rest: found(Const(0, 1), *rest)),
        _step("F4 90 and above is accepted", r"too_large_l\d+",
              lambda found: lambda f, nibble, *rest: found(f & nibble, nibble, *rest)),
        _step("F5 to F7 are accepted", r"too_large_l\d+",
              lambda found: lambda f, nibble, *rest: found(f & ~nibble, nibble, *rest)),
    ]
    if parameters.core == "decoder":
        classes = [r"lead_ed_l\d+", r"lead_e0_l\d+", r"lead_f0_l\d+", r"short2_l\d+", r"lead_f4_l\d+", r"large_l\d+"]
        values = [_both(mutant, _step(mutant.title, names, _never))
                  for mutant, names in zip(values, classes, strict=True)]
    common = [
        *values,
        _step("F8 to FF are accepted as headers", r"header_l\d+", _never),
        _step("a lone continuation byte is accepted", r"stray_l\d+", _never),
        _step("a sequence that breaks off is not seen", r"ended_l\d+", _never),
        _step("a sequence begins where its second byte is", r"back0_l\d+", _never),
        _patched("the packet's end does not end a sequence", source_module, "Cat", _without_mask(ending=True)),
        _patched("bytes that are not kept count", source_module, "Cat", _without_mask(ending=False)),
        _patched("history is not cleared at a packet's end", Lanes, "_within_packet",
                 lambda _: staticmethod(lambda value, last: value)),
        *later,
    ]
    if parameters.core == "validator":
        return common
    return [
        *common,
        _step("the bits of a third byte are lost", r"three_l\d+", _never),
        _step("a broken sequence is no replacement", r"scalar_l\d+",
              lambda scalar: lambda complete, *rest: scalar(Const(1, 1), *rest)),
        _step("one replacement too many at a beat's end", rf"ends_l{lanes - 1}",
              lambda ends: lambda keep, joined: keep),
        _step("a third byte never joins", r"third_l\d+", _never),
    ]


def packing_mutants(parameters: Parameters) -> list[Mutant]:
    """Broken ways from items to rows."""
    common = [
        _step("an item is not written", r"row_of_l0", _never),
        _step("keep bits are not written", "keep0_row", _never),
        _step("last and report are not written", r"about_row", _never),
        _tied("every row is pushed as the first", "push_row", 0),
        _tied("every row is pushed in the first bank", "push_turn", 0),
    ]
    if parameters.core == "validator" or getattr(parameters, "packing", "dense") == "sparse":
        return [*common, _tied("every beat is written into the first row", "row", 0)]
    lanes = parameters.lanes * (4 if parameters.core == "encoder" else 1)
    dense = [
        *common,
        _step("a full last row counts as unfinished", "whole", _never),
        _step("a last row that is just full is pushed twice", "filled",
              lambda _: lambda counts, *full: reduce(or_, full)),
        _step("rows do not move on", "row_moves", _never),
        _tied("a packet's last row never comes", "late", 0),
        _tied("the last bit is dropped", "late_last", 0),
        _tied("the report is dropped", "late_report", 0),
        _tied("a packet's rows are always held back", "gapless", 1),
        _tied("a packet's rows are never held back", "gapless", 0),
        _step("the first lane is always kept", "kept_l0", _always),
    ]
    if lanes > 1:
        dense += [
            _step("two rows at once count as one", "row_twice", _never),
            _tied("the running count is forgotten", "running_bit0", 0),
            _step("items are not numbered", r"number_l\d+_bit0", _never),
            _step("a carry between number bits is lost", "carry_bit0", _never),
            _step("items do not leave their lane", r"came_bit0_l\d+", _never),
            _step("items that come round stay in their row", r"came_round_l\d+", _never),
        ]
    return dense


def _reader(title: str, breaks: Callable[[Module, Reader], None]) -> Mutant:
    """Statements are added to every read controller, after its own."""
    def change(original: Any) -> Any:
        def elaborate(self: Reader, platform: object) -> Module:
            m: Module = original(self, platform)
            breaks(m, self)
            return m
        return elaborate
    return _patched(title, Reader, "elaborate", change)


def _masked(title: str, method: str, port: str) -> Mutant:
    """What a method of the buffer describes does not see ``port`` while a row is loaded."""
    def change(original: Any) -> Any:
        def described(self: OutputBuffer, m: Module, told: Any, *clear: Any) -> None:
            side = told if isinstance(told, Reader) else told[0]
            whole = getattr(self, port)
            setattr(self, port, whole & ~Cat(side.load).any().replicate(len(whole)))
            original(self, m, told, *clear)
            setattr(self, port, whole)
        return described
    return _patched(title, OutputBuffer, method, change)


def _credited(title: str, given: int) -> Mutant:
    """Credits come back in every cycle, or never, whatever is read."""
    def change(original: Any) -> Any:
        return lambda self, m, side: original(self, m, SimpleNamespace(load=[Const(given)]))
    return _patched(title, OutputBuffer, "_credits", change)


def _loads(m: Module, reader: Reader) -> None:
    with m.If(reader.waiting[0][0] & ~reader.coming[0]):
        m.d.sync += [reader.load[0].eq(1), reader.coming[0].eq(1)]


def _loses(m: Module, reader: Reader) -> None:
    with m.If(reader.valid & ~reader.ready & reader.coming[1]):
        m.d.sync += reader.coming[1].eq(0)


def _overtakes(m: Module, reader: Reader) -> None:
    with m.If(reader.coming[1]):
        m.d.sync += reader.shown[1].eq(1)


def _withdraws(m: Module, reader: Reader) -> None:
    m.d.sync += reader.valid.eq(Cat(reader.coming).any())


def buffer_mutants() -> list[Mutant]:
    """Broken output buffers."""
    return [
        _masked("a push is lost while a row is loaded", "_announce", "push"),
        _masked("a credit given back is lost while a row is loaded", "_credits", "returned"),
        _credited("a row that is read gives no credit back", 0),
        _credited("every cycle gives a credit back", 1),
        Mutant("beats are accepted until all credits are spent",
               lambda: patch.object(buffer_module, "CREDIT_LOOP", 1)),
        _tied("rows are read that were never pushed", "reader_side.give_bank0", 1),
        _tied("a group of lanes hears of no row", "reader_group0.give_bank0", 0),
        _reader("an offer is withdrawn", _withdraws),
        _reader("a stall loses the row behind the one that waits", _loses),
        _reader("a bank loads the next row while it shows one", _loads),
        _reader("a row is shown before its turn", _overtakes),
        _tied("lanes load a row in every cycle", "reader_group0.load_bank0", 1),
        _tied("lanes are always read from the first row", "reader_group0.row_bank0_copy1", 0),
        _tied("reports are always read from the first row", "reader_side.row_bank0_copy0", 0),
        _tied("keep bits are always read from the first row", "reader_group0.row_bank0_copy0", 0),
        _tied("lanes that are not kept show what they hold", "reader_group0.mask_bank0", 1),
        _tied("both banks give a report", "reader_side.shown_bank0", 1),
    ]
