"""What is implemented: a core, the same core in other surroundings, and the ceiling it is held against."""

from __future__ import annotations

import enum
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from runewire_rtl.cache import digest
from runewire_rtl.parameters import TranscoderParameters
from runewire_rtl.verilog import describe, for_synthesis, top_name, verilog_text

from .tools import Tool, Tools

__all__ = [
    "STAGES", "Design", "Port", "Variant", "always_ready", "between_registers", "core", "design",
    "design_apart", "lut_pipeline",
]

STAGES = 8
"""Look-up tables, one after the other, in the pipeline that cores are held against."""


class Variant(enum.Enum):
    """What is placed to learn about a core.

    ``CORE``: the core as delivered. ``BETWEEN_REGISTERS``: the same, with a register of its surroundings at
    every port, so that the paths through its ports count. ``ALWAYS_READY``: its output is never stalled, and
    synthesis removes the back-pressure. ``PIPELINE``: registers as wide as its input, with one look-up table
    between them. ``PLAIN_FLOW``: the core as delivered, as Yosys and nextpnr make it without any option of ours.
    """

    CORE = "core"
    BETWEEN_REGISTERS = "between_registers"
    ALWAYS_READY = "always_ready"
    PIPELINE = "pipeline"
    PLAIN_FLOW = "plain_flow"


@dataclass(frozen=True)
class Port:
    """A port: its name, whether it is an input, its width in bits."""

    name: str
    is_input: bool
    width: int


@dataclass(frozen=True)
class Design:
    """Verilog that stands by itself: module ``top`` with ``aclk``, ``aresetn`` and the ``ports``."""

    top: str
    verilog: str
    ports: Sequence[Port]
    latency_cycles: int

    @property
    def digest(self) -> str:
        """A short name for what it does: for its Verilog as synthesis sees it, without comments, which tell of the
        version that made it."""
        return digest(" ".join(re.sub(r"//.*", "", for_synthesis(self.verilog)).split()))[:12]

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Design:
        """The inverse of `to_json`."""
        fields = json.loads(text)
        return cls(**{**fields, "ports": tuple(Port(**port) for port in fields["ports"])})


def core(parameters: TranscoderParameters) -> Design:
    """The core as it is generated."""
    described = describe(parameters)
    ports = tuple(
        Port(port["name"], port["direction"] == "input", port["width"])
        for port in described["ports"] if port["name"] not in ("aclk", "aresetn")
    )
    return Design(top_name(parameters), verilog_text(parameters), ports, described["latency_cycles"])


def always_ready(design: Design) -> Design:
    """The same core with ``m_axis_tready``, and that of a report port, tied to 1."""
    top = f"{design.top}_always_ready"
    tied = [port.name for port in design.ports if port.is_input and port.name.endswith("_tready")]
    ports = tuple(port for port in design.ports if port.name not in tied)
    lines = [f"module {top} (input wire aclk, input wire aresetn"]
    for port in ports:
        direction = "input" if port.is_input else "output"
        lines.append(f"    , {direction} wire [{port.width - 1}:0] {port.name}")
    lines += [");", f"    {design.top} dut (.aclk(aclk), .aresetn(aresetn)"]
    lines += [f"        , .{name}(1'b1)" for name in tied]
    lines += [f"        , .{port.name}({port.name})" for port in ports]
    return _around(design, top, lines, ports)


def between_registers(design: Design) -> Design:
    """The same design between two shift registers, with four pins.

    Each input comes from a flip-flop, also the reset, and each output goes into one.
    """
    top = f"{design.top}_between_registers"
    sources = [port for port in design.ports if port.is_input]
    sinks = [port for port in design.ports if not port.is_input]
    given, taken = sum(port.width for port in sources), sum(port.width for port in sinks)
    lines = [
        f"module {top} (input wire aclk, input wire aresetn, input wire serial_in, output wire serial_out);",
        f"    reg [{given - 1}:0] source;",
        f"    wire [{taken - 1}:0] result;",
        f"    reg [{taken - 1}:0] taken;",
        f"    reg [{taken - 1}:0] sink;",
        "    reg reset_n;",
        "    always @(posedge aclk) begin",
        "        reset_n <= aresetn;",
        "        source <= {source, serial_in};",
        "        taken <= result;",
        "        sink <= {sink, 1'b0} ^ taken;",
        "    end",
        f"    assign serial_out = sink[{taken - 1}];",
        f"    {design.top} dut (.aclk(aclk), .aresetn(reset_n)",
    ]
    for name, ports in (("source", sources), ("result", sinks)):
        low = 0
        for port in ports:
            lines.append(f"        , .{port.name}({name}[{low + port.width - 1}:{low}])")
            low += port.width
    return _around(design, top, lines, (Port("serial_in", True, 1), Port("serial_out", False, 1)))


def _around(design: Design, top: str, lines: Sequence[str], ports: Sequence[Port]) -> Design:
    verilog = "\n".join([design.verilog, *lines, "    );", "endmodule", ""])
    return Design(top, verilog, ports, design.latency_cycles)


def lut_pipeline(parameters: TranscoderParameters) -> Design:
    """Registers as wide as the core's input (data, ``tkeep``, ``tvalid``, ``tlast``), `STAGES` times over.

    Each bit is a function of four neighbours in the rank before it: the least that a pipeline does which
    does anything, so that no core of that width is clocked faster.
    """
    width = 9 * parameters.input_bytes + 2
    top = f"runewire_pipeline_{width}"
    lines = [
        f"module {top} (input wire aclk, input wire aresetn, input wire [{width - 1}:0] i, "
        f"output wire [{width - 1}:0] o);",
        *(f"    reg [{width - 1}:0] rank{rank};" for rank in range(STAGES + 1)),
        "    always @(posedge aclk) begin",
        "        rank0 <= i;",
    ]
    for stage in range(STAGES):
        rank = f"rank{stage}"
        turned = [f"{{{rank}[{k - 1}:0], {rank}[{width - 1}:{k}]}}" for k in (1, 2, 3)]
        # No bit alone forces this to 0 or 1: Yosys would make that a flip-flop's reset.
        lines.append(f"        rank{stage + 1} <= ({rank} & {turned[0]}) ^ ({turned[1]} | {turned[2]});")
    lines += ["    end", f"    assign o = rank{STAGES};", "endmodule", ""]
    return Design(top, "\n".join(lines), (Port("i", True, width), Port("o", False, width)), STAGES + 1)


def design(parameters: TranscoderParameters, variant: Variant) -> Design:
    """The design of a variant of the core."""
    if variant is Variant.PIPELINE:
        return lut_pipeline(parameters)
    made = core(parameters)
    if variant is Variant.ALWAYS_READY:
        return always_ready(made)
    return between_registers(made) if variant is Variant.BETWEEN_REGISTERS else made


def design_apart(parameters: TranscoderParameters, variant: Variant, tools: Tools) -> Design:
    """As `design`, in a process of its own, which ``tools`` can end. Raises ToolError."""
    call = f"import sys; sys.path[:] = {sys.path!r}; import {__name__}; {__name__}.main()"
    python = Tool("the generator", (sys.executable, "-c", call), "")
    options = json.dumps(parameters.record())
    return Design.from_json(tools.run(python, [options, variant.value], Path.cwd()))


def main() -> None:
    """The process of `design_apart`: parameters and variant are its arguments, the design is its output."""
    made = design(TranscoderParameters.of(json.loads(sys.argv[1])), Variant(sys.argv[2]))
    sys.stdout.write(made.to_json())
