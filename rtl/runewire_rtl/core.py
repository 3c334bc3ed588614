"""What all cores have in common: their streams, their latency, and that they run empty after a reset."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from amaranth.hdl import Fragment, Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .drain import Drain, start_cycles
from .packing import Packed
from .reset import Restart
from .stages import about, summary

__all__ = ["Core"]


class Core(wiring.Component):
    """A core with an input stream ``i`` and an output stream ``o``.

    One cycle of the clock domain's reset is enough, in any state: from its rising edge on ``i.ready`` and ``o.valid``
    are low for :attr:`start_cycles`, and nothing of before ever comes out.
    """

    def __init__(self, i: stream.Signature, o: stream.Signature) -> None:
        super().__init__({"i": In(i), "o": Out(o)})

    @abstractmethod
    def build(self, m: Module, restart: Restart) -> Packed:
        """Describe the core in ``m``, from its input stream to its tail, but for ``i.ready`` and ``o.valid``."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "core", f"{summary(self)} Its stages, and how they are joined.")
        m.submodules.drain = drain = Drain()
        packed = self.build(m, drain.restart)
        drain.latency = packed.latency
        m.d.comb += [
            self.i.ready.eq(packed.buffer.accept & drain.open),
            self.o.valid.eq(packed.buffer.offer & drain.open),
        ]
        return m

    @cached_property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat to the offer of its last output beat."""
        m = Module()
        packed = self.build(m, Restart.never())
        Fragment.get(m, None)
        return packed.latency

    @property
    def start_cycles(self) -> int:
        """Cycles from the last one in reset to the first in which ``i.ready`` may be high."""
        return start_cycles(self.latency)
