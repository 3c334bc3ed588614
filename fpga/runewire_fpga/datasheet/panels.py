"""The datasheet's charts: clock, area and throughput against lanes, a panel for each kind of core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..charts import Line, Panel, chart
from ..records import MeasurementRecord
from ..targets import Part
from .rows import chip_of, grouped, has_usual_options, is_placed, kind_of, limits_of, titled

Value = Callable[[MeasurementRecord], float | None]
"""The value of a line at one measurement; None where the line has no point."""

CARRIED = "what the device carries"
"""Name of the line of the device's lowest clock limit."""


def charts(kinds: Sequence[tuple[str, Sequence[MeasurementRecord]]]) -> list[tuple[str, str, str]]:
    """Name, unit and SVG of each chart, of the fast cores that were placed at two widths or more.

    ``kinds``: the measurements of each kind of core, with default options. Of one width the fastest clock is drawn.
    """
    fastest = [(kind, _fastest(records)) for kind, records in kinds]
    wide = [(kind, records) for kind, records in fastest if len(records) > 1]
    if not wide:
        return []
    return [(name, unit, chart([Panel(titled(kind), _drawn(records, lines)) for kind, records in wide], unit))
            for name, unit, lines in _CHARTS]


def chip_charts(records: Sequence[MeasurementRecord], jobs: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Name, unit and SVG of a chart of clocks and one of throughput: a panel for each job, a line for each chip.

    ``jobs``: the kind of core that does each job. Drawn are chips on which two widths of a core were placed. Of one
    width the fastest clock is drawn.
    """
    usual = [record for record in records if has_usual_options(record)]
    panels: list[tuple[str, list[tuple[str, list[MeasurementRecord]]]]] = []
    for job, kind in jobs.items():
        chips = grouped((record for record in usual if kind_of(record) == kind), chip_of)
        wide = [(chip, found) for chip, group in chips if len(found := _fastest(group)) > 1]
        if len(wide) > 1:
            panels.append((job, wide))
    return [(name, unit, chart([Panel(job, [Line(chip, [(record["lanes"], value(record)) for record in found])
                                           for chip, found in wide]) for job, wide in panels], unit))
            for name, unit, value in _CHIP_CHARTS if panels]


def _fastest(records: Sequence[MeasurementRecord]) -> list[MeasurementRecord]:
    """The fastest record of each width, by lanes; of equal clocks the first counts."""
    fast = [record for record in reversed(records) if record["pipeline"] == "fast" and is_placed(record)]
    by_lanes = {record["lanes"]: record for record in sorted(fast, key=lambda r: r["clock_mhz"])}
    return [by_lanes[lanes] for lanes in sorted(by_lanes)]


def _drawn(records: Sequence[MeasurementRecord], lines: Mapping[str, Value]) -> list[Line]:
    found = []
    for name, value in lines.items():
        points = [(record["lanes"], at) for record in records if (at := value(record)) is not None]
        if points:
            found.append(Line(name, points, limit=name == CARRIED))
    return found


def _fmax(variant: str) -> Value:
    """Fmax of a variant of the core."""
    def value(record: MeasurementRecord) -> float | None:
        found: float | None = record["beside"].get(variant, {}).get("fmax_mhz")
        return found
    return value


def _pipeline_rate(record: MeasurementRecord) -> float | None:
    fmax = _fmax("pipeline")(record)
    if fmax is None:
        return None
    return min([fmax, *limits_of(record, Part.NETWORK, Part.FLIP_FLOPS)]) * int(record["bytes_per_cycle"]) / 1000


def _plain_rate(record: MeasurementRecord) -> float | None:
    plain = record["beside"].get("plain_flow")
    return float(plain["clock_mhz"]) * int(record["bytes_per_cycle"]) / 1000 if plain else None


_CHARTS: Sequence[tuple[str, str, Mapping[str, Value]]] = (
    ("clock", "MHz", {
        "core, Fmax": lambda record: record["fmax_mhz"],
        "plain flow, Fmax": _fmax("plain_flow"),
        "one-LUT pipeline": _fmax("pipeline"),
        "always ready": _fmax("always_ready"),
        "ports between registers": _fmax("between_registers"),
        CARRIED: lambda record: min(limits_of(record), default=None),
    }),
    ("area", "LUT and FF per lane", {
        "LUT": lambda record: record["luts"] / record["lanes"],
        "FF": lambda record: record["ffs"] / record["lanes"],
    }),
    ("throughput", "GB/s", {
        "core": lambda record: record["gigabytes_per_second"],
        "plain flow": _plain_rate,
        "one-LUT pipeline": _pipeline_rate,
    }),
)

_CHIP_CHARTS: Sequence[tuple[str, str, Callable[[MeasurementRecord], float]]] = (
    ("clock", "MHz", lambda record: float(record["clock_mhz"])),
    ("throughput", "GB/s", lambda record: float(record["gigabytes_per_second"])),
)
