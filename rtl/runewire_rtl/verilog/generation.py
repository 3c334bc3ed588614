"""Verilog export: a core in one file without dependencies, its JSON description, and an instantiation template."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.back import rtlil
from runewire_jobs.files import write_whole
from runewire_model import ErrorKind, TranscoderParameters, __version__
from runewire_model.errors import of_type
from runewire_model.report import COUNTERS, ReportField
from runewire_model.timeline import most_waits
from runewire_model.transcoder import CORES, option_text

from ..collection import collection_paused
from ..cut_points import cut_point
from ..parameters import hardware, remember_timing, timing
from ..ports import ports
from ..reset_sequencer import start_cycles
from ..transcoder import Transcoder
from .axi import AxiStream
from .netlist import Hierarchy, absorb
from .package import Package
from .rtlil_reader import read
from .verilog_writer import write

TIMESCALE = """\
`ifdef VERILATOR
// No delay is in this file, so it goes with files of any timescale, and of none.
// verilator lint_off TIMESCALEMOD
`else
`timescale 1ns/1ps
`endif

"""
"""The head of each Verilog file.

A design has either a timescale in every module or none: if only some have one, Verilator's lint fails at the others. So
this file has none for Verilator, and turns that warning off. All other tools see one, as in most designs.
"""

UNKNOWN_CHECK = """\
`ifndef SYNTHESIS
    // Simulation only: inputs that are unknown, as those are that nothing drives.
    always @(posedge aclk)
        if (aresetn && s_axis_tvalid && s_axis_tready) begin
            if (^s_axis_tkeep === 1'bx)
                $display("%m: protocol error: tkeep is unknown, tie it to ones if all bytes count: %b", s_axis_tkeep);
            if (^s_axis_tlast === 1'bx)
                $display("%m: protocol error: tlast is unknown: %b", s_axis_tlast);
        end
`endif

"""
"""Simulation's messages about inputs that nothing drives."""


@dataclass(frozen=True)
class Generated:
    """The files of one generated core: top module's name, Verilog, JSON description, instantiation template, and its
    packages' files."""

    top: str
    verilog: Path
    description: Path
    template: Path
    packaged: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files, in order."""
        return (self.verilog, self.description, self.template, *self.packaged)


@cut_point
def axi_top(parameters: TranscoderParameters) -> AxiStream:
    """The core with AXI4-Stream ports, as an Amaranth component in domain ``sync``."""
    return AxiStream(hardware(parameters).create())


@cut_point
def core_rtlil(top: AxiStream) -> str:
    """The core in RTLIL: its ports in the module ``ports``, the rest below."""
    return str(rtlil.convert(top, name="ports", emit_src=False))


_SHORT: dict[str, Callable[[Any], str]] = {
    "replacement": lambda value: f"replacement_{option_text('replacement', value)}",
    "report": lambda value: f"report_{value}",
    "offset_bits": lambda value: f"offset{value}",
    "report_port": lambda value: {"beside": "and_report_port", "only": "report_port"}[value],
    "count": lambda value: "_".join(["count", *(COUNTERS[name].short for name in value)]),
    "records": lambda value: f"records_{option_text('records', value)}",
    "user": lambda value: f"user{value}", "id": lambda value: f"id{value}", "dest": lambda value: f"dest{value}",
    "split": lambda value: f"split_{option_text('split', value)}",
    "delimiter": lambda value: f"delimiter_{value}", "longest": lambda value: f"longest{value}",
    "empty": lambda value: f"empty_{value}",
    "null_bytes": lambda value: f"null_bytes_{value}", "flows": lambda value: f"flows{value}",
    "reject_nul": lambda value: "reject_nul", "replace_runs": lambda value: "replace_runs",
    "early": lambda value: "early", "record_report": lambda value: "record_report",
    "rejects": lambda value: "rejects",
}
"""Short forms of options in module and file names, which must not be long."""


def top_name(parameters: TranscoderParameters) -> str:
    """Module name of a configuration: the core, its lanes, and every option that differs from its default."""
    words = [f"bom_{value}" if name == "bom" else _SHORT[name](value) if name in _SHORT else str(value)
             for name, value in parameters.unusual.items()]
    between = [] if parameters.core in CORES else [parameters.source, "to", parameters.target or "itself"]
    name = "_".join(["runewire", parameters.core, *between, f"x{parameters.lanes}", *words])
    return name.replace("-", "")


def describe(parameters: TranscoderParameters, *, initial_values: bool = True) -> dict[str, Any]:
    """The generated core for tools: JSON-ready, keys as in the documentation."""
    latency, side = timing(parameters).latency, parameters.sidebands
    return {
        "top": top_name(parameters),
        **{name: value for name, value in parameters.record().items() if name not in parameters.options},
        "version": __version__,
        "parameters": parameters.options,
        "initial_values": initial_values,
        "ports": [
            {"name": name, "direction": direction, "width": width, "description": text}
            for name, direction, width, text in ports(parameters)
        ],
        "latency_cycles": latency,
        "reset_cycles": 1,
        "start_cycles": start_cycles(latency, side),
        "tuser": {
            "width": side.user_bits(parameters.output_bytes),
            "fields": {field.name: {"lsb": field.lsb, "width": field.width}
                       for field in (*side.last_beat, *side.every_beat(parameters.output_bytes))},
            "kinds": {kind.name: kind.value for kind in parameters.kinds},
        },
        **({} if side.report_port == "none" else {"report": {
            "width": side.told_width,
            "fields": {field.name: {"lsb": field.lsb, "width": field.width} for field in side.told},
        }}),
        **({} if not side.record_report else {"records": {
            "width": side.record_beat[-1].lsb + side.record_beat[-1].width,
            "fields": {field.name: {"lsb": field.lsb, "width": field.width} for field in side.record_beat},
        }}),
        **({"rejects": {
            "width": sum(field.width for field in side.reject_end),
            "fields": {field.name: {"lsb": field.lsb, "width": field.width} for field in side.reject_end},
        }} if side.rejects else {}),
    }


def verilog_text(parameters: TranscoderParameters, watch: Callable[[str], None] = lambda step: None, *,
                 roles: bool = False, attributes: Mapping[str, str] | None = None, initial_values: bool = True,
                 checks: str = "") -> str:
    """The generated Verilog (IEEE 1364-2005): a top module with AXI4-Stream ports, and the core below it.

    ``roles``: registers have an attribute ``role`` with their purpose (`runewire_rtl.pipeline.register_roles`).
    ``attributes``: Verilog attributes before ports of the top module, by port name. ``initial_values``: registers have
    initial values. Without them the core needs one cycle of reset before its first beat; otherwise it behaves the
    same. ``checks``: Verilog for simulation at the end of the top module.
    """
    top = top_name(parameters)
    watch("Amaranth builds it")
    with collection_paused():
        design = _core(parameters, watch, roles)
        core = write(design, top, f"{top}_core", initial_values=initial_values)
    return TIMESCALE + _top_module(parameters, attributes or {}, initial_values, checks) + "\n" + core


def for_synthesis(text: str) -> str:
    """The text of `verilog_text` as synthesis and proofs see it, without `TIMESCALE` and `UNKNOWN_CHECK`.

    Digests of records are computed from this text; they are older than both parts. The contract's check is part of it.
    """
    return text.replace(TIMESCALE, "").replace(UNKNOWN_CHECK, "")


def generate(parameters: TranscoderParameters, directory: str | os.PathLike[str],
             watch: Callable[[str], None] = lambda step: None, packages: Sequence[Package] = (), *,
             initial_values: bool = True) -> Generated:
    """Write the core, its description and its instantiation template into ``directory``, which is created.

    ``watch`` is called with each step that begins, in a few words. ``packages``: further files to write
    (`runewire_rtl.packages`). ``initial_values``: as in `verilog_text`. Raises ``OSError`` if the files cannot be
    written; none is left incomplete. Raises TypeError for arguments of another type.
    """
    _check(parameters, directory, packages)
    directory = Path(directory)
    top = top_name(parameters)
    directory.mkdir(parents=True, exist_ok=True)
    attributes = {name: text for package in packages for name, text in package.attributes(parameters).items()}
    # First of all, as it builds the core: packages and description then have its timing without another build.
    checks = "".join(package.checks(parameters) for package in packages)
    verilog = verilog_text(parameters, watch, attributes=attributes, initial_values=initial_values, checks=checks)
    packaged = {directory / name: text for package in packages for name, text in package.files(parameters).items()}
    files = Generated(top, directory / f"{top}.v", directory / f"{top}.json", directory / f"{top}.veo",
                      tuple(packaged))
    texts = {
        files.verilog: verilog,
        files.description: json.dumps(describe(parameters, initial_values=initial_values), indent=2) + "\n",
        files.template: template_text(parameters),
        **packaged,
    }
    for path, text in texts.items():
        write_whole(path, text.encode("ascii"))
    return files


def _check(parameters: object, directory: object, packages: str | Sequence[object]) -> None:
    """Raise TypeError for arguments of `generate` with a wrong type."""
    if not isinstance(parameters, TranscoderParameters):
        raise TypeError(f"parameters must be those of a core, such as parameters('decoder'), got {of_type(parameters)}")
    if not isinstance(directory, str | os.PathLike):
        raise TypeError(f"directory must be a path, got {of_type(directory)}")
    for package in [packages] if isinstance(packages, str) else packages:
        if not hasattr(package, "files"):
            raise TypeError("packages must be those of runewire_rtl.packages, such as chosen(['vivado']), got "
                            f"{of_type(package)}")


def bit_range(width: int) -> str:
    """The range of a signal of ``width`` bits, empty for one bit."""
    return f"[{width - 1}:0]" if width > 1 else ""


def _top_module(parameters: TranscoderParameters, attributes: Mapping[str, str], initial_values: bool,
                checks: str) -> str:
    top = top_name(parameters)
    table = ports(parameters)
    unit, latency = parameters.reads.unit, timing(parameters).latency
    side = parameters.sidebands
    lines = [
        f"// {top}: {parameters.does}, {parameters.lanes} {unit}{'s' if parameters.lanes > 1 else ''} per cycle.",
        f"// Generated by runewire {__version__}: {parameters}.",
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        f"// Ports are AXI4-Stream. One beat {'or record ' if parameters.filters else ''}per cycle, whatever stalls. "
        "No input reaches an output in the same cycle.",
        f"// Latency from a packet's last input beat to its last output beat: {latency} cycles"
        f"{', one more if that input beat ends two' if most_waits(parameters, [1 << 20]) else ''}.",
        *(["// Each record is a packet: one more cycle for each record before it that ends in the same input beat."]
          if parameters.splits else []),
        *(["// A record leaves when it has arrived: one more cycle for each of its output beats but the last, and for",
           "// each record before it that ends in the same input beat."]
          if parameters.filters else []),
        "// Reset: one rising edge with aresetn low, at any time. What was under way is lost; tready and tvalid stay",
        f"// low until nothing of it is left, {start_cycles(latency, side)} cycles from the last one in reset.",
        *([] if initial_values else ["// Registers have no initial values: reset the core once before it is used."]),
        *_fields(f"m_axis_tuser, on a packet's last beat ({'all but the error is ' if side.early else ''}zero on every "
                 "other):", side.last_beat, parameters.kinds),
        *_fields("m_axis_tuser, on every beat:", side.every_beat(parameters.output_bytes), parameters.kinds),
        *_fields("m_report_tdata:", side.told if side.report_port != "none" else (), parameters.kinds),
        *_fields("m_records_tdata, of an ill-formed record:", side.record_beat, parameters.kinds),
        *_fields("m_rejects_tuser, on a record's last beat (zero on every other):", side.reject_end, parameters.kinds),
        "",
        f"module {top} (",
    ]
    width = max(len(bit_range(port.width)) for port in table)
    longest = max(len(port.name) for port in table) + 1
    for index, (name, direction, bits, text) in enumerate(table):
        comma = "," if index < len(table) - 1 else ""
        if name in attributes:
            lines.append(f"    {attributes[name]}")
        lines.append(f"    {direction:<6} wire {bit_range(bits):<{width}} {name + comma:<{longest}} // {text}")
    lines += [");", "", f"    {top}_core core ("]
    names = [port.name for port in table[2:]]
    longest = max(map(len, names))
    lines += [f"        .{'clk':<{longest}} (aclk),", f"        .{'rst':<{longest}} (~aresetn),"]
    lines += [f"        .{name:<{longest}} ({name}){',' if name != names[-1] else ''}" for name in names]
    lines += ["    );", "", _protocol_check(parameters), UNKNOWN_CHECK + checks + "endmodule", ""]
    return "\n".join(lines)


def _fields(title: str, fields: Sequence[ReportField], kinds: Sequence[ErrorKind]) -> list[str]:
    """Comment lines that explain the bits of a port. ``kinds``: the kinds of errors that the core may report."""
    if not fields:
        return []
    bits = [f"[{field.lsb + field.width - 1}:{field.lsb}]" if field.width > 1 else f"[{field.lsb}]" for field in fields]
    width, names = max(map(len, bits)), max(len(field.name) for field in fields)
    lines = ["//", f"// {title}"]
    for at, field in zip(bits, fields, strict=True):
        lines.append(f"//   {at:<{width}} {field.name:<{names}}  {field.text}")
        if field.name == "kind":
            lines.append(f"//   {'':<{width}} {'':<{names}}  "
                         + ", ".join(f"{kind.value} {kind.name}" for kind in kinds))
    return lines


def _protocol_check(parameters: TranscoderParameters) -> str:
    """Simulation's messages about beats that break the input's contract."""
    tags = parameters.sidebands.tags
    if parameters.holes and not tags:
        return ""
    lines = ["`ifndef SYNTHESIS", "    // Simulation only: beats that the core's contract does not cover."]
    if tags:
        lines += ["    reg amid_packet = 1'b0;"]
        lines += [f"    reg {bit_range(width)} t{name}_before;" for name, width in tags.items()]
    lines += [] if parameters.holes else ["""\
    always @(posedge aclk)
        if (aresetn && s_axis_tvalid && s_axis_tready) begin
            if (|(s_axis_tkeep & (s_axis_tkeep + 1'b1)))
                $display("%m: protocol error: kept bytes are not contiguous from lane 0, tkeep = %b", s_axis_tkeep);
            else if (!s_axis_tlast && !(&s_axis_tkeep))
                $display("%m: protocol error: a beat before the last is not full, tkeep = %b", s_axis_tkeep);
        end"""]
    if tags:
        lines += ["    always @(posedge aclk)", "        if (!aresetn)", "            amid_packet <= 1'b0;",
                  "        else if (s_axis_tvalid && s_axis_tready) begin"]
        for name in tags:
            lines += [
                f"            if (amid_packet && s_axis_t{name} != t{name}_before)",
                f"                $display(\"%m: protocol error: beats of packets interleave, t{name} = %h after %h\",",
                f"                    s_axis_t{name}, t{name}_before);",
                f"            t{name}_before <= s_axis_t{name};",
            ]
        lines += ["            amid_packet <= !s_axis_tlast;", "        end"]
    return "\n".join([*lines, "`endif", ""])


def template_text(parameters: TranscoderParameters) -> str:
    """The instantiation template: wires of the right widths, and the instance."""
    top = top_name(parameters)
    table = ports(parameters)
    width = max(len(bit_range(port.width)) for port in table)
    lines = [f"// Instantiation template of {top}.", ""]
    lines += [f"wire {bit_range(bits):<{width}} {name};" for name, _, bits, _ in table]
    lines += ["", f"{top} u_{parameters.core} ("]
    longest = max(len(port.name) for port in table)
    lines += [f"    .{name:<{longest}} ({name}){',' if name != table[-1].name else ''}" for name, *_ in table]
    return "\n".join([*lines, ");", ""])


def _core(parameters: TranscoderParameters, watch: Callable[[str], None], roles: bool) -> Hierarchy:
    """The core's netlist: a module that joins the stages, one module per stage, and the memories."""
    top = axi_top(parameters)
    text = core_rtlil(top)
    if isinstance(top.core, Transcoder):  # a proof may have put free inputs there
        remember_timing(top.core)
    watch("Verilog is written")
    design = read(text)
    if not roles:
        # Modules that differ only in their roles are one module to a reader.
        for wire in (wire for module in design.modules for wire in module.wires.values()):
            wire.attributes.pop("role", None)
    absorb(design.modules[0])
    return design
