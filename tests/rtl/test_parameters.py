"""The parameter objects create the cores that they describe."""

from dataclasses import FrozenInstanceError

import pytest
import runewire_model
from amaranth.hdl import Fragment
from runewire_model import ParameterError
from runewire_rtl import (
    Decoder,
    DecoderParameters,
    Encoder,
    EncoderParameters,
    Validator,
    ValidatorParameters,
    hardware,
    parameters,
)


@pytest.mark.parametrize(("made", "core"), [
    (ValidatorParameters(lanes=2), Validator),
    (DecoderParameters(lanes=2, errors="drop", bom="strip", packing="sparse"), Decoder),
    (EncoderParameters(lanes=2, pipeline="compact"), Encoder),
])
def test_parameters_create_their_core(made, core) -> None:
    created = made.create()
    Fragment.get(created, None)
    assert type(created) is core
    assert created.parameters is made
    assert len(created.i.payload.keep) == 2


@pytest.mark.parametrize(("core", "lanes", "width_in", "lanes_out", "width_out"), [
    ("validator", 4, 8, 4, 8), ("decoder", 4, 8, 4, 21), ("encoder", 4, 32, 16, 8),
])
def test_streams_have_the_shapes_that_are_documented(
    core: str, lanes: int, width_in: int, lanes_out: int, width_out: int
) -> None:
    created = parameters(core, lanes=lanes).create()
    Fragment.get(created, None)
    i, o = created.i.payload, created.o.payload
    assert ([len(item) for item in i.data], len(i.keep)) == ([width_in] * lanes, lanes)
    assert ([len(item) for item in o.data], len(o.keep)) == ([width_out] * lanes_out, lanes_out)


@pytest.mark.parametrize("core", ["validator", "decoder", "encoder"])
def test_parameters_are_those_of_the_model(core: str) -> None:
    model = runewire_model.parameters(core, lanes=2, pipeline="balanced")
    made = hardware(model)
    assert made == parameters(core, lanes=2, pipeline="balanced")
    assert repr(made) == repr(model)
    assert eval(repr(made)) == made
    assert isinstance(made, type(model))
    with pytest.raises(FrozenInstanceError):
        made.lanes = 4


@pytest.mark.parametrize(("core", "options", "message"), [
    ("decoder", {"lanes": 3}, r"lanes must be a power of two from 1 to 64, got 3"),
    ("encoder", {"packing": "dense"}, r"the encoder has no option 'packing'"),
    ("viewer", {}, r"core must be .*'viewer'"),
])
def test_bad_parameters_are_refused(core: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parameters(core, **options)
