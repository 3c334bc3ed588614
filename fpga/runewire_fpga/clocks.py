"""The clock of a placed core: the smallest of Fmax and the device's clock limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .targets import ClockLimit

FMAX = "Fmax"
"""`Clock.held_by` of a clock that the core's own paths limit."""


@dataclass(frozen=True)
class Clock:
    """The clock of a core, from its Fmax in MHz and the clock limits of the device's parts.

    nextpnr's Fmax comes from paths alone: it leaves out minimum pulse widths.
    """

    fmax_mhz: float
    limits: Sequence[ClockLimit]

    @property
    def mhz(self) -> float:
        """The smallest of Fmax and all known limits."""
        return min([self.fmax_mhz, *(limit.mhz for limit in self.limits if limit.mhz is not None)])

    @property
    def held_by(self) -> str:
        """What limits that clock: `FMAX`, or the part of the device."""
        holding = (limit.what for limit in self.limits if limit.mhz == self.mhz != self.fmax_mhz)
        return next(holding, FMAX)

    @property
    def unsure_of(self) -> list[str]:
        """Parts of the device without an exact limit: the clock may be lower."""
        return [limit.what for limit in self.limits if limit.mhz is None or not limit.exact]

    def gigabytes_per_second(self, bytes_per_cycle: int) -> float:
        """10^9 bytes a second."""
        return round(bytes_per_cycle * self.mhz / 1000, 4)


def clock_record(clock: Clock | None, bytes_per_cycle: int) -> Mapping[str, Any]:
    """The clock's part of a measurement's JSON; unknown values are None."""
    return {
        "clock_limits": [asdict(limit) for limit in clock.limits] if clock else [],
        "clock_mhz": clock and clock.mhz,
        "clock_held_by": clock and clock.held_by,
        "clock_unsure_of": clock.unsure_of if clock else [],
        "gigabytes_per_second": clock and clock.gigabytes_per_second(bytes_per_cycle),
    }
