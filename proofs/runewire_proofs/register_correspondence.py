"""Register correspondence: two descriptions of one design, compared from register to register.

If both start equal, and equal registers have equal next values, they stay equal: so each output is equal in each cycle.
Only gates are left to compare. Any correspondence that passes is a proof, so names may choose it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runewire_jobs.errors import ToolError
from runewire_rtl.verilog.verilog_text import legal, natural

from .flat_netlist import UNKNOWN, Bit, FlatNetlist, Memory

CLOCK: Bit = ("\\aclk", 0)


@dataclass(frozen=True)
class Correspondence:
    """The gates of both descriptions as modules ``described`` and ``printed`` in RTLIL, and the widths of their
    ports."""

    rtlil: str
    given: int
    result: int


def correspondence(described: FlatNetlist, printed: FlatNetlist, *, stay: bool = False) -> Correspondence:
    """Cut both at registers and memories of the same names.

    ``given``: inputs, registers, and rows that are read. ``result``: outputs, next values, initial values, clocks, and
    for each memory its addresses, data, enable and number of rows. A register or memory without a partner is free, so
    an output that depends on it differs. An initial value that ``described`` leaves unknown may be any. With ``stay``
    no register is cut: all stay where they are, with their initial values and with the clock ``aclk``. Raises ToolError
    if the ports differ.
    """
    pairs = {} if stay else _paired(described, printed)
    memories = {_plain(name): memory for name, memory in described.memories.items()}
    given: tuple[list[Bit], list[Bit]] = ([], [])
    result: tuple[list[Bit], list[Bit]] = ([], [])

    def add(to: tuple[list[Bit], list[Bit]], first: Iterable[Bit], second: Iterable[Bit]) -> None:
        to[0].extend(first)
        to[1].extend(second)

    for to, one, other in ((given, described.inputs, printed.inputs), (result, described.outputs, printed.outputs)):
        if one != other:
            names = ", ".join(sorted({name.lstrip("\\") for name, _ in one.items() ^ other.items()}))
            raise ToolError(f"two descriptions of a core have other ports: {names}")
        for name, width in one.items():
            bits = [(name, index) for index in range(width)]
            add(to, bits, bits)
    clocks = set()
    for bit, partner in pairs.items():
        first, second = described.flops[partner], printed.flops[bit]
        add(given, [partner], [bit])
        add(result, [first.d], [second.d])
        clocks.add((first.clock, first.rising, second.clock, second.rising))
        if first.initial != UNKNOWN:
            add(result, [("", first.initial)], [_certain(second.initial, first.initial)])
    for name, memory in printed.memories.items():
        same = memories.get(_plain(name))
        if same is not None and len(same.read_data) == len(memory.read_data):
            add(given, same.read_data, memory.read_data)
            add(result, _taken(described, same), _taken(printed, memory))
            clocks.add((same.clock, same.rising, memory.clock, memory.rising))
    for name, box in printed.boxes.items():
        for port, bits in box.items():
            add(given if port == "read_data" else result, described.boxes[name][port], bits)
    if stay:
        clocks.update((flop.clock, flop.rising, CLOCK, 1) for flop in described.flops.values())
        clocks.update((CLOCK, 1, flop.clock, flop.rising) for flop in printed.flops.values())
    for one_clock, one_rising, other_clock, other_rising in sorted(clocks):
        add(result, [one_clock, ("", one_rising)], [other_clock, ("", other_rising)])
    texts = [netlist.cut(name, given[index], result[index], stay=stay)
             for index, (name, netlist) in enumerate((("described", described), ("printed", printed)))]
    return Correspondence("".join(texts), len(given[0]), len(result[0]))


def _certain(value: int, wanted: int) -> Bit:
    """An unknown initial value is not the one that is wanted."""
    return "", 1 - wanted if value == UNKNOWN else value


def _taken(netlist: FlatNetlist, memory: Memory) -> list[Bit]:
    """What a memory is given, and its rows: row and data of a write count only where it is enabled."""
    writes, row, data = map(netlist.wire, (1, len(memory.write_row), len(memory.write_data)))
    netlist.gate("reduce_or", writes, A=memory.write_enable)
    netlist.gate("mux", row, A=[("", 0)] * len(row), B=memory.write_row, S=writes)
    netlist.gate("and", data, A=memory.write_data, B=memory.write_enable)
    rows = [("", memory.rows >> index & 1) for index in range(32)]
    return [*_long(memory.read_row), *_long(row), *data, *memory.write_enable, *rows]


def _long(row: Sequence[Bit]) -> list[Bit]:
    """A row's number as 32 bits."""
    return [*row, *[("", 0)] * (32 - len(row))]


def _paired(described: FlatNetlist, printed: FlatNetlist) -> dict[Bit, Bit]:
    """The register of ``described`` for each of ``printed``: the one of that name; of several the one that no other
    name has; of several such the next in order."""
    called: dict[str, list[list[Bit]]] = defaultdict(list)
    for name in sorted(described.names, key=lambda name: ("$" in name, natural(name))):
        module, dot, last = name.rpartition(".")
        # Of two modules of one name the second is called `report$60`, and `report_60` in Verilog.
        for plain in {_plain(name), _plain(module.replace("$", "_") + dot + last)}:
            called[plain].append(described.names[name])
    found: dict[Bit, Bit] = {}
    taken: set[Bit] = set()
    left: dict[Bit, list[Bit]] = {}
    for name in sorted(printed.names, key=natural):
        plain = _plain(name)
        words = called.get(plain) or called.get(re.sub(r"_\d+$", "", plain), [])
        for index, bit in enumerate(printed.names[name]):
            if bit in printed.flops:
                left.setdefault(bit, []).extend(
                    word[index] for word in words if index < len(word) and word[index] in described.flops)
    while left:
        free = {bit: list(dict.fromkeys(each for each in choices if each not in taken))
                for bit, choices in left.items()}
        sure = {bit: choices[0] for bit, choices in free.items() if len(choices) == 1}
        for bit, choice in sure.items() or [(bit, choices[0]) for bit, choices in free.items() if choices][:1]:
            if choice not in taken:
                found[bit] = choice
                taken.add(choice)
        left = {bit: choices for bit, choices in free.items() if choices and bit not in found}
    return found


def _plain(name: str) -> str:
    """The name of a wire as the writer of Verilog makes it legal."""
    parts = [legal(part.partition("$")[0]) for part in name.removeprefix("\\").split(".")]
    return ".".join(part for part in parts if part != "core")
