"""Records and counters against an independent model: CPython's own codec, one line at a time."""

from collections.abc import Iterator
from random import Random

import pytest
from runewire_model import ENCODINGS, TranscoderParameters, ValidatorParameters
from runewire_model.report import Sidebands
from runewire_sim import Stalls, compare, generated, verilator
from runewire_sim.stimuli import random_packets

COUNT = ("code-points", "utf16-units", "replacements", "bytes", "records", "bad-records")
UTF8 = ENCODINGS["utf-8"]
ENDS = [b"\n", b"\n", b"\n", b"\n\n", b"\n\n\n\n", b""]


def line(random: Random) -> bytes:
    """Bytes without the delimiter; a sequence may continue in the next line."""
    kind = random.randrange(8)
    if kind < 3:
        return random.choice([b"", b"a", b"ok", "é".encode(), "😀".encode(), "a€b".encode(), b"level=info"])
    if kind < 5:
        return random.choice(UTF8.wrong).replace(b"\n", b"")
    if kind < 6:
        return "€😀é".encode()[: random.randrange(10)]
    return bytes(random.choices(UTF8.edges, k=random.randrange(5))).replace(b"\n", b"")


def packets(count: int, seed: int) -> Iterator[bytes]:
    random = Random(seed)
    for _ in range(count):
        yield b"".join(line(random) + random.choice(ENDS) for _ in range(random.choice((0, 1, 1, 2, 3, 6))))


def is_ill_formed(record: bytes) -> bool:
    try:
        record.decode()
    except UnicodeDecodeError:
        return True
    return False


def apart(packet: bytes) -> tuple[tuple[bool, ...], dict[str, int]]:
    """For each record whether it is ill-formed, and the counters."""
    parts = packet.split(b"\n")
    records = tuple(map(is_ill_formed, parts if parts[-1] else parts[:-1]))
    text = packet.decode(errors="replace")
    return records, {
        "code_points": len(text), "utf16_units": len(text.encode("utf-16-le")) // 2,
        "replacements": len(text) - len(packet.decode(errors="ignore")), "bytes": len(packet),
        "records": len(records), "bad_records": sum(records),
    }


@pytest.mark.parametrize(("lanes", "count"), [
    (1, 20_000), pytest.param(8, 20_000, marks=pytest.mark.slow),
    *(pytest.param(lanes, 100_000, marks=[pytest.mark.slow, pytest.mark.records]) for lanes in (1, 8, 64))])
def test_records_and_counters_are_those_of_cpython(lanes: int, count: int) -> None:
    parameters = ValidatorParameters(lanes, records=0x0A, count=COUNT)
    sent = list(packets(count, lanes))
    assert sum(map(is_ill_formed, sent)) > count / 10
    stalls = Stalls(0.2, 0.3, lanes)
    with verilator.run(generated(parameters), sent, stalls) as run:
        for packet, (result, _) in zip(sent, run.packets(), strict=True):
            assert (result.records, result.counts) == apart(packet), packet.hex()
            assert result.output == packet
    assert run.protocol_errors == []


def units_apart(packet: bytes, size: int) -> tuple[list[tuple[int, int]], int]:
    """The ill-formed records of units of ``size`` bytes, by CPython's codec: number and offset in units; and the number
    of records."""
    little = packet.startswith((b"\xFF\xFE", b"\xFF\xFE\0\0")[size // 4])
    codec, delimiter = (("le", b"\n" + bytes(size - 1)) if little else ("be", bytes(size - 1) + b"\n"))
    lines: list[list[bytes]] = [[]]
    for at in range(0, len(packet), size):
        lines[-1].append(packet[at : at + size])
        if lines[-1][-1] == delimiter:
            lines.append([])
    found = []
    lines = lines if lines[-1] else lines[:-1]
    for number, line in enumerate(lines):
        try:
            b"".join(line).decode(f"utf-{8 * size}-{codec}")
        except UnicodeDecodeError as error:
            found.append((number, error.start // size))
    return found, len(lines)


@pytest.mark.parametrize(("source", "lanes", "pipeline"), [
    ("utf-16", 2, "fast"), *(pytest.param(*core, marks=pytest.mark.slow) for core in (
        ("utf-16", 8, "balanced"), ("utf-16", 1, "fast"), ("utf-16", 4, "compact"), ("utf-32", 1, "fast"),
        ("utf-32", 8, "fast"), ("utf-32", 2, "compact"), ("utf-16", 64, "fast")))])
def test_records_of_units_are_those_of_cpython(source: str, lanes: int, pipeline: str) -> None:
    reports = pipeline != "compact"
    core = TranscoderParameters(source, None, lanes, pipeline=pipeline, sidebands=Sidebands(
        records=0x0A, record_report=reports, count=("records", "bad-records")))
    random, size = Random(lanes), core.reads.unit_bytes
    sent = []
    for packet in random_packets(core, 3000, lanes, 6 * lanes + 20):
        delimiter = core.reads.order_of(packet).encode([0x0A])
        # The packet's first unit stays: it may be the byte order mark.
        units = [delimiter if at and random.random() < 0.25 else packet[at : at + size]
                 for at in range(0, len(packet), size)]
        sent.append(b"".join(units))
    with verilator.run(generated(core), sent, Stalls(0.3, 0.2, lanes)) as run:
        assert compare(core, sent, run).agree, "flags in other places"
    ill_formed = 0
    for stalls in (Stalls(0.2, 0.3, lanes), Stalls(records=0.9)):
        with verilator.run(generated(core), sent, stalls) as run:
            for packet, (result, _) in zip(sent, run.packets(), strict=True):
                bad, count = units_apart(packet, size)
                assert [number for number, wrong in enumerate(result.records) if wrong] == [n for n, _ in bad]
                assert (len(result.records), result.output) == (count, packet)
                assert result.counts == {"records": count, "bad_records": len(bad)}
                assert not reports or [(each.record, each.offset) for each in result.bad_records] == bad, packet.hex()
                ill_formed += len(bad)
        assert run.protocol_errors == []
    assert ill_formed > 500
