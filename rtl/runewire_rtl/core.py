"""What all cores have in common: they are built from a parameter object, and know their latency."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from amaranth.hdl import Fragment, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .packing import Packed

__all__ = ["Core"]


class Core(wiring.Component):
    """A core with an input stream ``i`` and an output stream ``o``."""

    def __init__(self, i: stream.Signature, o: stream.Signature) -> None:
        super().__init__({"i": In(i), "o": Out(o)})

    @abstractmethod
    def build(self, m: Module) -> Packed:
        """Describe the core in ``m``, from its input stream to its tail."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.i.ready.eq(self.build(m).buffer.accept)
        return m

    @cached_property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat to the offer of its last output beat."""
        m = Module()
        packed = self.build(m)
        Fragment.get(m, None)
        return packed.latency
