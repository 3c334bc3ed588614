"""Read controller of a group of lanes: which row each bank of their memories fetches, and which bank is shown.

Rows r0, r1 and r2 are announced in turns to banks 0, 1 and 0, and the sink takes a row in every cycle:

    cycle              1    2    3    4    5    6
    announce           r0   r1   r2
    pending                 r0   r1   r2
    fetch, fetched               r0   r1   r2
    shown                             r0   r1   r2

While `ready` is low, one row is shown and one fetched; up to two more per bank are pending.

Limits: rows are announced in order, one per cycle at most, so every other cycle at most for each bank. The number of
rows in a bank is a power of two.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.utils import ceil_log2

from ..cut_points import cut_point
from ..pipeline.carry_free_counters import incremented
from ..pipeline.gates import masked
from ..pipeline.layout_policy import TUNED, Policy
from ..pipeline.register_roles import ANNOUNCE, role
from ..pipeline.restart import replica
from ..pipeline.stages import about, summary

BANKS = 2
"""Banks of a buffer: row ``n`` is in bank ``n % BANKS``."""


class ReadController(Elaboratable):
    """Read controller of one group: which row each bank fetches, and which bank is shown.

    ``announce[b]``: bank ``b`` has one more readable row; set every other cycle at most. ``pending[b]``: the number of
    rows announced and not yet fetched, at most two, in unary. ``fetch[b]``: the bank's registers take the row at
    :meth:`row`. ``fetched[b]``: they hold a row that is not shown yet. ``shown[b]``: they hold the row at the output.
    ``valid``: a row is shown.
    """

    def __init__(self, depth: int, name: str, clear: Value, policy: Policy = TUNED) -> None:
        self.policy = policy
        self.depth = depth
        self.name = name
        self.clear = clear
        self.ready = Signal()
        self.readable = [Signal(name=f"readable_bank{bank}") for bank in range(BANKS)]
        """For each bank, whether it has rows to announce, not counting one that is being announced."""
        self.announce = [self._bit(f"announce_bank{bank}") for bank in range(BANKS)]
        for bank, announce in enumerate(self.announce):
            announce.attrs.update(role(ANNOUNCE, name, bank))
        self.announces = [Signal(name=f"announces_bank{bank}") for bank in range(BANKS)]
        """Next value of ``announce``."""
        self.pending = [self._bit(f"pending_bank{bank}", 2) for bank in range(BANKS)]
        self.fetch = [self._bit(f"fetch_bank{bank}") for bank in range(BANKS)]
        self.fetched = [self._bit(f"fetched_bank{bank}") for bank in range(BANKS)]
        self.reads = [self._bit(f"reads_bank{bank}") for bank in range(BANKS)]
        """Low while a fetched row must wait. A register of its own, which enables the memories of the keep bits."""
        self.shown = [self._bit(f"shown_bank{bank}") for bank in range(BANKS)]
        self.valid = self._bit("valid")
        self.after = self._bit("after", ceil_log2(depth // BANKS), init=1)
        """The first bank's row after the one to be fetched next: counted once, for all copies of the row number."""
        self.rows: list[list[Signal]] = [[] for _ in range(BANKS)]
        self.masks: list[tuple[int, Signal, Signal]] = []

    def _bit(self, name: str, width: int = 1, *, init: int = 0) -> Signal:
        """A register of the controller. The controllers' registers are equal, and synthesis must not merge them."""
        return Signal(width, name=name, init=init, reset_less=True, attrs=self.policy.keep)

    def row(self, bank: int) -> Signal:
        """A new register with the row to be fetched next, so that each memory has an address register close by."""
        rows = self.rows[bank]
        row = self._bit(f"row_bank{bank}_copy{len(rows)}", ceil_log2(self.depth // BANKS))
        rows.append(row)
        return row

    def mask(self, bank: int, ahead: Signal) -> Signal:
        """``ahead``, bits of the row that is fetched into the bank, from the cycle in which that row is shown; zero
        while the bank shows none."""
        mask = Signal(len(ahead), name=f"mask_bank{bank}", reset_less=True)
        self.masks.append((bank, ahead, mask))
        return mask

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "reader", summary(ReadController))
        # Each is a function of at most four registers and ``ready``: one look-up table. Rows are announced in order,
        # one per cycle at most, so the row that a bank fetches always follows the row that the other bank shows.
        free = self.ready | ~self.valid
        stays = self.valid & ~self.ready
        m.d.sync += self.valid.eq(reduce(or_, self.fetched) | stays)
        for bank in range(BANKS):
            announce, pending, fetch = self.announce[bank], self.pending[bank], self.fetch[bank]
            fetched, shown = self.fetched[bank], self.shown[bank]
            fetches = pending[0] & ~fetched & (self.ready | ~shown)
            left = Cat(pending[0] & ~fetch | pending[1], pending[1] & ~fetch)
            m.d.comb += self.announces[bank].eq(self.readable[bank] & ~pending[1] & ~announce)
            m.d.sync += [
                announce.eq(self.announces[bank]),
                pending.eq(Mux(announce, Cat(1, left), left)),
                fetch.eq(fetches),
                fetched.eq(fetches | (fetched & stays)),
                # The memory is read once more while the row is being fetched, with the same result.
                self.reads[bank].eq(~(fetched & stays)),
                shown.eq((fetched & free) | (shown & ~self.ready)),
            ]
        for bank, ahead, mask in self.masks:
            given = Signal(len(ahead), name=f"ahead_bank{bank}")
            m.d.comb += given.eq(ahead)
            with m.If(free):
                m.d.sync += mask.eq(masked(given, self.fetched[bank]))
        # Banks fetch alternately: the second bank's next row has the first bank's present address.
        second = self.row(0)
        with m.If(self.fetch[0]):
            m.d.sync += [self.after.eq(incremented(self.after)), *(row.eq(self.after) for row in self.rows[0])]
        with m.If(self.fetch[1]):
            m.d.sync += [row.eq(second) for row in self.rows[1]]
        with m.If(replica(m, self.clear, "clear")):
            m.d.sync += [state.eq(state.init) for state in (
                self.valid, self.after, *self.announce, *self.pending, *self.fetched, *self.shown,
                *(row for rows in self.rows for row in rows),
            )]
        return m
