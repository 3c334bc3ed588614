"""The cores that carry each Ethernet, in docs/throughput.md."""

from runewire.plan import ETHERNET_OVERHEAD, Option, RatePlan, plan
from runewire.units import packet_sizes
from runewire_benchmark import datasheet

from .part import DOCS, Part

TARGET = "ecp5-85k"
LINES = (1, 10, 25, 40, 100, 400)
"""10^9 bits a second."""
FRAMES = packet_sizes("64..1518")
KINDS = ("validator", "decoder, dense", "UTF-8 to UTF-16LE, dense")


def table() -> str:
    """The table in Markdown: for each line, the fewest cores of each kind, of the fastest pipeline."""
    rows = [f"| line | {' | '.join(KINDS)} |", "|---|" + "---|" * len(KINDS)]
    rows += [f"| {line} GbE | {' | '.join(_cell(found) for found in plans)} |" for line, plans in _plans().items()]
    return "\n".join(rows)


def _plans() -> dict[int, list[RatePlan]]:
    """The cores that carry each line, kind by kind."""
    entries = [entry for entry in datasheet.with_usual_options(datasheet.load(None))
               if entry.target == TARGET and entry.pipeline == "fast"]
    return {line: [plan([each for each in entries if each.parameters.kind == kind], 1e9 * line, FRAMES,
                        overhead=ETHERNET_OVERHEAD) for kind in KINDS] for line in LINES}


def _cell(found: RatePlan) -> str:
    if not found.carrying:
        near = found.nearest
        return f"none: {near.copies} × {_lanes(near)} do not fit"
    (best,) = found.carrying
    clock = f"{_cores(best)} at {best.entry.clock_mhz:.0f} MHz"
    return f"{clock}, {best.needed_mhz:.0f} needed" if best.copies == 1 else clock


def _cores(option: Option) -> str:
    return _lanes(option) if option.copies == 1 else f"{option.copies} × {_lanes(option)}"


def _lanes(option: Option) -> str:
    return f"{option.entry.lanes} lane{'s'[: option.entry.lanes > 1]}"


GENERATED = (Part("ethernet", DOCS / "throughput.md", table),)
