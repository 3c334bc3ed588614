"""Limits and records that the two sides of text over Ethernet share."""

from __future__ import annotations

from amaranth.lib import data

PORT = 1337
"""The UDP port of whole texts, and of a text's last segment."""
MORE_PORT = PORT + 1
"""The UDP port of segments whose text continues, on a board with flows."""
LONGEST = 1472
"""Bytes of text in a datagram: a frame's 1500 bytes without the headers of IP and UDP. Longer ones are dropped."""
ROOM = 8192
"""Units that are stored until they are sent: a power of two."""
WAITING = 32
"""Datagrams that may wait in a queue: a power of two."""
COUNT = range(LONGEST + 2)
"""Shape of a number of units or bytes of a datagram; a segment may complete a character that came before it."""
SENDER = data.StructLayout({"mac": 48, "ip": 32, "port": 16, "number": 16, "more": 1, "reserved": COUNT})
"""A datagram's sender, its number, whether its text continues, and the units reserved for its reply."""
TEXT = data.StructLayout({"data": 8, "keep": 1, "last": 1, "damaged": 1})
"""A byte of text; ``keep`` is low in the one beat of a datagram without text."""
