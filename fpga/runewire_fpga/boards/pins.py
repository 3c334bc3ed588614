"""Pins of a board in a design."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib import io
from amaranth.lib.cdc import FFSynchronizer

__all__ = ["drive", "sample", "synchronized"]


def drive(m: Module, port: Any, value: Any) -> None:
    """Give the value to an output of the board."""
    buffer = io.Buffer("o", port)
    m.submodules += buffer
    m.d.comb += buffer.o.eq(value)


def sample(m: Module, port: Any) -> Value:
    """An input of the board, in no clock domain."""
    buffer = io.Buffer("i", port)
    m.submodules += buffer
    return buffer.i


def synchronized(m: Module, port: Any, into: Value) -> None:
    """An input of the board, in the domain ``sync``."""
    m.submodules += FFSynchronizer(sample(m, port), into)
