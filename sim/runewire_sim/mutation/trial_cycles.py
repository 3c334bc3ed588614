"""The cycles of a trial's packets, and the cycle after which a mutant counts as stuck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from runewire_model import TranscoderParameters
from runewire_model.packet_beats import SegmentPacket, has_byte_line
from runewire_model.records import split_records
from runewire_model.timeline import PacketCycles, timeline
from runewire_rtl import timing

from ..axi_stream.beats import beats_with_holes
from ..segments import Segment
from ..stalls import Stalls
from .segment_trials import most_cycles

SLACK = 1000
"""Cycles after a trial's last beat after which movement counts as endless."""


def expected_cycles(
    parameters: TranscoderParameters, packets: Sequence[bytes], stalls: Stalls,
) -> tuple[Sequence[PacketCycles] | None, int]:
    """The cycles of each output packet, and the limit of the trial.

    None where the cycle model leaves out a stream that may stall the core: a report port whose sink pauses; a record
    report whose sink pauses, or that gets several records from one beat. None also where it leaves out the core.
    """
    sidebands = parameters.sidebands
    # A record report that never fills changes no cycle.
    core = replace(parameters, sidebands=replace(sidebands, record_report=False))
    null = iter(stalls.null_bytes)
    sent: Sequence[Any] = [*beats_with_holes(packets, core.input_bytes, null)] if stalls.holes else packets
    if sidebands.flows is not None:
        sent = [SegmentPacket(given, packet.flow, packet.more)
                for given, packet in zip(sent, packets, strict=True) if isinstance(packet, Segment)]
    waits = sidebands.report_port != "none" and stalls.sink > 0
    if has_byte_line(core):
        return None, (1 + waits) * most_cycles(core, packets, stalls) + SLACK
    model = timeline(core, sent, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at, stalls.rejects_pauses.at)
    last = max(cycle for moved in (model.input, model.output, model.rejects) for cycle in (0, *moved.taken[-1:]))
    limit = (1 + waits) * last + SLACK
    if sidebands.record_report:
        pause = stalls.record_pauses.threshold / 2**64
        limit += int(2 * sum(len(core.compute(packet).records) for packet in packets) / (1 - pause))
        # A segment's first beat may end records of the segment before.
        waits |= pause > 0 or sidebands.flows is not None or not _one_a_beat(core, packets)
    return None if waits else model.packets, limit


def _one_a_beat(parameters: TranscoderParameters, packets: Iterable[bytes]) -> bool:
    """Whether at most one ill-formed record ends in each input beat."""
    delimiter = parameters.sidebands.records
    assert delimiter is not None
    for packet in packets:
        ends = Counter[int]()
        stop = 0
        records = split_records(packet, delimiter, parameters.reads)
        for record, bad in zip(records, parameters.compute(packet).records, strict=True):
            stop += len(record)
            ends[(stop - 1) // parameters.input_bytes] += bad
        if any(count > 1 for count in ends.values()):
            return False
    return True
