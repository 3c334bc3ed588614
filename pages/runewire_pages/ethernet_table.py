"""The chips and the cores that carry each Ethernet, in docs/throughput.md."""

from collections.abc import Sequence

from runewire.chip_choice import ChipPlan, chips_to_buy, entries_by_target, smallest_first
from runewire.plan import ETHERNET_OVERHEAD, Option, plan
from runewire.units import packet_sizes
from runewire_benchmark import datasheet
from runewire_benchmark.datasheet import Entry
from runewire_fpga import TARGETS
from runewire_model import TranscoderParameters

from .part import DOCS, Part

LINES = (1, 10, 25, 40, 100, 400, 800)
"""10^9 bits a second."""
FRAMES = packet_sizes("64..1518")
CORES = {
    "validator": TranscoderParameters.of({"core": "validator"}),
    "decoder": TranscoderParameters.of({"core": "decoder"}),
    "encoder": TranscoderParameters.of({"core": "encoder"}),
    "UTF-8 to UTF-16LE": TranscoderParameters("utf-8", "utf-16le"),
}
"""Of both tables, by heading."""


def table() -> str:
    """The table in Markdown: for each core and chip what carries each line, as `runewire plan --target` proposes it."""
    entries = datasheet.load(None)
    rows = [f"| core | chip | {' | '.join(f'{line} GbE' for line in LINES)} |", "|---|---|" + "---|" * len(LINES)]
    for name, core in CORES.items():
        by_line = [smallest_first(_plans(entries, core, line)) for line in LINES]
        for target in sorted({chip.target for chip in by_line[0]}, key=[*TARGETS].index):
            found = [next(chip for chip in chips if chip.target == target) for chips in by_line]
            rows.append(f"| {name} | {target} | {' | '.join(map(_cell, found))} |")
    return "\n".join(rows)


def _plans(entries: Sequence[Entry], core: TranscoderParameters, line: int) -> list[ChipPlan]:
    """The cores of each chip, compared with a line."""
    return [ChipPlan(target, plan(chosen, 1e9 * line, FRAMES, overhead=ETHERNET_OVERHEAD))
            for target, chosen in entries_by_target(entries, core, datasheet.targets(entries)).items()]


def _cell(chip: ChipPlan) -> str:
    return "–" if chip.best is None else _words(chip)


def _words(chip: ChipPlan) -> str:
    best = chip.shown
    kind = "".join(f" {word}" for word in (best.entry.packing, best.entry.pipeline) if word in ("sparse", "compact"))
    return f"{_cores(best)}{kind}, {best.entry.clock_mhz:.0f}{' ?' * bool(best.entry.unknown_limits)} MHz"


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
            bought = chips_to_buy(_plans(entries, core, line))
            cells.append("; ".join(f"{chip.target}: {_words(chip)}" for chip in bought) or "none")
        rows.append(f"| {line} GbE | {' | '.join(cells)} |")
    return "\n".join(rows)


GENERATED = (Part("chips", DOCS / "throughput.md", chip_table),
             Part("ethernet", DOCS / "throughput.md", table))
