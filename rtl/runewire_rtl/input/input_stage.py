"""Input stage of a core: the input port's registers, and lookahead for encodings that need it.

Two lanes of UTF-8 with a lookahead of one unit. The packet ``E2 82 AC C3`` has a cycle without a beat in it; the packet
``82`` follows at once:

    cycle              0        1        2        3        4
    incoming           E2 82    -        AC C3    82 -     -
    held                        E2 82    E2 82    AC C3    82 -
    leaves                               E2 82    AC C3    82 -
    unit after it                        AC       02       below 80

``E2 82`` waits for its next unit, ``AC``. ``AC C3`` is its packet's last beat, and leaves after one cycle. The unit
after it is then ``82``, of another packet. It must not continue ``C3``, so its bits of ``absent``, here ``80``, are
cleared: 02 is ASCII, and ``C3`` is too short. A lane without a unit reads as ASCII too.

Of the four functions, `accept` has registers at the port and no lookahead; `accept_with_lookahead` has both. The cores
with a global stall use `accept_offered` and `accept_offered_with_lookahead`, which have no registers at the port. A
lookahead of more units than a beat has lanes makes beats wait in a line (`_line`).

Throughput: one beat per cycle. Latency: two cycles with registers at the port, one more for each level of the fan-out
tree to the lanes, and one for each beat of lookahead.

Limits: a beat waits until the next one comes, if it is not its packet's last. So while the source pauses within a
packet, one beat of it is held for each beat of lookahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, Value
from runewire_model.report import CARRIED, TAGS

from ..cut_points import cut_point
from ..pipeline import BeatFlags, Broadcast, Lanes, Pipeline, Plan, Timed, fan_out_tree, stage
from ..pipeline.broadcast import replicas
from ..pipeline.gates import cleared, emptied, masked, masked_bits
from ..pipeline.layout_policy import TUNED, Policy
from ..pipeline.register_roles import ACCEPTED, role
from ..pipeline.restart import Restart
from ..pipeline.stages import Stage, summary


@dataclass(frozen=True)
class InputPort:
    """The input port of the core that is described in ``m``, with the options of its pipeline.

    ``enable``: the enable of all registers after the port; None if nothing waits. ``clean``: byte order of units whose
    bytes must be zero if they are not kept; None if that is not needed.
    """

    m: Module
    stream: Any
    plan: Plan
    restart: Restart
    policy: Policy = TUNED
    enable: Value | None = None
    clean: str | None = None

    def pipeline(self, entry: Stage, beat: Beat, valid: Value) -> Pipeline:
        """The pipeline that ``beat`` enters."""
        return Pipeline(self.m, self.plan, BeatFlags(valid, beat.last, beat.beside.get("mark")), restart=self.restart,
                        entry=entry, policy=self.policy, enable=self.enable)


@dataclass(frozen=True)
class Lookahead:
    """The ``units`` after a beat that its encoding looks at.

    A unit that is not kept, or is beyond the packet, has the bits of ``absent`` clear. ``records``: `InputStage.final`
    is needed. ``merges``: the beat before an empty last one is its packet's last too, and has its ``user``.
    """

    absent: int
    units: int = 1
    records: bool = False
    merges: bool = False


@dataclass(frozen=True)
class InputStage:
    """The beginning of a core's pipeline: a beat and its sidebands at step 0.

    ``data``: the units, ``latency`` cycles after their transfer.
    ``keep``: for each unit one bit per byte, valid if there is a beat.
    ``accepted``: a beat was taken in the cycle before.
    ``lookahead``: further beats that a beat waited for. If there are any, ``data`` has more lanes, for the units after
    the beat, and ``keep`` has them too if a unit has several bytes.
    ``user``, ``tags``: the input's ``tuser``, and its ``tid`` and ``tdest``, if there are any.
    ``final``: with lookahead, whether the packet's last byte is in the beat. An empty last beat may follow.
    ``begun``, ``order``: with flows, whether an earlier packet had a part of the text; the same and, above, whether
    the text is little-endian, if its byte order mark says so. ``adds``: with flows and added byte order marks, whether
    the beat is the mark of a text; without flows each beat before a packet is one. ``dropped``: a beat that was taken
    is left out, one cycle before its credit may be returned; ``drop_latency``: cycles from its transfer until then.
    ``early``: the report's lowest bit is valid at every beat.
    ``ahead``: the output buffer's, for which it has as many rows more.
    ``run``: with flows and one replacement for each run, makes a flag: the text before the beat ends with an ill-formed
    subpart. It is called like `runewire_rtl.segments.run_context.run_context`.
    """

    pipeline: Pipeline
    data: Lanes
    keep: Lanes
    accepted: Signal
    latency: int
    lookahead: int
    user: Timed | None = None
    tags: Timed | None = None
    final: Timed | None = None
    begun: Timed | None = None
    order: Timed | None = None
    adds: Timed | None = None
    dropped: Value | None = None
    drop_latency: int = 0
    early: bool = False
    ahead: int | None = None
    run: Callable[[InputStage, Lanes, Lanes], Timed] | None = None

    @property
    def mark(self) -> Timed | None:
        """Whether the beat is an added byte order mark; None in a core that adds none."""
        return self.pipeline.mark if self.adds is None else self.adds

    @property
    def there(self) -> Lanes:
        """Whether each unit is present, if there is a beat."""
        return Lanes(self.pipeline, self.keep.name, [value.parts(1)[0] for value in self.keep.beat()], self.keep.width)

    @cached_property
    @stage("presence")
    def whole(self) -> Lanes:
        """Units with all their bytes kept, so with no hole in them; those after the beat too."""
        return Lanes.map("whole_unit", lambda keep: keep.all(), self.keep)

    @cached_property
    @stage("presence")
    def kept(self) -> Lanes:
        """Which units are there: none without a beat."""
        lanes = self.keep.beat()
        valid = Broadcast("valid_replica", self.pipeline.valid, len(lanes), after=1, tree=True)
        kept = [self.pipeline.step(f"kept_l{lane}", lambda keep, valid: keep[0] & valid, keep, valid[lane])
                for lane, keep in enumerate(lanes)]
        return Lanes(self.pipeline, "kept", kept, len(lanes))


@dataclass(frozen=True)
class Beat:
    """Registers that hold one beat: ``valid`` and ``last`` (one bit), ``data`` and ``keep`` (one bit per byte) of each
    lane, and ``beside``: its sidebands by name."""

    valid: Signal
    last: Signal
    data: list[Signal]
    keep: list[Signal]
    beside: dict[str, Signal]

    @classmethod
    def like(cls, payload: Value, name: str) -> Beat:
        lanes = range(len(payload.data))
        unit_bytes = len(payload.keep) // len(lanes)
        return cls(
            Signal(name=f"{name}_valid", reset_less=True),
            Signal(name=f"{name}_last", reset_less=True),
            [Signal(Shape.cast(payload.data[i].shape()), name=f"{name}_data_l{i}", reset_less=True) for i in lanes],
            [Signal(unit_bytes, name=f"{name}_keep_l{i}", reset_less=True) for i in lanes],
            {side: Signal(value.shape(), name=f"{name}_{side}", reset_less=True)
             for side, value in beside(payload).items()},
        )

    def all(self) -> list[Signal]:
        return [self.valid, self.last, *self.data, *self.keep, *self.beside.values()]


@dataclass(frozen=True)
class Arrival:
    """``beat``, ``latency`` cycles after its transfer. ``accepted``: a beat was taken in the cycle before."""

    beat: Beat
    accepted: Signal
    latency: int


def beside(payload: Value) -> dict[str, Value]:
    """The sidebands of a beat, by name, as far as the stream has them."""
    members = payload.shape().members
    return {name: payload[name] for name in (*CARRIED, "mark", "adds", "begun", "order") if name in members}


@cut_point
def kept_unless(keep: Value, flag: Value) -> Value:
    """Keep bits, cleared while ``flag`` says that the bytes are not part of the text."""
    return cleared(keep, flag)


@cut_point
def kept_bits(data: Value, keep: Value, absent: int) -> Value:
    """A unit; if it is not kept, its bits of ``absent`` are clear."""
    return masked_bits(data, keep, absent)


@cut_point
def packet_bits(data: Value, beyond: Value, absent: int) -> Value:
    """A unit; if it is ``beyond`` the packet, its bits of ``absent`` are clear."""
    return masked_bits(data, ~beyond, absent)


def _taken(m: Module, given: InputPort, share: int, levels: int) -> Arrival:
    """The beat taken ``1 + levels`` cycles ago.

    The data registers load in every cycle, with or without a beat. ``levels``: levels of the fan-out tree that
    distributes ``valid`` to all lanes. The tree starts from a register, not from the port's gate.
    """
    stream, restart, policy = given.stream, given.restart, given.policy
    payload = stream.payload
    port = beat = Beat.like(payload, "port")
    port.valid.attrs.update(role(ACCEPTED))
    m.d.sync += [
        port.valid.eq((stream.valid & stream.ready) | restart.flush), port.last.eq(payload.last | restart.flush),
    ]
    for lane, (data, keep) in enumerate(zip(port.data, port.keep, strict=True)):
        m.d.sync += [data.eq(payload.data[lane]), keep.eq(payload.keep.word_select(lane, len(keep)))]
    m.d.sync += [port.beside[name].eq(value) for name, value in beside(payload).items()]
    for level in range(levels):
        before, beat = beat, Beat.like(payload, "in" if level == levels - 1 else f"level{level}")
        m.d.sync += [now.eq(then) for now, then in zip(beat.all(), before.all(), strict=True)]
    if "mark" in beat.beside:
        # With a mark, the data at the port belong to the next beat.
        flags = [payload.mark]
        for level, size in enumerate(_tree(len(beat.keep), share, policy)):
            flags = replicas(m, flags, f"mark_level{level}_replica", size, policy)
        m.d.sync += [now.eq(kept_unless(then, flags[lane // share]))
                     for lane, (now, then) in enumerate(zip(beat.keep, before.keep, strict=True))]
    return Arrival(beat, port.valid, 1 + levels)


def _tree(lanes: int, share: int, policy: Policy) -> list[int]:
    """Sizes of the levels of a fan-out tree for a flag that ``share`` lanes share. The port's own path is long."""
    return fan_out_tree(-(-lanes // share), policy.branch, policy)


@cut_point
def enter_pipeline(
    pipeline: Pipeline, data: list[Value], arrival: Arrival, lookahead: int = 0, after: Sequence[Value] = (),
    final: Value | None = None,
) -> InputStage:
    """``data`` and the sidebands of a beat as values of step 0. The other arguments as in `InputStage`; ``after``: the
    keep bits of the units after the beat."""
    def lanes(name: str, values: Sequence[Value]) -> list[Timed]:
        return [pipeline.enter(value, f"{name}_l{lane}") for lane, value in enumerate(values)]

    beat = arrival.beat
    width = len(beat.keep)
    tags = [beat.beside[name] for name in TAGS if name in beat.beside]
    return InputStage(
        pipeline, Lanes(pipeline, "data", lanes("data", data), width),
        Lanes(pipeline, "keep", lanes("keep", [*beat.keep, *after]), width), arrival.accepted, arrival.latency,
        lookahead,
        user=pipeline.enter(beat.beside["user"], "user") if "user" in beat.beside else None,
        tags=pipeline.enter(Cat(tags), "tags") if tags else None,
        begun=pipeline.enter(beat.beside["begun"], "begun") if "begun" in beat.beside else None,
        order=pipeline.enter(beat.beside["order"], "order") if "order" in beat.beside else None,
        adds=pipeline.enter(pipeline.valid.at(0) & beat.beside["adds"], "adds") if "adds" in beat.beside else None,
        final=None if final is None else pipeline.enter(final, "final"),
    )


def accept(port: InputPort) -> InputStage:
    """Accept beats of units that are judged each by itself."""
    entry = Stage(port.m, "input_stage", summary(accept))
    payload, share = port.stream.payload, port.policy.lanes
    levels = len(_tree(len(payload.data), share, port.policy)) if "mark" in beside(payload) else 1
    taken = _taken(entry.m, port, share, levels)
    return enter_pipeline(port.pipeline(entry, taken.beat, taken.beat.valid), list(taken.beat.data), taken)


def accept_with_lookahead(port: InputPort, ahead: Lookahead) -> InputStage:
    """Accept units and pass each beat on together with the unit that follows it in its packet.

    A beat waits in the lookahead register until the next one comes, or for one cycle if it is its packet's last. So
    every beat leaves with all units that affect it, and no later stage has lookahead.

    ``data`` has as many lanes more than the beat, for the units after it, as ``ahead`` asks for; ``keep`` has them too
    where a unit may lack bytes. If they are more than a beat, several beats wait: see `_line`.
    """
    entry = Stage(port.m, "input_stage", summary(accept_with_lookahead))
    payload, policy = port.stream.payload, port.policy
    lanes = len(payload.data)
    # Wider units take more room: the longest path is from the port to all of them.
    share = max(1, policy.lanes // (len(payload.keep) // lanes))
    *levels, count = _tree(lanes, share, policy)
    incoming = _taken(entry.m, port, share, levels=1 + len(levels))

    def enables() -> list[Signal]:
        # A single enable for the whole beat would be the widest net of the core.
        flags = [incoming.accepted]
        for level, size in enumerate(levels):
            flags = replicas(entry.m, flags, f"in_valid_level{level}_replica", size, policy)
        return replicas(entry.m, flags, "in_valid_replica", count, policy)

    return _looked_ahead(port, ahead, entry, incoming, range(0, lanes, share), enables)


def _looked_ahead(
    port: InputPort, ahead: Lookahead, entry: Stage, arrival: Arrival, groups: range,
    enables: Callable[[], Sequence[Value]],
) -> InputStage:
    """Holds each beat until its lookahead units have arrived. ``enables``: for each of ``groups`` of lanes, a flag that
    a beat is incoming."""
    payload, incoming, absent, clean = port.stream.payload, arrival.beat, ahead.absent, port.clean
    held = Beat.like(payload, "held")
    m, lanes, share = entry.m, len(held.data), groups.step
    beats = -(-ahead.units // lanes)
    if beats > 1:
        behind, ended = _line(m, payload, held, incoming, beats, absent)
        valid = held.valid & (ended | incoming.valid)
    else:
        behind, ended = [incoming], held.last
        m.d.sync += held.valid.eq(incoming.valid | (held.valid & ~held.last))
        with m.If(incoming.valid):
            m.d.sync += [held.last.eq(incoming.last),
                         *(value.eq(incoming.beside[name]) for name, value in held.beside.items())]
        for first, comes in zip(groups, enables(), strict=True):
            with m.If(comes):
                for lane in range(first, min(first + share, lanes)):
                    data, keep = incoming.data[lane], incoming.keep[lane]
                    waits = kept_bits(data, keep[0], absent) if clean is None else cleaned(data, keep, clean)
                    m.d.sync += [held.data[lane].eq(waits),
                                 held.keep[lane].eq(keep)]
        valid = held.valid & (held.last | incoming.valid)
    after, keep_after = [], []
    for unit in range(ahead.units):
        beat, lane = behind[unit // lanes], unit % lanes
        # One of the beats between may be the last. No beat of another packet precedes the incoming one.
        beyond = ended if beat is incoming else Cat(held.last, *(b.last for b in behind[: unit // lanes])).any()
        kept = kept_bits(beat.data[lane], beat.keep[lane][0], absent) if beat is incoming else beat.data[lane]
        after.append(packet_bits(kept, beyond, absent))
        keep_after.append(kept_unless(beat.keep[lane], beyond))
    # The packet's last beat, or the beat before an empty last one.
    final = held.last | (behind[0].last & ~behind[0].keep[0][0])
    if ahead.merges:
        held, merging = _merged(held, behind[0], final)
        m.d.comb += merging
    pipeline = port.pipeline(entry, held, valid)
    return enter_pipeline(
        pipeline, [*held.data, *after], replace(arrival, beat=held, latency=arrival.latency + beats), lookahead=beats,
        # A unit of one byte that is present is complete.
        after=keep_after if len(keep_after[0]) > 1 else [], final=final if ahead.records else None)


def _merged(held: Beat, after: Beat, final: Value) -> tuple[Beat, list[Any]]:
    """The held beat, which is its packet's last if it is ``final``, and the statements that make it. An empty last
    beat ``after`` it leaves its ``user`` to it."""
    last = Signal.like(held.last, name="merged_last")
    sidebands = dict(held.beside)
    found = [last.eq(final)]
    if "user" in sidebands:
        sidebands["user"] = Signal.like(held.beside["user"], name="merged_user")
        found.append(sidebands["user"].eq(Mux(held.last, held.beside["user"], after.beside["user"])))
    return replace(held, last=last, beside=sidebands), found


@cut_point
def cleaned(data: Value, keep: Value, order: str) -> Value:
    """A unit for a register, its bytes in this order. A reset clears the bytes that are not kept."""
    kept = keep if order == "little" else reversed(keep)
    return Cat(emptied(byte, ~bit) for byte, bit in zip(map(data.word_select, range(len(keep)), repeat(8)), kept,
                                                        strict=True))


def _offered(m: Module, port: InputPort) -> Arrival:
    """The beat at the port, used in the cycle of its handshake."""
    stream, restart = port.stream, port.restart
    payload = stream.payload
    beat = Beat.like(payload, "in")
    # Data at the port without `valid`, for example in the drain after a reset, are ignored.
    keep = masked(payload.keep, stream.valid)
    if "mark" in beat.beside:
        # With a mark, the data at the port belong to the next beat.
        keep = kept_unless(keep, payload.mark)
    m.d.comb += [
        beat.valid.eq(stream.valid | restart.flush), beat.last.eq(payload.last | restart.flush),
        *(value.eq(payload[name]) for name, value in beat.beside.items()),
    ]
    for lane, (data, kept) in enumerate(zip(beat.data, beat.keep, strict=True)):
        m.d.comb += [kept.eq(keep.word_select(lane, len(kept))), data.eq(payload.data[lane])]
    return Arrival(beat, beat.valid, 0)


def accept_offered(port: InputPort) -> InputStage:
    """Accept beats of units that are judged each by itself, in the cycle in which they are offered."""
    entry = Stage(port.m, "input_stage", summary(accept_offered), port.enable)
    offered = _offered(entry.m, port)
    beat = offered.beat
    pipeline = port.pipeline(entry, beat, beat.valid)
    data = [value if port.clean is None else cleaned(value, keep, port.clean)
            for value, keep in zip(beat.data, beat.keep, strict=True)]
    return enter_pipeline(pipeline, data, offered)


def accept_offered_with_lookahead(port: InputPort, ahead: Lookahead) -> InputStage:
    """The same as `accept_with_lookahead`, but the beat at the port is the lookahead of the held one."""
    entry = Stage(port.m, "input_stage", summary(accept_with_lookahead), port.enable)
    offered = _offered(entry.m, port)
    lanes = len(offered.beat.data)
    return _looked_ahead(port, ahead, entry, offered, range(0, lanes, lanes), lambda: [offered.accepted])


def _line(
    m: Module, payload: Value, held: Beat, incoming: Beat, beats: int, absent: int
) -> tuple[list[Beat], Signal]:
    """A line of ``beats`` waiting beats, for lookahead in narrow cores; ``held`` is the first. Returns the beats after
    it, up to the incoming one, and whether its packet is complete when it leaves.

    A line of two, with the packets ``A B C`` and ``D``, one lane, and no beat in two of the cycles:

        cycle      0    1    2    3    4    5    6    7
        incoming   A    B    -    C    D    -    -    -
        second          A    B    B    C    D    -    -
        held                 A    A    B    C    D
        leaves                    A    B    C    D

    Beats of an unfinished packet move when the next beat comes. Beats of a complete packet move in each cycle: its last
    beat, at any place, and all before it. So the places of last beats follow from their arrival. The beats of a packet
    are adjacent.
    """
    line = [*(Beat.like(payload, f"line{place}") for place in range(1, beats)), held]
    before, loads, comes = incoming, incoming.valid, incoming.valid
    ended: Value = Const(0, 1)
    for place, beat in enumerate(line, 1):
        # A packet's last beat is at this place, or at a later one.
        whole = Signal(name=f"line{place}_whole", reset_less=True)
        m.d.sync += whole.eq((incoming.valid & incoming.last) | ended)
        moves = whole | incoming.valid
        with m.If(moves):
            m.d.sync += beat.valid.eq(comes)
        with m.If(loads):
            m.d.sync += [
                beat.last.eq(before.last),
                *(value.eq(before.beside[name]) for name, value in beat.beside.items()),
                *(value.eq(kept_bits(data, keep[0], absent))
                  for value, data, keep in zip(beat.data, before.data, before.keep, strict=True)),
                *(value.eq(keep) for value, keep in zip(beat.keep, before.keep, strict=True)),
            ]
        before, loads, comes, ended = beat, moves, beat.valid & moves, whole
    return [*reversed(line[:-1]), incoming], whole
