"""The UTF-8 validator: bytes through, with a report of each packet's first error."""

from __future__ import annotations

from amaranth.hdl import Module
from runewire_model import ValidatorParameters

from .core import Core
from .layouts import input_beat, output_beat
from .packing import Packed, in_place
from .pipeline import Plan
from .report import first_error
from .reset import Restart
from .source import hold
from .verdicts import find_faults

__all__ = ["Validator"]


class Validator(Core):
    """Passes packets of bytes through and reports on their last beat whether they are UTF-8 (RFC 3629).

    One beat of ``lanes`` bytes a cycle under any pattern of stalls.

    Members
    -------
    i : input stream of :func:`~runewire_rtl.layouts.input_beat` with bytes in its lanes
    o : output stream of :func:`~runewire_rtl.layouts.output_beat`, a beat for each input beat
    """

    def __init__(self, parameters: ValidatorParameters) -> None:
        self.parameters = parameters
        super().__init__(input_beat(parameters.lanes, 8), output_beat(parameters.lanes, 8))

    def build(self, m: Module, restart: Restart) -> Packed:
        source = hold(m, self.i, Plan.of(self.parameters.pipeline), restart)
        report = first_error(source.pipeline, find_faults(source.data))
        return in_place(source, self.o, source.keep.beat(), lambda after: source.data.beat(), report)
