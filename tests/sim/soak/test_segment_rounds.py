"""Soak of texts in segments: its traffic reaches every cut; faults of segments are found by each comparison."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import runewire_rtl
from runewire_model import ENCODINGS, Flow, PacketResult, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_rtl.segments import context, text_error
from runewire_sim import Stalls, VerilogDesign
from runewire_sim.interleaving import interleaved
from runewire_sim.segments import Segment
from runewire_sim.soak import (
    Round,
    SoakRecord,
    Wrong,
    check,
    comparison,
    playing,
    segment_cores,
    segment_round,
    soak_round,
)
from runewire_sim.soak import segment_rounds as traffic

CORE = TranscoderParameters("utf-8", "utf-16le", 4, sidebands=Sidebands(flows=4, id=2))
KINDS = {f"{len(text)} bytes": text for text in ("é".encode(), "€".encode(), "\U0001F600".encode())} | {
    "cut short": b"\xE2\x82a", "surrogate": b"\xED\xA0\x80"}


def test_every_source_of_flows_has_two_cores_of_each_width() -> None:
    cores = segment_cores()
    assert cores[-len(traffic.OTHERS):] == traffic.OTHERS
    cores = cores[: -len(traffic.OTHERS)]
    sources = [name for name, encoding in ENCODINGS.items() if encoding.unit_bytes > 1 or name == "utf-8"]
    assert len(cores) == len(set(cores)) == 2 * len(sources) * len(traffic.LANES)
    assert {core.source for core in cores} == {*sources}
    assert {core.lanes for core in cores if core.target is None} == {*traffic.LANES}
    assert traffic.TEXTS * len(cores) >= 200_000


def test_a_round_is_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "TEXTS", 20)
    assert segment_round(3, 0) == segment_round(3, 0)
    assert segment_round(3, 0).packets != segment_round(4, 0).packets


def test_texts_of_a_core_with_records_have_delimiters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "TEXTS", 50)
    records = segment_cores().index(traffic.OTHERS[1])
    assert sum(bytes(segment).count(b"\n") for segment in segment_round(0, records).packets) > 100


def test_every_text_comes_once_in_segments_that_are_cut_at_each_byte() -> None:
    texts = [text for text in KINDS.values() for _ in range(300)] + [b""]
    under_way: defaultdict[int, list[bytes]] = defaultdict(list)
    found, cuts, abreast = [], set(), 0
    empty = 0
    for segment in interleaved(texts, CORE, Random(5)):
        under_way[segment.flow].append(bytes(segment))
        abreast = max(abreast, len(under_way))
        empty += not segment
        if not segment.more:
            pieces = under_way.pop(segment.flow)
            found.append(b"".join(pieces))
            cuts |= {(found[-1], sum(map(len, pieces[:count]))) for count in range(1, len(pieces))}
    assert not under_way
    assert sorted(found) == sorted(texts)
    assert cuts >= {(text, place) for text in KINDS.values() for place in range(1, len(text))}
    assert abreast == 4
    assert empty > 100


def broken(monkeypatch: pytest.MonkeyPatch, folder: Path, point: Any, change: Callable[..., Any]) -> list[Segment]:
    """A soak of one core with a fault, and its packets."""
    with point.replaced(change):
        made = runewire_rtl.generate(CORE, folder)
    packets = list(interleaved([*KINDS.values(), b"a\xFFb\xFF"] * 8, CORE, Random(3)))
    monkeypatch.setattr(playing, "generated", lambda parameters: VerilogDesign(CORE, made.top, made.verilog))
    monkeypatch.setattr(playing, "segment_round", lambda seed, number: Round(CORE, [*packets], Stalls()))
    return packets


@pytest.mark.slow
def test_a_fault_is_shrunk_to_segments_with_their_flow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken(monkeypatch, tmp_path, context.continues, lambda sound: lambda *operands: sound(*operands) & 0)
    failure = soak_round(SoakRecord(segments=True), tmp_path)
    assert failure is not None
    lines = Path(failure.file).read_text().splitlines()
    assert len(lines) == 2
    flow = lines[0].partition(":")[0]
    assert lines[0].endswith("+")
    assert lines[1].startswith(f"{flow}:")
    assert "--flows 4" in failure.command


@pytest.mark.slow
def test_segments_that_agree_with_the_model_are_held_against_one_packet_and_cpython(
        monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hardware and model report the segment's first error instead of the text's: both are wrong, in the same way."""
    packets = broken(monkeypatch, tmp_path, text_error.earlier, lambda sound: lambda before, now: now)
    design = playing.generated(CORE)
    assert "first error" in wrong(design, packets).what
    segment = Flow.segment

    def forgets(flow: Flow, data: bytes, more: bool = False) -> PacketResult:
        flow._error = None
        return segment(flow, data, more)

    monkeypatch.setattr(Flow, "segment", forgets)
    assert wrong(design, packets).what.endswith(
        "hardware and golden model agree, its answer for the text in one packet does not")
    monkeypatch.setattr(comparison._OracleCheck, "_is_one_packet", lambda *operands: True)
    assert wrong(design, packets).what.endswith("hardware and golden model agree, CPython does not")


def wrong(design: VerilogDesign, packets: list[Segment]) -> Wrong:
    found = check(design, packets, Stalls())[1]
    assert found is not None
    return found
