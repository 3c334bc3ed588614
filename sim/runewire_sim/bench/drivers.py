"""Drivers and monitors for the cores' AXI4-Stream ports, for cocotb benches on any simulator.

Drivers write after the rising edge of ``aclk``; drivers and monitors sample at the falling edge, when every simulator
has settled.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from itertools import repeat
from random import Random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event, FallingEdge, RisingEdge
from cocotb.types import LogicArray
from runewire_model.report import Sidebands

from ..axi_stream import (
    RESET_CYCLES,
    START_CYCLES,
    StreamBeat,
    StreamRules,
    StreamSource,
    packet_beats,
)
from ..sidebands import PLAIN, sent_sidebands

NEVER = repeat(False)
"""Pauses for a side that never pauses."""
INPUTS = ("aresetn", "s_axis_tvalid", "s_axis_tdata", "s_axis_tkeep", "s_axis_tlast", "s_axis_tuser", "s_axis_tid",
          "s_axis_tdest", "m_axis_tready", "m_report_tready", "m_records_tready", "m_rejects_tready")


def payload(dut: Any, prefix: str) -> dict[str, Any]:
    """The payload signals of a stream that ``dut`` has, by the field names of `StreamBeat`."""
    names = [field.name for field in fields(StreamBeat) if hasattr(dut, f"{prefix}_t{field.name}")]
    return {name: getattr(dut, f"{prefix}_t{name}") for name in names}


PERIOD_NS = 10
"""The clock's period."""


def start(dut: Any, period_ns: int = PERIOD_NS) -> None:
    """Start ``aclk`` and quieten all inputs; ``aresetn`` is low."""
    for name in INPUTS:
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    Clock(dut.aclk, period_ns, unit="ns").start(start_high=False)


async def reset(dut: Any, cycles: int = RESET_CYCLES) -> None:
    """Hold ``aresetn`` low for that many cycles, ``reset_cycles`` of the description or more; then release it."""
    dut.aresetn.value = 0
    for _ in range(cycles):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1


async def ready(dut: Any) -> None:
    """Wait until the core is ready, for at most `START_CYCLES` cycles after reset."""
    rising, falling = RisingEdge(dut.aclk), FallingEdge(dut.aclk)
    for _ in range(START_CYCLES):
        await falling
        known = number(dut.s_axis_tready) == 1
        await rising
        if known:
            return


class AxiStreamSource:
    """Drives ``s_axis``; ``pauses``: for each cycle, whether to hold back a new beat.

    ``sidebands``: the core's options. Each packet goes with the values of `sent_sidebands`, and with noise on ``tuser``
    before its last beat. ``holes``: null bytes at any places, as `packet_beats` takes them.
    """

    def __init__(self, dut: Any, pauses: Iterable[bool] = NEVER, sidebands: Sidebands = PLAIN,
                 holes: Iterator[bool] | None = None) -> None:
        self._dut = dut
        self._signals = payload(dut, "s_axis")
        self._sidebands = sidebands
        self._holes = holes
        self._noise = Random(0)
        self._sent = 0
        self._pauses = iter(pauses)
        self._width = len(dut.s_axis_tkeep)
        self._beats: deque[StreamBeat] = deque()
        self._source = StreamSource(lambda: self._beats.popleft() if self._beats else None)
        self._idle = Event()
        self._idle.set()
        self._task = cocotb.start_soon(self._drive())

    def send(self, packet: bytes) -> None:
        """Queue a packet; an empty one is a last beat without bytes."""
        sent = sent_sidebands(self._sidebands, self._sent, packet)
        self.send_beats(packet_beats(packet, self._width, self._noise, sent, self._sidebands.input_user, self._holes))
        self._sent += 1

    def send_beats(self, beats: Iterable[StreamBeat]) -> None:
        """Queue beats unchanged; they may break the rules."""
        self._beats.extend(beats)
        if self._source.more():
            self._idle.clear()

    async def idle(self) -> None:
        """Wait until every queued beat has moved."""
        await self._idle.wait()

    def stop(self) -> None:
        """Withdraw the offered beat and forget the queue; only for a reset."""
        self._task.cancel()
        self._dut.s_axis_tvalid.value = 0

    async def _drive(self) -> None:
        dut = self._dut
        rising, falling = RisingEdge(dut.aclk), FallingEdge(dut.aclk)
        shown: StreamBeat | None = None
        await rising
        while True:
            beat = self._source.offer(paused=next(self._pauses, False))
            dut.s_axis_tvalid.value = beat is not None
            if beat is not None and beat is not shown:
                for name, signal in self._signals.items():
                    signal.value = getattr(beat, name)
            shown = beat
            await falling
            handshake = beat is not None and number(dut.s_axis_tready) == 1 and number(dut.aresetn) == 1
            await rising
            if handshake:
                self._source.handshake()
                shown = None
                if not self._source.more():
                    dut.s_axis_tvalid.value = 0
                    self._idle.set()


class AxiStreamSink:
    """Drives ``tready`` of the stream ``prefix``; ``pauses``: for each cycle, whether it is low."""

    def __init__(self, dut: Any, pauses: Iterable[bool] = NEVER, prefix: str = "m_axis") -> None:
        self._dut = dut
        self._ready = getattr(dut, f"{prefix}_tready")
        self._pauses = iter(pauses)
        cocotb.start_soon(self._drive())

    async def _drive(self) -> None:
        rising = RisingEdge(self._dut.aclk)
        while True:
            await rising
            self._ready.value = not next(self._pauses, False)


class AxiStreamMonitor:
    """Watches the stream ``prefix`` ("s_axis", "m_report"), and gives each beat that moves to ``callback``.

    ``rules``: the stream's. ``errors`` lists broken rules and unknown values. ``beats``: the number that has moved.
    """

    def __init__(self, dut: Any, prefix: str, rules: StreamRules, callback: Callable[[StreamBeat], None]) -> None:
        self._dut = dut
        self._valid, self._ready = (getattr(dut, f"{prefix}_{name}") for name in ("tvalid", "tready"))
        self._signals = payload(dut, prefix)
        self._prefix = prefix
        self._rules = rules
        self._callback = callback
        self.errors: list[str] = []
        self.beats = 0
        cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        falling = FallingEdge(self._dut.aclk)
        while True:
            await falling
            if number(self._dut.aresetn) != 1:
                self._rules.reset()
                continue
            valid, ready = number(self._valid), number(self._ready)
            if valid is None or ready is None:
                self._error("tvalid or tready has an unknown value")
                continue
            beat = self._beat() if valid else None
            for message in self._rules.observe(beat, bool(ready)):
                self._error(message)
            if beat is not None and ready:
                self.beats += 1
                self._callback(beat)

    def _beat(self) -> StreamBeat | None:
        numbers = {name: number(signal) for name, signal in self._signals.items()}
        if None in numbers.values():
            unknown = [name for name, value in numbers.items() if value is None]
            self._error(f"{', '.join(unknown)} has unknown bits while valid")
            return None
        known: dict[str, Any] = {"keep": self._rules.full, "last": True, **numbers}  # reports have neither
        return StreamBeat(**known)

    def _error(self, message: str) -> None:
        self.errors.append(message)
        self._dut._log.error("%s: %s", self._prefix, message)


def number(signal: Any) -> int | None:
    """The value of a signal as an unsigned number; None when a bit of it is X or Z."""
    value = signal.value
    if not value.is_resolvable:
        return None
    return value.to_unsigned() if isinstance(value, LogicArray) else int(value)
