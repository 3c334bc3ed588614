"""Registry of a report's fields: the packet's first error, and the counters.

The counter of bytes is one entry here:

    Counter("bytes", "bytes", "bytes of the input", lambda packet: len(packet.data), flags=lambda size: size, rule=3)

and one in `rtl/runewire_rtl/report/counter_flags.py`, which makes its flags in hardware. The rest reads the registry:
checks of parameters, ports, Verilog, JSON, the command, simulation, proofs and pages.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .errors import FirstError

KIND_WIDTH = 3
"""Bits of the kind of a packet's first error."""


class PacketText(NamedTuple):
    """A packet as counters see it.

    ``data``: its bytes. ``scalars``: the text that the core makes of it, by ``errors`` and ``bom``, an added byte order
    mark included. ``replaced``, ``well_formed``: the text with U+FFFD for each ill-formed subpart, and without these.
    ``characters``: as ``well_formed``, with each U+0000 also where it is rejected. ``records``: for each record whether
    it is ill-formed.
    """

    data: bytes = b""
    scalars: Sequence[int] = ()
    replaced: Sequence[int] = ()
    well_formed: Sequence[int] = ()
    characters: Sequence[int] = ()
    records: Sequence[bool] = ()


@dataclass(frozen=True)
class ErrorField:
    """A field of a packet's first error. ``text``: its meaning. ``width``: its bits, None for ``offset_bits``.
    ``value``: its value, 0 without an error; an offset that does not fit saturates."""

    name: str
    text: str
    width: int | None
    value: Callable[[FirstError], int]


@dataclass(frozen=True)
class Counter:
    """A counter of a packet, ``offset_bits`` wide; it saturates at all ones.

    ``name``: as ``--count`` takes it. ``short``: its name in names of modules. ``text``: the things that it counts.
    ``value``: the exact number for a packet. ``flags``: flags of a lane that has a unit of so many bytes; the hardware
    counts those that are set. ``of_records``: the core needs ``records``. ``rule``: the number of its flags'
    specification in `proofs/`, below 16; None: its flags are not proven.
    """

    name: str
    short: str
    text: str
    value: Callable[[PacketText], int]
    flags: Callable[[int], int] = lambda size: 1
    of_records: bool = False
    rule: int | None = None

    @property
    def field(self) -> str:
        """The name of its field."""
        return self.name.replace("-", "_")


ERROR_FIELDS = (
    ErrorField("error", "the packet is bad", 1, lambda error: 1),
    ErrorField("kind", "what its first error is, 0 without", KIND_WIDTH, lambda error: error.kind),
    ErrorField("offset", "where it begins, from the packet's start; all ones if further", None,
               lambda error: error.offset),
)
"""The fields of a packet's first error, bit 0 first."""

COUNTERS = {each.name: each for each in (
    Counter("code-points", "cp", "code points", lambda packet: len(packet.scalars), rule=0),
    Counter("utf16-units", "u16", "units of 16 bits that they take in UTF-16",
            lambda packet: sum(2 if scalar > 0xFFFF else 1 for scalar in packet.scalars),
            flags=lambda size: 2, rule=1),
    Counter("replacements", "repl", "ill-formed subparts",
            lambda packet: len(packet.replaced) - len(packet.well_formed), rule=2),
    Counter("bytes", "bytes", "bytes of the input", lambda packet: len(packet.data),
            flags=lambda size: size, rule=3),
    # A character below U+0080 is one unit in every encoding, and no such unit is a part of another character.
    Counter("ascii", "ascii", "characters of the input below U+0080",
            lambda packet: sum(scalar < 0x80 for scalar in packet.characters)),
    Counter("records", "rec", "records", lambda packet: len(packet.records), of_records=True, rule=4),
    Counter("bad-records", "bad", "records that are ill-formed", lambda packet: sum(packet.records), of_records=True,
            rule=5),
)}
"""The counters by their names, in the order in which pages and help list them."""


def possible_counters(records: int | None) -> tuple[str, ...]:
    """Names of the counters that a core with this value of ``records`` can have."""
    return tuple(name for name, counter in COUNTERS.items() if records is not None or not counter.of_records)
