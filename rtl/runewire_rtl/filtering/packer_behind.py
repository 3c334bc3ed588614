"""Packer behind a record buffer: it says early that it has room, so the rows on their way to it never wait.

A row that leaves the store, while the packer has as few credits left as is allowed:

    cycle      0      1        2     3        4           5    6    7
    level      8      8        8     8        8           8    8    7     credits left, 3 or more for a handshake
    room       1      1 ...                                               8 or more were left in the cycle before
    row               fetch   fetched sent    judged   at the packer

Rows for which `room` was seen in cycles 1 to 8 are not counted in the ``level`` of cycle 8: seven and this one. So with
8 credits each of them finds the packer's `ready` high.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from amaranth.hdl import Module, Signal
from runewire_model import AnyTiming

from ..packing.packing import Packed, pack
from ..transcoder import Transcoder

AHEAD = 5
"""Rows between the packer's flag that it has room and its port: four registers, and one of the flag."""


class PackerBehind(Transcoder):
    """A packer whose source may send a row five cycles after it saw ``room``, without a look at ``i.ready``."""

    def announce(self, m: Module) -> Signal:
        """``room``: a register in ``m``, for the source."""
        room = Signal(name="packer_room", reset_less=True)
        m.d.sync += room.eq(self.buffer.room)
        return room

    def _tail(self) -> Callable[..., Packed]:
        return partial(pack, slots=self.parameters.slots, used=self.parameters.used_slots, ahead=AHEAD)

    def _timed(self, packed: Any) -> AnyTiming:
        self.buffer = packed.buffer
        return super()._timed(packed)
