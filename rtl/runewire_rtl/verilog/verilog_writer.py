"""Verilog writer (IEEE 1364-2005): readable text from a netlist, one module per module of the design and per memory.

An expression that is used once is written in place. One that is used more often has a name, derived from the signal
that it is part of. Registers that load together share an always block. The text depends on the netlist alone, and on
whether registers have initial values; memories have none.
"""

from __future__ import annotations

import heapq
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

from ..pipeline.stage import MARKER
from .netlist import BITWISE, FIRST, Bits, Cell, Choice, Design, Instance, Memory, Module, Register, Tree, Wire

__all__ = ["legal", "write"]

LINE = 116
"""Approximate length of a line."""

OPERATORS = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "eq": "==", "lt": "<", "le": "<=", "gt": ">",
             "ge": ">="}
REDUCTIONS = {"all": "&", "any": "|", "parity": "^"}
PARTS = {"and": "and", "or": "or", "xor": "xor", "not": "not", "mux": "choice", "all": "all", "any": "any",
         "parity": "parity", "eq": "equal", "lt": "less", "le": "at_most", "gt": "more", "ge": "at_least",
         "add": "sum", "sub": "difference", "neg": "negative"}
"""Suffix of a part's name, after the name of the whole."""

KEYWORDS = frozenset(re.findall(r"\w+", """
    always and assign automatic begin bit buf byte case casex casez cell checker class clocking config const context
    cover default defparam design disable do edge else end endcase endmodule enum event expect export extends extern
    final first_match for force foreach forever fork function generate genvar global if iff import initial inout input
    inside instance int integer interface join large let library local localparam logic longint matches medium modport
    module nand negedge new nor not null or output package packed parameter posedge primitive priority program property
    protected pure rand real ref reg release repeat restrict return scalared sequence shortint signed small solve
    static string strong struct super supply0 supply1 table tagged task this time timescale tri type typedef union
    unique unsigned until use var vectored virtual void wait wand weak while wildcard wire with within wor xnor xor
"""))

PRIMARY, UNARY, REDUCED, BINARY, TERNARY = range(5)
"""Precedence of an expression's operator."""


@dataclass(frozen=True)
class Text:
    """An expression. ``operator``: the operator that joins its parts, if a single one does."""

    text: str
    binding: int = PRIMARY
    operator: str = ""

    def inside(self, operator: str = "") -> str:
        """The expression as an operand."""
        if self.binding <= UNARY or (operator and operator == self.operator):
            return self.text
        return f"({self.text})"


def legal(name: str) -> str:
    """A legal Verilog name; a legal name is returned unchanged."""
    plain = re.sub(r"\W+|_{2,}|\$", "_", name).strip("_") or "signal"
    if plain[0].isdigit() or plain in KEYWORDS:
        plain = f"n_{plain}"
    return plain


@cache
def natural(name: str) -> tuple[object, ...]:
    """Sort key that orders numbers in names by value."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))


def span(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


@dataclass(frozen=True)
class OuterPort:
    """A port in the Verilog: ``inside`` and ``outside`` are its bits there."""

    name: str
    output: bool
    inside: Bits
    outside: Bits


@dataclass(eq=False)
class Net:
    """A declared name. ``made``: the bits with a driver of this name."""

    name: str
    bits: Bits
    kind: str
    attributes: dict[str, int | str] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)


class ModuleWriter:
    """Names the signals of a module, and writes it."""

    def __init__(self, module: Module, alive: set[int], initial_values: bool) -> None:
        self.module = module
        self.alive = alive
        self.initial_values = initial_values
        self.ports: list[OuterPort] = []
        self.nets: dict[str, Net] = {}
        self.where: dict[int, tuple[str, int]] = {}
        """The net and index of each named bit."""
        self.known: dict[str, Wire] = {}
        """Wires that nets may be named after, by the resulting name."""
        self._called: dict[str, str] = {}
        for wire in sorted(module.wires.values(), key=lambda wire: ("$" in wire.name, natural(wire.name))):
            if self._worth_a_name(wire):
                # Amaranth distinguishes wires of one name by a number.
                name = self._called[wire.name] = self.free(legal(wire.name.partition("$")[0]))
                self.known[name] = wire
        self._by_bit: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for name, wire in self.known.items():
            for index, bit in enumerate(wire.bits):
                self._by_bit[bit].append((name, index))
        self.initial = {bit: value for register in module.registers
                        for bit, value in zip(register.q, register.initial, strict=True)}
        self.driven = self.initial.keys() | module.maker.keys()
        """Bits that the module drives."""
        self.owner: dict[Cell, str] = {}
        self.groups: list[tuple[list[Register], bool]] = []
        self.inlined: set[Cell] = set()
        self._used: set[str] = set()

    def _worth_a_name(self, wire: Wire) -> bool:
        """Whether nets may be named after a wire: it has a name of its own, and a driver for each of its bits."""
        return ("." not in wire.name and not wire.name.startswith(("port$", MARKER))
                and min(wire.bits, default=0) >= FIRST
                and len(set(wire.bits)) == len(wire.bits) and not self.alive.isdisjoint(wire.bits))

    # Names.

    def free(self, name: str) -> str:
        """The name, followed by a number if it is already in use."""
        found, number = name, 1
        while found in self.nets or found in self.known:
            number += 1
            found = f"{name}_{number}"
        return found

    def call(self, name: str) -> str:
        """The name of a port, unless Amaranth has none for it."""
        return self._called.get(name) or self.free(legal(name.partition("$")[0]))

    def declare(self, name: str, bits: Bits, kind: str) -> Net:
        wire = self.known.get(name)
        net = self.nets[name] = Net(name, bits, kind, wire.attributes if wire else {})
        return net

    def _best(self, word: Bits) -> str | None:
        """The wire that equals the word; for a register of several parts, a wire that contains it."""
        found = [name for name, index in self._by_bit.get(word[0], ())
                 if self.known[name].bits[index : index + len(word)] == word]

        def rank(name: str) -> tuple[object, ...]:
            wire = self.known[name]
            return len(wire.bits), not wire.attributes, not wire.direction, "$" in wire.name, natural(name)

        return min(found, key=rank, default=None)

    def _exact(self, word: Bits) -> str | None:
        best = self._best(word)
        return best if best is not None and self.known[best].bits == word else None

    def bind(self, name: str, bits: Bits, kind: str) -> None:
        """Name the bits, which this module drives, after a net."""
        net = self.nets.get(name) or self.declare(name, bits, kind)
        net.kind = f"output {kind}" if net.kind.startswith("output") else kind
        net.made.update(bits)
        first = net.bits.index(bits[0])
        self.where.update((bit, (name, first + index)) for index, bit in enumerate(bits))

    def name_ports(self, around: ModuleWriter | None, instance: Instance | None) -> None:
        """Choose the ports: the used ones. A port without a name from Amaranth is named as inside, or as in the module
        around."""
        if instance is None or around is None:
            self.ports = [OuterPort(self.call(wire.name), wire.direction == "output", wire.bits, ())
                          for wire in self.module.ports()]
        else:
            self.ports = [OuterPort(name, True, *ends) for name, *ends in self.outputs(instance)]
            for name, inside, outside in self._inputs(instance, around):
                self.ports.append(OuterPort(self._unlike(name, inside), False, inside, outside))
            self.ports.sort(key=lambda port: (port.name not in ("clk", "rst"), port.output, natural(port.name)))
        for port in self.ports:
            if port.output:
                continue
            self.declare(port.name, port.inside, "input wire").made.update(port.inside)
            self.where.update((bit, (port.name, index)) for index, bit in enumerate(port.inside))
        for port in self.ports:
            if port.output:
                self.declare(port.name, port.inside, "output wire")

    def _unlike(self, name: str, bits: Bits) -> str:
        """The name, followed by a number if another port or a wire of other bits is called so."""
        taken = {port.name for port in self.ports}
        taken |= {known for known, wire in self.known.items() if set(wire.bits).isdisjoint(bits)}
        found, number = name, 1
        while found in taken:
            number += 1
            found = f"{name}_{number}"
        return found

    def outputs(self, instance: Instance) -> list[tuple[str, Bits, Bits]]:
        """The used outputs, each with its name and its bits inside and outside."""
        found = []
        loose: dict[int, int] = {}
        for port in instance.ports:
            if port.output and not self.alive.isdisjoint(port.outside):
                if "$" in port.name:
                    loose.update(zip(port.inside, port.outside, strict=True))
                else:
                    found.append((self.call(port.name), port.inside, port.outside))
        found += self._tied(loose)
        for inner in self.module.instances:
            for name, _, inside in self.writers[inner.module].outputs(inner):
                if loose.keys() >= set(inside):
                    found.append((self.free(f"{legal(inner.name)}_{name}"), inside,
                                  tuple(loose.pop(bit) for bit in inside)))
        return found + [(self._named_bit(bit), (bit,), (outer,)) for bit, outer in loose.items()]

    def _named_bit(self, bit: int) -> str:
        """Name of a bit that is only part of a wire: the wire's name and the bit's index."""
        places = [(legal(wire.name.partition("$")[0]), wire.bits.index(bit)) for wire in self.module.wires.values()
                  if bit in wire.bits and "." not in wire.name and not wire.name.startswith(("port$", MARKER))]
        name, index = min(places, key=lambda place: natural(place[0]), default=("signal", bit))
        return f"{name}_bit{index}"

    def _tied(self, loose: dict[int, int]) -> Iterator[tuple[str, Bits, Bits]]:
        """Bits of ports without a name from Amaranth that form a wire, named after that wire."""
        for name, wire in sorted(self.known.items(), key=lambda each: (
                -len(each[1].bits), bool(re.search(r"\$|__", each[1].name)), natural(each[0]))):
            if all(bit in loose for bit in wire.bits):
                yield name, wire.bits, tuple(loose.pop(bit) for bit in wire.bits)

    def _inputs(self, instance: Instance, around: ModuleWriter) -> Iterator[tuple[str, Bits, Bits]]:
        """The used inputs. One without a name inside is named as in the module around."""
        loose: dict[int, int] = {}
        for port in instance.ports:
            if not port.output and not self.alive.isdisjoint(port.inside):
                if "$" in port.name or "__" in port.name:
                    loose.update((bit, outer) for bit, outer in zip(port.inside, port.outside, strict=True)
                                 if bit in self.alive)
                else:
                    yield self.call(port.name), port.inside, port.outside
        yield from self._tied(loose)
        nets: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for bit, outer in loose.items():
            name, index = around.where.get(outer, ("signal", bit))
            nets[name].append((index, bit, outer))
        for name, bits in nets.items():
            indices, inside, outside = zip(*sorted(bits), strict=True)
            part = name in around.nets and len(inside) < len(around.nets[name].bits)
            yield f"{name}_from{indices[0]}" if part else name, inside, outside

    def name_words(self) -> None:
        """Name the words that registers, memories, instances and cells drive."""
        module, alive = self.module, self.alive
        for register in module.registers:
            if not alive.isdisjoint(register.q):
                name = self._best(register.q)
                assert name is not None, f"a register of module {module.name} has no name"
                if name not in self.nets:
                    self.declare(name, self.known[name].bits, "reg")
                self.bind(name, register.q, "reg")
        for memory in module.memories:
            if not alive.isdisjoint(memory.read_data):
                self.bind(self.free(f"{legal(memory.name)}_read"), memory.read_data, "wire")
        outputs = [(instance, name, word) for instance in module.instances
                   for name, _, word in self.writers[instance.module].outputs(instance)]
        often = Counter(label for _, label, _ in outputs)
        for instance, label, word in outputs:
            name = label if label in self.known and self.known[label].bits == word else self._exact(word)
            if name is None or (often[label] > 1 and not self.known[name].direction):
                name = self.free(f"{legal(instance.name)}_{label}" if often[label] > 1 else label)
            self.bind(name, word, "wire")
        for cell in module.cells:
            if not alive.isdisjoint(cell.result) and (name := self._exact(cell.result)) is not None:
                self.bind(name, cell.result, "wire")
        self._name_joined()

    def _name_joined(self) -> None:
        """Name the wires that several cells drive together, if none of these cells depends on another."""
        joined: dict[int, Bits] = {}
        for name, wire in sorted(self.known.items(), key=lambda each: (-len(each[1].bits), natural(each[0]))):
            if any(bit in self.where or bit not in self.module.maker or bit not in self.alive for bit in wire.bits):
                continue
            makers = list(dict.fromkeys(self.module.maker[bit] for bit in wire.bits))
            if sum((cell.result for cell in makers), ()) == wire.bits and not self._reaches(makers, wire.bits, joined):
                self.bind(name, wire.bits, "wire")
                joined.update(dict.fromkeys(wire.bits, wire.bits))

    def _reaches(self, cells: Sequence[Cell], goal: Bits, joined: dict[int, Bits]) -> bool:
        """Whether the operands of the cells depend on the goal; joined bits depend on everything that any of them
        does."""
        pending = [bit for cell in cells for operand in cell.operands for bit in operand]
        seen: set[int] = set()
        while pending:
            bit = pending.pop()
            if bit in goal:
                return True
            if bit not in seen:
                seen.add(bit)
                pending += joined.get(bit, ())
                if (cell := self.module.maker.get(bit)) is not None:
                    pending += [each for operand in cell.operands for each in operand]
        return False

    # Placement of expressions.

    def runs(self, word: Bits) -> Iterator[tuple[object, int, int, int]]:
        """A word in parts, lowest first: the part's source (None: constants), its first index, width and
        repetitions."""
        index = 0
        while index < len(word):
            of, place = self._source(word[index])
            repeated = 1
            while index + repeated < len(word) and word[index + repeated] == word[index] and of is not None:
                repeated += 1
            if repeated > 1:
                yield of, place, 1, repeated
                index += repeated
                continue
            width = 1
            while index + width < len(word) and self._source(word[index + width]) == (
                    of, 0 if of is None else place + width):
                width += 1
            # The last bit may be the first of a repetition.
            if width > 1 and of is not None and word[index + width : index + width + 1] == (word[index + width - 1],):
                width -= 1
            yield of, place, width, 1
            index += width

    def _source(self, bit: int) -> tuple[object, int]:
        if bit < FIRST:
            return None, 0
        if bit in self.where:
            return self.where[bit]
        cell = self.module.maker.get(bit)
        assert cell is not None, f"a bit of module {self.module.name} has no driver"
        return cell, cell.result.index(bit)

    def settle(self) -> None:
        """Decide which cells are written in place. The others get a name."""
        self.groups = self._grouped()
        uses: dict[Cell, list[tuple[int, int]]] = defaultdict(list)
        whole: dict[Cell, str] = {}

        def scan(word: Bits, owner: str) -> None:
            for of, place, width, _ in self.runs(word):
                if isinstance(of, Cell):
                    uses[of].append((place, width))
                    self.owner.setdefault(of, owner)

        def scan_tree(trees: Sequence[tuple[Tree, str]], owner: str) -> None:
            first = trees[0][0]
            if isinstance(first, Choice):
                scan((first.condition,), f"{owner}_enable")
                for way in ("yes", "no"):
                    scan_tree([(getattr(tree, way), name) for tree, name in trees], owner)
            else:
                for tree, name in trees:
                    assert not isinstance(tree, Choice)
                    scan(tree, name)
                    cell = self.module.maker.get(tree[0])
                    if cell is not None and cell.result == tree:
                        whole.setdefault(cell, f"{name}_next")

        for group, _ in self.groups:
            named = [(register.d, self.where[register.q[0]][0]) for register in group]
            scan_tree(named, named[0][1])
        for word, owner in self._needed():
            scan(word, owner)
        for cell in reversed(self.module.cells):
            owner = self.where.get(cell.result[0], (self.owner.get(cell, ""), 0))[0]
            if cell.result[0] not in self.where:
                used = uses.get(cell)
                if not used:
                    continue
                bits = [place + index for place, width in used for index in range(width)]
                once = used == [(0, len(cell.result))] or (cell.kind in BITWISE and len(set(bits)) == len(bits))
                if once or self._is_plain(cell):
                    self.inlined.add(cell)
                    slices = used if cell.kind in BITWISE else [(0, len(cell.result))]
                    for place, width in slices:
                        for operand in cell.operands:
                            scan(self._part(cell, operand, place, width), owner)
                    continue
                of = re.sub(rf"_(next|{'|'.join(PARTS.values())})(_\d+)?$", "", owner)
                part = owner if owner.endswith("_enable") else f"{of}_{PARTS[cell.kind]}"
                owner = self.free(whole.get(cell, part))
                self.bind(owner, cell.result, "wire")
            for operand in cell.operands:
                scan(operand, owner)

    def _is_plain(self, cell: Cell) -> bool:
        """Whether the expression is no longer than a name for it."""
        if cell.kind != "not":
            return False
        parts = list(self.runs(cell.operands[0]))
        return len(parts) == 1 and isinstance(parts[0][0], str)

    @staticmethod
    def _part(cell: Cell, operand: Bits, place: int, width: int) -> Bits:
        if len(operand) == len(cell.result) and not (cell.kind == "mux" and operand is cell.operands[0]):
            return operand[place : place + width]
        return operand

    def _needed(self) -> Iterator[tuple[Bits, str]]:
        """Words that ports and memories use, and the name that their parts derive from."""
        for instance in self.module.instances:
            for port in self.writers[instance.module].ports:
                if not port.output:
                    yield port.outside, f"{legal(instance.name)}_{port.name}"
        for memory in self.module.memories:
            if not self.alive.isdisjoint(memory.read_data):
                name = legal(memory.name)
                for word, end in (((memory.write,), "write"), (memory.write_row, "write_row"),
                                  (memory.write_data, "write_data"), ((memory.read,), "read"),
                                  (memory.read_row, "read_row")):
                    yield word, f"{name}_{end}"
        for net in self.nets.values():
            if not net.made >= set(net.bits):
                yield tuple(bit for bit in net.bits if bit not in net.made), net.name

    def _grouped(self) -> list[tuple[list[Register], bool]]:
        """Registers that load together, by name, and whether they only delay."""
        found: dict[object, list[Register]] = defaultdict(list)
        for register in self.module.registers:
            if register.q[0] in self.where and not self.alive.isdisjoint(register.q):
                kept = "keep" in self.nets[self.where[register.q[0]][0]].attributes
                found[register.clock, kept, self._waits(register), self._skeleton(register.d, register.q)].append(
                    register)

        def by_name(register: Register) -> tuple[object, ...]:
            name, index = self.where[register.q[0]]
            return natural(name), index

        groups = [sorted(group, key=by_name) for group in found.values()]
        groups.sort(key=lambda group: (isinstance(group[0].d, Choice), self._waits(group[0]), by_name(group[0])))
        return [(group, self._waits(group[0])) for group in groups]

    def _waits(self, register: Register) -> bool:
        """Whether the register only delays another signal by a cycle."""
        d = register.d
        return not isinstance(d, Choice) and len(parts := list(self.runs(d))) == 1 and isinstance(parts[0][0], str)

    def _skeleton(self, tree: Tree, q: Bits) -> object:
        if isinstance(tree, Choice):
            return tree.condition, self._skeleton(tree.yes, q), self._skeleton(tree.no, q)
        return tree == q

    # Text.

    def place(self, name: str, first: int, width: int) -> str:
        full = len(self.nets[name].bits)
        self._used.add(name)
        if width == full:
            return name
        return f"{name}[{first}]" if width == 1 else f"{name}[{first + width - 1}:{first}]"

    def expression(self, word: Bits) -> Text:
        """The word as an expression of the same width."""
        parts = []
        at = 0
        part: Text
        for of, place, width, repeated in self.runs(word):
            if of is None:
                part = Text(_literal(word[at : at + width]))
            elif isinstance(of, str):
                part = Text(self.place(of, place, width))
            else:
                assert isinstance(of, Cell)
                part = self._operation(of, place, width)
            if repeated > 1:
                part = Text(f"{{{repeated}{{{part.text}}}}}")
            parts.append(part)
            at += width * repeated
        if len(parts) == 1:
            return parts[0]
        return Text("{" + ", ".join(part.text for part in reversed(parts)) + "}")

    def _operation(self, cell: Cell, place: int, width: int) -> Text:
        words = [self._part(cell, operand, place, width) for operand in cell.operands]
        kind = cell.kind
        if kind == "not":
            return self._not(words[0])
        if kind == "neg":
            return Text(f"-{self.expression(words[0]).inside()}", REDUCED)
        if kind == "mux":
            choice, yes, no = (self.expression(word) for word in words)
            otherwise = no.text if no.binding == TERNARY else no.inside() if no.binding > BINARY else no.text
            return Text(f"{choice.inside()} ? {yes.inside() if yes.binding == TERNARY else yes.text} : {otherwise}",
                        TERNARY)
        if kind in REDUCTIONS:
            return self._reduced(REDUCTIONS[kind], words[0])
        operator = OPERATORS[kind]
        same = operator if kind in BITWISE else ""
        left, right = (self.expression(word).inside(same) for word in words)
        return Text(f"{left} {operator} {right}", BINARY, same)

    def _reduced(self, operator: str, word: Bits) -> Text:
        parts = list(self.runs(word))
        if len(parts) == len(word) <= 8:
            text = f" {operator} ".join(self.expression((bit,)).inside(operator) for bit in word)
            return Text(text, BINARY, operator)
        return Text(f"{operator}{self.expression(word).inside()}", REDUCED)

    def _not(self, word: Bits) -> Text:
        cell = self.module.maker.get(word[0])
        if cell is not None and cell in self.inlined and len(word) == 1:
            if cell.kind == "eq":
                left, right = (self.expression(operand).inside() for operand in cell.operands)
                return Text(f"{left} != {right}", BINARY)
            if cell.kind in ("all", "any"):
                found = self._reduced(REDUCTIONS[cell.kind], cell.operands[0])
                return Text(f"~{found.text}", REDUCED) if found.binding == REDUCED else Text(f"~({found.text})", UNARY)
        return Text(f"~{self.expression(word).inside()}", UNARY)

    def body(self, prefix: str) -> str:
        """The module from its ports to its end, without its name."""
        lines = [*self._port_lines(), ""]
        for paragraph in (self._declarations(), self._wires(), self._children(prefix), self._always(), self._rest()):
            if paragraph:
                lines += [*paragraph, ""]
        return "\n".join([*lines[:-1], "endmodule", ""])

    def _attributes(self, net: Net) -> str:
        if net.kind == "input wire" or not any(bit in self.driven for bit in net.bits):
            return ""
        found = ", ".join(f"{name} = {_quoted(value)}" for name, value in sorted(net.attributes.items()))
        return f"(* {found} *) " if found else ""

    def _initial(self, net: Net) -> str:
        if not self.initial_values:
            return ""
        return f" = {_literal(tuple(self.initial[bit] for bit in net.bits))}"

    def _port_lines(self) -> list[str]:
        nets = [self.nets[port.name] for port in self.ports]
        wide = max((len(span(len(net.bits))) for net in nets), default=0)
        lines = []
        for net in nets:
            initial = self._initial(net) if net.kind == "output reg" else ""
            way, kind = net.kind.split()
            what = f"{way:<6} {kind:<4} {span(len(net.bits)):<{wide}}".rstrip() if not wide else (
                f"{way:<6} {kind:<4} {span(len(net.bits)):<{wide}}")
            lines.append(f"    {self._attributes(net)}{what} {net.name}{initial}{',' if net is not nets[-1] else ''}")
        return ["(", *lines, ");"]

    def _declarations(self) -> list[str]:
        nets = sorted((net for net in self.nets.values() if net.kind == "reg"), key=lambda net: natural(net.name))
        wide = max((len(span(len(net.bits))) for net in nets), default=0)
        lines = [f"    {self._attributes(net)}reg {span(len(net.bits)):<{wide}}{' ' if wide else ''}{net.name}"
                 f"{self._initial(net)};" for net in nets]
        driven = {self.where[bit][0] for instance in self.module.instances for port in instance.ports if port.output
                  for bit in port.outside if bit in self.where}
        driven |= {self.where[memory.read_data[0]][0] for memory in self.module.memories
                   if memory.read_data[0] in self.where}
        wires = [name for name in driven if self.nets[name].kind == "wire"]
        # Lanes of one value are grouped.
        wires.sort(key=lambda name: (natural(re.sub(r"_l\d+", "_l", name)), natural(name)))
        wide = max((len(span(len(self.nets[name].bits))) for name in wires), default=0)
        for (_, attributes, width), names in groupby(wires, lambda name: (
                re.sub(r"_l\d+", "_l", name), self._attributes(self.nets[name]), len(self.nets[name].bits))):
            lines += _wrapped(f"{attributes}wire {span(width):<{wide}}{' ' if wide else ''}{', '.join(names)};")
        return lines

    def _wires(self) -> list[str]:
        """Named expressions, each after the names that it uses."""
        texts: dict[str, str] = {}
        needs: dict[str, set[str]] = {}
        made: dict[str, list[Cell]] = defaultdict(list)
        for cell in self.module.cells:
            if cell.result[0] in self.where:
                made[self.where[cell.result[0]][0]].append(cell)
        for name, cells in made.items():
            net = self.nets[name]
            self._used = set()
            cells.sort(key=lambda cell: net.bits.index(cell.result[0]))
            parts = [self._operation(cell, 0, len(cell.result)).text for cell in cells]
            text = parts[0] if len(parts) == 1 else "{" + ", ".join(reversed(parts)) + "}"
            wide = f"{span(len(net.bits))} " if len(net.bits) > 1 else ""
            texts[name] = (f"{self._attributes(net)}wire {wide}{name} = {text};" if net.kind == "wire"
                           else f"assign {name} = {text};")
            needs[name] = self._used & made.keys()
        users: dict[str, list[str]] = defaultdict(list)
        for name, used in needs.items():
            for each in used:
                users[each].append(name)
        missing = {name: len(used) for name, used in needs.items()}
        ready = [(natural(name), name) for name, count in missing.items() if not count]
        heapq.heapify(ready)
        lines: list[str] = []
        while ready:
            _, name = heapq.heappop(ready)
            lines += _wrapped(texts.pop(name))
            for user in users[name]:
                missing[user] -= 1
                if not missing[user]:
                    heapq.heappush(ready, (natural(user), user))
        assert not texts, f"wires of module {self.module.name} depend on themselves: {sorted(texts)}"
        return lines

    def _children(self, prefix: str) -> list[str]:
        lines: list[str] = []
        for instance in self.module.instances:
            inner = self.writers[instance.module]
            ports = [(port.name, port.outside, port.output) for port in inner.ports]
            if ports:
                lines += self._instance(f"{prefix}_{self.kinds[instance.module]}", instance.name, ports)
        for memory in self.module.memories:
            if not self.alive.isdisjoint(memory.read_data):
                lines += self._instance(f"{prefix}_{memory_kind(memory)}", memory.name, [
                    ("clk", (memory.clock,), False), ("write", (memory.write,), False),
                    ("write_row", memory.write_row, False), ("write_data", memory.write_data, False),
                    ("read", (memory.read,), False), ("read_row", memory.read_row, False),
                    ("read_data", memory.read_data, True),
                ])
        return lines[:-1]

    def _instance(self, module: str, name: str, ports: Sequence[tuple[str, Bits, bool]]) -> list[str]:
        wide = max(len(each) for each, _, _ in ports)
        lines = [f"    {module} {self.free(legal(name))} ("]
        for each, word, _ in ports:
            comma = "," if each != ports[-1][0] else ""
            lines += _wrapped(f".{each:<{wide}} ({self.expression(word).text}){comma}", 8)
        return [*lines, "    );", ""]

    def _always(self) -> list[str]:
        lines: list[str] = []
        for group, waits in self.groups:
            if waits:
                lines.append("    // Values that wait for a cycle.")
            if "keep" in self.nets[self.where[group[0].q[0]][0]].attributes:
                # On registers alone the attribute does not stop Yosys from merging them with equal ones.
                lines.append("    (* keep = 1 *)")
            clock = self.expression((group[0].clock,)).text
            statements = self._statements([(register, register.d) for register in group], 8)
            simple = len(group) == 1 and not isinstance(group[0].d, Choice)
            lines.append(f"    always @(posedge {clock}){'' if simple else ' begin'}")
            lines += [*statements, *([] if simple else ["    end"]), ""]
        return lines[:-1]

    def _statements(self, choices: Sequence[tuple[Register, Tree]], indent: int) -> list[str]:
        """Assignments to the registers of one group."""
        margin = " " * indent
        first = choices[0][1]
        if not isinstance(first, Choice):
            lines = []
            for register, tree in choices:
                assert not isinstance(tree, Choice)
                target = self.place(*self.where[register.q[0]], len(register.q))
                lines += _wrapped(f"{target} <= {self.expression(tree).text};", indent)
            return lines
        yes, no = ([(register, getattr(tree, way)) for register, tree in choices] for way in ("yes", "no"))
        condition: Bits = (first.condition,)
        if self._idle(yes):
            yes, no, condition = no, yes, self.module.op("not", condition)
        test = self._not(self.module.maker[condition[0]].operands[0]).text if condition != (first.condition,) and (
            condition[0] not in self.where and self.module.maker[condition[0]].kind == "not"
        ) else self.expression(condition).text
        lines = [f"{margin}if ({test}) begin", *self._statements(yes, indent + 4), f"{margin}end"]
        if self._idle(no):
            return lines
        rest = self._statements(no, indent if isinstance(no[0][1], Choice) else indent + 4)
        if isinstance(no[0][1], Choice):
            return [*lines[:-1], f"{margin}end else {rest[0].strip()}", *rest[1:]]
        return [*lines[:-1], f"{margin}end else begin", *rest, f"{margin}end"]

    @staticmethod
    def _idle(choices: Sequence[tuple[Register, Tree]]) -> bool:
        return all(tree == register.q for register, tree in choices)

    def _rest(self) -> list[str]:
        """Outputs that equal other signals."""
        lines: list[str] = []
        for net in sorted(self.nets.values(), key=lambda net: natural(net.name)):
            missing = [index for index, bit in enumerate(net.bits) if bit not in net.made]
            while missing:
                size = next((count for count in range(1, len(missing)) if missing[count] != missing[0] + count),
                            len(missing))
                word = net.bits[missing[0] : missing[0] + size]
                lines += _wrapped(f"assign {self.place(net.name, missing[0], size)} = {self.expression(word).text};")
                missing = missing[size:]
        return lines

    writers: dict[Module, ModuleWriter]
    kinds: dict[Module, str]


def _literal(word: Bits) -> str:
    if any(bit > 1 for bit in word):
        return f"{len(word)}'b" + "".join("01x"[bit] for bit in reversed(word))
    value = sum(bit << index for index, bit in enumerate(word))
    if len(word) <= 4:
        return f"{len(word)}'b{value:0{len(word)}b}"
    return f"{len(word)}'h{value:0{-(-len(word) // 4) if value or len(word) <= 8 else 1}x}"


def _quoted(value: int | str) -> str:
    return str(value) if isinstance(value, int) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _wrapped(text: str, indent: int = 4) -> list[str]:
    """The statement, wrapped to the line length."""
    margin = " " * indent
    if indent + len(text) <= LINE:
        return [margin + text]
    return textwrap.wrap(text, LINE, initial_indent=margin, subsequent_indent=margin + "    ", break_long_words=False,
                         break_on_hyphens=False)


def memory_kind(memory: Memory) -> str:
    return f"memory_{memory.depth}x{len(memory.read_data)}"


def _memory_text(name: str, memory: Memory) -> str:
    row, width = len(memory.write_row), len(memory.read_data)
    wide = max(len(span(row)), len(span(width)))

    def port(kind: str, bits: int, name: str) -> str:
        return f"    {kind} {span(bits):<{wide}}{' ' if wide else ''}{name}"

    attributes = ", ".join(f"{key} = {_quoted(value)}" for key, value in sorted(memory.attributes.items()))
    return f"""\
// {name}: {memory.depth} rows of {width} bit{'s' if width > 1 else ''}; one port writes, one reads into a register.
// No row that counts is read in the cycle that writes it, so a memory of any make may stand in its place.
module {name} (
{port("input  wire", 1, "clk")},
{port("input  wire", 1, "write")},
{port("input  wire", row, "write_row")},
{port("input  wire", width, "write_data")},
{port("input  wire", 1, "read")},
{port("input  wire", row, "read_row")},
{port("output reg ", width, "read_data")}
);

{f"    (* {attributes} *){chr(10)}" if attributes else ""}\
    reg [{width - 1}:0] rows [0:{memory.depth - 1}];

    always @(posedge clk) begin
        if (write) begin
            rows[write_row] <= write_data;
        end
    end

    always @(posedge clk) begin
        if (read) begin
            read_data <= rows[read_row];
        end
    end
endmodule
"""


def _comment(name: str, text: str) -> str:
    return textwrap.fill(f"{name}: {text}", LINE, initial_indent="// ", subsequent_indent="// ",
                         break_long_words=False, break_on_hyphens=False)


def write(design: Design, top: str, name: str, *, initial_values: bool = True) -> str:
    """The design as Verilog: its first module is called ``name``, and the names of all others begin with ``top``.

    ``initial_values``: whether registers have initial values. Without them all registers start unknown, as memories
    always do.
    """
    alive = design.alive()
    writers = {module: ModuleWriter(module, alive, initial_values) for module in design.modules}
    kinds: dict[Module, str] = {}
    parents = {instance.module: (writers[module], instance)
               for module in design.modules for instance in module.instances}
    for writer in writers.values():
        writer.writers, writer.kinds = writers, kinds
    for module, writer in writers.items():
        writer.name_ports(*parents.get(module, (None, None)))
        writer.name_words()
    for writer in writers.values():
        writer.settle()
    texts: dict[Module, str] = {}
    found: dict[tuple[str, str, str], str] = {}
    memories: dict[str, Memory] = {}

    def visit(module: Module) -> None:
        """Write the inner modules, then this one. Equal modules are written once. A module without ports is not
        written: all its contents were constant, and it has no instance."""
        for instance in module.instances:
            if writers[instance.module].ports:
                visit(instance.module)
        body = writers[module].body(top)
        marker = module.wires.get(MARKER)
        about = marker.attributes if marker else {}
        kind, text = str(about.get("kind", legal(module.name.rpartition(".")[2]))), str(about.get("text", ""))
        if module is design.modules[0]:
            kind = name[len(top) + 1 :]
        key = (kind, text, body)
        if key not in found:
            number = sum(each[0] == kind for each in found) + 1
            found[key] = kind if number == 1 else f"{kind}_v{number}"
            full = f"{top}_{found[key]}"
            texts[module] = f"{_comment(full, text)}\nmodule {full} {body}"
        kinds[module] = found[key]
        memories.update((memory_kind(memory), memory) for memory in module.memories
                        if not alive.isdisjoint(memory.read_data))

    visit(design.modules[0])
    blocks = [texts[module] for module in design.modules if module in texts]
    blocks += [_memory_text(f"{top}_{kind}", memories[kind]) for kind in sorted(memories, key=natural)]
    return "\n".join(blocks)
