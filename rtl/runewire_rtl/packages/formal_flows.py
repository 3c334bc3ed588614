"""Formal properties of cores with flows: one flow's texts in segments, followed at the input and at the output.

The flow is any one. Bytes, reports and sums of its texts are compared over all segments, so a property holds for every
way to cut a text. Whether the text is ill-formed is the subject of other proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from runewire_model import TranscoderParameters
from runewire_model.packet_beats import MOST_CARRIED, extra_beats, has_byte_line

from ..parameters import timing
from ..reset_sequencer import start_cycles
from .formal_records import SIZE, at_lane, field_of, kept_bytes, promise, range_of

TEXTS = 16
"""Width of the count of a flow's texts inside the core."""


def quiet_cycles(parameters: TranscoderParameters) -> int:
    """Cycles from the last one in reset in which a core is neither ready nor valid.

    A core may clear the contexts of several flows a little longer.
    """
    return start_cycles(timing(parameters).latency, replace(parameters.sidebands, flows=None))


def further_beats(parameters: TranscoderParameters) -> int:
    """Output beats of a packet above the beats of the input, at most, without added marks."""
    if parameters.sidebands.flows is None:
        return 0
    # Carried bytes wait in line and take a beat each, and so does the packet's end.
    return MOST_CARRIED + 1 if has_byte_line(parameters) else extra_beats(parameters, parameters.input_bytes)


def flow_texts(parameters: TranscoderParameters) -> str:
    """The texts of any one flow, for a core with flows."""
    side, through = parameters.sidebands, parameters.target is None
    flows, bits = side.flows or 1, side.flow_bits
    more_in = field_of("s_axis_tuser", side.user, 1, side.input_user)
    text = kept_bytes("kept_in", "s_axis_tkeep", parameters.input_bytes)
    text += kept_bytes("kept_out", "m_axis_tkeep", parameters.output_bytes)
    watched = "1'b1"
    contract = ""
    if bits:
        watched = f"{field_of('s_axis_tid', 0, bits, side.id)} == watched"
        contract = "" if flows == 1 << bits else f"""\
    always @(posedge aclk)
        if (aresetn && s_axis_tvalid) begin
            `RUNEWIRE_CONTRACT({field_of('s_axis_tid', 0, bits, side.id)} < {flows})
        end
"""
    fields = {field.name: field_of("m_axis_tuser", field.lsb, field.width, side.user_bits(parameters.output_bytes))
              for field in side.last_beat}
    counted = "bytes" in fields
    text += f"""
    // The texts of any one flow, the core being told nothing of the choice.
{f'    (* anyconst *) reg {range_of(bits)}watched;{chr(10)}' if bits else ''}{contract}\
    wire watched_in = {watched};
    wire watched_out = {watched.replace('s_axis', 'm_axis')};
    wire closes_in = s_axis_tlast && !{more_in};
    wire closes_out = m_axis_tlast && !{fields['more']};
    wire text_in = accepted && watched_in && closes_in;
    wire text_out = taken && watched_out && closes_out;
"""
    return text + "".join(_errors(parameters, fields)) + f"""
    // Its bytes by the end of any one segment, at both ends.
    reg [{SIZE - 1}:0] bytes_in = 0, chosen_before, chosen_total;
    reg [{TEXTS - 1}:0] texts = 0;
    reg chosen_watched;
    reg [{SIZE - 1}:0] bytes_out = 0;
{f'    reg [{SIZE - 1}:0] counted = 0;{chr(10)}' if counted else ''}\
    always @(posedge aclk)
        if (!aresetn) begin
            bytes_in <= 0;
            bytes_out <= 0;
            texts <= 0;
{'            counted <= 0;' + chr(10) if counted else ''}\
        end else begin
            texts <= texts + {_wide('text_in')} - {_wide('text_out')};
            if (accepted && watched_in) bytes_in <= closes_in ? 0 : bytes_in + kept_in;
            if (taken && watched_out) bytes_out <= closes_out ? 0 : bytes_out + kept_out;
{_counting(fields) if counted else ''}\
            if (first) begin
                chosen_watched <= watched_in;
                chosen_before <= bytes_in;
            end
            if (accepted && (first || (chosen && !ended))) chosen_total <= bytes_in + kept_in;
            if (chosen && !left && packets_ahead == 0 && chosen_watched && m_axis_tvalid && m_axis_tlast) begin
{"".join(_totals(parameters, fields, through))}\
            end
        end
""" + (_one_byte(parameters) if through else "")


def _wide(bit: str) -> str:
    return f"{{{TEXTS - 1}'d0, {bit}}}"


def _counting(fields: dict[str, str]) -> str:
    return f"""\
            if (taken && watched_out && m_axis_tlast) counted <= closes_out ? 0 : counted + {fields['bytes']};
"""


def _totals(parameters: TranscoderParameters, fields: dict[str, str], through: bool) -> Iterator[str]:
    """The text's bytes by the end of the chosen segment, at both ends."""
    sums = ["bytes_out + kept_out"] * through + [f"counted + {fields[name]}" for name in ("bytes",) if name in fields]
    for total in sums:
        # The rest waits for the next segment.
        yield promise(f"{total} <= chosen_total && chosen_total <= {total} + {MOST_CARRIED}", 16)
        yield promise(f"!closes_out || {total} == chosen_total", 16)
    if not through:
        unit = parameters.reads.unit_bytes
        most = parameters.slots * parameters.writes.unit_bytes
        mark = len(parameters.mark)
        yield promise(f"{unit} * (bytes_out + kept_out) <= {most} * (chosen_total + {unit - 1}) + {unit * mark}", 16)
    if "offset" in fields:
        unit, offset = parameters.reads.unit_bytes, f"{unit_of(parameters)}{fields['offset']}"
        has = f"{fields['kind']} == 0 || &{fields['offset']}"
        yield promise(f"{has} || {offset} < chosen_total", 16)
        yield promise(f"{has} || known || {offset} + {MOST_CARRIED} >= chosen_before", 16)


def unit_of(parameters: TranscoderParameters) -> str:
    """A factor that makes bytes of units."""
    return f"{parameters.reads.unit_bytes} * " if parameters.reads.unit_bytes > 1 else ""


def _errors(parameters: TranscoderParameters, fields: dict[str, str]) -> Iterator[str]:
    """A text's first error stays in the reports of its later segments."""
    if "error" not in fields:
        return
    side = parameters.sidebands
    names = [name for name in ("error", "kind", "offset") if name in fields]
    # A bit of the user's own may set `error` too.
    has = f"{fields['kind']} != 0" if "kind" in fields else fields["error"]
    if "kind" not in fields and side.user:
        low = next(field for field in side.last_beat if field.name == "user").lsb
        has += f" && !{field_of('m_axis_tuser', low, 1, side.user_bits(parameters.output_bytes))}"
    widths = {field.name: field.width for field in side.last_beat}
    error = "m_axis_tuser[0]" if side.user_bits(parameters.output_bytes) > 1 else "m_axis_tuser"
    early = f"""\
            if (known && watched_out && m_axis_tvalid) begin
{promise(error, 16)}\
            end
""" if side.early else ""
    yield f"""
    // A text's first error is in the reports of all its later segments.
    reg known = 1'b0;
{"".join(f"    reg {range_of(widths[name])}known_{name};{chr(10)}" for name in names)}\
    always @(posedge aclk)
        if (!aresetn) known <= 1'b0;
        else begin
            if (taken && watched_out && m_axis_tlast) begin
                known <= !closes_out && ({has});
{"".join(f"                known_{name} <= {fields[name]};{chr(10)}" for name in names)}\
            end
            if (known && watched_out && m_axis_tvalid && m_axis_tlast) begin
{"".join(promise(f"{fields[name]} == known_{name}", 16) for name in names)}\
            end
{early}\
        end
"""


def _one_byte(parameters: TranscoderParameters) -> str:
    """Any one byte of the flow's texts: it comes out in its text and place, as it came in."""
    lanes = parameters.input_bytes
    return f"""
    // Any one byte of these texts: it comes out in its place of its text, as it came in, wherever segments end.
    (* anyseq *) reg pick;
    (* anyseq *) reg [31:0] pick_lane;
    reg picked = 1'b0, passed = 1'b0;
    reg byte_found;
    reg [7:0] byte_value, picked_value;
    reg [{SIZE - 1}:0] byte_place, picked_place;
    reg [{TEXTS - 1}:0] texts_ahead;
    wire [{SIZE - 1}:0] place = picked_place - bytes_out;
    integer in_lane, out_lane;
    always @* begin
        byte_found = 1'b0;
        byte_value = 0;
        byte_place = bytes_in;
        for (in_lane = 0; in_lane < {lanes}; in_lane = in_lane + 1)
            if ({at_lane('s_axis_tkeep', lanes, 'in_lane')}) begin
                if (in_lane == pick_lane) begin
                    byte_found = 1'b1;
                    byte_value = s_axis_tdata[8 * in_lane +: 8];
                end
                if (in_lane < pick_lane) byte_place = byte_place + 1;
            end
    end
    always @(posedge aclk)
        if (!aresetn) begin
            picked <= 1'b0;
            passed <= 1'b0;
        end else begin
            if (accepted && watched_in && pick && !picked && byte_found) begin
                picked <= 1'b1;
                picked_value <= byte_value;
                picked_place <= byte_place;
                texts_ahead <= texts - {_wide('text_out')};
            end
            if (picked && !passed && m_axis_tvalid && watched_out) begin
                if (texts_ahead != 0) texts_ahead <= texts_ahead - {_wide('text_out')};
                else begin
                    if (closes_out) begin
{promise("place < kept_out", 24)}\
                    end
                    for (out_lane = 0; out_lane < {parameters.output_bytes}; out_lane = out_lane + 1)
                        if (place == out_lane && place < kept_out) begin
{promise("m_axis_tdata[8 * out_lane +: 8] == picked_value", 28)}\
                            passed <= taken;
                        end
                end
            end
        end
"""
