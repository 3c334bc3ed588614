"""Part `connection`: the wires between the input, a packer and the core after it, where null bytes may be anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Cat, Const, Module, Value
from runewire_model import TranscoderParameters
from runewire_model.report import CARRIED
from runewire_rtl.compact import Compact
from runewire_rtl.transcoder import Transcoder

from ..engines import COMBINATIONAL
from ..faults import Mutant, changed
from ..ports import Cut, Ports
from ..proof import Proof, against


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: the input's beats go to the packer, and the packer's to the core after it. Each wire leads to the right
    one, and each byte to its place. ``ready`` goes the other way. Free inputs replace packer and core."""
    if parameters.packer is None:
        return None
    return Proof("connection", COMBINATIONAL, [], against("connection", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The wires alone. ``i_``: the input, ``into_``: the packer's input, ``out_``: its output, ``packed_``: the input
    of the core after it. A sideband that the core lacks is one bit, zero."""
    kind: type[Transcoder] = Compact if parameters.pipeline == "compact" else Transcoder

    class Wires(kind):  # type: ignore[valid-type, misc]
        def elaborate(self, platform: object) -> Module:
            m = Module()
            self.lead_through(m, self.packer)
            return m

    core = Wires(parameters)
    ports = Ports()
    ports.m.submodules.wires = core
    given = {"i": core.i, "out": core.packer.o}
    for prefix, stream in (*given.items(), ("into", core.packer.i), ("packed", core.packed)):
        fields = {"valid": stream.valid, **beat_fields(stream, prefix == "out")}
        for name, value in fields.items():
            if prefix in given:
                ports.m.d.comb += value.eq(ports.new(f"{prefix}_{name}", len(value)))
            else:
                ports.show(f"{prefix}_{name}", value)
        absent = [name for name in CARRIED if name not in fields]
        if prefix in given:
            ports.show(f"{prefix}_ready", stream.ready)
            for name in absent:
                ports.new(f"{prefix}_{name}", 1)
        else:
            ports.m.d.comb += stream.ready.eq(ports.new(f"{prefix}_ready", 1))
            for name in absent:
                ports.show(f"{prefix}_{name}", Const(0, 1))
    reads, sidebands = parameters.reads, parameters.sidebands
    return ports.cut(LANES=parameters.lanes, UNIT=reads.unit_bytes, BIG=int(reads.byte_order == "big"),
                     **{name.upper(): sidebands.carried.get(name, 0) for name in CARRIED})


def beat_fields(stream: Any, reported: bool) -> dict[str, Value]:
    """The payload of a stream by field; ``reported``: its user bits are in a report."""
    payload = stream.payload
    found = {name: Value.cast(payload[name]) for name in payload.shape().members if name != "report"}
    if reported and "user" in payload.report.shape().members:
        found["user"] = Value.cast(payload.report.user)
    return {name: value for name, value in found.items() if len(value)}


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Wires that lead to another place."""
    size, big = parameters.reads.unit_bytes, parameters.reads.byte_order == "big"

    def turned(data: Any) -> Value:
        """The units with the wrong byte first."""
        value = Value.cast(data)
        places = range(len(value) // 8)
        return value if big else Cat(value.word_select(at - at % size + size - 1 - at % size, 8) for at in places)

    found = [
        wired("keep bits reach the packer a byte off",
              lambda core, packer: packer.i.payload.keep.eq(Cat(Const(0, 1), core.i.payload.keep))),
        wired("keep bits go past the packer",
              lambda core, packer: core.packed.payload.keep.eq(core.i.payload.keep)),
        wired("data goes past the packer",
              lambda core, packer: Value.cast(core.packed.payload.data).eq(Value.cast(core.i.payload.data))),
        wired("last is dropped before the packer", lambda core, packer: packer.i.payload.last.eq(0)),
        wired("last goes past the packer", lambda core, packer: core.packed.payload.last.eq(core.i.payload.last)),
        wired("valid goes past the packer", lambda core, packer: core.packed.valid.eq(core.i.valid)),
        wired("the packer takes a beat in every cycle", lambda core, packer: packer.i.valid.eq(1)),
        wired("the core's ready goes past the packer", lambda core, packer: core.i.ready.eq(core.packed.ready)),
        wired("the packer's output waits for nothing", lambda core, packer: packer.o.ready.eq(1)),
    ]
    if size > 1:
        found += [
            wired("the bytes of a unit are exchanged before the packer",
                  lambda core, packer: Value.cast(packer.i.payload.data).eq(turned(core.i.payload.data))),
            wired("the bytes of a unit are exchanged behind the packer",
                  lambda core, packer: Value.cast(core.packed.payload.data).eq(turned(packer.o.payload.data))),
        ]
    return [*found, *(_past(name) for name in parameters.sidebands.carried)]


def _past(name: str) -> Mutant:
    """A sideband of the packet that enters, instead of the one that leaves the packer."""
    return wired(f"{name} goes past the packer",
                 lambda core, packer: core.packed.payload[name].eq(core.i.payload[name]))


def wired(title: str, says: Callable[[Any, Any], Any]) -> Mutant:
    """Other wires: of two that drive a signal the last counts."""
    def change(sound: Any) -> Any:
        def lead_through(core: Transcoder, m: Module, packer: Transcoder) -> None:
            sound(core, m, packer)
            m.d.comb += says(core, packer)
        return lead_through
    return changed(title, Transcoder.lead_through, change)
