"""Regression guard: area and clock of a few small cores, compared with reference figures.

``python -m runewire_fpga.regression_guard FILE`` measures the cores and writes their figures to FILE.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runewire_jobs.cache import Store
from runewire_jobs.errors import ToolError
from runewire_rtl.parameters import parameters

from .designs import Variant
from .measurement import Measurement
from .points import FailedPoint, SweepPoint, Trials
from .sweeps import sweep

POINTS = (
    SweepPoint(parameters("validator", lanes=8), "ecp5-25k"),
    SweepPoint(parameters("decoder", lanes=4), "ecp5-25k"),
    SweepPoint(parameters("decoder", lanes=2, packing="sparse"), "ecp5-25k"),
    SweepPoint(parameters("encoder", lanes=1), "ecp5-25k"),
    SweepPoint(parameters("validator", lanes=8), "ecp5-25k", memory="block"),
    SweepPoint(parameters("validator", lanes=1, pipeline="compact"), "ice40-hx8k"),
)
"""Small cores, quick to place, that together have every part of the large ones."""

SEEDS = 5
AREA_MARGIN = 0.03
"""LUT and FF may grow by this fraction: a change of a name or a tool moves them as much."""
CLOCK_MARGIN = 0.08
"""The median clock may fall by this fraction: five seeds scatter by as much."""

Figures = Mapping[str, Mapping[str, float]]


def figures(store: Store) -> dict[str, dict[str, float]]:
    """LUT, FF and the median clock in MHz of each core. Raises ToolError."""
    found: dict[str, dict[str, float]] = {}

    def done(measured: Measurement | FailedPoint) -> None:
        if isinstance(measured, FailedPoint):
            raise ToolError(f"{measured.point}: {measured.reason}")
        record = measured.to_json()
        found[measured.name] = {key: record[key] for key in ("luts", "ffs", "fmax_mhz")}

    sweep(POINTS, Trials(SEEDS, (Variant.CORE,), lambda point: ""), store=store, done=done)
    return dict(sorted(found.items()))


def complaints(reference: Figures, found: Figures) -> list[str]:
    """Figures that are worse than the reference by more than the margin, a line each."""
    lines = []
    for name in sorted(reference.keys() | found.keys()):
        if name not in reference or name not in found:
            lines.append(f"{name}: only in {'the reference' if name in reference else 'what was measured'}")
            continue
        before, now = reference[name], found[name]
        for key, text in (("luts", "LUT"), ("ffs", "FF")):
            if now[key] > before[key] * (1 + AREA_MARGIN):
                lines.append(f"{name}: {now[key]} {text}, were {before[key]}: more than {AREA_MARGIN:.0%} up")
        if now["fmax_mhz"] < before["fmax_mhz"] * (1 - CLOCK_MARGIN):
            lines.append(f"{name}: {now['fmax_mhz']} MHz, were {before['fmax_mhz']}: "
                         f"more than {CLOCK_MARGIN:.0%} down")
    return lines


def main(arguments: list[str]) -> None:
    """Measure, and write the figures to the file that the one argument names."""
    [file] = arguments
    with tempfile.TemporaryDirectory() as room:
        content: dict[str, Any] = figures(Store(Path(room)))
    Path(file).write_text(json.dumps(content, indent=2) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1:])
