"""AXI4-Stream ports: widths, positions of lanes, scalars and report, and broken contracts."""

import random
import struct
from collections.abc import Sequence

import pytest
from amaranth.hdl import Fragment
from runewire_model import ErrorKind, FirstError, decode, encode, validate, validate_scalars
from runewire_rtl import TranscoderParameters, axi_top, describe, parameters

AxiBeat = tuple[bytes, int, int]
"""``tdata``, ``tkeep``, ``tlast``."""


def run(simulate, top, beats: Sequence[AxiBeat]) -> list[tuple[bytes, int, int, int]]:
    """Output beats: tdata, tkeep, tlast, tuser. The sink is always ready."""
    out = []
    ends = sum(last for _, _, last in beats)

    async def feed(ctx):
        for data, keep, last in beats:
            ctx.set(top.s_axis_tvalid, 1)
            ctx.set(top.s_axis_tdata, int.from_bytes(data, "little"))
            ctx.set(top.s_axis_tkeep, keep)
            ctx.set(top.s_axis_tlast, last)
            ready = 0
            while not ready:
                _, _, ready = await ctx.tick().sample(top.s_axis_tready)
        ctx.set(top.s_axis_tvalid, 0)

    async def drain(ctx):
        ctx.set(top.m_axis_tready, 1)
        quiet = 0
        while sum(last for _, _, last, _ in out) < ends:
            _, _, valid, data, keep, last, user = await ctx.tick().sample(
                top.m_axis_tvalid, top.m_axis_tdata, top.m_axis_tkeep, top.m_axis_tlast, top.m_axis_tuser)
            if valid:
                out.append((data.to_bytes(len(top.m_axis_tkeep), "little"), keep, last, user))
            quiet = 0 if valid else quiet + 1
            assert quiet < 1000, "no more beats"

    simulate(top, feed, drain)
    return out


def kept(data: bytes, keep: int) -> bytes:
    return bytes(byte for lane, byte in enumerate(data) if keep >> lane & 1)


def tuser(error: FirstError | None) -> int:
    return 0 if error is None else 1 | error.kind << 1 | error.offset << 4


CONFIGURATIONS = [
    ("validator", {"lanes": 1}), ("validator", {"lanes": 8}), ("encoder", {"lanes": 2}),
    ("decoder", {"lanes": 2}), ("decoder", {"lanes": 4, "packing": "sparse"}),
    ("transcoder", {"from": "utf-32le", "to": None, "lanes": 2}),
    ("transcoder", {"from": "utf-8", "to": "utf-8", "lanes": 2}),
    ("transcoder", {"from": "utf-32le", "to": "utf-32le", "lanes": 2}),
]


@pytest.mark.parametrize(("core", "options"), CONFIGURATIONS)
def test_ports_have_the_widths_that_the_description_says(core: str, options: dict[str, object]) -> None:
    params = TranscoderParameters.of({"core": core, **options})
    top = axi_top(params)
    Fragment.get(top, None)
    widths = {port["name"]: port["width"] for port in describe(params)["ports"]}
    assert {name: len(getattr(top, name)) for name in top.signature.members} == {
        name: width for name, width in widths.items() if name not in ("aclk", "aresetn")
    }
    assert widths["s_axis_tdata"] == 8 * params.input_bytes == 8 * widths["s_axis_tkeep"]
    assert widths["m_axis_tdata"] == 8 * params.output_bytes == 8 * widths["m_axis_tkeep"]
    assert widths["m_axis_tuser"] == 36


def test_a_decoder_sends_scalars_as_four_bytes(simulate) -> None:
    top = axi_top(parameters("decoder", lanes=4))
    beats = [("A€".encode(), 15, 0), (b"\xF4\x8F\xBF\xBF", 15, 1)]
    [(data, keep, last, user)] = run(simulate, top, beats)
    assert (struct.unpack("<4I", data), keep, last, user) == ((0x41, 0x20AC, 0x10FFFF, 0), 0xFFF, 1, 0)


def test_the_report_lies_where_the_description_says(simulate) -> None:
    params = parameters("validator", lanes=2)
    fields = describe(params)["tuser"]["fields"]
    out = run(simulate, axi_top(params), [(b"AB", 3, 0), (b"\xED\xA0", 3, 0), (b"\x80A", 3, 1)])
    *others, (_, _, _, user) = out
    assert all(beat[3] == 0 for beat in others)
    values = {name: user >> field["lsb"] & (1 << field["width"]) - 1 for name, field in fields.items()}
    assert values == {"offset": 2, "kind": describe(params)["tuser"]["kinds"]["SURROGATE"], "error": 1}


KEEPS = [0x0001, 0x000F, 0xFFF1, 0x0010, 0x7FFE, 0x1110, 0xEEEE, 0xFFFF, 0x7FFF, 0x01FF, 0x9F9F]


def test_a_unit_is_there_with_its_first_byte_and_whole_with_all(simulate) -> None:
    """A unit is present if its first byte is kept, and complete if all four are."""
    values = [0x41, 0x20AC, 0x1F600, 0xD800]
    data = struct.pack("<4I", *values)
    out = run(simulate, axi_top(parameters("encoder", lanes=4)), [(data, keep, 1) for keep in KEEPS])
    for keep in KEEPS:
        units = [keep >> 4 * lane & 0xF for lane in range(4)]
        there, whole = [unit & 1 for unit in units], [unit == 0xF for unit in units]
        read = [value if whole[lane] else 0xFFFD for lane, value in enumerate(values) if there[lane]]
        size = 1 + next(number for number, (*_, last, _) in enumerate(out) if last)
        packet, out = out[:size], out[size:]
        assert b"".join(kept(data, keep_) for data, keep_, *_ in packet) == encode(read, "replace"), f"{keep:#06x}"
        wrong = [lane for lane in range(4)
                 if there[lane] and not (whole[lane] and validate_scalars([values[lane]]) is None)]
        errors = [FirstError(ErrorKind.SURROGATE if whole[lane] else ErrorKind.TOO_SHORT, lane) for lane in wrong]
        assert packet[-1][3] == tuser(errors[0] if errors else None), f"{keep:#06x}"
    assert out == []


def test_a_check_of_utf_32_passes_bytes_and_their_keep_bits(simulate) -> None:
    top = axi_top(TranscoderParameters.of({"core": "transcoder", "from": "utf-32le", "to": None, "lanes": 2}))
    beats = [(struct.pack("<2I", 0x1F600, 0xD800), 0xFF, 0), (b"ABCDEFGH", 0x3F, 1), (b"A\0\0\0B\0\0\0", 0x1F, 1)]
    out = run(simulate, top, beats)
    assert out == [
        (beats[0][0], 0xFF, 0, 0), (b"ABCDEF\0\0", 0x3F, 1, tuser(FirstError(ErrorKind.SURROGATE, 1))),
        (b"A\0\0\0B\0\0\0", 0x1F, 1, tuser(FirstError(ErrorKind.TOO_SHORT, 1))),
    ]


def holed(seed: int, lanes: int, count: int) -> list[AxiBeat]:
    """Beats with any keep bits, partial before the last too."""
    rng = random.Random(seed)
    octets = bytes.fromhex("41 80 90 A0 C2 E0 E1 ED F0 F4 F8")
    return [
        (bytes(rng.choices(octets, k=lanes)), rng.choice([rng.getrandbits(lanes), (1 << lanes) - 1]),
         int(rng.random() < 0.3 or number == count - 1))
        for number in range(count)
    ]


def packets_of(beats: Sequence[AxiBeat]) -> list[list[AxiBeat]]:
    packets: list[list[AxiBeat]] = [[]]
    for beat in beats:
        packets[-1].append(beat)
        if beat[2]:
            packets.append([])
    return packets[:-1]


GAP = 0x00
"""Value that an unkept byte reads as: an ASCII character without output. The beats themselves contain none."""


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_a_decoder_reads_unkept_bytes_as_ascii_that_puts_nothing_out(simulate, lanes: int) -> None:
    beats = holed(lanes, lanes, 200)
    out = run(simulate, axi_top(parameters("decoder", lanes=lanes)), beats)
    users = [user for _, _, last, user in out if last]
    results = packets_of([(data, keep, last) for data, keep, last, _ in out])
    for packet, got, user in zip(packets_of(beats), results, users, strict=True):
        text = bytes(byte if keep >> lane & 1 else GAP
                     for data, keep, _ in packet for lane, byte in enumerate(data))
        scalars = [scalar for scalar in decode(text) if scalar != GAP]
        assert b"".join(kept(data, keep) for data, keep, _ in got) == struct.pack(f"<{len(scalars)}I", *scalars)
        assert user == tuser(validate(text))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_a_validator_passes_keep_bits_as_they_are(simulate, lanes: int) -> None:
    beats = holed(10 + lanes, lanes, 150)
    out = run(simulate, axi_top(parameters("validator", lanes=lanes)), beats)
    assert [(keep, last) for _, keep, last, _ in out] == [(keep, last) for _, keep, last in beats]
    assert [kept(data, keep) for data, keep, *_ in out] == [kept(data, keep) for data, keep, _ in beats]
    assert all(not any(kept(data, ~keep)) for data, keep, *_ in out)
