"""The chips and the cores that carry each Ethernet, in docs/throughput.md."""

from runewire.chip_choice import ChipPlan, chips_to_buy, entries_by_target
from runewire.plan import ETHERNET_OVERHEAD, Option, RatePlan, plan
from runewire.units import packet_sizes
from runewire_benchmark import datasheet
from runewire_model import TranscoderParameters

from .part import DOCS, Part

TARGET = "ecp5-85k"
LINES = (1, 10, 25, 40, 100, 400, 800)
"""10^9 bits a second."""
FRAMES = packet_sizes("64..1518")
CORES = {
    "validator": TranscoderParameters.of({"core": "validator"}),
    "decoder": TranscoderParameters.of({"core": "decoder"}),
    "encoder": TranscoderParameters.of({"core": "encoder"}),
    "UTF-8 to UTF-16LE": TranscoderParameters("utf-8", "utf-16le"),
}
"""Of the table of chips, by heading."""
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


def chip_table() -> str:
    """The table in Markdown: for each line and core, the smallest chip, as `runewire plan --ethernet` proposes it."""
    entries = datasheet.load(None)
    rows = [f"| line | {' | '.join(CORES)} |", "|---|" + "---|" * len(CORES)]
    for line in LINES:
        cells = []
        for core in CORES.values():
            plans = [ChipPlan(target, plan(chosen, 1e9 * line, FRAMES, overhead=ETHERNET_OVERHEAD))
                     for target, chosen in entries_by_target(entries, core, datasheet.targets(entries)).items()]
            cells.append("; ".join(map(_chip_cell, chips_to_buy(plans))) or "none")
        rows.append(f"| {line} GbE | {' | '.join(cells)} |")
    return "\n".join(rows)


def _chip_cell(chip: ChipPlan) -> str:
    best = chip.shown
    kind = "".join(f" {word}" for word in (best.entry.packing, best.entry.pipeline) if word in ("sparse", "compact"))
    clock = f"{best.entry.clock_mhz:.0f}{' ?' * bool(best.entry.unknown_limits)} MHz"
    return f"{chip.target}: {_cores(best)}{kind}, {clock}"


GENERATED = (Part("chips", DOCS / "throughput.md", chip_table),
             Part("ethernet", DOCS / "throughput.md", table))
