"""A part's comparison without its design: the inputs that it makes for the design, and its assertions, at ports."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from amaranth.hdl import Cat, Value
from runewire_rtl.segments import rotation
from runewire_rtl.segments.rotation import Moves
from runewire_rtl.segments.segment_beats import Beats

from ..engines import GATES, Engine, Outcome
from ..feeding import entered
from ..miter import SPEC, Miter
from ..parts.packing import sound_cut
from ..ports import Ports
from ..proof import Proof

SECONDS = 120
"""Limit of an engine's run, of processor time."""
FILES = tuple(f"{name}.v" for name in (
    "chain/conditions", "chain/segments", "parts/buffer_contract", "parts/placed", "parts/delay",
    "parts/beat_fields"))
"""Verilog of the conditions."""
ALSO = "also_"
"""Before the names of ports that show what else part `text_end` leads to the rotation."""
SEEN = "seen_"
"""Before the names of ports that show what goes into a part's pipeline."""

_WIRE = re.compile(r"^  wire (.*?)(input|output) \d+ .*?\\(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Opened:
    """A miter whose design is cut out. ``harness``: its gates, as RTLIL of module ``part``, in which the ports of the
    design have the prefix ``core.``. ``joined``: ports of the design that the comparison uses; to all others anything
    comes."""

    miter: Miter
    harness: str
    joined: frozenset[str]

    @cached_property
    def ports(self) -> dict[str, dict[str, int]]:
        """Widths of the harness' ports by direction and name; without the design's and the clock."""
        found = _ports(self.harness, "part")
        return {way: {name: width for name, width in named.items() if not name.startswith("core.") and name != "clk"}
                for way, named in found.items()}

    @property
    def clocked(self) -> bool:
        """Whether the harness has a clock."""
        return "clk" in _ports(self.harness, "part")["input"]

    @cached_property
    def core(self) -> dict[str, dict[str, int]]:
        """Widths of the design's ports by direction and name, without clock and reset."""
        found = _ports(self.miter.dut, "dut")
        return {way: {name: width for name, width in named.items() if name not in ("clk", "rst")}
                for way, named in found.items()}

    @property
    def shown(self) -> dict[str, int]:
        """Widths of the signals that go into the part's pipeline, by name."""
        return {name.removeprefix(SEEN): width for name, width in self.core["output"].items() if name.startswith(SEEN)}

    @classmethod
    def of(cls, engine: Engine, miter: Miter) -> Opened:
        """The comparison without its design. Raises ToolError."""
        gates = re.sub(r"cell \\dut \S+", r"cell \\dut \\core", engine.comparison(miter))
        with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
            folder = Path(room)
            (folder / "dut").write_text(miter.dut)
            (folder / "comparison.il").write_text(gates)
            engine.script(folder, [
                *miter.reads, "blackbox dut", "read_rtlil comparison.il", f"hierarchy -check -top {miter.harness}",
                f"cd {miter.harness}", "expose -evert t:dut", "cd", "delete dut", f"rename {miter.harness} part",
                "write_rtlil part.il"], miter.harness)
            cell = gates[gates.index("cell \\dut \\core"):].partition("\n  end\n")[0]
            return cls(miter, (folder / "part.il").read_text(), frozenset(re.findall(r"connect \\(\S+)", cell)))


def _ports(netlist: str, module: str) -> dict[str, dict[str, int]]:
    text = netlist[netlist.index(f"module \\{module}\n"):].partition("\nend\n")[0]
    found: dict[str, dict[str, int]] = {"input": {}, "output": {}}
    for before, way, name in _WIRE.findall(text):
        width = re.search(r"width (\d+)", before)
        found[way][name] = int(width[1]) if width else 1
    return found


@contextmanager
def showing() -> Iterator[None]:
    """Parts that are built so have ports ``seen_…``: the signals that go into their pipelines at step 0."""
    noted: dict[int, list[tuple[str, Value]]] = {}

    def note(sound: Any) -> Any:
        def enter(pipeline: Any, signal: Value, name: str) -> Any:
            noted.setdefault(id(pipeline), []).append((name, signal))
            return sound(pipeline, signal, name)
        return enter

    def with_ports(sound: Any) -> Any:
        def cut(ports: Ports, **facts: int) -> Any:
            # Part `packing` builds itself a second time, to measure it, before it is finished.
            for name, value in _named(next(iter(noted.values()), []), facts.get("LANES", 0)).items():
                ports.show(f"{SEEN}{name}", value)
            noted.clear()
            return sound(ports, **facts)
        return cut

    sound_cut.cache_clear()
    try:
        with entered.replaced(note), Ports.cut.replaced(with_ports):
            yield
    finally:
        sound_cut.cache_clear()


def _named(noted: Sequence[tuple[str, Value]], lanes: int) -> dict[str, Value]:
    """Signals by the names of the ports that they come from. Each lane has its own: first whether its item is
    present, then its record flags if there are any, then the item."""
    single = {"tags": "tag", "report": "report", "user": "report"}  # a packer's report is its user bits
    found = {single[name]: signal for name, signal in noted if name in single}
    each = [signal for name, signal in noted if name not in single]
    if each:
        groups = {"present": each[:lanes], "marks": each[lanes:-lanes], "data": each[-lanes:]}
        found |= {name: Cat(signals) for name, signals in groups.items() if signals}
    return found


@contextmanager
def showing_flow() -> Iterator[None]:
    """Part `text_end`, built so, has a port ``also_id`` if its core has `tid`: the flow of each beat, with its other
    values."""
    noted: list[Value] = []

    def note(sound: Any) -> Any:
        def rotate(beats: Beats, moves: Moves, *others: Any) -> Any:
            if "id" in beats.beside:
                step = max(value.step for value in (beats.first, beats.extra, *moves, beats.beside["user"]))
                noted.append(beats.beside["id"].at(step))
            return sound(beats, moves, *others)
        return rotate

    def with_ports(sound: Any) -> Any:
        def cut(ports: Ports, **facts: int) -> Any:
            for value in noted:
                ports.show(f"{ALSO}id", value)
            return sound(ports, **facts)
        return cut

    with rotation.rotate.replaced(note), Ports.cut.replaced(with_ports):
        yield


def built(proof: Proof) -> Miter:
    """The miter of a part as it is delivered, with ports for what goes into its pipeline."""
    with showing_flow() if proof.name == "text_end" else showing():
        return proof.miter(None)


@dataclass(frozen=True)
class Joint:
    """A small miter. ``text``: Verilog of its module ``joint``, each output of which is a way to be wrong.
    ``designs``: RTLIL that it needs."""

    text: str
    designs: Sequence[str]

    def decided(self, engine: Engine) -> Outcome:
        """The engine's verdict. Raises ToolError."""
        with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
            folder = Path(room)
            (folder / "joint.v").write_text(self.text)
            for index, design in enumerate(self.designs):
                (folder / f"design{index}.il").write_text(design)
            for name in FILES:
                (folder / Path(name).name).write_text((SPEC / name).read_text(encoding="utf-8"))
            sources = " ".join([*(Path(name).name for name in FILES), "joint.v"])
            engine.script(folder, [
                *(f"read_rtlil design{index}.il" for index in range(len(self.designs))),
                f"read_verilog -sv {sources}", "hierarchy -check -top joint", "proc", "flatten", *GATES,
                "setundef -undriven -anyseq", "setundef -anyseq",
                "opt_clean -purge", "async2sync", "dffunmap", "aigmap", "write_aiger -symbols -zinit miter.aig",
            ], "joint")
            return engine.decide(folder / "miter.aig", "read miter.aig; fold; strash", ["scorr; pdr"], SECONDS)
