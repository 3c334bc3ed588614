"""Simulation of the Amaranth description in Amaranth's own simulator: needs no build, for quick runs."""

import dataclasses
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import runewire_rtl
from amaranth.hdl import ClockDomain, Module, Signal
from amaranth.sim import Simulator

from .axi_stream import RESET_CYCLES, START_CYCLES, Player, StreamBeat
from .design import VerilogDesign
from .results import Event, Run
from .stalls import NO_STALLS, Stalls
from .waves import fields
from .wire_format import Packet

PERIOD = 10e-9
"""The clock period in seconds, as in the waves of the C++ harness."""


def run(design: VerilogDesign, packets: Iterable[Packet], stalls: Stalls = NO_STALLS,
        waves: Path | None = None) -> Run:
    """Simulate ``packets`` through the Amaranth component of ``design.parameters``; its Verilog is not used.

    ``waves``: a ``.vcd`` file. Raises ValueError for another kind.
    """
    if waves is not None and waves.suffix.lower() != ".vcd":
        raise ValueError(f"the amaranth simulator writes waves as .vcd only, got {waves.name!r}")
    return Run(_run(design, packets, stalls, waves), design.parameters.sidebands)


def _run(design: VerilogDesign, packets: Iterable[Packet], stalls: Stalls,
         waves: Path | None) -> Generator[Event, None, None]:
    player = Player(design.parameters, packets, stalls)
    events: deque[Event] = deque()
    top = runewire_rtl.axi_top(design.parameters)
    module = Module()
    module.domains.sync = domain = ClockDomain("sync")
    module.submodules.top = top
    for name, port, lsb, width in fields(design.parameters):
        module.d.comb += Signal(width, name=name).eq(getattr(top, port)[lsb : lsb + width])

    names = [field.name for field in dataclasses.fields(StreamBeat)]
    inputs, outputs = (
        [(getattr(top, f"{prefix}_t{name}"), name) for name in names if hasattr(top, f"{prefix}_t{name}")]
        for prefix in ("s_axis", "m_axis"))
    rejected = [(getattr(top, f"m_rejects_t{name}"), name) for name in names if hasattr(top, f"m_rejects_t{name}")]
    reported = design.parameters.sidebands.report_bytes > 0

    def show(context: Any, beat: StreamBeat) -> None:
        for port, name in inputs:
            context.set(port, getattr(beat, name))

    async def bench(context: Any) -> None:
        context.set(domain.rst, 1)
        for _ in range(RESET_CYCLES):
            await context.tick()
        context.set(domain.rst, 0)
        for _ in range(START_CYCLES):
            if context.get(top.s_axis_tready):
                break
            await context.tick()
        shown = None
        while not player.finished:
            offer, ready, report_ready = player.drive()
            if offer is not shown:
                shown = offer
                show(context, offer or player.noise())
                context.set(top.s_axis_tvalid, offer is not None)
            context.set(top.m_axis_tready, ready)
            seen, report, reject = None, None, None
            if rejected:
                context.set(top.m_rejects_tready, player.rejects_ready)
                if context.get(top.m_rejects_tvalid):
                    reject = StreamBeat(**{name: context.get(port) for port, name in rejected})
            if reported:
                context.set(top.m_report_tready, report_ready)
                if context.get(top.m_report_tvalid):
                    report = context.get(top.m_report_tdata)
            record = None
            if design.parameters.sidebands.record_report:
                context.set(top.m_records_tready, player.records_ready)
                if context.get(top.m_records_tvalid):
                    record = context.get(top.m_records_tdata)
            if context.get(top.m_axis_tvalid):
                seen = StreamBeat(**{name: context.get(port) for port, name in outputs})
            events.extend(player.sample(bool(context.get(top.s_axis_tready)), seen, report, reject, record))
            await context.tick()

    simulator = Simulator(module)
    simulator.add_clock(PERIOD)
    simulator.add_testbench(bench)
    with ExitStack() as stack:
        if waves is not None:
            stack.enter_context(simulator.write_vcd(str(waves)))
        while not player.finished:
            simulator.advance()
            while events:
                yield events.popleft()
