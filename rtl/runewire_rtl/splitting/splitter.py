"""A splitter: packets in, a packet for each of their records out.

Eight lanes, and the packet ``GET / 0A 0A ok`` of ten bytes:

    beat             rows                          packets
    GET / 0A 0A      the first record's, its only  GET / 0A
                     the second record's           0A
    o k              the packet's rest             o k

Two cores follow each other. The first finds the rows that each beat ends (`finding`), and its buffer holds the beat as
it is. The second gives each row a cycle (`turns`), moves its bytes to lane 0 (`aligning`), and has a buffer too. So
neither pipeline waits, and a beat with several rows holds up the first buffer alone.

Throughput: one beat per cycle, one row per cycle. A beat that ends several rows takes as many cycles. Latency: fixed
for a beat's first row, and a cycle more for each further one.

Limits: rows are full except a record's last. A row that ends with its beat, but not with its record, waits until the
record continues.
"""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Cat, Const, Fragment, Module, Signal, Value
from amaranth.lib import data, stream
from runewire_model import AnyTiming, JoinedTiming

from ..input.input_stage import InputPort, Lookahead, accept_with_lookahead
from ..packing.packing import Packed, in_place
from ..pipeline import Plan, Timed
from ..pipeline.restart import Restart
from ..pipeline.stages import about
from ..reset_sequencer import Drain
from ..transcoder import UNNAMED, Transcoder
from .aligning import align, enter
from .finding import FIRST_FIELDS, fields, find, number_bits
from .turns import Turns, close_to_handshake


class Halves(NamedTuple):
    """The two cores of a splitter."""

    finder: Packed
    aligner: Packed

    @property
    def timing(self) -> JoinedTiming:
        """The timing of both."""
        return JoinedTiming(self.finder.timing, self.aligner.timing)


class Splitter(Transcoder):
    """A splitter: bytes in, and a packet for each record out, aligned to lane 0.

    One beat and one output beat per cycle under any pattern of stalls; a beat that ends several output beats takes as
    many cycles. Members, payloads and reset are the same as in `Transcoder`; ``o.payload.report`` has the packet's
    ``user``, with its last record, and ``cut``.
    """

    def split(self, m: Module, restart: Restart, opened: Value) -> Halves:
        """Describe the splitter in ``m``, without ``taken.ready`` and ``o.valid``. ``opened``: the core is open."""
        parameters = self.parameters
        sidebands, lanes = parameters.sidebands, parameters.lanes
        plan = Plan.of(parameters.pipeline)
        beat = fields(lanes) | ({"user": sidebands.user} if sidebands.user else {})
        row = stream.Signature(data.StructLayout({
            "data": data.ArrayLayout(8, lanes), "keep": lanes, "last": 1, "report": data.StructLayout(beat),
            **sidebands.tags, "marks": (2 + number_bits(lanes)) * lanes,
        })).create(path=(UNNAMED,))
        m.submodules.finder = finder = Module()
        about(finder, "finder", "The rows that each beat ends: the stages, and how they are joined.")
        entry = accept_with_lookahead(InputPort(finder, self.taken, plan, restart, self._policy), Lookahead(
            0, merges=True))
        found = find(entry, sidebands)
        values = [*found.fields.values(), *([] if entry.user is None else [entry.user])]
        step = max(value.step for value in values)
        report = Timed(entry.pipeline, step, Cat(value.at(step) for value in values), "fields")
        first = in_place(entry, row, entry.there.beat(), lambda after: entry.data.beat(), report,
                         found.marks(number_bits(lanes)))
        m.submodules.aligner = aligner = Module()
        about(aligner, "aligner", "A cycle for each row, its bytes moved to lane 0: stages, and how they are joined.")
        go, opened = Signal(name="go"), close_to_handshake(aligner, opened)
        m.d.comb += row.valid.eq(first.buffer.offer & opened)
        coming = Signal(data.StructLayout({name: beat[name] for name in FIRST_FIELDS}), name="coming")
        first.buffer.upcoming = coming.as_value()
        turns = Turns(aligner, row, coming, go)
        turn = enter(aligner, row, turns, plan, restart, self._policy, first.buffer.late)
        made = align(turn, sidebands)
        second = in_place(turn.entry, self.o, made.keep, lambda after: made.data, made.report)
        m.d.comb += go.eq(second.buffer.accept & opened)
        return Halves(first, second)

    def _join(self, m: Module, drain: Drain) -> AnyTiming:
        halves = self.split(m, drain.restart, drain.open)
        self.buffer = halves.aligner.buffer
        m.d.comb += [
            self.taken.ready.eq(halves.finder.buffer.accept & drain.open),
            self.o.valid.eq(halves.aligner.buffer.offer & drain.open),
        ]
        return halves.timing

    def own_timing(self) -> AnyTiming:
        m = Module()
        halves = self.split(m, Restart.never(), Const(1))
        Fragment.get(m, None)
        return halves.timing
