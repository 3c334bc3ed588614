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
MARK_WAITS = 1024
"""Cycles that the test bench waits after a reset for a core that is not ready before a beat is offered:
``kStartCycles`` of ``harness/resets.h``."""


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
    waits = MARK_WAITS if mark_first(parameters) else 0
    return model.packets, max(cycle for stream in streams for cycle in (0, *stream.taken[-1:])) + SLACK + waits


def mark_first(parameters: TranscoderParameters) -> bool:
    """Whether a mark enters the core before the first beat of a packet, which is not ready meanwhile."""
    return bool(parameters.mark) and not parameters.front
