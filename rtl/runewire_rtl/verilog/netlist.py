"""Netlists at word level: reads Amaranth's RTLIL, folds constants, and drops what no output depends on.

A *bit* is a number: 0, 1 and `X` are constants; every other number is one wire of one module. A *word* is a tuple of
bits, lowest first. `Module.op` alone makes cells. It folds constants and never makes the same cell twice, so in
``Module.cells`` every cell comes after the cells that it reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = [
    "Bits",
    "Cell",
    "Choice",
    "Design",
    "Instance",
    "Memory",
    "Module",
    "Port",
    "Register",
    "Tree",
    "Wire",
    "X",
    "absorb",
    "leaves",
    "read",
]

X = 2
"""The unknown bit."""

FIRST = 4
"""The first bit that is not a constant."""

Bits = tuple[int, ...]
"""A word, lowest bit first."""

BITWISE = ("and", "or", "xor", "not", "mux")
"""Operations that can be sliced: a slice of the result is the same operation on slices."""


@dataclass(frozen=True)
class Choice:
    """``yes`` if ``condition`` is 1, else ``no``: an input of a register."""

    condition: int
    yes: Tree
    no: Tree


Tree = Bits | Choice
"""Next value of a register: a word, or a choice. The register's own bits mean that it holds."""


@dataclass(eq=False)
class Cell:
    """``result``: the word that the operation ``kind`` computes from ``operands``.

    Operands are as wide as the result, or equally wide if the result is one bit. The first operand of a multiplexer is
    one bit; if it is 1 the multiplexer selects the second.
    """

    kind: str
    operands: tuple[Bits, ...]
    result: Bits


@dataclass(eq=False)
class Register:
    """Flip-flops ``q`` that start as ``initial`` and load ``d`` at a rising edge of ``clock``."""

    q: Bits
    initial: Bits
    d: Tree
    clock: int


@dataclass(eq=False)
class Memory:
    """A memory of ``depth`` words, initially zero, with one write port and one registered read port."""

    name: str
    depth: int
    attributes: dict[str, int | str]
    clock: int
    write: int = 0
    write_row: Bits = ()
    write_data: Bits = ()
    read: int = 1
    read_row: Bits = ()
    read_data: Bits = ()


@dataclass(eq=False)
class Port:
    """A port of an instance: ``inside`` are its bits in the module, ``outside`` its bits in the surrounding module."""

    name: str
    output: bool
    inside: Bits
    outside: Bits


@dataclass(eq=False)
class Instance:
    name: str
    module: Module
    ports: list[Port]


@dataclass(eq=False)
class Wire:
    name: str
    bits: Bits
    attributes: dict[str, int | str]
    direction: str = ""


@dataclass(eq=False)
class Module:
    """A module and its contents. ``wires`` have names; a wire that is an alias has another wire's bits."""

    name: str
    design: Design
    wires: dict[str, Wire] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    maker: dict[int, Cell] = field(default_factory=dict)
    """The cell that drives a bit."""
    _made: dict[tuple[str, tuple[Bits, ...]], Bits] = field(default_factory=dict)

    def op(self, kind: str, *operands: Bits) -> Bits:
        """The result of an operation, folded if operands are constant."""
        simple = _FOLDS[kind](self, *operands)
        return self._cell(kind, operands) if simple is None else simple

    def _cell(self, kind: str, operands: tuple[Bits, ...]) -> Bits:
        key = (kind, operands)
        if key not in self._made:
            width = len(operands[-1]) if kind in (*BITWISE, "add", "sub", "neg") else 1
            cell = Cell(kind, operands, self.design.bits(width))
            self.cells.append(cell)
            self.maker.update(dict.fromkeys(cell.result, cell))
            self._made[key] = cell.result
        return self._made[key]

    def ports(self) -> Iterator[Wire]:
        return (wire for wire in self.wires.values() if wire.direction)


@dataclass(eq=False)
class Design:
    """Modules, the outermost first."""

    modules: list[Module] = field(default_factory=list)
    _next: int = FIRST

    def bits(self, width: int) -> Bits:
        first = self._next
        self._next += width
        return tuple(range(first, self._next))

    def alive(self) -> set[int]:
        """Bits that an output of the first module, or a preserved register, depends on."""
        sources: dict[int, Iterable[int]] = {}
        pending: list[int] = []
        for module in self.modules:
            for cell in module.cells:
                inputs = [bit for operand in cell.operands for bit in operand]
                sources.update((bit, inputs) for bit in cell.result)
            for register in module.registers:
                inputs = [register.clock, *leaves(register.d), *register.q]
                sources.update((bit, inputs) for bit in register.q)
            for memory in module.memories:
                inputs = [memory.clock, memory.write, *memory.write_row, *memory.write_data, memory.read,
                          *memory.read_row, *memory.read_data]
                sources.update((bit, inputs) for bit in memory.read_data)
            for instance in module.instances:
                for port in instance.ports:
                    ends = (port.outside, port.inside) if port.output else (port.inside, port.outside)
                    for sink, source in zip(*ends, strict=True):
                        sources[sink] = [source]
            pending += [bit for wire in module.wires.values() if "keep" in wire.attributes for bit in wire.bits]
        pending += [bit for wire in self.modules[0].ports() if wire.direction == "output" for bit in wire.bits]
        seen: set[int] = set()
        while pending:
            bit = pending.pop()
            if bit not in seen:
                seen.add(bit)
                pending.extend(sources.get(bit, ()))
        return seen


def absorb(module: Module) -> None:
    """Replace the only instance of a module by its contents; the module contains nothing else."""
    (instance,) = module.instances
    inner = instance.module
    assert not [*module.cells, *module.registers, *module.memories], "there is more in the module"
    same: dict[int, int] = {}
    for port in instance.ports:
        ends = (port.outside, port.inside) if port.output else (port.inside, port.outside)
        same.update(zip(*ends, strict=True))

    for wire in inner.wires.values():
        wire.direction = ""
    _replace(inner, same)
    for wire in module.wires.values():
        wire.bits = _word(wire.bits, same)
    module.cells, module.registers, module.memories = inner.cells, inner.registers, inner.memories
    module.instances, module.maker = inner.instances, inner.maker
    module.wires = {**inner.wires, **module.wires}
    module.design.modules.remove(inner)


def _word(bits: Bits, same: Mapping[int, int]) -> Bits:
    return tuple(same.get(bit, bit) for bit in bits)


def _replace(module: Module, same: Mapping[int, int]) -> None:
    """Substitute bits by the bits that ``same`` maps them to."""
    def tree(of: Tree) -> Tree:
        if isinstance(of, Choice):
            return Choice(same.get(of.condition, of.condition), tree(of.yes), tree(of.no))
        return _word(of, same)

    for cell in module.cells:
        cell.operands = tuple(_word(operand, same) for operand in cell.operands)
    for register in module.registers:
        register.d, register.clock = tree(register.d), same.get(register.clock, register.clock)
    for memory in module.memories:
        memory.clock, memory.write, memory.read = _word((memory.clock, memory.write, memory.read), same)
        for name in ("write_row", "write_data", "read_row"):
            setattr(memory, name, _word(getattr(memory, name), same))
    for each in module.instances:
        for port in each.ports:
            port.outside = _word(port.outside, same)
    for wire in module.wires.values():
        wire.bits = _word(wire.bits, same)


def _settle_ports(design: Design) -> None:
    """Propagate constants out of instances, and merge outputs that are equal."""
    for module in design.modules:
        same: dict[int, int] = {}
        for instance in module.instances:
            known: dict[int, int] = {}
            for port in instance.ports:
                if port.output:
                    for inside, outside in zip(port.inside, port.outside, strict=True):
                        source = inside if inside < FIRST else known.setdefault(inside, outside)
                        if source != outside:
                            same[outside] = source
        driven = [(port, port.outside) for instance in module.instances for port in instance.ports if port.output]
        if same:
            _replace(module, same)
            for port, bits in driven:
                port.outside = bits


def leaves(tree: Tree) -> Iterator[int]:
    """Every bit in a tree."""
    if isinstance(tree, Choice):
        yield tree.condition
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    else:
        yield from tree


# Folding. Each function returns the word that an operation reduces to without a cell of this kind, or None.

def _bitwise(kind: str, decide: Callable[[int, int], int | None]) -> Callable[..., Bits | None]:
    def fold(module: Module, left: Bits, right: Bits) -> Bits | None:
        found = [decide(a, b) for a, b in zip(left, right, strict=True)]
        rest = [index for index, bit in enumerate(found) if bit is None]
        if len(rest) == len(found):
            return None
        made = iter(module.op(kind, *(tuple(side[index] for index in rest) for side in (left, right))) if rest else ())
        return tuple(next(made) if bit is None else bit for bit in found)
    return fold


def _and(a: int, b: int) -> int | None:
    if 0 in (a, b):
        return 0
    return b if a in (1, b) else a if b == 1 else None


def _or(a: int, b: int) -> int | None:
    if 1 in (a, b):
        return 1
    return b if a in (0, b) else a if b == 0 else None


def _xor(a: int, b: int) -> int | None:
    if a == b:
        return 0
    return b if a == 0 else a if b == 0 else None


def _fold_xor(module: Module, left: Bits, right: Bits) -> Bits | None:
    for value, other in ((left, right), (right, left)):
        if set(value) == {1}:
            return module.op("not", other)
    return _bitwise("xor", _xor)(module, left, right)


def _inverse(module: Module, bit: int) -> int | None:
    if bit < FIRST:
        return (1, 0, X)[bit]
    cell = module.maker.get(bit)
    if cell is not None and cell.kind == "not":
        return cell.operands[0][cell.result.index(bit)]
    return None


def _fold_not(module: Module, value: Bits) -> Bits | None:
    found = [_inverse(module, bit) for bit in value]
    rest = tuple(bit for bit, known in zip(value, found, strict=True) if known is None)
    if len(rest) == len(value):
        return None
    made = iter(module.op("not", rest) if rest else ())
    return tuple(next(made) if bit is None else bit for bit in found)


def _fold_mux(module: Module, choice: Bits, yes: Bits, no: Bits) -> Bits | None:
    if choice[0] < FIRST or yes == no:
        return yes if choice[0] == 1 else no
    if (yes, no) == ((1,), (0,)):
        return choice
    return module.op("not", choice) if (yes, no) == ((0,), (1,)) else None


def _reduction(kind: str, neutral: int) -> Callable[..., Bits | None]:
    def fold(module: Module, value: Bits) -> Bits | None:
        rest = tuple(dict.fromkeys(bit for bit in value if bit != neutral))
        if 1 - neutral in rest:
            return (1 - neutral,)
        if len(rest) < 2:
            return rest or (neutral,)
        return None if rest == value else module.op(kind, rest)
    return fold


def _fold_parity(module: Module, value: Bits) -> Bits | None:
    if len(value) == 1:
        return value
    rest = tuple(bit for bit in value if bit)
    return None if rest == value else module.op("parity", rest) if rest else (0,)


def _fold_eq(module: Module, left: Bits, right: Bits) -> Bits | None:
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if any({a, b} == {0, 1} for a, b in pairs):
        return (0,)
    if not pairs:
        return (1,)
    if len(pairs) == 1:
        ((a, b),) = pairs
        for bit, constant in ((a, b), (b, a)):
            if constant in (0, 1):
                return (bit,) if constant else module.op("not", (bit,))
    if len(pairs) == len(left):
        return None
    return module.op("eq", tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


def _fold_gt(_module: Module, left: Bits, right: Bits) -> Bits | None:
    return left if len(left) == 1 and right == (0,) else None


def _as_it_is(_module: Module, *_operands: Bits) -> None:
    return None


_FOLDS: dict[str, Callable[..., Bits | None]] = {
    "and": _bitwise("and", _and), "or": _bitwise("or", _or), "xor": _fold_xor, "not": _fold_not, "mux": _fold_mux,
    "all": _reduction("all", 1), "any": _reduction("any", 0), "parity": _fold_parity, "eq": _fold_eq,
    "gt": _fold_gt, **dict.fromkeys(("lt", "le", "ge", "add", "sub", "neg"), _as_it_is),
}

# RTLIL reader.

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


class Reader:
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
            ports.append(Port(name, wire.direction == "output", wire.bits, self.settle(self.word(text))))
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


def read(text: str) -> Design:
    """The design in a text of RTLIL, as Amaranth writes it.

    Raises ``NotImplementedError`` for constructs that no core of this project uses: a latch, a signed comparison.
    """
    design = Design()
    readers: dict[str, Reader] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("module "):
            name = line.split()[1][1:]
            module = Module(name, design)
            design.modules.append(module)
            readers[name] = Reader(module)
            readers[name].take(lines)
    modules = {name: reader.module for name, reader in readers.items()}
    for reader in readers.values():
        reader.build(modules)
    for module in design.modules:
        for instance in module.instances:
            for port in instance.ports:
                port.inside = instance.module.wires[port.name].bits
    _settle_ports(design)
    return design
