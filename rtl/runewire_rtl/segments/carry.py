"""Carry: the end of a segment that waits for the flow's next segment is put before that one.

Four lanes of UTF-8, and two segments of a flow. The first ends within a €, whose two bytes are carried:

    segment                61 E2 82         AC 41
    carried into it        -                E2 82
    carried out of it      E2 82            -
    sent on                61               E2 82 AC 41

So every packet that is sent on ends with a character, unless the text ends with it. All stages behind are as in a core
without flows.

The loop from segment to segment is short: the last three bytes of the text, a shift by the beat's bytes, whatever they
are. How many of them are carried is computed from them later.

Throughput: one beat per cycle, and an extra beat after a packet whose last beat may be too full
(`runewire_rtl.segments.extra_beats`). A beat waits until the next one comes, if it is not its packet's last.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import and_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..input.input_stage import InputPort, beside
from ..pipeline import BeatFlags, Broadcast, Pipeline, Timed
from ..pipeline.gates import cleared
from ..pipeline.stages import Stage, about, summary
from .extra_beats import MOST
from .rotation import Carried, Moves, four_way, rotate
from .segment_beats import Beats, Options, in_bus_order
from .text_end import text_end
from .text_mark import text_mark


def carry(m: Module, port: InputPort, output: Any, options: Options) -> Carried:
    """Put the bytes that a segment leaves before the flow's next segment."""
    around = Module()
    m.submodules.segments = around
    about(around, "segments", summary(carry))
    beats = _enter(around, port, options)
    pipe = beats.pipeline
    if "mark" in beats.beside:
        with pipe.stage("text_mark", summary(text_mark)):
            beats = replace(beats, beside={**beats.beside, "adds": text_mark(beats, options)})
    with pipe.stage("history", summary(text_end)):
        before, after = text_end(beats, options)
    with pipe.stage("unfinished", "How many bytes are carried into each packet, and out of it."):
        into = _through(beats, "carried_in", options.unfinished(pipe, "before", before.ending))
        out = options.unfinished(pipe, "after", after.ending)
        begun = _through(beats, "begun", pipe.step("has_begun", has_begun, before.size, into))
        little = _through(beats, "little", before.ending.little)
        order = pipe.step("order", lambda begun, little: Cat(begun, little), begun, little)
    with pipe.stage("ends", summary(_end)):
        end = _end(beats, into, out)
    with pipe.stage("rotation", summary(rotate)):
        return rotate(beats, Moves(before.ending.bytes, into, begun, order, end), output, options)


def _enter(around: Module, port: InputPort, options: Options) -> Beats:
    """The registers of the port, and the flags of the beats of a packet."""
    entry = Stage(around, "segment_port", "The beats that are taken.", port.enable)
    stream, flush = port.stream, port.restart.flush
    payload, sidebands = stream.payload, options.sidebands
    # With a global stall the port's registers are those of the skid buffer.
    free = port.enable is None

    def register(name: str, value: Value) -> Signal:
        signal = Signal(len(value), name=name, reset_less=True)
        entry.m.d["sync" if free else "comb"] += signal.eq(value)
        return signal

    valid = register("port_valid", ((stream.valid & stream.ready) if free else stream.valid) | flush)
    last = register("port_last", payload.last | flush)
    pipe = Pipeline(around, port.plan, BeatFlags(valid, last), restart=port.restart, entry=entry, policy=port.policy,
                    enable=port.enable)
    units = [Value.cast(unit) for unit in payload.data]

    def enter(name: str, value: Value) -> Timed:
        return pipe.enter(register(f"port_{name}", value), name)

    extra = enter("extra", payload.extra & ~flush)
    # The packets after a reset close all texts.
    more = payload.user[sidebands.user] & ~flush
    beside_beats = {**beside(payload), "user": Cat(payload.user[: sidebands.user], more)}
    empty = payload.extra
    if sidebands.flow_bits:
        # One flow is closed by the first of these packets; another one's bytes would come too late to leave.
        beside_beats["id"] = payload.id & ~flush.replicate(len(payload.id))
    if "mark" in beside_beats:
        beside_beats["mark"] = payload.mark & ~flush
        empty = payload.extra | payload.mark
    sides = {name: enter(name, Value.cast(value)) for name, value in beside_beats.items()}
    with pipe.stage("packets", "Which beat is its packet's first; sidebands of the extra beats."):
        step = pipe.before_register(0)
        ended = Signal(name="packet_ended", init=1, reset_less=True)
        usual = pipe.valid.at(step) & ~extra.at(step)
        # The beat of a mark precedes the packet.
        before_packet = [sides["mark"]] if "mark" in sides else []
        with pipe.m.If(usual):
            pipe.m.d.sync += ended.eq(Cat(pipe.last.at(step), *(mark.at(step) for mark in before_packet)).any()
                                      if before_packet else pipe.last.at(step))
        first = pipe.step("first", lambda valid, extra, ended, *mark: reduce(
            and_, [valid & ~extra & ended, *(~flag for flag in mark)]), pipe.valid, extra,
            Timed(pipe, step, ended, "packet_ended"), *before_packet)
        found = {}
        for name, value in sides.items():
            before = Signal(value.shape.width, name=f"{name}_before", reset_less=True)
            with pipe.m.If(usual):
                pipe.m.d.sync += before.eq(value.at(step))
            found[name] = pipe.step(f"{name}_of_packet", side_of_packet, extra,
                                    Timed(pipe, step, before, f"{name}_before"), value)
    bits = sidebands.flow_bits
    return Beats(
        pipe, valid, enter("data", in_bus_order(units, options.reads.byte_order)),
        enter("keep", cleared(payload.keep, empty)), extra, enter("final", payload.final | flush),
        enter("more", more), first,
        sides["id"].part(0, bits) if bits else None, found)


def _through(beats: Beats, name: str, value: Timed) -> Timed:
    """A value of a packet's first beat with all its beats."""
    pipe = beats.pipeline
    step = pipe.before_register(max(value.step, beats.first.step))
    kept = Signal(value.shape.width, name=name, reset_less=True)
    now = Signal(value.shape.width, name=f"{name}_now")
    pipe.m.d.comb += now.eq(Mux(beats.first.at(step), value.at(step), kept))
    with pipe.m.If(pipe.valid.at(step)):
        pipe.m.d.sync += kept.eq(now)
    return pipe.step(f"{name}_of_packet", lambda value: value, Timed(pipe, step, now, f"{name}_now"))


@cut_point
def side_of_packet(extra: Value, before: Value, now: Value) -> Value:
    """A sideband of a beat: of an ``extra`` beat the one of the packet's last."""
    return Mux(extra, before, now)


@cut_point
def has_begun(size: Value, carried: Value) -> Value:
    """Whether a byte of the text was sent before: it has more bytes than are carried."""
    return four_way(carried, list(size))


def _end(beats: Beats, into: Timed, out: Timed) -> Timed:
    """Where the bytes that are sent end, seen from a packet's last beat: for each byte from three before the beat to
    three after it whether it is sent."""
    pipe, size = beats.pipeline, beats.size
    places = range(-MOST, size + MOST)
    one, none = Const(1, 1), Const(0, 1)

    def there(keep: Value, place: int) -> Value:
        return one if place < 0 else keep[place] if place < size else none

    ins = Broadcast("carried_in_replica", into, len(places), tree=True)
    taken = [pipe.step(f"with_carried_at{number}", lambda keep, into, place=place: four_way(
        into, [there(keep, place - count) for count in range(MOST + 1)]), beats.keep, ins[number])
        for number, place in enumerate(places)]
    outs = Broadcast("carried_out_replica", out, len(places), tree=True)
    never = Timed(pipe, 0, none, "never")
    padded = [*taken, *[never] * MOST]
    sent = [pipe.step(f"sent_at{number}", lambda out, *values: four_way(out, values), outs[number],
                      *padded[number : number + MOST + 1]) for number in range(len(places))]
    step = max(bit.step for bit in sent)
    return Timed(pipe, step, Cat(bit.at(step) for bit in sent), "sent")


