"""Formal properties of a core's ports, for SymbiYosys and other model checkers: a module to bind to the core or to
instantiate next to it, and a job that checks the core alone.

The module asserts the promises of `docs/interface.md` at the outputs, and assumes the core's contract at the inputs. It
does not check the text, except where the text passes through. Cores that work on records have more: `formal_records`.
"""

from __future__ import annotations

from collections.abc import Iterator

from runewire_model import TranscoderParameters

from ..parameters import timing
from ..ports import ports
from ..reset_sequencer import start_cycles
from ..verilog import TIMESCALE, bit_range, top_name
from .base import Bus, Package, buses, title
from .formal_flows import flow_texts, further_beats, quiet_cycles
from .formal_records import filter_streams, flags, record_report, split_packets

INSIDE_BITS = 9
"""Width of the count of beats and packets inside a core: more than all of its rows and registers."""
BEYOND = 6
"""Cycles that the job checks after a start and after one beat's latency."""
RECORDS_LATER = 3
"""Greatest ratio of the latency of a record report and of its core: 35 to 18 cycles in one lane, 69 to 26 in 64."""

_FULL = """\
    // The input's contract: beats are full but a packet's last, which keeps its first lanes.
    always @(posedge aclk)
        if (aresetn && s_axis_tvalid) begin
            `RUNEWIRE_CONTRACT((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == 0)
            `RUNEWIRE_CONTRACT(s_axis_tlast || &s_axis_tkeep)
        end
"""

_REPORTS = """
    // A report comes after its packet's last beat; while two wait, no last beat is offered.
    reg [1:0] owed = 0;
    always @(posedge aclk)
        if (!aresetn) owed <= 0;
        else begin
            owed <= owed + {1'b0, taken && m_axis_tlast} - {1'b0, m_report_tvalid && m_report_tready};
            if (m_report_tvalid) begin
                `RUNEWIRE_PROMISE(owed != 0)
            end
            if (owed == 2) begin
                `RUNEWIRE_PROMISE(!(m_axis_tvalid && m_axis_tlast))
            end
        end
"""


def checks(parameters: TranscoderParameters) -> str:
    """The text of the module of assertions. Its name is the top module's name and ``_formal``."""
    top, table = top_name(parameters), ports(parameters)
    start = quiet_cycles(parameters)
    width = max(len(bit_range(port.width)) for port in table)
    declared = ",\n".join(f"    input wire {bit_range(port.width):<{width}} {port.name}" for port in table)
    source, sink, *others = buses(parameters)
    streams = [part for bus in (source, sink, *others) for part in _stream(bus)]
    quiet = "".join(f" && !{bus.signals['tready' if bus.slave else 'tvalid'].name}" for bus in (source, sink, *others))
    return TIMESCALE + f"""\
// Assertions about {top}: {title(parameters)}.
// SPDX-License-Identifier: Apache-2.0
//
// All ports are the core's, by their names. Where a tool knows how, it is bound to the core:
//     bind {top} {top}_formal formal (.*);
// Yosys takes an instance beside the core instead. With USES 0 the input's contract is assumed, and what the core
// promises is asserted. With USES 1 it is the other way round: for the design around the core, itself left out.

`define RUNEWIRE_CONTRACT(what) if (USES) begin assert (what); end else begin assume (what); end
`define RUNEWIRE_PROMISE(what) if (USES) begin assume (what); end else begin assert (what); end

module {top}_formal #(
    parameter USES = 0
) (
{declared}
);
    wire accepted = s_axis_tvalid && s_axis_tready;
    wire taken = m_axis_tvalid && m_axis_tready;

    // Cycles since the last one in reset, or since the first.
    reg [{(start + 1).bit_length() - 1}:0] awake = 1;
    always @(posedge aclk)
        if (!aresetn) awake <= 1;
        else if (awake < {start}) awake <= awake + 1'b1;

    always @(posedge aclk)
        if (aresetn && awake < {start}) begin
            `RUNEWIRE_PROMISE({quiet.removeprefix(' && ')})
        end

    // A beat that is offered stays as it is until it is taken.
    reg held = 1'b0;
    always @(posedge aclk) held <= aresetn;
{"".join(streams)}
{"" if parameters.holes else _FULL}{"".join(_tags(parameters))}
{_shape(parameters)}{_REPORTS if parameters.sidebands.report_bytes else ""}{"".join(_of_packets(parameters))}endmodule

`undef RUNEWIRE_CONTRACT
`undef RUNEWIRE_PROMISE
"""


def _of_packets(parameters: TranscoderParameters) -> Iterator[str]:
    """What comes out against what came in: packets, records, and the streams of these."""
    yield split_packets(parameters) if parameters.splits else _packet(parameters)
    if parameters.sidebands.flows is not None:
        yield flow_texts(parameters)
    if parameters.filters:
        yield filter_streams(parameters)
    if parameters.sidebands.record_report:
        yield record_report(parameters)


def _stream(bus: Bus) -> Iterator[str]:
    """Stability: `valid` and the payload hold until the handshake."""
    side = "CONTRACT" if bus.slave else "PROMISE"
    payload = [port for signal, port in bus.signals.items() if signal not in ("tvalid", "tready")]
    yield f"\n    reg {bus.name}_waits = 1'b0;\n"
    yield from (f"    reg {_bits(port.width)}{port.name}_before;\n" for port in payload)
    yield f"""\
    always @(posedge aclk) begin
        {bus.name}_waits <= aresetn && {bus.name}_tvalid && !{bus.name}_tready;
{"".join(f"        {port.name}_before <= {port.name};{chr(10)}" for port in payload)}\
        if (held && aresetn && {bus.name}_waits) begin
            `RUNEWIRE_{side}({bus.name}_tvalid)
{"".join(f"            `RUNEWIRE_{side}({port.name} == {port.name}_before){chr(10)}" for port in payload)}\
        end
    end
"""


def _bits(width: int) -> str:
    return f"{bit_range(width)} " if width > 1 else ""


def _tags(parameters: TranscoderParameters) -> Iterator[str]:
    """Packets do not interleave: tags are constant over a packet."""
    tags = parameters.sidebands.tags
    if not tags:
        return
    yield "\n    // All beats of a packet have the same tags.\n    reg amid = 1'b0;\n"
    yield "    always @(posedge aclk)\n        if (!aresetn) amid <= 1'b0;\n"
    yield "        else if (accepted) amid <= !s_axis_tlast;\n"
    for name, width in tags.items():
        yield f"""\
    reg {_bits(width)}packet_t{name};
    always @(posedge aclk) begin
        if (accepted) packet_t{name} <= s_axis_t{name};
        if (aresetn && s_axis_tvalid && amid) begin
            `RUNEWIRE_CONTRACT(s_axis_t{name} == packet_t{name})
        end
    end
"""


def _shape(parameters: TranscoderParameters) -> str:
    """Shape of an output beat: which lanes may be kept, and when."""
    side, size = parameters.sidebands, parameters.writes.unit_bytes
    sparse = parameters.target is not None and parameters.in_place
    low = side.last_beat_width
    dense = """\
            `RUNEWIRE_PROMISE((m_axis_tkeep & (m_axis_tkeep + 1'b1)) == 0)
            `RUNEWIRE_PROMISE(m_axis_tlast || &m_axis_tkeep)
"""
    units = f"""\
            for (lane = 0; lane < {parameters.output_bytes}; lane = lane + {size}) begin
                `RUNEWIRE_PROMISE(m_axis_tkeep[lane] == m_axis_tkeep[lane + {size} - 1])
            end
"""
    # With `early` the error bit may be set before.
    first = int(side.early)
    report = f"m_axis_tuser[{low - 1}:{first}]" if side.user_bits(parameters.output_bytes) > 1 else "m_axis_tuser"
    told = f"""\
            if (!m_axis_tlast) begin
                `RUNEWIRE_PROMISE({report} == 0)
            end
"""
    keep = "m_axis_tkeep[lane]" if parameters.output_bytes > 1 else "m_axis_tkeep"
    return f"""\
    // {"Units are kept as a whole" if sparse else "Beats are full but a packet's last"}, \
zero where not kept; only a packet's last beat has its report.
    integer lane;
    always @(posedge aclk)
        if (aresetn && m_axis_tvalid) begin
{units if sparse and size > 1 else "" if sparse else dense}\
            for (lane = 0; lane < {parameters.output_bytes}; lane = lane + 1)
                if (!{keep}) begin
                    `RUNEWIRE_PROMISE(m_axis_tdata[8 * lane +: 8] == 0)
                end
{"".join(flags(parameters))}{told if low > first else ""}\
        end
"""


def _packet(parameters: TranscoderParameters) -> str:
    """Beats in against beats out, for an arbitrary packet, and for an arbitrary beat if each input beat is one output
    beat."""
    side, bits = parameters.sidebands, INSIDE_BITS
    # Where null bytes may be anywhere, beats are packed before they are passed.
    # Of a text in segments, bytes move to the next beat or packet.
    placed = parameters.in_place and not parameters.holes and side.flows is None
    tags = [f"t{name}" for name in side.tags]
    user_lsb = next((field.lsb for field in side.last_beat if field.name in ("user", "more")), 0)
    user = (f"m_axis_tuser[{user_lsb + side.input_user - 1}:{user_lsb}]"
            if side.user_bits(parameters.output_bytes) > 1 else "m_axis_tuser")
    through = parameters.target is None
    kept = ["tlast", *(["tkeep", "tdata"] if through else [])]
    remembered = {signal: port for signal, port in buses(parameters)[0].signals.items() if signal in (*kept, *tags)}
    beat = f"""
    // Any one beat, the core being told nothing of the choice: it comes out in its place{
        ", as it came in" if through else ""}.
    (* anyseq *) reg pick;
    reg picked = 1'b0, passed = 1'b0;
    reg [{bits - 1}:0] beats_ahead, held_beats = 0;
{"".join(f"    reg {_bits(port.width)}picked_{signal};{chr(10)}" for signal, port in remembered.items())}\
    always @(posedge aclk)
        if (!aresetn) begin
            held_beats <= 0;
            picked <= 1'b0;
            passed <= 1'b0;
        end else begin
            held_beats <= held_beats + {_wide('accepted')} - {_wide('taken')};
            if (m_axis_tvalid) begin
                `RUNEWIRE_PROMISE(held_beats != 0)
            end
            if (accepted && pick && !picked) begin
                picked <= 1'b1;
                beats_ahead <= held_beats - {_wide('taken')};
{"".join(f"                picked_{signal} <= {port.name};{chr(10)}" for signal, port in remembered.items())}\
            end
            if (picked && !passed && taken) begin
                beats_ahead <= beats_ahead - 1'b1;
                passed <= beats_ahead == 0;
            end
            if (picked && !passed && m_axis_tvalid && beats_ahead == 0) begin
{"".join(f"                `RUNEWIRE_PROMISE(m_axis_{name} == picked_{name}){chr(10)}"
         for name in remembered if name != "tdata")}\
{_same_data(parameters) if through else ""}\
            end
        end
"""
    # In a compact core, a mark may leave while its packet's first beat enters.
    packet = f"""
    // Any one packet, the core being told nothing of the choice: its last beat comes out after it came in,
    // and it has {"as many beats as" if placed else "no more beats than"} came in{
        ", and one of the mark that is added" if parameters.mark_beats else ""}{
        ", and those of bytes from the segment before" if side.flows is not None else ""}.
    (* anyseq *) reg choose;
    reg [{bits - 1}:0] packets = 0, packets_ahead, beats_in, beats_out;
    reg begins = 1'b1, chosen = 1'b0, ended = 1'b0, left = 1'b0;
{"".join(f"    reg {_bits(side.tags[name[1:]])}chosen_{name};{chr(10)}" for name in tags)}\
{f"    reg {_bits(side.input_user)}chosen_user;{chr(10)}" if side.input_user else ""}\
    wire first = accepted && begins && choose && !chosen;
    always @(posedge aclk)
        if (!aresetn) begin
            packets <= 0;
            begins <= 1'b1;
            chosen <= 1'b0;
            ended <= 1'b0;
            left <= 1'b0;
        end else begin
            packets <= packets + {_wide('accepted && s_axis_tlast')} - {_wide('taken && m_axis_tlast')};
            if (m_axis_tvalid && m_axis_tlast) begin
                `RUNEWIRE_PROMISE(packets != 0)
            end
            if (accepted) begins <= s_axis_tlast;
            if (first) begin
                chosen <= 1'b1;
                packets_ahead <= packets - {_wide('taken && m_axis_tlast')};
                beats_in <= {1 + parameters.mark_beats + further_beats(parameters)};
                beats_out <= {"(taken && packets == 0) ? 1 : 0" if parameters.mark_beats else "0"};
                ended <= s_axis_tlast;
{"".join(f"                chosen_{name} <= s_axis_{name};{chr(10)}" for name in tags)}\
{f"                chosen_user <= s_axis_tuser;{chr(10)}" if side.input_user else ""}\
            end else if (chosen && !ended && accepted) begin
                if (!(&beats_in)) beats_in <= beats_in + 1'b1;
                ended <= s_axis_tlast;
{f"                chosen_user <= s_axis_tuser;{chr(10)}" if side.input_user else ""}\
            end
            if (chosen && !left && taken) begin
                if (packets_ahead != 0) packets_ahead <= packets_ahead - {_wide('m_axis_tlast')};
                else begin
                    if (!(&beats_out)) beats_out <= beats_out + 1'b1;
                    left <= m_axis_tlast;
                end
            end
            if (chosen && !left && packets_ahead == 0 && m_axis_tvalid) begin
{"".join(f"                `RUNEWIRE_PROMISE(m_axis_{name} == chosen_{name}){chr(10)}" for name in tags)}\
                if (!(&beats_in)) begin
                    `RUNEWIRE_PROMISE(beats_out < beats_in)
                end
                if (m_axis_tlast) begin
                    `RUNEWIRE_PROMISE(ended)
{f"                    `RUNEWIRE_PROMISE({user} == chosen_user){chr(10)}" if side.input_user else ""}\
{f"                    `RUNEWIRE_PROMISE(&beats_in || beats_out + 1'b1 == beats_in){chr(10)}"
 if placed else ""}\
                end
            end
        end
"""
    return packet + (beat if placed and not parameters.mark_beats else "")


def _wide(bit: str) -> str:
    """A bit as wide as the counts of beats and packets: Verilator 5.006 warns about sums of different widths."""
    return f"{{{INSIDE_BITS - 1}'d0, {bit}}}"


def _same_data(parameters: TranscoderParameters) -> str:
    keep = "m_axis_tkeep[lane]" if parameters.output_bytes > 1 else "m_axis_tkeep"
    return f"""\
                for (lane = 0; lane < {parameters.output_bytes}; lane = lane + 1)
                    if ({keep}) begin
                        `RUNEWIRE_PROMISE(m_axis_tdata[8 * lane +: 8] == picked_tdata[8 * lane +: 8])
                    end
"""


def job(parameters: TranscoderParameters) -> str:
    """SymbiYosys' job: the core alone, from its start until a few beats have passed."""
    top, table = top_name(parameters), ports(parameters)
    latency = timing(parameters).latency
    passing = latency * (RECORDS_LATER if parameters.sidebands.record_report else 1)
    inputs = ", ".join(f"input wire {bit_range(port.width)} {port.name}".replace("  ", " ")
                       for port in table[2:] if port.direction == "input")
    wires = "\n".join(f"    wire {bit_range(port.width)} {port.name};".replace("  ", " ")
                      for port in table if port.direction == "output")
    links = ", ".join(f".{port.name}({port.name})" for port in table)
    return f"""\
# SymbiYosys: sby -f {top}_formal.sby
# SPDX-License-Identifier: Apache-2.0
[options]
mode bmc
depth {start_cycles(latency, parameters.sidebands) + passing + BEYOND}

[engines]
abc bmc3

[script]
read_verilog -formal {top}.v
read_verilog -sv -formal {top}_formal.sv
read_verilog -sv -formal top.sv
prep -top top

[files]
{top}.v
{top}_formal.sv

[file top.sv]
module top (input wire aclk, {inputs});
    // One cycle of reset: until the core takes a beat there is then one way to go.
    reg aresetn = 1'b0;
    always @(posedge aclk) aresetn <= 1'b1;
{wires}
    {top} core ({links});
    {top}_formal formal ({links});
endmodule
"""


def _files(parameters: TranscoderParameters) -> dict[str, str]:
    top = top_name(parameters)
    return {f"{top}_formal.sv": checks(parameters), f"{top}_formal.sby": job(parameters)}


PACKAGE = Package("model checkers: assertions about the ports, to bind to the core, and a job for SymbiYosys", _files)
