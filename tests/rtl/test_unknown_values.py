"""Pessimistic propagation of unknown values in the delivered Verilog: an unknown condition gives an unknown result.

A simulator of Verilog takes an unknown condition for false, which may hide a register without a reset; `test_damage.py`
has that propagation. Here Yosys makes AND and NOT gates of the same text. Each bit is a pair: it may be 0, it may be 1.
So a choice by an unknown bit is unknown, even between equal values. All registers and memories start unknown, and idle
inputs are unknown. After one cycle of reset come packets, in many runs at once: a run is a bit of each number.
"""

import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import yowasp
from runewire_rtl.verilog import top_name, verilog_text

RUNS = 24
"""Simulated at once."""
EVERY = (1 << RUNS) - 1
UNKNOWN = (EVERY, EVERY)
Value = tuple[int, int]
"""Runs in which a bit may be 0, and runs in which it may be 1."""
SCRIPT = """\
read_verilog core.v
hierarchy -check -top {top}
proc -noopt
flatten
memory_collect
memory_map
techmap
simplemap
dffunmap
opt_clean
aigmap
opt_clean
write_json core.json
"""


class Gates:
    """A core as AND, NOT and flip-flops. ``ports``: bits of each port. ``step``: from the state and the inputs, the
    outputs and the next state."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.ports: dict[str, list[Any]] = {name: port["bits"] for name, port in module["ports"].items()}
        ways = {name: port["direction"] for name, port in module["ports"].items()}
        cells = [cell for cell in module["cells"].values() if cell["type"] != "$scopeinfo"]
        flops = [cell["connections"] for cell in cells if cell["type"] == "$_DFF_P_"]
        gates = {cell["connections"]["Y"][0]: cell["connections"] for cell in cells if cell["type"] != "$_DFF_P_"}
        assert {cell["type"] for cell in cells} == {"$_DFF_P_", "$_AND_", "$_NOT_"}
        self.state = [UNKNOWN] * len(flops)
        self.inputs = [name for name, way in ways.items() if way == "input" and name != "aclk"]
        self.outputs = [name for name, way in ways.items() if way == "output"]
        self.widths = {name: len(bits) for name, bits in self.ports.items()}
        given = [*(flop["Q"][0] for flop in flops), *(bit for name in self.inputs for bit in self.ports[name])]
        wanted = [*(bit for name in self.outputs for bit in self.ports[name]), *(flop["D"][0] for flop in flops)]
        self._shown = len(wanted) - len(flops)
        self._function = compiled(given, gates, wanted)

    def outcome(self, inputs: dict[str, list[Value]]) -> tuple[dict[str, list[Value]], list[Value]]:
        """The outputs, and the next state."""
        found = self._function([*self.state, *(bit for name in self.inputs for bit in inputs[name])])
        bits = iter(found[: self._shown])
        return {name: [next(bits) for _ in range(self.widths[name])] for name in self.outputs}, found[self._shown :]


def compiled(given: list[Any], gates: dict[Any, Any], wanted: list[Any]) -> Callable[[list[Value]], list[Value]]:
    """The gates as a function of Python, each before the gates that it drives."""
    def pair(bit: Any) -> tuple[str, str]:
        return {"0": ("A", "0"), "1": ("0", "A"), "x": ("A", "A")}.get(bit, (f"l{bit}", f"h{bit}"))

    lines = [f"[{', '.join(f'(l{bit}, h{bit})' for bit in given)}] = given"]
    done = {*given, "0", "1", "x"}
    left = list(reversed(wanted))
    while left:
        bit = left[-1]
        missing = [] if bit in done else [pin for port in ("A", "B") for pin in gates[bit].get(port, ())
                                          if pin not in done]
        if missing:
            left += missing
            continue
        left.pop()
        if bit in done:
            continue
        done.add(bit)
        low, high = pair(gates[bit]["A"][0])
        if "B" in gates[bit]:
            also_low, also_high = pair(gates[bit]["B"][0])
            lines.append(f"l{bit} = {low} | {also_low}; h{bit} = {high} & {also_high}")
        else:
            lines.append(f"l{bit} = {high}; h{bit} = {low}")
    lines.append(f"return [{', '.join('({}, {})'.format(*pair(bit)) for bit in wanted)}]")
    text = "\n    ".join(["def function(given):", *lines])
    space: dict[str, Any] = {"A": EVERY}
    exec(text, space)
    made: Callable[[list[Value]], list[Value]] = space["function"]
    return made


def gates_of(verilog: str, top: str, folder: Path) -> Gates:
    (folder / "core.v").write_text(verilog)
    (folder / "script.ys").write_text(SCRIPT.format(top=top))
    subprocess.run([*yowasp.command("yosys"), "-q", "script.ys"], cwd=folder, check=True, capture_output=True)
    return Gates(json.loads((folder / "core.json").read_text())["modules"][top])


@dataclass
class Source:
    """The packets of a run. ``beat``: data, keep and last of the valid beat. ``ended``: no beat is left."""

    beats: Iterator[tuple[bytes, int, bool]]
    beat: tuple[bytes, int, bool] | None = None
    ended: bool = False

    def advance(self, rng: random.Random) -> None:
        """The next beat becomes valid, or the source pauses."""
        if self.beat is None and rng.random() < 0.7:
            self.beat = next(self.beats, None)
            self.ended = self.beat is None


@dataclass
class Sink:
    """What comes out of a run: complete packets, each with its report."""

    packets: list[tuple[bytes, int]] = field(default_factory=list)
    output: bytes = b""


def beats_of(core: TranscoderParameters, packets: list[bytes]) -> Iterator[tuple[bytes, int, bool]]:
    size = core.input_bytes
    for packet in packets:
        for start in range(0, max(1, len(packet)), size):
            part = packet[start : start + size]
            yield part, (1 << len(part)) - 1, start + size >= len(packet)


def word(values: list[tuple[int, int]]) -> list[Value]:
    """The bits of a port: ``values`` are each run's number, and the mask of its known bits."""
    width = max(1, max(known.bit_length() for _, known in values))
    found = []
    for bit in range(width):
        low = high = 0
        for run, (number, known) in enumerate(values):
            if not known >> bit & 1 or not number >> bit & 1:
                low |= 1 << run
            if not known >> bit & 1 or number >> bit & 1:
                high |= 1 << run
        found.append((low, high))
    return found


class Unknown(AssertionError):
    """An unknown value at an output."""


def number(ports: dict[str, list[Value]], run: int, cycle: int, name: str) -> int:
    """The number at a port in a run. Raises `Unknown`."""
    found = 0
    for index, (low, high) in enumerate(ports[name]):
        if low >> run & high >> run & 1:
            raise Unknown(f"cycle {cycle}: {name}[{index}] is unknown")
        found |= (high >> run & 1) << index
    return found


def simulated(core: TranscoderParameters, gates: Gates, packets: list[list[bytes]], seed: int) -> list[Sink]:
    """The output of each run. Raises `Unknown` for an unknown value after the reset: of `ready` and `valid` in any
    cycle, of the rest from the first cycle on in which a beat may be taken."""
    rng = random.Random(seed)
    sources = [Source(beats_of(core, each)) for each in packets]
    sinks = [Sink() for _ in packets]
    started = [False] * RUNS
    data = 8 * core.input_bytes

    def fill(values: list[tuple[int, int]], width: int) -> list[Value]:
        found = word(values)
        return [*found, *[UNKNOWN] * (width - len(found))]

    inputs = {name: [UNKNOWN] * gates.widths[name] for name in gates.inputs}
    inputs["aresetn"] = [(EVERY, 0)]
    _, gates.state = gates.outcome(inputs)
    quiet = cycle = 0
    while quiet < 40:
        cycle += 1
        assert cycle < 3000, "it hangs"
        for source in sources:
            source.advance(rng)
        offered = [source.beat for source in sources]
        inputs = {
            "aresetn": [(0, EVERY)],
            "s_axis_tvalid": word([(int(beat is not None), 1) for beat in offered]),
            "s_axis_tlast": fill([(int(beat[2]), 1) if beat else (0, 0) for beat in offered], 1),
            "s_axis_tkeep": fill([(beat[1], (1 << core.input_bytes) - 1) if beat else (0, 0) for beat in offered],
                                 core.input_bytes),
            # Bytes that are not kept are unknown, and all between beats.
            "s_axis_tdata": fill([(int.from_bytes(beat[0], "little"), (1 << 8 * len(beat[0])) - 1) if beat else (0, 0)
                                  for beat in offered], data),
        }
        readies = [int(rng.random() < 0.6) for _ in sources]
        inputs["m_axis_tready"] = word([(ready, 1) for ready in readies])
        shown, gates.state = gates.outcome(inputs)
        busy = False
        for run, (source, sink) in enumerate(zip(sources, sinks, strict=True)):
            at = partial(number, shown, run, cycle)
            ready, valid = at("s_axis_tready"), at("m_axis_tvalid")
            started[run] = started[run] or bool(ready)
            if started[run] or valid:
                last, keep, output, report = map(at, ("m_axis_tlast", "m_axis_tkeep", "m_axis_tdata", "m_axis_tuser"))
                if valid and readies[run]:
                    octets = output.to_bytes(core.output_bytes, "little")
                    sink.output += bytes(octet for lane, octet in enumerate(octets) if keep >> lane & 1)
                    if last:
                        sink.packets.append((sink.output, report))
                        sink.output = b""
            if ready and source.beat is not None:
                source.beat = None
            busy = busy or bool(valid) or not source.ended
        quiet = 0 if busy else quiet + 1
    return sinks


def reported(core: TranscoderParameters, packet: bytes) -> tuple[bytes, int]:
    """The golden output and report."""
    result = core.compute(packet)
    error = result.error
    return result.output, 0 if error is None else 1 | error.kind << 1 | error.offset << 4


PIECES = [b"A", "é".encode(), "€".encode(), "😀".encode(), b"\x80", b"\xC0\x80", b"\xE2\x82", b"\xED\xA0\x80", b"\xFF"]
UNITS = [0x41, 0xE9, 0x20AC, 0xD800, 0xDBFF, 0xDC00, 0x1F600, 0x110000]


def traffic(core: TranscoderParameters, seed: int) -> list[list[bytes]]:
    """Packets for each run."""
    rng = random.Random(seed)
    size = core.reads.unit_bytes
    pieces = PIECES if size == 1 else [
        (unit % (1 << 8 * size)).to_bytes(size, core.reads.byte_order) for unit in UNITS]

    def packet() -> bytes:
        octets = b"".join(rng.choices(pieces, k=rng.randrange(9)))
        return octets[: len(octets) - rng.randrange(size)] if octets else octets

    return [[packet() for _ in range(3)] for _ in range(RUNS)]


def check(core: TranscoderParameters, verilog: str, folder: Path) -> None:
    packets = traffic(core, 3)
    sinks = simulated(core, gates_of(verilog, top_name(core), folder), packets, 5)
    for each, sink in zip(packets, sinks, strict=True):
        assert sink.packets == [reported(core, packet) for packet in each]


def slow(*marks: pytest.MarkDecorator, **options: object) -> Any:
    return pytest.param(options, marks=[pytest.mark.slow, *marks])


COMPACT = {"core": "validator", "lanes": 1, "pipeline": "compact"}
CORES = [
    COMPACT, {**COMPACT, "core": "decoder"}, {**COMPACT, "core": "encoder"},
    slow(core="validator", lanes=1), slow(core="decoder", lanes=1), slow(core="encoder", lanes=1),
    slow(core="decoder", lanes=2, packing="sparse"), slow(core="sanitizer", lanes=1, pipeline="compact"),
    slow(core="decoder", lanes=1, bom="strip", pipeline="compact"), slow(core="decoder", lanes=4, pipeline="compact"),
    slow(core="validator", lanes=8), slow(pytest.mark.records, core="decoder", lanes=8),
    slow(**{"core": "transcoder", "from": "utf-16", "to": "utf-8", "lanes": 1, "pipeline": "compact"}),
]


@pytest.mark.parametrize("options", CORES, ids=lambda options: "-".join(map(str, options.values())))
def test_nothing_unknown_reaches_an_output(options, tmp_path: Path, without_initial_values) -> None:
    core = TranscoderParameters.of(options)
    check(core, without_initial_values(verilog_text(core)), tmp_path)


@pytest.mark.parametrize(("pattern", "replacement", "port"), [
    # No reset sets this register, from which `ready` comes.
    (r"if \(rst\) begin\s*phases <= 3'b111;\s*end else if", "if", "s_axis_tready"),
    # Verilog takes the unknown condition for false, so its simulation shows the right bit.
    (r"\.m_axis_tlast +\(m_axis_tlast\)", ".m_axis_tlast (last)", "m_axis_tlast"),
], ids=["a register of the reset", "a condition"])
def test_a_register_without_a_reset_is_found(
    pattern: str, replacement: str, port: str, tmp_path: Path, without_initial_values,
) -> None:
    core = TranscoderParameters.of(COMPACT)
    verilog, hits = re.subn(pattern, replacement, without_initial_values(verilog_text(core)), count=1)
    assert hits == 1
    if "(last)" in replacement:
        verilog = verilog.replace("endmodule", """
            wire last;
            reg stray, shown;
            always @(posedge aclk) stray <= stray;
            always @* if (stray) shown = 1'b1; else shown = last;
            assign m_axis_tlast = shown;
        endmodule""", 1)
    with pytest.raises(Unknown, match=rf"^cycle \d+: {port}\[0\] is unknown$"):
        check(core, verilog, tmp_path)
