"""Part `text_end`: the end of a text that waits for the flow's next segment, and what each segment is sent with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Module, Signal, Value
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line
from runewire_rtl.packing.packing import new_buffer
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.segments import carry, extra_beats, rotation
from runewire_rtl.segments.extra_beats import MOST
from runewire_rtl.segments.rotation import Carried, Moves
from runewire_rtl.segments.segment_beats import Beats, Options

from ..faults import Mutant, always, changed, never, step
from ..feeding import BufferPorts, End, build
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: into each packet go the bytes of the unfinished character at its text's end so far, and no others. From
    its last beat on everything is sent but the unfinished character there; if the text ends, everything. Each packet
    has its own *more*, and *begun* says whether a byte of the text was sent before. Where a byte order mark sets the
    order, each packet has the order of its text so far.

    Beats are free, and so are the extra beats after a packet's last, which have no bytes. With added byte order marks
    a beat without bytes precedes each packet. The core has one flow here: that each of several flows finds its own
    state is part `contexts`.
    """
    sidebands = parameters.sidebands
    if sidebands.flows is None or has_byte_line(parameters):
        return None
    single = replace(parameters, sidebands=replace(sidebands, flows=1))
    return Proof("text_end", INDUCTIVE, ["pdr"], against("text_end", "delay", cut=lambda: cut(single)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """From the beats that are taken to the rotation of bytes. ``i_extra``: an extra beat is taken. All that is shown
    belongs to the same step, `DELAY` cycles after the input."""
    sidebands = parameters.sidebands
    ports = Ports()
    for name, width in (("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes),
                        ("i_data", 8 * parameters.input_bytes), ("i_user", sidebands.input_user),
                        ("i_tags", max(1, sidebands.id + sidebands.dest)), ("i_extra", 1)):
        ports.new(name, width)
    facts: dict[str, int] = {}

    def follow(m: Module, packets: Any, stream: Any, restart: Restart) -> None:
        """Free extra beats."""
        given, payload, extra = packets.payload, stream.payload, ports.signals["i_extra"]
        m.d.comb += [
            stream.valid.eq(packets.valid), packets.ready.eq(~extra), payload.extra.eq(extra),
            *(Value.cast(payload[name]).eq(given[name]) for name in given.shape().members)]
        if "mark" in given.shape().members:
            m.d.comb += payload.mark.eq(given.mark & ~extra)

    def shown(sound: Callable[..., Carried]) -> Callable[..., Carried]:
        def rotate(beats: Beats, moves: Moves, output: Any, options: Options) -> Carried:
            values = {"first": beats.first, "extra": beats.extra, "into": moves.into, "begun": moves.begun,
                      "order": moves.order, "history": moves.history, "sent": moves.end, "user": beats.beside["user"]}
            at = max(value.step for value in values.values())
            for name, value in values.items():
                ports.show(name, value.at(at))
            # A compact core's port has no registers.
            facts["DELAY"] = int(advance is None) + beats.pipeline.latency(at)
            return sound(beats, moves, output, options)
        return rotate

    def tail(end: End, sound: Callable[[End], Any]) -> Any:
        return sound(end)

    advance = None
    if parameters.pipeline == "compact":
        advance = Signal(name="advances")
        ports.m.d.comb += advance.eq(1)
    with (extra_beats.follow.replaced(lambda _: follow), rotation.rotate.replaced(shown),
          new_buffer.replaced(lambda _: BufferPorts)):
        build(ports, parameters, tail, advance=advance)
    reads = parameters.reads
    return ports.cut(LANES=parameters.input_bytes, UNIT=reads.unit_bytes, BIG=int(reads.byte_order == "big"),
                     ORDERED=int(len(reads.orders) > 1), MARKS=int(bool(parameters.mark)),
                     USER=sidebands.input_user, TAGS=len(ports.signals["i_tags"]), MOST=MOST, **facts)


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Bytes that are sent twice or never, flags of another packet, orders of another text."""
    found = [
        changed("more is that of the next packet", carry.side_of_packet, lambda sound: lambda extra, before, now: now),
        changed("a later segment begins the text again", carry.has_begun,
                lambda sound: lambda size, carried: sound(size, carried) & 0),
        step("no byte is carried into a packet", "before_size", never),
        step("no byte is carried out of a packet", "after_size", never),
        step("a text's end waits for another segment", "closes", never),
    ]
    if len(parameters.reads.orders) > 1:
        found += [
            step("every text is big-endian", "little_of_packet", never),
            step("a text that has begun is little-endian", "like_mark_after.*", always),
        ]
    return found
