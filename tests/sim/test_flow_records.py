"""Record reports of texts in segments in the generated Verilog, against the golden model."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
import runewire_rtl
from amaranth.hdl import Const
from runewire_model import Flow, TranscoderParameters
from runewire_model.records import BadRecord
from runewire_model.report import Sidebands
from runewire_rtl.pipeline import Timed
from runewire_rtl.report import bad_records, record_offsets, record_report
from runewire_sim import Stalls, VerilogDesign, compare, generated, simulate
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets

STALLS = (Stalls(), Stalls(0.3, 0.4, 1), Stalls(0, 0.9, 3), Stalls(0.1, 0.1, 5, records=0.9))
RECORDS: dict[str, Any] = {"records": 0x0A, "record_report": True, "flows": 4, "id": 2}


def reporting(source: str, target: str | None, lanes: int, ports: dict[str, Any] | None = None,
              **options: Any) -> TranscoderParameters:
    return TranscoderParameters(source, target, lanes, **options, sidebands=Sidebands(**RECORDS | (ports or {})))


ONE: dict[str, Any] = {"flows": 1, "id": 0}
QUICK = [reporting("utf-8", None, 1), reporting("utf-8", "utf-16le", 2, {"count": ("records", "bad-records")})]
MORE = [
    reporting("utf-8", None, 1, ONE), reporting("utf-8", None, 4, {"early": True, "user": 2}),
    reporting("utf-8", None, 8, {"flows": 256, "id": 8}), reporting("utf-8", None, 16, {"report": "none"}),
    reporting("utf-8", None, 64, ONE), reporting("utf-8", None, 2, {"null_bytes": "anywhere"}),
    reporting("utf-8", "utf-32le", 8, {"report_port": "beside"}), reporting("utf-8", "latin-1", 4),
    reporting("utf-8", "utf-8", 8, ONE, bom="add"), reporting("utf-8", "utf-32le", 4, packing="sparse", bom="add"),
    reporting("utf-8", "utf-16le", 8, bom="strip"), reporting("utf-16", "utf-8", 2), reporting("utf-32", None, 1),
    reporting("utf-8", "utf-16le", 4, {"null_bytes": "anywhere"}, pipeline="balanced"),
    reporting("utf-16le", "utf-8", 8, {"flows": 32, "id": 5}, replace_runs=True),
]


def pieces(core: TranscoderParameters, count: int, seed: int, *, few: bool) -> list[Segment]:
    """Lines cut into segments, of which many are short or empty; of random flows, or of ``few``, whose packets follow
    each other within the pipeline."""
    random, flows = Random(seed), core.sidebands.flows
    assert flows is not None
    reads = core.reads
    delimiter = reads.orders[0].pack([0x0A])
    texts = [*reads.troublemakers.values(), *reads.wrong, *random_packets(core, 40, seed, 3 * core.input_bytes)]
    chosen = (0, flows // 3, flows - 1) if few else range(flows)
    found: list[Segment] = []
    while len(found) < count:
        parts = random.choices([b"", b"", delimiter, delimiter, *texts], k=random.choice((1, 2, 5)))
        text = b"".join(part + random.choice((b"", delimiter)) for part in parts)
        while text or random.random() < 0.2:
            size = random.choice((0, 1, 1, 1, 2, 3, core.input_bytes, core.input_bytes + 1, len(text)))
            found.append(Segment(text[:size], random.choice(chosen), random.random() < 0.7))
            text = text[size:]
    return found[:count]


def differs(design: VerilogDesign, packets: list[Segment], stalls: Stalls, simulator: str) -> str | None:
    core = design.parameters
    with simulate(design, packets, stalls, simulator=simulator) as run:
        report = compare(core, packets, run)
    assert report.bad_records > len(packets) / 20
    return report.first_difference.what if report.first_difference else next(iter(report.protocol_errors), None)


@pytest.mark.parametrize("few", [False, True], ids=["random flows", "few flows"])
@pytest.mark.parametrize("core", [
    *QUICK, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE[::2]),
    *(pytest.param(core, marks=[pytest.mark.slow, pytest.mark.records]) for core in MORE[1::2])], ids=str)
def test_ill_formed_records_of_texts_in_segments(core: TranscoderParameters, few: bool, simulator: str) -> None:
    for stalls in STALLS[1::2] if core in QUICK else STALLS:
        stalls = replace(stalls, holes=0.3 if core.holes else 0.0)
        assert differs(generated(core), pieces(core, 400, stalls.seed, few=few), stalls, simulator) is None


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [1, 8])
@pytest.mark.parametrize("sizes", [(255, 3, 65272), (255, 3, 65277), (65536, 65533), (1, 131071, 2)], ids=str)
def test_numbers_that_do_not_fit_are_all_ones(lanes: int, sizes: tuple[int, ...], simulator: str) -> None:
    """Of a long record, and of many records, in several segments; the next text begins at 0."""
    core = reporting("utf-8", None, lanes, {"offset_bits": 16})
    ends = [Segment(b"aaa\xFF\n\xE2\n", 0, True), Segment(b"\xFF", 0, False)]
    packets = [segment for letter in (b"a", b"\n") for segment in (
        *(Segment(letter * size, 0, True) for size in sizes), Segment(b"\xC0", 1, True), *ends)]
    flows = [Flow(core) for _ in range(4)]
    answers = [flows[packet.flow].segment(bytes(packet), packet.more).bad_records for packet in packets]
    expected = [tuple(BadRecord(min(each.record, 0xFFFF), each.kind, min(each.offset, 0xFFFF)) for each in answer)
                for answer in answers]
    with simulate(generated(core), packets, Stalls(), simulator=simulator) as run:
        assert [result.bad_records for result, _ in run.packets()] == expected
    assert run.protocol_errors == []


class Function:
    """A function of a module, that is no cut point."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name

    def replaced(self, change: Callable[..., Any]) -> AbstractContextManager[Any]:
        return patch.object(self._owner, self._name, change(getattr(self._owner, self._name)))


FAULTS: dict[str, tuple[Function, Callable[..., Any]]] = {
    "numbers and offsets count from the segment's start": (
        Function(bad_records, "closes"), lambda sound: lambda entry, *operands: entry.pipeline.last),
    "a segment's last beat counts as a full one": (
        Function(record_offsets, "_units_before"),
        lambda sound: lambda turn, update, bits, flows: record_offsets._bytes_before(turn, update, bits)),
    "a text's last record is not reported without a delimiter": (
        Function(record_report, "find_bad_records"), lambda sound: lambda entry, faults, records, sidebands: sound(
            entry, faults, replace(records, tail=Timed(entry.pipeline, 0, Const(0, 2), "none")), sidebands)),
    "a beat's second turn uses the state of another flow": (
        Function(record_offsets, "_of_flows"), lambda sound: lambda turn, forgetting: replace(
            sound(turn, forgetting), uses=replace(sound(turn, forgetting).uses, counts=turn.ends))),
}


TWICE = [Segment(b"\n\n\xFF", 0, True), Segment(b"a", 1, True), Segment(b"\n\xFF", 0, False)]
"""The first beat of the last segment ends two ill-formed records."""


@pytest.mark.icarus
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    core = reporting("utf-8", None, 2, {"report": "none"}, pipeline="balanced")
    function, change = FAULTS[fault]
    packets = [*TWICE, *pieces(core, 60, 1, few=True)]
    with function.replaced(change):
        made = runewire_rtl.generate(core, tmp_path)
    assert differs(VerilogDesign(core, made.top, made.verilog), packets, Stalls(), "icarus") is not None


@pytest.mark.icarus
def test_the_packets_of_the_faults_agree_with_the_sound_core() -> None:
    core = reporting("utf-8", None, 2, {"report": "none"}, pipeline="balanced")
    assert differs(generated(core), [*TWICE, *pieces(core, 60, 1, few=True)], Stalls(), "icarus") is None
