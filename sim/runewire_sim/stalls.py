"""Random stalls of a core's source and sinks, and null bytes: the same pattern in every simulator, to the cycle.

A cycle is a rising edge of ``aclk`` with ``aresetn`` high, counted from 0 at the first one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from runewire_model.timeline import Further

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
"""SplitMix64's increment."""
MOST = 0.99
PAUSE = 0.8
"""Probability of a pause in runs of functional coverage with stalls."""
REPORT_PORT = 0x5245504F5254
"""Makes the report port's pauses differ from the data sink's."""
RECORDS = 0x5245434F524453
"""Makes the record report's pauses differ from the others."""
REJECTS = 0x52454A45435453
"""Makes the pauses of the sink of rejected records differ from the data sink's."""
HOLES = 0x484F4C4553
"""Makes the places of null bytes differ from the pauses."""


def mix(z: int) -> int:
    """SplitMix64's finaliser: a hash of 64 bits to 64 bits."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


@dataclass(frozen=True)
class Pauses:
    """The pauses of one side: it pauses in a cycle whose hash with ``key`` is below ``threshold``."""

    key: int
    threshold: int

    def at(self, cycle: int) -> bool:
        """Whether this side pauses in ``cycle``."""
        return mix(self.key + (cycle + 1) * GOLDEN & MASK) < self.threshold

    def __iter__(self) -> Iterator[bool]:
        return (self.at(cycle) for cycle in count())


@dataclass(frozen=True)
class Stalls:
    """Random pauses of the source (no new beat), of the sink (``ready`` low), and of the sinks of reports, of rejects
    and of the record report.

    ``source``, ``sink``: the probability of a pause in a cycle, 0 to 0.99; all sinks have the same. ``rejects``,
    ``records``: another one for the sink of rejected records, and of the record report; None for the same. An offered
    beat stays until its handshake, as AXI4-Stream demands. ``seed``: any integer. ``holes``: the probability of a null
    byte in a lane; 0 for full beats except a packet's last. Raises ValueError for another probability.
    """

    source: float = 0.0
    sink: float = 0.0
    seed: int = 0
    holes: float = 0.0
    rejects: float | None = None
    records: float | None = None

    def __post_init__(self) -> None:
        for probability, of in ((self.source, "stall"), (self.sink, "stall"), (self.rejects or 0.0, "stall"),
                                (self.records or 0.0, "stall"), (self.holes, "null byte")):
            if not 0 <= probability <= MOST:
                raise ValueError(f"the probability of a {of} must be from 0 to {MOST}, got {probability}")

    @property
    def source_pauses(self) -> Pauses:
        return Pauses(mix(2 * self.seed & MASK), int(self.source * 2**64))

    @property
    def sink_pauses(self) -> Pauses:
        return Pauses(mix(2 * self.seed + 1 & MASK), int(self.sink * 2**64))

    @property
    def report_pauses(self) -> Pauses:
        return Pauses(mix(2 * self.seed + REPORT_PORT & MASK), int(self.sink * 2**64))

    @property
    def record_pauses(self) -> Pauses:
        return Pauses(mix(2 * self.seed + RECORDS & MASK), int(self._records * 2**64))

    @property
    def _records(self) -> float:
        return self.sink if self.records is None else self.records

    @property
    def rejects_pauses(self) -> Pauses:
        return Pauses(mix(2 * self.seed + REJECTS & MASK), int(self._rejects * 2**64))

    @property
    def _rejects(self) -> float:
        return self.sink if self.rejects is None else self.rejects

    @property
    def further(self) -> Further:
        """The pauses of the sinks of further streams, for the cycle model."""
        return Further(self.rejects_pauses.at, self.report_pauses.at, self.record_pauses.at)

    @property
    def null_bytes(self) -> Pauses:
        """Null bytes, by the number of the lane: `packet_beats` counts the lanes of all beats."""
        return Pauses(mix(2 * self.seed + HOLES & MASK), int(self.holes * 2**64))

    @property
    def watchdog(self) -> int:
        """Cycles without any handshake after which a core counts as stuck; random pauses alone are shorter."""
        return int(10_000 / (1 - max(self.source, self.sink, self._rejects, self._records)))


NO_STALLS = Stalls()
