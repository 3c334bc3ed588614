"""Packer after a record buffer: it says early that it has room, so the rows on their way to it never wait.

The row A leaves the store, and no other does. The packer has 9 credits left:

    cycle         0        1         2      3        4               5    6    7
    credits       9        9         9      9        9               9    9    8
    room          1        1         1      1        1               1    1    1     there were 8 or more
    A             leaves   fetched   sent   judged   at the packer

Whether there is room in cycle 8 depends on the credits of cycle 7. These count A, but no row that leaves in cycles 1 to
7: seven at most, and one more in cycle 8. So with 8 credits each of them finds `ready` high.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Module, Signal
from runewire_model import AnyTiming

from ..input.input_stage import InputPort, InputStage
from ..transcoder import Transcoder

AHEAD = 5
"""Rows between the packer's flag that it has room and its port: four registers, and one of the flag."""


class PackerBehind(Transcoder):
    """A packer whose source may send a row four cycles after it saw ``room``, without a look at ``i.ready``."""

    def announce(self, m: Module) -> Signal:
        """``room``: a register in ``m``, for the source."""
        room = Signal(name="packer_room", reset_less=True)
        m.d.sync += room.eq(self.buffer.room)
        return room

    def _accept(self, port: InputPort, ahead: int) -> InputStage:
        return replace(super()._accept(port, ahead), ahead=AHEAD)

    def _timed(self, packed: Any) -> AnyTiming:
        self.buffer = packed.buffer
        return super()._timed(packed)
