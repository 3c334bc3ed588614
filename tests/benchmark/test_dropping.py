"""Dropping ill-formed lines: what each program keeps, and how one that does another job is named."""

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_benchmark.callers import InPython
from runewire_benchmark.line_jobs import DROPPING, PROBES, differences
from runewire_benchmark.lines import LENGTHS, LineCase, lines, measure_lines
from runewire_benchmark.native import Simdutf
from runewire_benchmark.peer_registry import ONE_BY_ONE, drop_peers
from runewire_benchmark.peers import LinePeer
from runewire_benchmark.tool import COPIES, Tool
from runewire_model import validate

NAMES = [
    "CPython, line by line", "CPython, onwards", "pyarrow, column", "pyarrow, pattern", "GNU grep", "GNU sed",
    pytest.param("ripgrep", marks=pytest.mark.needs("ripgrep")), "simdutf, line by line",
    "simdutf, blocks of 512 bytes", "simdutf, blocks of 4 KiB", "simdutf, onwards"]


@pytest.fixture(scope="module")
def there(scalar_simdutf: str) -> dict[str, LinePeer]:
    return {peer.name: peer for peer in drop_peers(Simdutf(scalar_simdutf))}


@pytest.mark.parametrize("name", NAMES)
def test_the_well_formed_lines_are_kept_and_no_others(name: str, there: dict[str, LinePeer]) -> None:
    peer = there[name]
    assert peer.available(), peer.missing
    assert differences(DROPPING, peer) == ""
    for case in [LineCase("mixed", lengths, one_in) for lengths in LENGTHS for one_in in DROPPING.shares]:
        made = lines(case, 9000)
        run = peer.timed(made)
        assert run(1).answer == run(2).answer == zlib.crc32(b"".join(filter(well_formed, made)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("made", [
    [b"\n"], [b"\xff\n"], [b"\n", b"\n", b"\xff\n"], [b"\xe2\x82\n", b"\xac\n"], [b"\x80\n"] * 7,
    [b"a\n", b"\xe2\x82\xac\n", b"\xed\xa0\x80\n", b"\n"], [b"a" * 5000 + b"\n", b"\xff" * 600 + b"\n", b"b\n"],
], ids=lambda made: b"".join(made)[:20].hex())
def test_an_error_costs_its_own_line_alone(name: str, made: list[bytes], there: dict[str, LinePeer]) -> None:
    assert there[name].answer(made) == DROPPING.answer(made)


def test_probes_are_of_both_kinds() -> None:
    assert sum(validate(line) is not None for line in PROBES.values()) == 10
    assert len(PROBES) == 17


def well_formed(line: bytes) -> bool:
    return validate(line) is None


def keeping(keep: Callable[[bytes], bool]) -> LinePeer:
    """A program that keeps some lines."""
    return LinePeer("stub", InPython(lambda lines: lambda: b"".join(filter(keep, lines)), said=zlib.crc32), ONE_BY_ONE)


def everything(line: bytes) -> bool:
    return True


@pytest.mark.parametrize(("keep", "said"), [
    (everything, "keeps ill-formed lines"),
    (lambda line: well_formed(line) or b"\xed\xa0" in line, "keeps lines with a surrogate"),
    (lambda line: well_formed(line) and not {0, 0x0D} & {*line}, "drops lines with U+0000, CR"),
])
def test_a_program_that_keeps_other_lines_is_named_for_it(keep: Callable[[bytes], bool], said: str) -> None:
    assert differences(DROPPING, keeping(well_formed)) == ""
    assert differences(DROPPING, keeping(keep)) == said


def test_dropping_bytes_is_another_job(there: dict[str, LinePeer]) -> None:
    said = differences(DROPPING, there["iconv -c"])
    assert said.startswith("changes lines with a byte that UTF-8 never has")
    found = measure_lines(DROPPING, [there["iconv -c"], keeping(everything)], [], "x", 3, 1500)
    assert found.otherwise == (("iconv -c", said), ("stub", "keeps ill-formed lines"))
    assert (found.peers, found.software, found.missing) == ((), (), ())


def test_a_tool_is_timed_by_its_processor_time() -> None:
    made = [b"a\n"] * 1000
    sample = Tool(("sh", "-c", "sleep 0.3; cat"), "").timed(made)(1)
    assert sample.answer == zlib.crc32(b"".join(made))
    assert 0 < sample.nanoseconds * COPIES < 2e8


@pytest.mark.parametrize(("said", "missing"), [
    (None, "install GNU grep"), ("grep (BSD grep) 2.6", "install GNU grep"), ("", "install GNU grep"),
    ("grep (GNU grep) 9.9", None),
])
def test_another_program_of_that_name_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, missing: str | None,
) -> None:
    if said is not None:
        program = tmp_path / "grep"
        program.write_text(f"#!/bin/sh\necho '{said}'\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    tool = Tool(("grep", "-ax", ".*"), "(GNU grep)")
    assert tool.missing == missing
    assert tool.version == (said or "")


def test_a_tool_that_treats_copies_of_a_text_differently_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="head does not keep the same of each copy of a text"):
        Tool(("head", "-n", "1"), "").timed([b"a\n", b"b\n"])(1)
