"""The bench in cocotb: it does what `bench.sv` does, on the core's own ports, in any simulator and language.

Signals are read at the falling edge, when all logic has settled, and driven after the rising edge.
"""

import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from .port_map import PortMap, Signal, read
from .wiring import passes

GARBAGE = 0x80
"""What bytes that do not count hold."""
UNANSWERED = 20


class Ports:
    """A core's ports, by the signals of its port map."""

    def __init__(self, dut: Any) -> None:
        self._handle = cache(lambda port: getattr(dut, port))
        self._driven: dict[str, int] = {}

    def drive(self, signal: Signal | None, value: int, width: int = 1) -> None:
        """Set a signal; the other bits of its port stay."""
        if signal is None:
            return
        bits = width if signal.high is None else signal.high - signal.low + 1
        mask = (1 << bits) - 1
        value = (~value if signal.inverted else value) & mask
        before = self._driven.get(signal.port)
        made = (before or 0) & ~(mask << signal.low) | value << signal.low
        if made != before:
            self._driven[signal.port] = self._handle(signal.port).value = made

    def bits(self, signal: Signal) -> str:
        """The signal in binary; undefined bits are letters."""
        text = str(self._handle(signal.port).value)
        if signal.high is not None:
            text = text[len(text) - 1 - signal.high : len(text) - signal.low]
        return text.translate({48: "1", 49: "0"}) if signal.inverted else text

    def high(self, signal: Signal | None, otherwise: bool) -> bool:
        """Whether a signal of one bit is high. ``otherwise``: without a signal."""
        return otherwise if signal is None else self.bits(signal) == "1"


def hexadecimal(bits: str, digits: int) -> str:
    """Binary as hex of so many digits; a digit with an undefined bit is x."""
    text = bits.rjust(4 * digits, "0")[-4 * digits :]
    return "".join(f"{int(group, 2):x}" if set(group) <= {"0", "1"} else "x"
                   for group in (text[at : at + 4] for at in range(0, 4 * digits, 4)))


class Bench:
    """One run of all passes. A cycle is `_cycle`: it returns once the next cycle's inputs are driven."""

    def __init__(self, dut: Any, port_map: PortMap, packets: list[tuple[int, bytes]], results: Any) -> None:
        self._map, self._packets, self._results = port_map, packets, results
        self._ports, self._clock = Ports(dut), getattr(dut, port_map.core.clock.port)
        self._pass = 0
        self._noise = 0x12345678
        self._restart()
        for port, value in port_map.core.constants.items():
            getattr(dut, port).value = value

    def _restart(self) -> None:
        self._beats: list[tuple[bytes, bool, bool]] = []
        self._offered: tuple[bytes, bool, bool] | None = None
        self._packet = self._ended = self._reported = self._sent = self._waited = 0

    async def run(self) -> None:
        """All passes."""
        self._idle()
        for number in range(passes(self._map)):
            self._pass = number
            self._restart()
            await self._reset()
            await (self._one_by_one() if self._pass == 0 else self._all_at_once())
        self._results.write("end\n")

    async def _one_by_one(self) -> None:
        core, unanswered = self._map.core, 0
        for number, octets in self._packets:
            if not self._map.framed:
                await self._reset()
            self._packet, self._ended, self._reported, self._waited = number, 0, 0, 0
            self._sent = 0
            self._load(octets)
            settled = -1
            while True:
                await self._cycle()
                if self._sent:
                    settled += 1
                if core.settle is not None and settled == core.settle:
                    self._report()
                    break
                if core.settle is None and self._sent and self._complete(1):
                    break
                if self._waited > core.patience:
                    break
            if self._waited > core.patience:
                self._results.write(f"t {self._pass} {number}\n")
                unanswered += 1
                if unanswered == UNANSWERED:
                    return
                self._beats, self._offered = [], None
                await self._reset()
            else:
                self._results.write(f"e {self._pass} {number}\n")

    async def _all_at_once(self) -> None:
        for _, octets in self._packets:
            self._load(octets)
        while self._waited <= (50 if self._sent == len(self._packets) and self._complete(self._sent)
                               else self._map.core.patience):
            await self._cycle()

    def _complete(self, packets: int) -> bool:
        sink = self._map.output
        return ((sink is None or sink.last is None or self._ended >= packets)
                and (self._map.report is None or self._reported >= packets))

    def _load(self, octets: bytes) -> None:
        size = self._map.input.bytes
        starts = range(0, max(1, len(octets)), size)
        self._beats += [(octets[at : at + size], at == 0, at == starts[-1]) for at in starts]
        self._drive()

    async def _reset(self) -> None:
        """Reset the core; without a reset port let as many cycles pass, since the clock's first edge is at time 0."""
        self._offered = None
        self._idle()
        self._ports.drive(self._map.core.reset, 1)
        for _ in range(self._map.core.reset_cycles):
            await RisingEdge(self._clock)
        self._ports.drive(self._map.core.reset, 0)

    def _idle(self) -> None:
        source = self._map.input
        self._put(bytes([GARBAGE]) * source.bytes, source.bytes)
        for signal in (source.valid, source.last, source.first):
            self._ports.drive(signal, 0)
        self._ready = self._report_ready = True
        self._drive_ready()

    def _put(self, octets: bytes, count: int) -> None:
        """Drive the bytes of a beat of which ``count`` count."""
        source = self._map.input
        octets = octets.ljust(source.bytes, bytes([GARBAGE]))
        self._ports.drive(source.data, int.from_bytes(octets, "little" if source.order == "little" else "big"),
                          8 * source.bytes)
        if source.keep is not None:
            high, low = source.keep.high, source.keep.low
            groups = source.bytes if high is None else high - low + 1
            keeps = [str(int(group * (source.bytes // groups) < count)) for group in range(groups)]
            self._ports.drive(source.keep, int("".join(keeps if source.order == "big" else reversed(keeps)), 2), groups)
        self._ports.drive(source.empty, source.bytes - count, max(1, (source.bytes - 1).bit_length()))

    def _drive(self) -> None:
        """Offer the next beat unless one is still offered."""
        if self._offered is None and self._beats and not (self._pass == 2 and self._noise & 0x218 > 0x200):
            self._offered = self._beats.pop(0)
            octets, first, last = self._offered
            self._put(octets, len(octets))
            for signal, value in ((self._map.input.valid, 1), (self._map.input.first, first),
                                  (self._map.input.last, last)):
                self._ports.drive(signal, int(value))

    def _drive_ready(self) -> None:
        sink, report = self._map.output, self._map.report
        self._ports.drive(sink.ready if sink else None, int(self._ready))
        self._ports.drive(report.ready if report else None, int(self._report_ready))

    async def _cycle(self) -> None:
        await FallingEdge(self._clock)
        self._waited += 1
        self._watch()
        if taken := self._offered is not None and self._ports.high(self._map.input.ready, True):
            assert self._offered is not None
            self._waited = 0
            self._sent += self._offered[2]
            self._offered = None
        await RisingEdge(self._clock)
        self._noise = (self._noise << 1 | (self._noise >> 31 ^ self._noise >> 21 ^ self._noise >> 1 ^ self._noise)
                       & 1) & 0xFFFFFFFF
        if taken:
            self._idle()
        self._drive()
        self._ready = self._pass < 2 or self._noise & 0x60 != 0
        self._report_ready = self._pass < 2 or self._noise & 0x1800 != 0
        self._drive_ready()

    def _watch(self) -> None:
        """Write down what comes out in this cycle."""
        sink, report = self._map.output, self._map.report
        ended = False
        if sink is not None and self._ports.high(sink.valid, True) and (self._ready or sink.ready is None):
            ended = self._ports.high(sink.last, False)
            self._results.write(f"o {self._pass} {self._packet if self._pass == 0 else self._ended} "
                                f"{self._data()} {self._kept(ended)} {int(ended)}\n")
            self._ended += ended
            self._waited = 0
        if report is not None and self._map.core.settle is None \
                and (ended if self._map.report_with_output
                     else self._ports.high(report.valid, False) and (self._report_ready or report.ready is None)):
            self._report()

    def _data(self) -> str:
        """The output's bytes in hex, the first one last, as in the results of `bench.sv`."""
        sink = self._map.output
        assert sink is not None
        digits = hexadecimal(self._ports.bits(sink.data), 2 * sink.bytes)
        pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        return "".join(pairs if sink.order == "little" else reversed(pairs))

    def _kept(self, last: bool) -> str:
        sink = self._map.output
        assert sink is not None
        if sink.keep is not None:
            bits = self._ports.bits(sink.keep)
            bits = "".join(bit * (sink.bytes // len(bits)) for bit in bits)
            return bits if sink.order == "little" else bits[::-1]
        empty = int(self._ports.bits(sink.empty), 2) if sink.empty is not None and last else 0
        return "0" * empty + "1" * (sink.bytes - empty)

    def _report(self) -> None:
        report = self._map.report
        fields = ["0", "0", "0"]
        if report is not None:
            fields = [self._ports.bits(report.error),
                      *(hexadecimal(self._ports.bits(signal), digits) if signal is not None else "0"
                        for signal, digits in ((report.kind, 8), (report.offset, 16)))]
        number = self._packet if self._pass == 0 else self._reported
        self._results.write(f"r {self._pass} {number} {' '.join(fields)}\n")
        self._reported += 1
        self._waited = 0


def packets(path: Path) -> Iterator[tuple[int, bytes]]:
    """The numbered packets of a stimulus file."""
    for line in path.read_text().splitlines():
        number, _, *octets = line.split()
        yield int(number), bytes.fromhex("".join(octets))


@cocotb.test()
async def conformance(dut: Any) -> None:
    """Send all packets and write down the answers; the judging is done afterwards."""
    job = json.loads(os.environ["CONFORMANCE_JOB"])
    port_map = read(Path(job["port_map"]))
    Clock(getattr(dut, port_map.core.clock.port), 10, unit="ns").start()
    with Path(job["results"]).open("w") as results:
        await Bench(dut, port_map, [*packets(Path(job["stimulus"]))], results).run()
