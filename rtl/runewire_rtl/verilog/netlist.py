"""Netlists at word level: modules of cells, registers, memories and instances.

`Module.op` alone makes cells. It folds constants and never makes the same cell twice, so in ``Module.cells`` every cell
comes after the cells that it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .folding import FOLDS
from .words import BITWISE, FIRST, Bits, Cell, Choice, Tree, leaves


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
class InstancePort:
    """A port of an instance: ``inside`` are its bits in the module, ``outside`` its bits in the surrounding module."""

    name: str
    output: bool
    inside: Bits
    outside: Bits


@dataclass(eq=False)
class Instance:
    name: str
    module: Module
    ports: list[InstancePort]


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
    design: Hierarchy
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
        simple = FOLDS[kind](self, *operands)
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
class Hierarchy:
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


def settle_ports(design: Hierarchy) -> None:
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
