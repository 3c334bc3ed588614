"""Sideband values: those that a simulation sends with each packet, and those that must come out at its end."""

from collections.abc import Mapping
from typing import NamedTuple

from runewire_model import FirstError
from runewire_model.report import Sidebands
from runewire_model.splitting import RecordPacket

from .segments import Segment
from .stalls import GOLDEN, MASK, mix

PLAIN = Sidebands()
"""The options' defaults."""


class SentSidebands(NamedTuple):
    """The values sent with a packet: ``s_axis_tuser`` of its last beat, and ``tid`` and ``tdest`` of all its beats.
    ``cut``: the packet is a record's, and the record continues in the next one."""

    user: int = 0
    id: int = 0
    dest: int = 0
    cut: int = 0

    def of(self, record: RecordPacket) -> "SentSidebands":
        """The values that come out with the packet of a record: only the last one's has ``user``."""
        return SentSidebands(self.user if record.ends else 0, self.id, self.dest, int(record.cut))


NO_SIDEBANDS = SentSidebands()
"""All values zero."""


class Ending(NamedTuple):
    """The values that come out with a packet's end: ``m_axis_tuser`` without record flags, the beat of the report port
    (None without one), ``tid`` and ``tdest``."""

    tuser: int
    report: int | None
    id: int
    dest: int


def sent_sidebands(sidebands: Sidebands, number: int, packet: object = b"") -> SentSidebands:
    """The values for packet ``number``, which counts from 0: the same in every simulator. A `Segment` has its own flow
    and ``more``."""
    widths = (sidebands.input_user, sidebands.id, sidebands.dest)
    user, id_, dest = (mix((3 * number + which + 1) * GOLDEN & MASK) & (1 << width) - 1
                       for which, width in enumerate(widths))
    sent = SentSidebands(user, id_, dest)
    if isinstance(packet, Segment) and sidebands.flows is not None:
        user = sent.user & (1 << sidebands.user) - 1 | packet.more << sidebands.user
        sent = sent._replace(user=user, id=packet.flow)
    return sent

def ending(sidebands: Sidebands, error: FirstError | None, counts: Mapping[str, int],
           sent: SentSidebands = NO_SIDEBANDS, tail: int = 0) -> Ending:
    """The values that must come out with a packet's end, by the model's ``error`` and ``counts``. ``tail``: the flags
    of a last record without delimiter."""
    report = sidebands.pack(error, counts, sent.user)
    tuser = 0 if sidebands.report_port == "only" else report
    width = sidebands.last_beat_width - sidebands.tail_bits
    tuser |= sent.user << width - sidebands.input_user - sidebands.cut_bits
    tuser |= sent.cut << width - 1 if sidebands.cut_bits else 0
    tuser |= tail << width
    return Ending(tuser, None if sidebands.report_port == "none" else report, sent.id, sent.dest)


def report_and_user(sidebands: Sidebands, tuser: int, report: int | None) -> tuple[int, int]:
    """A packet's report and carried ``tuser`` bits, from its last beat and its beat of the report port."""
    if sidebands.report_port == "only":
        return report or 0, tuser
    width = sidebands.told_width
    return tuser & (1 << width) - 1, tuser >> width
