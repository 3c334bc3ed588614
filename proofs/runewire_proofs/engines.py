"""The engines: Yosys makes an and-inverter graph of a comparison, ABC decides whether it can go wrong."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runewire_jobs.errors import MissingToolError, ToolError, missing
from runewire_rtl import yowasp

from .miter import Miter

CHANCE = "sim3 -T 1"
COMBINATIONAL = "iprove"
"""For wires and gates without registers."""
SHORT = ("bmc3 -F 60 -T 3", "bmc3 -F 60 -T 30")
REFUTE = ("dprove -jpum -F 1; bmc3 -F 60", "sim3 -T 20", "bmc3 -F 100")
"""Random simulation first. Then a solver looks for short traces of each output, twice, the second time longer. Then
retiming and induction simplify the netlist, and both run again with more time."""

BOUNDED = 60
"""Seconds for outputs without a proof."""

LIMITED = ("import os, signal, sys; signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1])); "
           "os.execvp(sys.argv[2], sys.argv[2:])")
"""Runs a program with a limit of processor time, in seconds: the load of the machine does not change a verdict."""

GATES = ("opt_expr", "opt_clean", "memory_map", "techmap", "simplemap", "opt_expr", "opt_clean")


@dataclass(frozen=True)
class Outcome:
    """The result of an engine.

    Attributes
    ----------
    verdict : "proven", "refuted" or "undecided"
    engine : ABC's commands
    depth : proven: frames of the deepest invariant, None if induction was enough; refuted: frames of the
        counterexample; undecided: the last frame without an error, from 0, None if unknown
    seconds : processor time
    """

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
        if not yowasp.installed("yosys"):
            raise missing("proofs need Yosys from PyPI", "prove")
        abc = shutil.which("berkeley-abc") or shutil.which("abc")
        if abc is None:
            raise MissingToolError("proofs need the engine ABC: apt-get install berkeley-abc")
        said = subprocess.run([abc, "-c", "version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"UC Berkeley, ABC [\d.]+", said)
        return cls(yowasp.command("yosys"), abc, found[0] if found else "ABC")

    def must_be(self, version: str) -> None:
        """On another machine: raises ToolError unless this is the engine whose results are asked for."""
        if self.version != version:
            raise ToolError(f"a worker has another ABC than this machine: {self.version}, not {version}")

    def comparison(self, miter: Miter) -> str:
        """The miter's harness as gates, in RTLIL: the same for all designs under test with the same ports."""
        settings = " ".join(f"-set {name} {value}" for name, value in miter.parameters.items())
        defines = " ".join(f"-D{name}={value}" for name, value in miter.defines.items())
        with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
            folder = Path(room)
            for name, text in miter.texts.items():
                (folder / name).write_text(text, encoding="utf-8")
            (folder / "dut").write_text(miter.dut)
            sources = " ".join(miter.texts)
            self.script(folder, [
                *miter.reads, "blackbox dut", f"read_verilog -sv {defines} {sources}",
                f"chparam {settings} {miter.harness}", f"hierarchy -check -top {miter.harness}",
                # Gates first: a module that the harness has many times is mapped once. No `opt_expr` on the flat
                # netlist: it recurses from gate to gate, and the chain through 256 bytes is too long for its stack.
                "proc", *GATES, "flatten", "opt_clean -purge", "delete dut", "rename -enumerate",
                "write_rtlil comparison.il",
            ], miter.harness)
            return (folder / "comparison.il").read_text()

    def graph(self, miter: Miter, comparison: str, folder: Path) -> Path:
        """The miter as an AIGER file in ``folder``; ``comparison`` is its harness as :meth:`comparison` gives it."""
        (folder / "dut").write_text(miter.netlist)
        (folder / "comparison.il").write_text(comparison)
        self.script(folder, [
            *miter.reads, "proc", "flatten", *GATES,
            "read_rtlil comparison.il", f"hierarchy -top {miter.harness}", "flatten",
            # Undriven wires and undefined values become free inputs, never a convenient constant.
            "setundef -undriven -anyseq", "setundef -anyseq",
            "opt_clean", "async2sync", "dffunmap", "aigmap", "write_aiger -symbols -zinit miter.aig",
        ], miter.harness)
        return folder / "miter.aig"

    def script(self, folder: Path, commands: Sequence[str], name: str) -> None:
        """Run Yosys' commands in ``folder``; ``name`` is for the message. Raises ToolError."""
        (folder / "script.ys").write_text("\n".join([*commands, ""]))
        done = subprocess.run([*self.yosys, "-q", "script.ys"], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            # If Yosys crashes, the last line says why.
            lines = [line for line in said if "ERROR" in line] or said[-1:]
            raise ToolError(f"Yosys failed on {name}: {' '.join(lines)}")

    def prove(self, graph: Path, reduce: str, scripts: Sequence[str], seconds: float) -> Outcome:
        """Look for a proof that no output of the graph can ever be 1, in ``seconds`` of processor time.

        ABC's command ``reduce`` merges registers and gates that induction shows to be equal, and writes a file of the
        open outputs. Each of these is then proven alone, by the first of ``scripts`` that decides it. For outputs that
        stay open, a bounded search over the cycles follows.
        """
        outcome = self._proven(graph, reduce, scripts, seconds)
        if outcome.verdict != "undecided":
            return outcome
        more = min(seconds, BOUNDED)
        script = f"bmc3 -F 200 -T {max(1, round(more))}"
        bounded = self.decide(graph, f"read {graph.name}; fold; strash", [script], 2 * more)
        return replace(bounded, engine=f"{outcome.engine}; {script}",
                       seconds=round(outcome.seconds + bounded.seconds, 2))

    def _proven(self, graph: Path, reduce: str, scripts: Sequence[str], seconds: float) -> Outcome:
        used = [reduce]
        said, spent = self._abc(graph, f"read {graph.name}; fold; strash; {reduce}", seconds)
        verdict, depth = _verdict(said)
        # A numbered file for each step that left outputs open: the last has the least to prove.
        left = max(graph.parent.glob("sm*.aig"), default=None)
        if verdict != "undecided" or left is None:
            return Outcome(verdict, "; ".join(used), depth, round(spent, 2))
        # Scripts write files of such names too.
        reduced = left.rename(graph.parent / "reduced.aig")
        for output in range(_outputs(reduced)):
            cone = f"&r {reduced.name}; &cone -O {output} -R 1; &scl"
            said, more = self._abc(graph, f"{cone}; &w cone.aig", seconds - spent)
            spent += more
            header = (graph.parent / "cone.aig").read_bytes().split(maxsplit=6) if "Error" not in said else []
            if header[1:4] == [b"0", b"0", b"0"]:
                continue
            for script in scripts:
                said, more = self._abc(graph, f"{cone}; &put; {script}", seconds - spent)
                spent += more
                verdict, reached = _verdict(said)
                if verdict != "undecided":
                    break
            if script not in used:
                used.append(script)
            if verdict != "proven":
                return Outcome(verdict, "; ".join(used), reached, round(spent, 2))
            depth = max(depth or 0, reached or 0)
        return Outcome("proven", "; ".join(used), depth, round(spent, 2))

    def exhaust(self, graph: Path, frames: int, seconds: float) -> Outcome:
        """Look at each of the first ``frames`` cycles: a proof if the comparison only has that many."""
        outcome = self.decide(graph, f"&r {graph.name}; &scl; &put; orpos", [f"bmc3 -F {frames}"], seconds)
        # ABC counts the last frame that it has looked at, from 0.
        whole = outcome.verdict == "undecided" and outcome.depth == frames - 1
        return replace(outcome, verdict="proven") if whole else outcome

    def refute(self, graph: Path, seconds: float) -> Outcome:
        """Look for inputs that set an output of the graph, in ``seconds`` of processor time."""
        whole = f"read {graph.name}; fold; strash"
        if not _registers(graph):
            return self.decide(graph, whole, [COMBINATIONAL], seconds)
        alone = [f"&r {graph.name}; &cone -O {output} -R 1; &scl; &put; {short}"
                 for short in SHORT for output in range(_outputs(graph))]
        return self.decide(graph, whole, [CHANCE, *alone, *REFUTE], seconds)

    def decide(self, graph: Path, prepare: str, scripts: Sequence[str], seconds: float) -> Outcome:
        """Whether any output of the graph can be 1, by the first of ABC's ``scripts`` that decides it after
        ``prepare``, in ``seconds`` of processor time. If none does, ``depth`` is the number of frames in which no
        output can be 1.
        """
        spent = 0.0
        deepest = None
        for script in scripts:
            said, more = self._abc(graph, f"{prepare}; {script}", seconds - spent)
            spent += more
            verdict, depth = _verdict(said)
            if verdict != "undecided":
                return Outcome(verdict, script, depth, round(spent, 2))
            reached = re.search(r"^Status = -1 +Frames = (\d+)", said, re.MULTILINE)
            deepest = max(deepest or 0, int(reached[1])) if reached else deepest
        return Outcome("undecided", "; ".join(scripts), deepest, round(spent, 2))

    def _abc(self, graph: Path, script: str, seconds: float) -> tuple[str, float]:
        return self.said(graph.parent, f"{script}; print_status", seconds)

    def said(self, folder: Path, script: str, seconds: float) -> tuple[str, float]:
        """ABC's output of a script in ``folder``, empty if it was not done in ``seconds``; and its processor time."""
        before = os.times()
        limited = [sys.executable, "-c", LIMITED, str(max(seconds, 0.001)), self.abc, "-c", script]
        done = subprocess.run(limited, cwd=folder, capture_output=True, text=True, check=False)
        after = os.times()
        said = "" if done.returncode == -signal.SIGPROF else done.stdout
        return said, after.children_user - before.children_user + after.children_system - before.children_system


def _outputs(graph: Path) -> int:
    """Number of outputs of an AIGER file."""
    return int(graph.read_bytes().split(maxsplit=5)[4])


def _registers(graph: Path) -> int:
    """Number of registers of an AIGER file."""
    return int(graph.read_bytes().split(maxsplit=5)[3])


def _verdict(said: str) -> tuple[str, int | None]:
    """ABC's verdict, and its depth."""
    status = re.search(r"^Status = (-?\d)", said, re.MULTILINE)
    if status is None or status[1] == "-1":
        return "undecided", None
    frames = re.search(r"Invariant F\[(\d+)\]|unreachable after (\d+) iter|CEX: Po = +\d+ +Frame = *(\d+)", said)
    depth = next((int(group) for group in frames.groups() if group), None) if frames else None
    return ("proven" if status[1] == "1" else "refuted"), depth
