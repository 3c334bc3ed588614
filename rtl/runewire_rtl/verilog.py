"""Verilog out of a core: one file that stands by itself, its description, and how to instantiate it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from runewire_model import ErrorKind, TranscoderParameters, __version__
from runewire_model.transcoder import CORES

from .axi import AxiStream
from .drain import start_cycles
from .files import write_whole
from .layouts import KIND_WIDTH, OFFSET_WIDTH, REPORT
from .netlist import absorb, read
from .parameters import hardware, timing
from .verilog_writer import write

__all__ = ["Generated", "axi_top", "describe", "generate", "template_text", "top_name", "verilog_text"]


@dataclass(frozen=True)
class Generated:
    """Files of one generated core: module name of the top, Verilog, JSON description, instantiation template."""

    top: str
    verilog: Path
    description: Path
    template: Path


def axi_top(parameters: TranscoderParameters) -> AxiStream:
    """The core with AXI4-Stream ports, as an Amaranth component in domain ``sync``."""
    return AxiStream(hardware(parameters).create())


def top_name(parameters: TranscoderParameters) -> str:
    """Module name of a configuration: the core, its lanes, and every option that is not the default."""
    words = [f"{name}_{value}" if name == "bom" else str(value) for name, value in parameters.unusual.items()]
    between = [] if parameters.core in CORES else [parameters.source, "to", parameters.target or "itself"]
    name = "_".join(["runewire", parameters.core, *between, f"x{parameters.lanes}", *words])
    return name.replace("-", "")


def describe(parameters: TranscoderParameters) -> dict[str, Any]:
    """What a tool needs to know of the generated core: JSON-ready, keys as in the documentation."""
    latency = timing(parameters).latency
    return {
        "top": top_name(parameters),
        **{name: value for name, value in parameters.record().items() if name not in parameters.options},
        "version": __version__,
        "parameters": parameters.options,
        "ports": [
            {"name": name, "direction": direction, "width": width, "description": text}
            for name, direction, width, text in _ports(parameters)
        ],
        "latency_cycles": latency,
        "reset_cycles": 1,
        "start_cycles": start_cycles(latency),
        "tuser": {
            "width": REPORT.size,
            "fields": {
                "offset": {"lsb": 0, "width": OFFSET_WIDTH},
                "kind": {"lsb": OFFSET_WIDTH, "width": KIND_WIDTH},
                "error": {"lsb": OFFSET_WIDTH + KIND_WIDTH, "width": 1},
            },
            "kinds": {kind.name: kind.value for kind in ErrorKind},
        },
    }


def verilog_text(parameters: TranscoderParameters, watch: Callable[[str], None] = lambda step: None) -> str:
    """The generated Verilog (IEEE 1364-2005): a top module with AXI4-Stream ports, and the core below it."""
    top = top_name(parameters)
    watch("Amaranth builds it")
    return _top_module(parameters) + "\n" + _core_module(parameters, top, watch)


def generate(parameters: TranscoderParameters, directory: Path,
             watch: Callable[[str], None] = lambda step: None) -> Generated:
    """Write the core, its description and its instantiation template into ``directory``, which is made.

    ``watch`` is told of each step that begins, in a few words.
    Raises ``OSError`` where the files cannot be written; no file is left half written.
    """
    top = top_name(parameters)
    directory.mkdir(parents=True, exist_ok=True)
    files = Generated(top, directory / f"{top}.v", directory / f"{top}.json", directory / f"{top}.veo")
    texts = {
        files.verilog: verilog_text(parameters, watch),
        files.description: json.dumps(describe(parameters), indent=2) + "\n",
        files.template: template_text(parameters),
    }
    for path, text in texts.items():
        write_whole(path, text.encode("ascii"))
    return files


def _ports(parameters: TranscoderParameters) -> list[tuple[str, str, int, str]]:
    source, sink = parameters.input_bytes, parameters.output_bytes
    item = str(parameters.reads)
    made = "the input's bytes" if parameters.target is None else str(parameters.writes)
    return [
        ("aclk", "input", 1, "clock, rising edge"),
        ("aresetn", "input", 1, "reset, synchronous, active low, for one cycle or more"),
        ("s_axis_tdata", "input", 8 * source, f"{item}, first byte in bits 7 to 0"),
        ("s_axis_tkeep", "input", source, "bytes that count; all ones but on a packet's last beat"),
        ("s_axis_tvalid", "input", 1, "a beat is offered"),
        ("s_axis_tready", "output", 1, "it is taken"),
        ("s_axis_tlast", "input", 1, "it is its packet's last"),
        ("m_axis_tdata", "output", 8 * sink, f"{made}, first byte in bits 7 to 0; zero where not kept"),
        ("m_axis_tkeep", "output", sink, "bytes that count"),
        ("m_axis_tvalid", "output", 1, "a beat is offered, and stays until taken"),
        ("m_axis_tready", "input", 1, "it is taken"),
        ("m_axis_tlast", "output", 1, "it is its packet's last"),
        ("m_axis_tuser", "output", REPORT.size, "the packet's first error, on its last beat"),
    ]


def _range(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


def _top_module(parameters: TranscoderParameters) -> str:
    top = top_name(parameters)
    ports = _ports(parameters)
    source, latency = parameters.reads, timing(parameters).latency
    does = f"{source} checked" if parameters.target is None else f"{source} to {parameters.writes}"
    lines = [
        f"// {top}: {does}, {parameters.lanes} {source.unit}{'s' if parameters.lanes > 1 else ''} per cycle.",
        f"// Generated by runewire {__version__} from {parameters!r}.",
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        "// Ports are AXI4-Stream. One beat per cycle, whatever stalls. No input reaches an output in the same cycle.",
        f"// Latency from a packet's last input beat to its last output beat: {latency} cycles.",
        "// Reset: one rising edge with aresetn low, at any time. What was under way is lost; tready and tvalid stay",
        f"// low until nothing of it is left, {start_cycles(latency)} cycles from the last one in reset.",
        "//",
        "// m_axis_tuser, on a packet's last beat (zero on every other, and without an error):",
        f"//   [{OFFSET_WIDTH - 1}:0]   offset of the first error in "
        f"{source.unit}s from the packet's start, modulo 2**{OFFSET_WIDTH}",
        f"//   [{OFFSET_WIDTH + KIND_WIDTH - 1}:{OFFSET_WIDTH}]  its kind: "
        + ", ".join(f"{kind.value} {kind.name}" for kind in ErrorKind),
        f"//   [{OFFSET_WIDTH + KIND_WIDTH}]     the packet has an error",
        "",
        f"module {top} (",
    ]
    width = max(len(_range(port[2])) for port in ports)
    for index, (name, direction, bits, text) in enumerate(ports):
        comma = "," if index < len(ports) - 1 else ""
        lines.append(f"    {direction:<6} wire {_range(bits):<{width}} {name + comma:<15} // {text}")
    lines += [");", "", f"    {top}_core core ("]
    lines += ["        .clk           (aclk),", "        .rst           (~aresetn),"]
    names = [port[0] for port in ports[2:]]
    lines += [f"        .{name:<13} ({name}){',' if name != names[-1] else ''}" for name in names]
    lines += ["    );", "", _protocol_check(parameters), "endmodule", ""]
    return "\n".join(lines)


def _protocol_check(parameters: TranscoderParameters) -> str:
    """Simulation's word on beats that break the input's contract."""
    return """\
`ifndef SYNTHESIS
    // Simulation only: beats that the core's contract does not cover.
    always @(posedge aclk)
        if (aresetn && s_axis_tvalid && s_axis_tready) begin
            if (|(s_axis_tkeep & (s_axis_tkeep + 1'b1)))
                $display("%m: protocol error: kept bytes are not contiguous from lane 0, tkeep = %b", s_axis_tkeep);
            else if (!s_axis_tlast && !(&s_axis_tkeep))
                $display("%m: protocol error: a beat before the last is not full, tkeep = %b", s_axis_tkeep);
        end
`endif
"""


def template_text(parameters: TranscoderParameters) -> str:
    """Instantiation template: wires of the right widths, and the instance."""
    top = top_name(parameters)
    ports = _ports(parameters)
    width = max(len(_range(port[2])) for port in ports)
    lines = [f"// Instantiation template of {top}.", ""]
    lines += [f"wire {_range(bits):<{width}} {name};" for name, _, bits, _ in ports]
    lines += ["", f"{top} u_{parameters.core} ("]
    lines += [f"    .{name:<13} ({name}){',' if name != ports[-1][0] else ''}" for name, *_ in ports]
    return "\n".join([*lines, ");", ""])


def _core_module(parameters: TranscoderParameters, top: str, watch: Callable[[str], None]) -> str:
    """The core as Verilog: a module that joins the stages, a module a stage, and the memories."""
    text = rtlil.convert(axi_top(parameters), name="ports", emit_src=False)
    watch("Verilog is written")
    design = read(text)
    absorb(design.modules[0])
    return write(design, top, f"{top}_core")
