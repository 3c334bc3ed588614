"""A quantity has the same value in every table, sentence and chart, and a range belongs to one program."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console
from runewire_benchmark.charts import against_lanes
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.findings import fitting, number, sentences
from runewire_benchmark.inputs import Case
from runewire_benchmark.job_tables import grid, jobs, ranges, texts
from runewire_benchmark.markdown import details, summary
from runewire_benchmark.page import render
from runewire_benchmark.quantities import match, matches, program, socket, spread
from runewire_benchmark.run import Comparison, Large, SoftwareFigure
from runewire_benchmark.table import render as table
from runewire_benchmark.table import rows
from runewire_benchmark.tasks import TASKS

Make = Callable[..., Comparison]
MakeEntry = Callable[..., Entry]


@pytest.fixture
def mixed(make_comparison: Make, make_entry: MakeEntry) -> Comparison:
    """simdutf is the fastest except on ASCII, where CPython is. Ratios over texts differ from the ratio of medians."""
    found = make_comparison(
        {
            "CPython strict": ("decode", {"ascii": (20.7, None, None), "greek": (1.0, None, None),
                                          "emoji": (1.5, None, None), "latin": (1.2, None, None)}),
            "simdutf decode": ("decode", {"ascii": (9.0, None, None), "greek": (4.0, None, None),
                                          "emoji": (2.9, None, None), "latin": (4.6, None, None)}),
            "stringzilla": ("decode", dict.fromkeys(("ascii", "greek", "emoji", "latin"), (1.1, 1.0, 0.9))),
            "simdutf encode": ("encode", {"ascii": (31.3, None, None), "greek": (5.0, None, None),
                                          "emoji": (1.1, None, None), "latin": (3.4, None, None)}),
        },
        [*(make_entry("decoder", lanes, 370) for lanes in (8, 16)), make_entry("encoder", 16, 205)])
    hardware = tuple(  # as the encoder's rates of UTF-8, which go with the text
        replace(figure, gigabytes_per_second=figure.gigabytes_per_second * (2 if figure.case.text == "greek" else 1))
        if figure.job == "encode" else figure for figure in found.hardware)
    large = Large(1 << 26, tuple(
        SoftwareFigure(Case(text, None, None), f"simdutf {job}", job, rate, rate, rate, 3)
        for job in ("decode", "encode")
        for text, rate in (("ascii", 7.0), ("greek", 3.1), ("emoji", 2.0), ("latin", 3.3))))
    return replace(found, hardware=hardware, large=large)


def test_the_ends_of_a_range_are_the_program_s_own(mixed: Comparison) -> None:
    text = " ".join(sentences(mixed, "decode"))
    assert "the fastest program, simdutf, moves **4.30 GB/s of UTF-8** on one thread on the median text " \
           "(2.90 on emoji to 9.00 on ascii), 3.20 on texts of 64 MiB." in text
    assert "CPython strict is the fastest on ascii (20.7 GB/s)." in text
    assert "Hardware does not win on ascii, CPython strict 20.7 GB/s against 5.92 of the fastest core." in text
    head, (decode, _) = ranges(mixed)
    assert dict(zip(head, decode, strict=True))["fastest text"] == "9.00 (ascii)"
    assert dict(zip(head, decode, strict=True))["an error every 64 bytes"] == "0.90 (stringzilla)"
    assert texts(mixed, "decode")[1][0][1] == "20.7 (CPython strict) / 0.90 (stringzilla)"


def test_each_end_in_a_sentence_is_of_the_program_that_it_names(mixed: Comparison) -> None:
    """In 0.2 the upper end of simdutf's range of decoding was CPython's 20.7 on ASCII."""
    named = re.compile(r"fastest [^,]+, ([^,]+), moves .*?\(([\d.]+) on (\w+) to ([\d.]+) on (\w+)\)")
    for job in ("decode", "encode"):
        found = named.search(" ".join(sentences(mixed, job)))
        assert found is not None
        peer, *ends = found.groups()
        own = {(number(figure.median), figure.case.text) for figure in mixed.software
               if figure.peer in (peer, f"{peer} {job}")}
        assert {(ends[0], ends[1]), (ends[2], ends[3])} <= own


def test_a_program_is_the_one_that_was_measured_on_most_texts(make_comparison: Make) -> None:
    found = make_comparison({"fast": ("decode", {"a": (9.0, None, None)}),
                             "each": ("decode", {"a": (1.0, None, None), "b": (2.0, None, None)})}, [])
    best = program(found, "decode")
    assert best is not None
    assert (best.peer, best.median, best.slowest, best.fastest) == ("each", 1.5, "a", "b")


def said(comparison: Comparison) -> dict[str, dict[str, set[str]]]:
    """For each job of each quantity the values that any table, sentence or chart has."""
    found: dict[str, dict[str, set[str]]] = {}
    paper = io.StringIO()
    Console(file=paper, width=4000).print(table(comparison))
    pages = [summary(comparison), details(comparison), paper.getvalue(),
             "\n".join(re.sub(r"</?(strong|span)[^>]*>", "", part)
                       for part in re.findall(r"<p[^>]*>(.*?)</p>", render(comparison)))]
    for one in matches(comparison):
        title = TASKS[one.job].title
        values = found.setdefault(one.job, {"rate": set(), "ratio": set(), "socket": set()})
        for head, body in (jobs(comparison), ranges(comparison)):
            cells = next(dict(zip(head, row, strict=True)) for row in body if row[0] == title)
            for heading, cell in cells.items():
                if heading.startswith(("software, GB/s", "median text, GB/s")):
                    values["rate"].add(cell)
                if heading == "times as fast":
                    values["ratio"].add(cell)
                if heading == "96 cores":
                    values["socket"].add(cell)
        for name, cells, _ in rows(comparison, one.job):
            if name == one.software:
                values["rate"].add(cells[0])
        chart = re.sub("<.*?>", "\n", against_lanes(comparison, one.job) or "")
        values["rate"] |= {line.removeprefix(f"{one.software} ") for line in chart.splitlines()
                           if line.startswith(f"{one.software} ")}
        for page in [" ".join(sentences(comparison, one.job)), *pages]:
            for line in page.splitlines():
                if line.startswith(f"{title}: "):
                    clean = line.split("With an error every 64")[0].replace("*", "")
                    values["rate"] |= {*re.findall(r"the fastest program, .*?, moves ([\d.]+) GB/s", clean)}
                    values["ratio"] |= {*re.findall(r"moves ([\d.]+) times as much", clean)}
                    values["socket"] |= {*re.findall(r"\(modelled\) move ([\d.]+) GB/s", clean)}
    return found


def test_a_ratio_and_a_median_have_one_value_everywhere(mixed: Comparison) -> None:
    found = said(mixed)
    assert {*found} == {"decode", "encode"}
    for job, values in found.items():
        one = match(mixed, job)
        assert one is not None
        assert values == {"rate": {number(one.rate)}, "ratio": {number(one.hardware / one.rate)},
                          "socket": {number(socket(one.rate))}}


def test_every_heading_says_which_bytes_are_counted(mixed: Comparison) -> None:
    unit = re.compile(r"GB/s of (UTF-8|input|UTF-16LE|UTF-32LE)")
    found = 0
    for head, _ in (jobs(mixed), ranges(mixed), texts(mixed, "decode")):
        for heading in head:
            if "GB/s" in heading:
                found += 1
                assert unit.search(heading), heading
    assert found == 5
    headings = re.findall(r"<th[^>]*>([^<]*GB/s[^<]*)</th>", re.sub("</?span.*?>", "", render(mixed)))
    assert len(headings) == 6  # three of the tables of jobs, two of engines, one of every measurement
    for heading in headings:
        assert unit.search(heading), heading
    assert "GB/s of UTF-8" in (against_lanes(mixed, "decode") or "")
    assert {task.rate for task in TASKS.values()} == {"GB/s of UTF-8", "GB/s of UTF-16LE", "GB/s of UTF-32LE"}


def test_a_cache_that_holds_the_long_texts_is_named(mixed: Comparison) -> None:
    assert fitting(mixed) == []
    machine = replace(mixed.machine, caches="L1 48 KiB, L2 2 MiB, L3 480 MiB")
    (sentence,) = fitting(replace(mixed, machine=machine))
    assert "480 MiB, which its cores share, holds the texts of 64 MiB, too" in sentence
    assert replace(machine, caches="").largest_cache == 0


def test_the_grid_has_lanes_for_clean_and_damaged_text(mixed: Comparison) -> None:
    head, body = grid(mixed)
    assert head == ["text", "Decoding to code points", "Encoding"]
    assert body == [["ascii", "none / 8", "none"], ["greek", "16 / 8", "16"], ["emoji", "8", "16"],
                    ["latin", "16 / 8", "none"]]


def test_spread_is_that_of_the_quartiles(mixed: Comparison) -> None:
    assert spread(mixed.software) == (pytest.approx(0.1), pytest.approx(0.1))
    assert spread([]) is None
