"""Memory of flows: a row for each, written and read in each cycle.

64 flows, so four banks of 16 rows. Flow 37 is row 5 of bank 2:

    cycle                  0     1     2       3
    flow                   37
    row, at each bank            5
    data of each bank                  read
    data of the bank                           yes

Up to 16 flows have a single bank, whose data are there a cycle after the flow. From 128 flows on the memory is block
RAM in one piece. Its data are there after three cycles too: the last register is the output register of block RAM.

Throughput: one read and one write per cycle. Limits: data that are written in a cycle are read for the flows of later
cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from amaranth.hdl import Array, Module, Signal, Value
from amaranth.lib.memory import Memory

from ..pipeline.layout_policy import Policy

ROWS = 4
"""Bits of the number of a row in a bank."""
BANKS = 2
"""Bits of a bank's number at most; a larger memory is block RAM. In look-up table memory, 1,024 flows of an 8-lane
validator took 20,000 look-up tables of an ECP5, and 214 MHz: less than the limit of its block RAM, 271 MHz."""
BLOCK = MappingProxyType({"ram_style": "block"})
"""Attributes of block RAM."""


class Write(NamedTuple):
    """``data`` for the ``row``, if ``enable`` is set."""

    enable: Value
    row: Value
    data: Value


def read_cycles(bits: int, policy: Policy) -> int:
    """Cycles from a flow's number of so many ``bits`` to its row's data. A layout without replicas has one bank."""
    return 3 if policy.apart and bits > ROWS else 1


def read_row(m: Module, name: str, flow: Callable[[int], Value], write: Write, policy: Policy) -> Value:
    """The data of a flow's row, `read_cycles` after the flow. ``flow``: its number, so many cycles later."""
    bits = len(flow(0))
    if read_cycles(bits, policy) == 1:
        return _bank(m, f"{name}_memory", flow(0), write)

    def replica(what: str, value: Value) -> Signal:
        signal = Signal(len(value), name=f"{name}_{what}", reset_less=True, attrs=policy.keep)
        m.d.sync += signal.eq(value)
        return signal

    in_banks = bits <= ROWS + BANKS
    low = ROWS if in_banks else bits
    row, to, value = (replica(what, given) for what, given in (
        ("row", flow(0)[:low]), ("write_row", write.row[:low]), ("write_data", write.data)))
    if in_banks:
        enables = [replica(f"write{bank}", write.enable & (write.row[low:] == bank)) for bank in range(1 << bits - low)]
        data = _chosen(replica("choice", flow(1)[low:]), [
            _bank(m, f"{name}_memory{bank}", row, Write(enable, to, value)) for bank, enable in enumerate(enables)])
    else:
        data = _bank(m, f"{name}_memory", row, Write(replica("write", write.enable), to, value), BLOCK)
    word = Signal(len(value), name=f"{name}_read", reset_less=True)
    m.d.sync += word.eq(data)
    return word


def _chosen(which: Value, values: Sequence[Value]) -> Value:
    found: Value = Array(values)[which]
    return found


def _bank(m: Module, name: str, row: Value, write: Write, style: Mapping[str, str] = MappingProxyType({})) -> Value:
    """The data of the row, one cycle later. ``style``: attributes of the memory."""
    memory = Memory(shape=len(write.data), depth=1 << len(row), init=[], attrs={"no_rw_check": True, **style})
    m.submodules[name] = memory
    port, read = memory.write_port(), memory.read_port(domain="sync")
    m.d.comb += [read.addr.eq(row), read.en.eq(1), port.en.eq(write.enable), port.addr.eq(write.row),
                 port.data.eq(write.data)]
    data: Value = read.data
    return data
