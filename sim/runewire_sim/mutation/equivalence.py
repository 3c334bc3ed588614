"""Whether a mutant can ever be told from the sound core: both side by side, for all inputs."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runewire_model import EncoderParameters
from runewire_rtl import describe

from ..proofs import Engine, Outcome
from .netlist import Mutated

__all__ = ["Comparison", "comparison"]

HARNESS = Path(__file__).parent / "same.v"
GRAPH = "same.aig"
MERGE = "&scl; &lcorr; &scorr; &put; orpos"
"""Registers and gates that the two cores have alike become one, by induction."""
DECIDE = ("bmc3 -F 60 -T 10", "pdr -T 40", "bmc3 -F 200 -T 30")
"""Of what is left a trace is looked for, then a proof; else it is found for how many cycles there is no trace."""
_GATES = ("memory_map", "techmap", "simplemap", "opt_expr", "opt_clean")


@dataclass(frozen=True)
class Comparison:
    """The sound core beside the one with all mutants, as a graph in ``folder``: which mutant it is, the initial values
    of the latches ``choice`` say, lowest bit first."""

    engine: Engine
    folder: Path
    choice: Sequence[int]

    def outcome(self, mutant: int, seconds: float) -> Outcome:
        """What the engine finds of the mutant: "proven" means that it does what the sound core does, cycle for cycle,
        from the registers' initial values on, for all inputs within the contract and resets of the promised length;
        "refuted" that it does not.
        """
        header, rest = (self.folder / GRAPH).read_bytes().split(b"\n", 1)
        latches = int(header.split()[3])
        *lines, rest = rest.split(b"\n", latches)
        for bit, latch in enumerate(self.choice):
            if mutant >> bit & 1:
                lines[latch] += b" 1"
        chosen = self.folder / f"mutant{mutant}.aig"
        chosen.write_bytes(b"\n".join([header, *lines, rest]))
        return self.engine.decide(chosen, f"&r {chosen.name}; {MERGE}", DECIDE, seconds)


@contextmanager
def comparison(mutated: Mutated, engine: Engine) -> Iterator[Comparison]:
    """The comparison of a core with its mutants, while the block lasts. Raises SimulationError where Yosys fails."""
    parameters = mutated.design.parameters
    settings = {
        "IN": parameters.input_bytes, "OUT": parameters.output_bytes,
        "ITEM": 4 if isinstance(parameters, EncoderParameters) else 1,
        "RESET": describe(parameters)["reset_cycles"], "WIDTH": mutated.width,
    }
    with tempfile.TemporaryDirectory(prefix="runewire-same-") as name:
        folder = Path(name)
        shutil.copy(HARNESS, folder)
        (folder / "dut.il").write_text(mutated.rtlil)
        engine.script(folder, [
            "read_rtlil dut.il", "opt_expr", "opt_clean", *_GATES, f"read_verilog -sv {HARNESS.name}",
            f"chparam {' '.join(f'-set {name} {value}' for name, value in settings.items())} same",
            "hierarchy -check -top same", "proc", "flatten", "opt_expr", "opt_clean", *_GATES,
            # What is not driven may be anything: never a convenient value.
            "setundef -undriven -anyseq", "setundef -anyseq",
            "opt_clean", "async2sync", "dffunmap", "aigmap", f"write_aiger -zinit -map names {GRAPH}",
        ], HARNESS.stem)
        names = re.findall(r"^latch (\d+) (\d+) mutant$", (folder / "names").read_text(), re.MULTILINE)
        yield Comparison(engine, folder, [int(latch) for latch, _ in sorted(names, key=lambda name: int(name[1]))])
