"""The models against the hardware, result for result and cycle for cycle: every core, packing and width, with stalls
and without."""

import re
from collections.abc import Iterable
from itertools import dropwhile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
)
from runewire_model.packet_beats import SegmentPacket
from runewire_model.timeline import PacketCycles, Timeline, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, generated, simulate, verilator
from runewire_sim.interleaving import interleaved
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets

STALLS = (
    Stalls(), Stalls(0.5, 0, 1), Stalls(0, 0.5, 2), Stalls(0.1, 0.2, 3), Stalls(0.4, 0.35, 4), Stalls(0.9, 0.1, 5),
    Stalls(0, 0.97, 6),
)
SMALL: list[TranscoderParameters] = [
    *(ValidatorParameters(lanes) for lanes in (1, 4)),
    *(DecoderParameters(lanes) for lanes in (1, 2, 4)),
    DecoderParameters(1, packing="sparse"),
    *(EncoderParameters(lanes) for lanes in (1, 2)),
    ValidatorParameters(4, "compact"),
    DecoderParameters(2, pipeline="balanced"),
    EncoderParameters(2, pipeline="compact"),
]
MARKED: list[TranscoderParameters] = [
    TranscoderParameters("utf-8", "utf-16", 4, bom="add"),
    TranscoderParameters("utf-16", "utf-8", 2, bom="add"),
    TranscoderParameters("latin-1", "utf-16le", 1, bom="add"),
    TranscoderParameters("utf-16", "utf-8", 2, bom="add", pipeline="compact"),
    DecoderParameters(4, bom="add", packing="sparse"),
]
MORE: list[TranscoderParameters] = [
    ValidatorParameters(8),
    DecoderParameters(8),
    *(DecoderParameters(lanes, "drop", "strip") for lanes in (1, 4)),
    *(DecoderParameters(lanes, packing="sparse") for lanes in (4, 8)),
    TranscoderParameters("utf-8", "utf-16le", 4),
    EncoderParameters(4),
    EncoderParameters(2, "drop"),
    *(ValidatorParameters(lanes, "compact") for lanes in (1, 8)),
    *(DecoderParameters(lanes, pipeline="compact") for lanes in (1, 4, 8)),
    EncoderParameters(1, pipeline="compact"),
    TranscoderParameters("utf-8", "utf-16le", 4, pipeline="compact"),
    TranscoderParameters("latin-1", "utf-8", 2, pipeline="compact"),
    DecoderParameters(2, packing="sparse", pipeline="balanced"),
    SanitizerParameters(1, replacement=0x3F, bom="strip"),
    SanitizerParameters(2, "drop"),
]
WIDE: list[TranscoderParameters] = [
    *(ValidatorParameters(lanes) for lanes in (16, 32, 64, 128, 256)),
    ValidatorParameters(64, family="gowin-5a"),
    *(DecoderParameters(lanes) for lanes in (16, 32, 64)),
    *(DecoderParameters(lanes, packing="sparse") for lanes in (16, 32, 64)),
    *(EncoderParameters(lanes) for lanes in (8, 16)),
    SanitizerParameters(32, "drop"),
    TranscoderParameters("utf-16le", "utf-8", 8),
]
EVERY = [*SMALL, *(pytest.param(parameters, marks=pytest.mark.slow) for parameters in (*MORE, *MARKED, *WIDE))]


def label(parameters: TranscoderParameters) -> str:
    return "-".join([parameters.core, *map(str, parameters.options.values())])


def count(parameters: TranscoderParameters, packets: int) -> int:
    """Fewer packets for wide cores, which are slow to simulate, and of whose many bytes each is full."""
    return packets // 4 if parameters in WIDE else packets


def modelled(parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls) -> Timeline:
    sent: list[Any] = packets
    if parameters.sidebands.flows is not None:
        sent = [SegmentPacket(bytes(each), each.flow, each.more) for each in packets if isinstance(each, Segment)]
    return timeline(parameters, sent, timing(parameters), stalls.source_pauses.at, stalls.sink_pauses.at,
                    stalls.further)


def assert_equal(parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls) -> None:
    with verilator.run(generated(parameters), packets, stalls) as run:
        results, ends = zip(*run.packets(), strict=True)
    assert list(results) == [parameters.compute(packet) for packet in packets]
    stamps = [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
    model = modelled(parameters, packets, stalls)
    differing = next((index for index, pair in enumerate(zip(stamps, model.packets, strict=True))
                      if pair[0] != pair[1]), None)
    assert differing is None, (
        f"{parameters!r} {stalls!r} packet {differing} {packets[differing]!r}: "
        f"hardware {stamps[differing]}, model {model.packets[differing]}")
    assert run.stats.busy_cycles == model.cycles
    assert (run.stats.beats_in, run.stats.beats_out) == (len(model.input.taken), len(model.output.taken))


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_random_packets_under_random_stalls(parameters: TranscoderParameters) -> None:
    for stalls in STALLS:
        for longest in (3 * parameters.lanes, 12 * parameters.lanes):
            packets = list(random_packets(parameters, count(parameters, 400), stalls.seed, longest))
            assert_equal(parameters, packets, stalls)


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_packets_of_a_beat_stamp_every_beat(parameters: TranscoderParameters) -> None:
    """Where every packet is one beat or two, the stamps show each beat of both sides."""
    packets = list(random_packets(parameters, count(parameters, 1500), 9, min(parameters.lanes, 2)))
    for stalls in STALLS:
        assert_equal(parameters, packets, stalls)


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_rows_that_fill_gaplessly_and_not(parameters: TranscoderParameters) -> None:
    """All that decides when a dense row is pushed: which beats of a packet fill one, and how its last one ends."""
    lanes = parameters.lanes
    if parameters.source == "latin-1":
        full, thin, half = b"\xE9" * lanes, b"a" * lanes, (b"\xE9a" * lanes)[:lanes]
    elif parameters.source == "utf-32le":
        full, thin = "😀".encode("utf-32le") * lanes, "a".encode("utf-32le") * lanes
        half = full[: 2 * lanes] + thin[2 * lanes :] if lanes > 1 else "é".encode("utf-32le")
    else:
        full, thin = b"a" * lanes, ("😀" * lanes).encode()[:lanes]
        half = full[: lanes // 2] + thin[lanes // 2 :]
    patterns = [[full] * n for n in (1, 2, 9)]
    patterns += [[full, full, thin, full, full], [thin, full, full], [thin] * 9, [half] * 12, [full, half, half]]
    patterns += [[full] * 3 + [part] for part in (thin, half)] + [[half, full, full, thin, half, full, half]]
    packets = [b"".join(pattern) for pattern in patterns for _ in range(3)] * 4
    for stalls in STALLS:
        assert_equal(parameters, packets, stalls)


TRACED = [
    ValidatorParameters(2, "compact"), DecoderParameters(2, pipeline="compact"), DecoderParameters(2),
    DecoderParameters(2, packing="sparse"),
    EncoderParameters(1),
    ValidatorParameters(2, records=0x41, record_report=True, report_port="beside"),
    pytest.param(parameters("filter", lanes=2, longest=16, rejects=True, records=0x41), marks=pytest.mark.slow),
    pytest.param(DecoderParameters(2, records=0x41, record_report=True, report_port="only"), marks=pytest.mark.slow),
    pytest.param(ValidatorParameters(2, "compact", report_port="only"), marks=pytest.mark.slow),
    DecoderParameters(1, pipeline="compact", flows=1, report_port="beside"),
    pytest.param(ValidatorParameters(1, "compact", flows=1, null_bytes="anywhere"), marks=pytest.mark.slow),
    pytest.param(ValidatorParameters(1, "compact", flows=2, id=1, report_port="only"), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("parameters", TRACED, ids=label)
def test_every_cycle_of_the_handshakes(parameters: TranscoderParameters, tmp_path: Path) -> None:
    """``tvalid`` and ``tready`` of all ports as the waves have them."""
    stalls = Stalls(0.2, 0.4, 8)
    packets = list(random_packets(parameters, 120, 8, 30))
    if parameters.sidebands.flows is not None:
        packets = list(interleaved(packets[:60], parameters, Random(8)))
    waves = tmp_path / "waves.vcd"
    with simulate(generated(parameters), packets, stalls, waves) as run:
        list(run)
    model = modelled(parameters, packets, stalls)
    side = parameters.sidebands
    streams = {"s_axis": model.input, "m_axis": model.output,
               **({"m_rejects": model.rejects} if side.rejects else {}),
               **({"m_report": model.reports} if side.report_port != "none" else {}),
               **({"m_records": model.records} if side.record_report else {})}
    cycles = handshakes(waves, streams)
    assert len(cycles) == run.stats.cycles
    for port, beats in streams.items():
        valid, ready = f"{port}_tvalid", f"{port}_tready"
        both = zip(beats.offered, beats.taken, strict=True)
        shown = [cycle for first, last in both for cycle in range(first, last + 1)]
        assert [cycle for cycle, levels in enumerate(cycles) if levels[valid]] == shown
        assert [cycle for cycle, levels in enumerate(cycles) if levels[valid] and levels[ready]] == beats.taken
        assert len(beats.taken) > 30


def handshakes(waves: Path, ports: Iterable[str]) -> list[dict[str, bool]]:
    """The levels of the handshakes of ``ports`` just before each rising edge of ``aclk``, from the first one with
    ``tready`` on."""
    header, _, body = waves.read_text().partition("$enddefinitions $end")
    scopes = header.partition("$upscope")[0]
    names = ("aclk", "aresetn", *(f"{port}_t{end}" for port in ports for end in ("valid", "ready")))
    found = re.findall(r"\$var \w+ +1 (\S+) (\w+) \$end", scopes)
    codes = {code: name for code, name in found if name in names}
    assert sorted(codes.values()) == sorted(names)
    now: dict[str, bool] = {}
    before: dict[str, bool] = {}
    cycles = []
    for line in body.split():
        if line.startswith("#"):
            before = dict(now)
        elif line[1:] in codes and line[0] in "01":
            name = codes[line[1:]]
            now[name] = line[0] == "1"
            if name == "aclk" and now[name] and before.get("aresetn") and not before["aclk"]:
                cycles.append(before)
    return list(dropwhile(lambda levels: not levels["s_axis_tready"], cycles))
