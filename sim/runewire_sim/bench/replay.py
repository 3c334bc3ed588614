"""A cocotb bench that plays packets from a file and writes the results as they come (`runewire_sim.frames`).

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

from ..axis import Beat, Player
from ..frames import event_bytes, read_packets
from ..results import Event
from ..stalls import Stalls
from .drivers import number, ready, reset, start

SAMPLED = ("s_axis_tready", "m_axis_tvalid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser")


@cocotb.test
async def replay(dut: Any) -> None:
    """Plays the packets; what is wrong with the results is for their reader to say."""
    parameters = TranscoderParameters.of(json.loads(os.environ["RUNEWIRE_CORE"]))
    stalls = Stalls(**json.loads(os.environ.get("RUNEWIRE_STALLS", "{}")))
    packets, output = os.environ["RUNEWIRE_PACKETS"], os.environ["RUNEWIRE_RESULTS"]
    with open(packets, "rb") as source, open(output, "wb") as results:
        player = Player(parameters, read_packets(source), stalls)
        start(dut)
        await reset(dut)
        await ready(dut)
        rising, falling = RisingEdge(dut.aclk), FallingEdge(dut.aclk)
        shown: Beat | None = None
        while not player.finished:
            offer, taken = player.drive()
            if offer is not shown:
                shown = offer
                beat = offer or player.noise()
                dut.s_axis_tdata.value = beat.data
                dut.s_axis_tkeep.value = beat.keep
                dut.s_axis_tlast.value = beat.last
                dut.s_axis_tvalid.value = offer is not None
            dut.m_axis_tready.value = taken
            await falling
            for event in _sampled(dut, player):
                results.write(event_bytes(event))
            if player.cycle % 256 == 0:
                results.flush()
            await rising


def _sampled(dut: Any, player: Player) -> Iterator[Event]:
    numbers: list[int] = []
    for name in SAMPLED:
        if len(numbers) == 2 and not numbers[1]:
            return player.sample(bool(numbers[0]), None)
        value = number(getattr(dut, name))
        if value is None:
            return player.unknown(name)
        numbers.append(value)
    ready, _, data, keep, last, user = numbers
    return player.sample(bool(ready), Beat(data, keep, bool(last), user))
