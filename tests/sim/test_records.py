"""Records and counters against an independent model: CPython's own codec, one line at a time."""

from collections.abc import Iterator
from random import Random

import pytest
from runewire_model import ENCODINGS, ValidatorParameters
from runewire_sim import Stalls, generated, verilator

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
