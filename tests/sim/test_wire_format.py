"""The byte streams to and from a simulation in another process."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runewire_sim import Chunk, PacketEnd, ProtocolError, Stats
from runewire_sim.results import Event, PortReport
from runewire_sim.wire_format import event_bytes, events, read_packets, write_packets

NUMBER = st.integers(0, 2**64 - 1)
WIDE = st.integers(0, 2**600 - 1)
ENDS = st.none() | st.builds(PacketEnd, WIDE, NUMBER, NUMBER, NUMBER, NUMBER, tid=NUMBER, tdest=NUMBER)
OUTPUT = st.binary(max_size=300)
EVENTS = st.one_of(
    st.builds(Chunk, OUTPUT, ENDS),
    st.builds(lambda output, end: Chunk(output, end, bytes(octet & 3 for octet in output)), OUTPUT, ENDS),
    st.builds(PortReport, WIDE),
    st.builds(ProtocolError, st.text(max_size=50)),
    st.builds(Stats, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER),
)


@given(st.lists(st.binary(max_size=100)))
def test_packets_round_trip(packets: list[bytes]) -> None:
    stream = io.BytesIO()
    write_packets(packets, stream)
    stream.seek(0)
    assert list(read_packets(stream)) == packets


def test_a_packet_that_is_cut_off() -> None:
    stream = io.BytesIO()
    write_packets([b"abc"], stream)
    with pytest.raises(ValueError, match="a packet of 3 bytes is cut off after 2"):
        list(read_packets(io.BytesIO(stream.getvalue()[:-1])))


@given(st.lists(EVENTS, max_size=8), st.integers(1, 40))
def test_events_round_trip_however_they_arrive(sent: list[Event], step: int) -> None:
    stream = io.BytesIO(b"".join(map(event_bytes, sent)))
    assert list(events(lambda: stream.read(step))) == sent


@given(st.lists(EVENTS, min_size=1, max_size=4))
def test_an_event_that_is_cut_off_is_left_out(sent: list[Event]) -> None:
    stream = io.BytesIO(b"".join(map(event_bytes, sent))[:-1])
    assert list(events(lambda: stream.read(16))) == sent[:-1]
