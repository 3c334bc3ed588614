"""A cocotb bench that plays packets from a file and writes the results as they come (`runewire_sim.wire_format`).

The environment says what: ``RUNEWIRE_CORE`` (JSON: core and its parameters), ``RUNEWIRE_PACKETS`` and
``RUNEWIRE_RESULTS`` (files), ``RUNEWIRE_STALLS`` (JSON: source, sink, seed; may be left out).
"""

import json
import os
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from runewire_model import TranscoderParameters

from ..axi_stream import Player, StreamBeat
from ..results import Event
from ..stalls import Stalls
from ..wire_format import event_bytes, read_packets
from .drivers import number, payload, ready, reset, start


@cocotb.test
async def replay(dut: Any) -> None:
    """Play the packets; the reader of the results judges them."""
    parameters = TranscoderParameters.of(json.loads(os.environ["RUNEWIRE_CORE"]))
    stalls = Stalls(**json.loads(os.environ.get("RUNEWIRE_STALLS", "{}")))
    packets, output = os.environ["RUNEWIRE_PACKETS"], os.environ["RUNEWIRE_RESULTS"]
    with open(packets, "rb") as source, open(output, "wb") as results:
        player = Player(parameters, read_packets(source), stalls)
        start(dut)
        await reset(dut)
        await ready(dut)
        rising, falling = RisingEdge(dut.aclk), FallingEdge(dut.aclk)
        inputs = payload(dut, "s_axis")
        streams = {prefix: (getattr(dut, f"{prefix}_tvalid"), payload(dut, prefix))
                   for prefix in ("m_axis", "m_report", "m_records", "m_rejects") if hasattr(dut, f"{prefix}_tvalid")}
        shown: StreamBeat | None = None
        while not player.finished:
            offer, ready_now, report_ready = player.drive()
            if offer is not shown:
                shown = offer
                beat = offer or player.noise()
                for name, signal in inputs.items():
                    signal.value = getattr(beat, name)
                dut.s_axis_tvalid.value = offer is not None
            dut.m_axis_tready.value = ready_now
            if "m_report" in streams:
                dut.m_report_tready.value = report_ready
            if "m_records" in streams:
                dut.m_records_tready.value = player.records_ready
            if "m_rejects" in streams:
                dut.m_rejects_tready.value = player.rejects_ready
            await falling
            for event in _sampled(dut, player, streams):
                results.write(event_bytes(event))
            if player.cycle % 256 == 0:
                results.flush()
            await rising


def _sampled(dut: Any, player: Player, streams: dict[str, tuple[Any, dict[str, Any]]]) -> Iterator[Event]:
    taken = number(dut.s_axis_tready)
    if taken is None:
        return player.unknown("s_axis_tready")
    seen: dict[str, dict[str, Any]] = {}
    for prefix, (valid, signals) in streams.items():
        values = {signal._name: number(signal) for signal in (valid, *signals.values())}
        if values[valid._name] == 0:
            continue
        for name, value in values.items():
            if value is None:
                return player.unknown(name)
        seen[prefix] = {name: values[signal._name] for name, signal in signals.items()}
    beat, reject = (StreamBeat(**seen[prefix]) if prefix in seen else None for prefix in ("m_axis", "m_rejects"))
    report, record = (seen[prefix]["data"] if prefix in seen else None for prefix in ("m_report", "m_records"))
    return player.sample(bool(taken), beat, report, reject, record)
