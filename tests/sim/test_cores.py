"""The generated cores against the golden model: every core, every width up to 8 lanes."""

import itertools
import json
from struct import pack

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    TranscoderParameters,
    ValidatorParameters,
    decode,
)
from runewire_model.texts import damage, generate
from runewire_sim import Report, Stalls, compare, generated, simulate, verilator
from runewire_sim.stimuli import random_packets

LANES = (1, 2, 4, 8)
REGRESSIONS = ENCODINGS["utf-8"].troublemakers
DENSE = [DecoderParameters(lanes=lanes) for lanes in LANES]
CORES: list[TranscoderParameters] = [
    *DENSE,
    *(DecoderParameters(lanes=lanes, packing="sparse") for lanes in LANES),
    *(DecoderParameters(lanes=lanes, errors="drop", bom="strip") for lanes in LANES),
    *(ValidatorParameters(lanes=lanes) for lanes in LANES),
    *(EncoderParameters(lanes=lanes) for lanes in LANES),
    EncoderParameters(lanes=2, errors="drop"),
]
EVERY = [pytest.param(parameters, marks=[pytest.mark.slow] if parameters.lanes == 2 else []) for parameters in CORES]
"""Two-lane cores are slow tests, as the quick tests have one lane and four."""
STALLS = (Stalls(), Stalls(0.5, 0.0, 1), Stalls(0.0, 0.5, 2), Stalls(0.4, 0.4, 3), Stalls(0.95, 0.9, 4))


def label(parameters: TranscoderParameters) -> str:
    options = [parameters.packing] if "packing" in parameters.options else []
    return "-".join([parameters.core, str(parameters.lanes), *options, parameters.errors])


def run(parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls, simulator: str) -> Report:
    with simulate(generated(parameters), packets, stalls, simulator=simulator) as under_way:
        return compare(parameters, packets, under_way)


def input_of(parameters: TranscoderParameters, text: bytes) -> bytes:
    """A packet in the core's encoding with the same text as the UTF-8 bytes ``text``."""
    if parameters.source == "utf-8":
        return text
    return parameters.reads.encode(decode(text))


def everywhere(parameters: TranscoderParameters, text: bytes) -> list[bytes]:
    """``text`` at every place of a beat, so split at every point, with empty packets between."""
    packets = []
    for shift in range(2 * parameters.lanes):
        for packet in (b"a" * shift + text, b"a" * shift + text + b"b"):
            packets += [input_of(parameters, packet), b""]
    return packets


@pytest.mark.parametrize("parameters", [
    pytest.param(parameters, marks=[] if parameters.lanes == 1 else [pytest.mark.slow]) for parameters in CORES
], ids=label)
@pytest.mark.parametrize("name", REGRESSIONS)
def test_regression_at_every_split(parameters: TranscoderParameters, name: str, simulator: str) -> None:
    packets = everywhere(parameters, REGRESSIONS[name])
    for stalls in (Stalls(), Stalls(0.3, 0.3, 5)):
        report = run(parameters, packets, stalls, simulator)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.packets == len(packets)


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_empty_packets_between_full_ones(parameters: TranscoderParameters, simulator: str) -> None:
    full = input_of(parameters, b"ab" * 2 * parameters.lanes)
    packets = [b"".join([full] * n) for n in (0, 1, 0, 0, 0, 2, 0, 1, 1, 0, 0)]
    for stalls in STALLS:
        report = run(parameters, packets, stalls, simulator)
        assert report.agree, (report.first_difference, report.protocol_errors)


@pytest.mark.parametrize("parameters", EVERY, ids=label)
@pytest.mark.parametrize("stalls", STALLS, ids=lambda s: f"{s.source}-{s.sink}")
def test_random_packets_under_stalls(parameters: TranscoderParameters, stalls: Stalls, simulator: str) -> None:
    packets = list(random_packets(parameters, 2000 if simulator == "verilator" else 60, seed=stalls.seed))
    report = run(parameters, packets, stalls, simulator)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.stats is not None
    assert report.stats.bytes_in == sum(map(len, packets))


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.parametrize("parameters", [DecoderParameters(lanes=64)], ids=label)
def test_a_packet_of_ten_megabytes(parameters: TranscoderParameters) -> None:
    packet = damage(generate("mixed", 10_000_000), 1e-4)
    with verilator.run(generated(parameters), [packet], Stalls(0.05, 0.05, 7)) as under_way:
        report = compare(parameters, [packet], under_way)
    assert report.agree, (report.first_difference, report.protocol_errors)


@pytest.mark.parametrize("parameters", DENSE, ids=label)
def test_triples_of_edge_sequences(parameters: TranscoderParameters, simulator: str) -> None:
    """Each boundary sequence, well-formed or not, after and before each other one."""
    if simulator != "verilator":
        pytest.skip("takes the fast lane")
    parts = [bytes.fromhex(text) for text in (
        "41", "C2 80", "C0", "C1 BF", "E0 80", "E0 A0 80", "E1 80", "ED 9F BF", "ED A0", "ED A0 80",
        "EF BB BF", "F0", "F0 80", "F0 90 80 80", "F0 9F 98", "F4 8F BF BF", "F4 90", "F5",
        "F8 88 80 80 80", "FF", "80", "BF BF")]
    packets = [b"".join(pair) for pair in itertools.product(parts, repeat=3)]
    report = run(parameters, packets, Stalls(0.1, 0.1, 6), simulator)
    assert report.agree, (report.first_difference, report.protocol_errors)


@pytest.mark.parametrize("lanes", [*(pytest.param(lanes, marks=pytest.mark.slow) for lanes in LANES[:-1]), LANES[-1]])
def test_every_scalar_round_trips_through_encoder_and_decoder(lanes: int) -> None:
    scalars = [*range(0xD800), *range(0xE000, 0x110000)]
    parts = [scalars[start : start + 5000] for start in range(0, len(scalars), 5000)]
    packets = [pack(f"<{len(part)}I", *part) for part in parts]
    encoder, decoder = generated(EncoderParameters(lanes=lanes)), generated(DecoderParameters(lanes=lanes))
    with simulate(encoder, packets, Stalls(0.05, 0.05, lanes)) as under_way:
        encoded = [result for result, _ in under_way.packets()]
    assert [result.error for result in encoded] == [None] * len(packets)
    assert b"".join(result.output for result in encoded) == "".join(map(chr, scalars)).encode()
    with simulate(decoder, [result.output for result in encoded], Stalls(0.05, 0.05, lanes)) as under_way:
        decoded = [result for result, _ in under_way.packets()]
    assert [result.output for result in decoded] == packets
    assert [result.error for result in decoded] == [None] * len(packets)


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_latency_is_the_documented_one(parameters: TranscoderParameters, simulator: str) -> None:
    """A packet of one beat into an idle core leaves after the cycles that the description states."""
    latency = json.loads(generated(parameters).verilog.with_suffix(".json").read_text())["latency_cycles"]
    with simulate(generated(parameters), [input_of(parameters, b"a")], simulator=simulator) as under_way:
        [(_, end)] = under_way.packets()
    assert end.last_out - end.last_in == latency


@pytest.mark.parametrize("parameters", EVERY, ids=label)
def test_a_beat_a_cycle_without_stalls(parameters: TranscoderParameters, simulator: str) -> None:
    """No bubbles inside a packet, nor between packets of well-formed text."""
    packets = [input_of(parameters, b"x" * parameters.lanes * 200)] * 5
    report = run(parameters, packets, Stalls(), simulator)
    assert report.stats is not None
    assert report.agree
    beats = report.stats.beats_in
    assert report.stats.busy_cycles - beats < 100
