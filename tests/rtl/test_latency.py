"""One beat per cycle: from a packet's first input beat to its last output beat, its beats and the latency.

    cycles = input beats - 1 + latency_cycles

from the transfer of the packet's first input beat until `valid` is high for its last output beat, if neither side
pauses.
"""

import random
from itertools import product

import pytest
from runewire_model import Encoding
from runewire_model.encodings import ENCODINGS
from runewire_rtl import TranscoderParameters, describe
from runewire_sim import generated, simulate

LANES = {"validator": (1, 2, 4, 8), "decoder": (1, 2, 4, 8), "encoder": (1, 2, 4)}
PAIRS = dict.fromkeys((
    *zip(ENCODINGS, ENCODINGS, strict=True), *product(ENCODINGS, [None]), *product(["utf-8"], ENCODINGS),
    ("utf-32le", "utf-32be"), *product(["utf-32be"], ["utf-8", "utf-32le"]),
    *product(["latin-1"], ["utf-8", "utf-32le", "utf-32be"]),
))
"""From an encoding to itself, checked, from UTF-8, and some that are unrelated."""
CONFIGURATIONS = [
    *(({"core": core, "lanes": lanes}) for core, widths in LANES.items() for lanes in widths),
    *({"core": "decoder", "lanes": lanes, "packing": "sparse"} for lanes in (1, 2, 4, 8)),
    *({"core": core, "lanes": lanes, "pipeline": pipeline}
      for pipeline in ("balanced", "compact") for core, lanes in (("validator", 4), ("decoder", 2), ("encoder", 1))),
    {"core": "decoder", "lanes": 8, "packing": "sparse", "pipeline": "compact"},
    {"core": "decoder", "lanes": 4, "errors": "drop", "bom": "strip"},
    *({"core": "transcoder", "from": source, "to": target, "lanes": lanes}
      for lanes in (2, 4) for source, target in PAIRS
      if (source, target) not in (("utf-8", None), ("utf-8", "utf-32le"))),
    {"core": "transcoder", "from": "utf-32le", "to": "utf-32le", "lanes": 2, "packing": "sparse", "bom": "strip"},
    {"core": "transcoder", "from": "utf-32le", "to": "utf-32le", "lanes": 4, "errors": "drop", "bom": "strip"},
    {"core": "transcoder", "from": "utf-32le", "to": "utf-8", "lanes": 2, "bom": "strip", "pipeline": "compact"},
    {"core": "transcoder", "from": "utf-8", "to": "utf-8", "lanes": 2, "errors": "drop", "bom": "strip"},
    {"core": "transcoder", "from": "utf-16", "to": "utf-16", "lanes": 4, "bom": "add"},
    {"core": "transcoder", "from": "latin-1", "to": "utf-8", "lanes": 1, "bom": "add"},
    *({"core": "sanitizer", "lanes": lanes, "errors": "drop"} for lanes in (2, 8)),
]

QUICK = [("utf-8", "utf-8"), ("utf-16le", None), ("utf-16be", "utf-16be"), ("utf-32le", "utf-8"), ("utf-32be", None),
         ("latin-1", None), ("ascii", None)]


def marks(options: dict[str, object]) -> list[pytest.MarkDecorator]:
    """Wide cores are slow, and so are transcoders, except one per source in place and one with another target.
    Four-lane cores, and cores with a big-endian target, are simulated with the records."""
    source, target = options.get("from"), options.get("to")
    if options["lanes"] not in (4, 8) and (options["core"] != "transcoder" or (source, target) in QUICK):
        return []
    again = (options["lanes"] == 4 and {*options} == {"core", "from", "to", "lanes"}) or (
        target != source and target in ("utf-16be", "utf-32be"))
    return [pytest.mark.slow, *([pytest.mark.records] if again else [])]


def packets(source: Encoding, lanes: int) -> list[bytes]:
    """Packets of text, damage and noise of all lengths, with series of empty ones and of ones with a single item."""
    unit = source.unit_bytes
    rng = random.Random(unit * lanes)
    lengths = [0] * 12 + [1] * 24 + [0, 1, lanes, lanes + 1, lanes - 1, 0, 2 * lanes] * 3
    lengths += [rng.choice([0, 1, rng.randrange(4 * lanes), rng.randrange(16 * lanes)]) for _ in range(40)]
    texts = ["plain ascii text " * 20, "это кириллица " * 20, "漢字かな交じり文" * 20, "😀🎉" * 70]
    made = []
    for length in lengths:
        text = (rng.choice(["", "", "\N{BOM}"]) + rng.choice(texts)).encode(source.orders[0].oracle, "replace")
        wrong = b"".join(rng.choice([*source.wrong, source.encode([0x41])]) for _ in range(length))
        packet = rng.choice([text] * 7 + [rng.randbytes(length * unit), wrong, wrong])[: length * unit]
        # The last unit may be incomplete.
        made.append(packet[: max(0, len(packet) - rng.choice([0, 0, *range(unit)]))])
    return made


@pytest.mark.parametrize("options", [
    pytest.param(options, marks=marks(options)) for options in CONFIGURATIONS
], ids=lambda o: "-".join(str(value) for value in o.values()))
def test_cycles_are_beats_and_latency(options: dict[str, object]) -> None:
    params = TranscoderParameters.of(options)
    latency = describe(params)["latency_cycles"]
    sent = packets(params.reads, params.lanes)
    with simulate(generated(params), sent, simulator="amaranth") as run:
        results = list(run.packets())
    assert len(results) == len(sent)
    # A compact core that packs stalls for the second rows of packets' last beats, also of those under way.
    waits = range(3 if params.pipeline == "compact" and not params.in_place else 1)
    start = results[0][1].first_in
    for packet, (result, end) in zip(sent, results, strict=True):
        assert result == params.compute(packet)
        beats = max(1, -(-len(packet) // params.input_bytes))
        assert end.first_in - start in waits, "the input waited"
        waited = end.last_out - end.first_in - (beats - 1 + latency)
        assert waited in waits
        # An added mark takes one cycle before each packet.
        start = end.first_in + beats + bool(params.mark)
