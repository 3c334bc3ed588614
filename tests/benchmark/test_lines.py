"""Jobs on lines: their cases, the correctness of every verdict, and their conclusions."""

import importlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from runewire.cli import main
from runewire_benchmark import line_report
from runewire_benchmark.callers import InPython
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.errors import Disagreement
from runewire_benchmark.line_jobs import DROPPING, LINE_JOBS, VALIDATING
from runewire_benchmark.lines import (
    LENGTHS,
    LineCase,
    LineCore,
    Lines,
    line_cases,
    line_core,
    lines,
    measure_lines,
)
from runewire_benchmark.markdown import lines_section, summary
from runewire_benchmark.native import Simdutf
from runewire_benchmark.node import Node, find_node
from runewire_benchmark.page import render
from runewire_benchmark.peer_registry import WHOLE, drop_peers, jobs_on_lines, line_peers
from runewire_benchmark.peers import LinePeer
from runewire_benchmark.run import Comparison
from runewire_benchmark.table import render as table
from runewire_model import ValidatorParameters, parameters, validate
from runewire_model.texts import generate


@pytest.fixture(autouse=True)
def short_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measurement whose figures no test reads."""
    monkeypatch.setattr("runewire_benchmark.measure.SAMPLE_NS", 10_000)
    monkeypatch.setattr("runewire_benchmark.measure.TRIAL_NS", 10_000)


def verdicts(made: list[bytes]) -> list[bool]:
    return [validate(line) is not None for line in made]


@pytest.mark.parametrize("case", list(dict.fromkeys(case for job in LINE_JOBS.values() for case in line_cases(job))),
                         ids=str)
def test_lines_are_of_their_lengths_and_so_many_are_ill_formed(case: LineCase) -> None:
    made = lines(case, 40_000)
    assert made == lines(case, 40_000)
    assert {line[-1:] for line in made} == {b"\n"}
    assert not any(b"\n" in line[:-1] for line in made)
    assert {len(line) for line in made} <= {*LENGTHS[case.lengths]}
    assert 40_000 <= sum(map(len, made)) < 60_000
    wrong = verdicts(made)
    assert sum(wrong) == (0 if case.one_in is None else len(made) // case.one_in)
    # One in each stretch of this many lines.
    if case.one_in is not None:
        assert {*Counter(number // case.one_in for number, bad in enumerate(wrong) if bad).values()} <= {1}


def test_lines_of_a_log_have_every_length_that_its_quantiles_say() -> None:
    made = lines(LineCase("ascii", "log", None), 1 << 16)
    assert {len(line) for line in made} == {*LENGTHS["log"]}


PEERS = {peer.name: peer for peer in line_peers(Node(None), Simdutf(None))}
READ_ON = [name for name, peer in PEERS.items() if peer.reads_on]


@pytest.fixture(scope="module")
def there(scalar_simdutf: str) -> dict[str, LinePeer]:
    """All of them, with a Node.js and a libsimdutf."""
    return {peer.name: peer for peer in line_peers(Node(find_node()), Simdutf(scalar_simdutf))}


@pytest.mark.parametrize("name", READ_ON)
def test_every_verdict_is_the_golden_model_s(name: str, there: dict[str, LinePeer]) -> None:
    peer = there[name]
    assert peer.available(), peer.missing
    for case in [LineCase("mixed", lengths, one_in) for lengths in LENGTHS for one_in in VALIDATING.shares]:
        made = lines(case, 9000)
        right = VALIDATING.answer(made)
        run = peer.timed(made)
        assert run(1).answer == run(2).answer == right


@pytest.mark.parametrize("name", READ_ON)
@pytest.mark.parametrize("made", [
    [b"\n"], [b"\xff\n"], [b"\xe2\x82\n", b"\xac\n"], [b"a\n", b"\xe2\x82\xac\n", b"\xed\xa0\x80\n", b"\n"],
    [b"\x80\n"] * 7, [b"\xf0\x9f\x98\x80\n", b"\xf0\x9f\x98\n", b"\xf4\x90\x80\x80\n"],
], ids=str)
def test_an_error_is_its_own_line_s(name: str, made: list[bytes], there: dict[str, LinePeer]) -> None:
    """A sequence that LF cuts short belongs to the line in which it begins; its rest belongs to the next line."""
    assert there[name].answer(made) == sum(number for number, bad in enumerate(verdicts(made), 1) if bad)


def test_polars_is_for_text_without_an_error_only() -> None:
    peer = PEERS["polars, whole"]
    assert not peer.reads_on
    assert peer.answer([b"ab\n", b"\xc3\xa9\n"]) == 0
    with pytest.raises(ValueError, match="polars does not report"):
        peer.answer([b"ab\n", b"\xff\n"])


def test_every_way_is_known_and_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNEWIRE_SIMDUTF", raising=False)
    jobs = jobs_on_lines()
    assert [job for job, _ in jobs] == list(LINE_JOBS.values())
    for (_, found), count in zip(jobs, (9, 12), strict=True):
        assert len({peer.name for peer in found}) == len(found) == count
        for peer in found:
            assert peer.way
            assert peer.version if peer.available() else peer.missing


def entry(lanes: int, clock_mhz: float, **options: Any) -> Entry:
    return Entry(parameters("validator", lanes=lanes, **options), "ecp5-85k", "Lattice LFE5U-85F", 83_640, "8",
                 fmax_mhz=clock_mhz, clock_mhz=clock_mhz, luts=100, ffs=200, latency_cycles=12, tool_versions={})


def test_the_core_is_that_with_records_or_stands_in_for_it() -> None:
    plain, slow, records = entry(64, 360), entry(64, 300, records=0x0A), entry(64, 350, records=0x0A)
    others = [entry(8, 370, records=0x0A), entry(64, 370, records=0x00), entry(64, 370, report="flag")]
    assert line_core(VALIDATING, others, "ecp5-85k") is None
    assert line_core(VALIDATING, [*others, plain], "ecp5-85k") == LineCore(plain, True, {})
    assert line_core(VALIDATING, [*others, plain, slow, records], "ecp5-85k") == LineCore(records, False, {})
    assert line_core(VALIDATING, [plain, records], "ice40-hx8k") is None


def test_the_widest_filter_of_the_datasheet_drops_lines() -> None:
    wide, narrow = (replace(entry(core.lanes, 240), parameters=core) for core in DROPPING.cores)
    assert line_core(DROPPING, [entry(64, 370, records=0x0A)], "ecp5-85k") is None
    assert line_core(DROPPING, [narrow], "ecp5-85k") == LineCore(narrow, False, {})
    assert line_core(DROPPING, [narrow, wide], "ecp5-85k") == LineCore(wide, False, {})
    peer = next(peer for peer in drop_peers(Simdutf(None)) if peer.name == "CPython, line by line")
    found = measure_lines(DROPPING, [peer], [wide], "ecp5-85k", 3, 4000)
    assert found.core is not None
    rates = {case: rate for case, rate in found.core.rates.items() if case.text == "ascii"}
    # A line of 8 bytes takes one cycle; a longer one takes one per 64 bytes.
    assert rates[LineCase("ascii", "8", None)] == pytest.approx(8 * 0.24, rel=0.02)
    assert rates[LineCase("ascii", "128", None)] == pytest.approx(64 * 0.24, rel=0.05)
    rows = {row[0]: row for row in line_report.rows(found)}
    assert rows["ascii, 8"][5] == "1.92"
    assert "moves **1.9" in " ".join(line_report.sentences(found))


def test_a_wrong_verdict_is_no_measurement() -> None:
    stub = LinePeer("stub", InPython(lambda lines: lambda: 1), WHOLE)
    with pytest.raises(Disagreement, match="stub gives another answer than the golden model on lines of ascii, 8 "):
        measure_lines(VALIDATING, [PEERS["CPython, line by line"], stub], [], "x", 3, 1500)


def test_the_core_takes_a_beat_a_cycle_whatever_the_lines_are() -> None:
    peers = [PEERS["CPython, line by line"], PEERS["polars, whole"]]
    found = measure_lines(VALIDATING, peers, [entry(64, 370, records=0x0A)], "ecp5-85k", 3, 4000)
    assert found.core is not None
    assert [*found.core.rates.values()] == pytest.approx([64 * 0.37] * 32, rel=0.02)
    assert found.core.entry.parameters == ValidatorParameters(64, records=0x0A)
    counted = Counter((figure.peer, figure.case.one_in) for figure in found.software)
    assert counted == {("CPython, line by line", None): 8, ("polars, whole", None): 8,
                       **{("CPython, line by line", one_in): 8 for one_in in (1000, 100, 10)}}


def test_a_row_has_the_fastest_software_and_the_core(make_lines: Callable[..., Lines]) -> None:
    rows = {row[0]: row[1:] for row in line_report.rows(make_lines())}
    assert len(rows) == 8
    assert rows["mixed, 8"] == ["20", "2.00", "0.80", "0.80", "0.80", "23.7", "1.18 / 11.8 / 29.6 / 29.6"]
    assert rows["ascii, 128"] == ["20", "12.8", "12.8", "12.8", "12.8", "23.7", "1.18 / 1.85 / 1.85 / 1.85"]
    assert len(line_report.headings(make_lines())) == len(rows["mixed, 8"]) + 1
    without = replace(make_lines(), core=None)
    assert [len(row) for row in line_report.rows(without)] == [len(line_report.headings(without))] * 8


def test_sentences_say_both_ways_and_what_the_core_makes_of_it(make_lines: Callable[..., Lines]) -> None:
    lines = make_lines()
    said = " ".join(line_report.sentences(lines))
    assert "the fastest software moves **20 (whole)** GB/s of UTF-8 on one thread" in said
    assert "The fastest that looks at every line alone moves 0.80 to 12.8 (each)." in said
    assert "The fastest moves 2.00 (whole) to 12.8 (each) with one line in 1000 ill-formed. It moves 0.80 to 12.8 " \
           "(each) with one line in 100" in said
    assert "64-lane validator with records (modelled) moves **23.7 GB/s** whatever the lines are. Against the " \
           "fastest software it moves 1.18 times as much where none is ill-formed. It is " \
           "**1.85 to 11.8 times** with one in 1000" in said
    assert "looks at every line alone it moves 1.85 to 29.6 times as much." in said
    assert "libsimdutf in a compiled loop, not measured here, is faster" in said
    peer = replace(lines.peers[0], name="simdutf, line by line")
    native = replace(lines, peers=(*lines.peers, peer))
    assert "compiled loop" not in " ".join(line_report.sentences(native))
    assert "No clock" not in said


def test_a_clock_that_is_not_of_this_core_is_marked(make_lines: Callable[..., Lines]) -> None:
    lines = make_lines(stand_in=True)
    assert line_report.sentences(lines)[-1] == \
        "‡ No clock is measured of it on ecp5-85k: that of the 64-lane validator is taken."
    assert "core ‡" in line_report.headings(lines)


def test_hardware_that_loses_is_said_so(make_lines: Callable[..., Lines]) -> None:
    said = " ".join(line_report.sentences(make_lines(clock_mhz=37)))
    assert "0.12 times as much where none is ill-formed" in said


def test_lines_are_in_table_markdown_page_and_json(usual: Comparison, make_lines: Callable[..., Lines]) -> None:
    lines, dropping = make_lines(), make_lines(job=DROPPING)
    found = replace(usual, lines=(lines, dropping))
    console = Console(width=140)
    with console.capture() as shown:
        console.print(table(found))
    page = render(found)
    for said in (shown.get(), lines_section(lines), re.sub("<.*?>", "", page)):
        assert "Validating each line" in said
        assert "1.18 / 11.8 / 29.6 / 29.6" in said
    for said in (shown.get(), lines_section(lines), re.sub("<.*?>", "", page)):
        assert "Validating each line, not measured: libsimdutf (install it)." in said
    for text in (shown.get(), lines_section(dropping), re.sub("<.*?>", "", page)):
        said = " ".join(text.split())
        assert "1.18 / 29.6 / 29.6" in said
        assert "Dropping ill-formed lines, not timed: iconv -c, which changes ill-formed lines." in said
        assert "with one line in 2 ill-formed" in said
    for title in ("Validating each line", "Dropping ill-formed lines"):
        assert f"{title}: every measurement" in page
    assert "each: a call a line." in page
    assert Comparison.from_json(json.loads(json.dumps(found.as_json()))) == found
    assert "Validating each line" not in summary(usual) + render(usual)


@pytest.mark.slow
def test_the_command_measures_lines_when_it_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(importlib.import_module("runewire.commands.compare"), "TEXT_BYTES", 1 << 14)
    text, figures, page = tmp_path / "a.txt", tmp_path / "figures.json", tmp_path / "page.html"
    text.write_bytes(generate("latin", 2000))
    asked = ["compare", str(text), "--size", "1500", "--repeat", "3", "--json", str(figures)]
    assert main(asked) == 0
    assert json.loads(figures.read_bytes())["lines"] == {}
    assert main([*asked, "--lines", "--html", str(page)]) == 0
    said = capsys.readouterr().out
    found = json.loads(figures.read_bytes())["lines"]
    assert found.keys() == LINE_JOBS.keys()
    for job, names in ((VALIDATING, {"CPython, line by line", "pyarrow", "Node.js, halves"}),
                       (DROPPING, {"CPython, line by line", "pyarrow, pattern", "GNU grep"})):
        assert job.title in said
        assert {peer["name"] for peer in found[job.name]["peers"]} >= names
        assert all(rate["gigabytes_per_second"] > 0 for rate in found[job.name]["core"]["rates"])
        assert f"{job.title}: every measurement" in page.read_text(encoding="utf-8")
