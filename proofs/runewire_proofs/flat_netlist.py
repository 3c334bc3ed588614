"""Flat netlist in Yosys' RTLIL: its registers and memories, and the gates between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runewire_jobs.errors import ToolError

Bit = tuple[str, int]
"""A wire's name and an index in it, or a constant: an empty name and 0, 1 or `UNKNOWN`."""

BOX = re.compile(r"^\\\w+_memory_\d+x\d+$")
"""Module of a memory in delivered Verilog. Its output is the port ``read_data``."""

UNKNOWN = 2
"""The bit x."""

_TOKEN = re.compile(r"[{}]|\[\d+(?::\d+)?\]|\\\S+|\$\S+|\d+'[01xz-]*|-?\d+")


@dataclass(frozen=True)
class Flop:
    """A flip-flop: it takes ``d`` at an edge of ``clock``, the rising one if ``rising``; it starts as ``initial``."""

    d: Bit
    clock: Bit
    rising: int
    initial: int


@dataclass(frozen=True)
class Memory:
    """A memory with a read port, in the cycle of its address, and a write port at an edge of ``clock``."""

    rows: int
    read_row: Sequence[Bit]
    read_data: Sequence[Bit]
    clock: Bit
    rising: int
    write_row: Sequence[Bit]
    write_data: Sequence[Bit]
    write_enable: Sequence[Bit]


@dataclass
class _Cell:
    kind: str
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    ports: dict[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        value = self.parameters[name].rpartition("'")
        return int(value[2], 2 if value[1] else 10)


class FlatNetlist:
    """The module of a text of RTLIL with one module.

    ``inputs``, ``outputs``: widths of the ports. ``flops``: by the bit that each drives. ``memories``: by name.
    ``boxes``: the ports of memories that are modules without contents, by name. ``names``: the public wires, with the
    bits of each as `same` gives them. Raises ToolError for cells with a state that are none of these.
    """

    def __init__(self, text: str) -> None:
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.flops: dict[Bit, Flop] = {}
        self.memories: dict[str, Memory] = {}
        self.boxes: dict[str, dict[str, list[Bit]]] = {}
        self._widths: dict[str, int] = {}
        self._starts: dict[Bit, int] = {}
        self._other: dict[Bit, Bit] = {}
        self._gates: list[str] = []
        self._cells: list[_Cell] = []
        self._take(iter(text.splitlines()))
        for bit, value in list(self._starts.items()):
            self._starts[self.same(bit)] = value
        for cell in self._cells:
            if cell.kind == "$dff":
                self._flops(cell)
            elif cell.kind != "$mem_v2":
                self.boxes[cell.name] = {name: self._pin(cell, name) for name in sorted(cell.ports)}
            else:
                self._memory(cell)
        self.names = {name: [self.same((name, index)) for index in range(width)]
                      for name, width in self._widths.items() if name.startswith("\\")}

    def same(self, bit: Bit) -> Bit:
        """One bit for all that are connected."""
        while bit in self._other:
            bit = self._other[bit]
        return bit

    def _take(self, lines: Iterator[str]) -> None:
        initial = ""
        for line in lines:
            first, _, rest = line.strip().partition(" ")
            if first == "attribute":
                initial = rest.partition(" ")[2] if rest.startswith("\\init ") else initial
                continue
            if first == "wire":
                self._note_wire(rest.split(), initial)
            elif first == "cell":
                self._note_cell(line, lines)
            elif first == "connect":
                target, source = self._signals(rest)
                self._other.update((one, other) for one, other in zip(map(self.same, target), map(self.same, source),
                                                                      strict=True) if one != other and one[0])
                self._gates.append(line)
            initial = ""

    def _note_wire(self, words: list[str], initial: str) -> None:
        name = words[-1]
        width = self._widths[name] = int(words[words.index("width") + 1]) if "width" in words else 1
        for way, found in (("input", self.inputs), ("output", self.outputs)):
            if way in words:
                found[name] = width
        if initial:
            self._starts.update(((name, index), bit[1]) for index, bit in enumerate(self._signals(initial)[0]))
        self._gates.append(f"  wire width {width} {name}")

    def _note_cell(self, head: str, lines: Iterator[str]) -> None:
        _, kind, name = head.split()
        cell = _Cell(kind, name)
        text = [head]
        for line in lines:
            text.append(line)
            first, _, rest = line.strip().partition(" ")
            if first == "end":
                break
            key, _, value = rest.removeprefix("signed ").partition(" ")
            (cell.parameters if first == "parameter" else cell.ports)[key[1:]] = value
        if cell.kind in ("$dff", "$mem_v2") or BOX.search(cell.kind):
            self._cells.append(cell)
        elif re.search(r"ff|latch|^\$mem|^\$_?sr|^\\", cell.kind.lower()):
            raise ToolError(f"a cell of the netlist is not understood: {cell.kind} {cell.name}")
        elif cell.kind != "$scopeinfo":
            self._gates += text

    def _signals(self, text: str) -> list[list[Bit]]:
        """The signals of a text, each with its lowest bit first."""
        words: list[list[Bit]] = []
        parts: list[list[Bit]] | None = None
        for token in _TOKEN.findall(text):
            if token == "{":
                parts = []
            elif token == "}":
                assert parts is not None
                words.append([bit for part in reversed(parts) for bit in part])
                parts = None
            else:
                of = words if parts is None else parts
                if token[0] == "[":
                    high, _, low = token[1:-1].partition(":")
                    of[-1] = of[-1][int(low or high) : int(high) + 1]
                elif token[0] in "\\$":
                    of.append([(token, index) for index in range(self._widths[token])])
                else:
                    if "'" not in token:  # Yosys writes 32 bits as a number
                        token = f"32'{int(token) % (1 << 32):032b}"
                    width, _, digits = token.partition("'")
                    filler = digits[:1] if digits[:1] in ("x", "z") else "0"
                    of.append([("", "01".find(digit) % 3) for digit in reversed(digits.rjust(int(width), filler))])
        return words

    def _pin(self, cell: _Cell, name: str) -> list[Bit]:
        return self._signals(cell.ports[name])[0]

    def _flops(self, cell: _Cell) -> None:
        (clock,) = self._pin(cell, "CLK")
        self._registers(self._pin(cell, "Q"), self._pin(cell, "D"), clock, cell.number("CLK_POLARITY"))

    def _registers(self, q: Sequence[Bit], d: Sequence[Bit], clock: Bit, rising: int) -> None:
        for bit, value in zip(map(self.same, q), d, strict=True):
            self.flops[bit] = Flop(value, clock, rising, self._starts.get(bit, UNKNOWN))

    def _memory(self, cell: _Cell) -> None:
        if (cell.number("RD_PORTS"), cell.number("WR_PORTS"), cell.number("OFFSET")) != (1, 1, 0):
            raise ToolError(f"a memory of the netlist has more than one port to read or to write: {cell.name}")
        data = shown = self._pin(cell, "RD_DATA")
        name = cell.name.removesuffix(".rows")
        if cell.number("RD_CLK_ENABLE"):
            if cell.number("RD_TRANSPARENCY_MASK") or cell.number("RD_COLLISION_X_MASK"):
                raise ToolError(f"a memory of the netlist reads a row while it is written: {cell.name}")
            data, loaded = self.wire(len(shown)), self.wire(len(shown))
            alias = self.wire(len(shown), f"{name}.read_data")
            self._other.update(zip(alias, map(self.same, shown), strict=True))
            (enable,) = self._pin(cell, "RD_EN")
            self.gate("mux", loaded, A=shown, B=data, S=[enable])
            self._registers(shown, loaded, self._pin(cell, "RD_CLK")[0], cell.number("RD_CLK_POLARITY"))
        self.memories[name] = Memory(
            cell.number("SIZE"), self._pin(cell, "RD_ADDR"), data, self._pin(cell, "WR_CLK")[0],
            cell.number("WR_CLK_POLARITY"), self._pin(cell, "WR_ADDR"), self._pin(cell, "WR_DATA"),
            self._pin(cell, "WR_EN"))

    # More gates.

    def wire(self, width: int, name: str = "") -> list[Bit]:
        """A new wire."""
        name = name or f"$made${len(self._gates)}"
        self._widths[name] = width
        self._gates.append(f"  wire width {width} {name}")
        return [(name, index) for index in range(width)]

    def join(self, target: Sequence[Bit], source: Sequence[Bit]) -> None:
        """Drive bits by others."""
        if target:
            self._gates.append(f"  connect {_spec(target)} {_spec(source)}")

    def gate(self, kind: str, result: Sequence[Bit], **operands: Sequence[Bit]) -> None:
        """A new gate."""
        widths = {} if kind == "mux" else {f"{port}_WIDTH": len(word) for port, word in operands.items()}
        settings = {"WIDTH": len(result)} if kind == "mux" else {
            **widths, **{f"{port}_SIGNED": 0 for port in operands}, "Y_WIDTH": len(result)}
        self._gates += [f"  cell ${kind} $made${len(self._gates)}",
                        *(f"    parameter \\{name} {value}" for name, value in settings.items()),
                        *(f"    connect \\{port} {_spec(word)}" for port, word in {**operands, "Y": result}.items()),
                        "  end"]

    def cut(self, name: str, given: Sequence[Bit], result: Sequence[Bit], *, stay: bool = False) -> str:
        """A module of the gates, as RTLIL: its input drives the bits ``given``, its output is ``result``. The
        flip-flops are in it if they ``stay``."""
        for bit, flop in self.flops.items() if stay else ():
            if flop.initial != UNKNOWN:
                self._gates.append(f"  attribute \\init 1'{flop.initial}")
            q = self.wire(1)
            self.join([bit], q)
            self._gates += [f"  cell $dff $made${len(self._gates)}", "    parameter \\WIDTH 1",
                            f"    parameter \\CLK_POLARITY {flop.rising}", f"    connect \\CLK {_spec([flop.clock])}",
                            f"    connect \\D {_spec([flop.d])}", f"    connect \\Q {_spec(q)}", "  end"]
        self.join(given, [("\\given", index) for index in range(len(given))])
        self.join([("\\result", index) for index in range(len(result))], result)
        return "\n".join([
            f"module \\{name}", f"  wire width {len(given)} input 1 \\given",
            f"  wire width {len(result)} output 2 \\result", *self._gates, "end", ""])


def _spec(word: Sequence[Bit]) -> str:
    """The text of a signal, in runs of bits that follow each other."""
    parts = []
    at = 0
    while at < len(word):
        name, first = word[at]
        size = 1
        while name and word[at + size : at + size + 1] == [(name, first + size)]:
            size += 1
        parts.append(f"{name} [{first + size - 1}:{first}]" if name else f"1'{'01x'[first]}")
        at += size
    return f"{{ {' '.join(reversed(parts))} }}"
