"""Parts of a core with flows for beats that lack bytes: their comparisons are for full ones, until a packet's last.

A dense decoder of two lanes sends the segment ``61 E2 82`` as a beat ``61`` and two empty ones: E2 82 waits. So a beat
lacks a byte that is not its packet's last. The chain proves the part again, of any such beats.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from runewire_model import TranscoderParameters

from ..engines import Engine
from ..miter import Change, Miter
from ..proof import Facts, Proof
from .opened import SECONDS

KEEP = "assign keep[i] = !last || count > i;"
CHANGES: dict[str, list[Change]] = {
    "text_error": [
        ("text_error.v", KEEP, "assign keep[i] = count > i;"),
        ("text_error.v", "here = last ? count > LANES ? LANES : count : LANES;",
         "here = count > LANES ? LANES : count;"),
    ],
    "text_record": [("text_record.v", KEEP, "assign keep[i] = count > i;")],
    "text_order": [
        ("text_order.v", KEEP, "assign keep[i] = count > i;"),
        ("text_order.v", "!(last && lacks && count", "!(lacks && count"),
    ],
}
"""By part: what its comparison says instead."""


def widened(proof: Proof, parameters: TranscoderParameters) -> Proof | None:
    """The part for beats that lack any bytes; None if it is about such already, or the core sends none.

    A core with rows in place leaves out empty beats, so its packets are full up to the last beat.
    """
    changes = CHANGES.get(proof.name)
    if changes is None or (parameters.in_place and not parameters.mark):
        return None

    def miter(facts: Facts) -> Miter:
        sound = proof.miter(facts)
        return replace(sound, changes=[*sound.changes, *changes])

    return replace(proof, miter=miter)


def is_widened(miter: Miter) -> bool:
    """Whether a comparison is about beats that lack any bytes."""
    changes = CHANGES.get(miter.harness)
    return changes is not None and changes[0] in miter.changes


def verdict_of(proof: Proof, engine: Engine) -> str:
    """The engine's verdict. Raises ToolError."""
    miter = proof.miter(None)
    with tempfile.TemporaryDirectory(prefix="runewire-proof-") as room:
        graph = engine.graph(miter, engine.comparison(miter), Path(room))
        return engine.prove(graph, proof.reduce, proof.scripts, SECONDS).verdict
