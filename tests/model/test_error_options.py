"""U+0000 that is ill-formed, a replacement for each run, and when an error is known: other oracles."""

import re
from typing import Any

import pytest
from runewire_model import ENCODINGS, ErrorKind, FirstError, ParameterError, TranscoderParameters, parameters
from runewire_model.early import known_unit, unflagged_beats, unflagged_segment_beats
from runewire_model.flow import Flow
from runewire_model.report import Sidebands
from runewire_sim.cpython_oracle import reference, reference_sidebands
from runewire_sim.stimuli import random_packets, troublemakers


def to_valid_utf8(text: bytes, replacement: bytes) -> bytes:
    """Go's ``bytes.ToValidUTF8``: each run of bytes that are no well-formed UTF-8 becomes ``replacement``, once.

    A byte is ill-formed unless it belongs to a character that CPython decodes.
    """
    found, at = bytearray(), 0
    for character in re.finditer(rb"[\0-\x7F]|[\xC2-\xF4][\x80-\xBF]{1,3}", text):
        for size in range(1, len(character[0]) + 1):
            try:
                text[character.start() : character.start() + size].decode()
            except UnicodeDecodeError:
                continue
            if character.start() > at:
                found += replacement
            found += text[character.start() : character.start() + size]
            at = character.start() + size
            break
    return bytes(found + (replacement if at < len(text) else b""))


@pytest.mark.parametrize("options", [{}, {"replacement": 0x3F}], ids=str)
def test_a_run_has_one_replacement_as_in_go(options: dict[str, Any]) -> None:
    core = parameters("sanitizer", replace_runs=True, **options)
    stand_in = bytes([options["replacement"]]) if options else "\uFFFD".encode()
    packets = [b"a\xFF\xFFb\xC0\xAFc\xE2\x82", b"\xED\xA0\x80\xED\xBF\xBF", "a☺\xE2b".encode("latin-1", "replace"),
               *troublemakers(core.reads).values(), *random_packets(core, 500, 1, 30)]
    for packet in packets:
        assert core.compute(packet).output == to_valid_utf8(packet, stand_in)
        assert sum(core.made(packet)) == len(core.compute(packet).output)


def test_the_run_s_replacement_is_in_the_place_of_its_first_part() -> None:
    core = parameters("decoder", lanes=4, replace_runs=True, count=("code-points", "replacements"))
    packet = b"a\xE2\x82\xFF\x80b\xC3"
    assert core.made(packet) == [1, 0, 1, 0, 0, 1, 1]
    found = core.compute(packet)
    assert found.output == "a\uFFFDb\uFFFD".encode("utf-32le")
    assert found.counts == {"code_points": 4, "replacements": 4}
    assert found.error == FirstError(ErrorKind.TOO_SHORT, 1)


@pytest.mark.parametrize("source", ENCODINGS)
@pytest.mark.parametrize("target", ["utf-8", "utf-16be", "latin-1", None])
def test_what_is_rejected_and_replaced_is_as_in_cpython(source: str, target: str | None) -> None:
    """The oracle marks each ill-formed part in CPython's text, U+0000 too, and joins marks by a regular expression."""
    options: list[dict[str, Any]] = [{"reject_nul": True}]
    if target is not None:
        options += [{"reject_nul": True, "errors": "drop"}, {"reject_nul": True, "replace_runs": True}]
    for each in options:
        core = TranscoderParameters(source, target, 2, **each)
        for packet in [*core.reads.wrong, *random_packets(core, 30, 2, 20)]:
            found = core.compute(packet)
            output, offset = reference(core, packet)
            assert found.output == output, packet
            assert (found.error and found.error.offset) == offset, packet


@pytest.mark.parametrize(("source", "nul"), [
    ("utf-8", b"\0"), ("utf-16le", b"\0\0"), ("utf-32be", bytes(4)), ("latin-1", b"\0"), ("ascii", b"\0")])
def test_the_kind_of_u_0000_and_its_offset(source: str, nul: bytes) -> None:
    core = TranscoderParameters(source, None, 4, reject_nul=True)
    text = "ab".encode(source)
    assert core.compute(text + nul + nul).error == FirstError(ErrorKind.NUL, 2)
    assert core.compute(text).error is None
    assert core.compute(nul[1:] + text if len(nul) == 1 else text).error is None
    assert TranscoderParameters(source, None, 4).compute(text + nul).error is None
    assert ErrorKind.NUL in core.kinds
    assert ErrorKind.NUL not in TranscoderParameters(source, None, 4).kinds


@pytest.mark.parametrize(("source", "incomplete"), [("utf-8", b"\xE2\x82"), ("utf-16le", b"\0"), ("utf-32be", b"\0\0")])
def test_u_0000_is_an_ascii_character_that_is_counted_even_if_it_is_rejected(source: str, incomplete: bytes) -> None:
    for errors in ("replace", "drop"):
        core = TranscoderParameters(source, "utf-16be", 4, errors=errors, reject_nul=True,
                                    sidebands=Sidebands(count=("ascii", "replacements")))
        packet = "\0a\0é\0".encode(source) + incomplete
        assert core.compute(packet).counts == {"ascii": 4, "replacements": 4}
        expected, _ = reference_sidebands(core, packet)
        assert expected == {"ascii": 4, "replacements": 4}


def test_u_0000_cuts_a_sequence_short() -> None:
    core = parameters("sanitizer", reject_nul=True)
    assert core.compute(b"\xE2\x82\0").error == FirstError(ErrorKind.TOO_SHORT, 0)
    assert core.compute(b"\xE2\x82\0").output == "\uFFFD\uFFFD".encode()


@pytest.mark.parametrize(("core", "options", "message"), [
    ("sanitizer", {"reject_nul": True, "replacement": 0}, "replacement=0x00 is U+0000, which reject_nul rejects"),
    ("validator", {"reject_nul": True, "records": 0}, "records=0x00 is U+0000, which reject_nul rejects"),
    ("validator", {"reject_nul": "yes"}, "reject_nul must be True or False, got 'yes'"),
    ("validator", {"early": 1}, "early must be True or False, got 1"),
    ("validator", {"early": True, "report": "none"}, "early needs a report in tuser, got report='none'"),
    ("validator", {"early": True, "report_port": "only"}, "early needs a report in tuser, got report_port='only'"),
    ("packer", {"early": True}, "the packer has no option 'early': the validator, "),
])
def test_options_that_contradict_each_other(core: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}"):
        parameters(core, **options)


@pytest.mark.parametrize("changes", [{"errors": "drop"}, {"source": "latin-1"}], ids=str)
def test_without_replacements_there_are_no_runs(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="has no option 'replace_runs'"):
        TranscoderParameters(**{"source": "utf-8", "target": "utf-16le", "replace_runs": True, **changes})




@pytest.mark.parametrize(("packet", "unit"), [
    ("41 42", None), ("41 FF", 1), ("41 80", 1), ("C3 41", 0), ("E2 82 41", 1), ("F0 9F 98", 2), ("E0 80 80 41", 2),
    ("ED A0 80", 2), ("F5 80 80 80 41", 3), ("C0 80", 1), ("41 00", 1)])
def test_an_error_is_known_with_the_last_unit_of_its_sequence(packet: str, unit: int | None) -> None:
    assert known_unit(parameters("validator", reject_nul=True), bytes.fromhex(packet)) == unit


@pytest.mark.parametrize(("core", "packet", "beats"), [
    (parameters("validator", lanes=2, early=True), "41 42 43 44 45 FF 47", 2),
    (parameters("validator", lanes=2, early=True), "41 42 43 44", 2),
    (parameters("validator", lanes=2, early=True), "", 1),
    # Three of four code points are in no row yet when the error is known.
    (parameters("decoder", lanes=4, early=True), "41 42 E2 82 AC FF 43 44", 0),
    (parameters("decoder", lanes=4, early=True), "41 42 43 44 FF", 1),
    (TranscoderParameters("utf-8", "latin-1", 2), "41 42 C3 A9 C4 80", 1),
    (TranscoderParameters("utf-16le", None, 2), "41 00 00 D8", 0),
    # An added mark fills a place of the first row, or a row of its own.
    (TranscoderParameters("utf-8", "utf-16le", 2, bom="add"), "41 42 C3 A9 FF", 2),
    (TranscoderParameters("utf-8", "utf-32le", 2, bom="add", packing="sparse"), "41 42 FF", 2),
])
def test_beats_before_the_first_one_with_the_error_bit(core: TranscoderParameters, packet: str, beats: int) -> None:
    assert unflagged_beats(core, bytes.fromhex(packet)) == beats


def test_a_packet_that_comes_in_bad_is_known_with_its_last_beat() -> None:
    core = parameters("validator", lanes=2, early=True, user=1)
    assert unflagged_beats(core, b"abcde", bad=True) == 2
    assert unflagged_beats(core, b"abcde", bad=False) == 3


@pytest.mark.parametrize(("core", "segments", "beats"), [
    # Beats before the first one with the bit, or all beats.
    (parameters("validator", lanes=2, flows=1, early=True),
     [(b"abc", 2), (b"de\xFF", 1), (b"fg", 0), (b"", 0), (b"h", 0)], [(b"ab", 1)]),
    # The C3 is carried into the segment whose first byte cuts it short: the beat has one with it.
    (parameters("validator", lanes=2, flows=1, early=True), [(b"ab\xC3", 1), (b"de", 0), (b"", 0)], []),
    # Dense output: the row with the replacement is complete with the segment's end, after a full one.
    (parameters("decoder", lanes=2, flows=1, early=True), [(b"abc", 2), (b"ab\xFF", 1), (b"ab", 0)], [(b"\xFF", 0)]),
], ids=str)
def test_later_segments_have_the_early_error_bit_from_their_first_beat(
        core: TranscoderParameters, segments: list[tuple[bytes, int]], beats: list[tuple[bytes, int]]) -> None:
    flow = Flow(core)
    for more, pieces in ((True, segments), (False, [(b"", 0)] if segments else []), (False, beats)):
        for at, (data, expected) in enumerate(pieces):
            flow.segment(data, more or at + 1 < len(pieces))
            assert unflagged_segment_beats(core, flow, len(data)) == expected


def test_the_users_bit_is_of_one_segment() -> None:
    core = parameters("validator", lanes=2, flows=1, user=1, early=True)
    flow = Flow(core)
    flow.segment(b"abcd", more=True)
    assert unflagged_segment_beats(core, flow, 4, bad=True) == 1
    flow.segment(b"abcd", more=True)
    assert unflagged_segment_beats(core, flow, 4) == 2
