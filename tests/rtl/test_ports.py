"""Ports that designs are wired to stay as they are: compared with those in ``ports.json``.

A new port of a new option is no change. Another one is, for every user of that core: it raises the Y of version 0.Y.Z,
and belongs in the changelog. Where it is meant to, write the file again and commit it together with the change::

    python tests/rtl/test_ports.py
"""

import json
from pathlib import Path
from typing import Any

import pytest
from runewire_model.core_options import core_command, core_parameters
from runewire_rtl.verilog import describe

PORTS = Path(__file__).with_name("ports.json")
ALL_COUNTERS = ("code-points", "utf16-units", "replacements", "bytes", "ascii", "records", "bad-records")
CORES = [
    core_parameters("validator"), core_parameters("decoder"), core_parameters("encoder"),
    core_parameters("sanitizer"), core_parameters("packer"), core_parameters("splitter"),
    core_parameters("filter", longest=16384), core_parameters("transcoder", from_="utf-8", to="utf-16le"),
    core_parameters("transcoder", from_="utf-16le", to="utf-8"),
    core_parameters("validator", lanes=256), core_parameters("validator", lanes=1, pipeline="compact"),
    core_parameters("validator", encoding="utf-16be"),
    core_parameters("validator", count=ALL_COUNTERS, records=0x0A),
    core_parameters("validator", records=0x0A, record_report=True),
    core_parameters("validator", report="none", user=2, id=3, dest=4),
    *(core_parameters("validator", report=report) for report in ("none", "flag", "kind")),
    *(core_parameters("decoder", report_port=port, user=1) for port in ("beside", "only")),
    core_parameters("decoder", packing="sparse", offset_bits=64),
    core_parameters("decoder", reject_nul=True), core_parameters("decoder", id=8, flows=256),
    core_parameters("decoder", flows=1), core_parameters("decoder", split=0x0A),
    core_parameters("decoder", null_bytes="anywhere"), core_parameters("decoder", early=True),
    core_parameters("filter", longest=16384, rejects=True), core_parameters("sanitizer", errors="drop"),
]
"""Each core, and each option that changes a port."""


def interface(core: Any) -> dict[str, Any]:
    """What a design around the core depends on: the module's name, its ports, and the bits of ``tuser``."""
    described = describe(core)
    return {
        "top": described["top"],
        "ports": [f"{port['direction']} [{port['width'] - 1}:0] {port['name']}" for port in described["ports"]],
        **{name: {"fields": {field: f"[{bits['lsb'] + bits['width'] - 1}:{bits['lsb']}]"
                             for field, bits in described[name]["fields"].items()},
                  "kinds": described[name].get("kinds")}
           for name in described if name.endswith("tuser") or name == "report"},
    }


def command(core: Any) -> str:
    return " ".join(core_command("generate", core))


@pytest.mark.parametrize("core", CORES, ids=command)
def test_ports_are_those_that_designs_are_wired_to(core: Any) -> None:
    assert interface(core) == json.loads(PORTS.read_text(encoding="utf-8"))[command(core)]


def test_every_list_of_ports_belongs_to_a_core() -> None:
    assert set(json.loads(PORTS.read_text(encoding="utf-8"))) == {command(core) for core in CORES}


if __name__ == "__main__":
    PORTS.write_text(json.dumps({command(core): interface(core) for core in CORES}, indent=1) + "\n", encoding="utf-8")
