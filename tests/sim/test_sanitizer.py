"""The sanitizer's generated Verilog against the golden model; a byte or nothing replaces ill-formed subparts."""

from itertools import product
from typing import Any

import pytest
from runewire_model import ENCODINGS, SanitizerParameters, TranscoderParameters
from runewire_sim import Stalls, compare, generated, simulate
from runewire_sim.stimuli import random_packets

UTF8 = ENCODINGS["utf-8"]
OPTIONS: list[tuple[int, dict[str, Any]]] = [
    (1, {"replacement": 0x3F, "bom": "strip"}),
    (2, {"errors": "drop"}),
    (4, {"replacement": 0x1A}),
    (4, {"errors": "drop", "packing": "sparse"}),
    (8, {"errors": "drop", "bom": "strip"}),
    (2, {"replacement": 0x20, "packing": "sparse", "pipeline": "compact"}),
]
CORES = [pytest.param(SanitizerParameters(lanes, **options), id=str(SanitizerParameters(lanes, **options)),
                      marks=[] if lanes == 1 else [pytest.mark.slow]) for lanes, options in OPTIONS]
STALLS = (Stalls(), Stalls(0.5, 0.0, 1), Stalls(0.0, 0.5, 2), Stalls(0.4, 0.4, 3), Stalls(0.95, 0.9, 4))


def check(parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls, simulator: str = "verilator") -> None:
    with simulate(generated(parameters), packets, stalls, simulator=simulator) as run:
        report = compare(parameters, packets, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.packets == len(packets)


@pytest.mark.parametrize("parameters", CORES)
def test_random_packets_under_stalls(parameters: TranscoderParameters, simulator: str) -> None:
    for stalls in STALLS:
        number = 2000 if simulator == "verilator" else 40
        check(parameters, [*random_packets(parameters, number, stalls.seed)], stalls, simulator)


@pytest.mark.parametrize("parameters", CORES)
def test_troublemakers_at_every_place_of_a_beat(parameters: TranscoderParameters) -> None:
    """Split at every point, with empty packets between."""
    packets = [b"a" * shift + part + end for part in (*UTF8.troublemakers.values(), *UTF8.wrong)
               for shift in range(2 * parameters.lanes) for end in (b"", b"b", b"\x80")]
    for stalls in (Stalls(), Stalls(0.3, 0.3, 5)):
        check(parameters, [each for packet in packets for each in (packet, b"")], stalls)


@pytest.mark.parametrize("parameters", CORES)
def test_edge_bytes_beside_each_other(parameters: TranscoderParameters) -> None:
    """All four of the first and last bytes of each class, in packets of a row of them."""
    rows = [b"".join(map(bytes, product([first], [second], UTF8.edges, UTF8.edges[2:10])))
            for first, second in product(UTF8.edges, UTF8.edges)]
    check(parameters, rows if parameters.lanes > 1 else rows[::5], Stalls(0.1, 0.1, 6))


@pytest.mark.parametrize("parameters", CORES)
def test_well_formed_text_passes_at_a_beat_a_cycle(parameters: TranscoderParameters) -> None:
    text = "añ漢😀".encode() * 200
    with simulate(generated(parameters), [text] * 5) as run:
        report = compare(parameters, [text] * 5, run)
    assert report.agree
    assert report.stats is not None
    assert report.stats.bytes_out == report.stats.bytes_in == 5 * len(text)
    assert report.stats.busy_cycles - report.stats.beats_in < 100
