"""RTLIL, as Amaranth writes it, read into a netlist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .netlist import Hierarchy, Instance, InstancePort, Memory, Module, Register, Wire, settle_ports
from .words import FIRST, Bits, Choice, Tree, X

_REDUCTIONS = {"$reduce_and": "all", "$reduce_or": "any", "$reduce_bool": "any", "$reduce_xor": "parity"}
_COMPARED = {"$eq": "eq", "$ne": "eq", "$lt": "lt", "$le": "le", "$gt": "gt", "$ge": "ge"}
_SHIFTS = ("$shl", "$shr", "$sshl", "$sshr")


@dataclass(frozen=True)
class Assign:
    target: Bits
    value: Bits


@dataclass(frozen=True)
class Switch:
    """The first case with a pattern that matches the selector. Patterns have the highest bit first; ``-`` matches
    both."""

    selector: Bits
    cases: list[tuple[list[str], list[Assign | Switch]]]


Body = list[Assign | Switch]
"""Statements of a process."""


@dataclass(eq=False)
class RawCell:
    kind: str
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        return int(self.parameters[name])


@dataclass(eq=False)
class Segment:
    """Bits that a process drives together, and their choice, once it is requested."""

    target: Bits
    body: Body
    tree: Tree | None = None


class RtlilReader:
    """Reader of one module's text."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.memory_lines: dict[str, tuple[int, int, dict[str, int | str]]] = {}
        self.raw: list[RawCell] = []
        self.bodies: list[Body] = []
        self.driver: dict[int, RawCell | Segment] = {}
        self.alias: dict[int, int] = {}
        self._initial: dict[int, int] = {}
        self._wires: dict[str, Bits] = {}
        self._words: dict[str, Bits] = {}

    # Text to raw cells.

    def take(self, lines: Iterator[str]) -> None:
        """Read the lines of a module up to its end."""
        attributes: dict[str, int | str] = {}
        for line in lines:
            first, _, rest = line.strip().partition(" ")
            if first == "attribute":
                name, _, value = rest.partition(" ")
                attributes[name[1:]] = _constant(value)
                continue
            if first == "wire":
                self._wire(rest.split(), attributes)
            elif first == "memory":
                _, width, _, size, name = rest.split()
                self.memory_lines[name[1:]] = (int(width), int(size), attributes)
            elif first == "cell":
                self._cell(rest, lines)
            elif first == "process":
                self.bodies.append(self._body(lines)[0])
            elif first == "connect":
                target, source = self._operands(rest)
                self.alias.update(zip(target, source, strict=True))
            elif first == "end":
                return
            elif first:
                raise NotImplementedError(f"RTLIL of this kind cannot be written as Verilog: {line.strip()}")
            if first:
                attributes = {}

    def _wire(self, words: list[str], attributes: dict[str, int | str]) -> None:
        name = words.pop()
        bits = self.module.design.bits(int(words[words.index("width") + 1]))
        direction = next((way for way in ("input", "output") if way in words), "")
        self._wires[name] = bits
        if "init" in attributes:
            value = int(attributes.pop("init"))
            self._initial.update((bit, value >> index & 1) for index, bit in enumerate(bits))
        if name.startswith("\\"):
            self.module.wires[name[1:]] = Wire(name[1:], bits, attributes, direction)

    def _cell(self, head: str, lines: Iterator[str]) -> None:
        kind, name = head.split()
        cell = RawCell(kind, name)
        for line in lines:
            first, _, rest = line.strip().partition(" ")
            if first == "end":
                break
            key, _, value = rest.partition(" ")
            if first == "parameter":
                cell.parameters[key[1:]] = value
            elif first == "connect":
                cell.ports[key[1:]] = value
        self.raw.append(cell)

    def _body(self, lines: Iterator[str]) -> tuple[Body, str]:
        """Statements up to the first line that is not one, and that line."""
        body: Body = []
        for line in lines:
            first, _, rest = line.strip().partition(" ")
            if first == "assign":
                target, value = self._operands(rest)
                body.append(Assign(target, value))
            elif first == "switch":
                cases: list[tuple[list[str], Body]] = []
                head = next(lines).strip()
                while head != "end":
                    patterns = [each.strip().partition("'")[2] for each in head.partition(" ")[2].split(",")]
                    inner, head = self._body(lines)
                    cases.append((patterns, inner))
                body.append(Switch(self.word(rest), cases))
            elif first:
                return body, line.strip()
        raise ValueError("a process does not end")

    def _operands(self, text: str) -> tuple[Bits, Bits]:
        """The two words of an assignment."""
        if text.startswith("{"):
            target, _, source = text.partition("} ")
            return self.word(target + "}"), self.word(source)
        found = re.match(r"(\S+(?: \[[\d:]+\])?) (.*)", text)
        assert found is not None
        return self.word(found[1]), self.word(found[2])

    def word(self, text: str) -> Bits:
        """The bits that a signal specification names."""
        if text not in self._words:
            parts: list[Bits] = []
            for token in text.split():
                if token[0] == "[":
                    high, _, low = token[1:-1].partition(":")
                    parts[-1] = parts[-1][int(low or high) : int(high) + 1]
                elif token[0] in "\\$":
                    parts.append(self._wires[token])
                elif token[0] not in "{}":
                    digits = token.partition("'")[2]
                    parts.append(tuple("01".find(digit) % 3 for digit in reversed(digits)))
            self._words[text] = tuple(bit for part in reversed(parts) for bit in part)
        return self._words[text]

    # Raw cells to operations.

    def build(self, modules: dict[str, Module]) -> None:
        """Make the module from the text that was read. ``modules``: by their names in RTLIL."""
        sequential = []
        for cell in self.raw:
            if cell.kind in ("$dff", "$meminit_v2", "$memwr_v2", "$memrd_v2") or cell.kind.startswith("\\"):
                sequential.append(cell)
            else:
                self.driver.update(dict.fromkeys(self.word(cell.ports["Y"]), cell))
        for body in self.bodies:
            for target in _segments(body):
                segment = Segment(target, body)
                self.driver.update(dict.fromkeys(target, segment))
        for cell in sequential:
            if cell.kind == "$dff":
                self._register(cell)
            elif cell.kind.startswith("\\"):
                self._instance(cell, modules[cell.kind[1:]])
        self._memories([cell for cell in sequential if cell.kind.startswith("$mem")])
        for wire in self.module.wires.values():
            wire.bits = self.settle(wire.bits)

    def settle(self, word: Bits) -> Bits:
        """The word in terms of the module's cells."""
        return tuple(self._settled(bit) for bit in word)

    def _settled(self, bit: int) -> int:
        while bit in self.alias:
            bit = self.alias[bit]
        driver = self.driver.get(bit)
        if driver is None or bit < FIRST:
            return bit
        if isinstance(driver, Segment):
            target, result = driver.target, self._word_of(self._tree(driver))
        else:
            target, result = self.word(driver.ports["Y"]), self._operation(driver)
        self.alias.update(zip(target, result, strict=True))
        return self.alias[bit]

    def _word_of(self, tree: Tree) -> Bits:
        if isinstance(tree, Choice):
            return self.module.op("mux", (tree.condition,), self._word_of(tree.yes), self._word_of(tree.no))
        return tree

    def _tree(self, segment: Segment) -> Tree:
        if segment.tree is None:
            tree = self._run(segment.body, segment.target, None)
            assert tree is not None, "a process leaves a bit without a value"
            segment.tree = tree
        return segment.tree

    def _run(self, body: Body, target: Bits, before: Tree | None) -> Tree | None:
        """The target's value after the statements, if it was ``before``."""
        tree = before
        for statement in body:
            if isinstance(statement, Assign):
                if target[0] in statement.target:
                    first = statement.target.index(target[0])
                    tree = self.settle(statement.value[first : first + len(target)])
                continue
            branches = [(patterns, self._run(inner, target, tree)) for patterns, inner in statement.cases]
            if all(branch == tree for _, branch in branches):
                continue
            chosen = tree
            for patterns, branch in reversed(branches):
                condition = self._matches(self.settle(statement.selector), patterns)
                if condition == 1 or branch == chosen:
                    chosen = branch
                elif condition:
                    assert chosen is not None
                    assert branch is not None
                    chosen = Choice(condition, branch, chosen)
            tree = chosen
        return tree

    def _matches(self, selector: Bits, patterns: Sequence[str]) -> int:
        op = self.module.op
        if not any(patterns):
            return 1
        found: Bits = ()
        for pattern in patterns:
            pairs = [(bit, int(digit)) for bit, digit in zip(selector, reversed(pattern), strict=True) if digit != "-"]
            found += op("eq", tuple(bit for bit, _ in pairs), tuple(value for _, value in pairs))
        return op("any", found)[0]

    def _operation(self, cell: RawCell) -> Bits:
        kind, op = cell.kind, self.module.op
        width = cell.number("Y_WIDTH") if "Y_WIDTH" in cell.parameters else 0
        a, b = (self.settle(self.word(cell.ports[port])) if port in cell.ports else () for port in "AB")
        signed = cell.parameters.get("A_SIGNED", "0") == "1"
        if kind == "$mux":
            return op("mux", self.settle(self.word(cell.ports["S"])), b, a)
        if kind in _REDUCTIONS:
            return op(_REDUCTIONS[kind], a)
        if kind == "$logic_not":
            return op("not", op("any", a))
        if kind in ("$not", "$neg"):
            return op(kind[1:], _extended(a, width, signed))
        if kind in ("$and", "$or", "$xor", "$add", "$sub"):
            both = signed and cell.parameters["B_SIGNED"] == "1"
            return op(kind[1:], _extended(a, width, both), _extended(b, width, both))
        if kind in _COMPARED and not signed:
            full = max(len(a), len(b))
            same = op(_COMPARED[kind], _extended(a, full), _extended(b, full))
            return op("not", same) if kind == "$ne" else same
        if kind in _SHIFTS and all(bit < X for bit in b):
            by = sum(bit << index for index, bit in enumerate(b))
            wide = _extended(a, max(len(a), width), signed)
            if kind in ("$shl", "$sshl"):
                return ((0,) * by + wide)[:width]
            return _extended(wide[by:], width, signed and kind == "$sshr")
        raise NotImplementedError(f"an RTLIL cell of this kind cannot be written as Verilog: {kind}")

    def _register(self, cell: RawCell) -> None:
        if cell.number("CLK_POLARITY") != 1:
            raise NotImplementedError("a register of a falling clock edge cannot be written as Verilog")
        q, d = self.word(cell.ports["Q"]), self.word(cell.ports["D"])
        clock = self._settled(self.word(cell.ports["CLK"])[0])
        done = 0
        while done < len(d):
            driver = self.driver.get(d[done])
            if isinstance(driver, Segment) and d[done : done + len(driver.target)] == driver.target:
                size, tree = len(driver.target), self._tree(driver)
            else:
                size = next((index for index, bit in enumerate(d[done:])
                             if index and isinstance(self.driver.get(bit), Segment)), len(d) - done)
                tree = self.settle(d[done : done + size])
            part = q[done : done + size]
            self.module.registers.append(Register(part, tuple(self._initial[bit] for bit in part), tree, clock))
            done += size

    def _instance(self, cell: RawCell, module: Module) -> None:
        wires = {wire.name: wire for wire in module.ports()}
        ports = []
        for name, text in cell.ports.items():
            wire = wires[name]
            ports.append(InstancePort(name, wire.direction == "output", wire.bits, self.settle(self.word(text))))
        self.module.instances.append(Instance(cell.name[1:], module, ports))

    def _memories(self, cells: Sequence[RawCell]) -> None:
        made: dict[str, Memory] = {}
        for cell in cells:
            name = cell.parameters["MEMID"].strip('"').lstrip("\\")
            width, size, attributes = self.memory_lines[name]
            ports = {port: self.settle(self.word(text)) for port, text in cell.ports.items()}
            if cell.kind == "$meminit_v2":
                if set(ports["DATA"]) != {0} or len(ports["DATA"]) != width * size:
                    raise NotImplementedError(f"memory {name} cannot be written as Verilog: it does not start as zeros")
                continue
            memory = made.setdefault(name, Memory(name, size, attributes, ports["CLK"][0]))
            if cell.kind == "$memwr_v2":
                if memory.write_row or len(set(ports["EN"])) != 1:
                    raise NotImplementedError(f"memory {name} cannot be written as Verilog: it has more than one "
                                              "write port, or one that writes parts of a word")
                memory.write, memory.write_row, memory.write_data = ports["EN"][0], ports["ADDR"], ports["DATA"]
            else:
                if memory.read_row or cell.parameters["TRANSPARENCY_MASK"] != "1'0":
                    raise NotImplementedError(f"memory {name} cannot be written as Verilog: it has more than one "
                                              "read port, or one that shows what is being written")
                memory.read, memory.read_row, memory.read_data = ports["EN"][0], ports["ADDR"], ports["DATA"]
        self.module.memories += made.values()


def _constant(text: str) -> int | str:
    """The value of an attribute."""
    if text.startswith('"'):
        escapes = {"n": "\n", "t": "\t"}
        return re.sub(r"\\(.)", lambda found: escapes.get(found[1], found[1]), text[1:-1])
    _, quote, digits = text.partition("'")
    return int(digits.replace("x", "0") or "0", 2) if quote else int(text)


def _extended(word: Bits, width: int, signed: bool = False) -> Bits:
    return word[:width] + (word[-1] if signed and word else 0,) * (width - len(word))


def _segments(body: Body) -> list[Bits]:
    """The bits that a process drives, split at every boundary of an assignment."""
    def targets(body: Body) -> Iterator[Bits]:
        for statement in body:
            if isinstance(statement, Assign):
                yield statement.target
            else:
                for _, inner in statement.cases:
                    yield from targets(inner)

    found = [target for target in targets(body) if target]  # a signal may have no bits
    cuts = {target[0] for target in found} | {target[-1] + 1 for target in found}
    segments: list[list[int]] = []
    for bit in sorted({bit for target in found for bit in target}):
        if bit in cuts or not segments or segments[-1][-1] != bit - 1:
            segments.append([])
        segments[-1].append(bit)
    return [tuple(segment) for segment in segments]


def read(text: str) -> Hierarchy:
    """The design in a text of RTLIL, as Amaranth writes it.

    Raises ``NotImplementedError`` for constructs that no core of this project uses: a latch, a signed comparison.
    """
    design = Hierarchy()
    readers: dict[str, RtlilReader] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("module "):
            name = line.split()[1][1:]
            module = Module(name, design)
            design.modules.append(module)
            readers[name] = RtlilReader(module)
            readers[name].take(lines)
    modules = {name: reader.module for name, reader in readers.items()}
    for reader in readers.values():
        reader.build(modules)
    for module in design.modules:
        for instance in module.instances:
            for port in instance.ports:
                port.inside = instance.module.wires[port.name].bits
    settle_ports(design)
    return design
