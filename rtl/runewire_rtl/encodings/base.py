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
from functools import cached_property
from itertools import zip_longest
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Value
from runewire_model import ErrorKind, TranscoderParameters

from ..input.input_stage import InputStage
from ..pipeline import Lanes, Pipeline, Timed, stage

MOST_PART = 3
"""Units of an ill-formed subpart at most."""
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
    long as the packet is well-formed; if its argument is true, as long as the record is.
    """

    present: Lanes
    scalars: Callable[[int], Lanes]
    bad: Lanes | None
    whole: Lanes | None = None
    back: Callable[[bool], Sequence[Lanes]] = lambda records: ()

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


@stage("nul")
def _zeros(units: Lanes) -> Lanes:
    """Whether each unit has all bits 0."""
    width, size = units[0].shape.width, units.pipeline.policy.lut_inputs
    zeros = [Lanes.map(f"zero{low}", lambda unit, low=low: ~unit[low : low + size].any(), units)
             for low in range(0, width, size)]
    while len(zeros) > 1:
        zeros = [Lanes.map(f"zeros_of{len(zeros)}_{first}", lambda *flags: Cat(flags).all(),
                           *zeros[first : first + size]) for first in range(0, len(zeros), size)]
    return zeros[0]


@stage("nul")
def _present_nul(nul: Lanes, whole: Lanes) -> Lanes:
    """Whether each unit is U+0000."""
    return Lanes.map("nul", lambda nul, whole: nul & whole, nul, whole)


@stage("nul")
def nul_faults(faults: Faults, nul: Lanes) -> Faults:
    """The faults, and U+0000 among them. Its kind has all bits set."""
    def either(name: str, flags: Lanes) -> Lanes:
        return Lanes.map(name, lambda flag, nul: flag | nul, flags, nul)

    return Faults(either("fault_or_nul", faults.any),
                  [either(f"nul_kind{bit}", kind) for bit, kind in enumerate(faults.kind)], faults.back)


@stage("runs")
def one_a_run(every: Lanes, whole: Lanes, entry: InputStage) -> Lanes:
    """Lanes whose scalar is output if a run of adjoining ill-formed subparts has one replacement: for its first part.

    ``every``: lanes where a character or an ill-formed subpart ends; a subpart has three units at most. ``whole``:
    lanes of characters. Characters may have further lanes in both.
    """
    part = Lanes.map("run_part", lambda every, whole: every & ~whole, every, whole)
    # Whether a subpart ended in this lane, or in the lane before and nothing here.
    recent = Lanes.map("run_recent", lambda part, every, before: part | (~every & before), part, every, part.back(1))
    follows = Lanes.map("run_follows", lambda recent, every, before: recent | (~every & before),
                        recent.back(1), every.back(1), recent.back(2))
    first = Lanes.map("run_first", lambda every, whole, follows: every & (whole | ~follows), every, whole, follows)
    if entry.run is None:
        return first
    before, lanes = entry.run(entry, every, whole), first.beat()
    # The beat's first part, which ends within its first units, may continue a run of the segment before.
    lanes[:MOST_PART] = [
        first.pipeline.step(f"run_goes_on_l{lane}", lambda first, whole, before, *sooner: first & (
            whole | ~before | Cat(sooner).any()), first[lane], whole[lane], before, *every.beat()[:lane])
        for lane in range(min(MOST_PART, len(lanes)))]
    return Lanes(first.pipeline, "run_goes_on", lanes, first.width)


class FrontEnd(ABC):
    """Front end: the units of a beat as scalars and faults. Its methods add hardware for the parts that the core
    needs."""

    lookahead: ClassVar[bool]
    """Whether the verdict on a lane depends on the next unit. The input then has one lane more than the beat."""
    absent: ClassVar[int] = 0
    """Bits that the input stage clears in a missing unit, so that the missing unit ends the sequence before it. 0 if
    the front end reads the keep bits instead."""

    def __init__(self, entry: InputStage, *, apart: bool = False, reject_nul: bool = False) -> None:
        """``apart``: the core uses `ill_formed_stretches`. ``reject_nul``: U+0000 is ill-formed."""
        self.entry = entry
        self.apart = apart
        self.reject_nul = reject_nul

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

    @cached_property
    def nul(self) -> Lanes | None:
        """Units with all bits 0, if U+0000 is ill-formed; None if it is not. Units that are missing or incomplete may
        be among them."""
        return _zeros(self.units) if self.reject_nul else None

    @cached_property
    def whole_nul(self) -> Lanes | None:
        """The same without units that are missing or incomplete."""
        entry = self.entry
        whole = entry.there if entry.keep[0].shape.width == 1 else entry.whole
        return None if self.nul is None else _present_nul(self.nul, whole)

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
