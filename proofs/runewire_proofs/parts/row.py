"""Part `row`: the register of a compact core's output row, whatever it gets."""

from __future__ import annotations

from amaranth.hdl import Module
from runewire_model import TranscoderParameters
from runewire_rtl.compact.packing import Row, new_row

from ..encodings.options import early_rows
from ..faults import Mutant, said, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .placement import RowPorts
from .row_end import end_mutants, packed_end


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: rows are output with their items, in order, none lost or repeated, as soon as earlier rows permit;
    ``valid`` stays high until the handshake; the pipeline waits for nothing else.

    Items and reports have one bit. Rows in place have no register of their own, and no such part.
    """
    if parameters.in_place:
        return None

    compared = against("row", "placed", "rows_out", cut=lambda: _cut(parameters, 1),
                       changes=early_rows(parameters, "row.v", "rows_out.v"))
    return Proof("row", INDUCTIVE, ["pdr"], compared, mutants(parameters))


def _cut(parameters: TranscoderParameters, width: int) -> Cut:
    """The register, and what goes with it to the output: what it gets is free, and comes ``STAGES`` cycles of
    ``advance`` after ``go``."""
    ports = Ports()
    m = ports.m

    class Fed(RowPorts):
        def __init__(self, lanes: int, width: int) -> None:
            super().__init__(lanes, width)
            alone = Module()
            alone.submodules.row = row = Row(lanes, width)
            m.submodules.alone = alone
            m.d.comb += [
                row.filled.eq(ports.new("filled", 1)), row.ends.eq(ports.new("ends", 1)),
                row.kept.eq(ports.new("kept", lanes)), row.items.eq(ports.new("items", lanes * width)),
                row.present.eq(ports.new("there", lanes)), row.wrapped.eq(ports.new("wrapped", lanes)),
                row.ready.eq(self.ready), row.open.eq(self.open), self.advance.eq(row.advance),
                self.offer.eq(row.offer), self.last.eq(row.last), self.data.eq(row.data), self.keep.eq(row.keep),
            ]

    with new_row.replaced(lambda _: Fed):
        facts = packed_end(parameters, width, ports, free=False)
    return ports.cut(**facts)


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken registers of the row."""
    def without_last(m: Module, row: Row) -> None:
        m.d.sync += row.last.eq(0)

    found = [*end_mutants(parameters), said("the last bit is dropped", Row, without_last)]
    if parameters.lanes * parameters.slots > 1:
        found += [
            tied("the second of two rows never comes", "row.rest", 0),
            tied("the first lane of the row under way is forgotten", "row.under_way_l0", 0),
        ]
    return found
