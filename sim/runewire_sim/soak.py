"""Random cores, packets and stalls without end: the hardware against the golden model and CPython's codecs.

A soak is a row of rounds; the soak's seed and a round's number say all that happens in it. Many rounds go through one
core, as a wide one takes long to build, and some cores take turns, so that several processes build one each. A soak by
pairs has an end: a round for each of `pairs`.
"""

import codecs
import contextlib
import hashlib
import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from runewire_model import ENCODINGS, Encoding, ParameterError, TranscoderParameters, __version__
from runewire_model import parameters as model_parameters
from runewire_model.report import CARRIED, COUNTERS, OF_RECORDS, REPORT_PORTS, REPORTS, Sidebands
from runewire_model.texts import SCRIPTS, generate
from runewire_model.transcoder import (
    BOMS,
    CORES,
    ERRORS,
    FAMILIES,
    PACKINGS,
    PIPELINES,
    TRANSCODER,
    core_words,
    option_text,
    widths,
)
from runewire_rtl import top_name

from . import verilator
from .all_pairs import SOON_RUN, pair_packets, pair_stalls, pairs
from .block_packets import blocks, weave
from .design import VerilogDesign, generated, generator
from .results import Chunk, PacketEnd
from .scoreboard import Report, compare
from .stalls import Stalls
from .stimuli import damaged, random_packets

__all__ = [
    "Played",
    "Round",
    "SoakFailure",
    "SoakRecord",
    "Wrong",
    "check",
    "core_number",
    "core_of",
    "enter",
    "held",
    "pair_round",
    "play",
    "reference",
    "retry",
    "round_of",
    "shrink",
    "soak_round",
]

LEG = 16
"""Rounds with one core: together they take longer than it takes to build."""
ABREAST = 4
"""Cores that take turns."""
CYCLES = 2_500_000
"""Cycles of a round, at most."""
BYTES = 64_000_000
"""Bytes of a round, at most, all of which are in memory."""
LONGEST = 16_000_000
"""Bytes of a packet, at most: of a decoder's all is in memory several times, as code points."""
PACKETS = 10_000
"""Packets of a round, about, at most: a short one takes Python longer than the simulator."""
FAULTS = 400_000
"""Ill-formed subparts of a round, about, at most: one takes CPython as long as a beat or more takes the simulator."""
CONTENT = 1 << 19
"""Bytes of text that differ: a longer round has its blocks again, in other places."""
BLOCK = 4096
"""Units of a block, at most."""
TRIES = 600
"""Simulations that the search for a smaller failure takes, at most."""
PATIENCE = 120.0
"""Seconds that it takes, at most."""


@dataclass(frozen=True)
class Round:
    """What a round sends through which core."""

    parameters: TranscoderParameters
    packets: list[bytes]
    stalls: Stalls


def round_of(seed: int, number: int) -> Round:
    """Round ``number`` of the soak with that seed: the same on every machine."""
    parameters = core_of(seed, number)
    random = Random(f"round {seed} {number}")
    # `runewire simulate` has one probability for both sides, and must be able to replay this.
    probability = random.choice((0.0, 0.0, 0.05, 0.3, 0.6, round(random.uniform(0.0, 0.95), 3)))
    stalls = Stalls(probability, probability, random.getrandbits(32))
    return Round(parameters, _packets(parameters, random, probability), stalls)


def core_of(seed: int, number: int) -> TranscoderParameters:
    """The core of round ``number`` of the soak with that seed."""
    return _parameters(Random(f"core {seed} {core_number(number)}"))


def core_number(number: int) -> int:
    """The number, from 0, of the core of round ``number``."""
    return number // (LEG * ABREAST) * ABREAST + number % ABREAST


def pair_round(seed: int, number: int) -> Round:
    """Round ``number`` of the soak by pairs with that seed, likewise."""
    parameters = pairs()[number]
    return Round(parameters, pair_packets(parameters, seed), pair_stalls(parameters, seed))


def _parameters(random: Random) -> TranscoderParameters:
    # Half of the cores are those with names of their own.
    core = random.choice((*CORES, *(TRANSCODER for _ in CORES)))
    if core == TRANSCODER:
        return _pair(random)
    choices: dict[str, Sequence[Any]] = {
        "errors": ERRORS, "replacement": (None, 0x3F, 0x00, 0x7F), "bom": BOMS, "packing": PACKINGS,
        "pipeline": PIPELINES, "family": FAMILIES}
    options: dict[str, Any] = {}
    for option in CORES[core].options:
        tried = {**options, option: random.choice(choices[option])} if option in choices else options
        # One that has no meaning with those before it is left out.
        with contextlib.suppress(ParameterError):
            model_parameters(core, **tried)
            options = tried
    possible = []
    for lanes in widths(core, **options):
        # In a narrow core a mark that is added takes room, and then the core lacks another option.
        with contextlib.suppress(ParameterError):
            possible.append(model_parameters(core, **options, lanes=lanes).lanes)
    options["lanes"] = random.choice(possible)
    if random.random() < 0.5:
        options |= _sidebands(random, core == "validator")
    return model_parameters(core, **options)


def _pair(random: Random) -> TranscoderParameters:
    """A core of any two encodings, or one that checks any, of any width and with any options that it has."""
    source, target = random.choice(tuple(ENCODINGS)), random.choice((*ENCODINGS, None))
    parameters = TranscoderParameters(source, target, 1)
    choices: dict[str, Sequence[Any]] = {
        "errors": ERRORS, "replacement": (None, 0x3F, 0x00, 0x7F), "bom": BOMS, "packing": PACKINGS,
        "pipeline": PIPELINES, "family": FAMILIES, "lanes": [1 << n for n in range(parameters.most_lanes.bit_length())]}
    for option, values in choices.items():
        # With one option a core may get, or lose, another; and of some it has not every value.
        with contextlib.suppress(ParameterError):
            parameters = replace(parameters, **{option: random.choice(values)})
    if random.random() < 0.5:
        of_records = target is None and parameters.reads.unit_bytes == 1
        parameters = replace(parameters, sidebands=Sidebands(**_sidebands(random, of_records)))
    return parameters


def _sidebands(random: Random, of_records: bool) -> dict[str, Any]:
    """Options of the ports that are not about text; those of records only where the core can have them."""
    records = random.choice((None, 0x0A, 0x00, 0x7F)) if of_records else None
    counters = [name for name in COUNTERS if records is not None or name not in OF_RECORDS]
    options: dict[str, Any] = {
        "report": random.choice(REPORTS), "offset_bits": random.choice((16, 32, 64)), "records": records,
        "count": tuple(random.sample(counters, random.randrange(len(counters) + 1))),
        **{name: random.choice((0, 1, 8, 64)) for name in CARRIED},
    }
    if options["report"] != "none" or options["count"]:
        options["report_port"] = random.choice(REPORT_PORTS)
    return options


def _packets(parameters: TranscoderParameters, random: Random, probability: float) -> list[bytes]:
    """Packets for some cycles: runs of the grammar's edges, or text or noise cut at random."""
    kind = random.choice(("edges", "text", "text", "text", "noise"))
    seed = random.getrandbits(32)
    if kind == "edges":
        longest = random.choice((8, 40, 4 * parameters.lanes))
        return list(random_packets(parameters, PACKETS, seed, longest))
    beat, unit = parameters.input_bytes, parameters.reads.unit_bytes
    rate = 0.5 if kind == "noise" else random.choice((0.0, 1 / 4096, 1 / 256, 1 / 24))
    size = min(int(CYCLES * (1 - probability)) * beat, BYTES)
    if rate:
        size = min(size, int(FAULTS / rate) * unit)
    most = min(size, LONGEST)
    longest = min(random.choice((2 * beat, 20 * beat, 1500, 1500, 1 << 16, most, most, most)), most)
    # A packet is half of the longest on average.
    size = min(size, PACKETS * longest // 2)
    # In another byte order than the usual one a packet has to begin with the mark.
    usual, order = parameters.reads.orders[0], random.choice(parameters.reads.orders)
    content = min(size, CONTENT)
    text = random.randbytes(content) if kind == "noise" else _text(order, random, rate, content)
    longest //= unit
    found = blocks(order, text, random, min(max(longest // 4, 64), BLOCK))
    return list(weave(order, found, random, size, longest, order is not usual))


def _text(encoding: Encoding, random: Random, rate: float, size: int) -> bytes:
    """About so many bytes of text in one of the scripts, or all, damaged at that rate."""
    script, seed = random.choice(SCRIPTS), random.getrandbits(32)
    text = generate(script, size, seed).decode().encode(encoding.name, "ignore")
    return damaged(encoding, text, rate, random)


MARKS = {
    "utf-8": {b"\xEF\xBB\xBF": "utf-8"}, "utf-16le": {b"\xFF\xFE": "utf-16le"}, "utf-16be": {b"\xFE\xFF": "utf-16be"},
    "utf-16": {b"\xFF\xFE": "utf-16le", b"\xFE\xFF": "utf-16be"}, "utf-32le": {b"\xFF\xFE\0\0": "utf-32le"},
    "utf-32be": {b"\0\0\xFE\xFF": "utf-32be"},
    "utf-32": {b"\xFF\xFE\0\0": "utf-32le", b"\0\0\xFE\xFF": "utf-32be"},
}
"""The byte order marks of each encoding that has some, and CPython's codec for what begins with one."""


def codec(encoding: str, packet: bytes) -> tuple[str, bytes]:
    """CPython's codec for a packet of an encoding, big-endian where nothing tells the order, and the packet's mark."""
    # CPython's codecs of the names without an order leave the mark out, and take this machine's order without one.
    usual = f"{encoding}be" if encoding in ("utf-16", "utf-32") else encoding
    told = ((name, mark) for mark, name in MARKS.get(encoding, {}).items() if packet.startswith(mark))
    return next(told, (usual, b""))


def reference(parameters: TranscoderParameters, packet: bytes) -> tuple[bytes, int | None]:
    """What CPython's codecs make of a packet: the output, and the offset of the first error or None."""
    (source, mark), unit = codec(parameters.source, packet), parameters.reads.unit_bytes
    sound, wrong = _sound(source, packet)
    offset = None if wrong is None else wrong // unit
    if parameters.target is None:
        return packet, offset
    handler = _handler(parameters)
    text = _marked(parameters, mark, sound if wrong is None else packet.decode(source, handler))
    target, _ = codec(parameters.target, b"")
    stripped = parameters.bom == "strip" and bool(mark)
    kept = sound[stripped:]
    try:
        output = kept.encode(target)
    except UnicodeEncodeError as error:
        offset = len(sound[: stripped + error.start].encode(source)) // unit
        return text.encode(target, handler), offset
    return output if text == kept else text.encode(target, handler), offset


def _sound(source: str, packet: bytes) -> tuple[str, int | None]:
    """The text of a packet before its first error, and the offset of that in bytes, None where there is none."""
    try:
        return packet.decode(source), None
    except UnicodeDecodeError as error:
        return packet[: error.start].decode(source), error.start


def _marked(parameters: TranscoderParameters, mark: bytes, text: str) -> str:
    """The text with its mark kept, left out or added, where the packet begins with ``mark``."""
    # Only a byte order mark in the bytes is one: U+FEFF comes from nothing else.
    if parameters.bom == "strip" and mark:
        return text[1:]
    return f"\N{BOM}{text}" if parameters.bom == "add" and not mark else text


def _handler(parameters: TranscoderParameters) -> str:
    """The name of CPython's way with what is ill-formed, or does not fit."""
    byte = parameters.replacement
    if parameters.errors == "drop" or byte is None:
        return "replace" if parameters.errors == "replace" else "ignore"
    name = f"runewire-{byte:02X}"

    def stand_in(error: UnicodeError) -> tuple[str, int]:
        if isinstance(error, UnicodeEncodeError):
            return chr(byte) * (error.end - error.start), error.end
        assert isinstance(error, UnicodeDecodeError)
        return chr(byte), error.end

    codecs.register_error(name, stand_in)
    return name


def reference_beside(parameters: TranscoderParameters, packet: bytes) -> tuple[dict[str, int], tuple[bool, ...]]:
    """What CPython makes of a packet's counters, those that the core has, and of its records."""
    sidebands = parameters.sidebands
    source, mark = codec(parameters.source, packet)
    records: list[bool] = []
    if sidebands.records is not None:
        *whole, rest = packet.split(bytes([sidebands.records]))
        records = [_sound(source, record)[1] is not None for record in (*whole, *([rest] if rest else []))]
    if not sidebands.count:
        return {}, tuple(records)
    text, wrong = _sound(source, packet)
    dropped = text
    if wrong is not None:
        text, dropped = packet.decode(source, "replace"), packet.decode(source, "ignore")
    kept = text if parameters.errors == "replace" else dropped
    kept = _marked(parameters, mark, kept)
    counts = {
        "code-points": len(kept), "utf16-units": len(kept.encode("utf-16-le")) // 2, "bytes": len(packet),
        "replacements": len(text) - len(dropped), "records": len(records), "bad-records": sum(records),
    }
    return {name.replace("-", "_"): counts[name] for name in sidebands.count}, tuple(records)


class _Peer:
    """Holds what the hardware sends against CPython, packet by packet."""

    def __init__(self, parameters: TranscoderParameters, packets: Sequence[bytes]) -> None:
        self.difference: int | None = None
        """The first packet that differs."""
        self._parameters = parameters
        self._packets = packets
        self._number = 0
        self._parts: list[bytes] = []
        self._records: list[bool] = []

    def __call__(self, chunk: Chunk) -> None:
        self._parts.append(chunk.output)
        self._records += chunk.records
        if chunk.end is None:
            return
        known = self._number < len(self._packets)
        if self.difference is None and known and not self._agrees(self._packets[self._number], chunk.end):
            self.difference = self._number
        self._number += 1
        self._parts.clear()
        self._records.clear()

    def _agrees(self, packet: bytes, end: PacketEnd) -> bool:
        sidebands = self._parameters.sidebands
        try:
            told = end.told(sidebands)
        except ValueError:
            return False
        output, offset = reference(self._parameters, packet)
        counts, records = reference_beside(self._parameters, packet)
        most = (1 << sidebands.offset_bits) - 1
        wanted = None if offset is None else min(offset, most)
        if sidebands.report != "full":
            right = sidebands.report == "none" or offset is None or told.bad
        else:
            right = wanted == (None if told.error is None else told.error.offset)
        return (right and b"".join(self._parts) == output and tuple(self._records) == records
                and told.counts == {name: min(count, most) for name, count in counts.items()})


@dataclass(frozen=True)
class Wrong:
    """What is wrong, in one line, as first seen with packet number ``packet``."""

    packet: int
    what: str


def check(design: VerilogDesign, packets: Sequence[bytes], stalls: Stalls,
          on_packet: Callable[[Report], None] | None = None, quick: bool | None = None,
          ) -> tuple[Report, Wrong | None]:
    """Send the packets through the hardware, and hold what comes against the golden model and CPython.

    ``quick`` as for `verilator.build`. Raises MissingToolError and SimulationError.
    """
    peer = _Peer(design.parameters, packets)
    broken: list[Wrong] = []

    def watch(report: Report) -> None:
        if report.protocol_errors and not broken:
            broken.append(Wrong(report.packets - 1, report.protocol_errors[0]))
        if on_packet is not None:
            on_packet(report)

    with verilator.run(design, packets, stalls, quick=quick) as run:
        report = compare(design.parameters, packets, run, on_chunk=peer, on_packet=watch)
    difference = report.first_difference
    if difference is not None:
        return report, Wrong(difference.packet, f"packet {difference.packet}: {difference.what}")
    if report.protocol_errors:
        # After the last packet nothing is seen but the message.
        return report, broken[0] if broken else Wrong(len(packets) - 1, report.protocol_errors[0])
    if peer.difference is not None:
        what = f"packet {peer.difference}: hardware and golden model agree, CPython does not"
        return report, Wrong(peer.difference, what)
    return report, None


Fails = Callable[[list[bytes]], bool]


def shrink(packets: list[bytes], fails: Fails, encoding: Encoding) -> list[bytes]:
    """The packets made fewer, then shorter, then plainer, as long as they fail: the last that ``fails`` says so of.

    ``packets`` do fail. ``encoding``: that of the packets. Of the result no packet and no unit can be left out, and
    none made an ``a``.
    """
    while True:
        before = packets
        packets = _fewer(packets, fails)
        for index in range(len(packets)):
            packets = _plainer(packets, index, fails, encoding)
        if packets == before:
            return packets


def _plainer(packets: list[bytes], index: int, fails: Fails, encoding: Encoding) -> list[bytes]:
    """The packets with one of them shortened, and its units replaced by ``a``, as far as they fail."""
    def put(items: list[bytes]) -> list[bytes]:
        return [*packets[:index], b"".join(items), *packets[index + 1 :]]

    packet = packets[index]
    unit, plain = encoding.unit_bytes, encoding.encode([ord("a")])
    items = _fewer([packet[at : at + unit] for at in range(0, len(packet), unit)], lambda items: fails(put(items)))
    for at, item in enumerate(items):
        plainer = [*items[:at], plain, *items[at + 1 :]]
        if item != plain and fails(put(plainer)):
            items = plainer
    return put(items)


def _fewer(items: list[bytes], fails: Fails) -> list[bytes]:
    """As few of the items as still fail: halves are left out, then quarters, down to single ones."""
    size = len(items)
    while size:
        start = 0
        while start < len(items):
            fewer = items[:start] + items[start + size :]
            if fails(fewer):
                items = fewer
            else:
                start += size
        size //= 2
    return items


@dataclass(frozen=True)
class SoakFailure:
    """A failed round: what is wrong in its smallest form, the file of its packets, the command that replays it."""

    round: int
    what: str
    file: str
    command: str


@dataclass
class Configuration:
    """What went through one core. ``verilog``: the first 16 digits of its file's SHA-256. ``generator``: a name for
    what wrote that file last, empty where that is not known."""

    verilog: str
    packets: int = 0
    bytes: int = 0
    generator: str = ""

    @property
    def present(self) -> bool:
        """Whether it is surely the core that is generated now."""
        return self.generator == generator()


@dataclass
class SoakRecord:
    """All that a soak has done, to be gone on with. ``rounds`` is the number of the next round, ``version`` that of
    runewire whose cores these are. ``pairs``: it is a soak by pairs. ``cycles``, ``seconds``: of all rounds, also of
    those that were done anew as their core had changed."""

    seed: int = 0
    rounds: int = 0
    packets: int = 0
    bytes: int = 0
    cycles: int = 0
    seconds: float = 0.0
    configurations: dict[str, Configuration] = field(default_factory=dict)
    failures: list[SoakFailure] = field(default_factory=list)
    version: str = __version__
    pairs: bool = False

    @property
    def total(self) -> int | None:
        """Rounds that there are; None where there is no end."""
        return len(pairs()) if self.pairs else None

    @property
    def sent(self) -> dict[str, str]:
        """The Verilog of each core that packets went through, by its name."""
        return {top: entry.verilog for top, entry in self.configurations.items() if entry.packets}

    def json(self) -> str:
        """The record as a text that `of` reads."""
        return json.dumps({**asdict(self), "seconds": round(self.seconds, 3)}, indent=1) + "\n"

    @classmethod
    def of(cls, text: str) -> "SoakRecord":
        """The record that `json` wrote; raises ValueError for another text."""
        try:
            values = json.loads(text)
            values["configurations"] = {top: Configuration(**c) for top, c in values["configurations"].items()}
            values["failures"] = [SoakFailure(**failure) for failure in values["failures"]]
            record = cls(**values)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("it is no record of a soak") from None
        return record


@dataclass(frozen=True)
class Played:
    """What came of round ``number``: how much went through the core ``top``, whose ``verilog`` is as a `Configuration`
    has it, and what was ``wrong``. Nothing went through where the round was not needed."""

    number: int
    top: str
    verilog: str
    packets: int = 0
    bytes: int = 0
    cycles: int = 0
    wrong: Wrong | None = None
    seconds: float = 0.0


def soak_round(
    record: SoakRecord, folder: Path, watch: Callable[[Round], Callable[[Report], None]] | None = None,
) -> SoakFailure | None:
    """Do the record's next round and enter it there; a failure is shrunk, and saved in ``folder``.

    ``watch`` is told the round, and gives what is told its packets. A round that an exception breaks off,
    KeyboardInterrupt too, is not entered; but a failure is, as small as it is by then. By pairs a round that the record
    has is not done again, unless its core has changed since. Of random cores, raises ValueError when the core is
    another than the record has under that name. Also raises OSError, and what `check` raises.
    """
    return enter(record, play(record.seed, record.rounds, record.pairs, record.sent, watch), folder)


def play(
    seed: int, number: int, by_pairs: bool, sent: Mapping[str, str],
    watch: Callable[[Round], Callable[[Report], None]] | None = None,
) -> Played:
    """Do a round; ``sent`` and the rest are those of the record, in which `enter` enters it.

    ``watch`` is that of `soak_round`. Raises OSError, and what `check` raises.
    """
    began = time.monotonic()
    this = _round(seed, number, by_pairs)
    on_packet = None if watch is None else watch(this)
    design = generated(this.parameters)
    verilog = hashlib.sha256(design.verilog.read_bytes()).hexdigest()[:16]
    known = sent.get(design.top)
    if known is not None and (known == verilog) == by_pairs:
        return Played(number, design.top, verilog)
    soon_run = by_pairs and this.parameters.lanes >= SOON_RUN
    report, wrong = check(design, this.packets, this.stalls, on_packet, soon_run or None)
    cycles = report.stats.cycles if report.stats is not None else 0
    return Played(number, design.top, verilog, report.packets, report.bytes_in, cycles, wrong,
                  time.monotonic() - began)


def held(record: SoakRecord, number: int) -> Played | None:
    """What `play` would say of a round by pairs that the record has, where its core is surely the present one."""
    if not record.pairs:
        return None
    top = top_name(pairs()[number])
    entry = record.configurations.get(top)
    return Played(number, top, entry.verilog) if entry is not None and entry.packets and entry.present else None


def _round(seed: int, number: int, by_pairs: bool) -> Round:
    return (pair_round if by_pairs else round_of)(seed, number)


def enter(record: SoakRecord, played: Played, folder: Path) -> SoakFailure | None:
    """Enter the record's next round there; the rest is as `soak_round` has it."""
    began = time.monotonic()
    number = played.number
    entry = record.configurations.get(played.top, Configuration(played.verilog))
    if record.pairs and entry.verilog == played.verilog and entry.packets:
        record.rounds += 1
        entry.generator = generator()
        return None
    if entry.verilog != played.verilog:
        if not record.pairs:
            raise ValueError(f"the core {played.top} has changed since the record was begun: begin another")
        record.packets -= entry.packets
        record.bytes -= entry.bytes
        record.failures = [failure for failure in record.failures if failure.round != number]
        entry = Configuration(played.verilog)

    record.rounds += 1
    record.packets += played.packets
    record.bytes += played.bytes
    record.cycles += played.cycles
    record.seconds += played.seconds
    entry.packets += played.packets
    entry.bytes += played.bytes
    entry.generator = generator()
    record.configurations[played.top] = entry
    if played.wrong is None:
        _pass_over(record)
        return None
    this = _round(record.seed, number, record.pairs)
    search = _Search(generated(this.parameters), this, played.wrong)
    try:
        search.run()
    finally:
        failure = search.save(number, folder / f"soak-{record.seed}-{number}.hex")
        record.failures.append(failure)
        _pass_over(record)
        record.seconds += time.monotonic() - began
    return failure


def retry(record: SoakRecord) -> None:
    """Do the rounds of the record's failures again, and forget those that agree now, as where a simulator was mended:
    what went through the same Verilog is counted already. Raises OSError, and what `check` raises."""
    for failure in [*record.failures]:
        played = play(record.seed, failure.round, record.pairs, {})
        if played.wrong is None and played.verilog == record.configurations[played.top].verilog:
            record.failures.remove(failure)


def _pass_over(record: SoakRecord) -> None:
    """Leave out the next rounds of cores that have failed: they would fail alike."""
    if not record.pairs:
        failed = {core_number(failure.round) for failure in record.failures}
        while core_number(record.rounds) in failed:
            record.rounds += 1


class _Search:
    """Looks for the smallest form of a failure: fewest packets, and no stalls if it fails without."""

    def __init__(self, design: VerilogDesign, this: Round, wrong: Wrong) -> None:
        self._design = design
        self._stalls = (Stalls(seed=this.stalls.seed), this.stalls)
        self._tries = TRIES
        self._until = time.monotonic() + PATIENCE
        self.packets = this.packets
        self.stalls = this.stalls
        self.wrong = wrong

    def run(self) -> None:
        """Find it; ``packets``, ``stalls`` and ``wrong`` are the smallest so far at any time."""
        end = self.wrong.packet + 1
        size = 1
        while not any(self._fails(self.packets[max(0, end - size) : end], stalls) for stalls in self._stalls):
            if size >= end:
                break
            size *= 2
        stalls = self.stalls
        shrink(self.packets, lambda packets: self._fails(packets, stalls), self._design.parameters.reads)

    def _fails(self, packets: list[bytes], stalls: Stalls) -> bool:
        if not self._tries or time.monotonic() > self._until:
            return False
        self._tries -= 1
        wrong = check(self._design, packets, stalls)[1]
        if wrong is None:
            return False
        self.packets, self.stalls, self.wrong = packets, stalls, wrong
        return True

    def save(self, number: int, file: Path) -> SoakFailure:
        """Write the packets to ``file``."""
        file.write_text("".join(f"{packet.hex()}\n" for packet in self.packets))
        parameters = self._design.parameters
        options: dict[str, Any] = {**parameters.options, "packets": file, "seed": self.stalls.seed}
        if self.stalls.source:
            options["stall"] = self.stalls.source
        words = [word for name, value in options.items()
                 for word in (f"--{name.replace('_', '-')}", option_text(name, value))]
        command = shlex.join(["runewire", "simulate", *core_words(parameters), *words])
        return SoakFailure(number, self.wrong.what, str(file), command)
