"""Two descriptions of one design as a miter of their gates, from register to register."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .engines import Engine
from .flat_netlist import FlatNetlist
from .miter import Miter
from .register_correspondence import correspondence

HARNESS = "registers_paired"


@dataclass(frozen=True)
class Description:
    """One design: Yosys' commands that read its ``files``, which are pairs of name and text. Its top module is
    ``dut``."""

    files: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]

    @property
    def texts(self) -> Sequence[str]:
        """All that decides what the design is."""
        return [text for _, text in self.files] + [*self.reads]


NOTHING = Description((), ())


@dataclass(frozen=True)
class Paired(Miter):
    """A design as it is ``described``, next to the same design as it is ``printed``, instead of a specification.

    ``stay``: as in `correspondence`.
    """

    described: Description = NOTHING
    printed: Description = NOTHING
    stay: bool = False

    @classmethod
    def of(cls, described: Description, printed: Description, *, stay: bool = False) -> Paired:
        """The comparison of both."""
        return cls("\0".join(printed.texts), HARNESS, [f"parts/{HARNESS}.v"], {}, described=described, printed=printed,
                   stay=stay)

    @property
    def digest(self) -> str:
        said = [*self.described.texts, *self.printed.texts, *self.texts.values()]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:16]


def graph_of_gates(engine: Engine, miter: Paired, folder: Path) -> Path:
    """The miter as an AIGER file in ``folder``, without registers unless some stay. Raises ToolError."""
    described, printed = _flat_described(engine, miter.described), _flat(engine, miter.printed)
    made = correspondence(FlatNetlist(described), FlatNetlist(printed), stay=miter.stay)
    (folder / "gates.il").write_text(made.rtlil)
    for name, text in miter.texts.items():
        (folder / name).write_text(text)
    engine.script(folder, [
        "read_rtlil gates.il", *(f"read_verilog {name}" for name in miter.texts),
        f"chparam -set GIVEN {made.given} -set RESULT {made.result} {HARNESS}",
        f"hierarchy -check -top {HARNESS}", "opt_expr", "opt_clean", "simplemap", "techmap", "simplemap", "flatten",
        # Undriven wires and undefined values become free inputs, never a convenient constant.
        "setundef -undriven -anyseq", "setundef -anyseq", "opt_clean", "aigmap", "write_aiger -zinit miter.aig",
    ], HARNESS)
    return folder / "miter.aig"


def _flat(engine: Engine, description: Description) -> str:
    """A design as flat RTLIL: gates, ``$dff`` and ``$mem_v2``."""
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
        folder = Path(room)
        for name, text in description.files:
            (folder / name).write_text(text)
        engine.script(folder, [
            *description.reads, "hierarchy -check -top dut", "proc", "flatten", "opt_clean", "memory_collect",
            "opt_clean", "select dut", "write_rtlil -selected flat.il",
        ], HARNESS)
        return (folder / "flat.il").read_text()


@lru_cache(maxsize=1)
def _flat_described(engine: Engine, description: Description) -> str:
    """The same, once for all broken copies."""
    return _flat(engine, description)
