"""The C header against the model: each of its functions, of the reports of many packets."""

import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import ErrorKind, TranscoderParameters
from runewire_model.records import BadRecord
from runewire_rtl import top_name
from runewire_rtl.packages.c import header

CORES: list[dict[str, Any]] = [
    {"core": "decoder", "lanes": 8},
    {"core": "validator", "lanes": 8, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3,
     "offset_bits": 64, "report_port": "beside"},
    {"core": "encoder", "lanes": 2, "report_port": "only", "report": "kind", "user": 64},
    {"core": "validator", "lanes": 2, "report": "none", "records": 0x00},
    {"core": "decoder", "lanes": 2, "records": 0x0A, "user": 3},
    {"core": "transcoder", "from": "utf-16le", "to": "utf-8", "lanes": 4, "report": "flag", "offset_bits": 17},
]
MAIN = """\
#include <stdio.h>
#include "{top}.h"
#include "{top}.h"

int main(void)
{{
    uint8_t bytes[64];
    unsigned size, at, byte;
    while (scanf("%u", &size) == 1) {{
        for (at = 0; at < size; at++) {{
            if (scanf("%2x", &byte) != 1) return 1;
            bytes[at] = (uint8_t)byte;
        }}
        {calls}
        printf("\\n");
    }}
    return 0;
}}
"""


def compiled(compiler: list[str], params: TranscoderParameters, calls: list[str], folder: Path) -> Path:
    """A program that prints the results of the header's functions for the bytes that it reads."""
    top = top_name(params)
    (folder / f"{top}.h").write_text(header(params))
    source = folder / ("main.c" if compiler[0] == "gcc" else "main.cpp")
    source.write_text(MAIN.format(top=top, calls="\n        ".join(calls)))
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", source, "-o", folder / "main"], check=True)
    return folder / "main"


def said(program: Path, values: list[int], width: int) -> list[list[int]]:
    """What the program prints of each value of ``width`` bits."""
    size = -(-width // 8)
    lines = [f"{size} {value.to_bytes(size, 'little').hex()}" for value in values]
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [list(map(int, line.split())) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("compiler", [
    pytest.param(["gcc", "-std=c99"], id="c99"),
    pytest.param(["g++", "-std=c++11"], id="c++11", marks=pytest.mark.slow),
])
@pytest.mark.parametrize("options", CORES, ids=lambda options: options["core"])
def test_functions_say_what_the_model_packs(options: dict[str, Any], compiler: list[str], tmp_path: Path) -> None:
    params = TranscoderParameters.of(options)
    side, top, lanes = params.sidebands, top_name(params), params.output_bytes
    rng = random.Random(5)
    source = params.reads
    packets = [rng.choice(source.wrong) + bytes(rng.choices(b"ab\n\x00", k=rng.randrange(40))) for _ in range(20)]
    golden = [params.compute(packet) for packet in packets]
    users = [rng.getrandbits(side.user) if side.user else 0 for _ in packets]
    reports = [side.pack(each.error, each.counts, user) for each, user in zip(golden, users, strict=True)]
    told = [field.name for field in side.told]

    if side.report_bytes:
        calls = [f'printf("%llu ", (unsigned long long){top}_report_{name}(bytes));' for name in told]
        program = compiled(compiler, params, calls, tmp_path)
        for report, values in zip(reports, said(program, reports, 8 * side.report_bytes), strict=True):
            found = side.unpack(report)
            assert sum(value << field.lsb for field, value in zip(side.told, values, strict=True)) == report
            assert values[0] == found.bad

    carried = [field.name for field in side.last_beat]
    calls = [f'printf("%llu ", (unsigned long long){top}_tuser_{name}(bytes));' for name in carried]
    marks = side.every_beat(lanes)
    for lane in range(lanes if marks else 0):
        calls += [f'printf("%d ", {top}_tuser_record_{what}(bytes, {lane}));' for what in ("ends", "bad")]
    values = []
    for report, user in zip(reports, users, strict=True):
        low = report if side.report_port != "only" else 0
        value = low | user << (side.last_beat_width - side.user - side.tail_bits)
        value |= rng.getrandbits(2) << side.last_beat_width - 2 if side.tail else 0
        values.append(value | (rng.getrandbits(2 * lanes) << side.last_beat_width if marks else 0))
    program = compiled(compiler, params, calls, tmp_path)
    for value, user, each, found in zip(values, users, golden, said(program, values, side.user_bits(lanes)),
                                        strict=True):
        named = dict(zip(carried, found, strict=False))
        assert named.get("user", user) == user
        assert "tail" not in named or named["tail"] | named["tail_bad"] << 1 == value >> side.last_beat_width - 2 & 3
        if "offset" in named:
            assert each.error is not None
            assert (named["kind"], named["offset"]) == (each.error.kind, each.error.offset)
        assert all(named[name] == count for name, count in each.counts.items() if name in named)
        lanes_said = found[len(carried):]
        assert sum(bit << at for at, bit in enumerate(lanes_said)) == value >> side.last_beat_width


def test_an_ill_formed_record_is_unpacked(tmp_path: Path) -> None:
    params = TranscoderParameters.of({"core": "validator", "lanes": 2, "records": 10, "record_report": True,
                                      "report": "none", "offset_bits": 33})
    side, top = params.sidebands, top_name(params)
    records = [(3, BadRecord(5, ErrorKind.TOO_LONG, 9)),
               (65535, BadRecord((1 << 33) - 1, ErrorKind.SURROGATE, 1 << 32))]
    calls = [f'printf("%llu ", (unsigned long long){top}_bad_record_{name}(bytes));'
             for name in ("record", "offset", "packet", "kind")]
    program = compiled(["gcc", "-std=c99"], params, calls, tmp_path)
    beats = [side.pack_record(*each) for each in records]
    assert said(program, beats, 8 * side.record_bytes) == [
        [record.record, record.offset, packet, record.kind] for packet, record in records]
    assert '"SURROGATE"' in header(params)


def test_kinds_have_names(tmp_path: Path) -> None:
    params = TranscoderParameters.of({"core": "validator", "lanes": 1})
    top = top_name(params)
    calls = [f'printf("%s\\n", {top}_kind_name({top}_tuser_kind(bytes)));']
    calls += [f'printf("%d %d\\n", (int){top.upper()}_{kind.name}, {kind.value});' for kind in params.kinds]
    program = compiled(["gcc", "-std=c99"], params, calls, tmp_path)
    for number, name in [(0, ""), *((kind.value, kind.name) for kind in params.kinds), (7, "")]:
        done = subprocess.run([program], input=f"5 {(number << 1).to_bytes(5, 'little').hex()}", capture_output=True,
                              text=True, check=True)
        first, *kinds = done.stdout.splitlines()
        assert first == name
        assert all(len({*line.split()}) == 1 for line in kinds if line)


def test_headers_of_two_cores_go_together(tmp_path: Path, packaged: Callable[..., Any]) -> None:
    made = [packaged("c", core="validator", lanes=lanes) for lanes in (1, 2)]
    source = tmp_path / "both.c"
    source.write_text("".join(f'#include "{each.packaged[0]}"\n' for each in made))
    subprocess.run(["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", source], check=True)
