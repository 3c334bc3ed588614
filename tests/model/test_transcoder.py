"""The parameters of cores: their checks, their texts and records, and the golden answers."""

import codecs
import dataclasses
import json
import re
from itertools import product
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
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    encode,
    parameters,
    validate,
    validate_scalars,
)
from runewire_model.encodings import ENCODINGS
from runewire_model.errors import of_type
from runewire_model.report import Sidebands
from runewire_model.transcoder import BOMS, ERRORS, PACKINGS, PIPELINES, widths

MOST_LANES = {"validator": 256, "decoder": 64, "encoder": 16, "sanitizer": 16}


@pytest.mark.parametrize("core", MOST_LANES)
@pytest.mark.parametrize("lanes", [0, -1, 3, 6, 12, 127, 512, 8.0, "8", None, True])
def test_lanes_that_no_core_has(core: str, lanes: Any) -> None:
    message = f"lanes must be a power of two from 1 to {MOST_LANES[core]}, got {lanes!r}"
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        parameters(core, lanes=lanes)


WIDER = {"sanitizer": ": with errors='drop' or replacement=0x3F up to 64"}
"""The part of the message that says which options allow more lanes."""


@pytest.mark.parametrize(("core", "most"), MOST_LANES.items())
def test_lanes_that_a_core_has(core: str, most: int) -> None:
    lanes = [1 << exponent for exponent in range(most.bit_length())]
    assert widths(core) == lanes
    assert [parameters(core, lanes=count).lanes for count in lanes] == lanes
    with pytest.raises(ParameterError, match=f"^lanes must be .* 1 to {most}, got {2 * most}{WIDER.get(core, '')}$"):
        parameters(core, lanes=2 * most)


@pytest.mark.parametrize(("core", "option", "choices"), [
    ("validator", "pipeline", "fast, balanced, compact"),
    ("decoder", "errors", "replace, drop"),
    ("decoder", "bom", "keep, strip, add"),
    ("decoder", "packing", "dense, sparse"),
    ("decoder", "pipeline", "fast, balanced, compact"),
    ("encoder", "errors", "replace, drop"),
    ("encoder", "pipeline", "fast, balanced, compact"),
])
def test_choices(core: str, option: str, choices: str) -> None:
    for choice in choices.split(", "):
        assert getattr(parameters(core, **{option: choice}), option) == choice
    for wrong in ("other", "", 1, ["keep"]):
        message = f"{option} must be one of {choices}, got {wrong!r}"
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            parameters(core, **{option: wrong})


def test_an_unknown_core() -> None:
    message = "core must be one of validator, decoder, encoder, sanitizer, got 'parser'"
    for refuse in (parameters, widths):
        with pytest.raises(ParameterError, match=f"^{message}$"):
            refuse("parser")


PORTS = ", and for its ports report, offset_bits, report_port, count, records, user, id, dest"


@pytest.mark.parametrize(("core", "option", "known"), [
    ("validator", "bom", "lanes, pipeline, family"),
    ("decoder", "width", "lanes, errors, bom, packing, pipeline, family"),
    ("encoder", "packing", "lanes, errors, pipeline, family"),
    ("encoder", "replacement", "lanes, errors, pipeline, family"),
    ("sanitizer", "width", "lanes, errors, replacement, bom, packing, pipeline, family"),
])
def test_an_option_that_the_core_does_not_have(core: str, option: str, known: str) -> None:
    with pytest.raises(ParameterError, match=f"^the {core} has no option '{option}', it has {known}{PORTS}$"):
        parameters(core, **{option: "x"})


@pytest.mark.parametrize(("source", "target", "message"), [
    ("cp437", None, f"source must be one of {', '.join(ENCODINGS)}, got 'cp437'"),
    (None, "utf-8", f"source must be one of {', '.join(ENCODINGS)}, got None"),
    ("utf-8", "", f"target must be one of {', '.join(ENCODINGS)}, got ''"),
])
def test_encodings_that_there_are_not(source: Any, target: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        TranscoderParameters(source, target)


@pytest.mark.parametrize(("made", "text"), [
    (ValidatorParameters(), "TranscoderParameters(source='utf-8', target=None, lanes=8, errors='replace', bom='keep', "
                            "packing='dense', pipeline='fast')"),
    (EncoderParameters(), "TranscoderParameters(source='utf-32le', target='utf-8', lanes=4, errors='replace', "
                          "bom='keep', packing='dense', pipeline='fast')"),
    (DecoderParameters(16, "drop", "strip", "sparse", "compact"),
     "TranscoderParameters(source='utf-8', target='utf-32le', lanes=16, errors='drop', bom='strip', packing='sparse', "
     "pipeline='compact')"),
])
def test_they_print_themselves_back(made: TranscoderParameters, text: str) -> None:
    assert repr(made) == text
    assert eval(text, vars(runewire_model)) == made


def named(core: str, **options: Any) -> TranscoderParameters:
    return parameters(core, **options)


ALL = [
    *(named("validator", pipeline=pipeline) for pipeline in PIPELINES),
    *(named("decoder", errors=errors, bom=bom, packing=packing, pipeline=pipeline)
      for errors, bom, packing, pipeline in product(ERRORS, BOMS, PACKINGS, PIPELINES)),
    *(named("encoder", errors=errors, pipeline=pipeline) for errors, pipeline in product(ERRORS, PIPELINES)),
    *(TranscoderParameters(source, target, 2) for source, target in product(ENCODINGS, [*ENCODINGS, None])),
    *(TranscoderParameters("utf-8", target, 2, replacement=0) for target in ("utf-8", "latin-1", "ascii")),
    *(TranscoderParameters(source, "utf-32le", 4, errors, bom, "sparse", "compact")
      for source, errors, bom in product(("utf-8", "utf-32le"), ERRORS, BOMS)),
    TranscoderParameters("utf-32le", "utf-8", bom="strip"),
]
"""Named and other cores, with all their options."""


@pytest.mark.parametrize("made", ALL, ids=repr)
def test_what_is_recorded_is_read_back(made: TranscoderParameters) -> None:
    record = made.record()
    assert TranscoderParameters.of(json.loads(json.dumps(record))) == made
    assert record["core"] == made.core
    assert {name: record[name] for name in made.options} == made.options


@pytest.mark.parametrize(("made", "record"), [
    (ValidatorParameters(2), {"core": "validator", "lanes": 2, "pipeline": "fast"}),
    (DecoderParameters(1, "drop", "strip", "sparse"), {
        "core": "decoder", "lanes": 1, "errors": "drop", "bom": "strip", "packing": "sparse", "pipeline": "fast"}),
    (EncoderParameters(), {"core": "encoder", "lanes": 4, "errors": "replace", "pipeline": "fast"}),
    (TranscoderParameters("utf-8", "utf-8", 2), {
        "core": "sanitizer", "lanes": 2, "errors": "replace", "bom": "keep", "pipeline": "fast"}),
    (SanitizerParameters(2, replacement=0x3F), {
        "core": "sanitizer", "lanes": 2, "errors": "replace", "replacement": 0x3F, "bom": "keep", "packing": "dense",
        "pipeline": "fast"}),
    (SanitizerParameters(2, "drop", packing="sparse"), {
        "core": "sanitizer", "lanes": 2, "errors": "drop", "bom": "keep", "packing": "sparse", "pipeline": "fast"}),
    (TranscoderParameters("utf-16le", "ascii", 2, replacement=0x1A), {
        "core": "transcoder", "from": "utf-16le", "to": "ascii", "lanes": 2, "errors": "replace", "replacement": 0x1A,
        "bom": "keep", "packing": "dense", "pipeline": "fast"}),
    (TranscoderParameters("utf-32le", None), {
        "core": "transcoder", "from": "utf-32le", "to": None, "lanes": 8, "pipeline": "fast"}),
])
def test_a_record_has_the_core_and_the_options_that_it_has(
    made: TranscoderParameters, record: dict[str, Any]
) -> None:
    assert list(made.record().items()) == list(record.items())


@pytest.mark.parametrize(("record", "made"), [
    ({"core": "encoder"}, EncoderParameters(4)),
    ({"core": "decoder", "bom": "strip"}, DecoderParameters(8, bom="strip")),
    ({"core": "transcoder", "from": "utf-8", "to": "utf-32le"}, DecoderParameters(8)),
    ({"core": "transcoder", "from": "utf-8"}, ValidatorParameters(8)),
])
def test_what_a_record_leaves_out_is_as_usual(record: dict[str, Any], made: TranscoderParameters) -> None:
    assert TranscoderParameters.of(record) == made


@pytest.mark.parametrize(("record", "message"), [
    ({}, "core must be one of validator, decoder, encoder, sanitizer, transcoder, got None"),
    ({"core": "parser"},
     "core must be one of validator, decoder, encoder, sanitizer, transcoder, got 'parser'"),
    ({"core": "validator", "from": "utf-8"},
     f"the validator has no option 'from', it has lanes, pipeline, family{PORTS}"),
    ({"core": "encoder", "bom": "strip"},
     f"the encoder has no option 'bom', it has lanes, errors, pipeline, family{PORTS}"),
    ({"core": "transcoder", "from": "utf-8", "to": "utf-8", "source": "utf-8"},
     "the transcoder has no option 'source', it has from, to, lanes, errors, bom, packing, pipeline, "
     f"family, replacement{PORTS}"),
    ({"core": "transcoder", "to": "utf-8"}, f"source must be one of {', '.join(ENCODINGS)}, got None"),
    ({"core": "transcoder", "from": "utf-8", "to": "utf-7"},
     f"target must be one of {', '.join(ENCODINGS)}, got 'utf-7': did you mean 'utf-8'?"),
])
def test_a_record_that_is_none(record: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        TranscoderParameters.of(record)


@pytest.mark.parametrize(("source", "target", "option", "value", "known"), [
    ("utf-8", None, "errors", "drop", "lanes, pipeline, family"),
    ("utf-8", None, "bom", "strip", "lanes, pipeline, family"),
    ("utf-8", None, "packing", "sparse", "lanes, pipeline, family"),
    ("utf-32le", None, "bom", "strip", "lanes, pipeline, family"),
    ("utf-8", "utf-8", "packing", "sparse", "lanes, errors, replacement, bom, pipeline, family"),
    ("utf-8", "utf-16le", "replacement", 0x3F, "lanes, errors, bom, packing, pipeline, family"),
    ("utf-32le", "utf-8", "replacement", 0x3F, "lanes, errors, bom, pipeline, family"),
    ("utf-8", None, "replacement", 0x3F, "lanes, pipeline, family"),
    ("latin-1", "latin-1", "replacement", 0x1A, "lanes, packing, pipeline, family"),
    ("utf-32le", "utf-8", "packing", "sparse", "lanes, errors, bom, pipeline, family"),
    ("latin-1", "utf-8", "errors", "drop", "lanes, bom, pipeline, family"),
    ("utf-16", None, "bom", "add", "lanes, pipeline, family"),
    ("latin-1", "latin-1", "errors", "drop", "lanes, packing, pipeline, family"),
    ("latin-1", "ascii", "bom", "strip", "lanes, errors, replacement, packing, pipeline, family"),
    ("latin-1", "ascii", "bom", "add", "lanes, errors, replacement, packing, pipeline, family"),
    ("ascii", "utf-8", "packing", "sparse", "lanes, errors, bom, pipeline, family"),
])
def test_an_option_without_a_meaning_is_refused(
    source: str, target: str | None, option: str, value: Any, known: str
) -> None:
    """Otherwise two cores would be one, and the option would seem to have an effect."""
    with pytest.raises(ParameterError, match=rf"^the .* has no option '{option}', it has {known}(; with .*)?$"):
        TranscoderParameters(source, target, **{option: value})


def test_a_replacement_goes_with_what_is_replaced() -> None:
    for target in ("utf-8", "latin-1"):
        with pytest.raises(ParameterError, match=r"drop.* has no option 'replacement', it has lanes, errors, bom"):
            TranscoderParameters("utf-8", target, errors="drop", replacement=0x3F)


@pytest.mark.parametrize("wrong", [-1, 0x80, "3F", b"?", True, 63.0])
def test_a_replacement_that_is_no_ascii_byte(wrong: Any) -> None:
    got = {-1: "-1", 0x80: "80"}.get(wrong, repr(wrong)) if type(wrong) is int else repr(wrong)
    message = f"replacement must be a byte from 00 to 7F in hex, got {got}"
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        SanitizerParameters(replacement=wrong)


def test_the_usual_replacement_is_none_of_choice() -> None:
    """Otherwise one core would have two names."""
    usual = TranscoderParameters("utf-8", "latin-1")
    assert TranscoderParameters("utf-8", "latin-1", replacement=0x3F) == usual
    assert SanitizerParameters(replacement=0x3F) != SanitizerParameters()


@pytest.mark.parametrize(("source", "target", "bom", "way", "choices"), [
    ("latin-1", "utf-32le", "strip", "Latin-1 to UTF-32LE", "keep, add"),
    ("ascii", "utf-8", "strip", "ASCII to UTF-8", "keep, add"),
    ("utf-16", "latin-1", "add", "UTF-16 to Latin-1", "keep, strip"),
    ("utf-8", "ascii", "add", "UTF-8 to ASCII", "keep, strip"),
])
def test_a_byte_order_mark_that_cannot_be_is_refused(
    source: str, target: str, bom: str, way: str, choices: str
) -> None:
    """Latin-1 and ASCII have none to strip, and cannot have one added."""
    with pytest.raises(ParameterError, match=rf"^bom of {way} must be one of {choices}, got '{bom}'$"):
        TranscoderParameters(source, target, bom=bom)
    for other in choices.split(", "):
        assert TranscoderParameters(source, target, bom=other).bom == other


@pytest.mark.parametrize(("source", "lanes", "errors", "slots"), [
    ("latin-1", 1, "replace", 4), ("latin-1", 2, "replace", 2), ("latin-1", 32, "replace", 2),
    ("ascii", 1, "drop", 4), ("ascii", 2, "drop", 2), ("ascii", 4, "drop", 1), ("ascii", 1, "replace", 4),
    ("utf-16", 1, "replace", 4),
])
def test_a_row_has_places_for_a_mark(source: str, lanes: int, errors: str, slots: int) -> None:
    assert TranscoderParameters(source, "utf-8", lanes, errors, bom="add").slots == slots


def test_a_mark_that_is_added_is_counted() -> None:
    """Counters count the output, but bytes of the input."""
    side = Sidebands(count=("code-points", "utf16-units", "bytes"))
    for packet, points in ((b"", 1), (b"A", 2), (b"\xEF\xBB\xBFA", 2), ("😀".encode(), 2)):
        counts = TranscoderParameters("utf-8", "utf-16", bom="add", sidebands=side).compute(packet).counts
        assert counts == {"code_points": points, "utf16_units": points + (len(packet) == 4 and packet[0] == 0xF0),
                          "bytes": len(packet)}


@pytest.mark.parametrize(("source", "target", "most"), [
    ("utf-8", None, 256), ("utf-8", "utf-32le", 64), ("utf-8", "utf-32be", 64), ("utf-8", "utf-8", 16),
    ("utf-32le", None, 64), ("utf-32le", "utf-32le", 32), ("utf-32le", "utf-8", 16), ("utf-32be", "utf-8", 32),
    ("utf-8", "utf-16le", 128),
    ("utf-16le", None, 128), ("utf-16le", "utf-32le", 64), ("utf-16le", "utf-8", 32), ("utf-32le", "utf-16le", 32),
    ("latin-1", "utf-8", 64), ("ascii", "utf-8", 32), ("ascii", "utf-16le", 128), ("latin-1", "latin-1", 128),
])
def test_the_widest_core_of_two_encodings(source: str, target: str | None, most: int) -> None:
    """Limits. An input beat has at most 128 bytes, 256 if it passes through. There are at most 128 unit places before
    packing, or 64 in a core with a name of its own. An output beat has at most 256 bytes."""
    assert TranscoderParameters(source, target, most).most_lanes == most
    message = f"^lanes must be a power of two from 1 to {most}, got {2 * most}(: with .*)?$"
    with pytest.raises(ParameterError, match=message):
        TranscoderParameters(source, target, 2 * most)


@pytest.mark.parametrize(("source", "target", "lanes", "advice"), [
    ("utf-8", "utf-8", 32, "with errors='drop' or replacement=0x3F up to 64"), ("utf-8", "utf-8", 128, None),
    ("ascii", "utf-8", 64, "with errors='drop' up to 128"), ("utf-8", "utf-32le", 128, None),
    ("utf-8", "utf-8", 24, None), ("utf-8", "utf-8", True, None), ("utf-8", "utf-8", "32", None),
])
def test_options_that_allow_more_lanes_are_named(source: str, target: str, lanes: Any, advice: str | None) -> None:
    with pytest.raises(ParameterError) as found:
        TranscoderParameters(source, target, lanes)
    assert str(found.value).partition(f"got {lanes!r}")[2] == (f": {advice}" if advice else "")


@pytest.mark.parametrize(("source", "target", "advice"), [
    ("utf-8", "utf-8", "; with errors='drop' or replacement=0x3F it has packing too"), ("utf-32le", "utf-8", ""),
    ("utf-16le", "utf-8", "")])
def test_options_that_allow_a_packing_are_named(source: str, target: str, advice: str) -> None:
    with pytest.raises(ParameterError) as found:
        TranscoderParameters(source, target, packing="sparse")
    assert str(found.value).endswith(f"pipeline, family{advice}")


def test_an_option_that_was_meant() -> None:
    with pytest.raises(ParameterError, match=r"dest: did you mean 'lanes'\?$"):
        parameters("decoder", lane=8)


@pytest.mark.parametrize("spelled", ["UTF-16LE", "utf16le", "Utf_16le", "UTF_16_LE", "utf-16-le"])
def test_encodings_in_other_spellings(spelled: str) -> None:
    assert TranscoderParameters(spelled, "UTF8", 4) == TranscoderParameters("utf-16le", "utf-8", 4)
    assert TranscoderParameters.of({"core": "transcoder", "from": spelled, "to": None}).source == "utf-16le"


@pytest.mark.parametrize("wrong", ["text", None, 5, ["a"]])
def test_a_packet_is_bytes(wrong: Any) -> None:
    with pytest.raises(TypeError, match=rf"^packet must be bytes, got {re.escape(of_type(wrong))}$"):
        parameters("validator").compute(wrong)


@pytest.mark.parametrize(("made", "slots", "in_place", "kind"), [
    (ValidatorParameters(), 1, True, "validator"),
    (DecoderParameters(), 1, False, "decoder, dense"),
    (DecoderParameters(packing="sparse"), 1, True, "decoder, sparse"),
    (EncoderParameters(), 4, False, "encoder"),
    (TranscoderParameters("utf-8", "utf-8"), 4, False, "sanitizer"),
    (SanitizerParameters(replacement=0x3F), 1, False, "sanitizer, dense"),
    (SanitizerParameters(errors="drop", packing="sparse"), 1, True, "sanitizer, sparse"),
    (TranscoderParameters("utf-32le", "utf-32le"), 1, False, "UTF-32LE to UTF-32LE, dense"),
    (TranscoderParameters("utf-32le", None), 1, True, "UTF-32LE checked"),
    (TranscoderParameters("latin-1", "utf-8"), 2, False, "Latin-1 to UTF-8"),
    (TranscoderParameters("latin-1", "utf-16le"), 1, False, "Latin-1 to UTF-16LE, dense"),
    (TranscoderParameters("utf-16le", "utf-16be"), 2, False, "UTF-16LE to UTF-16BE"),
    (TranscoderParameters("utf-8", "utf-16be"), 1, False, "UTF-8 to UTF-16BE, dense"),
    (TranscoderParameters("ascii", "utf-8"), 4, False, "ASCII to UTF-8"),
    (TranscoderParameters("ascii", "utf-8", errors="drop", packing="sparse"), 1, True, "ASCII to UTF-8, sparse"),
])
def test_places_of_a_row(made: TranscoderParameters, slots: int, in_place: bool, kind: str) -> None:
    assert (made.slots, made.in_place, made.kind) == (slots, in_place, kind)


@pytest.mark.parametrize(("made", "core"), [
    (TranscoderParameters("utf-8", None), "validator"),
    (TranscoderParameters("utf-8", "utf-32le", bom="strip", packing="sparse"), "decoder"),
    (TranscoderParameters("utf-32le", "utf-8", 16, "drop"), "encoder"),
    (TranscoderParameters("utf-32le", "utf-8", bom="strip"), "transcoder"),
    (TranscoderParameters("utf-32le", None), "transcoder"),
    (TranscoderParameters("utf-8", "utf-8", errors="drop", bom="strip"), "sanitizer"),
])
def test_a_core_that_has_a_name_goes_by_it(made: TranscoderParameters, core: str) -> None:
    assert made.core == core


@pytest.mark.parametrize(("made", "core", "input_bytes", "output_bytes"), [
    (ValidatorParameters(lanes=16), "validator", 16, 16),
    (DecoderParameters(lanes=2), "decoder", 2, 8),
    (EncoderParameters(lanes=2), "encoder", 8, 8),
    (TranscoderParameters("utf-8", "utf-8", 2), "sanitizer", 2, 8),
    (SanitizerParameters(2, "drop"), "sanitizer", 2, 2),
    (TranscoderParameters("utf-32le", None, 2), "transcoder", 8, 8),
    (TranscoderParameters("utf-32le", "utf-32le", 2), "transcoder", 8, 8),
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
    (EncoderParameters(), "41 00 00 00 42", "41 EF BF BD", FirstError(ErrorKind.TOO_SHORT, 1)),
    (EncoderParameters(errors="drop"), "41 00 00 00 42 00 00", "41", FirstError(ErrorKind.TOO_SHORT, 1)),
    (TranscoderParameters("utf-32le", "utf-8", bom="strip"), "FF FE 00 00 00 D8 00 00", "EF BF BD",
     FirstError(ErrorKind.SURROGATE, 1)),
    (TranscoderParameters("utf-8", "utf-8", bom="strip"), "EF BB BF 41 C0 C3 A9", "41 EF BF BD C3 A9",
     FirstError(ErrorKind.TOO_SHORT, 4)),
    (TranscoderParameters("utf-8", "utf-8", errors="drop"), "41 FF 42", "41 42", FirstError(ErrorKind.HEADER_BITS, 1)),
    (TranscoderParameters("utf-32le", None), "00 D8 00 00 41", "00 D8 00 00 41", FirstError(ErrorKind.SURROGATE, 0)),
    (TranscoderParameters("utf-32le", "utf-32le"), "00 D8 00 00 41", "FD FF 00 00 FD FF 00 00",
     FirstError(ErrorKind.SURROGATE, 0)),
])
def test_compute(made: TranscoderParameters, packet: str, output: str, error: FirstError | None) -> None:
    assert made.compute(bytes.fromhex(packet)) == PacketResult(bytes.fromhex(output), error)


U16 = "utf-16le"
TOO_LARGE, TOO_SHORT, SURROGATE = ErrorKind.TOO_LARGE, ErrorKind.TOO_SHORT, ErrorKind.SURROGATE


@pytest.mark.parametrize(("source", "target", "options", "packet", "output", "error"), [
    # A scalar that does not fit is a fault at the first unit of its sequence.
    ("utf-8", "latin-1", {}, "é€x".encode(), b"\xE9?x", FirstError(TOO_LARGE, 2)),
    ("utf-8", "latin-1", {"errors": "drop"}, "é€x".encode(), b"\xE9x", FirstError(TOO_LARGE, 2)),
    ("utf-8", "latin-1", {}, "a😀".encode(), b"a?", FirstError(TOO_LARGE, 1)),
    (U16, "ascii", {}, "a😀é".encode(U16), b"a??", FirstError(TOO_LARGE, 1)),
    ("latin-1", "ascii", {}, b"a\xE9", b"a?", FirstError(TOO_LARGE, 1)),
    # U+FFFD in the text does not fit; U+FFFD for an ill-formed subpart is the source's fault.
    ("utf-8", "latin-1", {}, "a\uFFFD".encode(), b"a?", FirstError(TOO_LARGE, 1)),
    ("utf-8", "latin-1", {}, b"a\xE2\x82", b"a?", FirstError(TOO_SHORT, 1)),
    ("utf-8", "latin-1", {}, b"\xE2\x82\x41", b"?A", FirstError(TOO_SHORT, 0)),
    # The earlier fault counts, whichever side it is on.
    ("utf-8", "latin-1", {}, b"\xE2\x82\xE2\x82\xAC", b"??", FirstError(TOO_SHORT, 0)),
    ("utf-8", "latin-1", {}, b"\xE2\x82\xAC\xE2\x82", b"??", FirstError(TOO_LARGE, 0)),
    (U16, "latin-1", {}, b"\0\xD8\xAC\x20", b"??", FirstError(SURROGATE, 0)),
    (U16, "latin-1", {}, b"\xAC\x20\0\xD8", b"??", FirstError(TOO_LARGE, 0)),
    # A byte order mark that is stripped needs no place.
    ("utf-8", "latin-1", {}, "\uFEFFa".encode(), b"?a", FirstError(TOO_LARGE, 0)),
    ("utf-8", "latin-1", {"bom": "strip"}, "\uFEFFa€".encode(), b"a?", FirstError(TOO_LARGE, 4)),
    ("ascii", "utf-8", {}, b"a\x80\xC3", b"a" + 2 * b"\xEF\xBF\xBD", FirstError(TOO_LARGE, 1)),
    ("ascii", "latin-1", {}, b"\x80a", b"?a", FirstError(TOO_LARGE, 0)),
    ("ascii", "ascii", {"errors": "drop"}, b"\x80a", b"a", FirstError(TOO_LARGE, 0)),
    (U16, "utf-8", {}, b"\x41\0\0\xD8\x41", b"A\xEF\xBF\xBD", FirstError(TOO_SHORT, 1)),
    (U16, "utf-16be", {}, b"\0\xDC\x41\0", b"\xFF\xFD\0\x41", FirstError(SURROGATE, 0)),
    (U16, None, {}, b"\0\xD8\x41", b"\0\xD8\x41", FirstError(TOO_SHORT, 0)),
])
def test_what_the_target_lacks(
    source: str, target: str | None, options: dict[str, str], packet: bytes, output: bytes, error: FirstError
) -> None:
    made = TranscoderParameters(source, target, **options)  # type: ignore[arg-type]
    assert made.compute(packet) == PacketResult(output, error)


PAIRS = [(source, target) for source, target in product(ENCODINGS, repeat=2)]


def codec(name: str, packet: bytes = b"") -> str:
    """The oracle for a packet. Without an order in the name, the first bytes decide; the default is big-endian."""
    oracle = ENCODINGS[name].oracle
    if oracle in ("utf-16", "utf-32"):
        little = packet.startswith(b"\xFF\xFE" if oracle == "utf-16" else b"\xFF\xFE\0\0")
        return f"{oracle}-{'le' if little else 'be'}"
    return oracle


def by_codecs(made: TranscoderParameters, packet: bytes) -> bytes:
    """The answer of CPython's codecs for a packet."""
    how = "replace" if made.errors == "replace" else "ignore"
    return packet.decode(codec(made.source, packet), how).encode(codec(made.writes.name), how)


@pytest.mark.parametrize(("source", "target", "options", "packet", "made"), [
    ("utf-8", "utf-8", {}, "a€😀".encode(), [1, 0, 0, 3, 0, 0, 0, 4]),
    ("utf-8", "utf-8", {"errors": "drop"}, "a€".encode() + b"\xE2\x82\xFF", [1, 1, 1, 1, 0, 0, 0]),
    ("utf-8", "utf-8", {"replacement": 0x3F}, b"\xE2\x82\xFF" + "😀".encode(), [0, 1, 1, 1, 1, 1, 1]),
    ("utf-8", "utf-8", {"replacement": 0x3F, "bom": "strip"}, "\uFEFFé".encode() + b"\xF0\x9F\x98",
     [0, 0, 0, 1, 1, 0, 0, 1]),
    ("utf-8", "utf-32le", {}, "a€😀".encode(), [1, 0, 0, 1, 0, 0, 0, 1]),
    ("utf-8", "utf-16le", {}, "a€😀".encode(), [1, 0, 0, 1, 0, 0, 1, 1]),
    ("utf-8", "utf-16be", {"bom": "strip"}, "\uFEFF😀".encode() + b"\xF0\x9F\x98", [0, 0, 0, 0, 0, 1, 1, 0, 0, 1]),
    ("utf-8", "utf-16be", {"errors": "drop"}, b"\xF0\x9F\x98\xF0\x9F\x98\x80", [0, 0, 0, 0, 0, 1, 1]),
    ("utf-8", "latin-1", {"errors": "drop"}, "é€".encode(), [0, 1, 0, 0, 0]),
    ("utf-16le", "utf-8", {}, "a😀é€".encode("utf-16le") + b"\0", [1, 2, 2, 2, 3, 3]),
    ("utf-16be", "utf-8", {"errors": "drop"}, b"\xDC\0\xD8\0\xD8\0\xDC\0\xD8\0\0", [0, 0, 2, 2, 0, 0]),
    ("utf-16le", "utf-8", {"bom": "strip"}, b"\xFF\xFE\xFF\xFE\0\xD8\0", [0, 3, 0, 3]),
])
def test_units_are_made_in_lanes(
    source: str, target: str, options: dict[str, Any], packet: bytes, made: list[int]
) -> None:
    """All units of a scalar are in the lane of its last unit, except in the fused pairs of UTF-8 and UTF-16, and for
    bytes that are output unchanged."""
    assert [*TranscoderParameters(source, target, **options).made(packet)] == made


@pytest.mark.parametrize("target", ENCODINGS)
def test_every_scalar(target: str) -> None:
    """Scalars that the target lacks become a question mark, as with CPython's codecs."""
    packet = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000)))).encode("utf-32le")
    for errors in ERRORS:
        made = TranscoderParameters("utf-32le", target, errors=errors)
        assert made.compute(packet).output == by_codecs(made, packet)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_pair_against_cpython(source: str, target: str) -> None:
    one = ENCODINGS[source]
    scalars = [scalar for scalar in (*range(0, 0xD800, 97), *range(0xE000, 0x110000, 977)) if scalar <= one.greatest]
    text = "".join(map(chr, scalars))
    bits = [text.encode(codec(source)), *map(one.pack, product(one.edges, repeat=2))]
    packets = [*bits, *(bit + b"A" for bit in bits), *one.wrong, *one.troublemakers.values()]
    for errors in ("replace", "drop") if one.wrong else ("replace",):
        made = TranscoderParameters(source, target, errors=errors)
        for packet in packets:
            result = made.compute(packet)
            assert result.output == by_codecs(made, packet)
            assert sum(made.made(packet)) * made.writes.unit_bytes == len(result.output)
            text = packet.decode(codec(source, packet), "ignore")
            fine = packet == text.encode(codec(source, packet)) and all(ord(c) <= made.writes.greatest for c in text)
            assert (result.error is None) == fine, packet.hex()


@pytest.mark.parametrize(("source", "target"), [
    pair for pair in PAIRS if ENCODINGS[pair[1]].greatest > 0xFFFF])
def test_a_mark_is_added_to_what_has_none(source: str, target: str) -> None:
    """Each output packet begins with a mark: its own, or an added one, as with CPython's utf-8-sig."""
    made, kept = TranscoderParameters(source, target, bom="add"), TranscoderParameters(source, target)
    one, mark = ENCODINGS[source], "\uFEFF".encode(codec(target))
    assert made.mark == mark
    assert made.mark_units * made.writes.unit_bytes == len(mark)
    for text in (b"", b"A" * 4, *one.wrong, *one.troublemakers.values(), *map(one.pack, product(one.edges)),
                 *(own * count + rest for own in one.byte_order_marks for count in (1, 2) for rest in (b"", b"A"))):
        for packet in (text, text + b"A"):
            usual, result = kept.compute(packet), made.compute(packet)
            has = any(map(packet.startswith, one.byte_order_marks))
            assert result.output == usual.output if has else result.output == mark + usual.output
            assert result.error == usual.error
            assert (sum(made.made(packet)) + made.mark_units) * made.writes.unit_bytes == len(result.output)
    if target == "utf-8":
        assert made.compute(one.pack([0x41])).output == "A".encode("utf-8-sig")


@pytest.mark.parametrize(("target", "options", "how"), [
    ("utf-8", {"errors": "drop"}, "ignore"), ("utf-8", {"replacement": 0x3F}, "stand-in"),
    ("latin-1", {"replacement": 0x1A}, "stand-in"), ("ascii", {"replacement": 0x20}, "stand-in"),
])
def test_a_byte_of_choice_against_cpython(target: str, options: dict[str, Any], how: str) -> None:
    """All sequences of up to three edge bytes, and four-byte ones with a four-byte lead. The byte order mark is kept,
    and also stripped if there is one."""
    byte = chr(options.get("replacement", 0))

    def stand_in(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError | UnicodeEncodeError)
        return byte * (error.end - error.start if isinstance(error, UnicodeEncodeError) else 1), error.end

    codecs.register_error("stand-in", stand_in)
    kept, stripped = (TranscoderParameters("utf-8", target, bom=bom, **options) for bom in ("keep", "strip"))
    edges = ENCODINGS["utf-8"].edges
    packets = [bytes(octets) for size in range(4 if target == "utf-8" else 3) for octets in product(edges, repeat=size)]
    packets += [bytes((lead, *octets)) for lead in (0xF0, 0xF4, 0xEF) for octets in product(edges[2:10], repeat=3)]
    for packet in packets:
        text = packet.decode("utf-8", how)
        marked = packet.startswith(b"\xEF\xBB\xBF")
        for made, sent in ((kept, text), *([(stripped, text[1:])] if marked else [])):
            result = made.compute(packet)
            assert result.output == sent.encode(target, how)
            assert sum(made.made(packet)) == len(result.output)
            assert target != "utf-8" or result.error == validate(packet)


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


@pytest.mark.parametrize(("made", "words"), [
    (DecoderParameters(), "decoder, 8 lanes"), (ValidatorParameters(lanes=1), "validator, 1 lane"),
    (EncoderParameters(lanes=2, errors="drop"), "encoder, 2 lanes, errors drop"),
    (DecoderParameters(64, "drop", "strip", "sparse", "compact"),
     "decoder, 64 lanes, errors drop, bom strip, packing sparse, pipeline compact"),
    (TranscoderParameters("utf-8", "utf-8", 2, "drop"), "sanitizer, 2 lanes, errors drop"),
    (SanitizerParameters(replacement=0x1A), "sanitizer, 8 lanes, replacement 1A"),
    (TranscoderParameters("utf-32le", None, 1), "transcoder from UTF-32LE to itself, 1 lane"),
])
def test_in_words(made: TranscoderParameters, words: str) -> None:
    assert f"{made}" == words
