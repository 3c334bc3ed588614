"""Part `rotation`: a segment's bytes behind the carried bytes of its flow, in full beats, without those that wait."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Cat, Const, Signal, Value
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.pipeline.layout_policy import NAIVE, POLICIES
from runewire_rtl.segments import rotation
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.segments.extra_beats import MOST
from runewire_rtl.segments.rotation import Carried, Moves
from runewire_rtl.segments.segment_beats import Beats, Options
from runewire_rtl.segments.support import UNFINISHED
from runewire_rtl.stream_shapes import input_beat

from ..faults import Mutant, changed, never, step, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

MOVES = ("history", "into", "begun", "order", "end")
"""The parts of `Moves`, in their order."""

def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each packet has the bytes that are carried into it, then its own, without the bytes that are carried on.
    They are in order and from lane 0 on, in full beats up to the last byte. Each beat has its packet's flow, *begun*
    and byte order, the last one its *more*. A core with rows in place leaves out beats without a byte, unless the
    packet has none.

    Beats, carried bytes and their numbers are free. They are consistent as part `text_end` proves: the numbers belong
    to packets, and no more bytes are carried on than there are.
    """
    if parameters.sidebands.flows is None or has_byte_line(parameters):
        return None
    return Proof("rotation", INDUCTIVE, ["pdr"], against("rotation", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The rotation alone, of packets with one bit of `user`, *more*, and one of `id`. All ports but the outputs ``o_…``
    and ``dropped`` belong to a beat at step 0; `DELAY` cycles later it comes to the line of `AHEAD` waiting beats."""
    reads, size = parameters.reads, parameters.input_bytes
    marks, ordered = bool(parameters.mark), len(reads.orders) > 1
    few = replace(parameters.sidebands, user=0, id=1, dest=0, flows=2)
    ports = Ports()
    widths = {"data": 8 * size, "into": 2, "history": 8 * MOST, "order": 2, "sent": size + 2 * MOST}
    given = {name: ports.new(name, widths.get(name, 1)) for name in (
        "valid", "last", "first", "extra", "finish", "data", "user", "id", "mark", "adds", "into", "history", "begun",
        "order", "sent")}
    compact = parameters.pipeline == "compact"
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(given["valid"], given["last"]),
                    policy=NAIVE if compact else POLICIES[parameters.family])
    entered = {name: pipe.enter(value, f"{name}_in") for name, value in given.items() if name not in ("valid", "last")}
    none = pipe.enter(Const(0, size), "none")
    sides = ("user", "id", *(("mark", "adds") if marks else ()))
    beats = Beats(pipe, Signal(), entered["data"], none, entered["extra"], entered["finish"], none, entered["first"],
                  None, {name: entered[name] for name in sides})
    flags = {"adds": 1} if marks else {}
    flags |= {"begun": 1} if parameters.bom != "keep" else {}
    flags |= {"order": 2} if ordered else {}
    output: Any = input_beat(parameters.lanes, reads.unit_bytes, few, marks=marks, flags=flags).create(path=("sent",))
    moves = Moves(*(entered["sent" if name == "end" else name] for name in MOVES))
    carried = rotation.rotate(beats, moves, output, Options(
        few, reads, parameters.in_place, UNFINISHED[reads.unit_bytes], Forgetting.never()))
    sent = output.payload
    ports.show("o_valid", output.valid)
    for name in ("data", "keep", "last", "user", "id", "mark", "adds", "begun", "order"):
        there = name in sent.shape().members
        ports.show(f"o_{name}", sent[name] if there else Const(0, len(given[name])))
    ports.show("dropped", carried.dropped)
    return ports.cut(SIZE=size, UNIT=reads.unit_bytes, BIG=int(reads.byte_order == "big"),
                     DROPS=int(parameters.in_place), MARKS=int(marks), BEGUN=int("begun" in flags),
                     ORDERED=int(ordered), MOST=MOST, AHEAD=carried.lookahead,
                     DELAY=carried.latency - carried.lookahead - 1)


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Bytes at another place, sent twice or never; flags of another beat."""
    def moved(**change: Callable[[Value], Value]) -> Callable[..., Callable[..., Carried]]:
        def altered(sound: Callable[..., Carried]) -> Callable[..., Carried]:
            def rotate(beats: Beats, moves: Moves, output: Any, options: Options) -> Carried:
                others = {name: beats.pipeline.step(f"other_{name}", function, getattr(moves, name))
                          for name, function in change.items()}
                given = Moves(*(others.get(name, getattr(moves, name)) for name in MOVES))
                return sound(beats, given, output, options)
            return rotate
        return altered

    ahead = -(-(MOST + 1) // parameters.input_bytes)
    found = [
        step("the bytes are not moved up", r"rotation_l\d+", never),
        tied("the bytes before a beat are lost", "earlier", 0),
        tied("an extra beat has no byte", "sent_over", 0),
        tied("a complete packet waits for the next one", "place1_whole", 0),
        tied("more is lost", f"place{ahead}_user", 0),
        changed("the carried bytes come in the other order", rotation.rotate, moved(
            history=lambda value: Cat(value.word_select(place, 8) for place in reversed(range(MOST))))),
        changed("what is carried on is sent too", rotation.rotate, moved(
            end=lambda value: Cat(value, Const(-1, MOST))[MOST:])),
    ]
    if parameters.in_place:
        found.append(tied("a packet without a byte is left out", f"place{ahead}_first", 0))
    return found
