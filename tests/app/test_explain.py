"""``runewire explain``."""

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path

import pytest
from runewire.explain import notation, svg, terminal
from runewire.usage_errors import UsageFailure
from runewire_drawing.svg import text_width
from runewire_model import explain_bytes

EURO = """\
U+20AC  €  EURO SIGN
       ··10      000010         101100
        │          │              │
  1110 0010   10 000010      10 101100
  E2          82             AC
  lead of 3   continuation   continuation

  UTF-16LE   UTF-16BE   UTF-32LE      UTF-32BE      Latin-1   ASCII
  AC 20      20 AC      AC 20 00 00   00 00 20 AC   –         –

· a zero that fills up the code point's digits
"""
SURROGATE = """\
ED  SURROGATE at byte 0  (byte replaced by one U+FFFD)
  1110 1101
  ED
  lead of 3
  ED  ED A0 80 spells U+D800, a surrogate: U+D800..U+DFFF have no place in UTF-8.
"""


@pytest.mark.parametrize("notation", [
    "€", "U+20AC", "u+20ac", "E2 82 AC", "e2  82 ac", "0xE282AC", "e282ac", "E282AC", "0xE2 0x82 0xAC",
    "0xe2,0X82, 0xac", r"\xe2\x82\xac", r"\xE2 \x82 \xAC"])
def test_the_picture_of_a_character(notation: str, runewire) -> None:
    outcome = runewire("explain", notation)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == EURO


def test_the_picture_of_an_error(runewire) -> None:
    outcome = runewire("explain", "ED A0 80")
    assert outcome.status == 0
    assert outcome.out.startswith(SURROGATE)
    assert outcome.out.endswith("\nfirst error: SURROGATE at byte 0\n")
    assert outcome.out.count("continuation\n") == 2


def test_the_bytes_in_other_encodings(runewire) -> None:
    text = "é😀A"
    lines = runewire("explain", text).out.splitlines()
    names = [index for index, line in enumerate(lines) if "UTF-16LE" in line]
    for character, index in zip(text, names, strict=True):
        columns = [match.start() for match in re.finditer(r"\S+", lines[index])]
        told = [lines[index + 1][start:end].strip() for start, end in pairwise([*columns, None])]
        for name, octets in zip(lines[index].split(), told, strict=True):
            try:
                expected = character.encode(name).hex(" ").upper()
            except UnicodeEncodeError:
                expected = "–"
            assert octets == expected


@pytest.mark.parametrize(("argument", "text", "expected"), [
    ("a", False, b"a"), ("ab", False, b"ab"), ("ab cd", False, b"\xAB\xCD"), ("ab cd", True, b"ab cd"),
    ("0xFF", False, b"\xFF"), ("0xFF", True, b"0xFF"), ("U+41 U+1F600", False, "A😀".encode()),
    ("cafe", False, b"cafe"), ("c3a9", False, b"\xC3\xA9"), ("414243", False, b"ABC"), ("c3a9", True, b"c3a9"),
    ("41", False, b"41"), ("e282a", False, b"e282a"), ("0xE2 82", True, b"0xE2 82"), (r"\xe", True, rb"\xe"),
    (r"a\xe2", False, rb"a\xe2"), ("0x10", False, b"\x10"), ("U+", False, b"U+"),
    ("U+41", True, b"U+41"), ("U+41,U+42", False, b"AB"), ("E2, 82,AC", False, b"\xE2\x82\xAC"),
    ("E2 82 ZZ", True, b"E2 82 ZZ"), ("at 10", False, b"at 10"), ("it is 10", False, b"it is 10"),
    ("or be", False, b"or be"), ("it is 0x10", False, b"it is 0x10"), ("E2 82 text", False, b"E2 82 text"),
    ("\udcff", False, b"\xFF"), (" ", False, b" "),
])
def test_notations(argument: str, text: bool, expected: bytes) -> None:
    assert notation.read(argument, text) == expected


@pytest.mark.parametrize(("argument", "message"), [
    ("U+D800", "U+D800 is a surrogate: UTF-8 has bytes for U+0000 to U+D7FF and U+E000 to U+10FFFF"),
    ("U+41 U+110000", "U+110000 is above U+10FFFF: UTF-8 has bytes for U+0000 to U+D7FF and U+E000 to U+10FFFF"),
    ("U+FFFFFFFFFFFF",
     "U+FFFFFFFFFFFF is above U+10FFFF: UTF-8 has bytes for U+0000 to U+D7FF and U+E000 to U+10FFFF"),
    ("U+" + "F" * 5000,
     "U+FFFFFFFFFFFFFFFF… is above U+10FFFF: UTF-8 has bytes for U+0000 to U+D7FF and U+E000 to U+10FFFF"),
    ("E2 82 ZZ", "'ZZ' is no byte in hex, such as E2; for a text add --text"),
    ("E2 ZZ", "'ZZ' is no byte in hex, such as E2; for a text add --text"),
    ("E2,82,A", "'A' is no byte in hex, such as E2; for a text add --text"),
    ("10 20 3", "'3' is no byte in hex, such as E2; for a text add --text"),
    ("0xE2 82", "'82' is no byte in hex, such as 0xE2; for a text add --text"),
    ("0xE2, 0xZZ", "'0xZZ' is no byte in hex, such as 0xE2; for a text add --text"),
    (r"\xe", r"'\\xe' is no byte in hex, such as \xE2; for a text add --text"),
    ("U+20AG", "'U+20AG' is no code point in hex, such as U+20AC; for a text add --text"),
    ("U+41 B", "'B' is no code point in hex, such as U+20AC; for a text add --text"),
    ("", "nothing to explain: give a text, U+20AC, or 'E2 82 AC'"),
])
def test_what_cannot_be_explained(argument: str, message: str, runewire) -> None:
    outcome = runewire("explain", argument)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"runewire: {message}\n")
    with pytest.raises(UsageFailure):
        notation.read(argument)


@pytest.mark.parametrize(("scalar", "title"), [
    (0x41, "U+0041  A  LATIN CAPITAL LETTER A"), (0x0A, "U+000A  control character"),
    (0x301, "U+0301  ◌\u0301  COMBINING ACUTE ACCENT"), (0xE000, "U+E000  private use"),
    (0x10FFFF, "U+10FFFF  not assigned"), (0x20, "U+0020     SPACE"),
])
def test_titles(scalar: int, title: str) -> None:
    assert notation.title(scalar) == title


@pytest.mark.parametrize("data", [
    b"", b"A", "é€😀".encode(), b"\xFF", b"\xF0\x9F\x98", b"\xC0\x80A\xED\xA0\x80", b"<&>\x00\x1B", bytes(range(256))])
def test_svg_is_well_formed_and_complete(data: bytes) -> None:
    explanation = explain_bytes(data)
    root = ElementTree.fromstring(svg.draw(explanation))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    octets = [element.text for element in texts if element.get("class") == "hex"]
    assert octets == [f"{octet:02X}" for octet in data]
    digits = [element for element in texts if (element.get("class") or "").startswith("digit")]
    wide = sum(len(octet.pad + octet.bits) for piece in explanation.pieces if piece.scalar is not None
               for octet in piece.octets)
    assert len(digits) == 8 * len(data) + wide
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for element in texts:
        assert 0 <= float(element.get("x", "")) <= width
        assert 0 <= float(element.get("y", "")) <= height


def test_svg_goes_to_a_file(tmp_path: Path, runewire) -> None:
    outcome = runewire("explain", "€", "--svg", tmp_path / "euro.svg")
    assert (outcome.status, outcome.out) == (0, "")
    assert (tmp_path / "euro.svg").read_text(encoding="utf-8") == svg.draw(explain_bytes("€".encode()))


def test_a_long_name_stays_within_the_picture() -> None:
    """U+FBF9 has the longest name in its block; it once ran past the right edge."""
    root = ElementTree.fromstring(svg.draw(explain_bytes("\ufbf9".encode())))
    names = [text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.get("class") == "name"]
    assert " ".join(text.text or "" for text in names).endswith("WITH ALEF MAKSURA ISOLATED FORM")
    for text in names:
        assert float(text.get("x", "")) + text_width(text.text or "", svg.NAME) <= float(root.get("width", ""))


def test_lines_have_no_trailing_space() -> None:
    for line in terminal.lines(explain_bytes("aé€😀".encode() + b"\xFF\xED\xA0")):
        assert line.plain == line.plain.rstrip()


def test_json_says_what_the_picture_says(runewire) -> None:
    outcome = runewire("explain", "E2 82 AC ED A0 80 41", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    told = json.loads(outcome.out)
    assert told["bytes"] == "E282ACEDA08041"
    assert told["error"] == {"kind": "SURROGATE", "offset": 3}
    euro, surrogate, *_, letter = told["pieces"]
    assert euro["encodings"] == {"utf-16le": "AC20", "utf-16be": "20AC", "utf-32le": "AC200000",
                                 "utf-32be": "000020AC", "latin-1": None, "ascii": None}
    assert (euro["scalar"], euro["name"], euro["kind"], euro["offset"]) == (0x20AC, "EURO SIGN", None, 0)
    assert euro["bytes"][0] == {"offset": 0, "value": "E2", "class": "lead of 3", "marker": "1110", "padding": "00",
                                "bits": "10", "fault": None}
    assert (surrogate["scalar"], surrogate["name"], surrogate["kind"]) == (None, None, "SURROGATE")
    assert "spells U+D800" in surrogate["bytes"][0]["fault"]
    assert (letter["scalar"], letter["offset"]) == (0x41, 6)


def test_json_and_svg_do_not_go_together(runewire) -> None:
    outcome = runewire("explain", "a", "--json", "--svg", "-")
    assert (outcome.status, outcome.out, outcome.err) == (2, "", "runewire: give --json or --svg, not both\n")
