"""A core made from two encodings: its streams, its timing, and its cut points."""

import random
from contextlib import suppress
from itertools import product

import pytest
from amaranth.hdl import Fragment, Module
from runewire_model import encodings
from runewire_model.encodings import BYTES, ENCODINGS
from runewire_model.errors import ParameterError
from runewire_rtl import Transcoder, TranscoderParameters, axi_top
from runewire_rtl.encodings import BACK_ENDS, FRONT_ENDS, PAIRS
from runewire_rtl.packing.packing import Packed, in_place, pack
from runewire_rtl.reset_sequencer import start_cycles
from runewire_rtl.stream_shapes import KIND_WIDTH, OFFSET_WIDTH
from runewire_rtl.transcoder import tail_of


def test_every_encoding_has_its_hardware() -> None:
    assert list(FRONT_ENDS) == list(BACK_ENDS) == [*ENCODINGS, BYTES.name]
    assert PAIRS.keys() == encodings.PAIRS.keys()


@pytest.mark.parametrize(("source", "target"), [*product(ENCODINGS, [*ENCODINGS, None])])
def test_streams_have_the_shapes_that_are_documented(source: str, target: str | None) -> None:
    parameters = TranscoderParameters(source, target, 4)
    core = parameters.create()
    Fragment.get(core, None)
    i, o = core.i.payload, core.o.payload
    reads, writes = parameters.reads, parameters.writes
    assert ([len(item) for item in i.data], len(i.keep)) == ([8 * reads.unit_bytes] * 4, 4 * reads.unit_bytes)
    if target is None:
        assert ([len(item) for item in o.data], len(o.keep)) == ([8] * 4 * reads.unit_bytes, 4 * reads.unit_bytes)
        assert core.item_bytes == 1
    else:
        lanes = 4 * parameters.slots
        width = min(writes.greatest.bit_length(), 8 * writes.unit_bytes)
        assert ([len(item) for item in o.data], len(o.keep)) == ([width] * lanes, lanes)
        assert core.item_bytes == writes.unit_bytes


CORES = [
    TranscoderParameters("utf-8", None, 4), TranscoderParameters("utf-8", "utf-32le", 4),
    TranscoderParameters("utf-8", "utf-32le", 4, packing="sparse", pipeline="balanced"),
    TranscoderParameters("utf-32le", "utf-8", 2), TranscoderParameters("utf-8", "utf-8", 2, bom="strip"),
    TranscoderParameters("utf-8", "utf-16", 2, bom="add"), TranscoderParameters("utf-32", "utf-16", 1, bom="add"),
]


@pytest.mark.parametrize("parameters", CORES, ids=str)
@pytest.mark.parametrize("offset_width", [OFFSET_WIDTH, 8])
def test_a_core_is_cut_open_before_its_output(parameters: TranscoderParameters, offset_width: int) -> None:
    """What stands there gets a flag and a unit for each lane of the output, and the report."""
    seen = []

    def tail(source, output, present, items, report) -> Packed:
        data = items(0)
        seen.append((len(present), {value.shape.width for value in present}, len(data),
                     {value.shape.width for value in data}, report.shape.width, source.lookahead))
        return (in_place if parameters.in_place else pack)(source, output, present, items, report)

    core = Transcoder(parameters, offset_width)
    m = Module()
    with tail_of.replaced(lambda _: lambda parameters: tail):
        packed = core.cut_open(m)
    Fragment.get(m, None)
    lanes, width = len(core.o.payload.data), len(core.o.payload.data[0])
    assert seen == [(lanes, {1}, lanes, {width}, offset_width + KIND_WIDTH + 1, parameters.source == "utf-8")]
    if offset_width == OFFSET_WIDTH:
        whole = parameters.create()
        assert packed.timing == whole.timing
        assert (whole.latency, whole.start_cycles) == (whole.timing.latency, start_cycles(whole.timing.latency))


@pytest.mark.parametrize("parameters", CORES, ids=str)
def test_a_timing_names_the_rows_and_the_input_stage(parameters: TranscoderParameters) -> None:
    time = parameters.create().timing
    assert time.late == (0 if parameters.in_place else 1)
    assert time.lookahead == (parameters.source == "utf-8")
    assert time.decide <= time.push
    assert time.depth % 32 == 0
    assert time.depth >= time.entry + time.push + time.late


@pytest.mark.parametrize("target", [
    pytest.param(name, marks=[pytest.mark.slow] if encoding.byte_order == "big" else [])
    for name, encoding in ENCODINGS.items() if encoding.greatest == 0x10FFFF])
def test_every_narrow_core_that_adds_a_mark_can_be_made(target: str) -> None:
    """Its rows have room for the mark, whatever the text needs."""
    cores = []
    for source, pipeline, errors in product(ENCODINGS, ("fast", "compact"), ("replace", "drop")):
        with suppress(ParameterError):  # a source without ill-formed input has no option `errors`
            cores.append(TranscoderParameters(source, target, 1, errors=errors, bom="add", pipeline=pipeline))
    for parameters in cores:
        Fragment.get(parameters.create(), None)
    assert len(cores) >= len(ENCODINGS)


@pytest.mark.parametrize("source", ["utf-16le", "utf-16be", "utf-32be"])
@pytest.mark.parametrize("pipeline", ["fast", "compact"])
def test_a_validator_passes_the_bytes_of_every_lane(simulate, source: str, pipeline: str) -> None:
    """In the order in which they came, at the AXI4-Stream ports, in the last lane too."""
    top, rng = axi_top(TranscoderParameters(source, None, 2, pipeline=pipeline)), random.Random(2)
    size = len(top.s_axis_tdata) // 8
    sent, found = [rng.randbytes(size) for _ in range(8)], []

    async def feed(ctx) -> None:
        ctx.set(top.s_axis_tkeep, (1 << size) - 1)
        ctx.set(top.s_axis_tlast, 1)
        ctx.set(top.s_axis_tvalid, 1)
        for beat in sent:
            ctx.set(top.s_axis_tdata, int.from_bytes(beat, "little"))
            await ctx.tick().until(top.s_axis_tready)
        ctx.set(top.s_axis_tvalid, 0)

    async def drain(ctx) -> None:
        ctx.set(top.m_axis_tready, 1)
        while len(found) < len(sent):
            (data,) = await ctx.tick().sample(top.m_axis_tdata).until(top.m_axis_tvalid)
            found.append(data.to_bytes(size, "little"))

    simulate(top, feed, drain)
    assert found == sent
