"""Sidebands of the generated cores: every option against the golden model."""

from typing import Any

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.report import Sidebands
from runewire_model.report_fields import COUNTERS, possible_counters
from runewire_sim import Report, Stalls, compare, generated, simulate
from runewire_sim.stimuli import random_packets

OF_TEXT = possible_counters(None)
CORES: list[TranscoderParameters] = [
    *(ValidatorParameters(lanes, count=COUNTERS, records=0x7F, user=8, id=4, dest=5) for lanes in (1, 2, 4, 8)),
    ValidatorParameters(1, report="none"),
    ValidatorParameters(1, report="none", dest=3),
    ValidatorParameters(2, report="none", records=0),
    ValidatorParameters(4, report="flag", user=1),
    ValidatorParameters(2, report="kind", offset_bits=16, count=("bytes", "code-points"), report_port="beside"),
    ValidatorParameters(1, report="flag", records=0x61, report_port="only"),
    ValidatorParameters(4, report="none", count=("utf16-units",), offset_bits=64, report_port="only", user=64),
    *(DecoderParameters(lanes, count=OF_TEXT, user=2, id=1) for lanes in (1, 2, 4, 8)),
    DecoderParameters(4, "drop", "strip", count=OF_TEXT, report_port="only"),
    DecoderParameters(2, packing="sparse", count=OF_TEXT, dest=9, report_port="beside"),
    DecoderParameters(2, report="flag", id=64, dest=64, user=64),
    DecoderParameters(4, report="none"),
    *(EncoderParameters(lanes, count=OF_TEXT, user=3, dest=1) for lanes in (1, 2, 4)),
    EncoderParameters(2, "drop", report="kind", count=OF_TEXT, report_port="beside"),
    EncoderParameters(1, report="none", count=("replacements",), report_port="only", id=2),
    SanitizerParameters(2, replacement=0x3F, count=OF_TEXT, user=2, id=3, dest=1, report_port="beside"),
]
QUICK = {1, 9, 16}
"""Quick cores: a validator, a decoder and a sparse one, with all sidebands or a report port."""
STALLS = (Stalls(), Stalls(0.5, 0.0, 1), Stalls(0.0, 0.6, 2), Stalls(0.4, 0.4, 3), Stalls(0.9, 0.95, 4))


def marks(number: int, parameters: TranscoderParameters) -> list[pytest.MarkDecorator]:
    """Among eight-lane cores only the validator is quick: it has the most sidebands. The records have the others."""
    widest = parameters.lanes == 8 and parameters.core != "validator"
    return [] if number in QUICK else [pytest.mark.slow, *([pytest.mark.records] if widest else [])]


def run(parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls, simulator: str) -> Report:
    with simulate(generated(parameters), packets, stalls, simulator=simulator) as under_way:
        report = compare(parameters, packets, under_way)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.packets == len(packets)
    return report


@pytest.mark.parametrize("parameters", [
    pytest.param(each, marks=marks(number, each)) for number, each in enumerate(CORES)
], ids=str)
def test_random_packets_under_stalls(parameters: TranscoderParameters, simulator: str) -> None:
    for stalls in STALLS:
        packets = list(random_packets(parameters, 1500 if simulator == "verilator" else 40, stalls.seed, longest=40))
        run(parameters, packets, stalls, simulator)


ASCII: dict[str, Any] = {"sidebands": Sidebands(report="none", count=("ascii",))}
OF_ASCII = [
    *(TranscoderParameters("utf-8", None, lanes, pipeline=pipeline, **ASCII)
      for lanes in (1, 4, 8) for pipeline in ("fast", "compact")),
    *(TranscoderParameters(source, None, 4, pipeline=pipeline, **ASCII)
      for source in ENCODINGS if source != "utf-8" for pipeline in ("fast", "compact")),
    TranscoderParameters("utf-8", "utf-16", 2, bom="add", **ASCII),
    TranscoderParameters("utf-16le", "utf-8", 2, "drop", "strip", **ASCII),
]


@pytest.mark.parametrize("parameters", [
    pytest.param(each, marks=[] if (each.source, each.pipeline) == ("utf-16", "compact") else pytest.mark.slow)
    for each in OF_ASCII
], ids=str)
def test_ascii_of_every_encoding(parameters: TranscoderParameters) -> None:
    packets = list(random_packets(parameters, 1500, 5, longest=40))
    assert any(parameters.compute(packet).counts["ascii"] > 9 for packet in packets)
    run(parameters, packets, Stalls(0.4, 0.4, 5), "verilator")


@pytest.mark.slow
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(1, offset_bits=16, count=("bytes",)),
    ValidatorParameters(8, offset_bits=16, count=COUNTERS, records=0x0A),
    pytest.param(DecoderParameters(8, offset_bits=16, count=OF_TEXT), marks=pytest.mark.records),
    EncoderParameters(4, offset_bits=16, count=OF_TEXT),
], ids=str)
def test_what_does_not_fit_saturates(parameters: TranscoderParameters) -> None:
    """Near saturation, in each of the counters."""
    most = (1 << 16) - 1
    wrong = parameters.reads.wrong[0]
    letters = [parameters.reads.encode([ord(letter)]) for letter in "a\n"]
    packets = [letter * size + wrong for size in (most - 2, most - 1, most, most + 1, most + 9, 3 * most)
               for letter in letters]
    packets += [wrong * size for size in (most - 1, most, most + 1)]
    packets += [parameters.reads.encode([0x1F600] * (size // 2)) for size in (most - 1, most + 1, most + 3)]
    run(parameters, packets, Stalls(0.01, 0.01, 1), "verilator")


@pytest.mark.slow
def test_a_long_packet_of_records() -> None:
    """Longer than the part that the model computes at a time."""
    parameters = ValidatorParameters(8, records=0x0A, count=COUNTERS)
    packet = b"".join(b"x" * (size % 97) + (b"\xE2\x82" if size % 5 == 0 else b"") + b"\n" for size in range(14_000))
    assert len(packet) > 600_000
    report = run(parameters, [packet, packet[:-1]], Stalls(0.05, 0.05, 1), "verilator")
    assert (report.records, report.bad_records) == (2 * 14_000, 2 * 2_800)
