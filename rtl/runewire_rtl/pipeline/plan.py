"""Plan of a pipeline: after how many steps there is a register."""

from __future__ import annotations

import enum


class Plan(enum.Enum):
    """How many steps share one clock cycle.

    ``FAST`` has a register after every step, for the highest clock; ``BALANCED`` after every second one; ``COMPACT``
    after every sixth, for small devices and low latency.
    """

    FAST = 1
    BALANCED = 2
    COMPACT = 6

    @classmethod
    def of(cls, name: str) -> Plan:
        return cls[name.upper()]

    def registers_before(self, step: int) -> int:
        """Registers between step 0 and ``step``, in cycles."""
        return step // self.value
