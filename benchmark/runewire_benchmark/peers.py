"""Software that the cores are compared with: a peer is one way to do a task, a row of a table in `peer_registry`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .callers import Caller
from .measure import Run
from .tasks import Job

OnDamage = Literal["no", "whole", "yes", "only"]
"""Whether a peer is timed on ill-formed text: never, on whole texts alone, always; or on nothing else."""


@dataclass(frozen=True)
class Software:
    """A program by its name, and how it is called."""

    name: str
    caller: Caller

    def available(self) -> bool:
        """Whether it can be measured here."""
        return self.caller.missing is None

    @property
    def missing(self) -> str:
        """What would make it available; empty where it is."""
        return self.caller.missing or ""

    @property
    def version(self) -> str:
        """Name and version of the program."""
        return self.caller.version

    @property
    def timed(self) -> Callable[[Sequence[bytes]], Run]:
        """Calls on all packets, or lines, by the clock that counts for this program."""
        return self.caller.timed

    def answer(self, packets: Sequence[bytes]) -> int:
        """The answer of one call."""
        return self.timed(packets)(1).answer


@dataclass(frozen=True)
class Peer(Software):
    """Software for one task: its answer is the number of well-formed packets, or of units that are made.

    ``on_damage``: bytes a second mean nothing where a peer stops at the first error. ``reads``: the encoding of packets
    if it is not the task's source. ``note``: what a reader should know next to a core's figure, a sentence without its
    subject.
    """

    job: Job
    on_damage: OnDamage = "no"
    reads: str | None = None
    note: str = ""

    def suits(self, *, damaged: bool, packets: bool) -> bool:
        """Whether this kind of input is worth timing."""
        return {"no": not damaged, "whole": not (damaged and packets), "yes": True, "only": damaged}[self.on_damage]


@dataclass(frozen=True)
class LinePeer(Software):
    """Software for a job on the lines of a text, which says what its answer is.

    ``way``: how, in words. ``each``: it looks at each line alone. ``reads_on``: it does not stop at the first
    ill-formed line.
    """

    way: str
    each: bool = False
    reads_on: bool = True
