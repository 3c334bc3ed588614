"""Placement of expressions: inline if used once, else behind a name; groups of registers that load together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from .named_module import NamedModule
from .netlist import Module, Register
from .verilog_text import legal, natural
from .words import BITWISE, FIRST, Bits, Cell, Choice, Tree

PARTS = {"and": "and", "or": "or", "xor": "xor", "not": "not", "mux": "choice", "all": "all", "any": "any",
         "parity": "parity", "eq": "equal", "lt": "less", "le": "at_most", "gt": "more", "ge": "at_least",
         "add": "sum", "sub": "difference", "neg": "negative"}
"""Suffix of a part's name, after the name of the whole."""


class PlacedModule(NamedModule):
    """A module with a place for each expression."""

    def __init__(self, module: Module, alive: set[int], initial_values: bool) -> None:
        super().__init__(module, alive, initial_values)
        self.owner: dict[Cell, str] = {}
        self.groups: list[tuple[list[Register], bool]] = []
        self.inlined: set[Cell] = set()

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
