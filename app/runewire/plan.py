"""Which core carries a line rate, in the worst case and for a text, by its clock and the cycle model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .datasheet import Entry
from .throughput import utf8_gigabytes_per_second

_CONTINUATIONS = bytes(range(0x80, 0xC0))


@dataclass(frozen=True)
class Option:
    """One core against the rate.

    `worst_bits` and `text_bits` are bits of UTF-8 a second at the entry's clock: with all packets of
    `worst_packet` bytes, the worst size there is, and for the text. `needed_mhz` is the clock that carries
    the rate in that worst case.
    """

    entry: Entry
    worst_packet: int
    worst_bits: float
    needed_mhz: float
    text_bits: float | None

    @property
    def device_share(self) -> float | None:
        """Share of the device's LUTs, 0 to 1; None for a device whose size is not known."""
        return self.entry.luts / self.entry.device_luts if self.entry.device_luts else None

    @property
    def latency_ns(self) -> float:
        """Nanoseconds from a packet's last input beat to its last output beat, at the entry's clock."""
        return 1000 * self.entry.latency_cycles / self.entry.clock_mhz


@dataclass(frozen=True)
class Plan:
    """What was asked for, and every core of that kind on the device, narrowest first."""

    rate: float
    packets: range
    options: tuple[Option, ...]

    @property
    def carrying(self) -> list[Option]:
        """Of each packing the smallest core that carries the rate in the worst case."""
        return _smallest(option for option in self.options if option.worst_bits >= self.rate)

    @property
    def carrying_text(self) -> list[Option]:
        """Of each packing the smallest core that carries the rate for the text."""
        return _smallest(option for option in self.options if (option.text_bits or 0) >= self.rate)

    @property
    def nearest(self) -> Option:
        """The core that carries most in the worst case."""
        return max(self.options, key=lambda option: option.worst_bits)


def _smallest(options: Iterable[Option]) -> list[Option]:
    found: dict[str | None, Option] = {}
    for option in options:
        known = found.setdefault(option.entry.packing, option)
        if option.entry.luts < known.entry.luts:
            found[option.entry.packing] = option
    return list(found.values())


def worst_packet(lanes: int, sizes: range) -> int:
    """The size among `sizes` (at least one byte, in steps of one) that fills `lanes` a beat worst.

    That is the smallest of them whose last beat holds one lane only, or the smallest of all. For the encoder
    it is the same of its scalars, which are one byte each in the worst text.
    """
    alone = sizes.start + (1 - sizes.start) % lanes
    candidates = [sizes.start, *([alone] if alone in sizes else [])]
    return min(candidates, key=lambda size: size / -(-size // lanes))


def plan(entries: Sequence[Entry], rate: float, packets: range, text: bytes | None = None) -> Plan:
    """Hold `entries`, of one core on one device, against `rate` bits of UTF-8 a second.

    `packets` are the sizes that packets may have, in bytes; `text` is cut into packets of the largest.
    """
    options = []
    pieces = [] if text is None else [text[i : i + packets[-1]] for i in range(0, len(text), packets[-1])]
    scalars = [len(piece.translate(None, _CONTINUATIONS)) for piece in pieces]
    for entry in entries:
        size = worst_packet(entry.lanes, packets)
        worst = 8e9 * utf8_gigabytes_per_second(entry, [size], [size])
        along = 8e9 * utf8_gigabytes_per_second(entry, list(map(len, pieces)), scalars) if pieces else None
        options.append(Option(entry, size, worst, entry.clock_mhz * rate / worst, along))
    options.sort(key=lambda option: (option.entry.lanes, option.entry.packing or ""))
    return Plan(rate, packets, tuple(options))
