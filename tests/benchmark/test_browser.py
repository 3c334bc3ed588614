"""The page in a real browser."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.line_jobs import DROPPING
from runewire_benchmark.lines import Lines
from runewire_benchmark.page import render
from runewire_benchmark.run import Comparison


@pytest.fixture(params=["usual", "all columns", "long names", "software alone", "one text", "lines"])
def page(
    request: pytest.FixtureRequest, tmp_path: Path, usual: Comparison,
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry], make_lines: Callable[..., Lines],
) -> Path:
    long = "lipsum-WITH-quite-a-long-name-that-has-no-place-to-break.txt"
    cores = [make_entry("decoder", lanes, 300.0) for lanes in (1, 2, 4, 8, 16, 32, 64)]
    close = {f"CPython {name}": ("decode", {long: (1 + i / 50, 1, 0.9), "b": (1, 1, 0.9)})
             for i, name in enumerate(("strict", "replace"))}
    names = dict.fromkeys(("MWMWMWMWMWMW", "漢字漢字漢字漢字"), (3, None, None))
    close["simdutf UTF-32"] = ("decode", {long: (1.05, None, None), "b": (19, None, None), **names})
    scripts = dict.fromkeys(("ascii", "devanagari", "mixed"), (0.9, 0.9, 0.9))
    jobs = {"CPython replace": ("decode", scripts), "polars": ("validate", scripts),
            "CPython encode": ("encode", dict.fromkeys(scripts, (1, None, None)))}
    every = [*cores, *(make_entry(core, lanes, 300.0) for core in ("validator", "encoder") for lanes in (1, 4, 16))]
    found = {
        "usual": usual,
        "all columns": make_comparison(jobs, every),
        "long names": make_comparison(close, cores),
        "software alone": make_comparison(close, []),
        "one text": make_comparison({"CPython strict": ("decode", {"b": (1, None, None)})}, cores[3:4]),
        "lines": replace(usual, lines=(make_lines(), make_lines(job=DROPPING))),
    }[request.param]
    path = tmp_path / "page.html"
    path.write_text(render(found), encoding="utf-8")
    return path


LAYOUT = """(() => {
  document.querySelectorAll("details").forEach(details => details.open = true);
  const charts = [...document.querySelectorAll("svg")].map(svg => {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")]
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    const outside = texts.filter(([, t]) => t.left < box.left || t.right > box.right + 1
      || t.top < box.top - 1 || t.bottom > box.bottom + 1).map(([text]) => text);
    const clashes = [];
    texts.forEach(([a, s], i) => texts.slice(i + 1).forEach(([b, t]) => {
      if (s.left < t.right - 1 && t.left < s.right - 1 && s.top < t.bottom - 3 && t.top < s.bottom - 3)
        clashes.push([a, b]);
    }));
    return {width: box.width, height: box.height, outside, clashes,
            marks: svg.querySelectorAll("circle, path").length};
  });
  const rectangles = node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const cells = [...document.querySelectorAll("th, td")];
  const poking = cells.filter(cell => rectangles(cell).some(text => text.left < cell.getBoundingClientRect().left - 1
    || text.right > cell.getBoundingClientRect().right + 1)).map(cell => cell.textContent);
  const cut = [...document.body.querySelectorAll("*")].filter(element => !element.closest("svg")
    && ["hidden", "clip"].includes(getComputedStyle(element).overflowX)
    && element.scrollWidth > element.clientWidth).map(element => element.textContent);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT,
    node => node.parentElement.closest("svg") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const lines = [];
  while (words.nextNode()) {
    for (const word of words.currentNode.data.matchAll(/UTF-\\d+/g)) {
      const range = document.createRange();
      range.setStart(words.currentNode, word.index);
      range.setEnd(words.currentNode, word.index + word[0].length);
      lines.push(new Set([...range.getClientRects()].map(part => part.top)).size);
    }
  }
  const answer = document.querySelector("p.lead").getBoundingClientRect();
  return {charts, poking, cut, lines, answer: answer.bottom, heat: document.querySelectorAll("table.heat td").length,
          overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth};
})()"""

CONTRAST = """(() => {
  document.querySelectorAll("details").forEach(details => details.open = true);
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const parse = colour => numbers(colour).concat(1).slice(0, 4);
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = colour => colour.slice(0, 3).map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = element => {
    if (!element) return [255, 255, 255, 1];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, background(element.parentElement));
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    if (element.tagName === "title") continue;
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const paper = background(element);
    const [a, b] = [light(over(ink, paper)), light(paper)].sort((x, y) => y - x);
    found.push([(a + 0.05) / (b + 0.05), element.textContent.trim().slice(0, 40)]);
  }
  found.sort((x, y) => x[0] - y[0]);
  return {body: light(background(document.body)), texts: found.length, worst: found[0]};
})()"""


@pytest.mark.parametrize("dark", [
    pytest.param(False, id="light"), pytest.param(True, id="dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("width", [360, *(pytest.param(width, marks=pytest.mark.slow) for width in (400, 800)), 1280])
def test_page_is_whole_at_any_width(browser: Any, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width, dark)
    found = browser.evaluate(LAYOUT)
    assert found["overflow"] == 0
    assert found["answer"] <= 844, "the first paragraph must be on the first screen"
    assert found["poking"] == []
    assert found["cut"] == []
    assert set(found["lines"]) == {1}, "UTF-8 stands in one line"
    assert found["charts"]
    for chart in found["charts"]:
        assert min(320, width - 90) <= chart["width"] <= width
        assert chart["height"] > 0.2 * chart["width"]
        assert chart["marks"] > 0
        assert chart["outside"] == []
        assert chart["clashes"] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_background(browser: Any, page: Path, dark: bool) -> None:
    browser.open(page, 1280, dark)
    found = browser.evaluate(CONTRAST)
    assert found["texts"] > 20
    assert (found["body"] < 0.2) is dark
    assert found["worst"][0] >= 4.5, found["worst"]


def test_page_fetches_nothing_and_reports_no_error(browser: Any, page: Path) -> None:
    browser.open(page, 1280, False)
    browser.evaluate(LAYOUT)
    addresses = {event["params"]["request"]["url"] for event in browser.events
                 if event.get("method") == "Network.requestWillBeSent"}
    assert {address for address in addresses if not address.startswith("data:")} == {page.as_uri()}
    reports = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    assert [event for event in browser.events if event.get("method") in reports] == []
