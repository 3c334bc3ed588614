"""Part `border`: all before the output buffer keeps to what the buffer counts on."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..faults import Mutant, never, step, tied
from ..miter import Miter
from ..proof import INDUCTIVE, Facts, Proof
from . import buffer, packing

REACHED = "reach -B 10000000 -F 1000000"
"""Sets of all states that can be reached: for what counts, in few registers. Flag `-r` would keep ABC from reordering
variables, and what takes 43 seconds would take 533. `pdr` is for sets of more nodes than that."""

ITEMS = 16
"""Items per beat of the widest core with dense rows whose border is proven: with more the engine takes long, or gives
up. Rows in place are proven at any width."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: the tail before the buffer keeps the buffer's contract. Items and reports have one bit."""
    if not parameters.in_place and parameters.lanes * parameters.slots > ITEMS:
        return None

    def miter(facts: Facts) -> Miter:
        made = packing.cut(parameters, 1, facts) if facts else packing.sound_cut(parameters)
        return Miter(made.rtlil, "before_buffer", [f"parts/{name}.v" for name in (
            "before_buffer", "buffer_contract", "delay")], facts or _facts(parameters, made.facts))

    return Proof("border", INDUCTIVE, [REACHED, "pdr"], miter, _mutants(parameters))


def _facts(parameters: TranscoderParameters, cut: dict[str, int]) -> dict[str, int]:
    """Rows and times are the buffer's own."""
    numbers = buffer.cut(parameters).facts
    first = min(cut[f"{what}_DELAY"] for what in ("WRITE", "KEEP", "PUSH", "RETURN"))
    return {**{name: cut[name] for name in ("LANES", "WIDTH", "GROUP")}, "LATER": first - 1,
            "ROW": numbers["ROW"], "WRITTEN": numbers["WRITTEN"]}


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken ways to the rows of the buffer that write, push or return what is not theirs."""
    found = [
        tied("every row is pushed in the first bank", "push_turn", 0),
        tied("every row's last and report are written beside the first", "push_row", 0),
    ]
    if parameters.in_place:
        return [*found, tied("every beat is written into the first row", "row", 0)]
    return [*found, step("rows do not move on", "row_moves", never), tied("a packet's last row never comes", "late", 0)]
