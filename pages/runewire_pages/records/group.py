"""The records that one command makes: their states, the command, and its time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["present", "former", "unknown", "missing"]
STATES: Mapping[State, str] = {
    "present": "of the present design",
    "former": "of a former design",
    "unknown": "of a design that may be the present one",
    "missing": "not made yet",
}
"""The states of a record, and what they mean."""


@dataclass(frozen=True)
class RecordGroup:
    """Records that one command makes.

    Attributes
    ----------
    kind, name : for example "mutants" and "decoder-x2-dense"
    states : number of records in each of `STATES`
    command : the command line that makes those again that are not of the present design
    seconds : the time that they took last time; None if it is not recorded
    version : of runewire, for the oldest of them; None if none of them is recorded
    resumable : an interrupted command keeps what it has finished
    open_ended : the command takes any time, and ``--minutes``
    by_hand : why no night makes them; empty if one does
    """

    kind: str
    name: str
    states: Mapping[State, int]
    command: Sequence[str]
    seconds: float | None = None
    version: str | None = None
    resumable: bool = False
    open_ended: bool = False
    by_hand: str = ""

    @property
    def due(self) -> int:
        """Number of records that are not of the present design."""
        return sum(self.states.values()) - self.states.get("present", 0)

    @property
    def age(self) -> tuple[list[int], bool, float]:
        """Sorts groups: the oldest version first, records without a version last; then the shorter time first."""
        numbers = [int(number) for number in re.findall(r"\d+", self.version or "")]
        return numbers or [1 << 30], not self.states.get("former"), float("inf") if self.seconds is None else (
            self.seconds)

    def as_json(self) -> dict[str, Any]:
        """The group for tools."""
        return {"kind": self.kind, "name": self.name, **{state: self.states.get(state, 0) for state in STATES},
                "version": self.version, "seconds": self.seconds, "command": list(self.command),
                "by_hand": self.by_hand or None}


def time_text(seconds: float) -> str:
    """A time in words: 3 h 20 min, 12 min, 45 s."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
