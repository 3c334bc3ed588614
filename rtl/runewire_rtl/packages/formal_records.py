"""Formal properties of cores that work on records: a splitter's packets, rejected records, a record report.

A splitter's properties count the records at its input, and follow any one of them, and any one byte. The text of
records is not checked: whether a record is ill-formed is the subject of other proofs.
"""

from __future__ import annotations

from collections.abc import Iterator

from runewire_model import TranscoderParameters

from ..ports import ports
from ..verilog import bit_range

INSIDE = 16
"""Width of the count of packets inside a splitter."""
SIZE = 32
"""Width of the size of a record's packet, modulo its greatest value."""
TOTAL = 64
"""Width of counts since the reset."""


def range_of(width: int) -> str:
    return f"{bit_range(width)} " if width > 1 else ""


def at_lane(port: str, lanes: int, at: str = "at") -> str:
    """A lane's bit of a port, which has a range only with several lanes."""
    return f"{port}[{at}]" if lanes > 1 else port


def field_of(port: str, lsb: int, width: int, total: int) -> str:
    """A field of a port of ``total`` bits."""
    return port if width == total else f"{port}[{lsb + width - 1}:{lsb}]" if width > 1 else f"{port}[{lsb}]"


def promise(what: str, indent: int) -> str:
    return f"{' ' * indent}`RUNEWIRE_PROMISE({what})\n"


def _ended_here(indent: int, **values: str) -> str:
    """A packet ends in the loop over the lanes: if it is the one that is looked for, its values."""
    pad = " " * indent
    kept = "".join(f"{pad}    found_{name} = {value};\n" for name, value in values.items())
    return (f"{pad}if (ended == index) begin\n{pad}    found = 1'b1;\n{kept}{pad}end\n"
            f"{pad}ended = ended + {INSIDE}'d1;\n")


def _records_in(parameters: TranscoderParameters) -> str:
    """The packets that end in a beat of the input, and one of them; and one byte."""
    side, lanes = parameters.sidebands, parameters.input_bytes
    keeps, through = side.delimiter == "keep", parameters.splits_bytes or parameters.target is None
    octet = "s_axis_tdata[8 * at +: 8]"
    ends = f"{octet} == 8'h{side.split:02X}"
    cut = "" if side.longest is None else f"""\
                if ({"" if keeps else f"!({ends}) && "}size_next == {SIZE}'d{side.longest}) begin
{_ended_here(20, size="size_next", cut="1'b1", last="1'b0")}\
                    size_next = 0;
                end
"""
    stays = f"!({ends})" if not keeps else f"record_next || !({ends})" if side.empty == "drop" else "1'b1"
    picked = f"""\
                if (at == pick_lane) begin
                    byte_found = {stays};
                    byte_place = size_next;
                    byte_ahead = ended;
                    byte_value = {octet};
                end
""" if through else ""
    empty = "1'b1" if side.empty == "keep" else "record_next"
    return f"""
    // The packets of records that end in a beat: their number, and what number `index` of them is like.
    integer at;
    (* anyseq *) reg [{INSIDE - 1}:0] index;
    reg record = 1'b0, record_next;
    reg [{SIZE - 1}:0] size = 0, size_next, found_size;
    reg [{INSIDE - 1}:0] packets = 0, ended;
    reg found, found_cut, found_last;
{f'''    (* anyseq *) reg [31:0] pick_lane;
    reg byte_found;
    reg [7:0] byte_value;
    reg [{SIZE - 1}:0] byte_place;
    reg [{INSIDE - 1}:0] byte_ahead;
''' if through else ''}\
    always @* begin
        record_next = record;
        size_next = size;
        ended = 0;
        found = 1'b0;
        found_size = 0;
        found_cut = 1'b0;
        found_last = 1'b0;
{'''        byte_found = 1'b0;
        byte_place = 0;
        byte_ahead = 0;
        byte_value = 0;
''' if through else ''}\
        for (at = 0; at < {lanes}; at = at + 1)
            if ({at_lane('s_axis_tkeep', lanes)}) begin
                found_last = 1'b0;
{cut}{picked}\
                if ({ends}) begin
                    if ({empty}) begin
{'                        size_next = size_next + 1;' + chr(10) if keeps else ''}\
{_ended_here(24, size="size_next", cut="1'b0", last="1'b1")}\
                    end
                    size_next = 0;
                    record_next = 1'b0;
                end else begin
                    size_next = size_next + 1;
                    record_next = 1'b1;
                end
            end
        if (s_axis_tlast) begin
            if (record_next) begin
{_ended_here(16, size="size_next", cut="1'b0", last="1'b1")}\
            end
            size_next = 0;
            record_next = 1'b0;
        end
    end
"""


def kept_bytes(name: str, port: str, lanes: int) -> str:
    """The number of kept bytes of a beat."""
    return f"""
    integer {name}_lane;
    reg [{SIZE - 1}:0] {name};
    always @* begin
        {name} = 0;
        for ({name}_lane = 0; {name}_lane < {lanes}; {name}_lane = {name}_lane + 1)
            {name} = {name} + {{{SIZE - 1}'d0, {at_lane(port, lanes, f'{name}_lane')}}};
    end
"""


def split_packets(parameters: TranscoderParameters) -> str:
    """Packets of records: their number, and one of them with its tags, `user`, `cut` and size; and one byte."""
    side = parameters.sidebands
    lanes, total = parameters.output_bytes, side.user_bits(parameters.output_bytes)
    through = parameters.splits_bytes or parameters.target is None
    tags = [f"t{name}" for name in side.tags]
    fields = {field.name: field_of("m_axis_tuser", field.lsb, field.width, total) for field in side.last_beat}
    user = """\
            end else if (accepted && pending) begin
                if (s_axis_tlast || s_axis_tkeep != 0) pending <= 1'b0;
                if (s_axis_tlast && s_axis_tkeep == 0) chosen_user <= s_axis_tuser;
""" if side.user else ""
    leaving = f"{{{INSIDE - 1}'d0, taken && m_axis_tlast}}"
    declared = "".join(f"    reg {range_of(side.tags[name[1:]])}chosen_{name};\n" for name in tags)
    declared += f"    reg {range_of(side.user)}chosen_user;\n    reg pending = 1'b0;\n" if side.user else ""
    last = [*(["!pending", f"{fields['user']} == chosen_user"] if side.user else []),
            *([f"{fields['cut']} == chosen_cut"] if side.cut_bits else []),
            *(["out_size + kept == chosen_size"] if through else [])]
    return _records_in(parameters) + (kept_bytes("kept", "m_axis_tkeep", lanes) if through else "") + f"""
    // Any one of these packets, the core being told nothing of the choice: it comes out after its record ended.
    (* anyseq *) reg choose;
    reg chosen = 1'b0, left = 1'b0, chosen_cut;
    reg [{INSIDE - 1}:0] ahead;
    reg [{SIZE - 1}:0] chosen_size, out_size = 0;
{declared}\
    always @(posedge aclk)
        if (!aresetn) begin
            packets <= 0;
            record <= 1'b0;
            size <= 0;
            out_size <= 0;
            chosen <= 1'b0;
            left <= 1'b0;
{"            pending <= 1'b0;" + chr(10) if side.user else ""}\
        end else begin
            packets <= packets + (accepted ? ended : {INSIDE}'d0) - {leaving};
            if (m_axis_tvalid && m_axis_tlast) begin
{promise("packets != 0", 16)}\
            end
            if (accepted) begin
                record <= record_next;
                size <= size_next;
            end
{"            if (taken) out_size <= m_axis_tlast ? 0 : out_size + kept;" + chr(10) if through else ""}\
            if (accepted && choose && !chosen && found) begin
                chosen <= 1'b1;
                ahead <= packets + index - {leaving};
                chosen_size <= found_size;
                chosen_cut <= found_cut;
{"".join(f"                chosen_{name} <= s_axis_{name};{chr(10)}" for name in tags)}\
{'''                chosen_user <= found_last && s_axis_tlast ? s_axis_tuser : 0;
                pending <= found_last && !s_axis_tlast;
''' if side.user else ''}\
{user}\
            end
            if (chosen && !left && taken) begin
                if (ahead != 0) ahead <= ahead - {{{INSIDE - 1}'d0, m_axis_tlast}};
                else left <= m_axis_tlast;
            end
            if (chosen && !left && ahead == 0 && m_axis_tvalid) begin
{"".join(promise(f"m_axis_{name} == chosen_{name}", 16) for name in tags)}\
                if (m_axis_tlast) begin
{"".join(promise(what, 20) for what in last)}\
                end
            end
        end
""" + (_one_byte(lanes, leaving) if through else "")


def _one_byte(lanes: int, leaving: str) -> str:
    """Any one byte that is not dropped: it comes out in its packet and place, as it came in."""
    return f"""
    // Any one byte, the core being told nothing of the choice: it comes out in its packet and its place, as it came in.
    (* anyseq *) reg pick;
    reg picked = 1'b0, passed = 1'b0;
    reg [7:0] picked_value;
    reg [{SIZE - 1}:0] picked_place;
    reg [{INSIDE - 1}:0] picked_ahead;
    wire [{SIZE - 1}:0] place = picked_place - out_size;
    integer byte_at;
    always @(posedge aclk)
        if (!aresetn) begin
            picked <= 1'b0;
            passed <= 1'b0;
        end else begin
            if (accepted && pick && !picked && byte_found) begin
                picked <= 1'b1;
                picked_value <= byte_value;
                picked_place <= byte_place;
                picked_ahead <= packets + byte_ahead - {leaving};
            end
            if (picked && !passed && m_axis_tvalid) begin
                if (picked_ahead != 0) picked_ahead <= picked_ahead - {leaving};
                else begin
                    if (m_axis_tlast) begin
                        `RUNEWIRE_PROMISE(place < kept)
                    end
                    for (byte_at = 0; byte_at < {lanes}; byte_at = byte_at + 1)
                        if (place == byte_at && place < kept) begin
                            `RUNEWIRE_PROMISE(m_axis_tdata[8 * byte_at +: 8] == picked_value)
                            passed <= taken;
                        end
                end
            end
        end
"""


def _ended_records(parameters: TranscoderParameters, delimiter: int) -> str:
    """Records that have ended at the input since the reset. Of wider units each counts: a mark may name their order."""
    lanes, size = parameters.lanes, parameters.reads.unit_bytes
    is_end = f"s_axis_tdata[8 * unit +: 8] == 8'h{delimiter:02X}" if size == 1 else "1'b1"
    return f"""
    // Records that have ended at the input.
    integer unit;
    reg under_way = 1'b0, under_way_next;
    reg [{TOTAL - 1}:0] records = 0, records_next;
    always @* begin
        under_way_next = under_way;
        records_next = records;
        for (unit = 0; unit < {lanes}; unit = unit + 1)
            if ({at_lane('s_axis_tkeep', parameters.input_bytes, 'unit' if size == 1 else f'{size} * unit')}) begin
                under_way_next = !({is_end});
                if ({is_end}) records_next = records_next + 1;
            end
        if (s_axis_tlast) begin
            if (under_way_next{' || s_axis_tkeep != 0' if size > 1 else ''}) records_next = records_next + 1;
            under_way_next = 1'b0;
        end
    end
    always @(posedge aclk)
        if (!aresetn) begin
            records <= 0;
            under_way <= 1'b0;
        end else if (accepted) begin
            records <= records_next;
            under_way <= under_way_next;
        end
"""


def filter_streams(parameters: TranscoderParameters) -> str:
    """Output and rejects of a filter: no byte more than came in; the shape of rejects and their fields."""
    side, lanes = parameters.sidebands, parameters.output_bytes
    assert side.filter is not None
    out = " + ".join(["(m_axis_tvalid ? {32'd0, kept} : 0)",
                      *(["(m_rejects_tvalid ? {32'd0, kept_rejected} : 0)"] if side.rejects else [])])
    left = out.replace("m_axis_tvalid", "taken").replace("m_rejects_tvalid", "rejects_taken")
    rejected = field_of("m_axis_tuser", 0, side.told_width, side.user_bits(lanes))
    text = _ended_records(parameters, side.filter) + kept_bytes("kept_in", "s_axis_tkeep", lanes)
    text += kept_bytes("kept", "m_axis_tkeep", lanes)
    text += kept_bytes("kept_rejected", "m_rejects_tkeep", lanes) if side.rejects else ""
    text += f"""
    // No byte comes out that did not come in, on either stream, and no packet counts more records than have ended.
{"    wire rejects_taken = m_rejects_tvalid && m_rejects_tready;" + chr(10) if side.rejects else ""}\
    reg [{TOTAL - 1}:0] bytes = 0, rejected = 0;
    always @(posedge aclk)
        if (!aresetn) begin
            bytes <= 0;
            rejected <= 0;
        end else begin
            bytes <= bytes + (accepted ? {{32'd0, kept_in}} : 0) - ({left});
{promise(f"{out} <= bytes", 12)}\
            if (m_axis_tvalid && m_axis_tlast && !(&{rejected})) begin
{promise(f"rejected + {{32'd0, {rejected}}} <= records", 16)}\
                if (taken) rejected <= rejected + {{32'd0, {rejected}}};
            end
        end
"""
    return text + (_rejects(parameters) if side.rejects else "")


def _rejects(parameters: TranscoderParameters) -> str:
    side, lanes = parameters.sidebands, parameters.output_bytes
    total = sum(field.width for field in side.reject_end)
    kind, offset, _, long = (field_of("m_rejects_tuser", field.lsb, field.width, total) for field in side.reject_end)
    keep = at_lane("m_rejects_tkeep", lanes, "lane")
    tags = "".join(f"    reg {range_of(width)}rejects_t{name};\n" for name, width in side.tags.items())
    return f"""
    // Rejects: beats are full but a record's last, each has a byte, and only the last says why.
{tags}\
    reg rejects_amid = 1'b0;
    reg [{TOTAL - 1}:0] reject_records = 0;
    always @(posedge aclk) begin
        if (!aresetn) begin
            rejects_amid <= 1'b0;
            reject_records <= 0;
        end else if (rejects_taken) begin
            rejects_amid <= !m_rejects_tlast;
            if (m_rejects_tlast) reject_records <= reject_records + 1;
        end
{"".join(f"        if (rejects_taken) rejects_t{name} <= m_rejects_t{name};{chr(10)}" for name in side.tags)}\
        if (aresetn && m_rejects_tvalid) begin
{promise("(m_rejects_tkeep & (m_rejects_tkeep + 1'b1)) == 0", 12)}\
{promise("m_rejects_tkeep != 0", 12)}\
{promise("m_rejects_tlast || &m_rejects_tkeep", 12)}\
            for (lane = 0; lane < {lanes}; lane = lane + 1)
                if (!{keep}) begin
{promise("m_rejects_tdata[8 * lane +: 8] == 0", 20)}\
                end
            if (m_rejects_tlast) begin
{promise(f"{kind} <= {max(parameters.kinds)}", 16)}\
{promise(f"{kind} != 0 || ({long} && {offset} == 0)", 16)}\
{promise("reject_records < records", 16)}\
            end else begin
{promise("m_rejects_tuser == 0", 16)}\
            end
{"".join(promise(f"!rejects_amid || m_rejects_t{name} == rejects_t{name}", 12) for name in side.tags)}\
        end
    end
"""


def record_report(parameters: TranscoderParameters) -> str:
    """Beats of a record report: each has an error, and there are no more of them than records that have ended."""
    side = parameters.sidebands
    assert side.records is not None
    [width] = [port.width for port in ports(parameters) if port.name == "m_records_tdata"]
    kind = next(field for field in side.record_beat if field.name == "kind")
    shown = field_of("m_records_tdata", kind.lsb, kind.width, width)
    used = sum(((1 << field.width) - 1) << field.lsb for field in side.record_beat)
    return _ended_records(parameters, side.records) + f"""
    // The record report: each beat has an error, and there are no more beats than records that have ended.
    reg [{TOTAL - 1}:0] reported = 0;
    always @(posedge aclk)
        if (!aresetn) reported <= 0;
        else if (m_records_tvalid) begin
{promise(f"{shown} != 0 && {shown} <= {max(parameters.kinds)}", 12)}\
{promise(f"(m_records_tdata & {width}'h{(1 << width) - 1 & ~used:X}) == 0", 12)}\
{promise("reported < records", 12)}\
            if (m_records_tready) reported <= reported + 1;
        end
"""


def flags(parameters: TranscoderParameters) -> Iterator[str]:
    """Conditions of the record flags of a beat, for its place in the module's loops."""
    side, lanes = parameters.sidebands, parameters.output_bytes
    if side.records is None:
        return
    low, keep = side.last_beat_width, at_lane("m_axis_tkeep", lanes, "lane")
    yield f"""\
            for (lane = 0; lane < {lanes}; lane = lane + 1) begin
{promise(f"!m_axis_tuser[{low} + 2 * lane + 1] || m_axis_tuser[{low} + 2 * lane]", 16)}\
{promise(f"{keep} || !m_axis_tuser[{low} + 2 * lane]", 16)}\
            end
"""
    if side.tail:
        tail, bad = (f"m_axis_tuser[{field.lsb}]" for field in side.last_beat if field.name.startswith("tail"))
        yield promise(f"!{bad} || {tail}", 12)
