"""Equivalence check of a mutant and the sound core, side by side for all inputs."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands
from runewire_proofs import Engine, Outcome
from runewire_rtl import describe
from runewire_rtl.packages.base import buses
from runewire_rtl.ports import ports

from .netlist import Mutated, counter_width
from .netlist_probes import ROLES, TOGETHER, ProbedNetlist, opened

USUAL = ("aclk", "aresetn", *(f"{side}_axis_t{name}" for side in "sm" for name in (
    "data", "keep", "valid", "ready", "last")))
"""Ports of every core."""
HARNESS = Path(__file__).parent / "same.v"
GRAPH = "same.aig"
CLOSED = ProbedNetlist("", "`define TAPS\n`define MEMORIES 1\n`define HINTS 1\n", "assign bad_memory = 0, hint = 0;\n")
"""A core with its memories inside."""
MERGE = "&scl; &lcorr; &scorr; &put; orpos"
"""Merges equal registers and gates of the two cores, by induction."""
SHORT = ("pdr -T 10",)
"""Mostly nothing is left to prove after the merge."""
CONSTRAIN = "scorr -F {steps} -C 100000; &get -n; &w constrained.aig"
"""The same merge by induction over several steps; every merged pair, hints included, becomes a constraint."""
STEPS = (1, 8)
"""Steps of the induction: a difference inside a pipeline may take several steps to vanish."""
PROVE = "pdr"
"""Proves each output that the merge leaves open."""
LONG = ("bmc3 -F 60 -T 10", "pdr -T 40", "bmc3 -F 200 -T 30")
"""Last attempt: a trace to a difference or a longer proof; failing both, the number of cycles without a trace."""
_GATES = ("memory_map", "techmap", "simplemap", "opt_expr", "opt_clean")


@dataclass(frozen=True)
class Graph:
    """An and-inverter graph of the sound core next to the one with all mutants, in ``folder``.

    The initial values of the latches ``choice``, lowest bit first, select the mutant. ``bad``: outputs that must be 0.
    """

    folder: Path
    choice: Sequence[int]
    bad: Sequence[int]

    def chosen(self, mutant: int) -> Path:
        """The file of the graph with this mutant."""
        header, rest = (self.folder / GRAPH).read_bytes().split(b"\n", 1)
        latches = int(header.split()[3])
        *lines, rest = rest.split(b"\n", latches)
        for bit, latch in enumerate(self.choice):
            if mutant >> bit & 1:
                lines[latch] += b" 1"
        file = self.folder / f"mutant{mutant}.aig"
        file.write_bytes(b"\n".join([header, *lines, rest]))
        return file


@dataclass(frozen=True)
class MutantComparison:
    """The sound core next to its mutants: with its memories inside (``whole``) and replaced by ports (``apart``)."""

    engine: Engine
    whole: Graph
    apart: Graph

    def outcome(self, mutant: int, seconds: float) -> tuple[Outcome, bool]:
        """The engine's outcome for the mutant in ``seconds`` at most, and whether the proof replaced memories by ports.

        "proven": mutant and sound core are equal in every cycle from the registers' initial values, for all inputs
        within the contract and resets at any time. "refuted": they differ.
        """
        chosen = self.whole.chosen(mutant)
        merged = f"&r {chosen.name}; {MERGE}"
        outcome = self.engine.decide(chosen, merged, SHORT, seconds)
        if outcome.verdict != "undecided":
            return outcome, False
        left = seconds - outcome.seconds
        share = left / (len(STEPS) + 1)
        for steps in STEPS:
            outcome = self._apart(mutant, steps, share)
            left -= outcome.seconds
            if outcome.verdict == "proven":
                return outcome, True
        return self.engine.decide(chosen, merged, LONG, max(left, 0.01)), False

    def _apart(self, mutant: int, steps: int, seconds: float) -> Outcome:
        """The outcome with ports instead of memories: "proven", or "undecided", as a different use may not matter."""
        constrain = CONSTRAIN.format(steps=steps)
        chosen = self.apart.chosen(mutant)
        constrained = chosen.with_name("constrained.aig")
        constrained.unlink(missing_ok=True)
        merged = f"&r {chosen.name}; &scl; &lcorr; &put"
        spent = self.engine.decide(chosen, merged, (constrain,), seconds).seconds
        if not constrained.exists():
            return Outcome("undecided", constrain, None, spent)
        outputs = _outputs(constrained)
        for number in (number for number in self.apart.bad if outputs[number] != 0):
            cone = f"&r {constrained.name}; &cone -O {number} -R 1; &scl; &put"
            found = self.engine.decide(constrained, cone, (PROVE,), max(seconds - spent, 0.01))
            spent += found.seconds
            if found.verdict != "proven":
                return Outcome("undecided", PROVE, None, spent)
        return Outcome("proven", f"{constrain}; {PROVE}", None, spent)


def _outputs(graph: Path) -> list[int]:
    """Literals of the outputs of an AIGER file; 0 is the constant 0."""
    header, rest = graph.read_bytes().split(b"\n", 1)
    latches, outputs = map(int, header.split()[3:5])
    return [int(line) for line in rest.split(b"\n", latches + outputs)[latches : latches + outputs]]


@contextmanager
def comparison(mutated: Mutated, engine: Engine, roles: Sequence[str] | None = None) -> Iterator[MutantComparison]:
    """The comparison of a core with its mutants, while the block lasts.

    ``roles``: those that registers must declare (default: by the core's pipeline). Raises SimulationError where Yosys
    fails, and LookupError for a role that no register declares.
    """
    if roles is None:
        parameters = mutated.design.parameters
        sidebands = parameters.sidebands
        several = (parameters.front or parameters.splits or parameters.filters or sidebands.record_report
                   or sidebands.flows is not None)
        roles = TOGETHER if parameters.pipeline == "compact" or several else ROLES
    with tempfile.TemporaryDirectory(prefix="runewire-same-") as name:
        graphs = []
        for kind, parts in (("whole", replace(CLOSED, rtlil=mutated.rtlil)), ("apart", opened(mutated.rtlil, roles))):
            folder = Path(name) / kind
            folder.mkdir()
            graphs.append(_graph(mutated, parts, folder, engine))
        yield MutantComparison(engine, *graphs)


class _FurtherPorts(NamedTuple):
    """Ports that only some cores have, for the harness: their bits in an output beat, and the file further_ports.vh."""

    width: int
    text: str


def _further_ports(parameters: TranscoderParameters) -> _FurtherPorts:
    width = 0
    wires: list[str] = []
    links: list[str] = []
    jump = [("jump", "input", counter_width(parameters))] if counter_width(parameters) else []
    for name, direction, bits in [*((port.name, port.direction, port.width) for port in ports(parameters)), *jump]:
        if name in USUAL:
            continue
        if name.startswith("m_axis"):
            links.append(f".{name}(payload[side][{9 * parameters.output_bytes + 1 + width} +: {bits}])")
            width += bits
        elif direction == "output":
            wires.append(f"wire [{bits - 1}:0] {name} [0:1];")
            links.append(f".{name}({name}[side])")
        elif name == "jump":
            links.append(f".{name}({bits}'d0)")
        elif name == "s_axis_tid" and parameters.sidebands.flows is not None:
            wires.append(_one_flow_a_packet(parameters.sidebands))
            links.append(f".{name}({name})")
        else:
            wires.append(f"(* anyseq *) wire [{bits - 1}:0] {name};")
            links.append(f".{name}({name})")
    differs = []
    for bus in buses(parameters)[2:]:
        valid = f"{bus.name}_tvalid"
        differs.append(f"{valid}[0] != {valid}[1]")
        differs += [f"{valid}[0] && {port.name}[0] != {port.name}[1]" for signal, port in bus.signals.items()
                    if port.direction == "output" and signal != "tvalid"]
    any_of_them = " || ".join(differs) or "0"
    wires.append(f"assign bad_report = running && ({any_of_them});")
    return _FurtherPorts(width, "\n".join([f"`define FURTHER_PORTS {', '.join(['', *links])}", *wires]) + "\n")


def _one_flow_a_packet(sidebands: Sidebands) -> str:
    """The input ``tid``: any flow that the core has, the same while a beat waits and in all beats of a packet: a core
    reads a flow's context before it accepts the packet."""
    bits = sidebands.id
    return f"""\
(* anyseq *) wire [{bits - 1}:0] any_tid;
reg fixed = 0;
reg [{bits - 1}:0] kept_tid = 0;
wire [{bits - 1}:0] s_axis_tid = fixed ? kept_tid :
    (any_tid & {(1 << sidebands.flow_bits) - 1}) < {sidebands.flows} ? any_tid : 0;
always @(posedge clk) begin
    fixed <= running && (valid && accepts[0] ? !last : fixed || valid);
    kept_tid <= s_axis_tid;
end"""


def _graph(mutated: Mutated, parts: ProbedNetlist, folder: Path, engine: Engine) -> Graph:
    parameters = mutated.design.parameters
    further = _further_ports(parameters)
    settings = {
        "IN": parameters.input_bytes, "OUT": parameters.output_bytes, "FURTHER": further.width,
        "HOLES": int(parameters.holes), "RESET": describe(parameters)["start_cycles"], "WIDTH": mutated.width,
    }
    shutil.copy(HARNESS, folder)
    (folder / "dut.il").write_text(parts.rtlil)
    (folder / "taps.vh").write_text(parts.taps)
    (folder / "inside.vh").write_text(parts.inside)
    (folder / "further_ports.vh").write_text(further.text)
    engine.script(folder, [
        "read_rtlil dut.il", "opt_expr", "opt_clean", *_GATES, f"read_verilog -sv {HARNESS.name}",
        f"chparam {' '.join(f'-set {name} {value}' for name, value in settings.items())} same",
        "hierarchy -check -top same", "proc", "flatten", "opt_expr", "opt_clean", *_GATES,
        # An undriven signal may be anything, never a convenient value.
        "setundef -undriven -anyseq", "setundef -anyseq",
        "opt_clean", "async2sync", "dffunmap", "aigmap", f"write_aiger -zinit -map names {GRAPH}",
    ], HARNESS.stem)
    names = (folder / "names").read_text()
    choice = re.findall(r"^latch (\d+) (\d+) mutant$", names, re.MULTILINE)
    hints = set(map(int, re.findall(r"^output (\d+) \d+ hint$", names, re.MULTILINE)))
    # Constants are not named: they count as wrong, and those that are 0 are not.
    bad = [number for number in range(len(_outputs(folder / GRAPH))) if number not in hints]
    return Graph(folder, [int(latch) for latch, _ in sorted(choice, key=lambda name: int(name[1]))], bad)
