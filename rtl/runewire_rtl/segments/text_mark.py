"""Added byte order mark of a text in segments: the first segment has the mark, later ones have none.

Two texts of a flow, the first in three segments. A beat for a mark precedes each segment:

    segment           -         41        42        43
    more              yes       yes       no        no
    a segment before  no        yes       yes       no
    mark              FEFF      -         -         FEFF

The state of a flow has one bit: its text has had a segment. That segment may have been empty.
"""

from __future__ import annotations

from operator import and_

from ..cut_points import cut_point
from ..pipeline import Timed
from .context import Context, Uses
from .segment_beats import Beats, Options


@cut_point
def text_mark(beats: Beats, options: Options) -> Timed:
    """Whether a beat is the added mark of its text: it precedes the text's first segment."""
    pipe = beats.pipeline
    before_packet = pipe.step("before_packet", and_, pipe.valid, beats.beside["mark"])
    ends = pipe.step("text_part_ends", lambda last: last, beats.last)
    goes_on = pipe.step("text_goes_on", lambda last, more: last & more, beats.last, beats.more)
    context = Context(pipe, "text_open", 1, Uses(before_packet, ends, ends, beats.flow), goes_on.step,
                      options.forgetting)
    context.set(goes_on.at(context.step))
    return pipe.step("adds", lambda mark, open_: mark & ~open_, before_packet, context.before)
