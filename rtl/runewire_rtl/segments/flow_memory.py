"""Memory of flows: a row for each, in banks that are read and written through registers of their own.

64 flows, so four banks of 16 rows. Flow 37 is row 5 of bank 2:

    cycle                  0     1     2       3       4
    flow                   37
    row, at each bank            5
    data of each bank                  read
    data of the bank                           yes     one more cycle for each two further bits of its number

There are 16 banks at most. Up to 16 flows have a single bank, whose data are there a cycle after the flow.

Throughput: one read and one write per cycle. Limits: data that are written in a cycle are read for the flows of later
cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from amaranth.hdl import Array, Module, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.layout_policy import Policy

ROWS = 4
"""Bits of the number of a row in the smallest bank."""
BANKS = 4
"""Bits of a bank's number at most."""
STEP = 2
"""Bits of a bank's number that one cycle looks at; so many banks share replicas."""


class Write(NamedTuple):
    """``data`` for the ``row``, if ``enable`` is set."""

    enable: Value
    row: Value
    data: Value


def bank_bits(bits: int, policy: Policy) -> int:
    """Bits of a bank's number, if a flow's number has ``bits``. A layout without replicas has one bank."""
    return max(0, min(bits - ROWS, BANKS)) if policy.apart else 0


def read_cycles(bits: int, policy: Policy) -> int:
    """Cycles from a flow's number of so many ``bits`` to its row's data."""
    banks = bank_bits(bits, policy)
    return 2 + -(-banks // STEP) if banks else 1


def read_row(m: Module, name: str, flow: Callable[[int], Value], write: Write, policy: Policy) -> Value:
    """The data of a flow's row, `read_cycles` after the flow. ``flow``: its number, so many cycles later."""
    bits, width = len(flow(0)), len(write.data)
    banks = bank_bits(bits, policy)
    if not banks:
        return _bank(m, f"{name}_memory", flow(0), write)
    low = bits - banks

    def replica(name: str, value: Value) -> Signal:
        signal = Signal(len(value), name=name, reset_less=True, attrs=policy.keep)
        m.d.sync += signal.eq(value)
        return signal

    data: list[Value] = []
    for bank in range(1 << banks):
        if bank % (1 << STEP) == 0:
            row = replica(f"{name}_row{bank}", flow(0)[:low])
            to, value = (replica(f"{name}_{what}{bank}", given) for what, given in (
                ("write_row", write.row[:low]), ("write_data", write.data)))
        enable = replica(f"{name}_write{bank}", write.enable & (write.row[low:] == bank))
        data.append(_bank(m, f"{name}_memory{bank}", row, Write(enable, to, value)))
    for level, first in enumerate(range(0, banks, STEP)):
        bit, size = low + first, 1 << min(STEP, banks - first)
        chosen = []
        for place in range(0, len(data), size):
            which = replica(f"{name}_choice{level}_{place}", flow(level + 1)[bit : bit + size.bit_length() - 1])
            word = Signal(width, name=f"{name}_read{level}_{place}", reset_less=True)
            m.d.sync += word.eq(_chosen(which, data[place : place + size]))
            chosen.append(word)
        data = chosen
    return data[0]


def _chosen(which: Value, values: Sequence[Value]) -> Value:
    found: Value = Array(values)[which]
    return found


def _bank(m: Module, name: str, row: Value, write: Write) -> Value:
    """The data of the row, one cycle later."""
    memory = Memory(shape=len(write.data), depth=1 << len(row), init=[], attrs={"no_rw_check": True})
    m.submodules[name] = memory
    port, read = memory.write_port(), memory.read_port(domain="sync")
    m.d.comb += [read.addr.eq(row), read.en.eq(1), port.en.eq(write.enable), port.addr.eq(write.row),
                 port.data.eq(write.data)]
    data: Value = read.data
    return data
