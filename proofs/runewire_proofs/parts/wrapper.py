"""Part `wrapper`: each wire of the bus is the one of the core's own streams that it should be."""

from __future__ import annotations

import re
from typing import Any

from amaranth.hdl import Cat, ClockSignal, Module, ResetSignal, Signal, Value, ValueLike
from runewire_model import TranscoderParameters
from runewire_model.report import CARRIED, KIND_WIDTH, MARKS, REPORTS, TAGS
from runewire_rtl.ports import Port, ports
from runewire_rtl.transcoder import Transcoder
from runewire_rtl.verilog import axi_top, top_name
from runewire_rtl.verilog.axi import AxiStream

from ..delivered import core_text
from ..engines import COMBINATIONAL
from ..ports import Cut
from ..proof import Proof, against
from .wrapper_faults import mutants


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: each wire of the bus is the right one of the core's streams. Each port has the right width. The core is in
    reset while ``aresetn`` is low. Free inputs replace the core behind the streams."""
    return Proof(
        "wrapper", COMBINATIONAL, [],
        against("wrapper", cut=lambda: cut(parameters), delivered=True), mutants(parameters))


def _names(stream: str, *fields: str) -> tuple[str, ...]:
    return tuple(f"{stream}_t{field}" for field in fields)


_STREAM = ("data", "keep", "valid", "ready", "last", "user", *TAGS)
BUS = ("aclk", "aresetn", *_names("s_axis", *_STREAM), *_names("m_axis", *_STREAM),
       *_names("m_report", "data", "valid", "ready"))
"""The ports that a core may have, in the order of their widths in `cut`."""


class _Streams(Transcoder):
    """A core that is its streams. ``takes``: signals that go in there, by name. ``gives``: signals that come out, each
    with the signal that it is the inverse of, as a core's outputs come out of its logic.

    A report has the first error's fields, then the counters: ``told`` on the output stream, ``report`` on its own.
    """

    def __init__(self, parameters: TranscoderParameters) -> None:
        super().__init__(parameters)
        sidebands, i, o = parameters.sidebands, self.i, self.o

        def told(payload: Any) -> Value:
            error = ("error", "kind", "offset")[: REPORTS.index(sidebands.report)]
            return Cat(payload[name] for name in (*error, *(name.replace("-", "_") for name in sidebands.count)))

        end = o.payload.report
        self.takes: dict[str, ValueLike] = {
            "clk": ClockSignal(), "rst": ResetSignal(),
            "valid": i.valid, "last": i.payload.last, "keep": i.payload.keep, "data": i.payload.data.as_value(),
            **{name: i.payload[name] for name in sidebands.carried}, "ready": o.ready,
        }
        gives: dict[str, Value] = {
            "ready": i.ready, "valid": o.valid, "last": o.payload.last, "keep": o.payload.keep,
            "data": Cat(Value.cast(item) for item in o.payload.data),
            "told": told(end) if sidebands.report_port != "only" else Cat(),
            "user": Value.cast(end.user) if sidebands.user else Cat(),
            **{name: o.payload[name] for name in sidebands.tags},
            "marks": o.payload.marks if sidebands.records is not None else Cat(),
        }
        if sidebands.report_port != "none":
            self.takes["takes"] = self.report.ready
            gives |= {"reports": self.report.valid, "report": told(self.report.payload)}
        self.gives = {name: (value, Signal(len(value), name=f"given_{name}")) for name, value in gives.items()
                      if len(value)}

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [value.eq(~given) for value, given in self.gives.values()]
        return m


IN = ("clk", "rst", "valid", "last", "keep", "data", *CARRIED, "ready", "takes")
OUT = ("ready", "valid", "last", "keep", "data", "told", *CARRIED, "marks", "reports", "report")
"""All that may go into a core and come out."""


def cut(parameters: TranscoderParameters) -> Cut:
    """The delivered ports, as Verilog that the project's own code writes, with ports instead of the core: ``in_`` all
    that goes in there, ``out_`` all that comes out. A port that the core lacks is one bit, zero. ``widths``: the widths
    of `BUS` as they are declared, 16 bits each, 0 for a port that the core lacks; last the number of other ports."""
    streams = _Streams(parameters)
    inside = [
        *(Port(f"in_{name}", "output", len(Value.cast(value)), "") for name, value in streams.takes.items()),
        *(Port(f"out_{name}", "input", len(given), "") for name, (_, given) in streams.gives.items()),
    ]

    class Opened(AxiStream):
        def elaborate(self, platform: object) -> Module:
            m: Module = super().elaborate(platform)
            m.d.comb += [getattr(self, f"in_{name}").eq(value) for name, value in streams.takes.items()]
            m.d.comb += [given.eq(getattr(self, f"out_{name}")) for name, (_, given) in streams.gives.items()]
            return m

    with (ports.replaced(lambda sound: lambda parameters: [*sound(parameters), *inside]),
          axi_top.replaced(lambda _: lambda parameters: Opened(streams))):
        text = core_text(parameters)
    sidebands, reads, writes = parameters.sidebands, parameters.reads, parameters.writes
    passes = parameters.target is None
    item = 1 if passes else writes.unit_bytes
    return Cut(_with_all_ports(text, top_name(parameters)), {
        "LANES": parameters.lanes, "UNIT": reads.unit_bytes, "IN_BIG": int(reads.byte_order == "big"),
        "ITEMS": parameters.output_bytes // item, "WIDTH": len(Value.cast(streams.o.payload.data[0])), "ITEM": item,
        "OUT_BIG": int(writes.byte_order == "big"), "USER": sidebands.user, "ID": sidebands.id, "DEST": sidebands.dest,
        "TOLD": (0, 1, 1 + KIND_WIDTH, 1 + KIND_WIDTH + sidebands.offset_bits)[REPORTS.index(sidebands.report)]
        + len(sidebands.count) * sidebands.offset_bits,
        "BESIDE": int(sidebands.report_port != "only"), "APART": int(sidebands.report_port != "none"),
        "MARKS": MARKS * (sidebands.records is not None),
    })


def _with_all_ports(text: str, top: str) -> str:
    """A module ``dut`` around the module ``top``, with every port that a core may have: as `cut` describes."""
    found = {name: (direction, int(high or 0) + 1)
             for direction, high, name in _PORT.findall(text.partition(");")[0])}
    driven = {*_DRIVEN, *(f"in_{name}" for name in IN)}
    names = [*BUS, *(f"in_{name}" for name in IN), *(f"out_{name}" for name in OUT)]
    declared, connected, absent = [], [], []
    for name in names:
        direction, width = found.get(name, ("output" if name in driven else "input", 1))
        declared.append(f"    {direction} wire [{width - 1}:0] {name}")
        if name not in found:
            absent += [f"    assign {name} = 0;"] if name in driven else []
        else:
            connected.append(f"        .{name}({'~' if name.startswith('out_') else ''}{name})")
    others = len(found.keys() - {*names})
    widths = ", ".join(f"16'd{width}" for width in (
        others, *(found[name][1] if name in found else 0 for name in reversed(BUS))))
    return "\n".join([
        text, "module dut (", *(f"{line}," for line in declared),
        f"    output wire [{16 * len(BUS) + 15}:0] widths", ");",
        f"    {top} delivered (", ",\n".join(connected), "    );", *absent,
        f"    assign widths = {{{widths}}};", "endmodule", "",
    ])


_PORT = re.compile(r"^ *(input|output) +wire +(?:\[(\d+):0\])? *(\w+)", re.MULTILINE)
"""A port of a top module in Verilog."""
_DRIVEN = frozenset({"s_axis_tready", "m_report_tdata", "m_report_tvalid",
                     *(name for name in BUS if name.startswith("m_axis_") and name != "m_axis_tready")})
"""Ports that a core drives."""
