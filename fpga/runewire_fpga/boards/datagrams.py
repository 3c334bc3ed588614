"""Limits and records that `Inbox` and `Outbox` share."""

from __future__ import annotations

from amaranth.lib import data

LONGEST = 1472
"""Bytes of text in a datagram: a frame's 1500 bytes without the headers of IP and UDP. Longer ones are dropped."""
ROOM = 8192
"""Units of UTF-16 that are stored until they are sent: a power of two."""
COUNT = range(LONGEST + 1)
"""Shape of a number of units or bytes of a datagram."""
SENDER = data.StructLayout({"mac": 48, "ip": 32, "port": 16, "number": 16, "reserved": COUNT})
"""A datagram's sender, its number, and the units reserved for its reply."""
