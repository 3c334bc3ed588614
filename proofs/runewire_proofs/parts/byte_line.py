"""Part `byte_line`: the carry of a core that takes one byte a beat, with a single flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from amaranth.hdl import Const, Value
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line
from runewire_rtl.input.input_stage import InputPort
from runewire_rtl.pipeline import Plan
from runewire_rtl.pipeline.layout_policy import NAIVE
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.segments import byte_line
from runewire_rtl.stream_shapes import input_beat

from ..faults import Mutant, changed, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

Unfinished = Callable[[Sequence[Value], Sequence[Value]], list[Value]]


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: bytes and packets' ends leave in the text's order. The end of a segment leaves before the bytes of a
    character that is unfinished there, the end of a text after all its bytes. Three bytes or ends wait at most, and an
    end leaves at most three cycles after it came. Each end has its packet's *more*, and *begun* says whether an earlier
    packet had a byte of the text.

    Beats are free.
    """
    if not has_byte_line(parameters):
        return None
    return Proof("byte_line", INDUCTIVE, ["pdr"], against("byte_line", "text_end", cut=lambda: cut(parameters)),
                 mutants())


def cut(parameters: TranscoderParameters) -> Cut:
    """The line alone. ``i_…``: the beats, ``o_…``: what leaves in the same cycle."""
    sidebands = parameters.sidebands
    ports = Ports()
    flags = {"begun": 1} if parameters.bom != "keep" else {}
    stream: Any = input_beat(1, 1, sidebands).create(path=("given",))
    output: Any = input_beat(1, 1, sidebands, flags=flags).create(path=("sent",))
    ports.m.d.comb += stream.valid.eq(ports.new("i_valid", 1))
    ports.m.d.comb += [Value.cast(stream.payload[name]).eq(ports.new(f"i_{name}", width)) for name, width in (
        ("data", 8), ("keep", 1), ("last", 1), ("user", sidebands.input_user))]
    byte_line.pass_line(InputPort(ports.m, stream, Plan.of(parameters.pipeline), Restart.never(), NAIVE), output,
                        sidebands)
    ports.show("i_ready", stream.ready)
    ports.show("o_valid", output.valid)
    for name in ("data", "keep", "last", "user"):
        ports.show(f"o_{name}", output.payload[name])
    ports.show("o_begun", output.payload.begun if flags else Const(0, 1))
    return ports.cut(USER=sidebands.input_user, BEGUN=int(bool(flags)))


def mutants() -> list[Mutant]:
    """Ends at another place."""
    def waits(*places: int) -> Callable[[Unfinished], Unfinished]:
        return lambda sound: lambda data, byte: [
            value if place in places else value & 0 for place, value in enumerate(sound(data, byte))]

    return [
        changed("no byte waits for the next segment", byte_line.unfinished, waits()),
        changed("three bytes of a character do not wait", byte_line.unfinished, waits(0, 1)),
        changed("every byte waits for the next segment", byte_line.unfinished,
                lambda sound: lambda data, byte: list(byte)),
        tied("an end is lost", "end2", 0),
        tied("a last beat has no end", "last_again", 0),
        tied("more is lost", "user3", 0),
    ]
