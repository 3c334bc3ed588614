"""Extra beats: as many follow a packet as the bytes that may be carried into it need, at every width."""

import pytest
from amaranth.hdl import Const, Module
from runewire_model import ValidatorParameters
from runewire_model.packet_beats import extra_beats
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.segments.extra_beats import follow
from runewire_rtl.stream_shapes import input_beat


@pytest.mark.parametrize("lanes", [1, 2, 4, 32])
def test_a_last_beat_with_room_for_three_bytes_has_no_other_behind_it(cycles, lanes: int) -> None:
    """Packets of one beat with each number of bytes, one after the other."""
    m = Module()
    packets = input_beat(lanes, 1).create()
    stream = input_beat(lanes, 1, flags={"extra": 1, "final": 1}).create()
    follow(m, packets, stream, Restart(Const(0), Const(0)))
    core = ValidatorParameters(lanes, flows=2, id=1)
    stimuli, expected = [], []
    for kept in range(lanes + 1):
        extra = extra_beats(core, kept)
        packet = [(packets.valid, 1), (packets.payload.keep, (1 << kept) - 1), (packets.payload.last, 1),
                  (stream.ready, 1)]
        # The next packet waits meanwhile.
        stimuli += [packet, *[[]] * extra]
        expected += [(1, 0, int(not extra)), *((0, 1, int(left == 1)) for left in range(extra, 0, -1))]
    assert cycles(m, stimuli, [packets.ready, stream.payload.extra, stream.payload.final]) == expected
