"""The page in a real browser, with Python in it."""

import io
import json
import shutil
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire_configurator.choice import settled
from runewire_configurator.form import Field
from runewire_configurator.server import serving
from runewire_configurator.site import site_folder
from runewire_model.core_options import generate_command

pytestmark = [pytest.mark.slow, pytest.mark.needs("npm"), pytest.mark.xdist_group("configurator")]
BROWSER_SECONDS = 1500
CORES = [
    {"core": "validator", "lanes": "8"},
    {"core": "decoder", "lanes": "8", "bom": "strip", "package": "vivado,sdc"},
    {"core": "encoder", "lanes": "2", "user": "3", "report-port": "only", "package": "c"},
    {"core": "sanitizer", "lanes": "4", "replacement": "3F", "packing": "sparse", "initial-values": "no"},
    {"core": "transcoder", "from": "utf-16be", "to": "utf-8", "lanes": "4", "errors": "drop", "count": "bytes"},
    {"core": "validator", "lanes": "1", "pipeline": "compact", "records": "0A", "count": "bad-records",
     "package": "fusesoc,vivado,c,formal,vhdl,ipxact,litex,quartus,bender,sdc"},
]


@pytest.fixture(scope="module")
def address(fields: list[Field]) -> Iterator[str]:
    with serving(site_folder(fields)) as found:
        yield found


def link(address: str, texts: dict[str, str]) -> str:
    return f"{address}#{'&'.join(f'{name}={value}' for name, value in texts.items())}"


def show(browser: Any, address: str, width: int = 1280, dark: bool = False) -> None:
    """Open the page again, and wait for its first view."""
    browser.call("Page.navigate", url="about:blank")
    browser.open(address, width, dark)
    until(browser, "performance.getEntriesByName('first view').length > 0")


def until(browser: Any, condition: str, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not browser.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, browser.evaluate("document.body.innerText")
        time.sleep(0.1)


def ready(browser: Any) -> None:
    until(browser, "document.querySelector('#answer table, #answer .note') && !document.querySelector('[aria-busy]')")


def press(browser: Any, key: str, code: int = 0, shift: bool = False) -> None:
    names = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowDown": 40}
    text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
    event = {"key": key, "windowsVirtualKeyCode": names.get(key, ord(key[0])), "modifiers": 8 * shift}
    browser.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **event)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **event)


FOCUSED = "(document.activeElement.id || document.activeElement.name || '')"


def tab_to(browser: Any, name: str) -> None:
    """Press Tab until the focus is on the element of that id or name."""
    for _ in range(80):
        if browser.evaluate(FOCUSED) == name:
            return
        press(browser, "Tab")
    raise AssertionError(f"Tab never reaches {name}")


@pytest.mark.parametrize("texts", CORES, ids=lambda texts: f"{texts['core']}-{texts['lanes']}")
def test_files_are_those_of_the_command(browser: Any, address: str, fields: list[Field], tmp_path: Path,
                                        texts: dict[str, str]) -> None:
    choice = settled(fields, texts)
    assert (choice.notes, set(choice.texts)) == ((), set(texts))
    command = generate_command(choice.parameters, initial_values=choice.initial_values, packages=choice.packages,
                               output=str(tmp_path / "made"))
    assert main(command.split()[1:]) == 0
    show(browser, link(address, texts))
    until(browser, f"document.querySelector('#command').textContent === {json.dumps(shown(choice))}")
    browser.evaluate("document.getElementById('generate').click()")
    until(browser, "document.querySelector('#files a')")
    made = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    verilog = next(name for name in made if name.endswith(".v"))
    assert downloaded(browser, tmp_path, verilog) == made[verilog]
    with zipfile.ZipFile(io.BytesIO(downloaded(browser, tmp_path, f"{verilog[:-2]}.zip"))) as archive:
        assert {name.removeprefix(f"{verilog[:-2]}/"): archive.read(name) for name in archive.namelist()} == made


def downloaded(browser: Any, folder: Path, name: str) -> bytes:
    """The content of a file that the page offers, downloaded as a user would."""
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    browser.evaluate(f"document.querySelector('#files a[download={json.dumps(name)}]').click()")
    end = time.monotonic() + 60
    while not (folder / name).is_file():
        assert time.monotonic() < end, [*folder.iterdir()]
        time.sleep(0.1)
    return (folder / name).read_bytes()


def shown(choice: Any) -> str:
    return generate_command(choice.parameters, initial_values=choice.initial_values, packages=choice.packages)


def test_the_first_view_needs_no_python(browser: Any, fields: list[Field], tmp_path: Path) -> None:
    shutil.copytree(site_folder(fields), tmp_path / "page", ignore=shutil.ignore_patterns("pyodide", "python.zip"))
    with serving(tmp_path / "page") as address:
        show(browser, link(address, {"core": "decoder", "lanes": "16"}))
        assert browser.evaluate("document.querySelector('#title').textContent") == "decoder, 16 lanes"
        assert browser.evaluate("document.querySelector('#symbol').src.includes('tready')")
        assert "16-lane dense decoder" in browser.evaluate("document.querySelector('#figures').textContent")
        assert browser.evaluate("document.querySelector('[name=lanes][value=\"128\"]').disabled")
        until(browser, "document.querySelector('#python.problem')")


def test_a_link_with_what_cannot_be_combined_says_what_was_left_out(browser: Any, address: str) -> None:
    show(browser, link(address, {"core": "encoder", "lanes": "2", "count": "records"}))
    ready(browser)
    assert browser.evaluate("document.querySelector('#notes').innerText") == (
        "count records was left out: --count records needs --records, such as --records 0A")
    assert browser.evaluate("location.hash") == "#core=encoder&lanes=2"


def test_the_keyboard_is_enough(browser: Any, address: str) -> None:
    """Choose a 16-lane decoder that strips, generate it, cancel, and type a packet, all without a pointer."""
    show(browser, link(address, {"core": "validator", "lanes": "8"}))
    ready(browser)
    tab_to(browser, "core")
    press(browser, "ArrowRight")
    until(browser, "location.hash === '#core=decoder&lanes=8'")
    tab_to(browser, "lanes")
    press(browser, "ArrowRight")
    until(browser, "location.hash === '#core=decoder&lanes=16'")
    tab_to(browser, "generate")
    press(browser, "Enter")
    until(browser, f"{FOCUSED} === 'cancel'")
    press(browser, "Enter")
    until(browser, f"document.querySelector('#progress').textContent === 'Cancelled.' && {FOCUSED} === 'generate'")
    tab_to(browser, "bom")
    press(browser, "ArrowRight")
    until(browser, "location.hash === '#core=decoder&lanes=16&bom=strip'")
    ready(browser)
    tab_to(browser, "packet")
    browser.evaluate("document.activeElement.select()")
    for key in "\\xEF\\xBB\\xBFA\\xC0":
        press(browser, key)
    until(browser, "document.querySelector('#answer').innerText.includes('41 00 00 00 FD FF 00 00')")
    assert "Bad packet: TOO_SHORT at byte 4" in browser.evaluate("document.querySelector('#answer').innerText")
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


TYPE = """((text) => {
  const field = document.getElementById("packet");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
})"""
TABLES = """Object.fromEntries([...document.querySelectorAll("#answer table")].map((table) => [
  table.caption.textContent,
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))]))"""


@pytest.mark.parametrize(("texts", "caption", "rows"), [
    ({"core": "filter", "longest": "16", "rejects": "yes"}, "Rejected records, on m_rejects",
     [["1", "HEADER_BITS", "1", "–", "62 FF 0A"], ["2", "–", "–", "yes", "31 32 33 34 35 36 37 38 39 " * 2 + "0A"]]),
    ({"core": "validator", "records": "0A", "record-report": "yes"}, "Ill-formed records, on m_records",
     [["1", "HEADER_BITS", "1"]]),
    ({"core": "splitter", "delimiter": "drop"}, "Packets that leave",
     [["0", "0", "61"], ["1", "1", "62 FF"], ["2", "2", "31 32 33 34 35 36 37 38 39 " * 2]]),
], ids=["rejects", "record report", "splitter"])
def test_records_are_shown_one_by_one(browser: Any, address: str, texts: dict[str, str], caption: str,
                                      rows: list[list[str]]) -> None:
    show(browser, link(address, texts), 400)
    ready(browser)
    typed = "a\nb\\xFF\n" + 2 * "123456789" + "\n"
    browser.evaluate(f"{TYPE}({json.dumps(typed)})")
    until(browser, "document.querySelector('#answer').innerText.includes('in, 24 bytes')")
    ready(browser)
    assert browser.evaluate(TABLES)[caption] == [[cell.strip() for cell in row] for row in rows]
    found = browser.evaluate(LAYOUT)
    assert (found["overflow"], found["cut"]) == (0, [])


LAYOUT = """(() => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number).concat(1).slice(0, 4);
  const light = (colour) => colour.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (element) => {
    const own = numbers(getComputedStyle(element).backgroundColor);
    return own[3] === 1 || !element.parentElement ? own : paper(element.parentElement);
  };
  const texts = [...document.body.querySelectorAll("*")].filter((element) => element.checkVisibility()
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) && element.tagName !== "OPTION");
  const contrast = texts.map((element) => {
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(paper(element))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), element.textContent.trim().slice(0, 40)];
  }).sort((x, y) => x[0] - y[0]);
  const named = [...document.querySelectorAll("input, select, textarea, button")].filter(
    (control) => !(control.labels?.length || control.textContent.trim()));
  const inside = document.documentElement.clientWidth;
  const cut = texts.filter((element) => !element.closest(".scroll, pre") && element.getBoundingClientRect().right
    > inside + 1).map((element) => element.textContent);
  return {overflow: document.documentElement.scrollWidth - inside, contrast: contrast[0], cut, texts: texts.length,
          unnamed: named.map((control) => control.outerHTML), body: light(paper(document.body))};
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 400, 1280])
def test_the_page_is_whole_and_readable(browser: Any, address: str, width: int, dark: bool) -> None:
    show(browser, link(address, {"core": "validator", "lanes": "64", "records": "0A", "count": "bad-records",
                                 "report-port": "beside"}), width, dark)
    ready(browser)
    until(browser, "location.hash.includes('beside')")
    found = browser.evaluate(LAYOUT)
    assert found["overflow"] == 0
    assert found["cut"] == []
    assert found["unnamed"] == []
    assert found["texts"] > 100
    assert (found["body"] < 0.2) is dark
    assert found["contrast"][0] >= 4.5, found["contrast"]


def test_nothing_comes_from_elsewhere_and_no_error_is_logged(browser: Any, address: str) -> None:
    show(browser, link(address, {"core": "sanitizer", "lanes": "8"}))
    ready(browser)
    asked = {event["params"]["request"]["url"] for event in browser.events
             if event.get("method") == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith(("data:", "blob:", address))} == set()
    reports = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    assert [event for event in browser.events if event.get("method") in reports] == []
