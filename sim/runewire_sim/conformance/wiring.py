"""The Verilog module that connects a core to the bench, written from its port map."""

from collections.abc import Iterator

from .port_map import PortMap, Signal

MODULE = "conformance_top"


def passes(port_map: PortMap) -> int:
    """Number of the bench's passes: one, or two more with packets back to back."""
    return 3 if port_map.back_to_back else 1


def wiring(port_map: PortMap) -> str:
    """The module `MODULE`: an instance of the bench, one of the core, and the wires between."""
    core, source, sink = port_map.core, port_map.input, port_map.output
    driven = [*_driven(port_map)]
    widths: dict[str, int] = {}
    for signal, width in [*((signal, width) for signal, width, _ in driven), *_read(port_map)]:
        widths[signal.port] = max(widths.get(signal.port, 1), width if signal.high is None else signal.high + 1)
    wires = [f"    wire [{width - 1}:0] p_{port};" for port, width in widths.items()]
    drives = [f"    assign {_bus(signal)} = {'~' if signal.inverted else ''}{value};" for signal, _, value in driven]
    links = [f".{port}(p_{port})" for port in widths] + [f".{port}({value})" for port, value in core.constants.items()]
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    newline, comma = "\n", ",\n        "
    return f"""\
// Written by run.py from the port map of {core.top}.
`timescale 1ns/1ps

module {MODULE};
    wire clk, reset, in_first, in_last, in_valid, in_ready, out_last, out_valid, out_ready;
    wire report_valid, report_ready, report_error;
    wire [{8 * source.bytes - 1}:0] in_data;
    wire [{source.bytes - 1}:0] in_keep;
    wire [31:0] in_empty, report_kind;
    wire [63:0] report_offset;
    wire [{8 * (sink.bytes if sink else 1) - 1}:0] out_data;
    wire [{(sink.bytes if sink else 1) - 1}:0] out_keep;
{newline.join(wires)}

{newline.join(drives)}
{newline.join(f"    assign {name} = {value};" for name, value in _readings(port_map))}

    conformance_bench #(
        {comma.join(f".{name}({value})" for name, value in _settings(port_map).items())}
    ) bench (
        .clk(clk), .reset(reset),
        .in_data(in_data), .in_keep(in_keep), .in_empty(in_empty), .in_first(in_first), .in_last(in_last),
        .in_valid(in_valid), .in_ready(in_ready),
        .out_data(out_data), .out_keep(out_keep), .out_last(out_last), .out_valid(out_valid), .out_ready(out_ready),
        .report_valid(report_valid), .report_ready(report_ready), .report_error(report_error),
        .report_kind(report_kind), .report_offset(report_offset));

    {core.top} {f"#({parameters}) " if parameters else ""}core (
        {comma.join(links)});
endmodule
"""


def _driven(port_map: PortMap) -> Iterator[tuple[Signal, int, str]]:
    """The signals to the core: each with its width, and the bench's wire."""
    core, source, sink, report = port_map.core, port_map.input, port_map.output, port_map.report
    signals = [(core.clock, 1, "clk"), (core.reset, 1, "reset"),
               (source.data, 8 * source.bytes, _ordered("in_data", source.bytes, 8, source.order)),
               (source.keep, source.bytes, _kept(source.keep, source.bytes, source.order)),
               (source.empty, _bits(source.bytes), "in_empty"), (source.first, 1, "in_first"),
               (source.last, 1, "in_last"), (source.valid, 1, "in_valid"),
               (sink.ready if sink else None, 1, "out_ready"), (report.ready if report else None, 1, "report_ready")]
    return ((signal, width, value) for signal, width, value in signals if signal is not None)


def _read(port_map: PortMap) -> Iterator[tuple[Signal, int]]:
    """The signals from the core, each with the width of a port that is not written with bits."""
    source, sink, report = port_map.input, port_map.output, port_map.report
    signals = [(source.ready, 1)]
    if sink is not None:
        signals += [(sink.data, 8 * sink.bytes), (sink.valid, 1), (sink.last, 1), (sink.keep, sink.bytes),
                    (sink.empty, _bits(sink.bytes))]
    if report is not None:
        signals += [(signal, 1) for signal in (report.error, report.valid, report.kind, report.offset)]
    return ((signal, width) for signal, width in signals if signal is not None)


def _readings(port_map: PortMap) -> Iterator[tuple[str, str]]:
    """The bench's inputs, each with the expression that it reads."""
    source, sink, report = port_map.input, port_map.output, port_map.report
    yield "in_ready", _level(source.ready, "1'b1")
    if sink is None:
        yield from (("out_data", "0"), ("out_keep", "0"), ("out_last", "1'b0"), ("out_valid", "1'b0"))
    else:
        yield "out_valid", _level(sink.valid, "1'b1")
        yield "out_last", _level(sink.last, "1'b0")
        yield "out_data", _ordered(_bus(sink.data), sink.bytes, 8, sink.order)
        if sink.keep is not None:
            yield "out_keep", _keeps(sink.keep, sink.bytes, sink.order)
        elif sink.empty is not None:
            yield "out_keep", f"{{{sink.bytes}{{1'b1}}}} >> (out_last ? {_bus(sink.empty)} : 0)"
        else:
            yield "out_keep", f"{{{sink.bytes}{{1'b1}}}}"
    if report is None:
        yield from (("report_valid", "1'b0"), ("report_error", "1'b0"), ("report_kind", "0"), ("report_offset", "0"))
    else:
        strobe = "out_valid && out_ready && out_last" if port_map.report_with_output else "1'b0"
        yield "report_valid", _level(report.valid, strobe)
        yield "report_error", _level(report.error, "1'b0")
        yield "report_kind", _bus(report.kind) if report.kind else "0"
        yield "report_offset", _bus(report.offset) if report.offset else "0"


def _settings(port_map: PortMap) -> dict[str, int]:
    core, sink, report = port_map.core, port_map.output, port_map.report
    return {
        "IN_BYTES": port_map.input.bytes, "OUT_BYTES": sink.bytes if sink else 1,
        "OUT_WAITS": int(sink is not None and sink.ready is not None),
        "REPORT_WAITS": int(report is not None and report.ready is not None),
        "OUT_ENDS": int(sink is not None and sink.last is not None),
        "REPORT_ENDS": int(report is not None),
        "SETTLE": -1 if core.settle is None else core.settle,
        "FRAMED": int(port_map.framed), "PASSES": passes(port_map), "RESET_CYCLES": core.reset_cycles,
        "PATIENCE": core.patience,
    }


def _level(signal: Signal | None, otherwise: str) -> str:
    if signal is None:
        return otherwise
    return f"{'~' if signal.inverted else ''}{_bus(signal)}"


def _bus(signal: Signal) -> str:
    return f"p_{signal.port}" if signal.high is None else f"p_{signal.port}[{signal.high}:{signal.low}]"


def _ordered(bus: str, count: int, width: int, order: str) -> str:
    """The elements of a bus, the first one in the lowest bits. ``bus``: a wire, or a range of one."""
    if order == "little" or count == 1:
        return bus
    name, _, bits = bus.partition("[")
    low = int(bits.rstrip("]").partition(":")[2]) if bits else 0
    return "{" + ", ".join(f"{name}[{low + width * at + width - 1}:{low + width * at}]" for at in range(count)) + "}"


def _kept(signal: Signal | None, count: int, order: str) -> str:
    """The bench's keep bits, one for each group of bytes that share a bit of the core's signal."""
    groups = count if signal is None or signal.high is None else signal.high - signal.low + 1
    bits = [f"in_keep[{group * (count // groups)}]" for group in range(groups)]
    return "{" + ", ".join(bits if order == "big" else reversed(bits)) + "}"


def _keeps(signal: Signal, count: int, order: str) -> str:
    """A keep bit for each byte of the output, the first one lowest."""
    groups = count if signal.high is None else signal.high - signal.low + 1
    bits = [f"{{{count // groups}{{p_{signal.port}[{signal.low + group}]}}}}" for group in range(groups)]
    return f"{'~' if signal.inverted else ''}{{{', '.join(bits if order == 'big' else reversed(bits))}}}"


def _bits(count: int) -> int:
    return max(1, (count - 1).bit_length())
