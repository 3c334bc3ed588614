"""cocotb bench for a board's pins alone: cocotbext-uart sends and receives, Python's codec has the answers."""

import codecs
import json
import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotbext.uart import UartSink, UartSource
from runewire_model.texts import SCRIPTS, damage, generate

BAUD = 3_000_000
BITS = 10
FIRST_ERRORS = {
    b"": 0, "no, it is fine: é€😀\n".encode(): 0,
    b"\xff\n": 1, b"ab\xe2\x82\n": 2, b"\xe2\x82A\n": 2, b"caf\x80\n": 3, b"\xc0\x80\n": 4, b"\xf0\x8f\xbf\xbf\n": 4,
    b"\xf4\x90\x80\x80\n": 5, b"\xed\xa0\x80\n": 6, b"\xed\xa0\x80 \xff\n": 6, b"A\n\xff\n\x80\n": 1,
}
"""Lines, and the kind of the first error in them, by the numbers of docs/semantics.md."""

codecs.register_error("question mark", lambda error: ("?", error.end))


def expected(data: bytes) -> bytes:
    """The same text with a question mark for each part that Python replaces."""
    return data.decode("utf-8", "question mark").encode()


class Board:
    """The pins of the board: ``RUNEWIRE_PINS`` tells their names, and of lamps and button whether they are inverted."""

    def __init__(self, dut: Any, baud: int = BAUD) -> None:
        self.dut, self.pins = dut, json.loads(os.environ["RUNEWIRE_PINS"])
        name, hertz = self.pins["clock"]
        Clock(getattr(dut, name), round(1e12 / hertz / 2) * 2, unit="ps").start()
        self.press(False)
        self.source = UartSource(dut.uart_0__rx__io, baud=baud)
        self.sink = UartSink(dut.uart_0__tx__io, baud=BAUD)
        self.source.log.setLevel("WARNING")
        self.sink.log.setLevel("WARNING")

    def press(self, pressed: bool) -> None:
        name, inverted = self.pins["button"]
        getattr(self.dut, name).value = pressed ^ inverted

    def lamp(self, of: str) -> int:
        name, inverted = self.pins[of]
        return int(getattr(self.dut, name).value) ^ inverted

    @property
    def kind(self) -> int:
        return sum(self.lamp(f"kind {bit}") << bit for bit in range(3))

    async def clear(self) -> None:
        self.press(True)
        await Timer(2, "us")
        self.press(False)
        await Timer(2, "us")

    async def answer(self, data: bytes) -> bytes:
        """What comes back of ``data``, which ends in a newline and is sent without pauses; hardly later than it is
        sent."""
        await self.source.write(data)
        await self.source.wait()
        await Timer(16, "us")
        return bytes(self.sink.read_nowait())


async def started(dut: Any, baud: int = BAUD) -> Board:
    board = Board(dut, baud)
    await Timer(30, "us")
    return board


def texts(size: int) -> bytes:
    """Text of many scripts, and a newline after each."""
    return b"".join(generate(script, size, 1).rstrip(b"\n") + b"\n" for script in sorted(SCRIPTS))


@cocotb.test
async def real_text_comes_back_as_it_is_from_a_sender_that_is_fast(dut: Any) -> None:
    board = await started(dut, round(BAUD * 1.01))
    await board.clear()
    sent = texts(int(os.environ["RUNEWIRE_BYTES"]))
    assert sent.decode().encode() == sent
    assert await board.answer(sent) == sent
    assert (board.kind, board.lamp("lost"), board.lamp("error")) == (0, 0, 0)


@cocotb.test
async def damage_comes_back_as_question_marks(dut: Any) -> None:
    board = await started(dut)
    await board.clear()
    chance = random.Random(2)
    noise = bytes(chance.choice(b"\x0a\x41\x80\xbf\xc0\xc3\xe0\xe2\xed\xf0\xf4\xff") for _ in range(150)) + b"\n"
    sent = damage(texts(int(os.environ["RUNEWIRE_BYTES"]) // 4), 0.1, 3) + b"\n" + noise
    assert b"?" in expected(sent)
    assert await board.answer(sent) == expected(sent)
    assert board.lamp("lost") == 0


@cocotb.test
async def lamps_show_the_first_error_until_the_button_is_pressed(dut: Any) -> None:
    board = await started(dut)
    for data, kind in FIRST_ERRORS.items():
        await board.clear()
        assert (board.kind, board.lamp("error")) == (0, 0)
        await board.answer(data)
        assert (board.kind, board.lamp("error")) == (kind, kind > 0), data
        assert board.lamp("lost") == 0


@cocotb.test
async def a_break_is_a_lost_byte_and_text_goes_on(dut: Any) -> None:
    board = await started(dut)
    await board.clear()
    dut.uart_0__rx__io.value = 0
    await Timer(12_000, "ns")
    dut.uart_0__rx__io.value = 1
    await Timer(2, "us")
    assert board.lamp("lost") == 1
    assert await board.answer("weiter: ü\n".encode()) == "weiter: ü\n".encode()
    await board.clear()
    assert board.lamp("lost") == 0
