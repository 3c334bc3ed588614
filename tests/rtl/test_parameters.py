"""The parameter objects create the cores that they describe."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
import runewire_model
from amaranth.hdl import Fragment
from runewire_model import ParameterError
from runewire_rtl import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    Transcoder,
    TranscoderParameters,
    ValidatorParameters,
    describe,
    generate,
    hardware,
    parameters,
    timing,
)
from runewire_rtl.compact import Compact
from runewire_rtl.packages import chosen


@pytest.mark.parametrize("made", [
    ValidatorParameters(lanes=2),
    DecoderParameters(lanes=2, errors="drop", bom="strip", packing="sparse"),
    EncoderParameters(lanes=2, pipeline="compact"),
    TranscoderParameters("utf-8", "utf-8", 2),
    SanitizerParameters(2, "drop"),
], ids=str)
def test_parameters_create_their_core(made: TranscoderParameters) -> None:
    created = made.create()
    Fragment.get(created, None)
    assert type(created) is (Compact if made.pipeline == "compact" else Transcoder)
    assert created.parameters is made
    assert len(created.i.payload.data) == 2


@pytest.mark.parametrize("core", ["validator", "decoder", "encoder", "sanitizer"])
def test_parameters_are_those_of_the_model(core: str) -> None:
    model = runewire_model.parameters(core, lanes=2, pipeline="balanced")
    made = hardware(model)
    assert made == parameters(core, lanes=2, pipeline="balanced")
    assert repr(made) == repr(model)
    assert eval(repr(made)) == made
    assert isinstance(made, type(model))
    assert TranscoderParameters.of(model.record()) == made
    with pytest.raises(FrozenInstanceError):
        made.lanes = 4


def test_the_timing_of_a_core_is_known_from_the_models_parameters_too() -> None:
    model = runewire_model.EncoderParameters(2, "drop", "balanced")
    assert timing(model) == timing(hardware(model)) == hardware(model).create().timing


@pytest.mark.parametrize("pipeline", ["fast", "compact"])
def test_a_core_is_built_once_for_all_of_its_files(pipeline: str, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    sound = Transcoder._describe
    monkeypatch.setattr(Transcoder, "_describe", lambda core, *rest: (built.append(core), sound(core, *rest))[1])
    # Parameters that no other test has: the timing of theirs is stored.
    unusual = ValidatorParameters(1, pipeline=pipeline, offset_bits=29)
    generate(unusual, tmp_path, packages=chosen(["formal"]))
    assert timing(unusual).latency == describe(unusual)["latency_cycles"]
    assert len(built) == 1


@pytest.mark.parametrize(("core", "options", "message"), [
    ("decoder", {"lanes": 3}, r"lanes must be a power of two from 1 to 64, got 3"),
    ("encoder", {"packing": "dense"}, r"the encoder has no option 'packing'"),
    ("viewer", {}, r"core must be .*'viewer'"),
])
def test_bad_parameters_are_refused(core: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parameters(core, **options)
