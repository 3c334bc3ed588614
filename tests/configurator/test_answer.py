"""Packets that are typed, and the golden model's answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire_configurator.answer import answer, packet
from runewire_model import ParameterError, TranscoderParameters, parameters
from runewire_model.core_options import core_words, option_words


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


@pytest.mark.parametrize("core", ["packer", "splitter", "filter"])
def test_text_for_a_core_that_moves_bytes_is_utf_8(core: str) -> None:
    typed = packet(parameters(core), r"世界\xFF", is_hex=False)
    assert typed == "世界".encode() + b"\xFF"
    assert answer(parameters(core), "世界".encode())["text"] == "世界"


def test_an_answer_has_output_report_and_the_place_of_the_error() -> None:
    core = parameters("sanitizer", count=("replacements",))
    found = answer(core, b"A\xE2\x82B\xFF")
    assert found["output"] == "41 EF BF BD 42 EF BF BD"
    assert found["text"] == "A\uFFFDB\uFFFD"
    assert found["verdict"] == ["bad", "Bad packet: TOO_SHORT at byte 1"]
    assert found["marks"] == [[1, 2]]
    assert [(field["name"], field["bits"], field["value"]) for field in found["fields"]] == [
        ("error", "0", 1), ("kind", "3:1", 2), ("offset", "35:4", 1), ("replacements", "67:36", 2)]


def test_an_offset_counts_units_and_the_place_bytes() -> None:
    found = answer(TranscoderParameters("utf-16le", "utf-8", 8), bytes.fromhex("4100 00D8 4100"))
    assert found["verdict"] == ["bad", "Bad packet: SURROGATE at unit 1"]
    assert found["marks"] == [[2, 4]]


@pytest.mark.parametrize(("core", "verdict"), [
    ("packer", ["note", "The packer moves bytes and checks none"]),
    ("splitter", ["note", "The splitter moves bytes and checks none"]),
    ("filter", ["bad", "1 of 1 record is rejected"]), ("validator", ["bad", "Bad packet: HEADER_BITS at byte 0"]),
])
def test_a_verdict_is_of_what_the_core_does(core: str, verdict: list[str]) -> None:
    assert answer(parameters(core), b"\xFF")["verdict"] == verdict
    assert answer(parameters(core), b"a")["verdict"][0] == ("good" if verdict[0] == "bad" else "note")


def test_the_records_that_a_filter_rejects_are_bad() -> None:
    found = answer(parameters("filter", longest=8), b"a\n\xFF\nb")
    assert (found["output"], found["records"], found["marks"]) == ("61 0A 62", [False, True, False], [])
    assert [(field["name"], field["value"]) for field in found["fields"]] == [("rejected", 1)]
    assert "rejects" not in found


def test_rejected_records_have_number_kind_and_offset() -> None:
    found = answer(parameters("filter", longest=8, rejects=True), b"a\nb\xFF\n123456789")
    assert found["verdict"] == ["bad", "2 of 3 records are rejected"]
    assert found["marks"] == [[3, 4]]
    assert found["rejects"] == [
        {"rejected": "62 FF 0A", "record": 1, "error": {"kind": "HEADER_BITS", "offset": 1}, "long": False},
        {"rejected": "31 32 33 34 35 36 37 38 39", "record": 2, "error": None, "long": True}]


def test_a_record_report_has_number_kind_and_offset() -> None:
    text = "ab\nc\ud800\n\udc00".encode("utf-16le", "surrogatepass")
    core = TranscoderParameters.of({"core": "transcoder", "from": "utf-16le", "to": "utf-8", "records": 0x0A,
                                    "record_report": True})
    found = answer(core, text)
    assert found["bad_records"] == [{"record": 1, "kind": "SURROGATE", "offset": 1},
                                    {"record": 2, "kind": "SURROGATE", "offset": 0}]
    assert found["marks"] == [[8, 10], [12, 14]]


def test_packets_of_records_have_their_errors_where_the_records_are() -> None:
    found = answer(parameters("validator", split=0x0A, delimiter="drop", longest=8), b"12345678\xFF\n\n\xC0")
    assert found["verdict"] == ["bad", "Bad packet: HEADER_BITS at byte 0 of packet 1"]
    assert found["marks"] == [[8, 9], [11, 12]]
    assert [(each["output"], each["record"], each["cut"]) for each in found["packets"][1:]] == [
        ("FF", 0, False), ("", 1, False), ("C0", 2, False)]
    assert found["packets"][0]["cut"]


def test_records_are_told_one_by_one() -> None:
    assert answer(parameters("validator", records=0x0A), b"a\n\xFF\nb")["records"] == [False, True, False]


LINES = b"a line\nb\xFF\n\n\xE2\x82\xAC\n\xED\xA0\x80, and a line that is too long\nlonger than sixteen\n\xE2\x82"


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize("core", [
    parameters("filter", lanes=1, longest=16, rejects=True),
    parameters("sanitizer", lanes=1, records=0x0A, record_report=True),
    parameters("validator", lanes=1, split=0x0A, longest=16),
    parameters("splitter", lanes=1, delimiter="drop", empty="drop"),
], ids=str)
def test_answers_are_those_of_the_hardware(core: TranscoderParameters, tmp_path: Path) -> None:
    """Output, packets, rejects and ill-formed records are the results of `runewire simulate`."""
    (tmp_path / "text").write_bytes(LINES)
    command = ["simulate", *core_words(core), *option_words(core.unusual), "--lanes", "1", "--simulator", "icarus"]
    assert main([*command, str(tmp_path / "text"), "--results", str(tmp_path / "results")]) == 0
    lines = [json.loads(line) for line in (tmp_path / "results").read_text().splitlines()]
    found = answer(core, LINES)

    def without(line: dict[str, Any], *names: str) -> dict[str, Any]:
        return {name: value for name, value in line.items() if name not in names}

    def in_hex(line: dict[str, Any], name: str) -> dict[str, Any]:
        return {**line, name: line[name].replace(" ", "").lower()}

    packets = [without(line, "packet") for line in lines if "output" in line]
    rejects = [without(line, "packet") for line in lines if "rejected" in line]
    assert [in_hex(each, "rejected") for each in found.get("rejects", ())] == rejects
    if core.splits:
        cut = () if core.sidebands.longest else ("cut",)
        assert [without(in_hex(each, "output"), *cut) for each in found["packets"]] == packets
        return
    (packet,) = packets
    assert found["output"].replace(" ", "").lower() == packet["output"]
    assert found.get("bad_records") == packet.get("bad_records")
    assert packet.get("records") in (None, found["records"])
