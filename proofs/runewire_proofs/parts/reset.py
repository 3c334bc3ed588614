"""Part `reset`: from any state, one edge of reset leads to the core's first state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Cat, ClockDomain, Const, Fragment, Module, Signal
from runewire_model import TranscoderParameters
from runewire_rtl import timing
from runewire_rtl.buffer.output_buffer import OutputBuffer, Write
from runewire_rtl.buffer.read_controller import BANKS, ReadController
from runewire_rtl.compact import Compact
from runewire_rtl.packing.packing import new_buffer
from runewire_rtl.pipeline.carry_free_counters import Thermometer
from runewire_rtl.pipeline.register_roles import FOUND, UNDER_WAY
from runewire_rtl.reset_sequencer import ResetSequencer, start_cycles
from runewire_rtl.transcoder import Transcoder

from ..faults import Mutant, changed, said
from ..miter import Miter
from ..ports import Cut, Path, Ports, registers, without_first_values
from ..proof import Facts, Proof

LANES, INPUT_BYTES = 2, 4
"""Lanes, and bytes of an input beat, of the widest core that is reset in a proof."""

AFTER = 24
"""Cycles of the proof after the core has opened, or the core's latency if that is greater: by then the first packet's
output has left."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: from any state of all registers, one edge of reset leads to the state that the core has after a reset from
    its initial values; until then there is no handshake.

    Of narrow cores, for some cycles from the reset. Memories return any value, the same in both copies. A waiting
    report is in a register that a reset does not set.
    """
    narrow = parameters.lanes <= LANES and parameters.lanes * parameters.reads.unit_bytes <= INPUT_BYTES
    if not narrow or parameters.sidebands.report_port != "none":
        return None
    latency = timing(parameters).latency
    cycles = start_cycles(latency) + max(AFTER, latency)

    def miter(facts: Facts) -> Miter:
        made = _cut(parameters)
        return Miter(made.rtlil, "reset", ["parts/reset.v"],
                     {**(facts or {**made.facts, "CYCLES": cycles}), "LEMMAS": int(facts is None)})

    return Proof("reset", "", [], miter, mutants(compact=parameters.pipeline == "compact"), frames=cycles + 1)


@dataclass
class _Copy:
    """A core with ports instead of its memories, if it has any: ``memories`` are the write port, bank, address and
    data of each, ``rows`` the registers behind them, with their readers."""

    memories: list[tuple[Write, int, Signal, Signal]] = field(default_factory=list)
    rows: list[tuple[ReadController, list[Signal]]] = field(default_factory=list)
    core: Any = None
    whole: Fragment = None

    @classmethod
    def of(cls, parameters: TranscoderParameters) -> _Copy:
        made = cls()

        class Opened(OutputBuffer):
            def stored(
                self, m: Module, name: str, port: Write, reader: ReadController, copies: dict[int, list[Signal]]
            ) -> list[Signal]:
                behind: list[Signal] = super().stored(m, name, port, reader, copies)
                made.rows.append((reader, behind))
                return behind

            def memory(self, m: Module, name: str, port: Write, bank: int, row: Signal, load: Any) -> Signal:
                read = Signal(len(port.data), name=f"{name}_free{bank}")
                made.memories.append((port, bank, row, read))
                return read

        made.core = (Compact if parameters.pipeline == "compact" else Transcoder)(parameters)
        with new_buffer.replaced(lambda _: Opened):
            made.whole = Fragment.get(made.core, None)
        return made

    def registers(self) -> dict[Path, Signal]:
        """All registers but those that are loaded before they are looked at: ``rows``, a compact core's row under way,
        and the error that was found."""
        behind = {id(register) for _, row in self.rows for register in row}
        return {path: register for path, register in registers(self.whole) if id(register) not in behind
                and str(register.attrs.get("role", "")).partition(".")[0] not in (FOUND, UNDER_WAY)}


def _cut(parameters: TranscoderParameters) -> Cut:
    """The complete core twice, with ports instead of its memories. The registers of ``any`` start with any values,
    in ``first`` they start with their initial values. ``differs``: registers that are not equal in both;
    ``rows_differ``: the same for registers behind memories, while a row is shown or fetched; ``shown_off``: one copy
    shows a row, the other none.
    """
    ports = Ports()
    ports.m.domains.sync = domain = ClockDomain("sync")
    ports.signals |= {"clk": domain.clk, "rst": domain.rst}
    copies = {name: _Copy.of(parameters) for name in ("any", "first")}
    one, other = copies.values()
    given = [ports.new(name, width) for name, width in (
        ("i_valid", 1), ("i_last", 1), ("i_keep", parameters.input_bytes), ("i_data", 8 * parameters.input_bytes),
        ("o_ready", 1), ("free", sum(len(read) for *_, read in one.memories) or 1))]
    for name, copy in copies.items():
        _join(ports, name, copy, given)
    first = other.registers()
    pairs = [(register, first[path]) for path, register in one.registers().items()]
    ports.show("differs", Cat(register != its_first for register, its_first in pairs))
    ports.show("rows_differ", _or_zero(Cat(
        ((reader.fetched[bank] & ~reader.fetch[bank]) | reader.shown[bank]) & (row[bank] != its_first[bank])
        for (reader, row), (_, its_first) in zip(one.rows, other.rows, strict=True) for bank in range(BANKS))))
    ports.show("shown_off", Cat(mask.any() & ~reader.shown[bank] for reader, _ in one.rows
                                for bank, _, mask in reader.masks).any() if one.rows else Const(0, 1))
    with_memories = ("rows_differ", "free", "any_enable", "any_write", "any_address") if one.memories else ()
    widths = {name.removeprefix("any_").partition("_")[0].upper(): len(ports.signals[name])
              for name in ("any_beat", *with_memories)}
    cut = ports.cut(BYTES=parameters.input_bytes, REGISTERS=len(pairs),
                    START=start_cycles(timing(parameters).latency), **widths)
    return Cut(without_first_values(cut.rtlil, "any"), cut.facts)


def _or_zero(value: Any) -> Any:
    """A value, or a bit that is zero where it has none."""
    return value if len(value) else Const(0, 1)


def _join(ports: Ports, name: str, copy: _Copy, given: list[Signal]) -> None:
    """One of the two cores, with the ports that are ``given`` for both, and what it offers and does to its memories."""
    taken, offered, memories = copy.core.i, copy.core.o, copy.memories
    ports.m.submodules[name] = copy.whole
    targets = [taken.valid, taken.payload.last, taken.payload.keep, taken.payload.data.as_value(), offered.ready]
    if memories:
        targets.append(Cat(read for *_, read in memories))
    ports.m.d.comb += [target.eq(value) for target, value in zip(targets, given, strict=False)]
    for port, value in (
        ("accept", taken.ready), ("offer", offered.valid), ("beat", offered.payload.as_value()),
        ("enable", Cat(write.enable[bank] for write, bank, *_ in memories)),
        ("write", Cat(Cat(row := write.rows[bank], write.data)
                      & write.enable[bank].replicate(len(row) + len(write.data)) for write, bank, *_ in memories)),
        ("address", Cat(row for *_, row, _ in memories)),
    ):
        ports.show(f"{name}_{port}", _or_zero(value))


def mutants(*, compact: bool = False) -> list[Mutant]:
    """Cores that a reset does not bring to their first state, or too late."""
    common = [
        said("nothing is flushed", ResetSequencer, lambda m, drain: _set(m, drain.restart.flush, Const(0))),
        said("nothing is cleared", ResetSequencer, lambda m, drain: _set(m, drain.restart.clear, Const(0))),
        said("a core opens at once", ResetSequencer, lambda m, drain: _set(m, drain.open, Const(1))),
    ]
    if compact:
        return [common[0], common[2]]
    return [
        *common,
        said("a core opens while copies of what clears it are set", ResetSequencer,
             lambda m, drain: _set(m, drain.open, ~drain.restart.clear)),
        _not_cleared("credits are kept over a reset", Thermometer, lambda counter: len(counter.up) > 1),
        _not_cleared("rows are kept over a reset", Thermometer, lambda counter: len(counter.up) == 1),
        _not_cleared("readers are not cleared", ReadController, lambda reader: True),
    ]


def _set(m: Module, target: Signal, value: Any) -> None:
    m.d.comb += target.eq(value)


def _not_cleared(title: str, kind: type[Any], which: Callable[[Any], bool]) -> Mutant:
    """Parts of a kind that keep what they have over a reset."""
    def change(sound: Any) -> Any:
        def elaborate(part: Any, platform: object) -> Module:
            if which(part):
                part.clear = Signal(name="never")
            m: Module = sound(part, platform)
            return m
        return elaborate
    return changed(title, kind.elaborate, change)
