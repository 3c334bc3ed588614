"""Differences between the hardware's results and the golden model's, in words."""

from collections.abc import Sequence
from itertools import zip_longest

from runewire_model import Encoding, FirstError, Flow, TranscoderParameters
from runewire_model.early import unflagged_beats, unflagged_segment_beats
from runewire_model.records import BadRecord
from runewire_model.report import Sidebands

from .golden import Golden
from .results import PacketEnd
from .sidebands import SentSidebands, ending, report_and_user
from .wire_format import Packet


def output_difference(parameters: TranscoderParameters, position: int, expected: bytes, got: bytes) -> str:
    """The first difference of output bytes, ``position`` bytes into a packet."""
    pairs = enumerate(zip(expected, got, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(expected), len(got)))
    encoding = parameters.writes
    number = (position + at) // encoding.unit_bytes
    start = number * encoding.unit_bytes - position
    hardware, model = (_units(encoding, data[start:]) for data in (got, expected))
    return f"{encoding.unit} {number}: hardware {hardware}, model {model}"


def _units(encoding: Encoding, data: bytes) -> str:
    """The first units of ``data``, in words."""
    units = encoding.orders[0].unpack(data[: 8 if encoding.unit_bytes == 1 else 16])
    if encoding.most_units == 1:
        return " ".join(f"U+{unit:04X}" for unit in units) or "nothing"
    return " ".join(f"{unit:0{2 * encoding.unit_bytes}X}" for unit in units) or "nothing"


FLAGS = ("no record's end", "a well-formed record's end", "a mark without a record's end", "an ill-formed record's end")
"""A byte's record flag in words."""


def flag_difference(position: int, expected: bytes | bytearray, got: bytes) -> str:
    """The first difference of record flags, ``position`` bytes into a packet."""
    pairs = enumerate(zip(expected, got, strict=False))
    at = next((at for at, (a, b) in pairs if a != b), min(len(expected), len(got)))
    hardware, model = (FLAGS[flags[at]] if at < len(flags) else "nothing" for flags in (got, expected))
    return f"records, byte {position + at}: hardware {hardware}, model {model}"


def end_difference(sidebands: Sidebands, golden: Golden, sent: SentSidebands, end: PacketEnd) -> str | None:
    """The difference of a packet's end from the model's complete result, and from the ``sent`` sidebands.

    One line, or None without a difference.
    """
    expected = ending(sidebands, golden.error, golden.counts, sent, golden.tail)
    if (end.tuser, end.report, end.tid, end.tdest) == expected:
        return None
    for name, hardware, model in (("tid", end.tid, expected.id), ("tdest", end.tdest, expected.dest)):
        if hardware != model:
            return f"{name}: hardware {hardware:#x}, model {model:#x}"
    if end.report is None and expected.report is not None:
        return "the hardware sends no report"
    if end.report != expected.report:
        return _report_difference(sidebands, expected.report or 0, end.report or 0)
    width = sidebands.last_beat_width - sidebands.tail_bits
    if end.tuser >> width != expected.tuser >> width:
        tails = [FLAGS[tuser >> width] for tuser in (end.tuser, expected.tuser)]
        return f"last record, without delimiter: hardware {tails[0]}, model {tails[1]}"
    report, user = report_and_user(sidebands, end.tuser, end.report)
    model, carried = report_and_user(sidebands, expected.tuser, end.report)
    if report != model:
        return _report_difference(sidebands, model, report)
    return f"tuser carried: hardware {user:#x}, model {carried:#x}"


def record_difference(expected: Sequence[BadRecord], got: Sequence[BadRecord]) -> str | None:
    """The first difference of the ill-formed records that a packet reports; None without one."""
    for model, hardware in zip_longest(expected, got):
        if model != hardware:
            return f"record report: hardware {_describe_record(hardware)}, model {_describe_record(model)}"
    return None


def _describe_record(record: BadRecord | None) -> str:
    """An ill-formed record in words, "none" for None."""
    return "none" if record is None else f"record {record.record}, {record.kind.name} at {record.offset}"


def early_difference(parameters: TranscoderParameters, packet: Packet, sent: SentSidebands, end: PacketEnd,
                     flow: Flow | None = None) -> str | None:
    """The difference of the beats before the first one with the error bit; None without one. ``flow``: it has answered
    the packet, which is a segment."""
    if not parameters.sidebands.early:
        return None
    # Behind a packer the last input beat may be empty.
    beats = max(1, -(-len(packet) // parameters.input_bytes))
    bad = parameters.sidebands.user > 0 and sent.user & 1 == 1
    counts = range(beats, beats + 1 + parameters.holes)
    expected = {unflagged_beats(parameters, bytes(packet), bad=bad, beats=count) if flow is None else
                unflagged_segment_beats(parameters, flow, len(packet), bad=bad, beats=count) for count in counts}
    if end.unflagged in expected:
        return None
    return f"early error bit: hardware after {end.unflagged} beats, model after {' or '.join(map(str, expected))}"


def _report_difference(sidebands: Sidebands, expected: int, got: int) -> str:
    model = sidebands.unpack(expected)
    try:
        hardware = sidebands.unpack(got)
    except ValueError:
        return f"first error: hardware tuser {got:#011x}, model {describe_error(model.error)}"
    if hardware.error != model.error:
        return f"first error: hardware {describe_error(hardware.error)}, model {describe_error(model.error)}"
    if hardware.bad != model.bad:
        return f"packet bad: hardware {hardware.bad}, model {model.bad}"
    name = next(name for name, count in model.counts.items() if hardware.counts[name] != count)
    return f"{name}: hardware {hardware.counts[name]}, model {model.counts[name]}"


def describe_error(error: FirstError | None) -> str:
    """An error in words, "none" for None."""
    return "none" if error is None else f"{error.kind.name} at {error.offset}"
