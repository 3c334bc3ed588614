"""What goes beside the data: what a simulation sends with each packet, and what has to come out at its end."""

from collections.abc import Mapping
from typing import NamedTuple

from runewire_model import FirstError
from runewire_model.report import Sidebands

from .stalls import GOLDEN, MASK, mix

__all__ = ["ALONE", "PLAIN", "Beside", "Ending", "beside", "ending", "told"]

PLAIN = Sidebands()
"""The options' defaults."""


class Beside(NamedTuple):
    """What a packet has beside its data: ``s_axis_tuser`` of its last beat, and ``tid`` and ``tdest`` of all."""

    user: int = 0
    id: int = 0
    dest: int = 0


ALONE = Beside()
"""Nothing beside the data."""


class Ending(NamedTuple):
    """What comes out with a packet's end: ``m_axis_tuser`` without the marks of records, the beat of the report port
    (None without one), ``tid`` and ``tdest``."""

    tuser: int
    report: int | None
    id: int
    dest: int


def beside(sidebands: Sidebands, number: int) -> Beside:
    """What a simulation sends with packet ``number``, which counts from 0: the same in every simulator."""
    widths = (sidebands.user, sidebands.id, sidebands.dest)
    return Beside(*(mix((3 * number + which + 1) * GOLDEN & MASK) & (1 << width) - 1
                    for which, width in enumerate(widths)))


def ending(sidebands: Sidebands, error: FirstError | None, counts: Mapping[str, int],
           sent: Beside = ALONE) -> Ending:
    """What has to come out with the end of a packet: ``error`` and ``counts`` as the model has them."""
    report = sidebands.pack(error, counts, sent.user)
    tuser = 0 if sidebands.report_port == "only" else report
    tuser |= sum(sent.user << field.lsb for field in sidebands.last_beat if field.name == "user")
    return Ending(tuser, None if sidebands.report_port == "none" else report, sent.id, sent.dest)


def told(sidebands: Sidebands, tuser: int, report: int | None) -> tuple[int, int]:
    """The report and the carried bits of a packet, from its last beat and its beat of the report port."""
    if sidebands.report_port == "only":
        return report or 0, tuser
    width = sidebands.told_width
    return tuser & (1 << width) - 1, tuser >> width
