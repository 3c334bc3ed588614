"""The parameters of cores: their checks, their texts and records."""

import dataclasses
import json
import re
from itertools import product
from typing import Any

import pytest
import runewire_model
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ParameterError,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
)
from runewire_model.encodings import ENCODINGS
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
    message = ("core must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, got 'parser': "
               "did you mean 'packer'?")
    for refuse in (parameters, widths):
        with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
            refuse("parser")


ENCODER_PORTS = (", and for its ports report, offset_bits, report_port, count, records, user, id, dest, null_bytes, "
                 "flows, early, record_report")
PORTS = ENCODER_PORTS.replace("flows", "split, delimiter, longest, empty, flows")


@pytest.mark.parametrize(("core", "option", "known"), [
    ("decoder", "width", "lanes, errors, bom, packing, pipeline, family, reject_nul, replace_runs"),
    ("encoder", "width", "lanes, errors, pipeline, family, reject_nul, replace_runs"),
    ("sanitizer", "width", "lanes, errors, replacement, bom, packing, pipeline, family, reject_nul, replace_runs"),
])
def test_an_option_that_no_core_has(core: str, option: str, known: str) -> None:
    ports = ENCODER_PORTS if core == "encoder" else PORTS
    message = f"the {core} has no option '{option}', it has {known}{ports}"
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        parameters(core, **{option: "x"})


@pytest.mark.parametrize(("core", "option", "having"), [
    ("validator", "bom", "the decoder, sanitizer and transcoder have it"),
    ("encoder", "packing", "the decoder, sanitizer and transcoder have it"),
    # The most similar option of its own, replace_runs, is another thing.
    ("encoder", "replacement", "the sanitizer and transcoder have it"),
    ("decoder", "rejects", "the filter has it"),
])
def test_an_option_that_other_cores_have(core: str, option: str, having: str) -> None:
    with pytest.raises(ParameterError, match=f"^the {core} has no option '{option}': {having}$"):
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
    ({}, "core must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, got None"),
    ({"core": "parser"},
     "core must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, got 'parser': "
     "did you mean 'packer'?"),
    ({"core": "validator", "from": "utf-8"}, "the validator has no option 'from': the transcoder has it"),
    ({"core": "encoder", "bom": "strip"},
     "the encoder has no option 'bom': the decoder, sanitizer and transcoder have it"),
    ({"core": "transcoder", "from": "utf-8", "to": "utf-8", "source": "utf-8"},
     "the transcoder has no option 'source', it has from, to, lanes, errors, bom, packing, pipeline, "
     f"family, replacement, reject_nul, replace_runs{PORTS}"),
    ({"core": "transcoder", "to": "utf-8"}, f"source must be one of {', '.join(ENCODINGS)}, got None"),
    ({"core": "transcoder", "from": "utf-8", "to": "utf-7"},
     f"target must be one of {', '.join(ENCODINGS)}, got 'utf-7': did you mean 'utf-8'?"),
])
def test_a_record_that_is_none(record: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        TranscoderParameters.of(record)


@pytest.mark.parametrize(("source", "target", "option", "value", "known"), [
    ("utf-8", None, "errors", "drop", "lanes, pipeline, family, reject_nul"),
    ("utf-8", None, "bom", "strip", "lanes, pipeline, family, reject_nul"),
    ("utf-8", None, "packing", "sparse", "lanes, pipeline, family, reject_nul"),
    ("utf-32le", None, "bom", "strip", "lanes, pipeline, family, reject_nul"),
    ("utf-8", "utf-8", "packing", "sparse",
     "lanes, errors, replacement, bom, pipeline, family, reject_nul, replace_runs"),
    ("utf-8", "utf-16le", "replacement", 0x3F,
     "lanes, errors, bom, packing, pipeline, family, reject_nul, replace_runs"),
    ("utf-32le", "utf-8", "replacement", 0x3F, "lanes, errors, bom, pipeline, family, reject_nul, replace_runs"),
    ("utf-8", None, "replacement", 0x3F, "lanes, pipeline, family, reject_nul"),
    ("latin-1", "latin-1", "replacement", 0x1A, "lanes, packing, pipeline, family, reject_nul"),
    ("utf-32le", "utf-8", "packing", "sparse", "lanes, errors, bom, pipeline, family, reject_nul, replace_runs"),
    ("latin-1", "utf-8", "errors", "drop", "lanes, bom, pipeline, family, reject_nul"),
    ("utf-16", None, "bom", "add", "lanes, pipeline, family, reject_nul"),
    ("latin-1", "latin-1", "errors", "drop", "lanes, packing, pipeline, family, reject_nul"),
    ("latin-1", "ascii", "bom", "strip", "lanes, errors, replacement, packing, pipeline, family, reject_nul"),
    ("latin-1", "ascii", "bom", "add", "lanes, errors, replacement, packing, pipeline, family, reject_nul"),
    ("ascii", "utf-8", "packing", "sparse", "lanes, errors, bom, pipeline, family, reject_nul, replace_runs"),
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
    assert str(found.value).endswith(f"pipeline, family, reject_nul, replace_runs{advice}")


def test_an_option_that_was_meant() -> None:
    with pytest.raises(ParameterError, match=r"early, record_report: did you mean 'lanes'\?$"):
        parameters("decoder", lane=8)


@pytest.mark.parametrize("spelled", ["UTF-16LE", "utf16le", "Utf_16le", "UTF_16_LE", "utf-16-le"])
def test_encodings_in_other_spellings(spelled: str) -> None:
    assert TranscoderParameters(spelled, "UTF8", 4) == TranscoderParameters("utf-16le", "utf-8", 4)
    assert TranscoderParameters.of({"core": "transcoder", "from": spelled, "to": None}).source == "utf-16le"


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
