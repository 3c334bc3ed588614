"""The table and the picture of layouts in docs/asic.md, from records/layouts.jsonl. To measure takes Debian's packages
qflow and qflow-tech-osu018."""

import json
from typing import Any

from runewire.synthesis_options import store, synth_command
from runewire_fpga import SweepPoint
from runewire_fpga.layout_picture import draw
from runewire_fpga.liberty import LIBERTY, measure_cells
from runewire_fpga.qflow import OSU018, technology_of
from runewire_rtl import TranscoderParameters, parameters

from . import cells_table
from .part import DOCS, RECORDS, Measurement, Part

FIGURES = RECORDS / "layouts.jsonl"
PICTURE = DOCS / "layout.svg"
"""The layout of the first core."""


def cores() -> list[TranscoderParameters]:
    """The cores that are placed."""
    return [parameters(core, lanes=lanes, pipeline="compact", family="generic")
            for core, widths in (("validator", (1, 4, 8)), ("decoder", (1, 4)), ("encoder", (1,)))
            for lanes in widths]


def measure() -> None:
    """Place and route every core, and draw the first."""
    records: list[dict[str, Any]] = []
    for core in cores():
        made_by = synth_command(SweepPoint(core, LIBERTY), place=True)
        print(made_by)
        measured = measure_cells(core, OSU018, "registers", store=store(), made_by=made_by,
                                 technology=technology_of(OSU018))
        if not records and measured.routed is not None:
            title = f"{core}, in {measured.routed.technology}"
            PICTURE.write_text(draw(measured.routed.layout, title), encoding="utf-8")
        records.append(measured.to_json())
    FIGURES.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def load() -> list[dict[str, Any]]:
    """The kept figures."""
    return [json.loads(line) for line in FIGURES.read_text(encoding="utf-8").splitlines()]


def table() -> str:
    """The table in Markdown."""
    records = load()
    lines = ["| core | lanes | pipeline | cells | kGE | die, µm | cells, % of the die | wire, mm | gates alone, ps "
             "| clock period, ps | clock, MHz |", "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for record in records:
        routed, nand = record["routed"], record["cells_area"]["nand2"]["area"]
        die = routed["width_um"] * routed["height_um"]
        lines.append(f"| {cells_table.name(record)} | {record['lanes']} | {record['pipeline']} | {routed['cells']:,} "
                     f"| {routed['kge']:.1f} | {routed['width_um']:.0f} × {routed['height_um']:.0f} "
                     f"| {100_000 * routed['kge'] * nand / die:.0f} | {routed['wire_um'] / 1000:.1f} "
                     f"| {record['delay_ps']:,} | {routed['period_ps']:,} | {1e6 / routed['period_ps']:.0f} |")
    return "\n".join([*lines, "", cells_table.origin(records)])


GENERATED = (Part("layouts", DOCS / "asic.md", table),)
MEASUREMENTS = (Measurement("layouts", measure, ("layouts",), "some minutes"),)
