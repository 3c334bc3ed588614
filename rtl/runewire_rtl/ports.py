"""The ports of a core on the bus, the one table that all files use: AXI4-Stream (Arm IHI 0051)."""

from __future__ import annotations

from typing import NamedTuple

from runewire_model import TranscoderParameters

from .cut_points import cut_point

KEEP = "s_axis_tkeep"
"""The input that defaults to all ones if nothing else drives it: then every byte is kept."""


class Port(NamedTuple):
    """A port: its name, "input" or "output", its width in bits, and its meaning."""

    name: str
    direction: str
    width: int
    text: str


@cut_point
def ports(parameters: TranscoderParameters) -> list[Port]:
    """The ports of a core's top module, in order."""
    side, passes = parameters.sidebands, parameters.target is None
    made = "the input's bytes" if passes else str(parameters.writes)
    bad = "" if parameters.moves_bytes else "; bit 0: it is bad"
    more = "" if side.flows is None else f"; bit {side.user}: the text continues in the flow's next packet"
    beside = [
        ("tuser", side.input_user, f"the packet's, on its last beat{bad if side.user else ''}{more}"),
        ("tid", side.id, "the packet's, the same on all its beats"),
        ("tdest", side.dest, "the packet's, the same on all its beats"),
    ]
    user = side.user_bits(parameters.output_bytes)
    kept = "any" if parameters.holes else "all ones but on a packet's last beat"
    what = "tuser" if parameters.moves_bytes and not parameters.filters else "report"
    told = " and ".join([*([f"the packet's {what}, on its last beat"] if side.last_beat else []),
                         *(["the records' ends"] if side.records is not None else [])])
    found = [
        Port("aclk", "input", 1, "clock, rising edge"),
        Port("aresetn", "input", 1, "reset, synchronous, active low, for one cycle or more"),
        Port("s_axis_tdata", "input", 8 * parameters.input_bytes, f"{parameters.reads}, first byte in bits 7 to 0"),
        Port("s_axis_tkeep", "input", parameters.input_bytes,
             f"bytes that count; {kept}"),
        Port("s_axis_tvalid", "input", 1, "a beat is offered"),
        Port("s_axis_tready", "output", 1, "it is taken"),
        Port("s_axis_tlast", "input", 1, "it is its packet's last"),
        *(Port(f"s_axis_{name}", "input", width, text) for name, width, text in beside if width),
        Port("m_axis_tdata", "output", 8 * parameters.output_bytes,
             f"{made}, first byte in bits 7 to 0; zero where not kept"),
        Port("m_axis_tkeep", "output", parameters.output_bytes, "bytes that count"),
        Port("m_axis_tvalid", "output", 1, "a beat is offered, and stays until taken"),
        Port("m_axis_tready", "input", 1, "it is taken"),
        Port("m_axis_tlast", "output", 1, "it is its packet's last"),
        *([Port("m_axis_tuser", "output", user, told)] if user else []),
        *(Port(f"m_axis_{name}", "output", width, text) for name, width, text in beside[1:] if width),
    ]
    if side.report_bytes:
        found += [
            Port("m_report_tdata", "output", 8 * side.report_bytes, "a packet's report"),
            Port("m_report_tvalid", "output", 1, "one is offered, after the packet's last beat was taken"),
            Port("m_report_tready", "input", 1, "it is taken"),
        ]
    if side.record_report:
        found += [
            Port("m_records_tdata", "output", 8 * side.record_bytes, "an ill-formed record"),
            Port("m_records_tvalid", "output", 1, "one is offered, and stays until taken"),
            Port("m_records_tready", "input", 1, "it is taken"),
        ]
    return [*found, *(_rejects(parameters) if side.rejects else ())]


def _rejects(parameters: TranscoderParameters) -> list[Port]:
    """The ports of a filter's rejected records."""
    side, size = parameters.sidebands, parameters.output_bytes
    return [
        Port("m_rejects_tdata", "output", 8 * size,
             "a rejected record, first byte in bits 7 to 0; zero where not kept"),
        Port("m_rejects_tkeep", "output", size, "bytes that count"),
        Port("m_rejects_tvalid", "output", 1, "a beat is offered, and stays until taken"),
        Port("m_rejects_tready", "input", 1, "it is taken"),
        Port("m_rejects_tlast", "output", 1, "it is its record's last"),
        Port("m_rejects_tuser", "output", sum(field.width for field in side.reject_end),
             "why the record is rejected, and its number, on its last beat"),
        *(Port(f"m_rejects_t{name}", "output", width, "the record's packet's") for name, width in side.tags.items()),
    ]
