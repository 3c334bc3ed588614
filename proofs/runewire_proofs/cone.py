"""Cone of influence of a core's proofs: the registers, memories and gates of its Verilog that assertions depend on.

A register outside of all cones may hold anything, and each proof still passes. A cone is an upper bound: an assertion
that depends on a register need not find each fault there.
"""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from runewire_jobs.record_text import record_text
from runewire_model import TranscoderParameters
from runewire_rtl.verilog.verilog_text import legal

from .delivered import delivered
from .engines import GATES, Engine
from .parts import PACKER, proofs
from .proof import Proof

REASONS = Path(__file__).with_name("outside_cones.toml")
"""Registers that no assertion depends on, and why."""

ITSELF = frozenset({"printing", "waiting", "wrapper", "connection"})
"""Parts that compare the core with itself, so that each register is in a cone, or that have no registers."""
ONLY = {"reset": ("bad_closed",)}
"""Assertions that count, of a part whose others compare the core with itself."""

COPIES = tuple((re.compile(found), copy) for found, copy in (
    # Lanes and readers of the buffer, memories split by width, copies of a row's number.
    (r"^buffer\.((?:lane|keep|marks|reader_group))\d+", r"buffer.\g<1>"), (r"_(copy)\d+$", r"_\g<1>"),
    # Chunks of a counter of beats; replicas, of which narrow items need fewer.
    (r"^report\.(\w+_chunk)\d+", r"report.\g<1>"), (r"^(routing\.\w+_l\d+)_\d+(_s\d+)$", r"\g<1>\g<2>"),
    # Steps of a delay, of which a part has those that it needs.
    (r"^(beats\.\w+|packing\.late_keep_l\d+)_s\d+$", r"\g<1>"),
    # A field of the tags, which the Verilog has one by one.
    (r"^input_stage\.held_(?:id|dest)$", "input_stage.tags_s0"),
    # Counters of a packet: in their part they have other names, fewer chunks, and flags at step 0.
    (r"^tally\.[a-z0-9_]+?(?=_(?:beyond|from\d|of_l\d|s\d))", "tally"), (r"^(tally\w*_(?:from|of_l))\d+", r"\g<1>"),
    (r"^(tally\w*)_s\d+$", r"\g<1>"),
))
"""Names of registers that a design has many times and a part fewer times, or with another number."""

IN_PACKER = "packer."
"""Module of the packer before a core."""

_BANK = re.compile(r"buffer\.((?:lane|keep|marks|metadata)\d*?)(?:_from\d+)?_bank(\d)(\.read_data)?")
_FLAT = re.compile(r"\$flatten(.+?)\.\$")
Bit = int | str
Cells = dict[str, Any]


@dataclass(frozen=True)
class Cone:
    """What the assertions of all parts of a core depend on together.

    ``registers``: bits of registers in the delivered Verilog. Each is one of these: ``seen``, in a cone;
    ``represented``, as its part has a narrower register, or one for several; ``unread``, by register, as no path leads
    to an output; ``explained``, by the reason that it is in no cone; or in one of the ``unexplained`` registers.
    ``memories``, ``gates``: numbers of memories and of one-bit gates; ``memories_seen``: memories with a row in a cone;
    ``gates_seen``: gates that lead to an output, or to a register or memory that is seen or represented.
    """

    registers: int
    seen: int
    represented: int
    unread: dict[str, int]
    explained: dict[str, int]
    unexplained: list[str]
    memories: int
    memories_seen: int
    gates: int
    gates_seen: int


@dataclass(frozen=True)
class ConeRecord:
    """The cone of a core. ``core``: its parameters. ``verilog``: fingerprint of its Verilog. ``version``: of runewire.
    ``seconds``: wall time."""

    core: dict[str, str | int | None]
    verilog: str
    version: str
    seconds: float
    cone: Cone

    def json(self) -> str:
        """The record as a text that `of` reads."""
        return record_text(asdict(self))

    @classmethod
    def of(cls, text: str) -> ConeRecord:
        """The record that `json` wrote."""
        values = json.loads(text)
        return cls(**{**values, "cone": Cone(**values["cone"])})


@dataclass
class Netlist:
    """A flat module of Yosys' JSON. ``words``: each register's bits, and its plain names."""

    cells: Cells
    ports: Mapping[str, Any]
    words: list[tuple[list[str], list[Bit]]]

    @cached_property
    def drivers(self) -> dict[Bit, str]:
        """The cell that drives a bit."""
        return {bit: name for name, cell in self.cells.items() for bit in _pins(cell, "output")}

    @cached_property
    def outputs(self) -> dict[str, list[Bit]]:
        """Bits of each output port."""
        return {name: port["bits"] for name, port in self.ports.items() if port["direction"] == "output"}

    def behind(self, starts: Iterable[Bit], *, through: bool = True) -> tuple[set[Bit], set[str]]:
        """Bits and cells on which the bits ``starts`` depend; ``through`` registers and memories, or up to these."""
        bits: set[Bit] = set()
        cells: set[str] = set()
        left = [bit for bit in starts if not isinstance(bit, str)]
        while left:
            bit = left.pop()
            if bit in bits:
                continue
            bits.add(bit)
            name = self.drivers.get(bit)
            if name is None or name in cells or not (through or not keeps(self.cells[name])):
                continue
            cells.add(name)
            left += [each for each in _pins(self.cells[name], "input") if not isinstance(each, str)]
        return bits, cells


def keeps(cell: Cells) -> bool:
    """Whether a cell has a state."""
    return "dff" in cell["type"].lower() or cell["type"].startswith("$mem")


def _pins(cell: Cells, way: str) -> list[Bit]:
    return [bit for name, at in cell["port_directions"].items() if at == way for bit in cell["connections"][name]]


def plain(name: str) -> str:
    """Name of a register in the delivered Verilog: without the modules `core` and `reports` around all, and without the
    number after a module whose name a signal has too."""
    *modules, last = [legal(part.partition("$")[0]) for part in name.removeprefix("\\").split(".")]
    inside = [re.sub(r"_\d+$", "", module) for module in modules if module not in ("core", "reports", "any")]
    return ".".join([*inside, last])


def common(name: str) -> str:
    """One name for all registers of `COPIES`; for a bank of a memory its name in the proof of the buffer."""
    inside, name = (IN_PACKER, name.removeprefix(IN_PACKER)) if name.startswith(IN_PACKER) else ("", name)
    bank = _BANK.fullmatch(name)
    if bank is not None:
        name = f"buffer.{bank[1]}_{'read' if bank[3] else 'word'}{bank[2]}"
    for pattern, copy in COPIES:
        name = pattern.sub(copy, name)
    return inside + name


def words(module: Mapping[str, Any]) -> list[list[str]]:
    """The registers of a module of Yosys' JSON, each with its names in the module that describes it; the widest
    first."""
    where: dict[Bit, str] = {}
    for name, cell in module["cells"].items():
        if cell["type"] == "$dff":
            found = _FLAT.match(name)
            where.update(dict.fromkeys(cell["connections"]["Q"], "" if found is None else found[1].replace("\\", "")))
    taken: dict[Bit, list[str]] = {}
    made: list[list[str]] = []
    for name, wire in sorted(module["netnames"].items(), key=lambda each: -len(each[1]["bits"])):
        bits = wire["bits"]
        if wire["hide_name"] or {where.get(bit) for bit in bits} != {name.rpartition(".")[0]}:
            continue
        first = taken.get(bits[0], [])
        if first and module["netnames"][first[0]]["bits"] == bits:
            first.append(name)
        elif not all(bit in taken for bit in bits):  # others name slices of it
            made.append([name])
            taken.update(dict.fromkeys(bits, made[-1]))
    return made


def netlist(engine: Engine, files: Mapping[str, str], reads: Sequence[str], mapped: Sequence[str], top: str,
            prefix: str = "") -> Netlist:
    """The flat netlist of gates that Yosys makes of the files: it ``reads`` the design, then runs the commands
    ``mapped``, and has a module ``top``. Registers of the design have the ``prefix`` there. Raises ToolError."""
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
        folder = Path(room)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        engine.script(folder, [*reads, "proc", "flatten", "opt_clean", "write_json words.json", *mapped,
                               "write_json gates.json"], top)
        design, gates = (json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["modules"]
                         for name in ("words", "gates"))
    module = gates[top]
    known = module["netnames"]
    return Netlist(module["cells"], module["ports"], [
        ([plain(name) for name in names], known[prefix + names[0]]["bits"])
        for names in words(design["dut"]) if prefix + names[0] in known])


def of_design(engine: Engine, parameters: TranscoderParameters) -> Netlist:
    """The delivered Verilog of a core, with its memories as cells."""
    text = delivered(parameters)
    return netlist(engine, {"dut.v": text}, ["read_verilog dut.v", "hierarchy -top dut"],
                   ["memory_collect", "opt_clean", "techmap", "simplemap", "opt_clean"], "dut")


def of_part(engine: Engine, proof: Proof) -> tuple[Netlist, set[Bit]]:
    """The comparison of a part, without lemmas, and the bits that its assertions depend on."""
    miter = proof.miter(None)
    if "LEMMAS" in miter.parameters:
        miter = proof.miter({**miter.parameters, "LEMMAS": 0})
    comparison = engine.comparison(miter)
    cell = re.search(r"cell \\dut (\S+)", comparison)
    assert cell is not None, "a harness has one design"
    made = netlist(engine, {"dut": miter.netlist, "comparison.il": comparison}, miter.reads, [
        *GATES, "read_rtlil comparison.il", f"hierarchy -top {miter.harness}", "flatten"],
        miter.harness, f"{cell[1].removeprefix(chr(92))}.")
    only = ONLY.get(proof.name)
    bits = [bit for name, port in made.outputs.items() if only is None or name in only for bit in port]
    return made, made.behind(bits)[0]


@dataclass
class Seen:
    """Registers of all parts by name. ``whole``: by width the bits in a cone. ``copies``: of each part whether all of
    one name are in its cone."""

    whole: dict[str, dict[int, set[int]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    copies: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def enter(self, part: Netlist, cone: set[Bit], inside: str = "") -> None:
        """Note the registers of a part. If several have one name, a bit counts only if it is in the cone in each."""
        found: dict[tuple[str, int], set[int]] = {}
        copies: dict[str, bool] = {}
        for names, word in part.words:
            bits = {at for at, bit in enumerate(word) if bit in cone}
            for name in names:
                called = inside + name
                found[called, len(word)] = found.get((called, len(word)), bits) & bits
                copies[common(called)] = copies.get(common(called), True) and bool(bits)
        for (name, width), bits in found.items():
            self.whole[name][width] |= bits
        for name, every in copies.items():
            self.copies[name].append(every)

    def exactly(self, name: str, width: int) -> set[int]:
        """Bits of a register that are in a cone of a part with the same register, as wide as here."""
        return self.whole[name][width] if name in self.whole else set()

    def narrower(self, name: str, width: int) -> bool:
        """Whether a part has the register with another width, in its cone."""
        return any(bits for wide, bits in self.whole.get(name, {}).items() if wide != width)

    def one_for_several(self, name: str) -> bool:
        """Whether a part has one register for several such, in its cone."""
        return any(self.copies.get(common(name), ()))


def cone(parameters: TranscoderParameters, engine: Engine, parts: Sequence[Proof] | None = None) -> Cone:
    """The cone of all ``parts`` of a core together; default: of all that it has. Raises ToolError, ParameterError."""
    seen = Seen()
    for proof in proofs(parameters) if parts is None else parts:
        name = proof.name.removeprefix(PACKER)
        if name not in ITSELF:
            made, bits = of_part(engine, proof)
            seen.enter(made, bits, IN_PACKER if proof.name != name else "")
    return judged(of_design(engine, parameters), seen, str(parameters))


def numbered(names: Iterable[str]) -> list[str]:
    """The names, and without the number that the writer of the Verilog gives registers of one name."""
    every = [*names]
    return [*every, *(re.sub(r"_\d+$", "", name) for name in every)]


def compared(design: Netlist, seen: Seen) -> Iterator[tuple[list[str], list[Bit], set[int], bool]]:
    """Each register of the design: its names, its bits, the bits that are seen in a part with the same register, and
    whether a narrower register represents it, or one for several."""
    for names, word in sorted(design.words):
        every = numbered(names)
        exact = set().union(*(seen.exactly(name, len(word)) for name in every))
        yield names, word, exact, any(
            seen.narrower(name, len(word)) or (not exact and seen.one_for_several(name)) for name in every)


def memories_of(design: Netlist) -> list[tuple[str, Cells]]:
    """The memories of a design, each with the name that its rows have in a part."""
    return [(plain(name).removesuffix(".rows"), cell) for name, cell in design.cells.items()
            if cell["type"].startswith("$mem")]


def judged(design: Netlist, seen: Seen, core: str) -> Cone:
    """What the cones leave of the design of a core with that name."""
    ports = [bit for port in design.outputs.values() for bit in port]
    read = design.behind(ports)[0]
    starts = [*ports]
    exactly = represented = memories = 0
    unread: dict[str, int] = {}
    left = _Left(core)
    for names, word, exact, stands in compared(design, seen):
        for at, bit in enumerate(word):
            if (at in exact or stands) and bit in design.drivers:
                starts += _pins(design.cells[design.drivers[bit]], "input")
        rest = [bit for at, bit in enumerate(word) if at not in exact]
        exactly += len(word) - len(rest)
        if stands:
            represented += len(rest)
            continue
        lost = [bit for bit in rest if bit not in read]
        if lost:
            unread[names[0]] = len(lost)
        left.enter(names[0], len(rest) - len(lost))
    stores = memories_of(design)
    for name, cell in stores:
        if seen.one_for_several(name):
            memories += 1
            starts += _pins(cell, "input")
        else:
            left.enter(name, 1)
    gates = {name for name, cell in design.cells.items() if not keeps(cell) and cell["type"] != "$scopeinfo"}
    return Cone(sum(len(word) for _, word in design.words), exactly, represented, unread, dict(left.explained),
                left.unexplained, len(stores), memories, len(gates),
                len(gates & design.behind(starts, through=False)[1]))


@dataclass
class _Left:
    """Registers and memories of a core that are in no cone."""

    core: str
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    def enter(self, name: str, bits: int) -> None:
        """A register or a memory, if any bits of it are left."""
        for reason in _reasons() if bits else ():
            if matches(self.core, reason["cores"]) and matches(name, reason["registers"]):
                self.explained[reason["why"]] += bits
                return
        if bits:
            self.unexplained.append(name)


def matches(text: str, patterns: Iterable[str]) -> bool:
    """Whether the text is one of the patterns, in which a * is any text."""
    return any(re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) for pattern in patterns)


@cache
def _reasons() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(REASONS.read_text(encoding="utf-8"))["reason"]
    return found
