"""The parameter objects: what they refuse, how they print, the golden answers they compute."""

import dataclasses
import re
from typing import Any

import pytest
import runewire_model
from hypothesis import given, settings
from hypothesis import strategies as st
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ErrorKind,
    FirstError,
    PacketResult,
    ParameterError,
    TranscoderParameters,
    ValidatorParameters,
    encode,
    parameters,
    validate,
    validate_scalars,
)
from runewire_model.transcoder import widths

MOST_LANES = {"validator": 128, "decoder": 64, "encoder": 16}


@pytest.mark.parametrize("core", MOST_LANES)
@pytest.mark.parametrize("lanes", [0, -1, 3, 6, 12, 127, 256, 8.0, "8", None, True])
def test_lanes_that_no_core_has(core: str, lanes: Any) -> None:
    message = f"lanes must be a power of two from 1 to {MOST_LANES[core]}, got {lanes!r}"
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        parameters(core, lanes=lanes)


@pytest.mark.parametrize(("core", "most"), MOST_LANES.items())
def test_lanes_that_a_core_has(core: str, most: int) -> None:
    lanes = [1 << exponent for exponent in range(most.bit_length())]
    assert widths(core) == lanes
    assert [parameters(core, lanes=count).lanes for count in lanes] == lanes
    with pytest.raises(ParameterError, match=f"^lanes must be .* 1 to {most}, got {2 * most}$"):
        parameters(core, lanes=2 * most)


@pytest.mark.parametrize(("core", "option", "choices"), [
    ("validator", "pipeline", "fast, balanced, compact"),
    ("decoder", "errors", "replace, drop"),
    ("decoder", "bom", "keep, strip"),
    ("decoder", "packing", "dense, sparse"),
    ("decoder", "pipeline", "fast, balanced, compact"),
    ("encoder", "errors", "replace, drop"),
    ("encoder", "pipeline", "fast, balanced, compact"),
])
def test_choices(core: str, option: str, choices: str) -> None:
    for choice in choices.split(", "):
        assert getattr(parameters(core, **{option: choice}), option) == choice
    for wrong in ("strict", "", 1, ["keep"]):
        message = f"{option} must be one of {choices}, got {wrong!r}"
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            parameters(core, **{option: wrong})


def test_an_unknown_core() -> None:
    message = "core must be one of validator, decoder, encoder, got 'parser'"
    for refuse in (parameters, widths):
        with pytest.raises(ParameterError, match=f"^{message}$"):
            refuse("parser")


@pytest.mark.parametrize(("core", "option", "known"), [
    ("validator", "bom", "lanes, pipeline"),
    ("decoder", "width", "lanes, errors, bom, packing, pipeline"),
    ("encoder", "packing", "lanes, errors, pipeline"),
])
def test_an_option_that_the_core_does_not_have(core: str, option: str, known: str) -> None:
    with pytest.raises(ParameterError, match=f"^the {core} has no option '{option}', it has {known}$"):
        parameters(core, **{option: "x"})


@pytest.mark.parametrize(("made", "text"), [
    (ValidatorParameters(), "ValidatorParameters(lanes=8, pipeline='fast')"),
    (DecoderParameters(),
     "DecoderParameters(lanes=8, errors='replace', bom='keep', packing='dense', pipeline='fast')"),
    (EncoderParameters(), "EncoderParameters(lanes=4, errors='replace', pipeline='fast')"),
    (DecoderParameters(16, "drop", "strip", "sparse", "compact"),
     "DecoderParameters(lanes=16, errors='drop', bom='strip', packing='sparse', pipeline='compact')"),
])
def test_they_print_themselves_back(made: TranscoderParameters, text: str) -> None:
    assert repr(made) == text
    assert eval(text, vars(runewire_model)) == made


@pytest.mark.parametrize(("made", "core", "input_bytes", "output_bytes"), [
    (ValidatorParameters(lanes=16), "validator", 16, 16),
    (DecoderParameters(lanes=2), "decoder", 2, 8),
    (EncoderParameters(lanes=2), "encoder", 8, 8),
])
def test_core_and_widths(made: TranscoderParameters, core: str, input_bytes: int, output_bytes: int) -> None:
    assert (made.core, made.input_bytes, made.output_bytes) == (core, input_bytes, output_bytes)


def test_they_are_values() -> None:
    made = DecoderParameters()
    assert {made: "cached"}[DecoderParameters(lanes=8)] == "cached"
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.lanes = 4  # type: ignore[misc]


@pytest.mark.parametrize(("made", "packet", "output", "error"), [
    (ValidatorParameters(), "", "", None),
    (ValidatorParameters(), "41 ED A0 80", "41 ED A0 80", FirstError(ErrorKind.SURROGATE, 1)),
    (DecoderParameters(), "", "", None),
    (DecoderParameters(), "F0 9F 98 80 E2 82 AC", "00 F6 01 00 AC 20 00 00", None),
    (DecoderParameters(), "C3 41", "FD FF 00 00 41 00 00 00", FirstError(ErrorKind.TOO_SHORT, 0)),
    (DecoderParameters(errors="drop"), "C3 41", "41 00 00 00", FirstError(ErrorKind.TOO_SHORT, 0)),
    (DecoderParameters(), "EF BB BF 41", "FF FE 00 00 41 00 00 00", None),
    (DecoderParameters(bom="strip"), "EF BB BF 41 C0 80", "41 00 00 00 FD FF 00 00 FD FF 00 00",
     FirstError(ErrorKind.OVERLONG, 4)),
    (EncoderParameters(), "", "", None),
    (EncoderParameters(), "00 F6 01 00 AC 20 00 00", "F0 9F 98 80 E2 82 AC", None),
    (EncoderParameters(), "41 00 00 00 00 D8 00 00", "41 EF BF BD", FirstError(ErrorKind.SURROGATE, 1)),
    (EncoderParameters(errors="drop"), "FF FF FF FF 41 00 00 00", "41", FirstError(ErrorKind.TOO_LARGE, 0)),
])
def test_compute(made: TranscoderParameters, packet: str, output: str, error: FirstError | None) -> None:
    assert made.compute(bytes.fromhex(packet)) == PacketResult(bytes.fromhex(output), error)


@settings(deadline=None)
@given(data=st.data())
def test_decoder_against_cpython(packets: st.SearchStrategy[bytes], data: st.DataObject) -> None:
    packet = data.draw(packets)
    expected = packet.decode("utf-8", "replace").encode("utf-32-le")
    assert DecoderParameters().compute(packet) == PacketResult(expected, validate(packet))


@settings(deadline=None)
@given(scalars=st.lists(st.integers(0, 0x120000) | st.integers(0, 0xFFFFFFFF)))
def test_encoder_takes_utf_32_little_endian(scalars: list[int]) -> None:
    packet = b"".join(scalar.to_bytes(4, "little") for scalar in scalars)
    assert EncoderParameters().compute(packet) == PacketResult(encode(scalars), validate_scalars(scalars))


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_a_packet_that_is_no_utf_32(length: int) -> None:
    message = f"a packet for the encoder is UTF-32LE, a multiple of 4 bytes, got {length} bytes"
    with pytest.raises(ParameterError, match=f"^{message}$"):
        EncoderParameters().compute(bytes(length))


@pytest.mark.parametrize(("made", "words"), [
    (DecoderParameters(), "decoder, 8 lanes"), (ValidatorParameters(lanes=1), "validator, 1 lane"),
    (EncoderParameters(lanes=2, errors="drop"), "encoder, 2 lanes, errors drop"),
    (DecoderParameters(64, "drop", "strip", "sparse", "compact"),
     "decoder, 64 lanes, errors drop, bom strip, packing sparse, pipeline compact"),
])
def test_in_words(made: TranscoderParameters, words: str) -> None:
    assert f"{made}" == words
