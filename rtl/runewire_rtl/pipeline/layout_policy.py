"""The numbers that decide how a core is laid out, and nothing of what it does.

A flag that all 64 lanes need is one net across half the chip. So there is a replica for every four lanes, and synthesis
is told to keep replicas apart; where there are many, they are made in two levels, a *fan-out tree*. A stage knows
nothing of this: it takes the flag of its lane (`runewire_rtl.pipeline.Broadcast`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["ICE40", "NAIVE", "POLICIES", "TUNED", "Policy"]

ALL = 1 << 20
"""More than there is of anything."""


@dataclass(frozen=True)
class Policy:
    """How much shares one replica of a signal.

    ``lanes``: lanes that share a flag of the whole beat, or the number of a row.
    ``at_once``: replicas that are made in one level where the signal's own way is short.
    ``branch``: replicas of each replica where they are made in several levels.
    ``running_lanes``: lanes that share a bit of the running number.
    ``switch_bits``: bits of items that share what sends them one way or the other.
    ``reader_bits``: width of the output that shares a read controller.
    ``readers``: read controllers that share a count of readable rows.
    ``wide_row``: bits of a packed row from which on each counts for itself, as they stand far apart.
    ``address_bits``: width of memory that shares an address register: what one block RAM of many devices is wide.
    ``enable_bits``: bits of a counter that share a clock enable.
    ``chunks``: chunks of the beat counter that share what clears them.
    ``row_lanes``: lanes of a core whose row numbers are counted in one step. In a wider one, items take so long to
    reach their lanes that there is a register for the carry from the low bits to the high ones.
    ``apart``: synthesis is told to keep replicas apart.
    ``lut_inputs``: inputs of a look-up table, a power of two, 4 or more: what a step of logic takes in at once.

    Raises `ValueError` for other ``lut_inputs``.
    """

    lanes: int
    at_once: int
    branch: int
    running_lanes: int
    switch_bits: int
    reader_bits: int
    readers: int
    wide_row: int
    address_bits: int
    enable_bits: int
    chunks: int
    row_lanes: int
    apart: bool
    lut_inputs: int = 4

    def __post_init__(self) -> None:
        if self.lut_inputs < 4 or self.lut_inputs.bit_count() != 1:
            raise ValueError(f"lut_inputs must be a power of two, 4 or more, got {self.lut_inputs!r}")

    @property
    def keep(self) -> dict[str, bool]:
        """Attributes of a replica."""
        return {"keep": True} if self.apart else {}


TUNED = Policy(lanes=4, at_once=8, branch=4, running_lanes=8, switch_bits=16, reader_bits=84, readers=5,
               wide_row=320, address_bits=36, enable_bits=32, chunks=4, row_lanes=16, apart=True)
"""For ECP5, and for devices like it: what the datasheet's clocks were reached with."""

NAIVE = Policy(lanes=ALL, at_once=ALL, branch=ALL, running_lanes=ALL, switch_bits=ALL, reader_bits=ALL,
               readers=ALL, wide_row=ALL, address_bits=ALL, enable_bits=ALL, chunks=ALL,
               row_lanes=ALL, apart=False)
"""No replicas: the plain netlist that others can be held against, and for tools that replicate by themselves."""

ICE40 = replace(NAIVE, address_bits=16)
"""For iCE40: its cores are narrow, so that replicas cost area and gain no clock; its block RAM is 16 bits wide."""

POLICIES = {"ecp5": TUNED, "ice40": ICE40, "generic": NAIVE}
"""The policy of each of `runewire_model.transcoder.FAMILIES`."""
