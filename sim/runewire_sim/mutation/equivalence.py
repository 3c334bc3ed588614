"""Whether a mutant can ever be told from the sound core: both side by side, for all inputs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runewire_model import EncoderParameters
from runewire_rtl import describe

from ..proofs import Engine, Outcome
from .netlist import Mutated

__all__ = ["Comparison", "comparison"]

HARNESS = Path(__file__).parent / "same.v"
MERGE = "&scl; &lcorr; &scorr; &put; orpos"
"""Registers and gates that the two cores have alike become one, by induction."""
DECIDE = ("bmc3 -F 60 -T 10", "pdr -T 40", "bmc3 -F 200 -T 30")
"""Of what is left a trace is looked for, then a proof; else it is found for how many cycles there is no trace."""
_GATES = ("memory_map", "techmap", "simplemap", "opt_expr", "opt_clean")


@dataclass(frozen=True)
class Comparison:
    """The netlist with all mutants as gates, in ``folder``."""

    mutated: Mutated
    engine: Engine
    folder: Path

    def outcome(self, mutant: int, seconds: float) -> Outcome:
        """What the engine finds of the mutant: "proven" means that it does what the sound core does, cycle for cycle,
        from the registers' initial values on, for all inputs within the contract and resets of the promised length;
        "refuted" that it does not. Raises SimulationError where Yosys fails.
        """
        parameters = self.mutated.design.parameters
        settings = {
            "IN": parameters.input_bytes, "OUT": parameters.output_bytes,
            "ITEM": 4 if isinstance(parameters, EncoderParameters) else 1,
            "RESET": describe(parameters)["reset_cycles"], "MUTANT": mutant,
        }
        self.engine.script(self.folder, [
            "read_rtlil gates.il", f"read_verilog -sv {HARNESS.name}",
            f"chparam {' '.join(f'-set {name} {value}' for name, value in settings.items())} same",
            "hierarchy -check -top same", "proc", "flatten", "opt_expr", "opt_clean", *_GATES,
            # What is not driven may be anything: never a convenient value.
            "setundef -undriven -anyseq", "setundef -anyseq",
            "opt_clean", "async2sync", "dffunmap", "aigmap", "write_aiger -zinit same.aig",
        ], HARNESS.stem)
        graph = self.folder / "same.aig"
        return self.engine.decide(graph, f"&r {graph.name}; {MERGE}", DECIDE, seconds)


@contextmanager
def comparison(mutated: Mutated, engine: Engine) -> Iterator[Comparison]:
    """The comparison of a core with its mutants, while the block lasts. Raises SimulationError where Yosys fails."""
    with tempfile.TemporaryDirectory(prefix="runewire-same-") as name:
        folder = Path(name)
        shutil.copy(HARNESS, folder)
        (folder / "dut.il").write_text(mutated.rtlil)
        engine.script(folder, ["read_rtlil dut.il", "opt_expr", "opt_clean", *_GATES, "write_rtlil gates.il"], "dut")
        yield Comparison(mutated, engine, folder)
