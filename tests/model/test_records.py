"""Records inside a packet."""

from dataclasses import replace
from typing import Any

import pytest
from runewire_model import ENCODINGS, ErrorKind, ParameterError, TranscoderParameters, parameters
from runewire_model.moved_records import record_flags
from runewire_model.records import BadRecord, bad_records, ill_formed_records, split_records
from runewire_model.report import Sidebands


@pytest.mark.parametrize(("packet", "records"), [
    (b"", []), (b"a\n", [b"a\n"]), (b"a\nb", [b"a\n", b"b"]), (b"\n\n", [b"\n", b"\n"]), (b"ab", [b"ab"]),
])
def test_a_delimiter_is_part_of_the_record_that_it_ends(packet: bytes, records: list[bytes]) -> None:
    assert list(split_records(packet, 0x0A)) == records


@pytest.mark.parametrize(("packet", "wrong"), [
    (b"\xE2\x82\x0A", (True,)), (b"\xE2\x82\x0A\x82", (True, True)), (b"ok\n\xFF", (False, True)), (b"", ()),
    ("€\n€".encode(), (False, False)), (b"a\xC3\n\nb", (True, False, False)),
])
def test_a_record_is_ill_formed_where_a_subpart_begins_in_it(packet: bytes, wrong: tuple[bool, ...]) -> None:
    assert ill_formed_records(ENCODINGS["utf-8"], packet, 0x0A) == wrong


def test_the_golden_answer_has_records_and_counts() -> None:
    core = parameters("validator", records=0x0A, count=["records", "bad-records", "code-points", "utf16-units",
                                                        "replacements", "bytes"])
    result = core.compute("a\n😀\n".encode() + b"\xE2\x82")
    assert result.records == (False, False, True)
    assert result.counts == {"records": 3, "bad_records": 1, "code_points": 5, "utf16_units": 6, "replacements": 1,
                             "bytes": 9}


@pytest.mark.parametrize(("source", "target", "options", "packet", "flags", "tail"), [
    ("utf-8", "utf-16le", {}, "41 0A E2 82 0A 42", "00 00 00 01 00 00 00 03 00 00", 1),
    ("utf-8", "utf-8", {"errors": "drop"}, "FF 0A FF", "03", 3), ("utf-8", "utf-8", {}, "", "", 0),
    ("utf-8", "utf-16be", {"bom": "add"}, "EF BB BF 0A EF BB BF 0A", "00 00 00 01 00 00 00 01", 0),
    ("utf-8", "utf-8", {"replacement": 0x0A}, "FF 0A FF 0A", "00 03 00 03", 0),
    ("utf-8", "latin-1", {}, "C3 A9 0A E2 82 AC 0A", "00 01 00 03", 0),
    ("utf-16", "utf-8", {"bom": "strip"}, "FF FE 0A 00 FF FE 0A 00 00 0A", "01 00 00 00 01 00 00 00", 1),
    ("utf-32le", "ascii", {"errors": "drop"}, "0A 00 00 00 E9 00 00 00 0A", "01", 3),
])
def test_flags_travel_with_what_their_delimiter_becomes(
    source: str, target: str, options: dict[str, Any], packet: str, flags: str, tail: int,
) -> None:
    core = TranscoderParameters(source, target, 1, **options, sidebands=Sidebands(records=0x0A))
    content = bytes.fromhex(packet)
    assert record_flags(core, content) == (bytes.fromhex(flags), tail)
    assert len(core.compute(content).output) == len(bytes.fromhex(flags))


def test_cores_whose_output_is_another_text_have_flags_of_a_last_record() -> None:
    with_flags = TranscoderParameters("utf-8", "utf-8", 2, sidebands=Sidebands(records=0x0A, report="none", user=3))
    assert [(field.name, field.lsb) for field in with_flags.sidebands.last_beat] == [
        ("user", 0), ("tail", 3), ("tail_bad", 4)]
    assert with_flags.sidebands.user_bits(2) == 9
    assert "tail" not in with_flags.sidebands.unusual
    for core in (replace(with_flags, sidebands=Sidebands(user=3)), parameters("validator", records=0x0A)):
        assert not core.sidebands.tail


def test_a_character_that_the_target_lacks_makes_its_record_ill_formed() -> None:
    core = TranscoderParameters("utf-8", "latin-1", 2, sidebands=Sidebands(records=0x0A, record_report=True))
    result = core.compute("é\na€\n".encode() + b"\xE2\x82\n")
    assert result.records == (False, True, True)
    assert result.bad_records == (BadRecord(1, ErrorKind.TOO_LARGE, 1), BadRecord(2, ErrorKind.TOO_SHORT, 0))


@pytest.mark.parametrize(("encoding", "packet", "records"), [
    # 0A00 over the border of two units is no delimiter.
    ("utf-16le", "000A 0A00 4100", ["000A 0A00", "4100"]), ("utf-16be", "0A0A 000A 00", ["0A0A 000A", "00"]),
    ("utf-16", "FFFE 0A00 000A", ["FFFE 0A00", "000A"]), ("utf-16", "000A 0A00", ["000A", "0A00"]),
    ("utf-32le", "0A000000 410000", ["0A000000", "410000"]), ("utf-32be", "00000A00 0000000A", ["00000A00 0000000A"]),
])
def test_a_delimiter_is_a_unit(encoding: str, packet: str, records: list[str]) -> None:
    found = split_records(bytes.fromhex(packet), 0x0A, ENCODINGS[encoding])
    assert list(found) == [bytes.fromhex(record) for record in records]


@pytest.mark.parametrize(("encoding", "packet", "found"), [
    ("utf-16le", "3DD8 0A00 02DE 0A00 41", [(0, "SURROGATE", 0), (1, "SURROGATE", 0), (2, "TOO_SHORT", 0)]),
    ("utf-16", "FFFE 4100 0A00 00D8", [(1, "SURROGATE", 0)]), ("utf-32", "0000000A 00110000", [(1, "TOO_LARGE", 0)]),
    ("utf-16le", "0A00 4100 3DD8 02", [(1, "TOO_SHORT", 1)]),
])
def test_records_of_units_are_judged_in_their_packets_byte_order(
    encoding: str, packet: str, found: list[tuple[int, str, int]],
) -> None:
    expected = tuple(BadRecord(number, ErrorKind[kind], offset) for number, kind, offset in found)
    assert bad_records(ENCODINGS[encoding], bytes.fromhex(packet), 0x0A) == expected


def test_u_0000_is_rejected_in_the_byte_order_of_the_packet() -> None:
    packet = bytes.fromhex("FFFE 0A00 4100 0000")
    core = TranscoderParameters("utf-16", None, 2, reject_nul=True, sidebands=Sidebands(records=0x0A))
    assert core.compute(packet).records == (False, True)


@pytest.mark.parametrize(("packet", "found"), [
    (b"", []), (b"ok\n", []), (b"ok\n\xE2\x82\na\xFF\xFF", [(1, "TOO_SHORT", 0), (2, "HEADER_BITS", 1)]),
    (b"\xE2\n\x82\n", [(0, "TOO_SHORT", 0), (1, "TOO_LONG", 0)]), (b"\n\nab\xC0\x80", [(2, "OVERLONG", 2)]),
])
def test_each_ill_formed_record_has_its_first_error(packet: bytes, found: list[tuple[int, str, int]]) -> None:
    expected = tuple(BadRecord(number, ErrorKind[kind], offset) for number, kind, offset in found)
    assert bad_records(ENCODINGS["utf-8"], packet, 0x0A) == expected
    assert parameters("validator", records=0x0A, record_report=True).compute(packet).bad_records == expected
    assert parameters("validator", records=0x0A).compute(packet).bad_records == ()


def test_a_record_and_its_packet_are_one_beat() -> None:
    side = Sidebands(records=0x0A, record_report=True, offset_bits=17)
    assert [(field.name, field.lsb, field.width) for field in side.record_beat] == [
        ("record", 0, 17), ("offset", 17, 17), ("packet", 34, 16), ("kind", 56, 3)]
    assert side.record_bytes == 8
    for packet, record in ((3, BadRecord(2, ErrorKind.TOO_LONG, 77)), (65535, BadRecord(131071, ErrorKind.NUL, 0))):
        assert side.unpack_record(side.pack_record(packet, record)) == (packet, record)
    beat = side.pack_record(65536, BadRecord(1 << 20, ErrorKind.TOO_SHORT, 1 << 20))
    assert side.unpack_record(beat) == (0, BadRecord(131071, ErrorKind.TOO_SHORT, 131071))
    with pytest.raises(ValueError, match="0 is not a valid ErrorKind"):
        side.unpack_record(0)
    assert Sidebands(records=0x0A).record_bytes == 0


@pytest.mark.parametrize(("options", "message"), [
    ({"record_report": True}, "record_report needs records, such as records=0x0A"),
    ({"record_report": 1, "records": 10}, "record_report must be True or False, got 1"),
    ({"record_report": True, "records": 10, "split": 10}, "record_report does not go with split=0x0A"),
    ({"record_report": True, "records": 10, "pipeline": "compact"},
     "record_report does not go with pipeline='compact': fast and balanced have it"),
])
def test_options_that_do_not_go_with_a_record_report(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        parameters("validator", **options)
    assert str(error.value) == message
