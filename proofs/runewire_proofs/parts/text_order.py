"""Part `text_order`: the byte order of a text in segments, where its byte order mark sets it."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat
from runewire_model import TranscoderParameters
from runewire_rtl.encodings.bom_order import in_order
from runewire_rtl.pipeline import BeatFlags, Lanes, Pipeline, Plan

from ..faults import Mutant, always, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: a unit has its bytes in the order of its text. If a byte of the text was sent before the packet, that is
    the order that comes with the packet. Otherwise the packet's first unit sets it.

    Units, and the order that comes with each packet, are free.
    """
    if parameters.sidebands.flows is None or len(parameters.reads.orders) == 1:
        return None
    return Proof("text_order", INDUCTIVE, ["pdr"], against("text_order", "delay", cut=lambda: cut(parameters)),
                 mutants())


def cut(parameters: TranscoderParameters) -> Cut:
    """The order alone. ``go``, ``go_last``, ``whole``, ``units``, ``order``: a beat at step 0. ``turned``: its units in
    order, `DELAY` cycles later."""
    lanes, bits = parameters.lanes, 8 * parameters.reads.unit_bytes
    ports = Ports()
    go, last, whole, units, order = (ports.new(name, width) for name, width in (
        ("go", 1), ("go_last", 1), ("whole", lanes), ("units", bits * lanes), ("order", 2)))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))

    def of_lanes(name: str, width: int, value: Any) -> Lanes:
        return Lanes(pipe, name, [pipe.enter(value.word_select(lane, width), f"{name}_l{lane}")
                                  for lane in range(lanes)], lanes)

    turned = in_order(of_lanes("data", bits, units), of_lanes("whole", 1, whole), pipe.enter(order, "order"))
    at = max(value.step for value in turned.values)
    ports.show("turned", Cat(value.at(at) for value in turned.values))
    return ports.cut(LANES=lanes, UNIT=bits // 8, DELAY=pipe.latency(at))


def mutants() -> list[Mutant]:
    """Orders of another packet or text."""
    return [
        step("a later segment's first unit sets the order", "begins_text", lambda _: lambda begins, order: begins),
        step("the order of a text is forgotten", "little_text", lambda _: lambda own, order: own),
        step("every later segment is little-endian", "little_text", lambda _: lambda own, order: own | order[0]),
        step("the first unit sets no order", "begins_text", never),
        step("every unit is little-endian", "little_text", always),
    ]
