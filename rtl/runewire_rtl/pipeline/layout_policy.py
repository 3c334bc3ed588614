"""Layout parameters of a core; they never change its function.

A flag that all 64 lanes need would be one net across half the chip. So there is one replica for every four lanes, and
synthesis must not merge replicas. Many replicas are made in two levels, a *fan-out tree*. A stage is independent of all
this: it uses the flag of its lane (`runewire_rtl.pipeline.Broadcast`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ALL = 1 << 20
"""A number larger than any count in a core."""


@dataclass(frozen=True)
class Policy:
    """How many users share one replica of a signal.

    ``lanes``: lanes that share a flag of the whole beat, or a row number.
    ``at_once``: replicas made in one level, if the signal's own path is short.
    ``branch``: replicas of each replica in a fan-out tree.
    ``running_lanes``: lanes that share a bit of the running number.
    ``switch_bits``: bits of items that share a switch setting.
    ``reader_bits``: width of the output that shares a read controller.
    ``readers``: read controllers that share a count of readable rows.
    ``wide_row``: in a packed row of so many bits or more, each read controller has its own count, as the distances
    are long.
    ``far_row``: in a packed row of so many bits or more, the metadata have a read controller of their own, so that the
    leader can lie near the credits.
    ``address_bits``: width of memory that shares an address register: the width of one block RAM in many devices.
    ``enable_bits``: bits of a counter that share a clock enable.
    ``chunks``: chunks of the beat counter that share a clear.
    ``row_lanes``: lanes of the widest core whose row numbers are counted in one step. In wider cores items take longer
    to reach their lanes, which leaves time for a register between the low and the high bits.
    ``apart``: replicas have an attribute that stops synthesis from merging them.
    ``lut_inputs``: inputs of a look-up table, a power of two, 4 or more: the operands of one step of logic.
    ``true_enables``: a flag with which registers wait is stored as their enable, not as its opposite. Where enables
    cannot be inverted, the opposite costs a look-up table.

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
    far_row: int
    address_bits: int
    enable_bits: int
    chunks: int
    row_lanes: int
    apart: bool
    lut_inputs: int = 4
    true_enables: bool = False

    def __post_init__(self) -> None:
        if self.lut_inputs < 4 or self.lut_inputs.bit_count() != 1:
            raise ValueError(f"lut_inputs must be a power of two, 4 or more, got {self.lut_inputs!r}")

    @property
    def keep(self) -> dict[str, bool]:
        """Attributes of a replica's register."""
        return {"keep": True} if self.apart else {}


TUNED = Policy(lanes=4, at_once=8, branch=4, running_lanes=8, switch_bits=16, reader_bits=84, readers=5,
               wide_row=320, far_row=1280, address_bits=36, enable_bits=32, chunks=4, row_lanes=16, apart=True)
"""Layout for ECP5 and similar devices; the datasheet's clocks were reached with it."""

NAIVE = Policy(lanes=ALL, at_once=ALL, branch=ALL, running_lanes=ALL, switch_bits=ALL, reader_bits=ALL,
               readers=ALL, wide_row=ALL, far_row=ALL, address_bits=ALL, enable_bits=ALL, chunks=ALL,
               row_lanes=ALL, apart=False)
"""No duplicated registers: the plain netlist, for comparison and for tools that duplicate registers themselves."""

ICE40 = replace(NAIVE, address_bits=16)
"""Layout for iCE40. Its cores are narrow, so replicas cost area without a faster clock. Its block RAM is 16 bits
wide."""

FEW_READERS = replace(TUNED, reader_bits=336)
"""Layout for Gowin GW5A and GW5AST: a quarter of the read controllers, so that the output's ``ready`` drives a quarter
of the gates. Its wires were the longest paths of cores of 8 to 64 lanes."""

TRUE_ENABLES = replace(FEW_READERS, true_enables=True)
"""Layout for Xilinx 7 series: few read controllers too. An inverter of enables was on the longest path of a validator
of 64 lanes. With these enables, nextpnr finds no legal placement for one of 256 lanes on a GW5AST (seed 2)."""

POLICIES = {"ecp5": TUNED, "ice40": ICE40, "gowin-5a": FEW_READERS, "xilinx-7": TRUE_ENABLES,
            "generic": NAIVE}
"""The layout of each of `runewire_model.transcoder.FAMILIES`."""
