"""Front end and back end, the two halves of an encoding's hardware: units to scalars, and scalars to units.

UTF-8 to UTF-8 with four lanes, and the packet ``E2 82 AC 41``:

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

SCALAR_WIDTH = 21
"""Bits of a Unicode scalar value."""


@dataclass
class Faults:
    """The faults of a packet, each in the lane where it shows. Only the packet's first faulty lane counts.

    ``any``: there is a fault in the lane. ``kind``: the bits of its `ErrorKind`, lowest first. ``back``: the distance
    in lanes to the start of the ill-formed sequence, as bits, lowest first. ``kind`` and ``back`` are valid in a
    packet's first faulty lane alone.
    """

    any: Lanes
    kind: Sequence[Lanes]
    back: Sequence[Lanes]


@dataclass(frozen=True)
class Scalars:
    """The scalars of a beat, each in the lane of its sequence's last unit.

    ``present``: a scalar ends in the lane, or an ill-formed subpart that becomes U+FFFD.
    ``scalars``: makes the scalars at the given step or later, in the lowest `SCALAR_WIDTH` bits.
    ``bad``: lanes whose scalar must be read as U+FFFD. The consumer inserts U+FFFD where that needs no gate of its own.
    None if ``scalars`` already contains it.
    ``whole``: the scalar is the scalar of a well-formed sequence. None if every other scalar is a fault in its own
    lane.
    ``back``: makes the distance in lanes to the start of a well-formed sequence, as bits, lowest first. It is valid as
    long as the packet is well-formed.
    """

    present: Lanes
    scalars: Callable[[int], Lanes]
    bad: Lanes | None
    whole: Lanes | None = None
    back: Callable[[], Sequence[Lanes]] = tuple

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline of the scalars."""
        return self.present.pipeline

    @stage("beyond_bmp")
    def beyond_bmp(self) -> Lanes:
        """Lanes with a scalar above FFFF."""
        flags = [self.present, *([] if self.bad is None else [self.bad])]
        return Lanes.map("beyond_bmp", lambda scalar, present, *bad: present & scalar[16:].any() & ~Cat(bad).any(),
                         self.scalars(0), *flags)


@dataclass(frozen=True)
class Units:
    """The target units in the slots of a beat's lanes, slot 0 of lane 0 first.

    ``present``: whether the slot has a unit. ``data``: makes the units at the given step or later. ``unfit``: lanes
    with a well-formed scalar that the target lacks; None if it lacks none.
    """

    present: Sequence[Timed]
    data: Callable[[int], list[Timed]]
    unfit: Lanes | None = None


@stage("target_faults")
def merge_faults(unfit: Lanes, source: Faults, back: Sequence[Lanes]) -> Faults:
    """What is wrong with the packet, or cannot be said in the target's encoding: TOO_LARGE.

    In one lane the source's fault has priority: it may belong to a sequence that ended with the lane before.
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
    """Front end: the units of a beat as scalars and faults. Its methods add hardware for the parts that the core
    needs."""

    lookahead: ClassVar[bool]
    """Whether the verdict on a lane depends on the next unit. The input then has one lane more than the beat."""
    absent: ClassVar[int] = 0
    """Bits that the input stage clears in a missing unit, so that the missing unit ends the sequence before it. 0 if
    the front end reads the keep bits instead."""

    def __init__(self, entry: InputStage, *, apart: bool = False) -> None:
        """``apart``: the core uses `ill_formed_stretches`."""
        self.entry = entry
        self.apart = apart

    @staticmethod
    def narrowed(unit: Value) -> Value:
        """An equivalent unit for the front end, with fewer bits that may be set: saves registers before it."""
        return unit

    @property
    def pipeline(self) -> Pipeline:
        """The front end's pipeline."""
        return self.entry.pipeline

    @property
    def units(self) -> Lanes:
        """The units of the beat, as numbers."""
        return self.entry.data

    @abstractmethod
    def faults(self) -> Faults:
        """The faults of the packet."""

    @abstractmethod
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """The scalars of the units that ``keep`` marks. ``drop``: ill-formed subparts have no scalar. ``strip``: a byte
        order mark at a packet's start has no scalar."""

    def ill_formed(self, keep: Lanes) -> Lanes:
        """Lanes where an ill-formed subpart of the units that ``keep`` marks ends: every subpart, not the packet's
        first alone."""
        every, whole = (self.scalars(keep, drop=drop, strip=False).present for drop in (False, True))
        return Lanes.map("ill_formed", lambda every, whole: every & ~whole, every, whole)


    def ill_formed_stretches(self) -> Lanes:
        """Lanes with a fault in some *stretch*: a part of a packet that ends with an ASCII character or the packet. A
        stretch has such a lane if it is ill-formed, and none otherwise."""
        return self.ill_formed(self.entry.there)


class BackEnd(ABC):
    """Back end: scalars as target units.

    ``slots``: units that a scalar can take, and unit places of each lane. ``drop``: a scalar that the target lacks is
    left out instead of replaced. ``replacement``: what replaces it; None for the encoding's usual replacement.
    """

    width: ClassVar[int]
    """Bits of a unit that can differ from 0."""

    def __init__(self, slots: int, *, drop: bool = False, replacement: int | None = None) -> None:
        self.slots = slots
        self.drop = drop
        self.replacement = replacement

    @abstractmethod
    def units(self, text: Scalars) -> Units:
        """The units of the scalars."""


class Fused(NamedTuple):
    """A fused pair: source units directly to target units. The target has all scalars of the source.

    ``units``: makes the target units from the front end and the lanes to keep, as the parameters say. ``lookahead``:
    units after a beat that it needs.
    """

    units: Callable[[FrontEnd, Lanes, TranscoderParameters], Units]
    lookahead: int
