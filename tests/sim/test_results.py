"""Results: ``tuser``, and what a run gives."""

from collections.abc import Generator

import pytest
from runewire_model import ErrorKind, FirstError, PacketResult
from runewire_sim import Chunk, PacketEnd, ProtocolError, Run, Stats
from runewire_sim.results import Event, pack_tuser, unpack_tuser

END = PacketEnd(0, 3, 4, 9, 12)
STATS = Stats(80, 3, 12, 2, 2, 10, 10)


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("offset", [0, 1, 2**32 - 1])
def test_tuser_round_trips(kind: ErrorKind, offset: int) -> None:
    tuser = pack_tuser(FirstError(kind, offset))
    assert (tuser >> 35, tuser >> 32 & 7, tuser & 0xFFFFFFFF) == (1, kind, offset)
    assert unpack_tuser(tuser) == FirstError(kind, offset)


def test_tuser_without_error() -> None:
    assert pack_tuser(None) == 0
    assert unpack_tuser(0) is None


def test_an_offset_past_32_bits_wraps() -> None:
    assert pack_tuser(FirstError(ErrorKind.OVERLONG, 2**32 + 5)) == pack_tuser(FirstError(ErrorKind.OVERLONG, 5))


@pytest.mark.parametrize("tuser", [1, 1 << 32, 7 << 32, 1 << 35, 1 << 35 | 7 << 32])
def test_tuser_without_meaning(tuser: int) -> None:
    with pytest.raises(ValueError, match=f"{tuser:#011x} has no meaning"):
        unpack_tuser(tuser)


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
