"""Start of a text in segments: a byte order mark in a later packet is a character like any other."""

from __future__ import annotations

from ..pipeline import Broadcast, Lanes, Timed, stage


@stage("byte_order_mark")
def at_text_start(mark: Lanes, begun: Timed | None) -> Lanes:
    """Flags of a byte order mark that begins a packet, only if the text has not ``begun`` before."""
    if begun is None:
        return mark
    replicas = Broadcast("begun", begun, len(mark.values), after=max(value.step for value in mark.values) - 1)
    return Lanes(mark.pipeline, "text_mark", [
        mark.pipeline.step(f"text_mark_l{lane}", lambda mark, begun: mark & ~begun, value, replicas[lane])
        for lane, value in enumerate(mark.values)], mark.width)
