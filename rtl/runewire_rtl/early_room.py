"""A core that says early that it has room, so that a beat on its way to it never waits.

Two registers are between the flag and the core, so ``ahead`` is 2. Beat A comes alone:

    cycle         0     1     2       3     4     5
    credits       5     5     5       5     5     4
    room          1     1     1       1     1     0     5 credits or more
    A                         taken                     as there was room in cycle 0

The credits of cycle 0 decide about cycle 2. The count is three cycles late (`CREDIT_LOOP`), so it lacks the beats of
cycles -2 to 1. With the beat of cycle 2 these are five at most, and 5 credits are enough for all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Value
from runewire_model import AnyTiming, TranscoderParameters

from .input.input_stage import InputPort, InputStage
from .pipeline.layout_policy import Policy
from .transcoder import Transcoder


class EarlyRoom(Transcoder):
    """A core whose source looks at ``room`` instead of ``i.ready``, and sends a beat ``ahead`` cycles later."""

    def __init__(self, parameters: TranscoderParameters, ahead: int, policy: Policy | None = None) -> None:
        super().__init__(parameters, policy=policy)
        self._ahead = ahead

    @property
    def room(self) -> Value:
        """One more beat may be taken in ``ahead`` cycles. The core must be described before."""
        return self._buffer.room

    def _accept(self, port: InputPort, ahead: int) -> InputStage:
        return replace(super()._accept(port, ahead), ahead=self._ahead)

    def _timed(self, packed: Any) -> AnyTiming:
        self._buffer = packed.buffer
        return super()._timed(packed)
