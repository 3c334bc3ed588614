"""Packets that are typed, and the golden model's answer."""

import pytest
from runewire_configurator.answer import answer, packet
from runewire_model import ParameterError, TranscoderParameters, parameters


@pytest.mark.parametrize(("core", "text", "is_hex", "content"), [
    ("utf-8", "€", False, "E2 82 AC"), ("utf-8", r"a\xE2\x82", False, "61 E2 82"), ("utf-16be", "€", False, "20 AC"),
    ("utf-32le", "\U0001F600", False, "00 F6 01 00"), ("latin-1", "é", False, "E9"), ("utf-8", "", False, ""),
    ("utf-8", "\ud83d", False, "EF BF BD"), ("utf-8", "E2 82 ac", True, "E2 82 AC"), ("utf-8", "", True, ""),
    ("utf-8", "0xE2,0x82\n", True, "E2 82"), ("utf-8", r"\xE282", True, "E2 82"),
])
def test_what_is_typed_is_a_packet(core: str, text: str, is_hex: bool, content: str) -> None:
    assert packet(TranscoderParameters(core, None), text, is_hex=is_hex).hex(" ").upper() == content


@pytest.mark.parametrize(("core", "text", "is_hex", "problem"), [
    ("utf-8", "E2 8G", True, "'G' is no hex digit"), ("utf-8", "E2 8", True, "an odd number of hex digits, 3"),
    ("latin-1", "a€", False, r"Latin-1 has no € \(U\+20AC\)"),
])
def test_what_is_no_packet_has_a_reason(core: str, text: str, is_hex: bool, problem: str) -> None:
    with pytest.raises(ParameterError, match=f"^{problem}$"):
        packet(TranscoderParameters(core, None), text, is_hex=is_hex)


def test_an_answer_has_output_report_and_the_place_of_the_error() -> None:
    core = parameters("sanitizer", count=("replacements",))
    found = answer(core, b"A\xE2\x82B\xFF")
    assert found["output"] == "41 EF BF BD 42 EF BF BD"
    assert found["text"] == "A\uFFFDB\uFFFD"
    assert found["error"] == {"kind": "TOO_SHORT", "offset": 1, "unit": "byte", "at": 1, "unit_bytes": 1}
    assert [(field["name"], field["bits"], field["value"]) for field in found["fields"]] == [
        ("error", "0", 1), ("kind", "3:1", 2), ("offset", "35:4", 1), ("replacements", "67:36", 2)]


def test_an_offset_counts_units_and_the_place_bytes() -> None:
    found = answer(TranscoderParameters("utf-16le", "utf-8", 8), bytes.fromhex("4100 00D8 4100"))
    assert found["error"] == {"kind": "SURROGATE", "offset": 1, "unit": "unit", "at": 2, "unit_bytes": 2}


def test_the_packer_checks_nothing() -> None:
    assert [answer(parameters(core), b"\xFF")["checked"] for core in ("packer", "validator")] == [False, True]


def test_the_records_that_a_filter_rejects_are_bad() -> None:
    found = answer(parameters("filter", longest=8), b"a\n\xFF\nb")
    assert (found["output"], found["records"]) == ("61 0A 62", [False, True, False])
    assert [(field["name"], field["value"]) for field in found["fields"]] == [("rejected", 1)]


def test_records_are_told_one_by_one() -> None:
    assert answer(parameters("validator", records=0x0A), b"a\n\xFF\nb")["records"] == [False, True, False]
