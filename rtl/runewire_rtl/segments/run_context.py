"""Runs of a text in segments: a run of ill-formed subparts continues in the flow's next segment.

The text ``61 FF FF FF 62`` in three segments of one flow, with one replacement for the run:

    segment             61 FF     FF    FF 62
    sent                61 FFFD   -     62
    in a run before it  no        yes   yes
    and after it        yes       yes   no

The state of a flow is one bit: the text so far ends with an ill-formed subpart.
"""

from __future__ import annotations

from amaranth.hdl import Mux, Signal
from runewire_model.report import Sidebands

from ..cut_points import cut_point
from ..input.input_stage import InputStage
from ..pipeline import Lanes, Pipeline, Timed, stage
from ..pipeline.gates import cleared
from .context import Context, Forgetting, Uses
from .text_error import begins, closes, flow


@cut_point
@stage("run_context")
def run_context(entry: InputStage, every: Lanes, whole: Lanes, sidebands: Sidebands, forgetting: Forgetting) -> Timed:
    """Whether the text ends with an ill-formed subpart before each beat. ``every``, ``whole``: as for
    `runewire_rtl.encodings.base.one_a_run`."""
    pipeline = entry.pipeline
    some, bad = _last(pipeline, every, whole)
    uses = Uses(begins(pipeline), pipeline.valid, pipeline.last, flow(entry, sidebands))
    closing = closes(entry, sidebands, max(some.step, bad.step))
    name = f"{every.name}_run"
    context = Context(pipeline, name, 1, uses, closing.step, forgetting)
    step = context.step
    after = Signal(name=f"{name}_after")
    pipeline.m.d.comb += after.eq(Mux(some.at(step), bad.at(step), context.before.at(step)))
    context.set(cleared(after, closing.at(step)))
    return context.before


def _last(pipeline: Pipeline, every: Lanes, whole: Lanes) -> tuple[Timed, Timed]:
    """Whether a character or an ill-formed subpart ends in the beat, and whether the last one is ill-formed."""
    part = Lanes.map("part_ends", lambda every, whole: every & ~whole, every, whole)
    nodes = list(zip(every.beat(), part.beat(), strict=True))
    while len(nodes) > 1:
        size, found = len(nodes), []
        for first in range(0, size, 2):
            (low, low_part), (high, high_part) = nodes[first : first + 2]
            found.append((
                pipeline.step(f"some_ends{size}_{first}", lambda low, high: low | high, low, high),
                pipeline.step(f"last_is_part{size}_{first}", lambda high, high_part, low: high_part | (low & ~high),
                              high, high_part, low_part)))
        nodes = found
    return nodes[0]
