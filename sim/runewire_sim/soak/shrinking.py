"""The search for the smallest form of a failure: fewest and shortest packets, no stalls if it fails without."""

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runewire_model import Encoding
from runewire_model.core_options import core_words, option_words

from ..design import VerilogDesign
from ..segments import hex_packet, like
from ..stalls import Stalls
from .comparison import Wrong, check
from .record import SoakFailure
from .rounds import Round

TRIES = 600
"""Simulations of a search, at most."""
PATIENCE = 120.0
"""Seconds of a search, at most."""


Fails = Callable[[list[bytes]], bool]


def shrink(packets: list[bytes], fails: Fails, encoding: Encoding) -> list[bytes]:
    """Fewer, then shorter, then plainer packets that still fail.

    ``packets`` fail, and have this ``encoding``. The result passes if any packet or unit is removed, or any unit is
    replaced by ``a``.
    """
    while True:
        before = packets
        packets = _fewer(packets, fails)
        for index in range(len(packets)):
            packets = _plainer(packets, index, fails, encoding)
        if packets == before:
            return packets


def _plainer(packets: list[bytes], index: int, fails: Fails, encoding: Encoding) -> list[bytes]:
    """The packets with one of them shortened, and its units replaced by ``a`` where they still fail."""
    def put(items: list[bytes]) -> list[bytes]:
        return [*packets[:index], like(packet, b"".join(items)), *packets[index + 1 :]]

    packet = packets[index]
    unit, plain = encoding.unit_bytes, encoding.encode([ord("a")])
    items = _fewer([packet[at : at + unit] for at in range(0, len(packet), unit)], lambda items: fails(put(items)))
    for at, item in enumerate(items):
        plainer = [*items[:at], plain, *items[at + 1 :]]
        if item != plain and fails(put(plainer)):
            items = plainer
    return put(items)


def _fewer(items: list[bytes], fails: Fails) -> list[bytes]:
    """As few items as still fail: halves are removed, then quarters, down to single ones."""
    size = len(items)
    while size:
        start = 0
        while start < len(items):
            fewer = items[:start] + items[start + size :]
            if fails(fewer):
                items = fewer
            else:
                start += size
        size //= 2
    return items



class FailureSearch:
    """The search for the smallest form of one round's failure."""

    def __init__(self, design: VerilogDesign, this: Round, wrong: Wrong) -> None:
        self._design = design
        self._stalls = (Stalls(seed=this.stalls.seed), this.stalls)
        self._tries = TRIES
        self._until = time.monotonic() + PATIENCE
        self.packets = this.packets
        self.stalls = this.stalls
        self.wrong = wrong

    def run(self) -> None:
        """Search; at any time ``packets``, ``stalls`` and ``wrong`` are the smallest failure so far."""
        end = self.wrong.packet + 1
        size = 1
        while not any(self._fails(self.packets[max(0, end - size) : end], stalls) for stalls in self._stalls):
            if size >= end:
                break
            size *= 2
        stalls = self.stalls
        shrink(self.packets, lambda packets: self._fails(packets, stalls), self._design.parameters.reads)

    def _fails(self, packets: list[bytes], stalls: Stalls) -> bool:
        if not self._tries or time.monotonic() > self._until:
            return False
        self._tries -= 1
        wrong = check(self._design, packets, stalls)[1]
        if wrong is None:
            return False
        self.packets, self.stalls, self.wrong = packets, stalls, wrong
        return True

    def save(self, number: int, file: Path) -> SoakFailure:
        """Write the packets to ``file``; gives the failure with the command that replays it."""
        file.write_text("".join(f"{hex_packet(packet)}\n" for packet in self.packets))
        parameters = self._design.parameters
        options: dict[str, Any] = {**parameters.options, "packets": file, "seed": self.stalls.seed}
        if self.stalls.source:
            options["stall"] = self.stalls.source
        if self.stalls.rejects is not None:
            options["side_stall"] = self.stalls.rejects
        if self.stalls.holes:
            options["holes"] = self.stalls.holes
        command = shlex.join(["runewire", "simulate", *core_words(parameters), *option_words(options)])
        return SoakFailure(number, self.wrong.what, str(file), command)
