"""The cycle model of a record report and of a report port, against the generated Verilog: to the cycle, while each sink
waits on its own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from runewire_model import SanitizerParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_model.packet_beats import SegmentPacket
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, Timeline, timeline
from runewire_rtl import timing
from runewire_sim import Stalls, generated, simulate
from runewire_sim.axi_stream.beats import beats_with_holes
from runewire_sim.results import PacketEnd, Stats
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets

STALLS = (Stalls(records=0.9, seed=1), Stalls(0.2, 0.3, 2), Stalls(0.0, 0.8, 3, records=0.0),
          Stalls(0.1, 0.1, 4, records=0.95), Stalls(0.7, 0.0, 5, records=0.5), Stalls(0.0, 0.97, 6))
FLOWS: dict[str, Any] = {"flows": 4, "id": 2}


def core(source: str, target: str | None, lanes: int, ports: dict[str, Any] | None = None,
         **options: Any) -> TranscoderParameters:
    return TranscoderParameters(source, target, lanes, **options, sidebands=Sidebands(**ports or {}))


def reporting(source: str, target: str | None, lanes: int, ports: dict[str, Any] | None = None,
              **options: Any) -> TranscoderParameters:
    return core(source, target, lanes, {"records": 0x0A, "record_report": True, **(ports or {})}, **options)


QUICK = [reporting("utf-8", None, 4), ValidatorParameters(2, report_port="only")]
MORE = [
    *(reporting("utf-8", None, lanes) for lanes in (1, 2, 8, 64)),
    reporting("utf-8", None, 4, {"null_bytes": "anywhere"}), reporting("utf-8", None, 16, {"report_port": "beside"}),
    reporting("utf-8", None, 8, pipeline="balanced"), reporting("utf-16", None, 4),
    reporting("utf-8", "utf-32le", 4), reporting("utf-8", "utf-16le", 2, bom="add"), reporting("utf-8", "utf-8", 1),
    reporting("utf-16", "utf-8", 8, {"report_port": "only"}), reporting("utf-8", "latin-1", 8, errors="drop"),
    reporting("utf-8", "utf-32le", 4, packing="sparse", bom="add"),
    *(reporting("utf-8", None, lanes, FLOWS) for lanes in (1, 8)), reporting("utf-16", "utf-8", 2, FLOWS),
    reporting("utf-8", None, 4, {**FLOWS, "null_bytes": "anywhere"}), reporting("utf-8", "utf-16le", 8, FLOWS),
    reporting("utf-8", "utf-8", 8, FLOWS, bom="add"), reporting("utf-8", "utf-32le", 4, FLOWS, bom="add",
                                                                packing="sparse"),
    reporting("utf-8", "utf-32le", 8, {**FLOWS, "report_port": "beside"}),
    *(core("utf-8", target, 4, {"report_port": "beside", **ports}, pipeline=pipeline)
      for target in (None, "utf-32le") for pipeline in ("fast", "compact") for ports in ({}, FLOWS)),
    SanitizerParameters(8, split=0x0A, report_port="only"), SanitizerParameters(1, report_port="only", bom="add"),
    parameters("validator", lanes=4, split=0x0A, longest=16, report_port="only", pipeline="compact"),
]
EVERY = pytest.mark.parametrize("core", [
    *QUICK, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE[::2]),
    *(pytest.param(core, marks=[pytest.mark.slow, pytest.mark.records]) for core in MORE[1::2])], ids=str)


def sent(core: TranscoderParameters, count: int, seed: int) -> Iterator[bytes]:
    """Packets of well-formed and ill-formed records, of which several may end in a beat."""
    random = Random(seed)
    delimiter = core.reads.orders[0].pack([0x0A])
    wrong = [each for each in core.reads.wrong if delimiter not in each] or [b""]
    texts = [b"", *wrong, *random_packets(core, 40, seed, 2 * core.input_bytes)]
    for _ in range(count):
        parts = random.choices((random.choice(wrong), random.choice(texts)), k=random.choice((0, 1, 1, 2, 6, 12)))
        yield b"".join(part + random.choice((b"", delimiter, delimiter)) for part in parts)


def of_flows(core: TranscoderParameters, packets: Sequence[bytes], seed: int) -> list[Segment]:
    """The packets as segments of three flows, whose texts continue or end."""
    random, flows = Random(seed), core.sidebands.flows
    assert flows is not None
    return [Segment(packet, random.choice((0, flows // 3, flows - 1)), random.random() < 0.7) for packet in packets]


def modelled(core: TranscoderParameters, packets: Sequence[bytes], stalls: Stalls) -> Timeline:
    given: list[Any] = [bytes(packet) for packet in packets]
    if core.holes:
        given = [*beats_with_holes(given, core.input_bytes, iter(stalls.null_bytes))]
    segments = [SegmentPacket(data, packet.flow, packet.more)
                for data, packet in zip(given, packets, strict=True) if isinstance(packet, Segment)]
    return timeline(core, segments or given, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at,
                    stalls.further)


def simulated(core: TranscoderParameters, packets: Sequence[bytes], stalls: Stalls) -> tuple[list[PacketEnd], Stats]:
    with simulate(generated(core), packets, stalls) as run:
        ends = [end for _, end in run.packets()]
    assert run.protocol_errors == []
    return ends, run.stats


@EVERY
def test_each_stream_is_in_the_cycles_of_the_model(core: TranscoderParameters) -> None:
    for stalls in STALLS if core not in QUICK else STALLS[:4]:
        stalls = replace(stalls, holes=0.3 if core.holes else 0.0)
        packets = [*sent(core, 250, stalls.seed)]
        if core.sidebands.flows is not None:
            packets = [*of_flows(core, packets, stalls.seed)]
        ends, stats = simulated(core, packets, stalls)
        model = modelled(core, packets, stalls)
        stamps = [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends]
        assert stamps == model.packets
        assert (stats.beats_in, stats.beats_out) == (len(model.input.taken), len(model.output.taken))
        waits = [taken - offered for offered, taken in zip(model.records.offered, model.records.taken, strict=True)]
        for end in ends:
            own, waits = waits[: len(end.bad_records)], waits[len(end.bad_records):]
            assert end.record_waits == sum(own)
        assert waits == []
        assert len(model.records.taken) > (200 if core.sidebands.record_report else -1)
        assert len(model.reports.taken) == (len(ends) if core.sidebands.report_port != "none" else 0)


@pytest.mark.parametrize(("core", "slow"), [
    (reporting("utf-8", None, 4), Stalls(records=0.9)), (ValidatorParameters(4, report_port="only"), Stalls(sink=0.9))],
    ids=["record report", "report port"])
def test_a_sink_that_waits_holds_the_core(core: TranscoderParameters, slow: Stalls) -> None:
    packets = [b"a\xFF\n"] * 400
    free, held = (modelled(core, packets, stalls).input.taken[-1] for stalls in (Stalls(), slow))
    assert free < 450
    assert held > 5 * free
