"""The site: every page has a place in it, and its build finds dead links. In a browser it is whole at any width."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from runewire.commands import COMMANDS
from runewire_pages.part import DOCS, README, ROOT
from runewire_pages.site import OUTSIDE

CONFIGURATION = ROOT / "mkdocs.yml"
SECTIONS = ["index", "tutorials/first-core", "integration", "command", "cost", "datasheet"]
"""A page of each section, and those with the widest tables."""
QUESTIONS = {
    "cost on my chip": "docs/cost.md", "who says so": "docs/verification.md", "into Vivado": "docs/tutorials/vivado.md",
    "against simdutf": "docs/throughput.md", "bad bytes": "docs/semantics.md"}


def places(nav: Any) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav if isinstance(nav, list) else nav.values():
            yield from places(each)


@pytest.fixture(scope="module")
def navigation() -> list[str]:
    return [*places(yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["nav"])]


def test_every_page_has_one_place_in_the_site(navigation: list[str]) -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    outside = {place for name, place in OUTSIDE.items() if name.endswith(".md")}
    assert sorted(navigation) == sorted(pages | outside)


def test_the_first_page_has_a_link_to_every_page(navigation: list[str]) -> None:
    """In a checkout there is no navigation: README leads to this page, and it to all others."""
    start = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {OUTSIDE.get(link.removeprefix("../"), link) for link in re.findall(r"\]\(([^)#]+)\)", start)}
    assert {*navigation} - {"index.md"} <= linked
    assert "](docs/index.md)" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items(), ids=QUESTIONS)
def test_a_stranger_s_question_is_answered_by_a_link_of_the_readme(question: str, page: str) -> None:
    lines = README.read_text(encoding="utf-8").splitlines()
    [row] = [line for line in lines if line.startswith("|") and question in line]
    assert re.search(rf"\]\({page}(#[\w-]+)?\)", row)


def build(configuration: Path, *options: str) -> tuple[int, str]:
    """The exit status of a strict build, and its messages."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", configuration, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(("files", "message"), [
    ({}, ""),
    ({"index.md": "[a](lost.md)"}, "'lost.md', but the target is not found"),
    ({"index.md": "[a](other.md#lost)"}, "does not contain an anchor '#lost'"),
    ({"orphan.md": "# Orphan"}, "not included in the \"nav\" configuration"),
], ids=["sound", "page", "anchor", "orphan"])
def test_the_build_finds_dead_links_and_orphans(files: dict[str, str], message: str, tmp_path: Path) -> None:
    """With the settings of mkdocs.yml, on a site of two pages."""
    settings = yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))["validation"]
    (tmp_path / "docs").mkdir()
    for name, text in {"index.md": "[a](other.md#other)", "other.md": "# Other", **files}.items():
        (tmp_path / "docs" / name).write_text(text)
    configuration = tmp_path / "mkdocs.yml"
    configuration.write_text(yaml.safe_dump(
        {"site_name": "small", "validation": settings, "nav": ["index.md", "other.md"]}))
    status, said = build(configuration)
    assert (status != 0) is bool(message), said
    assert message in said


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    folder = tmp_path_factory.mktemp("site")
    status, said = build(CONFIGURATION, "-d", str(folder))
    assert status == 0, said
    return folder


@pytest.mark.slow
@pytest.mark.needs("npm")
def test_the_site_fetches_nothing(site: Path) -> None:
    fetched = re.compile(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)"|<link[^>]+href="(https?:[^"]+)"'
                         r'|url\(["\']?(https?:[^)]+)')
    for page in (*site.rglob("*.html"), *site.rglob("*.css")):
        assert fetched.findall(page.read_text(encoding="utf-8")) == [], page


@pytest.mark.slow
@pytest.mark.needs("npm")
def test_what_is_made_for_the_site_is_whole(site: Path) -> None:
    command = (site / "command.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f'id="{name}"' in command
    assert "--lanes" in command
    assert (site / "configure" / "index.html").exists()
    start = (site / "index.html").read_text(encoding="utf-8")
    assert '<a href="cores/sanitizer.html">' in start[start.index("Which core?"):]
    python = (site / "from-python.html").read_text(encoding="utf-8")
    for name in ("runewire.core", "runewire_model.decode", "runewire_model.TranscoderParameters",
                 "runewire_rtl.describe", "runewire_rtl.verilog.generation.verilog_text",
                 "runewire_rtl.parameters.parameters"):
        assert f'id="{name}"' in python


@pytest.mark.slow
@pytest.mark.needs("chromium", "npm")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", SECTIONS)
def test_a_page_is_whole_at_any_width(site: Path, browser: Any, page: str, dark: bool) -> None:
    browser.open(site / f"{page}.html", 1280, dark)
    for width in (1280, 400):
        browser.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        # Tables and pictures scroll by themselves; text does not poke out.
        assert browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        assert browser.evaluate("""[...document.querySelectorAll(".md-content :is(p, li, h2)")].filter(
            each => each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML.slice(0, 80))""") == []
    light = browser.evaluate(r"Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])")
    assert (light < 128) is dark
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event.get("method") == "Network.requestWillBeSent"]
    assert requests
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.slow
@pytest.mark.needs("chromium", "npm")
def test_search_works_in_a_folder_without_a_server(site: Path, browser: Any) -> None:
    browser.open(site / "index.html", 1280, False)
    browser.evaluate("""new Promise(done => {
        const field = document.querySelector(".md-search__input");
        field.focus(); field.value = "maximal subpart"; field.dispatchEvent(new Event("keyup", {bubbles: true}));
        field.dispatchEvent(new Event("input", {bubbles: true})); done();})""")
    found = []
    for _ in range(100):
        found = browser.evaluate("""[...document.querySelectorAll(".md-search-result__link")].map(each => each.href)""")
        if found:
            break
        browser.call("Runtime.evaluate", expression="new Promise(done => setTimeout(done, 100))", awaitPromise=True)
    assert any("semantics.html" in link for link in found)
