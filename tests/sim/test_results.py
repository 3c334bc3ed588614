"""Results: the outcome of a run, and the report at a packet's end."""

from collections.abc import Generator

import pytest
from runewire_model import ErrorKind, FirstError, PacketResult
from runewire_model.report import Sidebands
from runewire_sim import Chunk, PacketEnd, ProtocolError, Run, Stats
from runewire_sim.results import Event, PortReport
from runewire_sim.sidebands import ending, sent_sidebands

END = PacketEnd(0, 3, 4, 9, 12)
STATS = Stats(80, 3, 12, 2, 2, 10, 10)


OVERLONG = FirstError(ErrorKind.OVERLONG, 5)


def test_a_packets_end_says_its_error() -> None:
    assert PacketEnd(5 << 4 | ErrorKind.OVERLONG << 1 | 1, 0, 0, 0, 0).told().error == OVERLONG
    assert PacketEnd(0, 0, 0, 0, 0).told().error is None
    with pytest.raises(ValueError, match="a report of 0x10 has no meaning"):
        PacketEnd(1 << 4, 0, 0, 0, 0).told()


@pytest.mark.parametrize("port", ["none", "beside", "only"])
@pytest.mark.parametrize("user", [0, 1, 70 - 6])
def test_an_ending_is_read_back(port: str, user: int) -> None:
    sidebands = Sidebands(count=("bytes",), report_port=port, user=user, id=3, dest=64)
    for number in range(20):
        sent = sent_sidebands(sidebands, number)
        expected = ending(sidebands, OVERLONG, {"bytes": number}, sent)
        end = PacketEnd(expected.tuser, 0, 0, 0, 0, tid=expected.id, tdest=expected.dest, report=expected.report)
        assert end.told(sidebands) == (True, OVERLONG, {"bytes": number})
        assert expected.tuser >> (0 if port == "only" else 36 + 32) == sent.user
        assert (sent.user >> user, expected.id >> 3) == (0, 0)


def test_what_goes_beside_packets_varies() -> None:
    sidebands = Sidebands(user=1, id=8, dest=64)
    sent = [sent_sidebands(sidebands, number) for number in range(200)]
    assert {each.user for each in sent} == {0, 1}
    assert len({each.id for each in sent}) > 100
    assert len({each.dest for each in sent}) == 200
    assert sent_sidebands(Sidebands(), 7) == (0, 0, 0, 0)


def events(closed: list[bool]) -> Generator[Event, None, None]:
    try:
        yield Chunk(b"ab", None)
        yield ProtocolError("bad")
        yield Chunk(b"c", END)
        yield STATS
    finally:
        closed.append(True)


def test_a_run_joins_the_chunks_of_a_packet() -> None:
    run = Run(events([]))
    assert list(run.packets()) == [(PacketResult(b"abc", None), END)]
    assert run.protocol_errors == ["bad"]
    assert run.stats == STATS
    assert (END.cycles, STATS.busy_cycles) == (10, 10)


def test_a_run_that_is_left_is_closed() -> None:
    closed: list[bool] = []
    with Run(events(closed)) as run:
        next(iter(run))
        with pytest.raises(RuntimeError, match="has not ended"):
            _ = run.stats
    assert closed == [True]


def test_a_packets_end_waits_for_its_report() -> None:
    def under_way() -> Generator[Event, None, None]:
        yield Chunk(b"a", END)
        yield Chunk(b"b", None)
        yield PortReport(7)
        yield PortReport(8)
        yield Chunk(b"c", END)
        yield Chunk(b"d", END)
        yield STATS

    chunks = list(Run(under_way(), Sidebands(report_port="only")))
    assert b"".join(chunk.output for chunk in chunks) == b"abcd"
    assert [chunk.end.report for chunk in chunks if chunk.end is not None] == [7, 8, None]


def test_records_of_a_packet_come_in_chunks() -> None:
    def under_way() -> Generator[Event, None, None]:
        yield Chunk(b"a\n", None, b"\0\1")
        yield Chunk(b"\xFF\nb", END, b"\0\3\1")
        yield STATS

    [(result, _)] = Run(under_way(), Sidebands(records=0x0A)).packets()
    assert result.records == (False, True, False)
