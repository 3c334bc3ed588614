"""Roles: an attribute ``role`` says what a register is for. Tools find registers in a netlist by it, whatever their
names.

A counter's registers are ``credit.level``, ``credit.less`` and so on. One of several counters of a kind has its name
too: ``occupancy.leader.0.level``. Copies of one flag share the role `CLEAR`; every other role belongs to one register.
"""

from __future__ import annotations

ACCEPTED = "accepted"
"""A beat was taken in the cycle before."""
BEATS = "beats"
"""A chunk of the beat counter."""
CLEAR = "clear"
"""A copy of the flag that holds registers at their first values."""
CREDIT = "credit"
"""The counter of credits."""
DRAIN = "drain"
"""The counter of cycles after a reset."""
FOUND = "found"
"""A packet's first error; not read before an error is found."""
UNDER_WAY = "under_way"
"""The item of a lane of the row under way; not read before there is one."""
OCCUPANCY = "occupancy"
"""The counter of a bank's readable rows, for the named reader."""
ANNOUNCE = "announce"
"""A reader receives the announcement of one more row of a bank."""
LEADER = "leader"
"""The reader that decides `valid` of the output."""


def said(*words: object) -> str:
    """The role that these words form."""
    return ".".join(map(str, words))


def role(*words: object) -> dict[str, str]:
    """Attributes of a register with the role that these words form; none if the first word is empty."""
    return {"role": said(*words)} if words[0] else {}
