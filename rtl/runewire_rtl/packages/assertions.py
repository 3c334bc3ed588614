"""Assertions of a core's promises, for a user's simulation: text in the top module that synthesis passes over.

Verilog-2005, so that every simulator has them. A broken promise is a message, and the simulation continues:

- outputs are known from the first reset on: the handshakes always, the rest while ``tvalid`` is high;
- ``tvalid`` stays high and the beat unchanged until ``tready`` is high.

Unknown input makes unknown output. The first such beat is a message too, and unknown output is none from then on.
"""

from __future__ import annotations

from collections.abc import Iterator

from runewire_model import TranscoderParameters

from ..verilog import bit_range
from .base import Bus, Package, buses

LANES_A_LINE = 8
"""Bytes of a mask in a line of Verilog."""


def _checks(parameters: TranscoderParameters) -> str:
    source, *sinks = buses(parameters)
    lines = ["`ifndef SYNTHESIS", "    // Simulation only: what the core promises about its outputs.",
             "    reg assert_reset = 1'b0, assert_unknown = 1'b0;", "    always @(posedge aclk) begin",
             "        if (!aresetn)", "            assert_reset <= 1'b1;",
             f"        if (assert_reset && ^{source.signals['tready'].name} === 1'bx)",
             f'            $display("%m: assertion failed: {source.signals["tready"].name} is unknown after reset");',
             "    end", *_known_input(source)]
    for bus in sinks:
        lines += _output(bus)
    return "\n".join([*lines, "`endif", "", ""])


def _known_input(bus: Bus) -> Iterator[str]:
    """Notes a beat whose kept bytes or other signals are unknown."""
    data, keep = bus.signals["tdata"], bus.signals["tkeep"].name
    lane = [f"{{8{{{keep}{f'[{at}]' if data.width > 8 else ''}}}}}" for at in reversed(range(data.width // 8))]
    rows = [", ".join(lane[at:at + LANES_A_LINE]) for at in range(0, len(lane), LANES_A_LINE)]
    mask = (",\n" + " " * 8).join(rows)
    others = [port.name for name, port in bus.signals.items() if name not in ("tdata", "tvalid", "tready")]
    yield f"    wire [{data.width - 1}:0] assert_kept = {data.name} & {{\n        {mask}}};"
    yield from ("    always @(posedge aclk)",
                f"        if (aresetn && {bus.signals['tvalid'].name} && {bus.signals['tready'].name}",
                f"                && !assert_unknown && ^{{assert_kept, {', '.join(others)}}} === 1'bx) begin",
                '            $display("%m: the input is unknown: from here on only handshakes are checked");',
                "            assert_unknown <= 1'b1;", "        end")


def _output(bus: Bus) -> Iterator[str]:
    """Checks a stream that the core sends."""
    valid, ready = bus.signals["tvalid"].name, bus.signals["tready"].name
    payload = [port for name, port in bus.signals.items() if name not in ("tvalid", "tready")]
    names, width = ", ".join(port.name for port in payload), sum(port.width for port in payload)
    beat, waits, before = (f"assert_{bus.name}_{what}" for what in ("beat", "waits", "before"))
    yield from (f"    wire {bit_range(width)} {beat} = {{{names}}};", f"    reg {bit_range(width)} {before};",
                f"    reg {waits} = 1'b0;", "    always @(posedge aclk) begin",
                f"        {waits} <= aresetn && {valid} && !{ready};", f"        {before} <= {beat};",
                f"        if (assert_reset && ^{valid} === 1'bx)",
                f'            $display("%m: assertion failed: {valid} is unknown after reset");',
                f"        if ({waits} && !{valid})",
                f'            $display("%m: assertion failed: {valid} fell before {ready} was high");',
                f"        else if ({waits} && {beat} !== {before})",
                f'            $display("%m: assertion failed: {bus.name} changed before {ready} was high");',
                f"        if (assert_reset && {valid} && !assert_unknown && ^{beat} === 1'bx)",
                f'            $display("%m: assertion failed: {bus.name} is unknown while {valid} is high");',
                "    end")


PACKAGE = Package("Assertions of the outputs for your simulation, in the core's Verilog", lambda parameters: {},
                  checks=_checks)
