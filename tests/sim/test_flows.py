"""Texts in segments in the generated Verilog, against the golden model: flows interleaved, cut anywhere."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import pytest
import runewire_rtl
from amaranth.hdl import Const, Signal
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.errors import ParameterError
from runewire_model.packet_beats import SegmentPacket, extra_beats
from runewire_model.report import Sidebands
from runewire_model.timeline import PacketCycles, beats, timeline
from runewire_rtl import timing
from runewire_rtl.pipeline import Timed
from runewire_rtl.report import counter_flags
from runewire_rtl.segments import byte_line, carry, context, run_context, text_error, text_mark
from runewire_sim import Stalls, VerilogDesign, compare, generated, simulate, verilator
from runewire_sim.axi_stream.beats import beats_with_holes
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets

STALLS = (Stalls(), Stalls(0.3, 0.4, 1), Stalls(0, 0.9, 3))
COUNT = ("code-points", "replacements", "bytes", "ascii")
COMPACT: dict[str, Any] = {"pipeline": "compact"}
FOUR: dict[str, Any] = {"flows": 4, "id": 2}
RECORDS: dict[str, Any] = {"records": 0x0A, "count": ("records", "bad-records")}
QUICK: list[TranscoderParameters] = [
    DecoderParameters(4, flows=4, id=2, user=2, dest=1, bom="strip", count=COUNT),
    TranscoderParameters("utf-8", "utf-16le", 4, bom="add", sidebands=Sidebands(flows=4, id=2, count=COUNT))]
MORE: list[TranscoderParameters] = [
    *(DecoderParameters(lanes, flows=1) for lanes in (1, 2, 8, 64)),
    *(ValidatorParameters(lanes, flows=8, id=5) for lanes in (1, 8, 64)),
    DecoderParameters(8, flows=256, id=8, errors="drop", packing="sparse", report_port="only"),
    DecoderParameters(8, flows=2, id=1, null_bytes="anywhere", offset_bits=16, report="kind"),
    DecoderParameters(1, flows=1, bom="strip", count=COUNT, user=2, **COMPACT),
    ValidatorParameters(1, flows=1, report="kind", null_bytes="anywhere", **COMPACT),
    EncoderParameters(8, flows=16, id=4, report="flag"),
    *(ValidatorParameters(lanes, pipeline, flows=4, id=2, null_bytes=null_bytes, **RECORDS)
      for lanes, pipeline, null_bytes in ((2, "fast", "end"), (8, "balanced", "anywhere"), (4, "compact", "end"))),
    ValidatorParameters(1, flows=1, **RECORDS, **COMPACT), SanitizerParameters(4, flows=2, id=1, **RECORDS),
    TranscoderParameters("utf-16", "utf-8", 2, bom="strip", sidebands=Sidebands(flows=2, id=1, **RECORDS)),
    *(DecoderParameters(lanes, flows=1, **COMPACT) for lanes in (1, 2, 4, 8, 32)),
    *(ValidatorParameters(lanes, flows=flows, id=5, **COMPACT) for lanes, flows in ((1, 1), (1, 8), (2, 1), (8, 32))),
    *(SanitizerParameters(lanes, flows=1, bom="strip", count=COUNT, **COMPACT) for lanes in (1, 4)),
    DecoderParameters(1, flows=4, id=2, bom="strip", errors="drop", **COMPACT),
    DecoderParameters(4, flows=2, id=1, null_bytes="anywhere", report_port="only", **COMPACT),
    EncoderParameters(4, flows=16, id=4, report="kind", **COMPACT),
    *(TranscoderParameters(source, target, lanes, bom=bom, pipeline=pipeline, sidebands=Sidebands(
        flows=4, id=2, count=COUNT)) for source, target, lanes, bom, pipeline in (
            ("utf-8", "utf-16le", 8, "strip", "balanced"), ("utf-8", "utf-8", 16, "strip", "fast"),
            ("utf-16", "utf-8", 4, "strip", "fast"), ("utf-16le", None, 1, "keep", "fast"),
            ("utf-16be", "utf-32le", 8, "keep", "balanced"), ("utf-32", "utf-16le", 2, "strip", "fast"),
            ("utf-32", None, 1, "keep", "fast"), ("utf-16", "utf-32le", 2, "keep", "fast"),
            ("utf-8", "utf-16le", 1, "strip", "compact"), ("utf-8", "utf-16be", 8, "keep", "compact"),
            ("utf-8", "latin-1", 2, "keep", "compact"), ("utf-16", "utf-8", 1, "strip", "compact"),
            ("utf-16be", "utf-32le", 4, "keep", "compact"), ("utf-32", None, 2, "keep", "compact"))),
]
EVERY = pytest.mark.parametrize(
    "core", [*QUICK, *(pytest.param(core, marks=pytest.mark.slow) for core in MORE)], ids=str)


ADD: list[TranscoderParameters] = [
    TranscoderParameters(source, target, lanes, bom="add", **options, sidebands=Sidebands(**{**FOUR, **ports}))
    for source, target, lanes, options, ports in (
        ("utf-8", "utf-16le", 1, {}, {}), ("utf-8", "utf-16le", 1, COMPACT, {"flows": 1, "id": 0}),
        ("utf-8", "utf-16le", 8, {}, {"flows": 256, "id": 8}),
        ("utf-8", "utf-16be", 2, COMPACT, {"early": True, "user": 2}), ("utf-8", "utf-8", 16, {}, {}),
        *(("utf-8", "utf-32le", lanes, {"packing": "sparse"}, {}) for lanes in (1, 4)),
        ("utf-8", "utf-32le", 2, {"packing": "sparse", **COMPACT}, {}), ("utf-16", "utf-8", 2, {}, {}),
        ("utf-16", "utf-8", 1, {}, {"flows": 1, "id": 0}), ("utf-16le", "utf-32be", 4, {"packing": "sparse"}, {}),
        *(("utf-8", "utf-16", 4, options, {"null_bytes": "anywhere"}) for options in ({}, COMPACT)),
        ("utf-32", "utf-16le", 2, {"pipeline": "balanced"}, RECORDS),
        ("utf-8", "utf-8", 4, {"replace_runs": True}, {"count": ("code-points", "utf16-units")}))]
"""Cores that add a byte order mark to each text."""
MORE += ADD


def segments(core: TranscoderParameters, count: int, seed: int) -> list[bytes]:
    """Texts, half of them with a byte order mark, cut into pieces of which many are short or empty."""
    random = Random(seed)
    reads = core.reads
    texts = [*reads.troublemakers.values(), *random_packets(core, 40, seed, 4 * core.input_bytes)]
    marks = [*reads.byte_order_marks, *(mark for order in reads.orders for mark in order.byte_order_marks)]
    found: list[bytes] = []
    while len(found) < count:
        text = random.choice(texts)
        if marks and random.random() < 0.5:
            text = random.choice(marks) + text
        while text:
            size = random.choice((0, 1, 1, 1, 2, 3, core.input_bytes, core.input_bytes + 1, len(text)))
            found.append(text[:size])
            text = text[size:]
    return found[:count]


def of_few_flows(core: TranscoderParameters, pieces: list[bytes], seed: int) -> list[Segment]:
    """The segments in three flows of many, so that a flow's packets follow each other within the pipeline."""
    random, flows = Random(seed), core.sidebands.flows
    assert flows is not None
    return [Segment(piece, random.choice((0, flows // 3, flows - 1)), random.random() < 0.7) for piece in pieces]


def differences(core: TranscoderParameters, design: VerilogDesign, simulator: str, stalls: Stalls,
                packets: Sequence[bytes]) -> str | None:
    with simulate(design, packets, stalls, simulator=simulator) as run:
        report = compare(core, packets, run)
    return report.first_difference.what if report.first_difference else next(iter(report.protocol_errors), None)


@EVERY
def test_segments_of_interleaved_flows(core: TranscoderParameters, simulator: str) -> None:
    """Flow and ``more`` of each packet are random."""
    for stalls in STALLS:
        if core.holes:
            stalls = replace(stalls, holes=0.3)
        assert differences(core, generated(core), simulator, stalls, segments(core, 400, stalls.seed)) is None


@pytest.mark.parametrize(("source", "target", "lanes", "options"), [
    ("utf-16", None, 1, {}), ("utf-16", "utf-8", 1, {"bom": "strip", **COMPACT}), ("utf-32", "utf-16le", 1, {})])
def test_the_byte_order_of_a_text_whose_mark_comes_in_pieces(
    source: str, target: str | None, lanes: int, options: dict[str, Any],
) -> None:
    core = TranscoderParameters(source, target, lanes, **options, sidebands=Sidebands(flows=2, id=1))
    assert differences(core, generated(core), "amaranth", Stalls(0.3, 0.4, 1), segments(core, 200, 1)) is None


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    DecoderParameters(4, flows=32, id=5), DecoderParameters(8, flows=256, id=8, pipeline="balanced"),
    ValidatorParameters(8, flows=1024, id=10), ValidatorParameters(2, flows=64, id=6, **COMPACT),
    *(pytest.param(core, marks=pytest.mark.records) for core in ADD)], ids=str)
def test_few_of_many_flows(core: TranscoderParameters, simulator: str) -> None:
    """Their contexts lie in banks of memory, or in block RAM, which are read some cycles before."""
    for stalls in STALLS:
        pieces = of_few_flows(core, segments(core, 500, stalls.seed), stalls.seed)
        assert differences(core, generated(core), simulator, stalls, pieces) is None


class Method:
    """A method of a class of the RTL, or a function of a module, that is no cut point."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name

    def replaced(self, change: Callable[..., Any]) -> AbstractContextManager[Any]:
        return patch.object(self._owner, self._name, change(getattr(self._owner, self._name)))


def a_cycle_late(sound: Callable[..., Any]) -> Callable[..., Any]:
    def late(context: Any, *arguments: Any) -> Signal:
        signal = Signal(name="late_bypass")
        context.pipeline.m.d.sync += signal.eq(sound(context, *arguments))
        return signal
    return late


FAULTS: dict[str, tuple[Any, Callable[..., Any], dict[str, Any]]] = {
    "a context bypass is one cycle late": (Method(context.Context, "_elsewhere"), a_cycle_late, {}),
    "more is that of the next packet": (
        carry.side_of_packet, lambda sound: lambda extra, before, now: now, {}),
    "the carry of the flow before is used": (
        context.continues, lambda sound: lambda flow, other, ends: ends, {}),
    "a byte order mark is stripped in a later segment": (
        carry.has_begun, lambda sound: lambda size, carried: size[0] & 0, {"bom": "strip"}),
    "the base of the segment is not added to the offset": (
        text_error.from_text_start, lambda sound: lambda start, *rest: sound(start & 0, *rest), {}),
    "the early error bit waits for the last beat": (
        text_error.early_bit, lambda sound: lambda first, last: first & last.replicate(len(first)),
        {"ports": {"early": True}}),
    "every segment gets a byte order mark": (
        text_mark.text_mark, lambda sound: lambda beats, options: beats.beside["mark"],
        {"target": "utf-16le", "bom": "add"}),
    "a run of ill-formed parts begins again in the next segment": (
        run_context.run_context, lambda sound: lambda entry, *lanes, **options: Timed(
            entry.pipeline, 0, Const(0, 1), "none"), {"replace_runs": True}),
    "a text's last record is not counted": (
        Method(counter_flags, "_of_tail"), lambda sound: lambda *operands: [
            Timed(each.pipeline, 0, Const(0, 1), "none") for each in sound(*operands)], {"ports": RECORDS}),
}
MORE_FAULTS: dict[str, tuple[Any, Callable[..., Any], dict[str, Any]]] = {
    "a packet in the next cycle uses the memory": (
        context.continues, lambda sound: lambda *operands: sound(*operands) & 0, {}),
    "a packet two or three cycles later uses the memory": (
        context.on_its_way, lambda sound: lambda *operands: sound(*operands) & 0, {}),
    "the first error is the segment's": (
        text_error.earlier, lambda sound: lambda before, now: now, {}),
}


def broken(core: TranscoderParameters, point: Any, change: Callable[..., Any], folder: Path) -> VerilogDesign:
    with point.replaced(change):
        made = runewire_rtl.generate(core, folder)
    return VerilogDesign(core, made.top, made.verilog)


def small(ports: Mapping[str, Any] = MappingProxyType({}), **options: Any) -> TranscoderParameters:
    return TranscoderParameters(**{"source": "utf-8", "target": "utf-32le", "lanes": 4, **options},
                                sidebands=Sidebands(flows=4, id=2, user=1, **ports))


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", ["fast", "compact"])
@pytest.mark.parametrize("bom", ["keep", "strip", "add"])
def test_the_packets_of_the_faults_agree_with_the_sound_core(bom: str, pipeline: str) -> None:
    core = small(bom=bom, pipeline=pipeline)
    assert differences(core, generated(core), "icarus", Stalls(), [*JOINED, *segments(core, 150, 7)]) is None


JOINED = [Segment(b"a", 0, True), Segment("\N{BOM}b".encode(), 0, False),
          Segment(b"\xFF", 0, True), Segment(b"\xFFa", 0, False)]
"""A byte order mark that is none, as its text has begun in a segment before; a run over two segments."""


def is_found(fault: str, pipeline: str, lanes: int, packets: int, folder: Path) -> bool:
    point, change, options = {**FAULTS, **MORE_FAULTS}[fault]
    core = small(**options, pipeline=pipeline, lanes=lanes)
    design = broken(core, point, change, folder)
    return differences(core, design, "icarus", Stalls(), [*JOINED, *segments(core, packets, 7)]) is not None


@pytest.mark.icarus
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_narrow_core_is_found(fault: str, tmp_path: Path) -> None:
    assert is_found(fault, "compact", 2, 40, tmp_path)


@pytest.mark.icarus
def test_the_packets_of_the_faults_of_a_narrow_core_agree_with_the_sound_one() -> None:
    core = small({"early": True, **RECORDS}, bom="strip", replace_runs=True, pipeline="compact", lanes=2)
    assert differences(core, generated(core), "icarus", Stalls(), [*JOINED, *segments(core, 40, 7)]) is None


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", ["fast", pytest.param("compact", marks=pytest.mark.records)])
@pytest.mark.parametrize("fault", [*FAULTS, *MORE_FAULTS])
def test_a_fault_is_found(fault: str, pipeline: str, tmp_path: Path) -> None:
    assert is_found(fault, pipeline, 4, 150, tmp_path)


@pytest.mark.icarus
def test_a_byte_line_that_does_not_hold_back_all_bytes_is_found(tmp_path: Path) -> None:
    core = DecoderParameters(1, flows=1, **COMPACT)
    faulty = broken(core, byte_line.unfinished, lambda sound: lambda *places: [*sound(*places)[:2], 0], tmp_path)
    assert differences(core, faulty, "icarus", Stalls(), segments(core, 200, 0)) is not None


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    DecoderParameters(8, flows=2, id=1, offset_bits=16), ValidatorParameters(16, flows=1, offset_bits=16),
    *(ValidatorParameters(lanes, flows=1, offset_bits=16, **COMPACT) for lanes in (1, 16)),
], ids=str)
@pytest.mark.parametrize("sizes", [(254,), (255, 3, 65273), (255, 3, 65274), (65536, 65533)], ids=str)
def test_offsets_of_a_long_text(core: TranscoderParameters, sizes: tuple[int, ...], simulator: str) -> None:
    """The first error is beyond 255, at the last offset that fits, or at a later one; the next text begins at 0."""
    ends = [Segment(b"aaa\xFF", 0, True), Segment(b"", 0, False)]
    pieces = [*(Segment(b"a" * size, 0, True) for size in sizes), *ends, Segment(b"a", 0, True), *ends]
    assert differences(core, generated(core), simulator, Stalls(), [*pieces]) is None


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    DecoderParameters(1, flows=1), DecoderParameters(1, flows=1, **COMPACT), DecoderParameters(2, flows=4, id=2),
    ValidatorParameters(8, flows=1), EncoderParameters(2, flows=2, id=1), ValidatorParameters(2, flows=1, **COMPACT)],
    ids=str)
def test_beats_of_segments(core: TranscoderParameters) -> None:
    """Neither side pauses, and no text needs two rows for its end: the input takes a beat in each cycle but the extra
    ones."""
    pieces = [b"\xAC" * size for size in (*range(20), 1, 1, 40)]
    with verilator.run(generated(core), pieces, Stalls()) as run:
        ends = [end for _, end in run.packets()]
    assert ends[-1].last_in - ends[0].first_in + 1 == beats(core, map(len, pieces)) - extra_beats(core, 40)


LINE = DecoderParameters(1, flows=1, bom="strip", **COMPACT)
"""Holds bytes in a byte line."""
CYCLES: list[TranscoderParameters] = [
    ValidatorParameters(8, flows=1), *(ValidatorParameters(lanes, flows=2, id=1) for lanes in (1, 2)),
    DecoderParameters(1, flows=1), DecoderParameters(2, flows=8, id=3), EncoderParameters(2, flows=1),
    DecoderParameters(8, flows=2, id=1, packing="sparse"), DecoderParameters(8, flows=256, id=8),
    *(DecoderParameters(lanes, flows=2, id=1, **COMPACT) for lanes in (1, 2, 4)),
    *(ValidatorParameters(lanes, flows=2, id=1, **COMPACT) for lanes in (1, 2, 4)),
    *(ValidatorParameters(1, flows=1, **COMPACT, **ports) for ports in ({}, RECORDS)),
    DecoderParameters(1, "drop", flows=1, null_bytes="anywhere", **COMPACT),
    SanitizerParameters(1, flows=1, bom="strip", user=2, **COMPACT),
    TranscoderParameters("utf-8", "utf-16le", 1, bom="strip", **COMPACT, sidebands=Sidebands(
        flows=1, null_bytes="anywhere")),
    DecoderParameters(4, flows=4, id=2, null_bytes="anywhere"),
    DecoderParameters(4, flows=4, id=2, null_bytes="anywhere", **COMPACT),
    TranscoderParameters("utf-16", "utf-8", 2, bom="strip", sidebands=Sidebands(flows=2, id=1)), *ADD,
]


@pytest.mark.parametrize("core", [
    *QUICK, LINE, *(pytest.param(core, marks=pytest.mark.slow) for core in CYCLES[::2]),
    *(pytest.param(core, marks=[pytest.mark.slow, pytest.mark.records]) for core in CYCLES[1::2])], ids=str)
def test_every_beat_is_in_the_cycle_of_the_model(core: TranscoderParameters) -> None:
    """Extra beats, beats that are left out, and those that wait for the next ones of their segment."""
    for stalls in STALLS[1:2] if core in (*QUICK, LINE) else (*STALLS, Stalls(0.85, 0, 4)):
        stalls = replace(stalls, holes=0.3 if core.holes else 0.0)
        pieces = of_few_flows(core, list(random_packets(core, 300, stalls.seed, 4 * core.input_bytes)), stalls.seed)
        with simulate(generated(core), pieces, stalls) as run:
            ends = [end for _, end in run.packets()]
        given: list[Any] = [bytes(piece) for piece in pieces]
        if core.holes:
            given = [*beats_with_holes(given, core.input_bytes, iter(stalls.null_bytes))]
        sent = [SegmentPacket(data, piece.flow, piece.more) for data, piece in zip(given, pieces, strict=True)]
        model = timeline(core, sent, timing(core), stalls.source_pauses.at, stalls.sink_pauses.at)
        assert [PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out) for end in ends] == model.packets
        assert (run.stats.beats_in, run.stats.beats_out) == (len(model.input.taken), len(model.output.taken))


EARLY: dict[str, Any] = {"early": True}


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    DecoderParameters(4, flows=4, id=2, user=1, **EARLY), DecoderParameters(1, flows=8, id=3, **EARLY),
    DecoderParameters(1, flows=1, user=1, **EARLY, **COMPACT), DecoderParameters(2, flows=4, id=2, **EARLY, **COMPACT),
    DecoderParameters(8, flows=32, id=5, packing="sparse", report="kind", **EARLY),
    DecoderParameters(4, flows=4, id=2, null_bytes="anywhere", report_port="beside", **EARLY),
    ValidatorParameters(2, flows=4, id=2, user=2, report="flag", **EARLY), ValidatorParameters(8, flows=1, **EARLY),
    ValidatorParameters(1, flows=1, **EARLY, **COMPACT), ValidatorParameters(8, flows=4, id=2, **EARLY, **COMPACT),
    *(TranscoderParameters(source, target, lanes, bom=bom, pipeline=pipeline, sidebands=Sidebands(
        flows=2, id=1, early=True)) for source, target, lanes, bom, pipeline in (
            ("utf-16", "utf-8", 2, "strip", "fast"), ("utf-8", "latin-1", 4, "keep", "fast"),
            ("utf-32", "utf-8", 2, "keep", "compact")))], ids=str)
def test_early_error_bits_of_segments(core: TranscoderParameters, simulator: str) -> None:
    """Flows are random, or few of many, whose packets follow each other within the pipeline."""
    for stalls in STALLS:
        stalls = replace(stalls, holes=0.3 if core.holes else 0.0)
        pieces = segments(core, 500, stalls.seed)
        for packets in (pieces, of_few_flows(core, pieces, stalls.seed)):
            assert differences(core, generated(core), simulator, stalls, packets) is None


RUNS: dict[str, Any] = {"replace_runs": True}


def in_runs(core: TranscoderParameters, pieces: Sequence[bytes], seed: int) -> list[bytes]:
    """The pieces, of which many are ill-formed instead, or end so."""
    random, wrong = Random(seed), [*core.reads.wrong]
    return [random.choice((piece, piece, random.choice(wrong), piece[:1] + random.choice(wrong))) for piece in pieces]


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    DecoderParameters(4, flows=4, id=2, count=COUNT, **RUNS), DecoderParameters(1, flows=2, id=1, bom="strip", **RUNS),
    DecoderParameters(1, flows=1, **RUNS, **COMPACT), DecoderParameters(2, flows=4, id=2, **RUNS, **COMPACT),
    DecoderParameters(8, flows=32, id=5, packing="sparse", **RUNS),
    *(TranscoderParameters(source, target, lanes, **options, **RUNS, sidebands=Sidebands(flows=2, id=1, **ports))
      for source, target, lanes, options, ports in (
        ("utf-8", "utf-8", 4, {"replacement": 0x3F}, {"early": True, "count": COUNT}),
        ("utf-8", "utf-16le", 4, {}, {"early": True}), ("utf-8", "utf-8", 8, {"bom": "strip"}, {"records": 0x0A}),
        ("utf-16", "utf-8", 2, {"bom": "strip"}, {}), ("utf-16le", "utf-8", 1, COMPACT, {}),
        ("utf-16be", "utf-32le", 4, {}, {}), ("utf-32", "utf-16le", 2, {}, {}),
        ("utf-8", "latin-1", 4, {"reject_nul": True}, {"null_bytes": "anywhere"}))),
], ids=str)
def test_runs_go_on_over_segments(core: TranscoderParameters, simulator: str) -> None:
    """Flows are random, or few of many, whose packets follow each other within the pipeline."""
    for stalls in STALLS:
        stalls = replace(stalls, holes=0.3 if core.holes else 0.0)
        pieces = in_runs(core, segments(core, 500, stalls.seed), stalls.seed)
        for packets in (pieces, of_few_flows(core, pieces, stalls.seed)):
            assert differences(core, generated(core), simulator, stalls, packets) is None


@pytest.mark.parametrize("core", [
    # Its rows have one place, and its context of runs made the way for wide rows look better.
    TranscoderParameters("utf-8", "latin-1", 1, replace_runs=True, sidebands=Sidebands(flows=2, id=1)),
    # Its report has no bit but the one that is valid on every beat.
    ValidatorParameters(1, flows=2, id=1, report="flag", **EARLY)], ids=str)
def test_narrow_rows_and_reports_of_segments(core: TranscoderParameters, simulator: str) -> None:
    assert differences(core, generated(core), simulator, Stalls(), segments(core, 60, 1)) is None


def unsupported() -> Iterator[tuple[dict[str, Any], str]]:
    yield {"source": "latin-1"}, "flows needs a source of UTF-8, UTF-16 or UTF-32, got Latin-1"


@pytest.mark.parametrize(("options", "message"), [*unsupported()])
def test_cores_without_flows(options: dict[str, Any], message: str) -> None:
    ports = {name: options.pop(name) for name in [*options] if name in Sidebands.NAMES}
    core = TranscoderParameters(**{"source": "utf-8", "target": "utf-16le", "lanes": 4, **options},
                                sidebands=Sidebands(flows=1, **ports))
    with pytest.raises(ParameterError, match=f"^{message}$"):
        runewire_rtl.axi_top(core)
