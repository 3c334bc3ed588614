"""The timing that a core is found to have, against formulas of how its parts take their time."""

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
from runewire_model.transcoder import BOMS, ERRORS

STEPS_A_CYCLE = {"fast": 1, "balanced": 2}
"""Steps of logic between two registers."""
FAULT = 6
"""Step at which a beat's first fault is known, in a core of one lane; each doubling takes one more."""
BANKS = 32
"""Rows that the buffer's two banks hold at least."""
SOONER = 2
"""Steps by which a wider gate tells sooner that a beat fills a row, where the buffer then needs fewer rows."""
AHEAD = 4
"""Cycles from a push, which tells the buffer of a row, to the row's writing, if that is not what is waited for."""
READ = 5
"""Cycles from a push to the reading of the row."""
CREDIT_LOOP = 3
"""Cycles from a transfer, a read or a return of a credit until the credits show it."""


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
    """The timing of a core whose rows have so many lanes, of items that are known at step ``found``."""
    usual, sooner = (_decision(pipeline, lanes, found, sooner) for sooner in (0, SOONER))
    decide = sooner if _depth(entry, sooner + 2) < _depth(entry, usual + 2) else usual
    # The first error is known after a small core's items are in place.
    push = max(decide + 1, report - AHEAD)
    return Timing(entry, decide, push, 1, _depth(entry, push + 1), 0)


def _depth(entry: int, pushed: int) -> int:
    """Rows: one for each beat under way, one that a packet holds back for the row under way, and one that is taken
    before the first credit is back."""
    return BANKS << _log2(-(-(entry + pushed + READ + CREDIT_LOOP + 2) // BANKS))


def _log2(value: int) -> int:
    """The logarithm, rounded up."""
    return (value - 1).bit_length()


def _hold(lanes: int) -> int:
    """Cycles until a beat leaves the hold register: one more for each time that its enable is copied on its way to the
    lanes, four to a copy, four copies of one at a time."""
    copies = -(-lanes // 4)
    return 3 + max(0, (_log2(copies) - 1) // 2)


def _report(pipeline: str, lanes: int) -> int:
    """Cycles until a packet's first error is reported.

    To the lane of the fault its distance from the sequence's start is added in a step or two; a register follows.
    Then the number of the beat where that is gets chosen, of four or three in two steps, of two in one, and another
    register catches the packet's first.
    """
    mask = STEPS_A_CYCLE[pipeline] - 1
    placed = FAULT + _log2(lanes) + (lanes > 1) + (lanes > 4) | mask
    chosen = placed + (2 if lanes < 4 else 1) | mask
    return (chosen + 2) // (mask + 1)


def _decision(pipeline: str, lanes: int, found: int, sooner: int) -> int:
    """Cycles until it is known whether a beat fills a row of ``lanes`` items, which are known at step ``found``.

    Four lanes are counted in a step, and a further step adds each pair of such counts. Each bit of the running number
    is a state, which a register must follow, and its carry; last are two steps that make the decision, of one lane one.
    It comes so many steps ``sooner``.
    """
    mask = STEPS_A_CYCLE[pipeline] - 1
    if lanes == 1:
        return (found + 1) // (mask + 1)
    step = found + max(1, _log2(lanes) - 2)
    for _ in range(_log2(lanes)):
        step = (step | mask) + 1
    return (step + 2 - sooner) // (mask + 1)


def cores(lanes: int) -> list[TranscoderParameters]:
    """All cores with a name of so many lanes, but compact ones."""
    made = [ValidatorParameters(lanes, pipeline) for pipeline in STEPS_A_CYCLE]
    if lanes <= 64:
        made += [DecoderParameters(lanes, errors, bom, packing, pipeline) for errors in ERRORS for bom in BOMS
                 for packing in ("dense", "sparse") for pipeline in STEPS_A_CYCLE]
    if lanes <= 16:
        made += [EncoderParameters(lanes, errors, pipeline) for errors in ERRORS for pipeline in STEPS_A_CYCLE]
    return made


def marks(core: TranscoderParameters) -> list[pytest.MarkDecorator]:
    """All are quick up to two lanes, and the usual ones of four. Those of eight lanes that are not usual, and all that
    are wider than 16, are run with the records."""
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
