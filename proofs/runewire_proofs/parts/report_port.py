"""Part `report_port`: each packet's report comes once, in order, on a stream of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from amaranth.hdl import Cat, Const, Module, Value
from runewire_model import TranscoderParameters
from runewire_rtl.packing.packing import Packed
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.transcoder import Transcoder

from ..faults import Mutant, changed, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each packet's report is output once, in order, from the cycle after its last beat's handshake; a last beat
    waits for room for its report, and for nothing else.

    The logic before the output is replaced by free inputs: any rows at any time.
    """
    if parameters.sidebands.report_port == "none":
        return None

    return Proof("report_port", INDUCTIVE, ["pdr"], against("report_port", cut=lambda: _cut(parameters)), _mutants())


class _Behind(Transcoder):
    """A core without all that stands before its output: ``offer`` says that it offers what ``row`` has."""

    def __init__(self, parameters: TranscoderParameters, offer: Value) -> None:
        super().__init__(parameters)
        self._offer = offer
        # A skid buffer is part of what stands before the output.
        self.buffered = self.row

    def build(self, m: Module, restart: Restart) -> Packed:
        return cast(Packed, SimpleNamespace(
            buffer=SimpleNamespace(accept=Const(1), offer=self._offer), timing=SimpleNamespace(latency=0)))


def _cut(parameters: TranscoderParameters) -> Cut:
    """All behind the buffer of a core whose reports have a port: ``row`` is what the buffer offers while
    ``row_valid``, of which ``last``, ``told`` and ``shown`` are fields; ``beat`` is the output. ``open`` says that the
    start is over."""
    ports = Ports()
    m = ports.m
    core = _Behind(parameters, ports.new("row_valid", 1))
    m.submodules.core = core
    row, o, report = core.row, core.o, core.report
    members = {name: layout for name, layout in o.payload.shape().members.items() if name != "report"}
    given = ports.new("row", len(Value.cast(row.payload)))
    m.d.comb += [
        Value.cast(row.payload).eq(given), o.ready.eq(ports.new("o_ready", 1)),
        report.ready.eq(ports.new("report_ready", 1)),
    ]

    def fields(payload: Any) -> Value:
        return Cat(*(Value.cast(payload[name]) for name in members),
                   *(Value.cast(payload.report[name]) for name in o.payload.report.shape().members))

    for name, value in (
        ("row_ready", row.ready), ("last", row.payload.last), ("shown", fields(row.payload)), ("o_valid", o.valid),
        ("told", Cat(row.payload.report[told.name] for told in parameters.sidebands.told)),
        ("beat", fields(o.payload)), ("report_valid", report.valid), ("report", Value.cast(report.payload)),
        ("open", core.i.ready),
    ):
        ports.show(name, value)
    return ports.cut(ROW=len(given), BEAT=len(ports.signals["beat"]), REPORT=len(ports.signals["told"]))


def _mutants() -> list[Mutant]:
    """Broken streams of reports."""
    return [
        tied("last beats do not wait", "report_port.two_wait", 0),
        tied("the report behind another is lost", "report_port.second", 0),
        changed("last beats are not held back", Transcoder.hold_back,
                 lambda sound: lambda core, m, drain: sound(core, m, drain) & 0),
    ]
