"""Faults of part `buffer`: of credits, read controllers, masks and addresses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Cat, Const, Module
from runewire_rtl.buffer.output_buffer import OutputBuffer, enough
from runewire_rtl.buffer.read_controller import ReadController
from runewire_rtl.cut_points import CutPoint

from ..faults import Mutant, changed, said, tied


def mutants() -> list[Mutant]:
    """Broken output buffers."""
    return [
        _masked("a push is lost while a row is loaded", OutputBuffer.announce, "push"),
        _masked("a credit given back is lost while a row is loaded", OutputBuffer.credits, "returned"),
        _credited("a row that is read gives no credit back", 0),
        _credited("every cycle gives a credit back", 1),
        changed("beats are accepted until all credits are spent", enough, lambda _: lambda credits: credits[0]),
        tied("rows are read that were never pushed", "reader_leader.announce_bank0", 1),
        tied("a group of lanes hears of no row", "reader_group0.announce_bank0", 0),
        said("an offer is withdrawn", ReadController, _withdraws),
        said("a stall loses the row behind the one that waits", ReadController, _loses),
        said("a bank loads the next row while it shows one", ReadController, _loads),
        said("a row is shown before its turn", ReadController, _overtakes),
        tied("lanes load a row in every cycle", "reader_group0.fetch_bank0", 1),
        tied("lanes are always read from the first row", "reader_group0.row_bank0_copy1", 0),
        tied("reports are always read from the first row", "reader_leader.row_bank0_copy0", 0),
        tied("marks are always read from the first row", "reader_group0.row_bank0_copy2", 0),
        tied("keep bits are always read from the first row", "reader_group0.row_bank0_copy0", 0),
        tied("lanes that are not kept show what they hold", "reader_group0.mask_bank0", 1),
        tied("both banks give a report", "reader_leader.shown_bank0", 1),
    ]


def _masked(title: str, point: CutPoint[..., None], port: str) -> Mutant:
    """A method of the buffer does not see ``port`` while a row is loaded."""
    def change(sound: Any) -> Any:
        def described(buffer: OutputBuffer, m: Module, readers: Any, *clear: Any) -> None:
            reader = readers if isinstance(readers, ReadController) else readers[0]
            whole = getattr(buffer, port)
            setattr(buffer, port, whole & ~Cat(reader.fetch).any().replicate(len(whole)))
            sound(buffer, m, readers, *clear)
            setattr(buffer, port, whole)
        return described
    return changed(title, point, change)


def _credited(title: str, given: int) -> Mutant:
    """Credits come back in every cycle, or never, whatever is read."""
    return changed(title, OutputBuffer.credits, lambda sound: lambda buffer, m, leader:
                    sound(buffer, m, SimpleNamespace(fetch=[Const(given)])))


def _loads(m: Module, reader: ReadController) -> None:
    with m.If(reader.pending[0][0] & ~reader.fetched[0]):
        m.d.sync += [reader.fetch[0].eq(1), reader.fetched[0].eq(1)]


def _loses(m: Module, reader: ReadController) -> None:
    with m.If(reader.valid & ~reader.ready & reader.fetched[1]):
        m.d.sync += reader.fetched[1].eq(0)


def _overtakes(m: Module, reader: ReadController) -> None:
    with m.If(reader.fetched[1]):
        m.d.sync += reader.shown[1].eq(1)


def _withdraws(m: Module, reader: ReadController) -> None:
    m.d.sync += reader.valid.eq(Cat(reader.fetched).any())
