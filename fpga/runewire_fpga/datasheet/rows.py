"""What the datasheet asks of one measurement: its core, options, device and clock limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from runewire_model.transcoder import option_text

from ..records import MeasurementRecord, core_of
from ..targets import TARGETS, Area, Part


def family_of(record: MeasurementRecord) -> str:
    """Name of the device's family."""
    return TARGETS[record["target"]].family.name


def chip_of(record: MeasurementRecord) -> str:
    """The device and its speed grade."""
    return f"{record['device']}, grade {record['speed']}"


def is_placed(record: MeasurementRecord) -> bool:
    """Whether the core was placed, so that it has a clock."""
    return bool(record["seeds"])


def is_area_only(record: MeasurementRecord) -> bool:
    """Whether the core was not placed although it fits: its device is for area only, or its placer was missing."""
    memory = record["memory"]
    area = Area(record["luts"], record["ffs"], memory["block_ram"], memory["distributed_ram"],
                memory["distributed_ram_luts"])
    return not is_placed(record) and TARGETS[record["target"]].fits(area)


def is_present(record: MeasurementRecord) -> bool:
    """Whether the measured design and its tool flow are the ones of this version."""
    return bool(record["design"]["present"])


def kind_of(record: MeasurementRecord) -> str:
    """Name of the core, and its packing where it has a choice."""
    return core_of(record).kind


def options_of(record: MeasurementRecord) -> tuple[str, ...]:
    """The core's options that are not at their defaults, without lanes, packing and pipeline."""
    return tuple(f"{name.replace('_', '-')} {option_text(name, value)}"
                 for name, value in core_of(record).unusual.items() if name not in ("packing", "pipeline"))


def has_usual_options(record: MeasurementRecord) -> bool:
    """Whether all options are at their defaults, without lanes, packing, pipeline and the family of the layout."""
    return core_of(record).unusual.keys() <= {"packing", "pipeline", "family"}


def usual_core(record: MeasurementRecord) -> tuple[str, str, str, int, str]:
    """Target, kind of core, pipeline, lanes and memory: a core with options and the one without have them in common."""
    return record["target"], kind_of(record), record["pipeline"], record["lanes"], record["memory"]["made_of"]


def limits_of(record: MeasurementRecord, *parts: Part) -> list[float]:
    """Clock limits in MHz of these parts of the device, or of all for none; unknown ones are left out."""
    return [limit["mhz"] for limit in record["clock_limits"]
            if limit["mhz"] is not None and (not parts or limit["what"] in parts)]


def titled(kind: str) -> str:
    """A kind of core as a title."""
    return kind[:1].upper() + kind[1:]


def grouped(records: Iterable[MeasurementRecord],
            key: Callable[[MeasurementRecord], Any]) -> list[tuple[Any, list[MeasurementRecord]]]:
    """The records by their key, in the order in which keys appear."""
    groups: dict[Any, list[MeasurementRecord]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return list(groups.items())
