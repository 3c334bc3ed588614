"""The table of docs/cost.md: three small cores on every device that was measured."""

from runewire_fpga.datasheet.folder import read
from runewire_fpga.datasheet.rows import options_of
from runewire_fpga.records import MeasurementRecord, core_of
from runewire_model import ValidatorParameters, parameters

from .part import DOCS, RECORDS, Part

CORES = (
    ("validator, 1 lane, compact", ValidatorParameters(lanes=1, pipeline="compact")),
    ("validator, 8 lanes", ValidatorParameters(lanes=8)),
    ("decoder, 8 lanes", parameters("decoder", lanes=8)),
)
UNSURE = "?"
"""Marks a clock that may be lower."""


def table() -> str:
    """The table in Markdown: look-up tables, clock in MHz, and share of the device's look-up tables."""
    devices: dict[str, dict[str, str]] = {}
    clocks: dict[tuple[str, str], float] = {}
    for record in read(RECORDS / "datasheet"):
        core = core_of(record)
        for name, shown in CORES:
            if (core.kind, core.lanes, core.pipeline) == (shown.kind, shown.lanes, shown.pipeline) and not options_of(
                    record):
                cells = devices.setdefault(record["device"], {"target": record["target"]})
                # Of memories of two kinds the faster counts.
                clock = record["clock_mhz"] or 0
                if clock >= clocks.get((record["device"], name), 0):
                    clocks[record["device"], name] = clock
                    cells[name] = _cell(record)
    names = [name for name, _ in CORES]
    rows = [f"| {device} | `{cells['target']}` | {' | '.join(cells.get(name, '–') for name in names)} |"
            for device, cells in devices.items()]
    return "\n".join([f"| device | `--target` | {' | '.join(names)} |", "|---|---|" + "--:|" * len(names), *rows])


def _cell(record: MeasurementRecord) -> str:
    luts, clock, capacity = record["luts"], record["clock_mhz"], (record["capacity"] or {}).get("luts")
    speed = "" if clock is None else f", {clock:.0f} MHz{f' {UNSURE}' if record['clock_unsure_of'] else ''}"
    if capacity is None:
        return f"{luts:,}{speed}"
    return f"{luts:,}{speed} (does not fit)" if clock is None else f"{luts:,}{speed} ({100 * luts / capacity:.2g} %)"


GENERATED = (Part("cost", DOCS / "cost.md", table),)
