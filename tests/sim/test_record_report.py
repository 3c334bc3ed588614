"""Record report: each ill-formed record against CPython's codec and the golden model, one record at a time."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from runewire_model import ENCODINGS, TranscoderParameters, parameters
from runewire_model.records import BadRecord
from runewire_sim import Stalls, compare, generated, simulate, verilator

UTF8 = ENCODINGS["utf-8"]
OPTIONS: dict[str, Any] = {"records": 0x0A, "record_report": True}
WRONG = (b"\xFF", b"\xE2\x82", b"\xF0\x9F\x98", b"\x80", b"\xC0\x80", b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\xE2")
SLOW_SINK = Stalls(records=0.9)


def record(random: Random, lanes: int) -> bytes:
    """A record without its delimiter: short, or longer than some beats; well-formed, or not, at any place."""
    size = random.choice((0, 1, 2, 3, lanes - 1, lanes, lanes + 1, random.randrange(3 * lanes + 4)))
    text = bytearray("aé€😀".encode() * size)[:size]
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        at = random.randrange(size + 1)
        text[at:at] = random.choice(WRONG)
    return bytes(text).replace(b"\n", b"")


def packets(count: int, lanes: int) -> Iterator[bytes]:
    random = Random(lanes)
    for _ in range(count):
        found = [record(random, lanes) for _ in range(random.choice((0, 1, 1, 2, 5, 9)))]
        yield b"\n".join(found) + b"\n" * random.choice((0, 1, 2))


def apart(packet: bytes) -> tuple[BadRecord, ...]:
    """The ill-formed records by CPython's codec; the kind of an error is the model's."""
    found = []
    for number, line in enumerate(packet.split(b"\n")):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            first = UTF8.first_error(line)
            assert first is not None
            found.append(BadRecord(number, first.kind, error.start))
    return tuple(found)


@pytest.mark.parametrize("stalls", [Stalls(0.2, 0.3, 1), SLOW_SINK, Stalls(0, 0.8, 2, records=0.0), Stalls()], ids=str)
@pytest.mark.parametrize(("lanes", "count"), [
    (1, 1000), (8, 3000),
    *(pytest.param(lanes, 100_000, marks=[pytest.mark.slow, pytest.mark.records]) for lanes in (1, 8, 64))])
def test_each_ill_formed_record_is_reported_as_if_it_were_alone(lanes: int, count: int, stalls: Stalls) -> None:
    core = parameters("validator", lanes=lanes, **OPTIONS)
    sent = list(packets(count, lanes))
    reported = 0
    with verilator.run(generated(core), sent, stalls) as run:
        for packet, (result, _) in zip(sent, run.packets(), strict=True):
            assert result.bad_records == apart(packet) == core.compute(packet).bad_records, packet.hex()
            reported += len(result.bad_records)
    assert run.protocol_errors == []
    assert reported > count / 2


@pytest.mark.parametrize("core", [
    parameters("validator", lanes=2, **OPTIONS, pipeline="balanced", null_bytes="anywhere"),
    *(pytest.param(core, marks=pytest.mark.slow) for core in (
        parameters("validator", lanes=4, **OPTIONS, reject_nul=True, report="none", offset_bits=33),
        parameters("validator", lanes=16, **OPTIONS, family="generic", report_port="only", user=3, id=4),
        parameters("validator", lanes=32, records=0, record_report=True, pipeline="balanced", early=True),
        TranscoderParameters("ascii", None, 8, sidebands=parameters("validator", **OPTIONS).sidebands),
        TranscoderParameters("latin-1", None, 4, reject_nul=True,
                             sidebands=parameters("validator", **OPTIONS).sidebands)))], ids=str)
def test_other_cores_agree_with_the_model(core: TranscoderParameters) -> None:
    sent = [packet.replace(b"\n", bytes([core.sidebands.records or 0])) for packet in packets(2000, core.lanes)]
    sent += [b"a\0b\n", b"\0\n\n\0"] * 5
    for stalls in (Stalls(0.2, 0.3, 1, 0.3 * core.holes), Stalls(0, 0, 2, 0.3 * core.holes, records=0.9)):
        with simulate(generated(core), sent, stalls) as run:
            report = compare(core, sent, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.bad_records > 5


def test_simulators_agree_on_ill_formed_records(simulator: str) -> None:
    core = parameters("validator", lanes=4, **OPTIONS)
    sent = list(packets(60, 4))
    with simulate(generated(core), sent, Stalls(0.2, 0.3, 3), simulator=simulator) as run:
        report = compare(core, sent, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.bad_records > 20


@pytest.mark.parametrize(("lanes", "packet"), [
    *((lanes, b"a" * place + b"\xFF\n\xE2\n") for lanes in (1, 8)
      for place in (0xFFFC, 0xFFFE, 0xFFFF, 0x10000, 0x20001)),
    *((lanes, b"a" * 0x1FFFE + b"\xF0\x9F\x98\n") for lanes in (1, 8)),
    (8, b"a" * 0xFFFD + b"\xE2\x82"), (8, b"a" * 0xFFFF + b"\xF0\x9F\x98\n"), (1, b"a" * 0xFFFE + b"\xF0\x9F\x98\n"),
    (8, b"\n" * 0xFFFD + b"\xFF\n" * 5), (1, b"\n" * 0xFFFD + b"\xFF\n" * 5)], ids=lambda value: str(value)[:8])
def test_numbers_that_do_not_fit_are_all_ones(lanes: int, packet: bytes) -> None:
    core = parameters("validator", lanes=lanes, **OPTIONS, offset_bits=16)
    expected = [BadRecord(min(each.record, 0xFFFF), each.kind, min(each.offset, 0xFFFF)) for each in apart(packet)]
    with verilator.run(generated(core), [packet, b"\xFF"]) as run:
        (first, _), (second, _) = run.packets()
    assert list(first.bad_records) == expected
    assert second.bad_records == apart(b"\xFF")


def turns(packet: bytes, lanes: int) -> int:
    """Cycles of a packet's beats: one for each ill-formed record that ends in a beat, and at least one."""
    ends = [at for at, octet in enumerate(packet) if octet == 0x0A]
    last = [ends[bad.record] // lanes for bad in apart(packet)]
    return sum(max(1, last.count(beat)) for beat in range(-(-len(packet) // lanes)))


@pytest.mark.parametrize("record", [b"abcdefg\n", b"a\xFFbcdef\n", b"ab\xFFc\xFFdefg\n", b"\xFFbc\n", b"\xFF\n"],
                         ids=["none", "one a beat", "across beats", "two a beat", "four a beat"])
def test_a_beat_and_an_ill_formed_record_per_cycle(record: bytes) -> None:
    core = parameters("validator", lanes=8, **OPTIONS)
    packet = record * 800
    with verilator.run(generated(core), [packet]) as run:
        (result, _), = run.packets()
    assert len(result.bad_records) == (800 if b"\xFF" in record else 0)
    beats, cycles = len(packet) // 8, turns(packet, 8)
    assert cycles == max(beats, len(result.bad_records))
    # The queue holds the last beats while the core is done.
    assert beats <= run.stats.busy_cycles <= cycles + 64
    assert run.stats.busy_cycles >= cycles - 200
