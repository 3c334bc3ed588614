"""The timing that a core reports, against formulas for its parts."""

import itertools

import pytest
import runewire_rtl
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    Timing,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.packet_beats import SegmentPacket, carry_lookahead
from runewire_model.report import Sidebands
from runewire_model.timeline import timeline
from runewire_model.timing import each
from runewire_model.transcoder import BOMS, ERRORS

STEPS_A_CYCLE = {"fast": 1, "balanced": 2}
"""Steps of logic between two registers."""
FAULT = 6
"""Step of a beat's first fault in a core of one lane; each doubling takes one more."""
BANKS = 32
"""Least number of rows in the buffer's two banks."""
SOONER = 2
"""Steps by which a wider gate detects earlier that a beat fills a row, if the buffer then needs fewer rows."""
AHEAD = 4
"""Cycles from a push, which announces a row, to the row's last write, if nothing else delays the push."""
READ = 5
"""Cycles from a push until the row is read."""
CREDIT_LOOP = 3
"""Cycles from a transfer, a read or a returned credit until the credit count shows it."""


def expected(parameters: TranscoderParameters) -> Timing:
    """The timing of a validator, a decoder or an encoder."""
    report = _report(parameters.pipeline, parameters.lanes)
    if parameters.core == "encoder":
        return _dense(parameters.pipeline, 2, 4 * parameters.lanes, 7, report)
    if parameters.packing == "dense" and parameters.core == "decoder":
        options = ("keep", "strip", "add").index(parameters.bom) + (parameters.errors == "drop")
        return _dense(parameters.pipeline, _hold(parameters.lanes), parameters.lanes, 6 + options, report)._replace(
            lookahead=1)
    entry, push = _hold(parameters.lanes), max(1, report - AHEAD)
    return Timing(entry, 0, push, 0, _depth(entry, push), 1)


def _dense(pipeline: str, entry: int, lanes: int, found: int, report: int) -> Timing:
    """The timing of a core whose rows have this many lanes; its items are available at step ``found``."""
    usual, sooner = (_decision(pipeline, lanes, found, sooner) for sooner in (0, SOONER))
    decide = sooner if _depth(entry, sooner + 2) < _depth(entry, usual + 2) else usual
    # In a small core the first error is available after the items are in place.
    push = max(decide + 1, report - AHEAD)
    return Timing(entry, decide, push, 1, _depth(entry, push + 1), 0)


def _depth(entry: int, pushed: int) -> int:
    """Rows: one for each beat under way, and two more.

    A packet holds one back for the row under way. The other is for a beat that is taken before the first credit
    is back.
    """
    return BANKS << _log2(-(-(entry + pushed + READ + CREDIT_LOOP + 2) // BANKS))


def _log2(value: int) -> int:
    """The logarithm, rounded up."""
    return (value - 1).bit_length()


def _hold(lanes: int) -> int:
    """Cycles until a beat leaves the hold register: one more for each level of its enable's fan-out tree, with four
    lanes per replica and four replicas of one."""
    copies = -(-lanes // 4)
    return 3 + max(0, (_log2(copies) - 1) // 2)


def _report(pipeline: str, lanes: int) -> int:
    """Cycles until a packet's first error is reported.

    The distance from the sequence's start is subtracted from the fault's lane in a step or two; a register follows.
    Then the number of its beat is selected: among four or three in two steps, among two in one. Another register holds
    the packet's first error.
    """
    mask = STEPS_A_CYCLE[pipeline] - 1
    placed = FAULT + _log2(lanes) + (lanes > 1) + (lanes > 4) | mask
    chosen = placed + (2 if lanes < 4 else 1) | mask
    return (chosen + 2) // (mask + 1)


def _decision(pipeline: str, lanes: int, found: int, sooner: int) -> int:
    """Cycles until it is known whether a beat fills a row of ``lanes`` items; the items are available at step
    ``found``.

    Four lanes are counted in one step, and each further step adds pairs of counts. Each bit of the running number is a
    state, followed by a register, and its carry. The last two steps make the decision; one step with one lane. The
    result is ``sooner`` steps earlier.
    """
    mask = STEPS_A_CYCLE[pipeline] - 1
    if lanes == 1:
        return (found + 1) // (mask + 1)
    step = found + max(1, _log2(lanes) - 2)
    for _ in range(_log2(lanes)):
        step = (step | mask) + 1
    return (step + 2 - sooner) // (mask + 1)


def cores(lanes: int) -> list[TranscoderParameters]:
    """All named cores of this many lanes, except compact ones."""
    made = [ValidatorParameters(lanes, pipeline) for pipeline in STEPS_A_CYCLE]
    if lanes <= 64:
        made += [DecoderParameters(lanes, errors, bom, packing, pipeline) for errors in ERRORS for bom in BOMS
                 for packing in ("dense", "sparse") for pipeline in STEPS_A_CYCLE]
    if lanes <= 16:
        made += [EncoderParameters(lanes, errors, pipeline) for errors in ERRORS for pipeline in STEPS_A_CYCLE]
    return made


def marks(core: TranscoderParameters) -> list[pytest.MarkDecorator]:
    """All are quick up to two lanes, and the default ones of four. Other cores of eight lanes, and all that are wider
    than 16, are built with the records."""
    usual = core.pipeline == "fast" and (core.errors == "drop") == (core.bom == "strip")
    if core.lanes <= (4 if usual else 2) and (core.bom != "add" or (usual and core.lanes == 1)):
        return []
    return [pytest.mark.slow, *([pytest.mark.records] if core.lanes > (16 if usual else 4) else [])]


CORES = [pytest.param(core, id=str(core), marks=marks(core))
         for lanes in (1, 2, 4, 8, 16, 32, 64, 128, 256) for core in cores(lanes)]


@pytest.mark.parametrize("core", CORES)
def test_a_core_takes_as_long_as_its_parts(core: TranscoderParameters) -> None:
    assert runewire_rtl.timing(core) == expected(core)


@pytest.mark.parametrize("parameters", [
    TranscoderParameters("utf-16le", "utf-8", 16),
    *(pytest.param(parameters, marks=pytest.mark.slow) for parameters in (
        TranscoderParameters("utf-16le", "utf-8", 32), TranscoderParameters("utf-8", "utf-16le", 64),
        SanitizerParameters(64, "drop"))),
], ids=str)
def test_the_smallest_banks_are_enough_for_wide_cores(parameters: TranscoderParameters) -> None:
    assert runewire_rtl.timing(parameters).depth == BANKS


@pytest.mark.parametrize("core", [
    *(DecoderParameters(lanes, flows=1) for lanes in (1, 8, 16)),
    TranscoderParameters("utf-8", "utf-16le", 16, sidebands=Sidebands(flows=256, id=8, null_bytes="anywhere"))],
    ids=str)
def test_behind_a_queue_of_segments_32_rows_are_enough(core: TranscoderParameters) -> None:
    """Also after a stall of the output a beat is taken, and one leaves, in each cycle."""
    time = runewire_rtl.timing(core)
    assert {one.depth for one in each(time) if isinstance(one, Timing)} == {BANKS}
    packet = SegmentPacket(b"a" * core.lanes * 300)
    stepped = timeline(core, [packet], time, sink=lambda cycle: 100 <= cycle < 250)
    for taken in (stepped.input.taken, stepped.output.taken):
        pauses = [pair for pair in itertools.pairwise(taken) if pair[1] != pair[0] + 1]
        assert len(pauses) <= 1, pauses


@pytest.mark.parametrize("pipeline", ["fast", "compact"])
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_a_segments_beat_waits_as_long_as_the_model_says(lanes: int, pipeline: str) -> None:
    core = ValidatorParameters(lanes, pipeline, flows=2, id=1)
    alone = runewire_rtl.timing(ValidatorParameters(lanes, pipeline)).lookahead
    assert runewire_rtl.timing(core).lookahead == carry_lookahead(core) + alone
