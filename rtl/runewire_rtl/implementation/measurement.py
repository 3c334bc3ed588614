"""What was measured of one core on one device: a file of the datasheet."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import runewire_model
from runewire_model import DecoderParameters, Parameters

from .designs import Variant
from .place_and_route import CriticalPath, Placement
from .targets import Area, ClockLimit, Target

__all__ = ["Measurement"]


@dataclass(frozen=True)
class Measurement:
    """A core on a device.

    ``placements``: the runs of place and route of each variant that was placed, empty for a target that is
    for area only. ``area`` is that of the core alone. ``made_by`` is the command that asked for it.
    """

    parameters: Parameters
    target: Target
    speed: str
    area: Area
    latency_cycles: int
    placements: Mapping[Variant, Sequence[Placement]]
    tool_versions: Mapping[str, str]
    made_by: str

    def fmax_mhz(self, variant: Variant = Variant.CORE) -> float | None:
        """Median over the seeds; None where it was not placed."""
        runs = self.placements.get(variant)
        return round(statistics.median(run.fmax_mhz for run in runs), 2) if runs else None

    @property
    def clock_limit(self) -> ClockLimit | None:
        """What the device's clock network carries, None where that could not be looked up."""
        return self.target.clock_limits.get(self.speed)

    def clock_mhz(self, variant: Variant = Variant.CORE) -> float | None:
        """The clock that may be quoted: the smaller of Fmax and what the clock network carries."""
        fmax = self.fmax_mhz(variant)
        if fmax is None or self.clock_limit is None:
            return fmax
        return min(fmax, self.clock_limit.mhz)

    @property
    def bytes_per_cycle(self) -> int:
        """Bytes of input: UTF-8, and UTF-32 for the encoder."""
        return self.parameters.input_bytes

    def gigabytes_per_second(self, variant: Variant = Variant.CORE) -> float | None:
        """10^9 bytes of input a second at the clock that may be quoted."""
        clock = self.clock_mhz(variant)
        return None if clock is None else round(self.bytes_per_cycle * clock / 1000, 4)

    def ratio(self, variant: Variant) -> float | None:
        """The core's Fmax as a fraction of a variant's."""
        fmax, other = self.fmax_mhz(), self.fmax_mhz(variant)
        return None if fmax is None or other is None else round(fmax / other, 3)

    @property
    def critical_path(self) -> CriticalPath | None:
        """Of the seed whose clock is the median, the lower of two."""
        runs = self.placements.get(Variant.CORE)
        if not runs:
            return None
        return sorted(runs, key=lambda run: run.fmax_mhz)[(len(runs) - 1) // 2].critical_path

    @property
    def packing(self) -> str | None:
        """The decoder's packing; None for other cores."""
        return self.parameters.packing if isinstance(self.parameters, DecoderParameters) else None

    @property
    def name(self) -> str:
        """A name for a file."""
        options = asdict(self.parameters)
        words = [self.parameters.core, f"x{options.pop('lanes')}", *([self.packing] if self.packing else [])]
        defaults = asdict(runewire_model.parameters(self.parameters.core))
        words += [
            str(value) for name, value in options.items() if name != "packing" and value != defaults[name]
        ]
        return "-".join([*words, self.target.name, self.speed])

    def to_json(self) -> dict[str, Any]:
        """JSON-ready; clocks in MHz, path delays in ns."""
        limit, path, capacity = self.clock_limit, self.critical_path, self.target.capacity
        return {
            "core": self.parameters.core,
            "lanes": self.parameters.lanes,
            "packing": self.packing,
            **asdict(self.parameters),
            "target": self.target.name,
            "device": self.target.device,
            "speed": self.speed,
            "out_of_context": self.target.family.out_of_context,
            "seeds": _seeds(self.placements.get(Variant.CORE, ())),
            "fmax_mhz": self.fmax_mhz(),
            "clock_limit_mhz": limit and limit.mhz,
            "clock_limit_source": limit and limit.source,
            "clock_mhz": self.clock_mhz(),
            "luts": self.area.luts,
            "ffs": self.area.ffs,
            "memory": {
                "block_ram": self.area.block_ram,
                "block_ram_kbit_each": self.target.family.block_ram_kbit,
                "distributed_ram": self.area.distributed_ram,
                "distributed_ram_luts": self.area.memory_luts,
            },
            "capacity": capacity and asdict(capacity),
            "latency_cycles": self.latency_cycles,
            "bytes_per_cycle": self.bytes_per_cycle,
            "gigabytes_per_second": self.gigabytes_per_second(),
            "critical_path": path and asdict(path),
            "beside": {
                variant.value: {
                    "seeds": _seeds(runs), "fmax_mhz": self.fmax_mhz(variant), "ratio": self.ratio(variant),
                }
                for variant, runs in self.placements.items() if variant is not Variant.CORE
            },
            "tool_versions": dict(self.tool_versions),
            "made_by": self.made_by,
        }

    def text(self) -> str:
        """The content of its file."""
        return json.dumps(self.to_json(), indent=2) + "\n"


def _seeds(runs: Sequence[Placement]) -> list[dict[str, Any]]:
    return [{"seed": run.seed, "fmax_mhz": run.fmax_mhz} for run in runs]
