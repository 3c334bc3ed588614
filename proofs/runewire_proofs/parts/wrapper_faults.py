"""Faults of part `wrapper`: of wires between the bus and the core's streams."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from amaranth.hdl import Cat, Const, Module, Value
from runewire_model import TranscoderParameters
from runewire_rtl.encodings import BACK_ENDS
from runewire_rtl.stream_shapes import KIND_WIDTH
from runewire_rtl.transcoder import Transcoder
from runewire_rtl.verilog.axi import AxiStream

from ..delivered import core_text
from ..faults import Mutant, changed, said


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
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
    """Sideband ports connected to other wires."""
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
    """Ports with other wires: of two that drive one the last counts."""
    def described(m: Module, bus: AxiStream) -> None:
        m.d.comb += says(bus)
    return said(title, AxiStream, described)


def _written(title: str, before: str, after: str) -> Mutant:
    """A top module with another text in the first place that there is for it."""
    def change(sound: Callable[[TranscoderParameters], str]) -> Callable[[TranscoderParameters], str]:
        def text(parameters: TranscoderParameters) -> str:
            whole, hits = re.subn(before, after, sound(parameters), count=1)
            if not hits:
                raise LookupError(f"the top module has no {before} any more: the mutant {title!r} breaks nothing")
            return whole
        return text
    return changed(title, core_text, change)
