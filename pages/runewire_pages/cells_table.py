"""The table of docs/asic.md: cores in standard cells, from records/cells.jsonl. To measure takes Debian's package
qflow-tech-osu018."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from runewire.synthesis_options import store, synth_command
from runewire_fpga import SweepPoint
from runewire_fpga.liberty import CELL_MEMORIES, LIBERTY, measure_cells
from runewire_fpga.qflow import OSU018
from runewire_rtl import TranscoderParameters, parameters

from .part import DOCS, RECORDS, Measurement, Part

FIGURES = RECORDS / "cells.jsonl"


def cores() -> list[TranscoderParameters]:
    """The cores that are measured."""
    return [parameters(core, **options, pipeline=pipeline, family="generic")
            for core, options in (("validator", {"lanes": 1}), ("validator", {"lanes": 8}), ("decoder", {"lanes": 1}),
                                  ("decoder", {"lanes": 4}), ("encoder", {"lanes": 4}), ("sanitizer", {"lanes": 4}),
                                  ("sanitizer", {"lanes": 4, "replacement": 0x3F}))
            for pipeline in ("fast", "compact")]


def measure() -> None:
    """Measure every core, with its memories of flip-flops and without them."""
    records = []
    for core, memory in itertools.product(cores(), CELL_MEMORIES):
        made_by = synth_command(SweepPoint(core, LIBERTY, memory=memory), liberty=OSU018)
        print(made_by)
        records.append(measure_cells(core, OSU018, memory, store=store(), made_by=made_by).to_json())
    FIGURES.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def load() -> list[dict[str, Any]]:
    """The kept figures."""
    return [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]


def measured(record: Mapping[str, Any]) -> TranscoderParameters:
    """The core of a kept figure."""
    names = ("core", "lanes", "replacement", "packing", "pipeline", "family")
    return TranscoderParameters.of({name: record[name] for name in names if name in record})


def name(record: Mapping[str, Any]) -> str:
    """The core's name, with what is ill-formed replaced by a byte where it is."""
    replacement = measured(record).replacement
    return str(record["core"]) + ("" if replacement is None else f", replacement {replacement:02X}")


def table() -> str:
    """The table in Markdown."""
    records = load()
    lines = ["| core | lanes | pipeline | kGE | of it flip-flops | without memories, kGE | macros | delay, ps "
             "| without memories, ps |", "|---|--:|---|--:|--:|--:|--:|--:|--:|"]
    for whole, bare in zip(records[::2], records[1::2], strict=True):
        assert measured(whole) == measured(bare)
        lines.append(f"| {name(whole)} | {whole['lanes']} | {whole['pipeline']} | {whole['kge']:.1f} "
                     f"| {whole['kge_registers']:.1f} | {bare['kge']:.1f} | {sum(bare['memories'].values())} "
                     f"| {whole['delay_ps']:,} | {bare['delay_ps']:,} |")
    return "\n".join([*lines, "", origin(records)])


def origin(records: Sequence[Mapping[str, Any]]) -> str:
    """The programs that made kept figures, and the command that makes the first."""
    versions = {tool: version for record in records for tool, version in record["tool_versions"].items()}
    said = ", ".join(f"{tool} {version}" for tool, version in versions.items())
    return "\n".join([f"Made with {said}. The first row:", "", "```sh", records[0]["made_by"], "```"])


GENERATED = (Part("cells", DOCS / "asic.md", table),)
MEASUREMENTS = (Measurement("cells", measure, ("cells", "area"), "some minutes"),)
