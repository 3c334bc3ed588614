"""The UTF-8 encoder: Unicode scalar values in, bytes out."""

from __future__ import annotations

from amaranth.hdl import Module
from runewire_model import EncoderParameters

from .core import Core
from .layouts import input_beat, output_beat
from .packing import Packed, pack
from .pipeline import Plan
from .report import first_error
from .reset import Restart
from .sequences import encode_lanes
from .source import take

__all__ = ["BYTES_PER_SCALAR", "Encoder"]

BYTES_PER_SCALAR = 4


class Encoder(Core):
    """Scalars to UTF-8, ``lanes`` scalars a cycle (RFC 3629, section 3).

    One beat a cycle under any pattern of stalls. A surrogate or a value above U+10FFFF becomes U+FFFD, or
    with ``errors="drop"`` nothing; the packet's first one is reported with its last beat, its offset
    counted in scalars.

    Members
    -------
    i : input stream of :func:`~runewire_rtl.layouts.input_beat` with 32-bit values in its lanes
    o : output stream of :func:`~runewire_rtl.layouts.output_beat` with bytes in its ``4 * lanes`` lanes,
        every beat full but a packet's last
    """

    def __init__(self, parameters: EncoderParameters) -> None:
        self.parameters = parameters
        super().__init__(input_beat(parameters.lanes, 32), output_beat(BYTES_PER_SCALAR * parameters.lanes, 8))

    def build(self, m: Module, restart: Restart) -> Packed:
        source = take(m, self.i, Plan.of(self.parameters.pipeline), restart)
        sequences = encode_lanes(source.data, source.kept(), drop=self.parameters.errors == "drop")
        report = first_error(source.pipeline, sequences.faults)
        return pack(source, self.o, sequences.present, lambda after: sequences.data, report)
