"""Buffers and synchronizers at the pins of a board."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer


def drive(m: Module, port: Any, value: Any) -> None:
    """Drive an output of the board with the value."""
    buffer = io.Buffer("o", port)
    m.submodules += buffer
    m.d.comb += buffer.o.eq(value)


def sample(m: Module, port: Any) -> Value:
    """The value of an input of the board, in no clock domain."""
    buffer = io.Buffer("i", port)
    m.submodules += buffer
    return buffer.i


def synchronized(m: Module, port: Any, into: Value) -> None:
    """Synchronize an input of the board to the domain ``sync``, as the signal ``into``."""
    m.submodules += FFSynchronizer(sample(m, port), into)
