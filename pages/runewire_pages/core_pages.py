"""The tables of the pages in docs/cores: parameters, ports, area and clock."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from runewire.options import CORE, SIDEBANDS
from runewire_benchmark.datasheet import load
from runewire_model import ENCODINGS, ParameterError, TranscoderParameters, parameters
from runewire_model.port_options import port_options
from runewire_model.transcoder import CORES, PIPELINES, TRANSCODER, widths
from runewire_rtl.ports import ports

from . import cells_table
from .part import DOCS, Part

FOLDER = DOCS / "cores"
LANES = 8
"""The width whose ports are shown."""
BITS = 5
"""An example width of user bits and tags, shown as *W*: no other port has this width."""
OF_ENCODINGS = ("from_", "to", "encoding")
EXAMPLES = {
    **{core: parameters(core, lanes=LANES) for core in CORES},
    TRANSCODER: TranscoderParameters("utf-16le", "utf-8", lanes=LANES),
}
"""The core of each page."""


def option_names(core: str) -> list[str]:
    """The options of a core by their names in Python, in the order of the command's help."""
    if core == TRANSCODER:
        text = [name for name in CORE if name != "encoding"]
    else:
        text = [name for name in CORE if name in CORES[core].options or (name == "encoding" and core == "validator")]
    ports = port_options(core)
    return [*text, *(name for name in SIDEBANDS if name in ports)]


def parameters_table(core: str) -> str:
    """The options, as the command's help has them."""
    lines = ["| option | values | meaning |", "|---|---|---|"]
    for name in option_names(core):
        option = get_args({**CORE, **SIDEBANDS}[name])[1]
        values = (option.metavar or "").replace("|", "`, `")
        said = str(option.help)
        if name == "lanes":
            values, said = _widths(core), _lanes(core)
        elif name == "pipeline":
            values = ", ".join(f"`{each}`" for each in PIPELINES if _has(core, each))
        elif name in OF_ENCODINGS:
            values = ", ".join(f"`{each}`" for each in ENCODINGS)
            said = re.sub(f", likewise|: {', '.join(ENCODINGS)}", "", said)
        elif not values:
            values = "a flag"
        else:
            mark = "*" if values.replace(",…", "").isupper() else "`"
            values = f"{mark}{values}{mark}"
        flag = next((each for each in option.param_decls or () if each.startswith("--")),
                    "--" + name.strip("_").replace("_", "-"))
        lines.append(f"| `{flag}` | {values} | {said} |")
    return "\n".join(lines)


def _lanes(core: str) -> str:
    """What a lane is, and the default number of them: the command's help names the units of all cores."""
    units = {"encoder": "Scalars", TRANSCODER: "Units"}.get(core, "Units" if core == "validator" else "Bytes")
    said = f"{units} of the input per beat, a power of two."
    if core == TRANSCODER:
        return f"{said} Default {TranscoderParameters.lanes}. Some encodings have fewer."
    return f"{said} Default {CORES[core].lanes}."


def _has(core: str, pipeline: str) -> bool:
    with suppress(ParameterError):
        return bool(replace(EXAMPLES[core], pipeline=pipeline))
    return False


def _widths(core: str) -> str:
    """The lanes of a core, and the further ones without U+FFFD."""
    if core == TRANSCODER:
        widest = max(replace(EXAMPLES[core], source=source, target=target).most_lanes
                     for source in ENCODINGS for target in ENCODINGS)
        return ", ".join(str(1 << n) for n in range(widest.bit_length()))
    usual = widths(core)
    most = widths(core, errors="drop") if "errors" in CORES[core].options else usual
    more = f"; without U+FFFD {', '.join(map(str, most[len(usual):]))}" if most != usual else ""
    return ", ".join(map(str, usual)) + more


def _with(core: str, **options: Any) -> TranscoderParameters:
    return TranscoderParameters.of({**EXAMPLES[core].record(), **options})


def ports_table(core: str) -> str:
    """The ports of the page's core, and those that an option adds."""
    usual = {port.name: port for port in ports(EXAMPLES[core])}
    added: dict[str, dict[str, Any]] = {"--user": {"user": BITS}, "--id": {"id": BITS}, "--dest": {"dest": BITS},
             "--report-port": {"report_port": "beside"}, "--rejects": {"rejects": True}}
    added["--record-report"] = {"records": 0x0A, "record_report": True}
    added = {flag: values for flag, values in added.items() if {*values} <= {*port_options(core)}}
    lines = ["| port | direction | bits | only with | meaning |", "|---|---|--:|---|---|"]
    lines += [f"| `{port.name}` | {port.direction} | {port.width} | | {port.text} |" for port in usual.values()]
    for option, values in added.items():
        for port in ports(_with(core, **values)):
            if port.name not in usual:
                own = port.width == BITS
                lines.append(f"| `{port.name}` | {port.direction} | {'*W*' if own else port.width} "
                             f"| `{option}`{' *W*' if own else ''} | {port.text} |")
    return "\n".join(lines)


def area_table(core: str) -> str:
    """Measurements of the core: on devices, then in standard cells."""
    return "\n\n".join(block for block in (_placed(core), _cells(core)) if block)


def _placed(core: str) -> str:
    entries = [entry for entry in load() if entry.core == core and entry.pipeline == "fast"
               and entry.parameters.sidebands == EXAMPLES[core].sidebands]
    if not entries:
        return "The datasheet has no row of this core yet."
    lines = ["| core | device | memories | LUT | FF | block RAM | clock, MHz | GB/s of input | latency, cycles |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|"]
    for entry in sorted(entries, key=lambda entry: (entry.target, entry.title, entry.packing or "", entry.lanes)):
        rate = entry.parameters.input_bytes * entry.clock_mhz / 1000
        lines.append(f"| {entry.name} | {entry.target} | {entry.memory} | {entry.luts:,} | {entry.ffs:,} "
                     f"| {entry.block_rams} | {entry.clock_mhz:.0f}{' ?' if entry.unknown_limits else ''} "
                     f"| {rate:.2f} | {entry.latency_cycles} |")
    if any(entry.unknown_limits for entry in entries):
        lines += ["", "`?`: no public document has a clock limit of the device, so the clock may be lower."]
    return "\n".join(lines)


def _cells(core: str) -> str:
    records = [record for record in cells_table.load() if record["core"] == core]
    if not records:
        return ""
    lines = [f"In standard cells of `{records[0]['library']}`, 180 nm ([ASIC](../asic.md)):", "",
             "| core | lanes | pipeline | memories | kGE | delay of the gates, ps | latency, cycles |",
             "|---|--:|---|---|--:|--:|--:|"]
    lines += [f"| {cells_table.name(record)} | {record['lanes']} | {record['pipeline']} | {_memories(record)} "
              f"| {record['kge']:.1f} | {record['delay_ps']:,} | {record['latency_cycles']} |" for record in records]
    return "\n".join(lines)


def _memories(record: dict[str, Any]) -> str:
    return record["memory"] if record["memory"] == "registers" else "left out"


TABLES = {"parameters": parameters_table, "ports": ports_table, "area": area_table}
GENERATED = tuple(Part(name, FOLDER / f"{core}.md", partial(table, core))
                  for core in EXAMPLES for name, table in TABLES.items())
