"""Soak of lines: its traffic reaches every border; each comparison finds faults of records."""

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
import runewire_rtl
from runewire_model import FirstError, TranscoderParameters, parameters
from runewire_model.filtering import filtered
from runewire_model.moved_records import ENDS, ILL_FORMED
from runewire_rtl.filtering import record_buffer
from runewire_rtl.splitting import aligning
from runewire_sim import VerilogDesign
from runewire_sim.rejects import rejected_record
from runewire_sim.results import Chunk, PacketEnd, RejectedRecord
from runewire_sim.sidebands import NO_SIDEBANDS, ending
from runewire_sim.soak import Round, SoakRecord, comparison, line_cores, line_round, playing, soak_round
from runewire_sim.soak import line_rounds as traffic
from runewire_sim.stalls import Stalls

LANES = 8
LONGEST = 2 * LANES
FILTER = parameters("filter", lanes=LANES, longest=LONGEST, rejects=True)
SPLITTER = parameters("splitter", lanes=1, longest=2)
REPORTER = parameters("validator", lanes=1, records=0x0A, record_report=True)


def test_cores_of_every_kind_have_each_width_and_100_000_packets() -> None:
    cores = line_cores()
    assert len(cores) == len({*cores})
    kinds: dict[str, Callable[[TranscoderParameters], object]] = {
        "splitter": lambda core: core.core == "splitter",
        "split": lambda core: core.splits and core.core == "validator",
        "filter": lambda core: core.filters, "rejects": lambda core: core.sidebands.rejects,
        "record report": lambda core: core.sidebands.record_report,
        "record flags over segments": lambda core: core.sidebands.flows and core.sidebands.records == 0x0A,
    }
    for chosen in kinds.values():
        assert {core.lanes for core in cores if chosen(core)} >= {*traffic.LANES}
    assert traffic.PACKETS >= 100_000


def test_a_round_is_the_same_for_the_same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "PACKETS", 20)
    for number in range(len(line_cores()) // len(traffic.LANES)):
        this = line_round(3, number)
        assert this == line_round(3, number)
        assert this.packets != line_round(4, number).packets
        assert 0 < this.stalls.source == this.stalls.sink
    rejects = next(at for at, core in enumerate(line_cores()) if core.sidebands.rejects)
    assert line_round(3, rejects).stalls.rejects_pauses.threshold > 0.8 * 2**64


def test_records_end_and_are_ill_formed_at_every_border() -> None:
    sizes, errors, packets = set(), set(), list(islice(traffic.packets_of_records(FILTER, Random(1)), 5000))
    for packet in packets:
        for record in packet.split(b"\n"):
            sizes.add(len(record))
            try:
                record.decode()
            except UnicodeDecodeError as error:
                errors.add((len(record), error.start))
    assert sizes >= {*range(LONGEST + 2)}
    assert {start for _, start in errors} >= {*range(LONGEST + 1)}
    assert errors >= {(size, start) for size in range(1, LONGEST + 2) for start in (0, size - 1)}
    assert b"" in packets
    assert b"\n" in packets
    assert sum(packet.endswith(b"\n") for packet in packets) < len(packets) - 1000
    assert max(map(len, packets)) > 8 * LONGEST


def held(core: TranscoderParameters, packets: Sequence[bytes], results: Sequence[Chunk],
         rejects: Sequence[RejectedRecord] = ()) -> int | None:
    """The number of the first packet whose results differ from CPython's."""
    check = comparison._OracleCheck(core, packets)
    for chunk in results:
        check(chunk)
    for reject in rejects:
        check.reject(reject)
    found = check.finish()
    assert found is None or "CPython does not" in found.what
    return None if found is None else found.packet


def end(tuser: int, **more: Any) -> PacketEnd:
    return PacketEnd(tuser, 0, 0, 0, 0, **more)


def test_packets_of_a_splitter_are_those_of_cpython() -> None:
    packets = [b"abc\n", b"", b"\nd"]
    right = [Chunk(b"ab", end(1)), Chunk(b"c\n", end(0)), Chunk(b"\n", end(0)), Chunk(b"d", end(0))]
    assert held(SPLITTER, packets, right) is None
    assert held(SPLITTER, packets, right[:3]) == 2
    assert held(SPLITTER, packets, [Chunk(b"ab", end(0)), *right[1:]]) == 0
    assert held(SPLITTER, packets, [*right[:3], Chunk(b"e", end(0))]) == 2
    assert held(SPLITTER, packets, [*right[:2], *right[3:], right[2]]) == 2


@pytest.mark.parametrize(("delimiter", "empty", "outputs"), [
    ("keep", "keep", [b"ab", b"c\n", b"\n", b"\n", b"d"]), ("keep", "drop", [b"ab", b"c\n", b"d"]),
    ("drop", "keep", [b"ab", b"c", b"", b"", b"d"]), ("drop", "drop", [b"ab", b"c", b"d"])])
def test_delimiters_and_empty_records_of_cpython(delimiter: str, empty: str, outputs: list[bytes]) -> None:
    core = parameters("splitter", lanes=1, longest=2, delimiter=delimiter, empty=empty)
    right = [Chunk(output, end(int(output == b"ab"))) for output in outputs]
    assert held(core, [b"abc\n\n\nd"], right) is None


def test_output_and_rejects_of_a_filter_are_those_of_cpython() -> None:
    packets = [b"a\n", b"b\n\xC0\x80\n" + b"c" * (LONGEST + 1)]
    right = [Chunk(b"a\n", end(0)), Chunk(b"b\n", end(2))]
    rejects = [rejected_record(FILTER.sidebands, each, NO_SIDEBANDS)
               for each in filtered(packets[1], FILTER.sidebands)[1]]
    assert held(FILTER, packets, right, rejects) is None
    assert held(FILTER, packets, [right[0], Chunk(b"b\n", end(1))], rejects) == 1
    assert held(FILTER, packets, right, rejects[:1]) == 1
    assert held(FILTER, packets, right, rejects[::-1]) == 1
    kind, *others = FILTER.sidebands.reject_end
    no_kind = (1 << kind.width) - 1
    for wrong in (no_kind, *(rejects[0].tuser ^ 1 << other.lsb for other in others)):
        assert held(FILTER, packets, right, [RejectedRecord(rejects[0].data, wrong), rejects[1]]) == 1


def test_record_reports_are_those_of_cpython() -> None:
    packet = b"a\n\xC0\x80\nb\xFF"
    answer = REPORTER.compute(packet)
    assert isinstance(answer.error, FirstError)
    assert [(record.record, record.offset) for record in answer.bad_records] == [(1, 0), (2, 1)]
    marks = bytes((0, ENDS, 0, 0, ENDS | ILL_FORMED, 0, ENDS | ILL_FORMED))
    tuser = ending(REPORTER.sidebands, answer.error, answer.counts).tuser

    def agree(*records: Any) -> bool:
        return held(REPORTER, [packet], [Chunk(packet, end(tuser, bad_records=records), marks)]) is None

    first, second = answer.bad_records
    assert agree(first, second)
    assert not agree(first)
    assert not agree(first, second._replace(offset=0))
    assert not agree(first._replace(record=0), second)


FAULTS: list[tuple[TranscoderParameters, Any, Callable[[Any], Any]]] = [
    (FILTER, record_buffer.rejected, lambda sound: lambda fills, wrong: fills),
    (FILTER, record_buffer.to_good, lambda sound: lambda reject, ends, packet_ends: ~reject),
    (parameters("splitter", lanes=2), aligning.last_of, lambda sound: lambda goes_on: sound(goes_on) | goes_on),
]


@pytest.mark.slow
@pytest.mark.parametrize(("core", "point", "change"), FAULTS, ids=[
    "ill-formed records stay", "ends of packets are rejected", "rows end packets"])
def test_a_fault_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, core: TranscoderParameters,
                                     point: Any, change: Callable[[Any], Any]) -> None:
    with point.replaced(change):
        made = runewire_rtl.generate(core, tmp_path)
    packets = list(islice(traffic.packets_of_records(core, Random(3)), 60))
    monkeypatch.setattr(playing, "generated", lambda parameters: VerilogDesign(core, made.top, made.verilog))
    monkeypatch.setattr(playing, "line_round", lambda seed, number: Round(core, packets, Stalls(0.1, 0.1, 1)))
    failure = soak_round(SoakRecord(lines=True), tmp_path)
    assert failure is not None
    assert len(Path(failure.file).read_text().splitlines()) == 1
    assert f"simulate {core.core}" in failure.command
