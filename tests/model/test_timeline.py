"""The cycle model within itself: the closed form against the stepping model, and small runs drawn by hand."""

import random
from collections import Counter
from struct import pack

import pytest
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    ParameterError,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.timeline import Pauses, beats, cycles, timeline, timing

PIPELINES = ("fast", "balanced", "compact")
CORES: list[TranscoderParameters] = [
    *(ValidatorParameters(1 << n, pipeline) for n in range(8) for pipeline in PIPELINES),
    *(DecoderParameters(1 << n, errors, bom, packing, pipeline)
      for n in range(7) for errors, bom in (("replace", "keep"), ("drop", "strip"))
      for packing in ("dense", "sparse") for pipeline in PIPELINES),
    *(EncoderParameters(1 << n, errors, pipeline)
      for n in range(5) for errors in ("replace", "drop") for pipeline in PIPELINES),
]
"""Every width of every core and packing, on every pipeline."""
PARTS = ("a", "é", "漢", "😀", "\N{BOM}", "\N{BOM}漢", "plain", "")


def packets(parameters: TranscoderParameters, count: int) -> list[bytes]:
    """Text with damage in packets of no byte up to eight beats; scalars and others for the encoder."""
    rng = random.Random(repr(parameters))
    made = []
    for _ in range(count):
        length = rng.choice((0, 1, parameters.lanes, rng.randrange(8 * parameters.lanes)))
        if isinstance(parameters, EncoderParameters):
            words = (rng.choice((0x41, 0xE9, 0x6F22, 0x1F600, 0xD800, 0x110000)) for _ in range(length))
            made.append(pack(f"<{length}I", *words))
        else:
            text = "".join(rng.choices(PARTS, k=length + 1)).encode()[:length]
            made.append(bytes(rng.choice(b"\x80\xE2\xF0\xFF") if rng.random() < 0.03 else octet for octet in text))
    return made


@pytest.mark.parametrize("parameters", CORES, ids=repr)
def test_closed_form_and_stepping_agree(parameters: TranscoderParameters) -> None:
    sent = packets(parameters, 40)
    stepped = timeline(parameters, sent)
    assert stepped.cycles == cycles(parameters, map(len, sent))
    count = beats(parameters, map(len, sent))
    assert stepped.input.taken == list(range(count))
    assert stepped.output.waits == []
    latency = timing(parameters).latency
    assert all(packet.last_out - packet.last_in == latency for packet in stepped.packets)


@pytest.mark.parametrize("parameters", CORES[::5], ids=repr)
def test_a_pausing_source_is_never_kept_waiting(parameters: TranscoderParameters) -> None:
    rng = random.Random(1)
    pauses = [rng.random() < 0.6 for _ in range(10_000)]
    stepped = timeline(parameters, packets(parameters, 40), source=pauses.__getitem__)
    assert stepped.input.waits == []
    latency = timing(parameters).latency
    assert all(packet.last_out - packet.last_in == latency for packet in stepped.packets)


@pytest.mark.parametrize("parameters", CORES[::5], ids=repr)
def test_a_stalled_core_takes_what_it_can_hold(parameters: TranscoderParameters) -> None:
    """That is the rows of its buffer, and two registers behind it; nothing is lost when the sink goes on."""
    scalar = "😀".encode("utf-32le") if isinstance(parameters, EncoderParameters) else b"a"
    stepped = timeline(parameters, [scalar * parameters.lanes] * 200, sink=lambda cycle: cycle < 150)
    held = timing(parameters).depth + 2
    # Three rows are read from cycle 150 on, and known to be free three cycles after the last of them.
    assert stepped.input.taken[held - 1 : held + 1] == [held - 1, 155]
    again = max(150 + held, 155 + timing(parameters).latency)
    assert stepped.output.taken == [*range(150, 150 + held), *range(again, again + 200 - held)]


def test_no_packets() -> None:
    assert cycles(ValidatorParameters(), []) == 0
    stepped = timeline(ValidatorParameters(), [])
    assert (stepped.cycles, stepped.bytes_per_cycle, stepped.packets) == (0, 0, [])


@pytest.mark.parametrize(("core", "lengths", "count"), [
    (ValidatorParameters(8), [0], 1),
    (ValidatorParameters(8), [8, 9, 0, 16, 17], 9),
    (EncoderParameters(2), [0, 4, 8, 12], 5),
])
def test_beats_of_packets(core: TranscoderParameters, lengths: list[int], count: int) -> None:
    assert beats(core, lengths) == count


def test_a_run_drawn_by_hand() -> None:
    """A decoder of two lanes, with its compact pipeline: from a transfer to a packet's last row 14 cycles."""
    sent = [b"a", b"abc", "é".encode() + b"b", b""]
    stepped = timeline(DecoderParameters(2, pipeline="compact"), sent)
    assert stepped.input.taken == [0, 1, 2, 3, 4, 5]
    # "ab" fills its row and so comes a cycle late, like every last row. In the packet "é", "b" only that row comes.
    assert stepped.output.taken == [14, 15, 16, 18, 19]
    assert [packet.last_out for packet in stepped.packets] == [14, 16, 18, 19]
    assert stepped.output.gaps == [range(17, 18)]
    assert stepped.cycles == 20
    assert stepped.bytes_per_cycle == 7 / 20


def test_pauses_show_as_gaps_of_the_source_and_waits_for_the_sink() -> None:
    stepped = timeline(ValidatorParameters(1, "compact"), [1, 1], source=lambda c: c in (1, 2),
                       sink=lambda c: c in (11, 12))
    assert (stepped.input.taken, stepped.input.gaps, stepped.input.waits) == ([0, 3], [range(1, 3)], [])
    assert (stepped.output.offered, stepped.output.taken) == ([11, 14], [13, 14])
    assert (stepped.output.waits, stepped.output.gaps) == ([range(11, 13)], [])


@pytest.mark.parametrize("parameters", [ValidatorParameters(4), DecoderParameters(4, packing="sparse")], ids=repr)
def test_lengths_do_where_no_row_is_packed(parameters: TranscoderParameters) -> None:
    sent = packets(parameters, 50)
    pauses: dict[str, Pauses] = {"source": lambda cycle: cycle % 3 == 0, "sink": lambda cycle: cycle % 5 < 3}
    assert timeline(parameters, map(len, sent), **pauses) == timeline(parameters, sent, **pauses)


@pytest.mark.parametrize("parameters", [DecoderParameters(4), EncoderParameters(4)], ids=repr)
def test_a_length_does_not_do_where_rows_are_packed(parameters: TranscoderParameters) -> None:
    with pytest.raises(ParameterError, match=rf"a packet for this {parameters.core}, got only a length"):
        timeline(parameters, [8])


def test_a_packet_that_is_no_utf32_is_refused() -> None:
    with pytest.raises(ParameterError, match="a multiple of 4 bytes, got 5"):
        timeline(EncoderParameters(4), [b"abcde"])


def test_a_gigabyte_in_packets_is_counted_by_length() -> None:
    lengths = [1500] * 500_000 + [64 + n % 1400 for n in range(300_000)]
    core = DecoderParameters(64)
    each = Counter(lengths)
    assert cycles(core, lengths) == sum(-(-n // 64) * times for n, times in each.items()) + timing(core).latency
