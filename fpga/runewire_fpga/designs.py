"""Designs to implement: a core, the same core in a wrapper, and a pipeline that is the ceiling of its clock."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from runewire_jobs.call import answer, perform, task
from runewire_jobs.fingerprint import verilog_digest
from runewire_rtl.parameters import TranscoderParameters
from runewire_rtl.verilog import describe, for_synthesis, top_name, verilog_text

from .tools import Tools

STAGES = 8
"""Ranks of look-up tables in the pipeline that cores are compared with."""


class Variant(enum.Enum):
    """What is placed to measure a core.

    Attributes
    ----------
    CORE : the core as delivered
    BETWEEN_REGISTERS : the core with a register outside at every port, so that the paths through its ports count
    ALWAYS_READY : the core with its output always ready, so that synthesis removes the back-pressure
    PIPELINE : registers as wide as the core's input, with one look-up table between two
    PLAIN_FLOW : the core as delivered, with no option of ours for Yosys and nextpnr
    """

    CORE = "core"
    BETWEEN_REGISTERS = "between_registers"
    ALWAYS_READY = "always_ready"
    PIPELINE = "pipeline"
    PLAIN_FLOW = "plain_flow"


@dataclass(frozen=True)
class DesignPort:
    """A port of a design: name, direction, width in bits."""

    name: str
    is_input: bool
    width: int


@dataclass(frozen=True)
class StandaloneDesign:
    """Standalone Verilog: module ``top`` with ``aclk``, ``aresetn`` and the ``ports``."""

    top: str
    verilog: str
    ports: Sequence[DesignPort]
    latency_cycles: int

    @property
    def digest(self) -> str:
        """The first 12 digits of the `verilog_digest` of the Verilog for synthesis."""
        return verilog_digest(for_synthesis(self.verilog))[:12]

    def to_json(self) -> str:
        """The design as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> StandaloneDesign:
        """The inverse of `to_json`."""
        fields = json.loads(text)
        return cls(**{**fields, "ports": tuple(DesignPort(**port) for port in fields["ports"])})


def core(parameters: TranscoderParameters) -> StandaloneDesign:
    """The core as delivered."""
    described = describe(parameters)
    ports = tuple(
        DesignPort(port["name"], port["direction"] == "input", port["width"])
        for port in described["ports"] if port["name"] not in ("aclk", "aresetn")
    )
    return StandaloneDesign(top_name(parameters), verilog_text(parameters), ports, described["latency_cycles"])


def always_ready(design: StandaloneDesign) -> StandaloneDesign:
    """The core with ``m_axis_tready``, and ``m_report_tready`` where it has one, tied to 1."""
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


def between_registers(design: StandaloneDesign) -> StandaloneDesign:
    """The design between two shift registers, with four pins.

    A flip-flop drives each input, the reset included, and each output drives a flip-flop.
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
    return _around(design, top, lines, (DesignPort("serial_in", True, 1), DesignPort("serial_out", False, 1)))


def _around(design: StandaloneDesign, top: str, lines: Sequence[str], ports: Sequence[DesignPort]) -> StandaloneDesign:
    verilog = "\n".join([design.verilog, *lines, "    );", "endmodule", ""])
    return StandaloneDesign(top, verilog, ports, design.latency_cycles)


def lut_pipeline(parameters: TranscoderParameters) -> StandaloneDesign:
    """`STAGES` + 1 ranks of registers, each as wide as the core's input (data, ``tkeep``, ``tvalid``, ``tlast``).

    Each bit is a function of four neighbours in the rank before it: the simplest pipeline with logic, so that no core
    of that width has a faster clock.
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
        # No single bit forces this to 0 or 1: Yosys would make it a flip-flop's reset.
        lines.append(f"        rank{stage + 1} <= ({rank} & {turned[0]}) ^ ({turned[1]} | {turned[2]});")
    lines += ["    end", f"    assign o = rank{STAGES};", "endmodule", ""]
    ports = DesignPort("i", True, width), DesignPort("o", False, width)
    return StandaloneDesign(top, "\n".join(lines), ports, STAGES + 1)


def design(parameters: TranscoderParameters, variant: Variant) -> StandaloneDesign:
    """The design of a variant of the core."""
    if variant is Variant.PIPELINE:
        return lut_pipeline(parameters)
    made = core(parameters)
    if variant is Variant.ALWAYS_READY:
        return always_ready(made)
    return between_registers(made) if variant is Variant.BETWEEN_REGISTERS else made


def design_apart(parameters: TranscoderParameters, variant: Variant, tools: Tools) -> StandaloneDesign:
    """As `design`, in a subprocess that ``tools`` can end. Raises ToolError."""
    made: StandaloneDesign = answer(perform(task(design, parameters, variant), lambda: tools.stopped))
    return made
