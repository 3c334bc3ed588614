"""Test bench for a core, in plain Verilog: sends packets and compares the output with the golden model's answers.

It needs only a simulator. Source and sink pause at random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from runewire_model import PacketResult, TranscoderParameters
from runewire_model.filtering import TEXT, Reject
from runewire_model.moved_records import record_flags
from runewire_model.records import BadRecord, split_records
from runewire_model.report import MARKS, Sidebands
from runewire_model.splitting import record_packets

from ..ports import ports
from ..verilog import TIMESCALE, top_name

SAMPLE = [*b"Runes: ", 0xE9, 0xDF, 0x7FF, 0x800, 0x20AC, 0xFFFF, 0x1F600, 0x10FFFF, *b" end"]
"""Scalars of every length, at the edges of their ranges and inside."""
WRONG = 6
"""Number of ill-formed sequences, each in a packet of its own."""
PATIENCE = 8
"""Cycles per beat and byte after which a simulation counts as stuck: more than any core needs."""


class _Answer(NamedTuple):
    """One packet: its input beats on the bus, the expected bytes, their record flags, and the expected report.

    ``records``: the ill-formed records, if the core reports them. ``tail``: flags of a last record without delimiter.
    ``cut``: the packet's record is cut. ``rejects``: the records that a filter rejects.
    """

    beats: Sequence[str]
    output: bytes
    marks: Sequence[int]
    report: int
    records: Sequence[BadRecord]
    tail: int
    cut: bool
    rejects: Sequence[Reject]


def packets(parameters: TranscoderParameters) -> list[bytes]:
    """The packets to send: well-formed text, an empty packet, truncated text, ill-formed sequences."""
    source = TEXT if parameters.filters else parameters.reads
    delimiter = next((unit for unit in (parameters.sidebands.records, parameters.sidebands.split,
                                        parameters.sidebands.filter) if unit is not None), None)
    text = source.encode([scalar for scalar in SAMPLE if scalar <= source.greatest])
    if delimiter is not None:
        text += source.encode([delimiter])
    found = [text * 3, b"", text[: parameters.input_bytes], text + text[: source.unit_bytes], text[:-1]]
    found += [text + wrong + text for wrong in source.wrong[:WRONG]]
    # The first unit of the last scalar that has several units.
    long = [scalar for scalar in SAMPLE if scalar <= source.greatest][-5]
    found += [text + source.encode([long])[: source.unit_bytes], text]
    if parameters.splits or parameters.filters:
        assert delimiter is not None
        end = source.encode([delimiter])
        found.append(b"".join(source.encode([scalar]) + end for scalar in SAMPLE if scalar <= source.greatest) + end)
    return found


def testbench(parameters: TranscoderParameters) -> str:
    """The text of the test bench, SystemVerilog that Icarus reads. Its module is the core's name and ``_tb``."""
    top, side = top_name(parameters), parameters.sidebands
    taken, sent = parameters.input_bytes, parameters.output_bytes
    answers = [answer for packet in packets(parameters) for answer in _answers(parameters, packet)]
    beats = [beat for answer in answers for beat in answer.beats]
    output = b"".join(answer.output for answer in answers)
    told, marked = len(side.last_beat) > 0, side.records is not None
    # Declared with a range even for one bit, so that a lane can be selected.
    wires = [f"    wire [{port.width - 1}:0] {port.name};" for port in ports(parameters)[2:]]
    tied = [f"    assign s_axis_t{name} = 0;" for name in side.carried]
    rejects = [reject for answer in answers for reject in answer.rejects]
    tied += ["    assign m_rejects_tready = noise[7];"] if rejects else []
    links = ", ".join(f".{port.name}({port.name})" for port in ports(parameters))
    ends = [sum(len(answer.output) for answer in answers[: at + 1]) for at in range(len(answers))]
    marks = [mark for answer in answers for mark in answer.marks]
    contents = [f"        beats[{at}] = {beat};" for at, beat in enumerate(beats)]
    contents += [f"        bytes[{at}] = 8'h{byte:02X};" for at, byte in enumerate(output)]
    contents += [f"        marks[{at}] = 2'd{mark};" for at, mark in enumerate(marks) if marked]
    for at, (answer, end) in enumerate(zip(answers, ends, strict=True)):
        contents.append(f"        ends[{at}] = {end}; reports[{at}] = {max(1, side.told_width)}'h{answer.report:X};")
    seen_report = side.last_beat_width - side.input_user
    check_marks = f"""
                    if (m_axis_tuser[{side.last_beat_width} + {MARKS} * lane +: {MARKS}] !== marks[place]) begin
                        $display("FAIL: byte %0d has marks %b, expected %b", place,
                            m_axis_tuser[{side.last_beat_width} + {MARKS} * lane +: {MARKS}], marks[place]);
                        wrong = wrong + 1;
                    end"""
    if side.tail:
        contents += [f"        tails[{at}] = 2'd{answer.tail};" for at, answer in enumerate(answers)]
    if side.cut_bits:
        contents += [f"        cuts[{at}] = 1'd{answer.cut:d};" for at, answer in enumerate(answers)]
    expected = _last_beat(side)
    check_report = f"""
                if (m_axis_tuser[{side.last_beat_width - 1}:0] !== {expected}) begin
                    $display("FAIL: packet %0d has tuser %h, expected %h", packet,
                        m_axis_tuser[{side.last_beat_width - 1}:0], {expected});
                    wrong = wrong + 1;
                end"""
    expected = _widened("reports[reported]", 8 * side.report_bytes - side.told_width)
    check_port = f"""
            if (m_report_tvalid && m_report_tready) begin
                if (m_report_tdata !== {expected}) begin
                    $display("FAIL: packet %0d has the report %h, expected %h", reported, m_report_tdata,
                        {expected});
                    wrong = wrong + 1;
                end
                reported = reported + 1;
            end"""
    records = [side.pack_record(number, record) for number, answer in enumerate(answers) for record in answer.records]
    contents += [f"        records[{at}] = {8 * side.record_bytes}'h{record:X};" for at, record in enumerate(records)]
    check_records = """
            if (m_records_tvalid && m_records_tready) begin
                if (m_records_tdata !== records[recorded]) begin
                    $display("FAIL: record %0d of the record report is %h, expected %h", recorded, m_records_tdata,
                        records[recorded]);
                    wrong = wrong + 1;
                end
                recorded = recorded + 1;
            end"""
    tied += ["    assign m_report_tready = noise[7];"] if side.report_bytes else []
    tied += ["    assign m_records_tready = noise[5];"] if records else []
    contents += _reject_contents(side, rejects)
    records_of = f"""
    reg [{8 * side.record_bytes - 1}:0] records [0:{len(records)}];
    integer recorded = 0;""" if records else ""
    tails = "\n    reg [1:0] tails [0:PACKETS - 1];" if side.tail else ""
    tails += "\n    reg cuts [0:PACKETS - 1];" if side.cut_bits else ""
    done = "packet == PACKETS" + (" && reported == PACKETS" if side.report_bytes else "")
    done += f" && recorded == {len(records)}" if records else ""
    done += f" && rejected == {len(rejects)}" if rejects else ""
    check_rejects = _check_rejects(sent) if rejects else ""
    newline = "\n"
    return TIMESCALE + f"""\
// Test bench of {top}: packets in, and what comes out against the golden model's answers.
// It prints PASS, or FAIL and what is wrong, and then ends with an error.
// SPDX-License-Identifier: Apache-2.0

`ifndef SYNTHESIS  // a tool for synthesis that is given all files passes over this one

module {top}_tb;
    localparam integer PACKETS = {len(answers)};
    localparam integer BEATS = {len(beats)};
    localparam integer BYTES = {len(output)};

    reg aclk = 1'b0, aresetn = 1'b0;
{newline.join(wires)}
    // Of an input beat last, keep and data; of the output all kept bytes, and where each packet ends.
    reg [{9 * taken}:0] beats [0:BEATS - 1];
    reg [7:0] bytes [0:BYTES];
    {f"reg [{MARKS - 1}:0] marks [0:BYTES];" if marked else "// No records: bytes have no marks."}
    integer ends [0:PACKETS - 1];
    reg [{max(1, side.told_width) - 1}:0] reports [0:PACKETS - 1];{tails}
    integer beat = 0, place = 0, packet = 0, reported = 0, wrong = 0, cycle = 0, lane;
    reg offered = 1'b0;
    reg [15:0] noise = 16'hACE1;{records_of}{_rejects_of(side, rejects) if rejects else ""}

    {top} core ({links});

    always #5 aclk = ~aclk;

    assign s_axis_tvalid = offered;
    assign {{s_axis_tlast, s_axis_tkeep, s_axis_tdata}} = offered ? beats[beat] : {{{9 * taken + 1}{{1'bx}}}};
    assign m_axis_tready = noise[3];
{newline.join(tied)}

    initial begin
{newline.join(contents)}
    end

    always @(posedge aclk) begin
        cycle <= cycle + 1;
        noise <= {{noise[14:0], noise[15] ^ noise[13] ^ noise[12] ^ noise[10]}};
        aresetn <= cycle >= 4;
        if (aresetn) begin
            if (offered && s_axis_tready) beat <= beat + 1;
            if (!offered || s_axis_tready) offered <= noise[0] && (offered ? beat + 1 : beat) < BEATS;
        end
    end

    always @(posedge aclk)
        if (aresetn) begin
            if (m_axis_tvalid && m_axis_tready) begin
                for (lane = 0; lane < {sent}; lane = lane + 1)
                    if (m_axis_tkeep[lane]) begin
                        if (place >= BYTES || m_axis_tdata[8 * lane +: 8] !== bytes[place]) begin
                            $display("FAIL: byte %0d is %h, expected %h", place, m_axis_tdata[8 * lane +: 8],
                                bytes[place]);
                            wrong = wrong + 1;
                        end{check_marks if marked else ""}
                        place = place + 1;
                    end
                if (m_axis_tlast) begin
                    if (place !== ends[packet]) begin
                        $display("FAIL: packet %0d ends at byte %0d, expected %0d", packet, place, ends[packet]);
                        wrong = wrong + 1;
                    end{check_report if told and seen_report else ""}
                    packet = packet + 1;
                end
            end{check_port if side.report_bytes else ""}{check_records if records else ""}{check_rejects}
            if (wrong > 0) $fatal(1, "FAIL");
            if ({done}) begin
                $display("PASS: %0d packets, %0d bytes", packet, place);
                $finish;
            end
            if (cycle > 1000 + {PATIENCE} * (BEATS + BYTES)) $fatal(1, "FAIL: nothing moves");
        end
endmodule

`endif
"""


def _rejects_of(side: Sidebands, rejects: Sequence[Reject]) -> str:
    """Declarations for rejected records: their bytes, where each ends, and ``tuser`` of its last beat."""
    user = sum(field.width for field in side.reject_end)
    return f"""
    reg [7:0] reject_bytes [0:{sum(len(reject.data) for reject in rejects)}];
    integer reject_ends [0:{len(rejects)}];
    reg [{user - 1}:0] reject_users [0:{len(rejects)}];
    integer reject_place = 0, rejected = 0;"""


def _reject_contents(side: Sidebands, rejects: Sequence[Reject]) -> list[str]:
    """The expected rejected records."""
    data = b"".join(reject.data for reject in rejects)
    found = [f"        reject_bytes[{at}] = 8'h{octet:02X};" for at, octet in enumerate(data)]
    user = sum(field.width for field in side.reject_end)
    for at, (reject, end) in enumerate(zip(rejects, accumulate(len(reject.data) for reject in rejects), strict=True)):
        found.append(f"        reject_ends[{at}] = {end}; reject_users[{at}] = {user}'h{reject.tuser(side):X};")
    return found


def _check_rejects(lanes: int) -> str:
    """The comparison of a beat of the rejected records; ``tuser`` is zero before a record's last beat. Beyond the last
    record what is expected is unknown, and so no beat agrees."""
    return f"""
            if (m_rejects_tvalid && m_rejects_tready) begin
                for (lane = 0; lane < {lanes}; lane = lane + 1)
                    if (m_rejects_tkeep[lane]) begin
                        if (m_rejects_tdata[8 * lane +: 8] !== reject_bytes[reject_place]) begin
                            $display("FAIL: byte %0d of the rejects is %h, expected %h", reject_place,
                                m_rejects_tdata[8 * lane +: 8], reject_bytes[reject_place]);
                            wrong = wrong + 1;
                        end
                        reject_place = reject_place + 1;
                    end
                if (m_rejects_tlast && reject_place !== reject_ends[rejected]) begin
                    $display("FAIL: reject %0d ends at byte %0d, expected %0d", rejected, reject_place,
                        reject_ends[rejected]);
                    wrong = wrong + 1;
                end
                if (m_rejects_tuser !== (m_rejects_tlast ? reject_users[rejected] : 0)) begin
                    $display("FAIL: reject %0d has tuser %h, expected %h", rejected, m_rejects_tuser,
                        reject_users[rejected]);
                    wrong = wrong + 1;
                end
                if (m_rejects_tlast) rejected = rejected + 1;
            end"""


def _last_beat(side: Sidebands) -> str:
    """The expected ``tuser`` of a packet's last beat, up to the record flags; the input's ``tuser`` is zero."""
    widths = {"tails[packet]": side.tail_bits, "more": int(side.flows is not None), "cuts[packet]": side.cut_bits,
              "user": side.user, "reports[packet]": side.told_width * (side.report_port != "only")}
    parts = [name if "[" in name else f"{width}'d0" for name, width in widths.items() if width]
    return f"{{{', '.join(parts)}}}" if len(parts) > 1 else "".join(parts)


def _widened(value: str, zeros: int) -> str:
    """A value with ``zeros`` zeros above it."""
    return f"{{{zeros}'d0, {value}}}" if zeros > 0 else value


def _answers(parameters: TranscoderParameters, packet: bytes) -> list[_Answer]:
    """The answers to a packet; its beats are in the first. A packet without an answer is left out."""
    width = parameters.input_bytes
    beats = [f"{9 * width + 1}'h{int(last) << 9 * width | keep << 8 * width | data:X}"
             for data, keep, last in (_with_null_bytes if parameters.holes else _full_beats)(packet, width)]
    parts = ([(record.data, record.cut) for record in record_packets(packet, parameters.sidebands)]
             if parameters.splits else [(packet, False)])
    behind = parameters.behind
    found = [(part, behind.compute(part)) for part, _ in parts]
    flags = [_marks(behind, part, golden) for part, golden in found]
    return [_Answer(beats if at == 0 else [], golden.output, marks,
                    parameters.sidebands.pack(golden.error, golden.counts), golden.bad_records, tail, cut,
                    parameters.rejects(packet) if parameters.sidebands.rejects else ())
            for at, ((_, golden), (marks, tail), (_, cut)) in enumerate(zip(found, flags, parts, strict=True))]


def _full_beats(packet: bytes, width: int) -> Iterator[tuple[int, int, bool]]:
    """Data, keep bits and last of a packet's beats."""
    for start in range(0, max(1, len(packet)), width):
        part = packet[start : start + width]
        yield int.from_bytes(part, "little"), (1 << len(part)) - 1, start + width >= len(packet)


def _with_null_bytes(packet: bytes, width: int) -> Iterator[tuple[int, int, bool]]:
    """The same with a null byte after every second byte, and beats without a byte in the middle and at the end."""
    spread = [byte for at, octet in enumerate(packet) for byte in ((octet, 1), (0xFF, 0))[: 1 + at % 2]]
    middle = len(spread) // width // 2 * width
    spread[middle:middle] = [(0xFF, 0)] * width
    for start in range(0, len(spread), width):
        part = spread[start : start + width]
        yield (sum(octet << 8 * lane for lane, (octet, _) in enumerate(part)),
               sum(kept << lane for lane, (_, kept) in enumerate(part)), False)
    yield 0, 0, True


def _marks(parameters: TranscoderParameters, packet: bytes, golden: PacketResult) -> tuple[Sequence[int], int]:
    """Record flags of each byte: it ends a record; that record is ill-formed. Also the flags of a last record
    without delimiter."""
    delimiter = parameters.sidebands.records
    if delimiter is None:
        return [0] * len(golden.output), 0
    if parameters.sidebands.tail:
        return record_flags(parameters, packet)
    records = split_records(packet, delimiter, parameters.reads)
    return [mark for record, bad in zip(records, golden.records, strict=True)
            for mark in (*[0] * (len(record) - 1), 1 | bad << 1)], 0
