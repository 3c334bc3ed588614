"""A core in a complete cocotb bench."""

from collections.abc import Iterable, Iterator
from typing import Any

import cocotb
from cocotb.triggers import First, RisingEdge, Timer
from runewire_model import TranscoderParameters

from ..axi_stream import RESET_CYCLES, StreamRules
from ..design import sparse_element
from .drivers import NEVER, PERIOD_NS, AxiStreamMonitor, AxiStreamSink, AxiStreamSource, reset, start
from .scoreboard import Scoreboard

STUCK_CYCLES = 10_000
"""A core that moves no beat for so many cycles is stuck."""


class CoreBench:
    """The bench: clock, source, sink, monitors with their rules, scoreboard.

    ``dut`` has the ports of the core of ``parameters``. Use it as: ``bench = CoreBench(dut, parameters)``,
    ``await bench.reset()``, ``bench.source.send(packet)``, ``await bench.finish()``.
    """

    def __init__(self, dut: Any, parameters: TranscoderParameters, source_pauses: Iterable[bool] = NEVER,
                 sink_pauses: Iterable[bool] = NEVER, report_pauses: Iterable[bool] = NEVER,
                 holes: Iterator[bool] | None = None, further_pauses: Iterable[bool] = NEVER) -> None:
        start(dut)
        self._dut = dut
        self._source_pauses = iter(source_pauses)
        self._holes = holes
        self.scoreboard = Scoreboard(parameters)
        self._sidebands = parameters.sidebands
        self.source = AxiStreamSource(dut, self._source_pauses, self._sidebands, holes)
        self.sink = AxiStreamSink(dut, sink_pauses)
        rules_in = StreamRules("s_axis", parameters.input_bytes, int(parameters.holes))
        rules_out = StreamRules("m_axis", parameters.output_bytes, sparse_element(parameters), clean=True)
        self.input = AxiStreamMonitor(dut, "s_axis", rules_in, self.scoreboard.enter)
        self.monitors = [self.input, AxiStreamMonitor(dut, "m_axis", rules_out, self.scoreboard.leave)]
        if self._sidebands.report_port != "none":
            AxiStreamSink(dut, report_pauses, "m_report")
            rules = StreamRules("m_report", parameters.sidebands.report_bytes)
            self.monitors.append(AxiStreamMonitor(dut, "m_report", rules, self.scoreboard.tell))
        if self._sidebands.record_report:
            AxiStreamSink(dut, further_pauses, "m_records")
            rules = StreamRules("m_records", parameters.sidebands.record_bytes)
            self.monitors.append(AxiStreamMonitor(dut, "m_records", rules, self.scoreboard.tell_record))
        if self._sidebands.rejects:
            AxiStreamSink(dut, further_pauses, "m_rejects")
            rules = StreamRules("m_rejects", parameters.output_bytes, clean=True)
            self.monitors.append(AxiStreamMonitor(dut, "m_rejects", rules, self.scoreboard.reject))

    async def reset(self, cycles: int = RESET_CYCLES) -> None:
        """Apply reset for that many cycles, see `reset`; packets inside are forgotten."""
        self.source.stop()
        self._dut.aresetn.value = 0
        self.scoreboard.forget()
        self.source = AxiStreamSource(self._dut, self._source_pauses, self._sidebands, self._holes)
        await reset(self._dut, cycles)

    async def finish(self, microseconds: int = 1000) -> None:
        """Wait until every packet has come out. Raises AssertionError with all errors, and if packets are still inside
        when the time is over, or when no beat has moved for `STUCK_CYCLES`."""
        quiet = cocotb.start_soon(self._quiet())
        beats, cycles = -1, 0
        while not quiet.done() and beats != self._beats and cycles * PERIOD_NS < 1000 * microseconds:
            beats = self._beats
            await First(quiet.complete, Timer(STUCK_CYCLES * PERIOD_NS, "ns"))
            cycles += STUCK_CYCLES
        wrong = [*self.scoreboard.errors, *(error for monitor in self.monitors for error in monitor.errors)]
        if not quiet.done():
            quiet.cancel()
            wrong.append(f"packets are still inside after {cycles} cycles")
        assert not wrong, "; ".join(wrong)

    @property
    def _beats(self) -> int:
        """Beats that have moved, of all streams."""
        return sum(monitor.beats for monitor in self.monitors)

    async def _quiet(self) -> None:
        await self.source.idle()
        await self.scoreboard.settled()
        for _ in range(16):
            await RisingEdge(self._dut.aclk)
