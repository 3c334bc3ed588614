"""The cycles of a trial's packets, and the cycle after which a mutant counts as stuck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runewire_model import TranscoderParameters
from runewire_model.packet_beats import SegmentPacket
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing

from ..axi_stream.beats import beats_with_holes
from ..segments import Segment
from ..stalls import Stalls

SLACK = 1000
"""Cycles after a trial's last beat after which movement counts as endless."""


def expected_cycles(
    parameters: TranscoderParameters, packets: Sequence[bytes], stalls: Stalls,
) -> tuple[Sequence[PacketCycles], int]:
    """The cycles of each output packet, and the limit of the trial."""
    null = iter(stalls.null_bytes)
    sent: Sequence[Any] = [*beats_with_holes(packets, parameters.input_bytes, null)] if stalls.holes else packets
    if parameters.sidebands.flows is not None:
        sent = [SegmentPacket(given, packet.flow, packet.more)
                for given, packet in zip(sent, packets, strict=True) if isinstance(packet, Segment)]
    model = timeline(parameters, sent, timing(parameters), stalls.source_pauses.at, stalls.sink_pauses.at,
                     stalls.further)
    streams = (model.input, model.output, model.rejects, model.reports, model.records)
    return model.packets, max(cycle for stream in streams for cycle in (0, *stream.taken[-1:])) + SLACK
