"""Measurements as JSON records, in this version's format whatever version measured them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runewire_model.report import Sidebands
from runewire_model.transcoder import FLAGS
from runewire_rtl.parameters import TranscoderParameters

from .clocks import Clock, clock_record
from .measurement import file_name
from .targets import TARGETS, Area
from .tool_flow import flow_digest

MeasurementRecord = Mapping[str, Any]
"""A measurement in the format of `Measurement.to_json`."""


def core_of(record: MeasurementRecord) -> TranscoderParameters:
    """The core that was measured."""
    names = ("core", "from", "to", "lanes", "errors", "replacement", "bom", "packing", "pipeline", "family", *FLAGS,
             *Sidebands.NAMES)
    return TranscoderParameters.of({name: record[name] for name in names if record.get(name) is not None})


def name_of(record: MeasurementRecord) -> str:
    """The name of the record's file, without the suffix."""
    return file_name(core_of(record), TARGETS[record["target"]], record["speed"], record["memory"]["made_of"])


def flow_of(record: MeasurementRecord) -> str:
    """The present `flow_digest` of the measured core; "" for a record that does not count its cells by kind."""
    cells = record.get("cells")
    return "" if cells is None else flow_digest(TARGETS[record["target"]], record["speed"], record["memory"]["made_of"],
                                                cells, compact=record["pipeline"] == "compact")


def upgraded(record: MeasurementRecord) -> dict[str, Any]:
    """The record with its clock by the present clock limits; nothing is measured again.

    A record of version 0.1.0 gets its missing keys. Its memories are the kind that it counts, or block RAM if it counts
    both kinds, and its command names that. Raises `KeyError` for a record that is no measurement.
    """
    target, counts = TARGETS[record["target"]], record["memory"]
    family = target.family
    made_of = counts.get("made_of") or (
        "distributed" if counts["distributed_ram"] and not counts["block_ram"] else "block")
    cells = record.get("cells")
    area = Area(record["luts"], record["ffs"], counts["block_ram"], counts["distributed_ram"],
                counts["distributed_ram_luts"])
    used = family.used_in(area) if cells is None else family.used(cells)
    fmax = record["fmax_mhz"]
    clock = None if fmax is None else Clock(fmax, target.clock_limits(record["speed"], used))
    made_by = record["made_by"]
    if "made_of" not in counts and made_of != family.memory(record["pipeline"]):
        made_by += f" --memory {made_of}"
    new = {
        "fmax_mhz": clock_record(clock, record["bytes_per_cycle"]),
        "memory": {"cells": cells},
        "beside": {"design": {"version": record["tool_versions"]["runewire"], "digest": None, "flow": None,
                              "present": False, **record.get("design", {})}},
    }
    given = {**record, "memory": {"made_of": made_of, **counts}, "made_by": made_by}
    stale = {"clock_limit_mhz", "clock_limit_source", *(name for names in new.values() for name in names)}
    result: dict[str, Any] = {}
    for name, value in given.items():
        if name not in stale:
            result |= {name: value, **new.get(name, {})}
    return result
