"""Measurement of one core on one device: area, placements, clock; a file of the datasheet."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands
from runewire_model.transcoder import option_text

from .clocks import Clock, clock_record
from .designs import Variant
from .place_and_route import CriticalPath, Placement
from .targets import Area, Target
from .tool_flow import flow_digest


@dataclass(frozen=True)
class Measurement:
    """A core on a device.

    Attributes
    ----------
    memory : one of `MEMORIES`
    cells : number of the core's cells of each `cell_kind`
    area : area of these cells
    design : digest of the core's Verilog
    placements : runs of place and route of each variant that was placed; empty if the target is for area only, or its
        placer is missing
    made_by : command line that measures the core
    plain_cells : as ``cells``, in the plain flow; None if that was not measured
    """

    parameters: TranscoderParameters
    target: Target
    speed: str
    memory: str
    cells: Mapping[str, int]
    area: Area
    latency_cycles: int
    design: str
    placements: Mapping[Variant, Sequence[Placement]]
    tool_versions: Mapping[str, str]
    made_by: str
    plain_cells: Mapping[str, int] | None = None

    def fmax_mhz(self, variant: Variant = Variant.CORE) -> float | None:
        """Median of the seeds in MHz; None if the variant was not placed."""
        runs = self.placements.get(variant)
        return round(statistics.median(run.fmax_mhz for run in runs), 2) if runs else None

    @property
    def clock(self) -> Clock | None:
        """The clock of the core; None if it was not placed."""
        return self._clock(Variant.CORE, self.cells)

    def _clock(self, variant: Variant, cells: Mapping[str, int]) -> Clock | None:
        limits = self.target.clock_limits(self.speed, self.target.family.used(cells))
        fmax = self.fmax_mhz(variant)
        return None if fmax is None else Clock(fmax, limits)

    @property
    def bytes_per_cycle(self) -> int:
        """Bytes of input per cycle: UTF-8, or UTF-32 for the encoder."""
        return self.parameters.input_bytes

    @property
    def gigabytes_per_second(self) -> float | None:
        """10^9 bytes of input a second at the core's clock."""
        return None if self.clock is None else self.clock.gigabytes_per_second(self.bytes_per_cycle)

    def ratio(self, variant: Variant) -> float | None:
        """The core's Fmax as a fraction of a variant's."""
        fmax, other = self.fmax_mhz(), self.fmax_mhz(variant)
        return None if fmax is None or other is None else round(fmax / other, 3)

    @property
    def critical_path(self) -> CriticalPath | None:
        """Critical path of the seed with the median clock, the lower of two."""
        runs = self.placements.get(Variant.CORE)
        if not runs:
            return None
        return sorted(runs, key=lambda run: run.fmax_mhz)[(len(runs) - 1) // 2].critical_path

    @property
    def packing(self) -> str | None:
        """The core's packing; None if it has no choice."""
        return self.parameters.packing if "packing" in self.parameters.options else None

    @property
    def flow(self) -> str:
        """The `flow_digest` of the measurement."""
        compact = self.parameters.pipeline == "compact"
        return flow_digest(self.target, self.speed, self.memory, self.cells, compact=compact)

    @property
    def name(self) -> str:
        """Name of the file, from `file_name`."""
        return file_name(self.parameters, self.target, self.speed, self.memory)

    def to_json(self) -> dict[str, Any]:
        """JSON-ready; clocks in MHz, path delays in ns."""
        path, capacity = self.critical_path, self.target.capacity
        return {
            "core": self.parameters.core,
            "lanes": self.parameters.lanes,
            "packing": self.packing,
            **self.parameters.record(),
            "target": self.target.name,
            "device": self.target.device,
            "speed": self.speed,
            "out_of_context": self.target.family.out_of_context,
            "seeds": _seeds(self.placements.get(Variant.CORE, ())),
            "fmax_mhz": self.fmax_mhz(),
            **clock_record(self.clock, self.bytes_per_cycle),
            "luts": self.area.luts,
            "ffs": self.area.ffs,
            "memory": {
                "made_of": self.memory,
                "block_ram": self.area.block_ram,
                "block_ram_kbit_each": self.target.family.block_ram_kbit,
                "distributed_ram": self.area.distributed_ram,
                "distributed_ram_luts": self.area.memory_luts,
            },
            "cells": dict(sorted(self.cells.items())),
            "capacity": capacity and asdict(capacity),
            "latency_cycles": self.latency_cycles,
            "bytes_per_cycle": self.bytes_per_cycle,
            "critical_path": path and asdict(path),
            "beside": {
                variant.value: {
                    "seeds": _seeds(runs), "fmax_mhz": self.fmax_mhz(variant), "ratio": self.ratio(variant),
                    **self._plain(variant),
                }
                for variant, runs in self.placements.items() if variant is not Variant.CORE
            },
            "design": {"version": self.tool_versions["runewire"], "digest": self.design, "flow": self.flow,
                       "present": True},
            "tool_versions": dict(self.tool_versions),
            "made_by": self.made_by,
        }

    def _plain(self, variant: Variant) -> dict[str, Any]:
        """Clock and area of the core in the plain flow; empty for other variants."""
        if variant is not Variant.PLAIN_FLOW or self.plain_cells is None:
            return {}
        clock, area = self._clock(variant, self.plain_cells), self.target.family.area(self.plain_cells)
        return {"clock_mhz": None if clock is None else clock.mhz, "luts": area.luts, "ffs": area.ffs}

    def text(self) -> str:
        """The content of its file."""
        return json.dumps(self.to_json(), indent=2) + "\n"


def file_name(parameters: TranscoderParameters, target: Target, speed: str, memory: str) -> str:
    """Name of a measurement's file: core, every option that is not the default, target, grade, memory if it has two."""
    record = parameters.record()
    words = [parameters.core, *(str(record[name]) for name in ("from", "to") if record.get(name)),
             f"x{parameters.lanes}", *([parameters.packing] if "packing" in record else [])]
    words += [_word(name, value) for name, value in parameters.unusual.items() if name != "packing"]
    words += [target.name, speed]
    return "-".join([*words, *([memory] if len(target.family.memories) > 1 else [])])


def _word(name: str, value: Any) -> str:
    """An option in a file name: its value, after its own name if two options may have that value."""
    if name not in Sidebands.NAMES and isinstance(value, str):
        return str(value)
    return f"{name}-{option_text(name, value)}".replace("_", "-").replace(",", "-")


def _seeds(runs: Sequence[Placement]) -> list[dict[str, Any]]:
    return [{"seed": run.seed, "fmax_mhz": run.fmax_mhz, **({"limited": True} if run.limited else {})} for run in runs]
