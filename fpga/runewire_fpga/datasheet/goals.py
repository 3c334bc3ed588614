"""Goals of the datasheet: the clock, area and latency that a core was meant to reach, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..records import MeasurementRecord
from .rows import is_placed, kind_of, limits_of, options_of, usual_core

NETWORK_MHZ = 370
"""Clock limit of the ECP5's clock network, grade 8: a goal for Fmax above it is a goal of this clock."""


@dataclass(frozen=True)
class Goal:
    """What a core is to reach on one target; None where nothing is asked.

    Attributes
    ----------
    clock_mhz : clock, as the datasheet quotes it
    fmax_mhz : Fmax; no part of the device may hold the clock below the smaller of it and `NETWORK_MHZ`
    luts_a_lane : look-up tables divided by lanes
    of_default : look-up tables as a fraction of the same core's with default options
    luts : look-up tables
    latency_cycles : latency
    steady : whether every seed's clock must be within 8 % of the median
    """

    clock_mhz: float | None = None
    fmax_mhz: float | None = None
    luts_a_lane: float | None = None
    of_default: float | None = None
    luts: int | None = None
    latency_cycles: int | None = None
    steady: bool = False

    def met(self, record: MeasurementRecord, usual: MeasurementRecord | None) -> str:
        """Each part of the goal in words, met or missed; ``usual`` as for `parts`."""
        return ", ".join(f"{what}: {'met' if met else 'missed'}" for what, met in self.parts(record, usual))

    def parts(self, record: MeasurementRecord, usual: MeasurementRecord | None) -> list[tuple[str, bool]]:
        """Each part of the goal in words, and whether the core reaches it.

        ``usual``: the same core with default options; None if it was not measured, then ``of_default`` is left out.
        """
        asked = []
        if self.clock_mhz is not None:
            asked.append((f"{self.clock_mhz:g} MHz", record["clock_mhz"] >= self.clock_mhz))
        if self.fmax_mhz is not None:
            met = record["fmax_mhz"] >= self.fmax_mhz and record["clock_mhz"] >= min(self.fmax_mhz, NETWORK_MHZ)
            asked.append((f"{self.fmax_mhz:g} MHz", met))
        if self.steady:
            slowest = min(*(seed["fmax_mhz"] for seed in record["seeds"]), *limits_of(record))
            asked.append(("no seed 8 % below", slowest >= 0.92 * record["clock_mhz"]))
        if self.luts_a_lane is not None:
            asked.append((f"{self.luts_a_lane:g} LUT a lane", record["luts"] <= self.luts_a_lane * record["lanes"]))
        if self.of_default is not None and usual is not None:
            asked.append((f"{self.of_default:.0%} of the default's LUT".replace("%", " %"),
                          record["luts"] <= self.of_default * usual["luts"]))
        if self.luts is not None:
            asked.append((f"{self.luts} LUT", record["luts"] <= self.luts))
        if self.latency_cycles is not None:
            asked.append((f"{self.latency_cycles} cycles", record["latency_cycles"] <= self.latency_cycles))
        return asked


_GOALS: Mapping[tuple[str, int, str, str, tuple[str, ...]], Goal] = {
    ("validator", 64, "ecp5-85k", "distributed", ("records 0A",)): Goal(clock_mhz=370, luts_a_lane=75),
    ("validator", 8, "ecp5-85k", "distributed", ("report flag",)): Goal(of_default=0.75),
    **{("sanitizer, dense", lanes, "ecp5-85k", "distributed", ("errors drop",)): Goal(fmax_mhz=fmax)
       for lanes, fmax in ((16, 400), (64, 320))},
    ("validator", 1, "ice40-hx8k", "block", ()): Goal(clock_mhz=250),
    **{(kind, 8, target, "distributed", ()): Goal(clock_mhz=clock)
       for target, clocks in (("gowin-gw5ast-138", (480, 450)), ("artix-7-200t", (450, 430)))
       for kind, clock in zip(("validator", "decoder, dense"), clocks, strict=True)},
    **{(kind, lanes, target, "distributed", layout): Goal(clock_mhz=clock)
       for target, layout, goals in (
           ("artix-7-200t", ("family xilinx-7",), {
               "validator": {8: 450, 64: 400, 128: 370, 256: 320},
               "decoder, dense": {8: 430, 16: 400, 64: 330, 128: 250},
               "UTF-8 to UTF-16LE, dense": {16: 400, 64: 340, 128: 260}, "UTF-16LE to UTF-8": {16: 400, 32: 330}}),
           ("gowin-gw5ast-138", ("family gowin-5a",), {
               "validator": {64: 450, 128: 430, 256: 400},
               "decoder, dense": {8: 450, 16: 430, 64: 370, 128: 300},
               "UTF-8 to UTF-16LE, dense": {16: 430, 64: 380, 128: 300}, "UTF-16LE to UTF-8": {16: 420, 32: 350}}))
       for kind, clocks in goals.items() for lanes, clock in clocks.items()},
    **{(kind, lanes, "ecp5-85k", "distributed", ()): Goal(clock_mhz=clock, luts_a_lane=luts)
       for kind, lanes, clock, luts in (
           ("packer", 8, 370, 150), ("packer", 64, 330, 190), ("splitter", 8, 370, 260), ("splitter", 64, 300, 330),
           ("filter", 8, 270, None), ("filter", 64, 260, None))},
    **{(kind, lanes, "ecp5-85k", "distributed", options): Goal(clock_mhz=clock, of_default=luts)
       for kind, lanes, options, clock, luts in (
           ("decoder, dense", 8, ("flows 1",), 370, 1.4), ("decoder, dense", 8, ("id 8", "flows 256"), 350, 1.4),
           ("validator", 8, ("id 10", "flows 1024"), 370, None), ("validator", 64, ("id 10", "flows 1024"), 330, None),
           ("validator", 8, ("records 0A", "record-report yes"), 340, None),
           ("validator", 64, ("records 0A", "record-report yes"), 320, None),
           ("UTF-8 to UTF-16LE, dense", 16, ("id 8", "null-bytes anywhere", "flows 256"), 330, None))},
    **{(kind, lanes, "ecp5-85k", "distributed", ()): Goal(clock_mhz=clock, luts_a_lane=luts, steady=True)
       for kind, lanes, clock, luts in (
           ("validator", 64, 370, 72), ("validator", 128, 370, 72), ("validator", 256, 250, None),
           ("decoder, dense", 16, 370, 300), ("decoder, dense", 32, 350, 330), ("decoder, dense", 64, 300, 350),
           ("encoder", 8, 370, 600), ("encoder", 16, 330, 700))},
    **{(kind, lanes, "ecp5-85k", "distributed", ()): Goal(fmax_mhz=fmax, luts_a_lane=luts)
       for kind, lanes, fmax, luts in (
           ("UTF-8 to UTF-16LE, dense", 16, 400, 230), ("UTF-8 to UTF-16LE, dense", 32, 350, None),
           ("UTF-8 to UTF-16LE, dense", 64, 300, None),
           ("UTF-16LE to UTF-8", 8, 390, 450), ("UTF-16LE to UTF-8", 16, 330, None),
           ("UTF-16LE to UTF-8", 32, 250, None),
           ("Latin-1 to UTF-8", 32, 350, None), ("UTF-16LE to UTF-32LE, dense", 16, 400, None),
           ("UTF-16LE checked", 32, 400, None), ("UTF-32LE checked", 16, 400, None))},
}
"""Goals of fast cores, by kind of core, lanes, target, memory and options."""


_COMPACT_GOALS: Mapping[tuple[str, int, str, tuple[str, ...]], Goal] = {
    **{(kind, 1, target, options): Goal(clock_mhz=clock, luts=luts, latency_cycles=latency)
       for kind, full, flag, latency, clocks in (
           ("validator", 140, 65, 3, (120, 40)), ("decoder, dense", 200, 130, 4, (110, 36)),
           ("encoder", 260, 190, 5, (100, 32)))
       for target, clock in zip(("ice40-hx8k", "ice40-up5k"), clocks, strict=True)
       for options, luts in (((), full), (("report flag",), flag))},
    **{(kind, 1, "artix-7-200t", ()): Goal(clock_mhz=250, luts=luts)
       for kind, luts in (("validator", 80), ("decoder, dense", 120), ("encoder", 160))},
    **{(kind, 1, "gowin-gw5ast-138", ()): Goal(clock_mhz=220) for kind in ("validator", "decoder, dense", "encoder")},
    **{(kind, 4, "ecp5-85k", ()): Goal(clock_mhz=150, luts=luts, latency_cycles=6)
       for kind, luts in (("validator", 230), ("decoder, dense", 700))},
}
"""Goals of compact cores, by kind of core, lanes, target and options."""


def goal_of(record: MeasurementRecord) -> Goal | None:
    """The goal of a core; None if it has none, or does not fit the device."""
    if not is_placed(record):
        return None
    kind, lanes, target, options = kind_of(record), record["lanes"], record["target"], options_of(record)
    if record["pipeline"] == "compact":
        return _COMPACT_GOALS.get((kind, lanes, target, options))
    made_of = record["memory"]["made_of"]
    return _GOALS.get((kind, lanes, target, made_of, options)) if record["pipeline"] == "fast" else None


def missed_goals(records: Sequence[MeasurementRecord]) -> list[tuple[MeasurementRecord, list[str]]]:
    """The cores that miss a part of their goal, each with the missed parts in words."""
    usual = {usual_core(record): record for record in records if not options_of(record)}
    missed = []
    for record in records:
        goal = goal_of(record)
        parts = [] if goal is None else goal.parts(record, usual.get(usual_core(record)))
        if words := [what for what, met in parts if not met]:
            missed.append((record, words))
    return missed


def unmeasured_goals(records: Sequence[MeasurementRecord]) -> list[tuple[str, int, str, tuple[str, ...], Goal]]:
    """The goals of fast cores that were not placed: kind of core, lanes, target, options, goal."""
    measured = {(*usual_core(record), options_of(record)) for record in records if is_placed(record)}
    return [(kind, lanes, target, options, goal) for (kind, lanes, target, memory, options), goal in _GOALS.items()
            if (target, kind, "fast", lanes, memory, options) not in measured]
