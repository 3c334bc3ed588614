"""The page in a real browser: a headless Chromium, spoken to in the DevTools protocol over its pipe."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from runewire.compare.page import render
from runewire.compare.run import Comparison
from runewire.datasheet import Entry

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.needs("chromium")

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
]


class Browser:
    """One page of a headless browser. `events` holds all that it reported, as the protocol names it."""

    def __init__(self, executable: str, profile: Path, timeout: float = 120) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4; both are moved out of the way first.
        launch = (
            "import os, sys, fcntl; r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 20) for n in sys.argv[1:3]);"
            "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", launch, str(commands), str(answers), executable, *FLAGS,
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._deadline = time.monotonic() + timeout
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, self._deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            block = os.read(self._read, 1 << 16)
            if not block:
                raise EOFError("the browser has ended")
            self._buffer += block
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        command: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._write, json.dumps(command).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def open(self, page: Path, width: int, dark: bool) -> None:
        """Show a file at a width in pixels, in the light or the dark scheme, and wait until it is there."""
        self.call("Emulation.setDeviceMetricsOverride",
                  width=width, height=844, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._write)
        os.close(self._read)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert CHROMIUM is not None
    with Browser(CHROMIUM, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(params=["usual", "long names", "software alone", "one text"])
def page(
    request: pytest.FixtureRequest, tmp_path: Path, usual: Comparison,
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry],
) -> Path:
    long = "lipsum-WITH-quite-a-long-name-that-has-no-place-to-break.txt"
    cores = [make_entry("decoder", lanes, 300.0) for lanes in (1, 2, 4, 8, 16, 32, 64)]
    close = {f"CPython {name}": ("decode", {long: (1 + i / 50, 1, 0.9), "b": (1, 1, 0.9)})
             for i, name in enumerate(("strict", "replace"))}
    names = dict.fromkeys(("MWMWMWMWMWMW", "漢字漢字漢字漢字"), (3, None, None))
    close["simdutf UTF-32"] = ("decode", {long: (1.05, None, None), "b": (19, None, None), **names})
    found = {
        "usual": usual,
        "long names": make_comparison(close, cores),
        "software alone": make_comparison(close, []),
        "one text": make_comparison({"CPython strict": ("decode", {"b": (1, None, None)})}, cores[3:4]),
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
            marks: svg.querySelectorAll("circle, polyline").length};
  });
  const answer = document.querySelector("p.lead").getBoundingClientRect();
  return {charts, answer: answer.bottom, heat: document.querySelectorAll("table.heat td").length,
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


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_page_is_whole_at_any_width(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width, dark)
    found = browser.evaluate(LAYOUT)
    assert found["overflow"] == 0
    assert found["answer"] <= 844, "the first paragraph must be on the first screen"
    assert found["charts"]
    for chart in found["charts"]:
        assert min(330, width - 90) <= chart["width"] <= width
        assert chart["height"] > 80
        assert chart["marks"] > 0
        assert chart["outside"] == []
        assert chart["clashes"] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_background(browser: Browser, page: Path, dark: bool) -> None:
    browser.open(page, 1280, dark)
    found = browser.evaluate(CONTRAST)
    assert found["texts"] > 20
    assert (found["body"] < 0.2) is dark
    assert found["worst"][0] >= 4.5, found["worst"]


def test_page_fetches_nothing_and_reports_no_error(browser: Browser, page: Path) -> None:
    browser.open(page, 1280, False)
    browser.evaluate(LAYOUT)
    addresses = {event["params"]["request"]["url"] for event in browser.events
                 if event.get("method") == "Network.requestWillBeSent"}
    assert {address for address in addresses if not address.startswith("data:")} == {page.as_uri()}
    reports = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    assert [event for event in browser.events if event.get("method") in reports] == []
