"""The command, called as a user would, and a browser for what it draws."""

import base64
import contextlib
import io
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import pytest
from PIL import ImageFont
from runewire.cli import main


@dataclass(frozen=True)
class Outcome:
    """Result of a command: its exit status and output."""

    status: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def runewire(capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs the command in this process."""
    handler = signal.getsignal(signal.SIGTERM)

    def call(*arguments: object) -> Outcome:
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    yield call
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Any]]:
    """Runs the command in this process with a given encoding of standard output. Returns the exit status, and the texts
    on standard output and standard error."""
    handler = signal.getsignal(signal.SIGTERM)

    def call(encoding: str, *arguments: object) -> tuple[int, str]:
        raw = io.BytesIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding, newline="\n"))
            patched.setattr(sys, "stderr", io.TextIOWrapper(raw, encoding, "backslashreplace", "\n"))
            status = main([str(argument) for argument in arguments])
            sys.stdout.flush()
            sys.stderr.flush()
            sys.stdout.detach()
            sys.stderr.detach()
        return status, raw.getvalue().decode(encoding)

    yield call
    signal.signal(signal.SIGTERM, handler)


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts the command in a subprocess, which ends with the test."""
    with contextlib.ExitStack() as stack:
        def start(*arguments: object, stdin: int = subprocess.DEVNULL,
                  stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
            command = [sys.executable, "-m", "runewire.cli", *map(str, arguments)]
            process = stack.enter_context(subprocess.Popen(
                command, env=environment, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE))
            stack.callback(process.kill)
            return process

        yield start


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

    def open(self, page: Path, width: int, dark: bool) -> None:
        """Show a file at a width in pixels, in the light or the dark scheme, and wait until it is loaded."""
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
def font(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The font of all pictures in tests, named after its family: Pillow's own, as a machine may have none installed."""
    loaded = ImageFont.load_default(16)
    path = tmp_path_factory.mktemp("fonts") / f"{loaded.getname()[0]}.ttf"
    path.write_bytes(loaded.path.getvalue())
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory, font: Path) -> Iterator[Browser]:
    """A headless Chromium with one font; tests that use it are skipped without a browser."""
    assert CHROMIUM is not None
    with Browser(CHROMIUM, tmp_path_factory.mktemp("profile"), font.parent) as found:
        yield found
