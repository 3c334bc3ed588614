import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from runewire_benchmark.charts import against_lanes, by_text, core_kind, picture
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.findings import headline, sentences, tally
from runewire_benchmark.page import render
from runewire_benchmark.run import Comparison, Missing
from runewire_model import TranscoderParameters

SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


def test_page_begins_with_the_answer(usual: Comparison) -> None:
    page = render(usual)
    assert re.sub("<.*?>", "", page[page.index("<h1>") : page.index("</h1>")]) == headline(usual)
    lead = page.index('<p class="lead">')
    assert page.index("<h1>") < lead < page.index("<h2>")
    begins = re.sub("</?span.*?>", "", page[lead : page.index("<h2>")])
    for sentence in tally(usual):
        assert re.sub(r"\*\*(.*?)\*\*", r"<strong>\1</strong>", sentence) in begins


def test_the_grid_and_the_table_come_before_each_job_in_words(usual: Comparison) -> None:
    page = render(usual)
    words = page.index("<summary>Each job in words</summary>")
    assert page.index('<table class="heat">') < page.index('<table class="jobs">') < words
    assert re.sub(r"\*\*(.*?)\*\*", r"<strong>\1</strong>", sentences(usual, "encode")[0]) \
        in re.sub("</?span.*?>", "", page[words:])


def test_page_stands_on_its_own(usual: Comparison) -> None:
    page = render(usual)
    assert "http" not in page
    assert "<script" not in page
    assert not re.search(r"(src|@import|url\()", page)
    assert re.findall(r'href="(.*?)"', page) == ["data:,"]
    assert "prefers-color-scheme: dark" in page


def test_machine_and_tools_are_named(usual: Comparison) -> None:
    page = render(usual)
    assert "Fast Processor 9000" in page
    assert "nextpnr-ecp5 0.11" in page
    assert "modelled" in page


def test_widths_without_a_clock_are_named(usual: Comparison) -> None:
    assert "no measured clock on ecp5-85k (lanes): validator 2, 4, 16, 32, 128, 256; dense decoder" in render(usual)
    assert "<code>runewire sweep</code> measures them." in render(usual)


def test_charts_are_well_formed_and_for_every_job(usual: Comparison) -> None:
    charts = SVG.findall(render(usual))
    assert len(charts) == 6
    for chart in charts:
        assert ElementTree.fromstring(chart).get("aria-label")


def test_names_are_escaped_everywhere(make_comparison: Callable[..., Comparison]) -> None:
    name = '<b>&"x'
    found = make_comparison({"CPython strict": ("decode", {name: (1, None, None), "y": (2, None, None)})}, [])
    found = Comparison(**{**vars(found), "missing": (Missing("<i>", "a & b"),)})
    page = render(found)
    assert name not in page
    assert "<i>" not in page
    for chart in SVG.findall(page):
        ElementTree.fromstring(chart)


def test_break_even_table_holds_lanes_or_a_dash(usual: Comparison) -> None:
    page = render(usual)
    table = page[page.index('class="heat"') : page.index("</table>", page.index('class="heat"'))]
    rows = {
        re.search(r"<th[^>]*>(.*?)</th>", row)[1]: re.findall(r"<td[^>]*>(.*?)</td>", row)  # type: ignore[index]
        for row in re.findall(r"<tr>(?=<th title).*?</tr>", table)
    }
    assert rows == {
        "ascii": ["–", "16", "8", "–", "–", "–", "–"],
        "greek": ["4", "4", "2", "64", "64", "64", "4"],
        "emoji": ["8", "4", "2", "64", "64", "64", "4"],
    }


def test_lanes_chart_has_the_cores_where_they_are(
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry]
) -> None:
    cores = [make_entry("decoder", lanes, 1000 / lanes * rate) for lanes, rate in ((1, 1), (2, 2), (4, 8))]
    found = make_comparison({"CPython replace": ("decode", {"a": (4, 4, 2)})}, cores)
    chart = against_lanes(found, "decode")
    assert chart is not None
    picture = ElementTree.fromstring(chart)
    dots = [(float(dot.get("cx", "0")), float(dot.get("cy", "0"))) for dot in picture.iter("circle")]
    steps = [b[0] - a[0] for a, b in itertools.pairwise(dots)]
    rises = [a[1] - b[1] for a, b in itertools.pairwise(dots)]
    assert steps[0] == pytest.approx(steps[1], abs=0.2)
    assert rises[1] == pytest.approx(2 * rises[0], abs=0.3)
    levels = {line.get("class"): float(line.get("d", "").split()[-1]) for line in picture.iter("path")}
    assert levels["line level replace"] == pytest.approx(dots[2][1] + rises[0], abs=0.3)
    assert levels["line level broken replace"] == pytest.approx(dots[1][1], abs=0.3)


def test_levels_and_cores_are_labelled_with_their_names(
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry]
) -> None:
    """Regression: a level on damaged text said "with errors" alone, and a validator of UTF-16 was a transcoder."""
    found = make_comparison({"simdutf loop decode": ("decode", {"a": (None, 4, 2)}),
                             "CPython replace": ("decode", {"a": (4, 3, 1)}),
                             "numpy check utf-16le": ("check utf-16le", {"a": (4, None, None)})},
                            [make_entry("decoder", 4, 300)])
    chart = against_lanes(found, "decode")
    assert chart is not None
    labels = [text.text for text in ElementTree.fromstring(chart).iter("text") if "label" in text.get("class", "")]
    assert labels == ["simdutf loop, errors 2.00", "CPython replace 4.00", "CPython, errors 1.00", "dense 1.20"]
    entry = make_entry("decoder", 4, 300)
    assert core_kind(replace(entry, parameters=TranscoderParameters("utf-16le", None, 4))) == "validator"


def test_text_chart_has_a_dot_for_each_figure(usual: Comparison) -> None:
    chart = by_text(usual, "decode")
    assert chart is not None
    picture = ElementTree.fromstring(chart)
    dots = [dot.get("class", "") for dot in picture.iter("circle")]
    assert sorted(dots) == ["dot cpython"] * 3 + ["dot hollow replace"] * 3 + ["dot replace"] * 3
    lines = [line.get("class", "") for line in picture.iter("path")]
    assert [line for line in lines if "width" in line] == ["line width dense"] * 4 + ["line width sparse"]


def test_picture_stands_on_its_own(usual: Comparison) -> None:
    drawn = picture(usual)
    assert drawn is not None
    root = ElementTree.fromstring(drawn)
    space = "{http://www.w3.org/2000/svg}"
    assert [chart.get("aria-label") for chart in root.findall(f"{space}svg")] == [
        "GB/s of UTF-8 against lanes, decode", "GB/s of UTF-8 against lanes, validate"]
    assert "prefers-color-scheme: dark" in (root.findtext(f"{space}style") or "")
    assert drawn.count("http") == 1
    assert "Dots: cores on ecp5-85k, modelled." in [text.text for text in root.findall(f"{space}text")]


def test_jobs_that_nobody_does_have_no_chart(make_comparison: Callable[..., Comparison]) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (1, None, None)})}, [])
    assert against_lanes(found, "decode") is None
    assert by_text(found, "encode") is None
    assert picture(found) is None
    assert len(SVG.findall(render(found))) == 1
