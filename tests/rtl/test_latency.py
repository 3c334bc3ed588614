"""One beat a cycle: from a packet's first input beat to its last output beat, its beats and the latency.

    cycles = input beats - 1 + latency_cycles

counted from the transfer of the packet's first input beat to the offer of its last output beat, while
neither side pauses.
"""

import random

import pytest
from runewire_rtl import describe, parameters
from runewire_sim import generated, simulate

LANES = {"validator": (1, 2, 4, 8), "decoder": (1, 2, 4, 8), "encoder": (1, 2, 4)}
CONFIGURATIONS = [
    *(({"core": core, "lanes": lanes}) for core, widths in LANES.items() for lanes in widths),
    *({"core": "decoder", "lanes": lanes, "packing": "sparse"} for lanes in (1, 2, 4, 8)),
    *({"core": core, "lanes": lanes, "pipeline": pipeline}
      for pipeline in ("balanced", "compact") for core, lanes in (("validator", 4), ("decoder", 2), ("encoder", 1))),
    {"core": "decoder", "lanes": 8, "packing": "sparse", "pipeline": "compact"},
    {"core": "decoder", "lanes": 4, "errors": "drop", "bom": "strip"},
]


def packets(unit: int, lanes: int) -> list[bytes]:
    """Packets of text, damage and noise of all lengths, empty and one-item ones after each other among them."""
    rng = random.Random(unit * lanes)
    lengths = [0] * 12 + [1] * 24 + [0, 1, lanes, lanes + 1, lanes - 1, 0, 2 * lanes] * 3
    lengths += [rng.choice([0, 1, rng.randrange(4 * lanes), rng.randrange(16 * lanes)]) for _ in range(40)]
    if unit == 4:
        values = [0x41, 0x7FF, 0x20AC, 0x1F600, 0xD800]
        return [b"".join(rng.choice(values).to_bytes(4, "little") for _ in range(length)) for length in lengths]
    texts = ["plain ascii text " * 20, "это кириллица " * 20, "漢字かな交じり文" * 20, "😀🎉" * 40]
    made = [rng.choice(texts).encode()[:length] for length in lengths]
    return [rng.randbytes(len(packet)) if rng.random() < 0.2 else packet for packet in made]


@pytest.mark.parametrize("options", CONFIGURATIONS, ids=lambda o: "-".join(str(value) for value in o.values()))
def test_cycles_are_beats_and_latency(options: dict[str, object]) -> None:
    params = parameters(**options)
    latency = describe(params)["latency_cycles"]
    sent = packets(4 if params.core == "encoder" else 1, params.lanes)
    with simulate(generated(params), sent, simulator="amaranth") as run:
        results = list(run.packets())
    assert len(results) == len(sent)
    start = results[0][1].first_in
    for packet, (result, end) in zip(sent, results, strict=True):
        assert result == params.compute(packet)
        beats = max(1, -(-len(packet) // params.input_bytes))
        assert end.first_in == start, "the input waited"
        assert end.last_out - end.first_in == beats - 1 + latency
        start += beats
