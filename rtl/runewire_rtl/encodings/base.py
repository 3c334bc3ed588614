"""What the hardware of an encoding gives: a front end, from units to scalars, and a back end, from scalars to units.

In the lanes of a beat, UTF-8 to UTF-8 would be, with four lanes and the packet ``E2 82 AC 41``:

    lane            0    1    2      3
    unit            E2   82   AC     41
    front: present  0    0    1      1        a scalar ends here
           scalar   ?    ?    20AC   41
    back: units     -    -    E2     -        one slot of up to four
                    -    -    82     -
                    -    -    AC     41
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Value
from runewire_model import ErrorKind, TranscoderParameters

from ..input.input_stage import InputStage
from ..pipeline import Lanes, Pipeline, Timed, stage

__all__ = ["SCALAR_WIDTH", "BackEnd", "Faults", "FrontEnd", "Fused", "Scalars", "Units", "merge_faults"]

SCALAR_WIDTH = 21
"""Bits of a Unicode scalar value."""


@dataclass
class Faults:
    """What is wrong with a packet, in the lane that ends it: a packet's first such lane counts, and no other.

    ``any``: something is. ``kind``: the bits of its `ErrorKind`, lowest first. ``back``: the bits of how many lanes
    before it the ill-formed sequence begins. ``kind`` and ``back`` are right in a packet's first faulty lane.
    """

    any: Lanes
    kind: Sequence[Lanes]
    back: Sequence[Lanes]


@dataclass(frozen=True)
class Scalars:
    """The scalars of a beat, each in the lane of its sequence's last unit.

    ``present``: whether a scalar ends in the lane, or what a U+FFFD stands for. ``scalars``: the scalars, in the lowest
    `SCALAR_WIDTH` bits, at the given step or later. ``bad``: lanes whose scalar is to be read as U+FFFD, None where
    ``scalars`` has it already: whoever uses the scalar puts it in where that takes no gate of its own.
    ``whole``: whether the scalar is that of a well-formed sequence, None where every other is a fault in its own lane.
    ``back``: makes the bits of how many lanes before it a well-formed sequence begins, lowest first. They are right as
    long as the packet is well-formed.
    """

    present: Lanes
    scalars: Callable[[int], Lanes]
    bad: Lanes | None
    whole: Lanes | None = None
    back: Callable[[], Sequence[Lanes]] = tuple

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline that they are in."""
        return self.present.pipeline

    @stage("beyond_bmp")
    def beyond_bmp(self) -> Lanes:
        """Lanes with a scalar above FFFF."""
        flags = [self.present, *([] if self.bad is None else [self.bad])]
        return Lanes.map("beyond_bmp", lambda scalar, present, *bad: present & scalar[16:].any() & ~Cat(bad).any(),
                         self.scalars(0), *flags)


@dataclass(frozen=True)
class Units:
    """The units of the target in the slots of a beat's lanes, slot 0 of lane 0 first.

    ``present``: whether there is one. ``data``: the units, at the given step or later.
    ``unfit``: lanes with the scalar of a well-formed sequence that the target lacks, None where it lacks none.
    """

    present: Sequence[Timed]
    data: Callable[[int], list[Timed]]
    unfit: Lanes | None = None


@stage("target_faults")
def merge_faults(unfit: Lanes, source: Faults, back: Sequence[Lanes]) -> Faults:
    """What is wrong with the packet, or cannot be said in the target's encoding: TOO_LARGE.

    In one lane the source's fault comes first: it may belong to a sequence that ended with the lane before.
    """
    def either(name: str, inner: Lanes | None, outer: Lanes | None) -> Lanes:
        def choose(faulty: Value, *bits: Value) -> Value:
            first = bits[0] & faulty if inner is not None else faulty & 0
            return first | (bits[-1] & ~faulty) if outer is not None else first

        return Lanes.map(name, choose, source.any, *(bit for bit in (inner, outer) if bit is not None))

    return Faults(
        any=Lanes.map("fault_or_unfit", lambda fault, unfit: fault | unfit, source.any, unfit),
        kind=[either(f"merged_kind{bit}", kind, unfit if ErrorKind.TOO_LARGE >> bit & 1 else None)
              for bit, kind in enumerate(source.kind)],
        back=[either(f"merged_back{bit}", *pair) for bit, pair in enumerate(zip_longest(source.back, back))],
    )


class FrontEnd(ABC):
    """The units of a beat as scalars and faults. It is made of a core's input, and describes what it is asked for."""

    lookahead: ClassVar[bool]
    """Whether what ends in a lane depends on the unit after it: then the input has one lane more than the beat."""
    absent: ClassVar[int] = 0
    """Bits that the input stage clears in a unit that is not there, so that it ends what stands before it; none where
    the front end looks at keep bits for that."""

    def __init__(self, entry: InputStage, *, apart: bool = False) -> None:
        """``apart``: `ill_formed_stretches` is asked for."""
        self.entry = entry
        self.apart = apart

    @staticmethod
    def narrowed(unit: Value) -> Value:
        """A unit that the front end reads as this one, with fewer bits that may be set: for registers before it."""
        return unit

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline that it is in."""
        return self.entry.pipeline

    @property
    def units(self) -> Lanes:
        """The units of the beat, as numbers."""
        return self.entry.data

    @abstractmethod
    def faults(self) -> Faults:
        """What is wrong with the packet."""

    @abstractmethod
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """The scalars of the units that ``keep`` has; ``drop``: none for what is ill-formed; ``strip``: none for a byte
        order mark at a packet's start."""

    def ill_formed(self, keep: Lanes) -> Lanes:
        """Lanes where an ill-formed subpart of the units that ``keep`` has ends: all such, and not only a packet's
        first."""
        every, whole = (self.scalars(keep, drop=drop, strip=False).present for drop in (False, True))
        return Lanes.map("ill_formed", lambda every, whole: every & ~whole, every, whole)


    def ill_formed_stretches(self) -> Lanes:
        """Lanes such that each stretch of a packet up to and with an ASCII character, or to its end, has one if
        something in it is ill-formed, and none else."""
        return self.ill_formed(self.entry.there)


class BackEnd(ABC):
    """Scalars as units of the target.

    ``slots``: units that a scalar can take here, and places that each lane has for them. ``drop``: none for a scalar
    that the target lacks, in place of what stands for it. ``replacement``: that, None for what usually does.
    """

    width: ClassVar[int]
    """Bits of a unit that can be other than 0."""

    def __init__(self, slots: int, *, drop: bool = False, replacement: int | None = None) -> None:
        self.slots = slots
        self.drop = drop
        self.replacement = replacement

    @abstractmethod
    def units(self, text: Scalars) -> Units:
        """The units of the scalars."""


class Fused(NamedTuple):
    """Units of one encoding straight to those of another, which has all of its scalars.

    ``units``: makes the units of the target of those of the front end that lanes say are there; the parameters say how.
    ``lookahead``: how many units after a beat it needs.
    """

    units: Callable[[FrontEnd, Lanes, TranscoderParameters], Units]
    lookahead: int
