"""The buffer of datagrams: each goes out once, with its own port and its own word on more, and a damaged one never."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator
from runewire_fpga.boards.datagram_buffer import BYTES, DatagramBuffer
from runewire_fpga.boards.datagrams import LONGEST, WAITING

Datagram = tuple[bytes, int, bool, bool]
"""Text, port, more, and whether it is damaged."""


def passed(datagrams: list[Datagram], chance: random.Random, ready: float = 1,
           start: int = 1) -> tuple[list[tuple[bytes, int, bool]], int]:
    """What comes out of each datagram, and how many were not damaged; a datagram waits while the buffer is full, and
    nothing comes out before the cycle ``start``."""
    buffer = DatagramBuffer()
    output = buffer.beat
    out: list[tuple[bytes, int, bool]] = []
    senders: list[int] = []

    async def source(ctx: Any) -> None:
        for text, port, more, damaged in datagrams:
            await ctx.tick().repeat(40)
            while ctx.get(buffer.full):
                await ctx.tick()
            ctx.set(buffer.arriving.payload, {"port": port, "more": more})
            ctx.set(buffer.arriving.valid, 1)
            await ctx.tick()
            ctx.set(buffer.arriving.valid, 0)
            beats = [*text] or [0]
            for number, byte in enumerate(beats):
                last = number == len(beats) - 1
                ctx.set(buffer.text.payload, {"data": byte, "keep": bool(text), "last": last, "damaged": damaged})
                ctx.set(buffer.text.valid, 1)
                await ctx.tick()
            ctx.set(buffer.text.valid, 0)

    async def count(ctx: Any) -> None:
        async for *_, valid, port in ctx.tick().sample(buffer.sender.valid, buffer.sender.payload.port):
            if valid:
                senders.append(port)

    async def sink(ctx: Any) -> None:
        await ctx.tick().repeat(start)
        for _ in range(sum(not damaged for *_, damaged in datagrams)):
            text = b""
            for _ in range(2 * LONGEST):
                ctx.set(output.ready, chance.random() < ready)
                *_, valid, taken, beat = await ctx.tick().sample(output.valid, output.ready, output.payload)
                if valid and taken:
                    text += bytes([beat.data] * beat.keep)
                    if beat.last:
                        break
            else:
                pytest.fail("a datagram is missing")
            out.append((text, int(beat.port), bool(beat.more)))

    simulator = Simulator(buffer)
    simulator.add_clock(8e-9)
    simulator.add_testbench(source)
    simulator.add_testbench(count, background=True)
    simulator.add_testbench(sink)
    simulator.run()
    return out, len(senders)


@pytest.mark.parametrize("ready", [1.0, 0.4])
def test_each_datagram_goes_out_once_with_its_own_port(ready: float) -> None:
    chance = random.Random(1)
    datagrams = [(chance.randbytes(chance.choice((0, 1, 2, 9))), chance.randrange(1 << 16), chance.random() < 0.5,
                  chance.random() < 0.3) for _ in range(40)]
    expected = [datagram[:3] for datagram in datagrams if not datagram[3]]
    assert passed(datagrams, chance, ready) == (expected, len(expected))


def test_the_buffer_is_full_before_a_datagram_finds_no_room() -> None:
    """More bytes than it stores, and more datagrams, come before the first goes out."""
    chance = random.Random(2)
    long = [(chance.randbytes(LONGEST), port, False, False) for port in range(BYTES // LONGEST + 2)]
    short = [(b"a", port, True, False) for port in range(WAITING + 4)]
    for datagrams, start in ((long, 2 * BYTES), (short, 60 * WAITING)):
        assert passed(datagrams, chance, start=start)[0] == [datagram[:3] for datagram in datagrams]
