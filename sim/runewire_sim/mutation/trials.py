"""Trials of mutants: packets, stalls and resets with the expected results; a mutant is killed by a deviation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

from runewire_model import FirstError, Flow, TranscoderParameters, ValidatorParameters
from runewire_model.filtering import Reject
from runewire_model.records import BadRecord
from runewire_model.texts import generate
from runewire_model.timeline import PacketCycles
from runewire_rtl import describe

from .. import verilator
from ..design import VerilogDesign
from ..golden_segment import golden_of
from ..rejects import rejected_record
from ..results import RejectedRecord, Run
from ..scoreboard import expected_packets
from ..sidebands import Ending, ending, sent_sidebands
from ..stalls import NO_STALLS, Stalls
from ..stimuli import damaged, random_packets, with_records
from .netlist import CARRY, PERIOD, jumps
from .record_trials import counted_records, delimiter_of, long_records, text_of
from .segment_trials import (
    LONG,
    MOST_AROUND,
    SHARE,
    around,
    byte_by_byte,
    in_beats,
    in_few_flows,
    in_segments,
    long_texts,
    whole_texts,
)
from .trial_cycles import expected_cycles

KILLS = {
    "output": "other bytes, or a packet more or less",
    "report": "another report or record flag",
    "protocol": "a rule of the ports broken",
    "cycles": "a beat in another cycle than the model of cycles has it",
    "hang": "no beat moves any more",
}
"""Kinds of deviation."""
NOISE = 40
"""Cycles of noise before a reset."""
NULL_BYTES = {"null bytes": Stalls(holes=0.3), "few null bytes, pauses": Stalls(0.1, 0.2, holes=0.05),
              "mostly null bytes, waits": Stalls(0.2, 0.4, holes=0.9)}
"""Trials of cores that take null bytes anywhere, with their stalls."""
RECORDS = {"one stream waits": Stalls(0, 0, rejects=0.9, records=0.9),
           "the output waits": Stalls(0, 0.9, rejects=0.0, records=0.0),
           "both wait": Stalls(0, 0.7, rejects=0.8, records=0.95)}
"""Trials of cores with records, with their stalls: of the output, and of the stream of rejects or the record report."""


@dataclass(frozen=True)
class ExpectedPacket:
    """The expected results of an output packet. ``marks``: a record flag for each byte, if the core has records.
    ``bad_records``: of a record report."""

    output: bytes
    end: Ending
    cycles: PacketCycles
    marks: bytes = b""
    bad_records: tuple[BadRecord, ...] = ()


@dataclass(frozen=True)
class Trial:
    """Packets under stalls, and their expected results. ``plus``: arguments for the Verilog. ``rejects``: the records
    that a filter rejects."""

    name: str
    packets: list[bytes]
    stalls: Stalls
    plus: tuple[str, ...]
    expected: list[ExpectedPacket]
    rejects: list[RejectedRecord] = field(default_factory=list)


def _trial(
    name: str, parameters: TranscoderParameters, packets: list[bytes], stalls: Stalls = NO_STALLS, *plus: str,
    far: Sequence[int] = (),
) -> Trial:
    """A trial of these packets. ``far``: for each packet, units that the core's offset is greater than the model's."""
    sidebands, flows = parameters.sidebands, defaultdict[int, Flow](lambda: Flow(parameters))
    packets = whole_texts(parameters, packets)
    cycles, limit = expected_cycles(parameters, packets, stalls)
    expected: list[ExpectedPacket] = []
    for packet, sent, _ in expected_packets(parameters, packets):
        golden = golden_of(parameters, packet, sent, flows)
        output = b"".join(golden.output())
        end = ending(sidebands, _farther(golden.error, far, len(expected)), golden.counts, sent, golden.tail)
        # As the stream has them: numbers that do not fit are all ones.
        bad = tuple(sidebands.unpack_record(sidebands.pack_record(0, record))[1] for record in golden.bad_records)
        expected.append(ExpectedPacket(output, end, cycles[len(expected)], bytes(golden.marks), bad))
    rejects = [rejected_record(sidebands, record._replace(error=_farther(record.error, far, number)),
                               sent_sidebands(sidebands, number))
               for number, packet in enumerate(packets) for record in _rejects(parameters, packet)]
    return Trial(name, packets, stalls, (f"+limit={limit}", *plus), expected, rejects)


def _farther(error: FirstError | None, far: Sequence[int], number: int) -> FirstError | None:
    """The error of a packet, its offset greater by the packet's number in ``far``."""
    return replace(error, offset=error.offset + far[number]) if error is not None and far else error


def _rejects(parameters: TranscoderParameters, packet: bytes) -> Sequence[Reject]:
    """The records of a packet that leave on a stream of their own."""
    return parameters.rejects(packet) if parameters.sidebands.rejects else ()


def core_trials(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
    """The trials of a core, the most effective for their time first."""
    lanes = parameters.lanes
    # The noise begins once the core has started.
    dirty = describe(parameters)["start_cycles"] + NOISE

    def random(name: str, number: int, packets: int, longest: int, source: float, sink: float, *plus: str) -> Trial:
        stalls = Stalls(source, sink, 1000 * seed + number)
        chosen = list(_random(parameters, packets, stalls.seed, longest * lanes))
        if any(argument.startswith("+dirty") for argument in plus):
            chosen = in_few_flows(parameters, chosen)
        return _trial(name, parameters, chosen, stalls, *plus)

    yield random("flowing", 0, 1000, 6, 0, 0)
    if delimiter_of(parameters) is not None:
        yield from _records(parameters, seed)
    if parameters.holes:
        yield from _null_bytes(parameters, seed)
    if parameters.sidebands.flows is not None:
        yield from _segments(parameters, seed)
    if _wrong(parameters):
        yield _trial("one error", parameters, list(_one_error(parameters)))
    yield random("pauses", 1, 1000, 6, 0.3, 0.35)
    yield random("waits", 2, 1000, 6, 0, 0.8)
    yield random("gaps", 3, 300, 6, 0.85, 0)
    yield from _far(parameters, NO_STALLS)
    if parameters.sidebands.flows is not None:
        yield from _long_segments(parameters, seed)
    # Like an FPGA after configuration: all initial values of a netlist with mutants are 0.
    yield random("no reset", 5, 20, 4, 0.1, 0.2, "+held=0", "+zero=1")
    for number in range(20):
        yield random("reset amid packets", 100 + number, 20, 4, 0.1, 0.2, f"+dirty={dirty - number % 2 * 9}",
                     f"+held={1 + number // 2}")
    yield from _far(parameters, Stalls(0.4, 0.3, seed))
    for number, (source, sink) in enumerate(product((0, 0.1, 0.3, 0.6, 0.9), (0, 0.1, 0.3, 0.6, 0.9, 0.97))):
        yield random("all stalls", 200 + number, 3000 if sink < 0.9 else 600, 4, source, sink)
    yield _trial("long packets", parameters, list(_long(parameters, seed)), Stalls(0.05, 0.1, seed))
    for number in range(20):
        yield random("reset of full rows", 300 + number, 20, 4, 0.1, 0.97, f"+dirty={dirty - number % 2 * 9}")
    # A fault that needs a gap inside a sequence across a carry takes several attempts.
    for number in range(12):
        yield from _far(parameters, Stalls(0.4, 0.3, 100 * seed + number))
    # A write too much shows only in a waiting row: in a buffer without a free row.
    text = text_of(parameters)
    full = chr(min(ord("😀"), text.greatest)) if text.most_units == 1 else "a"
    for number in range(12):
        yield from _far(parameters, Stalls(0, 0.6 + number % 4 / 10, 200 * seed + number), full)
    # The buffer runs empty, then full: a row lost in the first phase is missing in the second.
    for number in range(12):
        yield random("empty, then full", 400 + number, 600, 4, 0.9, 0.94 + number % 2 / 100)
    yield from _full_streams(parameters, seed, dirty)
    for packets in counted_records(parameters):
        yield _trial("counters of records", parameters, packets, Stalls(records=0.0))


def _random(parameters: TranscoderParameters, count: int, seed: int, longest: int) -> Iterator[bytes]:
    """Random packets; of a core with records they have delimiters, and the filter's are text. Of a core with flows they
    are segments."""
    if parameters.sidebands.flows is None:
        return _texts(parameters, count, seed, longest)
    return in_segments(parameters, [*_texts(parameters, count // SHARE, seed, longest)], seed)


def _texts(parameters: TranscoderParameters, count: int, seed: int, longest: int) -> Iterator[bytes]:
    """The texts of `_random`."""
    sidebands, random = parameters.sidebands, Random(f"records {seed}")
    text, delimiter = (parameters, sidebands.records) if not parameters.filters else (
        ValidatorParameters(parameters.lanes), sidebands.filter)
    for packet in random_packets(text, count, seed, longest):
        plain = delimiter is None or parameters.reads.unit_bytes > 1
        yield packet if plain else with_records(random, packet, parameters.lanes, bytes([delimiter or 0]))


def _records(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
    """Trials of a core with records: long ones, and sinks of its further streams that pause in turn."""
    longest = 6 * parameters.lanes
    for number, (name, stalls) in enumerate(RECORDS.items(), 600):
        stalls = replace(stalls, seed=1000 * seed + number)
        yield _trial(name, parameters, list(_random(parameters, 600, stalls.seed, longest)), stalls)
    plain = list(random_packets(parameters, 300, 1000 * seed + 650, longest))
    yield _trial("few records", parameters, plain, Stalls(0.1, 0.2, seed, records=0.0))
    yield _trial("long records", parameters, list(long_records(parameters)), Stalls(0.05, 0.1, seed))


def _full_streams(parameters: TranscoderParameters, seed: int, dirty: int) -> Iterator[Trial]:
    """Trials in which the output takes all, so that only the rejects or the record report fill up, and their rows of
    before a reset too. ``dirty``: cycles until the reset, at least."""
    if not (parameters.sidebands.rejects or parameters.sidebands.record_report):
        return
    for number in range(12):
        stalls = Stalls(0, 0, 1000 * seed + 800 + number, rejects=0.97, records=0.97)
        packets = list(_random(parameters, 150, stalls.seed, 6 * parameters.lanes))
        yield _trial("one stream is full", parameters, packets, stalls)
        yield _trial("reset while one stream is full", parameters, packets[:20], stalls,
                     f"+dirty={dirty + 2 * NOISE - number % 2 * 9}")


def _segments(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
    """Trials of a core with flows: segments of one byte, with the next one always of the same flow."""
    texts = [*_texts(parameters, 150, 1000 * seed + 700, 3 * parameters.lanes)]
    for number, stalls in enumerate((NO_STALLS, Stalls(0.2, 0.3))):
        yield _trial("segments of one byte", parameters, [*byte_by_byte(parameters, texts)],
                     replace(stalls, seed=1000 * seed + 700 + number))


def _long_segments(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
    """Trials of a core with flows: offsets of several bits in segments of several beats, and of as many bits as the
    core has. A flow's state may change while its next segment pauses."""
    for number, stalls in enumerate((NO_STALLS, Stalls(0.3, 0.35), Stalls(0.85))):
        texts = [*_long(parameters, seed + 100 * number, LONG)]
        yield _trial("segments of several beats", parameters, [*in_beats(parameters, texts, seed + number)],
                     replace(stalls, seed=1000 * seed + 750 + number))
    if long := long_texts(parameters):
        yield _trial("long texts", parameters, long)


def _wrong(parameters: TranscoderParameters) -> list[bytes]:
    """Sequences that the core reports: ill-formed ones, and a scalar that the target lacks. Empty if there are none."""
    unfit = [parameters.reads.encode([parameters.writes.greatest + 1])] if parameters.narrows else []
    return [*text_of(parameters).wrong, *unfit]


def _wrong_leads(parameters: TranscoderParameters) -> Iterator[bytes]:
    """For units of a byte, one complete ill-formed sequence with each lead byte: gates distinguish these bit by bit."""
    for rule in text_of(parameters).rules if parameters.reads.unit_bytes == 1 else ():
        if rule.fault and not rule.ended:
            for lead in rule.classes[0]:
                yield bytes([lead, *(others[0] for others in rule.classes[1:])])


def _one_error(parameters: TranscoderParameters) -> Iterator[bytes]:
    """Packets with one error: each error in each lane, with text after it."""
    letter = text_of(parameters).encode([ord("a")])
    errors = dict.fromkeys((*_wrong(parameters), *_wrong_leads(parameters)))
    for before in range(parameters.lanes + 1):
        for error in errors:
            yield letter * before + error + letter * 2 * parameters.lanes


def _long(parameters: TranscoderParameters, seed: int, size: int = 0) -> Iterator[bytes]:
    """Text of all scripts, with few errors, in packets of ``size`` bytes in UTF-8; default hundreds of beats."""
    encoding, size = text_of(parameters), size or 400 * parameters.lanes
    for number in range(12):
        text = generate("mixed", size, seed + number).decode().encode(encoding.oracle, "ignore")
        yield damaged(encoding, text, number / size, Random(f"long {seed + number}"))


def _null_bytes(parameters: TranscoderParameters, seed: int) -> Iterator[Trial]:
    """Trials with null bytes in any lane."""
    for number, (name, stalls) in enumerate(NULL_BYTES.items(), 500):
        seeded = replace(stalls, seed=1000 * seed + number)
        packets = list(random_packets(parameters, 1000, seeded.seed, 6 * parameters.lanes))
        if parameters.sidebands.flows is not None:
            packets = [*in_segments(parameters, packets[:: SHARE], seeded.seed)]
        yield _trial(name, parameters, packets, seeded)


def _far(parameters: TranscoderParameters, stalls: Stalls, filler: str = "a") -> Iterator[Trial]:
    """A trial with errors gigabytes into a packet: the beat counter jumps in the middle of each packet.

    ``filler``: the text around the errors, one unit long. No trial if the core has no beat counter.
    """
    encoding, sidebands = text_of(parameters), parameters.sidebands
    delimiter = delimiter_of(parameters)
    letter = encoding.encode([ord("b" if delimiter == ord(filler) else filler)])
    random = Random(f"far {stalls.seed}")
    lanes, flows = parameters.lanes, sidebands.flows
    table = jumps(parameters)
    if not table:
        return
    packets: list[bytes] = []
    far: list[int] = []
    wrong = [each for each in _wrong(parameters) if delimiter is None or delimiter not in each]
    for number, jump in enumerate(table):
        # Ends fall on any row of the output buffer.
        beats = random.randrange(PERIOD * 7 // 8, PERIOD if flows is None else PERIOD - MOST_AROUND)
        item = random.randrange(PERIOD * 5 // 8 * lanes, (PERIOD * 7 // 8 - 1) * lanes)
        if random.random() < 0.5:
            # Or the error begins in the last beat before the counter's carry.
            item = CARRY * lanes - random.randint(1, min(lanes, 3))
        before = letter * item + random.choice(wrong or [letter])
        packet = before + letter * (beats * lanes - len(before) // len(letter))
        sent = [packet] if flows is None else [*around(parameters, packet, letter, number % flows, random)]
        used = sum(max(1, -(-len(each) // parameters.input_bytes)) for each in sent)
        packets += [*sent, letter * (PERIOD - used) * lanes]
        # The bits that a jump inverts are 0 before it. A text's error is the same in all segments from its own on.
        far += [*([jump * lanes] * len(sent)), 0]
    yield _trial("far into packets", parameters, whole_texts(parameters, packets), stalls, "+jump=1", far=far)


def kill(design: VerilogDesign, trial: Trial, mutant: int) -> str | None:
    """How the mutant deviates in the trial: a key of `KILLS`, or None.

    Raises MissingToolError and SimulationError.
    """
    # One simulator runs all trials of all mutants, so it is worth its optimisation.
    plus = (f"+mutant={mutant}", *trial.plus)
    with verilator.run(design, trial.packets, trial.stalls, quick=False, plus=plus) as run:
        return _flaw(trial, run)


def _flaw(trial: Trial, run: Run) -> str | None:
    """The first deviation of a run."""
    chunks = iter(run)
    for packet in trial.expected:
        at = 0
        end = None
        for chunk in chunks:
            if not packet.output.startswith(chunk.output, at):
                return "output"
            if packet.marks[at : at + len(chunk.output)] != chunk.marks:
                return "report"
            at += len(chunk.output)
            end = chunk.end
            if end is not None:
                break
        if run.protocol_errors:
            return _broken(run)
        if end is None or at < len(packet.output):
            return "output"
        if (Ending(end.tuser, end.report, end.tid, end.tdest), end.bad_records) != (packet.end, packet.bad_records):
            return "report"
        cycles = PacketCycles(end.first_in, end.last_in, end.first_out, end.last_out)
        if cycles != packet.cycles:
            return "cycles"
    more = next(chunks, None)
    if run.protocol_errors:
        return _broken(run)
    return "output" if more is not None else _reject_flaw(trial.rejects, run)


def _reject_flaw(expected: Sequence[RejectedRecord], run: Run) -> str | None:
    """The first deviation of the rejected records of a run that has ended."""
    if [record.data for record in run.rejects] != [record.data for record in expected]:
        return "output"
    return None if [*run.rejects] == [*expected] else "report"


def _broken(run: Run) -> str:
    return "hang" if run.protocol_errors[0].partition(": ")[2].startswith("deadlock") else "protocol"
