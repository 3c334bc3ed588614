"""Worker process that does jobs on packets and times itself. Each request is answered by one line of JSON."""

import contextlib
import json
import subprocess
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .measure import Sample


class Worker:
    """A running process, which ends with this object. Raises OSError if it cannot be started.

    ``greeting`` is its first line, the versions of its software; None if that line is not JSON.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL)
        weakref.finalize(self, _stop, self._process)
        self.greeting: dict[str, Any] | None = None
        with contextlib.suppress(ValueError):
            self.greeting = self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def ask(self, header: bytes, packets: Iterable[bytes]) -> Sample:
        """Send a request and wait for its answer. Raises ValueError if the job failed."""
        assert self._process.stdin is not None
        self._process.stdin.write(header)
        self._process.stdin.writelines(packets)
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise ValueError(answer["error"])
        return Sample(int(answer["nanoseconds"]), int(answer["answer"]))


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
