"""Text of a module, from its ports to its end."""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from .memory_text import memory_kind
from .named_module import Net
from .netlist import Module, Register
from .placed_module import PlacedModule
from .verilog_text import legal, literal, natural, quoted, span, wrapped
from .words import BITWISE, Bits, Cell, Choice, Tree

OPERATORS = {"and": "&", "or": "|", "xor": "^", "add": "+", "sub": "-", "eq": "==", "lt": "<", "le": "<=", "gt": ">",
             "ge": ">="}
REDUCTIONS = {"all": "&", "any": "|", "parity": "^"}

PRIMARY, UNARY, REDUCED, BINARY, TERNARY = range(5)
"""Precedence of an expression's operator."""


@dataclass(frozen=True)
class Expression:
    """An expression. ``operator``: the operator that joins its parts, if a single one does."""

    text: str
    binding: int = PRIMARY
    operator: str = ""

    def inside(self, operator: str = "") -> str:
        """The expression as an operand."""
        if self.binding <= UNARY or (operator and operator == self.operator):
            return self.text
        return f"({self.text})"


class ModuleWriter(PlacedModule):
    """Writes a module. Its names and places must be settled."""

    def __init__(self, module: Module, alive: set[int], initial_values: bool) -> None:
        super().__init__(module, alive, initial_values)
        self.kinds: Mapping[Module, str] = {}
        """What modules are called, as far as they are written."""
        self._used: set[str] = set()

    def place(self, name: str, first: int, width: int) -> str:
        full = len(self.nets[name].bits)
        self._used.add(name)
        if width == full:
            return name
        return f"{name}[{first}]" if width == 1 else f"{name}[{first + width - 1}:{first}]"

    def expression(self, word: Bits) -> Expression:
        """The word as an expression of the same width."""
        parts = []
        at = 0
        part: Expression
        for of, place, width, repeated in self.runs(word):
            if of is None:
                part = Expression(literal(word[at : at + width]))
            elif isinstance(of, str):
                part = Expression(self.place(of, place, width))
            else:
                assert isinstance(of, Cell)
                part = self._operation(of, place, width)
            if repeated > 1:
                part = Expression(f"{{{repeated}{{{part.text}}}}}")
            parts.append(part)
            at += width * repeated
        if len(parts) == 1:
            return parts[0]
        return Expression("{" + ", ".join(part.text for part in reversed(parts)) + "}")

    def _operation(self, cell: Cell, place: int, width: int) -> Expression:
        words = [self._part(cell, operand, place, width) for operand in cell.operands]
        kind = cell.kind
        if kind == "not":
            return self._not(words[0])
        if kind == "neg":
            return Expression(f"-{self.expression(words[0]).inside()}", REDUCED)
        if kind == "mux":
            choice, yes, no = (self.expression(word) for word in words)
            otherwise = no.text if no.binding == TERNARY else no.inside() if no.binding > BINARY else no.text
            first = yes.inside() if yes.binding == TERNARY else yes.text
            return Expression(f"{choice.inside()} ? {first} : {otherwise}", TERNARY)
        if kind in REDUCTIONS:
            return self._reduced(REDUCTIONS[kind], words[0])
        operator = OPERATORS[kind]
        same = operator if kind in BITWISE else ""
        left, right = (self.expression(word).inside(same) for word in words)
        return Expression(f"{left} {operator} {right}", BINARY, same)

    def _reduced(self, operator: str, word: Bits) -> Expression:
        parts = list(self.runs(word))
        if len(parts) == len(word) <= 8:
            text = f" {operator} ".join(self.expression((bit,)).inside(operator) for bit in word)
            return Expression(text, BINARY, operator)
        return Expression(f"{operator}{self.expression(word).inside()}", REDUCED)

    def _not(self, word: Bits) -> Expression:
        cell = self.module.maker.get(word[0])
        if cell is not None and cell in self.inlined and len(word) == 1:
            if cell.kind == "eq":
                left, right = (self.expression(operand).inside() for operand in cell.operands)
                return Expression(f"{left} != {right}", BINARY)
            if cell.kind in ("all", "any"):
                found = self._reduced(REDUCTIONS[cell.kind], cell.operands[0])
                reduced = found.binding == REDUCED
                return Expression(f"~{found.text}" if reduced else f"~({found.text})", REDUCED if reduced else UNARY)
        return Expression(f"~{self.expression(word).inside()}", UNARY)

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
        # Yosys 0.70 loses bits of a kept wire if only some start at 1 (docs/integration.md#yosys-070). The attribute of
        # the always block is enough.
        mixed = len({self.initial.get(bit) for bit in net.bits}) > 1
        found = ", ".join(f"{name} = {quoted(value)}" for name, value in sorted(net.attributes.items())
                          if not (mixed and name == "keep"))
        return f"(* {found} *) " if found else ""

    def _initial(self, net: Net) -> str:
        if not self.initial_values:
            return ""
        return f" = {literal(tuple(self.initial[bit] for bit in net.bits))}"

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
            lines += wrapped(f"{attributes}wire {span(width):<{wide}}{' ' if wide else ''}{', '.join(names)};")
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
            lines += wrapped(texts.pop(name))
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
            lines += wrapped(f".{each:<{wide}} ({self.expression(word).text}){comma}", 8)
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
                lines += wrapped(f"{target} <= {self.expression(tree).text};", indent)
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
                lines += wrapped(f"assign {self.place(net.name, missing[0], size)} = {self.expression(word).text};")
                missing = missing[size:]
        return lines
