"""Sidebands of a core: reports of every size, counters, records, user bits, tags, the report port.

Expected values come from CPython's codecs, independently of the model.
"""

import random
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from runewire_rtl import axi_top, describe, parameters

SNIPPETS = [b"a", b"\n", b"\n\n", b"bc", "é".encode(), "€".encode(), "😀".encode(), b"\xFF", b"\x80", b"\xE2\x82",
            b"\xF0\x9F", b"\xED\xA0\x80", b"\xC3\n", b"\xE2\x82\n", b"0123456789abcdef"]
ALL = ["code-points", "utf16-units", "replacements", "bytes", "ascii", "records", "bad-records"]
PLAIN = ALL[:5]


@dataclass
class Sent:
    """A packet as sent: its bytes and sidebands. ``empty_end``: an empty last beat follows full ones."""

    text: bytes
    user: int
    id: int
    dest: int
    empty_end: bool = False


@dataclass
class Got:
    """A packet as received: bytes, tuser of the last beat, tags of its beats, two bits per byte."""

    data: bytes
    tuser: int
    tags: set[tuple[int, int]]
    marks: list[int]


def play(simulate: Callable[..., None], top: Any, packets: list[Sent], names: list[str], lanes: int, out_bytes: int,
         marks_at: int | None, stall: float) -> tuple[list[Got], list[int]]:
    """Send packets through the ports ``names`` of a core, with stalls on every side."""
    rng = random.Random(len(packets) + lanes)
    got: list[Got] = []
    reports: list[int] = []
    has = names.__contains__

    async def feed(ctx):
        for packet in packets:
            beats = [packet.text[at : at + lanes] for at in range(0, max(1, len(packet.text)), lanes)]
            if packet.empty_end and len(packet.text) % lanes == 0 and packet.text:
                beats.append(b"")
            for number, beat in enumerate(beats):
                last = number == len(beats) - 1
                while rng.random() < stall:
                    ctx.set(top.s_axis_tvalid, 0)
                    ctx.set(top.s_axis_tdata, rng.getrandbits(8 * lanes))
                    ctx.set(top.s_axis_tlast, rng.getrandbits(1))
                    await ctx.tick()
                noise = rng.randbytes(lanes - len(beat))
                ctx.set(top.s_axis_tvalid, 1)
                ctx.set(top.s_axis_tdata, int.from_bytes(beat + noise, "little"))
                ctx.set(top.s_axis_tkeep, (1 << len(beat)) - 1)
                ctx.set(top.s_axis_tlast, last)
                if has("s_axis_tuser"):
                    width = len(top.s_axis_tuser)
                    ctx.set(top.s_axis_tuser, packet.user if last else rng.getrandbits(width))
                if has("s_axis_tid"):
                    ctx.set(top.s_axis_tid, packet.id)
                if has("s_axis_tdest"):
                    ctx.set(top.s_axis_tdest, packet.dest)
                ready = 0
                while not ready:
                    _, _, ready = await ctx.tick().sample(top.s_axis_tready)
        ctx.set(top.s_axis_tvalid, 0)

    async def drain(ctx):
        data, tags, marks = bytearray(), set(), []
        quiet = 0
        while len(got) < len(packets) or (has("m_report_tdata") and len(reports) < len(packets)):
            take = rng.random() >= stall
            ctx.set(top.m_axis_tready, take)
            watched = {name: getattr(top, name) for name in names
                       if name.startswith("m_axis") and name != "m_axis_tready"}
            values = await ctx.tick().sample(*watched.values())
            seen = dict(zip(watched, (int(value) for value in values[2:]), strict=True))
            quiet += 1
            assert quiet < 3000, "no more beats"
            if not (seen["m_axis_tvalid"] and take):
                continue
            quiet = 0
            keep, user = seen["m_axis_tkeep"], seen.get("m_axis_tuser", 0)
            octets = seen["m_axis_tdata"].to_bytes(out_bytes, "little")
            lanes_kept = [lane for lane in range(out_bytes) if keep >> lane & 1]
            data += bytes(octets[lane] for lane in lanes_kept)
            tags.add((seen.get("m_axis_tid", 0), seen.get("m_axis_tdest", 0)))
            if marks_at is not None:
                told = user >> marks_at
                user &= (1 << marks_at) - 1
                marks += [told >> 2 * lane & 3 for lane in lanes_kept]
                assert told >> 2 * len(lanes_kept) == 0, "marks where no byte is kept"
            if seen["m_axis_tlast"]:
                got.append(Got(bytes(data), user, set(tags), list(marks)))
                data, tags, marks = bytearray(), set(), []
            else:
                assert user == 0, "tuser before the last beat"

    async def listen(ctx):
        while len(reports) < len(packets):
            take = rng.random() >= stall
            ctx.set(top.m_report_tready, take)
            _, _, valid, report = await ctx.tick().sample(top.m_report_tvalid, top.m_report_tdata)
            if valid and take:
                assert len(reports) < len(got), "a report before its packet's end"
                reports.append(int(report))

    simulate(top, feed, drain, *([listen] if has("m_report_tdata") else []))
    return got, reports


def subparts(text: bytes) -> int:
    """Ill-formed subparts: the parts that CPython replaces."""
    found = 0
    while True:
        try:
            text.decode()
        except UnicodeDecodeError as error:
            found += 1
            text = text[error.end :]
        else:
            return found


def lines(text: bytes) -> list[bytes]:
    *ended, rest = text.split(b"\n")
    return [*(line + b"\n" for line in ended), *([rest] if rest else [])]


def counters(text: bytes, drop: bool = False) -> dict[str, int]:
    string = text.decode(errors="ignore" if drop else "replace")
    bad = [subparts(line) > 0 for line in lines(text)]
    return {"code_points": len(string), "utf16_units": len(string.encode("utf-16le")) // 2,
            "replacements": subparts(text), "bytes": len(text),
            "ascii": sum(byte < 0x80 for byte in text), "records": len(bad), "bad_records": sum(bad)}


def some(lanes: int, count: int, widths: dict[str, int]) -> Iterator[Sent]:
    rng = random.Random(lanes)
    for _ in range(count):
        text = b"".join(rng.choices(SNIPPETS, k=rng.choice([0, 1, 2, 5, 30])))
        yield Sent(text, *(rng.getrandbits(widths.get(name, 0)) for name in ("user", "id", "dest")),
                   empty_end=rng.random() < 0.3)


CONFIGURATIONS: list[tuple[str, dict[str, Any]]] = [
    *(("validator", {"report": amount}) for amount in ("flag", "kind", "none")),
    ("validator", {"report": "none", "user": 3}),
    ("validator", {"report": "flag", "user": 1, "id": 4, "dest": 2}),
    ("validator", {"count": ALL, "records": 0x0A, "user": 2}),
    ("validator", {"report": "none", "records": 0x0A}),
    ("validator", {"report_port": "beside", "count": ["bytes"], "offset_bits": 16}),
    ("validator", {"report_port": "only", "records": 0x0A, "user": 2, "id": 1, "count": ["bad-records"]}),
    ("decoder", {"count": PLAIN, "errors": "drop", "offset_bits": 24}),
    ("decoder", {"count": PLAIN, "user": 5, "id": 3, "dest": 9}),
    ("decoder", {"report_port": "only", "id": 6}),
    ("decoder", {"packing": "sparse", "count": PLAIN, "user": 1, "id": 2}),
    ("decoder", {"report": "flag", "pipeline": "compact", "user": 2, "dest": 3}),
    ("validator", {"pipeline": "compact", "records": 0x0A, "count": ALL}),
]


@pytest.mark.parametrize(("core", "options", "lanes"), [
    pytest.param(core, options, lanes, id=f"{core}-{lanes}-{options}",
                 marks={1: [], 4: [pytest.mark.slow], 8: [pytest.mark.slow, pytest.mark.records]}[lanes])
    for core, options in CONFIGURATIONS for lanes in (1, 4, 8)
])
def test_beside_the_data(simulate, core: str, options: dict[str, Any], lanes: int) -> None:
    params = parameters(core, lanes=lanes, **options)
    top, about = axi_top(params), describe(params)
    fields, names = about["tuser"]["fields"], [port["name"] for port in about["ports"]]
    marks_at = fields.get("marks", {}).get("lsb")
    packets = list(some(lanes, 40, options))
    got, reports = play(simulate, top, packets, names, lanes, params.output_bytes, marks_at, 0.3)
    drop = options.get("errors") == "drop"
    for index, (packet, result) in enumerate(zip(packets, got, strict=True)):
        text = packet.text
        string = text.decode(errors="ignore" if drop else "replace")
        assert result.data == (text if core == "validator" else b"".join(struct.pack("<I", ord(c)) for c in string))
        assert result.tags == {(packet.id, packet.dest)}
        told = {name: result.tuser >> field["lsb"] & (1 << field["width"]) - 1
                for name, field in fields.items() if name != "marks"}
        if "user" in fields:
            assert told.pop("user") == packet.user
        if "report" in about:
            said = {name: reports[index] >> field["lsb"] & (1 << field["width"]) - 1
                    for name, field in about["report"]["fields"].items()}
            assert options["report_port"] == "only" or said == told
            assert options["report_port"] == "beside" or not told
            told = said
        wrong = subparts(text) > 0
        if options.get("report", "full") != "none":
            assert told.pop("error") == (wrong or (options.get("user", 0) > 0 and packet.user & 1))
        if "kind" in told:
            assert (told.pop("kind") > 0) == wrong
        if "offset" in told:
            assert told.pop("offset") == (first_error(text) if wrong else 0)
        expected = counters(text, drop)
        assert told == {name.replace("-", "_"): expected[name.replace("-", "_")] for name in options.get("count", [])}
        if marks_at is not None:
            assert result.marks == [
                mark for line in lines(text) for mark in [*[0] * (len(line) - 1), 3 if subparts(line) else 1]]


def first_error(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    raise AssertionError("well-formed")


@pytest.mark.slow
@pytest.mark.records
def test_what_does_not_fit_reads_as_all_ones(simulate) -> None:
    lanes = 8
    params = parameters("validator", lanes=lanes, offset_bits=16, count=["bytes"])
    most = (1 << 16) - 1
    sizes = [most - 2, most - 1, most, most + 1]
    packets = [Sent(bytes(65 for _ in range(size)) + b"\xE2\x82", 0, 0, 0) for size in sizes]
    names = [port["name"] for port in describe(params)["ports"]]
    got, _ = play(simulate, axi_top(params), packets, names, lanes, lanes, None, 0.0)
    for size, result in zip(sizes, got, strict=True):
        offset, count = result.tuser >> 4 & most, result.tuser >> 20
        assert (offset, count) == (min(size, most), min(size + 2, most))
