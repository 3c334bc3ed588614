"""cocotb bench for a board with the filter: datagrams of lines, and Python's codec has the answer of each line."""

import io
import random
import struct
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import SimTimeoutError
from ethernet_wire import HERE, PORT, THERE, Peer, Wire, started
from runewire_model.texts import damage, generate

LONGEST = 1464


class Lines(NamedTuple):
    """A reply: four numbers, and the text."""

    to: Peer
    kind: int
    number: int
    offset: int
    record: int
    text: bytes


async def reply(wire: Wire) -> Lines:
    to, source, payload = await wire.reply_datagram()
    assert source == PORT
    kind, number, offset, record = struct.unpack_from(">4H", payload)
    return Lines(to, kind, number, offset, record, payload[8:])


def expected(text: bytes) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """The well-formed lines, and number, offset and bytes of each other one."""
    good, bad = b"", []
    for number, line in enumerate(io.BytesIO(text)):
        try:
            line.decode()
            good += line
        except UnicodeDecodeError as error:
            bad.append((number, error.start, line))
    return good, bad


async def exchange(wire: Wire, texts: list[bytes], peer: Peer = HERE) -> None:
    """Send datagrams, and compare all replies."""
    for text in texts:
        wire.send(wire.datagram(text, peer))
    first = None
    for number, text in enumerate(texts):
        good, bad = expected(text)
        kept = await reply(wire)
        first = kept.number if first is None else first
        assert kept == Lines(peer, 0, first + number, 0, len(bad), good)
        for record, offset, line in bad:
            rejected = await reply(wire)
            assert rejected.kind > 0
            to = peer._replace(port=peer.port + 1)
            assert rejected == Lines(to, rejected.kind, first + number, offset, record, line)


@cocotb.test
async def good_lines_and_bad_ones_have_a_port_each(dut: Any) -> None:
    wire = await started(dut)
    await exchange(wire, [b"{}\n", b"", b"\xff", b"a\n\xff\nb\xe2\x82\n\n\xed\xa0\x80", b"\n" * 30])
    every_kind = b"a\xff\nb\xe2\x82\n\x80\n\xc0\x80\n\xf4\x90\x80\x80\n\xed\xa0\x80"
    assert await _kinds(wire, every_kind) == [1, 2, 3, 4, 5, 6]


async def _kinds(wire: Wire, text: bytes) -> list[int]:
    wire.send(wire.datagram(text))
    kept = await reply(wire)
    return [(await reply(wire)).kind for _ in range(kept.record)]


@cocotb.test
async def real_lines_are_filtered_at_wire_speed(dut: Any) -> None:
    wire = await started(dut)
    chance = random.Random(2)
    texts = [damage(generate(script, chance.randint(100, 500), number), 0.01, number)
             for number, script in enumerate(("ascii", "latin", "chinese", "emoji", "mixed", "korean"))]
    await exchange(wire, [*texts, generate("cyrillic", LONGEST, 1)], THERE._replace(port=50_000))


@cocotb.test
async def damaged_and_long_datagrams_are_dropped(dut: Any) -> None:
    wire = await started(dut)
    wire.send(wire.datagram(b"\xff\n" * 20), spoil=True)
    wire.send(wire.datagram(generate("ascii", LONGEST + 1, 1)))
    wire.send(wire.datagram(b"other port", port=PORT + 1))
    await wire.silence()
    await exchange(wire, ["ü\n".encode()])


@cocotb.test
async def short_bad_lines_take_turns_with_no_loss(dut: Any) -> None:
    wire = await started(dut)
    await exchange(wire, [b"\xff\n" * 30, b"\xff" * 40, b"{}\n\xff\n" * 20])


@cocotb.test
async def datagrams_that_find_no_place_are_dropped_with_all_their_lines(dut: Any) -> None:
    wire = await started(dut)
    texts = [b"%d\n\xff\n\x80\n" % number for number in range(56)]
    for text in texts:
        wire.send(wire.datagram(text))
    answered = []
    first = None
    while True:
        try:
            kept = await reply(wire)
        except SimTimeoutError:  # the last ones were dropped
            break
        first = kept.number if first is None else first
        answered.append(kept.number - first)
        assert (kept.text, kept.record) == (b"%d\n" % answered[-1], 2)
        for record, line in ((1, b"\xff\n"), (2, b"\x80\n")):
            rejected = await reply(wire)
            assert (rejected.number, rejected.record, rejected.text) == (kept.number, record, line)
    assert 32 <= len(answered) < len(texts)
    assert answered == sorted(set(answered))
    await exchange(wire, [b"and on\n"])
