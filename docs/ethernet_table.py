"""Which cores carry which Ethernet, in docs/throughput.md: prints it, or with ``--write`` puts it into the page."""

from pathlib import Path

from pages import Part, main
from runewire import datasheet
from runewire.plan import ETHERNET_OVERHEAD, Option, plan
from runewire.units import packet_sizes

PART = Part(Path(__file__).parent / "throughput.md", "ethernet", "ethernet_table.py --write")
TARGET = "ecp5-85k"
LINES = (1, 10, 25, 40, 100, 400)
"""10^9 bits a second."""
FRAMES = packet_sizes("64..1518")
KINDS = ("validator", "decoder, dense", "UTF-8 to UTF-16LE, dense")


def table() -> str:
    """The table in Markdown: for each line, the fewest cores of each kind, of the fastest pipeline."""
    entries = [entry for entry in datasheet.with_usual_options(datasheet.load(None))
               if entry.target == TARGET and entry.pipeline == "fast"]
    rows = [f"| line | {' | '.join(KINDS)} |", "|---|" + "---|" * len(KINDS)]
    for line in LINES:
        cells = [_cell([each for each in entries if each.parameters.kind == kind], line) for kind in KINDS]
        rows.append(f"| {line} GbE | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(entries: list[datasheet.Entry], line: int) -> str:
    found = plan(entries, 1e9 * line, FRAMES, overhead=ETHERNET_OVERHEAD)
    if not found.carrying:
        near = found.nearest
        return f"none: {near.copies} × {_lanes(near)} do not fit"
    (best,) = found.carrying
    clock = f"{_lanes(best)} at {best.entry.clock_mhz:.0f} MHz"
    return f"{clock}, {best.needed_mhz:.0f} needed" if best.copies == 1 else f"{best.copies} × {clock}"


def _lanes(option: Option) -> str:
    return f"{option.entry.lanes} lane{'s'[: option.entry.lanes > 1]}"


if __name__ == "__main__":
    main(table, lambda: PART.write(table()))
