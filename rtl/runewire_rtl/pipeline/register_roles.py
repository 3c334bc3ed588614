"""What a register is for, said by an attribute ``role``: so that what looks into a netlist finds it by that, whatever
it is called.

A counter's registers are ``credit.level``, ``credit.less`` …, of several counters of a kind
``occupancy.leader.0.level``.
Copies of one flag share the role `CLEAR`; every other role is that of one register.
"""

from __future__ import annotations

__all__ = [
    "ACCEPTED", "ANNOUNCE", "BEATS", "CLEAR", "CREDIT", "DRAIN", "FOUND", "LEADER", "OCCUPANCY", "UNDER_WAY", "role",
    "said",
]

ACCEPTED = "accepted"
"""A beat was taken, a cycle ago."""
BEATS = "beats"
"""A chunk of the number of a packet's present beat."""
CLEAR = "clear"
"""A copy of the flag that holds registers at their first values."""
CREDIT = "credit"
"""The counter of credits."""
DRAIN = "drain"
"""What counts the cycles after a reset."""
FOUND = "found"
"""A packet's first error: not looked at before one is found."""
UNDER_WAY = "under_way"
"""The item of a lane of the row under way: not looked at before there is one."""
OCCUPANCY = "occupancy"
"""A counter of the readable rows of a bank, as the reader that it names sees it."""
ANNOUNCE = "announce"
"""A reader is told of one more row of a bank."""
LEADER = "leader"
"""The reader that decides whether a beat is offered."""


def said(*words: object) -> str:
    """The role that these words make."""
    return ".".join(map(str, words))


def role(*words: object) -> dict[str, str]:
    """Attributes of a register whose role these words make; none where the first is empty."""
    return {"role": said(*words)} if words[0] else {}
