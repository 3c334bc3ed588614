"""The hardware of a dozen cores has not changed: RTLIL compared with the hashes in ``hardware.json``, without texts.

A change of hardware changes a hash. Where it is meant to, write the file again and commit it together with the change::

    python tests/rtl/test_hardware.py
"""

import hashlib
import json
import re
from pathlib import Path

import pytest
from amaranth.back import rtlil
from runewire_model import TranscoderParameters, parameters
from runewire_rtl.verilog import axi_top

HASHES = Path(__file__).with_name("hardware.json")
COUNTERS = ("code-points", "utf16-units", "replacements", "bytes", "ascii", "records", "bad-records")
CORES = {
    "validator": parameters("validator", lanes=4),
    "validator, every sideband": parameters(
        "validator", lanes=2, count=COUNTERS, records=0x0A, user=2, id=3, dest=4, report_port="beside"),
    "compact validator": parameters(
        "validator", lanes=1, pipeline="compact", report_port="only", count=("bytes",)),
    "decoder": parameters("decoder", lanes=4),
    "decoder, sparse": parameters(
        "decoder", lanes=2, packing="sparse", pipeline="balanced", report="flag", offset_bits=16),
    "compact decoder": parameters("decoder", lanes=2, pipeline="compact", bom="strip", errors="drop"),
    "encoder": parameters("encoder", lanes=2, family="ice40"),
    "sanitizer": parameters("sanitizer", lanes=1, replacement=0x3F, family="generic"),
    "UTF-8 to UTF-16": TranscoderParameters("utf-8", "utf-16le", 2),
    "UTF-16 to UTF-8": TranscoderParameters("utf-16", "utf-8", 2),
    "UTF-32 to UTF-16": TranscoderParameters("utf-32", "utf-16be", 1, bom="add"),
    "Latin-1 to ASCII": TranscoderParameters("latin-1", "ascii", 4),
    "ASCII to UTF-8": TranscoderParameters("ascii", "utf-8", 1),
    "packer": parameters("packer", lanes=4),
    "decoder, null bytes anywhere": parameters("decoder", lanes=2, pipeline="compact", null_bytes="anywhere"),
}
"""Narrow cores that together use every file of ``runewire_rtl`` that makes hardware."""


def hardware_hash(parameters: TranscoderParameters) -> str:
    text = rtlil.convert(axi_top(parameters), name="ports", emit_src=False)
    text = re.sub(r"(?m)^\s*attribute \\(text|generator) .*\n", "", text)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("core", CORES)
def test_hardware_has_not_changed(core: str) -> None:
    assert hardware_hash(CORES[core]) == json.loads(HASHES.read_text(encoding="utf-8"))[core]


def test_every_hash_belongs_to_a_core() -> None:
    assert set(json.loads(HASHES.read_text(encoding="utf-8"))) == set(CORES)


if __name__ == "__main__":
    HASHES.write_text(json.dumps({name: hardware_hash(core) for name, core in CORES.items()}, indent=1) + "\n",
                      encoding="utf-8")
