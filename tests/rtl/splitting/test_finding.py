"""Records that end and begin in each lane of a beat, also of a wide one."""

from random import Random

import pytest
from runewire_model.report import Sidebands
from runewire_rtl.splitting.finding import find


@pytest.mark.parametrize("empty", ["keep", "drop"])
@pytest.mark.parametrize("lanes", [1, 4, 32])
def test_records_end_and_begin_in_each_lane(lane_bench, beat, lanes: int, empty: str) -> None:
    """An empty record is a delimiter alone, which neither begins nor ends one where such records are dropped."""
    bench, random = lane_bench(lanes, lookahead=False, gaps=0.0), Random(lanes)
    found = find(bench.source, Sidebands(split=0x0A, empty=empty))
    beats, expected = [], []
    for _ in range(15):
        packet = [random.choice((0x41, 0x0A, 0x4A)) for _ in range(random.randrange(1, 3 * lanes + 1))]
        pairs = [*zip(packet, [0x0A, *packet[:-1]], strict=True)]
        ends = [octet == 0x0A and (empty == "keep" or last != 0x0A) for octet, last in pairs]
        starts = [last == 0x0A and (empty == "keep" or octet != 0x0A) for octet, last in pairs]
        for at in range(0, len(packet), lanes):
            here = packet[at : at + lanes]
            none = [0] * (lanes - len(here))
            # After the packet's end the lanes have noise.
            noise = [random.choice((0x41, 0x0A)) for _ in none]
            beats.append(beat([*here, *noise], (1 << len(here)) - 1, at + lanes >= len(packet)))
            expected.append((*ends[at : at + lanes], *none, *starts[at : at + lanes], *none))
    assert bench.run(beats, [*found.slots, *found.starts]) == expected
