"""Output is readable in any encoding, also if standard streams are closed."""

import os
import sys
from pathlib import Path

import pytest
from runewire.commands import COMMANDS

ENCODINGS = ("ascii", "latin-1", "cp1252", "cp437", "koi8-r", "shift_jis", "utf-16", "utf-8")
"""Encodings of terminals and files that lack some or all of the characters that the command prints."""
EURO = """\
U+20AC  \\u20ac  EURO SIGN
       ..10      000010         101100
        |          |              |
  1110 0010   10 000010      10 101100
  E2          82             AC
  lead of 3   continuation   continuation

  UTF-16LE   UTF-16BE   UTF-32LE      UTF-32BE      Latin-1   ASCII
  AC 20      20 AC      AC 20 00 00   00 00 20 AC   -         -

. a zero that fills up the code point's digits
"""


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_help_can_be_read_in_every_encoding(command: str, encoding: str, printed) -> None:
    status, shown = printed(encoding, *command.split(), "--help")
    assert status == 0
    assert f"Usage: runewire {command}".strip() in shown
    assert "Examples:" in shown
    assert "\\u" not in shown
    assert "?" not in shown.replace("U+FFFD or ?", "")


def test_a_picture_in_ascii(printed) -> None:
    assert printed("ascii", "explain", "€") == (0, EURO)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", ["€", "é😀 ◌́", "\udcff", "FF", "C3 28 F0 9F"])
def test_every_picture_can_be_printed_in_every_encoding(text: str, encoding: str, printed) -> None:
    status, shown = printed(encoding, "explain", text)
    assert status == 0
    assert "UTF-16LE" in shown or "first error" in shown


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_tables_and_sentences_can_be_read_in_every_encoding(encoding: str, printed, tmp_path: Path) -> None:
    status, shown = printed(encoding, "plan", "--rate", "400G", "--core", "validator")
    assert status == 0
    assert ("×" in shown) != (" x " in shown)
    assert "64 " in shown
    (tmp_path / "text").write_text("é€")
    status, shown = printed(encoding, "simulate", "validator", tmp_path / "text", "--lanes", 1,
                            "--simulator", "amaranth")
    assert status == 0
    assert "hardware and model agree" in shown


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_mistakes_can_be_read_in_every_encoding(encoding: str, printed) -> None:
    for arguments, message in ((["compare"], "give the texts as FILE"), (["generate", "é€"], "CORE must be one of")):
        status, shown = printed(encoding, *arguments, *(["-o", "x"] if arguments[0] == "generate" else []))
        assert status == 2
        assert message in shown
        assert shown.startswith("runewire: ")


def test_the_handler_of_errors_that_a_user_asks_for_stays(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-m", "runewire.cli", "explain", "€"],
                        {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii:replace"})
    assert status == 0
    assert capfdbinary.readouterr().out.startswith(b"U+20AC  ?  EURO SIGN\n")


@pytest.mark.parametrize(("encoding", "expected"), [("latin-1", b"(default)"), ("ascii", b"NAME,...")])
def test_the_help_of_a_process_in_another_encoding(encoding: str, expected: bytes,
                                                   capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    status = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-m", "runewire.cli", "generate", "-h"],
                        {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": encoding})
    found = capfdbinary.readouterr()
    assert (status, found.err) == (0, b"")
    assert expected in found.out


def test_a_file_s_name_that_is_no_text_is_printed_as_it_is(tmp_path: Path, spawn) -> None:
    folder = os.fsencode(tmp_path) + b"/\xFF"
    process = spawn("generate", "validator", "--lanes", "1", "-o", os.fsdecode(folder))
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, b"")
    assert out.splitlines()[0] == folder + b"/runewire_validator_x1.v"


@pytest.mark.parametrize("arguments", [["generate", "decodr", "-o", "x"], ["nothing"], ["plan", "--rate", "1"]],
                         ids=lambda words: words[0])
@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
def test_a_message_that_nobody_reads_is_no_trouble(arguments: list[str], redirected: str, tmp_path: Path) -> None:
    command = " ".join([sys.executable, "-m", "runewire.cli", *arguments, redirected])
    status = os.spawnve(os.P_WAIT, "/bin/sh", ["sh", "-c", f"cd {tmp_path} && {command} >out"],
                        {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert status == 2
    assert (tmp_path / "out").read_bytes() == b""
