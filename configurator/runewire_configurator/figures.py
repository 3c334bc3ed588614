"""The datasheet's rows nearest to a core: on each device the one that differs in the fewest respects."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from runewire_benchmark.datasheet import Entry
from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_model.transcoder import option_text

FIRST = "ecp5-85k"
"""The device of most rows; it is shown first among rows that are equally near."""


class Row(NamedTuple):
    """A row of the datasheet, and how its core differs from the chosen one; nothing for the core itself."""

    entry: Entry
    differs: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The figures, ready for JSON. ``input_gigabytes``: 10^9 bytes a second of full input beats."""
        entry = self.entry
        return {
            "row": entry.name, "device": entry.device, "target": entry.target, "speed": entry.speed,
            "differs": list(self.differs), "luts": entry.luts, "ffs": entry.ffs, "block_rams": entry.block_rams,
            "clock_mhz": round(entry.clock_mhz), "latency_cycles": entry.latency_cycles,
            "latency_ns": round(1000 * entry.latency_cycles / entry.clock_mhz),
            "input_gigabytes": round(entry.parameters.input_bytes * entry.clock_mhz / 1000, 2),
        }


def nearest(entries: Iterable[Entry], core: TranscoderParameters) -> list[Row]:
    """The nearest row of each device, nearest first. Rows of encodings that differ in more than byte order are left
    out, and rows of other cores of those that move bytes: packer, splitter, filter."""
    found: dict[str, tuple[tuple[Any, ...], Row]] = {}
    for entry in entries:
        other = entry.parameters
        if _way(core) != _way(other):
            continue
        differs = tuple(_differences(core, other))
        distance = (core.pipeline != other.pipeline, core.packing != other.packing,
                    abs(math.log2(core.lanes / other.lanes)), len(differs), core.family != other.family, entry.luts)
        if entry.target not in found or distance < found[entry.target][0]:
            found[entry.target] = distance, Row(entry, differs)
    ordered = sorted(found.values(), key=lambda each: (each[0][:5], each[1].entry.target != FIRST, each[0]))
    return [row for _, row in ordered]


def _way(core: TranscoderParameters) -> tuple[object, ...]:
    """Source and target without their byte orders; of cores that move bytes, which one it is too."""
    return (core.moves_bytes and core.core,
            *(None if name is None else name.removesuffix("le").removesuffix("be")
              for name in (core.source, core.target)))


def _differences(core: TranscoderParameters, other: TranscoderParameters) -> Iterable[str]:
    """What the row's core has where the chosen one differs: ``8 lanes instead of 16``. The layout for a family is
    not named: it decides between rows that are otherwise as near."""
    for mine, its in ((core.source, other.source), (core.target, other.target)):
        if mine != its and mine is not None and its is not None:
            yield f"{ENCODINGS[its].title} instead of {ENCODINGS[mine].title}"
    if core.lanes != other.lanes:
        yield f"{other.lanes} lane{'s' if other.lanes > 1 else ''} instead of {core.lanes}"
    for name in {**core.unusual, **other.unusual}:
        mine, its = (getattr(each.sidebands if name in Sidebands.NAMES else each, name) for each in (core, other))
        flag = name.replace("_", "-")
        if name == "family" or mine == its:
            continue
        if not its:
            yield f"without {_named(flag, name, mine)}"
        elif not mine:
            yield f"with {_named(flag, name, its)}"
        else:
            yield f"{flag} {option_text(name, its)} instead of {option_text(name, mine)}"


def _named(flag: str, name: str, value: Any) -> str:
    """An option that only one of the cores has: ``records 0A``, or ``rejects`` if it has no value."""
    return flag if value is True else f"{flag} {option_text(name, value)}"
