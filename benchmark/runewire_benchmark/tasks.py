"""Benchmark jobs: each is one entry here, and its peers are listed in `peer_registry`."""

from collections.abc import Sequence
from dataclasses import dataclass

from runewire_model import ENCODINGS, TranscoderParameters

from .datasheet import Entry
from .throughput import counted_in

Job = str
"""Name of a job: a key of `TASKS`."""


@dataclass(frozen=True)
class Published:
    """simdutf's published rate on one thread, in 10^9 bytes a second, on text like the built-in ones; and the
    source."""

    rate: float
    where: str


@dataclass(frozen=True)
class Task:
    """A job: from packets of ``source`` to packets of ``target``, or to a verdict on each if ``target`` is None.

    ``title``: its name for readers. ``short``: its name above a narrow column.
    ``stand_in``: the core whose clock is shown if the datasheet has none of these encodings: one that sorts as many
    places, or checks as many bytes.
    ``published``: the rate to compare with if no libsimdutf was available and no other peer uses simdutf's algorithm.
    """

    title: str
    short: str
    source: str
    target: str | None
    stand_in: str
    published: Published | None = None

    @property
    def rate(self) -> str:
        """Unit of its rates, which names the counted bytes."""
        return f"GB/s of {self.counted.upper()}"

    @property
    def counted(self) -> str:
        """The encoding whose bytes are counted: UTF-8 if it is on either side, otherwise the source."""
        return counted_in(self._core(1))

    def weighed(self, packets: Sequence[bytes]) -> list[int]:
        """Counted bytes of source packets."""
        if self.counted == self.source:
            return list(map(len, packets))
        return [len(packet.decode(self.source, "replace").encode(self.counted)) for packet in packets]

    def _core(self, lanes: int, packing: str = "dense") -> TranscoderParameters:
        return TranscoderParameters(self.source, self.target, lanes, packing=packing)

    def answer(self, packets: Sequence[bytes]) -> int:
        """The answer that each peer must give for source packets, by CPython's codecs: the number of well-formed
        packets, or of target units."""
        if self.target is None:
            return sum(_well_formed(packet, self.source) for packet in packets)
        target = ENCODINGS[self.target]
        return sum(target.units(len(packet.decode(self.source, "replace").encode(self.target))) for packet in packets)

    def said(self, answer: int, packets: int) -> str:
        """An answer in words."""
        if self.target is None:
            return "well-formed" if answer == packets else "ill-formed"
        unit = ENCODINGS[self.target].unit
        return f"{answer} {'code point' if unit == 'scalar' else unit}s"

    def cores(self, entries: Sequence[Entry]) -> list[Entry]:
        """The datasheet's ``entries`` of cores that do it; their stand-ins if there are none."""
        own = [entry for entry in entries
               if (entry.parameters.source, entry.parameters.target) == (self.source, self.target)]
        if own:
            return own
        found = (self._by(entry) for entry in entries if entry.core == self.stand_in)
        return [entry for entry in found if entry is not None]

    def _by(self, entry: Entry) -> Entry | None:
        """A core of these encodings with the figures of its stand-in ``entry``; None if no width matches."""
        one = self._core(1)
        packing = entry.packing or "dense"
        if packing != "dense" and "packing" not in one.options:
            return None
        lanes = _size(entry.parameters) // _size(one)
        if not 1 <= lanes <= one.most_lanes:
            return None
        core = TranscoderParameters(self.source, self.target, lanes, packing=packing, pipeline=entry.pipeline)
        return Entry(core, entry.target, entry.device, entry.device_luts, entry.speed, entry.fmax_mhz, entry.clock_mhz,
                     entry.luts, entry.ffs, entry.latency_cycles, entry.tool_versions,
                     unknown_limits=entry.unknown_limits, stand_in=entry.name)


LACKING = 1 / 50
"""Largest share of characters that may be left out because an encoding lacks them; beyond it the text is another."""


def converted(packets: Sequence[bytes], encoding: str) -> list[bytes] | None:
    """Packets of UTF-8 in another encoding, without the characters that it lacks.

    In UTF-16 an unpaired surrogate replaces each ill-formed byte. None if another encoding would have to hold
    ill-formed text, or lacks more than `LACKING` of the characters.
    """
    if encoding == "utf-8":
        return list(packets)
    if encoding == "utf-16le":
        return [packet.decode("utf-8", "surrogateescape").encode(encoding, "surrogatepass") for packet in packets]
    try:
        texts = [packet.decode() for packet in packets]
    except UnicodeDecodeError:
        return None
    found = [text.encode(encoding, "ignore") for text in texts]
    kept = sum(len(packet.decode(encoding)) for packet in found)
    return found if kept >= (1 - LACKING) * sum(map(len, texts)) else None


def _size(core: TranscoderParameters) -> int:
    """Places that are sorted, or bytes that are checked, per cycle; the clock depends on it most."""
    return core.input_bytes if core.target is None else core.lanes * core.slots


def _well_formed(packet: bytes, encoding: str) -> bool:
    try:
        packet.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


TASKS: dict[Job, Task] = {
    "decode": Task("Decoding to code points", "decode", "utf-8", "utf-32le", "decoder"),
    "utf-8 to utf-16le": Task("UTF-8 to UTF-16LE, if well-formed", "to 16", "utf-8", "utf-16le", "decoder"),
    "utf-8 to utf-16le, replacing": Task(
        "UTF-8 to UTF-16LE, with replacement", "to 16 �", "utf-8", "utf-16le", "decoder"),
    "utf-16le to utf-8": Task("UTF-16LE to UTF-8, if well-formed", "16 to 8", "utf-16le", "utf-8", "encoder"),
    "utf-16le to utf-8, replacing": Task(
        "UTF-16LE to UTF-8, with replacement", "16 to 8 �", "utf-16le", "utf-8", "encoder"),
    "latin-1 to utf-8": Task("Latin-1 to UTF-8", "L1 to 8", "latin-1", "utf-8", "decoder"),
    "validate": Task("Checking only", "check", "utf-8", None, "validator"),
    "check utf-16le": Task("Checking UTF-16LE", "check 16", "utf-16le", None, "validator",
                           Published(130.3, "simdutf's pull request 873, AVX-512, characters of one unit; 23.5 GB/s "
                                            "with surrogate pairs")),
    "check utf-32le": Task("Checking UTF-32LE", "check 32", "utf-32le", None, "validator",
                           Published(122.0, "simdutf's pull request 872, AVX-512")),
    "encode": Task("Encoding", "encode", "utf-32le", "utf-8", "encoder"),
}
JOBS: tuple[Job, ...] = tuple(TASKS)
RATE = "GB/s of UTF-8 (checks: of input)"
"""Unit of a column with rates of several jobs; it agrees with each `Task.rate`."""


def short(peer: str, job: Job) -> str:
    """A peer's name without its job, where the job is evident."""
    return peer.removesuffix(f" {job}")
