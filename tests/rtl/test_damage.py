"""Damage on the generated Verilog: resets inside packets, beats out of contract, unknown values.

Icarus runs it without initial values, so every register is unknown before reset. All inputs without information are
unknown too. No unknown value may reach an output. Hypothesis generates the rest.
"""

import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st
from runewire_model import ENCODINGS, ErrorKind, FirstError, decode, validate
from runewire_model.scalars import REPLACEMENT, scalar_error
from runewire_rtl import TranscoderParameters, describe, generate

pytestmark = pytest.mark.icarus

ACTIONS = 600
"""At most, in a run."""
BRIEF = settings(max_examples=15, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
"""A failure is reported as found: shrinking it would take minutes of simulation."""

BENCH = """\
`timescale 1ns/1ns
module bench;
    localparam I = {input_bytes}, O = {output_bytes};
    reg aclk = 1'b0, aresetn = 1'b1, checked = 1'b0, started = 1'b0;
    always #5 aclk = ~aclk;
    reg [8*I-1:0] s_axis_tdata;
    reg [I-1:0] s_axis_tkeep;
    reg s_axis_tvalid, s_axis_tlast, m_axis_tready;
    wire [8*O-1:0] m_axis_tdata;
    wire [O-1:0] m_axis_tkeep;
    wire m_axis_tvalid, m_axis_tlast, s_axis_tready;
    wire [35:0] m_axis_tuser;
    {top} core (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser)
    );

    // An action is, in hexadecimal digits: reset, last, keep, data.
    reg [4*(2+(I+3)/4+2*I)-1:0] actions [0:{most}-1];
    wire [4*(2+(I+3)/4+2*I)-1:0] action = actions[next];
    wire is_reset = action[4*(1+(I+3)/4+2*I)];
    integer next = 0, quiet = 0, hold, count, source, sink, seed;

    initial begin
        $readmemh("actions.hex", actions);
        if (!$value$plusargs("power_up=%d", hold) || !$value$plusargs("count=%d", count)
            || !$value$plusargs("source=%d", source) || !$value$plusargs("sink=%d", sink)
            || !$value$plusargs("seed=%d", seed)) $finish;
    end

    always @(negedge aclk) begin
        m_axis_tready <= {{$random(seed)}} % 100 >= sink;
        if (hold > 0) begin
            aresetn <= 1'b0;
            hold <= hold - 1;
            {{s_axis_tvalid, s_axis_tlast, s_axis_tkeep, s_axis_tdata}} <= {{(2+9*I){{1'bx}}}};
            if (hold == 1) s_axis_tvalid <= 1'b0;
        end else begin
            aresetn <= 1'b1;
            checked <= 1'b1;
            if (next < count && is_reset) begin
                aresetn <= 1'b0;
                hold <= {reset_cycles} - 1;
                next = next + 1;
                s_axis_tvalid <= 1'b0;
                $display("R");
            end else if (s_axis_tvalid === 1'b0 && next < count && {{$random(seed)}} % 100 >= source) begin
                s_axis_tvalid <= 1'b1;
                s_axis_tlast <= action[4*((I+3)/4+2*I)];
                s_axis_tkeep <= action[8*I +: I];
                s_axis_tdata <= action[0 +: 8*I];
            end
        end
    end

    always @(posedge aclk) begin
        // What is offered is known from a reset on, the rest from the first cycle on in which a beat may be taken.
        started <= aresetn && (started || s_axis_tready === 1'b1);
        if (checked && aresetn && ((^{{s_axis_tready, m_axis_tvalid}}) === 1'bx || (started || m_axis_tvalid)
                && (^{{m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser}}) === 1'bx)) begin
            $display("X %t ready %b valid %b last %b keep %b data %h user %h", $time, s_axis_tready,
                m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser);
            $finish;
        end
        if (aresetn && m_axis_tvalid && m_axis_tready)
            $display("B %b %b %h %h", m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser);
        if (aresetn && s_axis_tvalid === 1'b1 && s_axis_tready) begin
            next = next + 1;
            s_axis_tvalid <= 1'b0;
            {{s_axis_tlast, s_axis_tkeep, s_axis_tdata}} <= {{(1+9*I){{1'bx}}}};
        end
        quiet = next < count || m_axis_tvalid ? 0 : quiet + 1;
        if (quiet > 200) $finish;
        if ($time > 500000) begin
            $display("T");
            $finish;
        end
    end
endmodule
"""


@dataclass(frozen=True)
class Beat:
    """An input beat. ``data``: its bytes; the bench may make bytes unknown that are not kept."""

    data: bytes
    keep: int
    last: bool

    def legal(self) -> bool:
        """Whether the beat is within the contract."""
        full = (1 << len(self.data)) - 1
        return self.keep == full or (self.last and self.keep & self.keep + 1 == 0)


@dataclass(frozen=True)
class Packet:
    """A core's output for a packet. ``keeps``: the keep bits of its beats."""

    output: bytes
    tuser: int
    keeps: tuple[int, ...]


RESET = None
"""Represents a reset between beats."""
Script = Sequence[Beat | None]


def beats(params: TranscoderParameters, packet: bytes) -> list[Beat]:
    size = params.input_bytes
    starts = range(0, max(1, len(packet)), size)
    parts = [packet[start : start + size] for start in starts]
    return [Beat(part.ljust(size, b"\0"), (1 << len(part)) - 1, start == starts[-1])
            for start, part in zip(starts, parts, strict=True)]


def action(params: TranscoderParameters, beat: Beat | None, *, unknown: bool) -> str:
    size = params.input_bytes
    digits = (size + 3) // 4
    if beat is None:
        return "1" + "0" * (1 + digits + 2 * size)
    octets = ["xx" if unknown and not beat.keep >> lane & 1 else f"{octet:02x}" for lane, octet in enumerate(beat.data)]
    return f"0{int(beat.last)}{beat.keep:0{digits}x}{''.join(reversed(octets))}"


@dataclass(frozen=True)
class Outcome:
    """``packets``: complete output packets after each reset, the one at the start included."""

    packets: list[list[Packet]]
    complaints: int
    """Beats that the Verilog reports as out of contract."""


@dataclass(frozen=True)
class Bench:
    """A core in its bench, compiled."""

    folder: Path
    params: TranscoderParameters
    reset_cycles: int

    def run(self, script: Script, *, source: int = 25, sink: int = 50, seed: int = 1, power_up: int | None = None,
            unknown: bool = True) -> Outcome:
        """``source``, ``sink``: pauses in percent. ``power_up``: cycles of the first reset. ``unknown``: bytes that are
        not kept are X instead of their value."""
        assert len(script) <= ACTIONS
        (self.folder / "actions.hex").write_text(
            "".join(f"{action(self.params, beat, unknown=unknown)}\n" for beat in script))
        told = {"power_up": self.reset_cycles if power_up is None else power_up, "count": len(script),
                "source": source, "sink": sink, "seed": seed}
        done = subprocess.run(["vvp", "-n", "sim", *(f"+{name}={value}" for name, value in told.items())],
                              cwd=self.folder, check=True, capture_output=True, text=True, timeout=100)
        return self._outcome(done.stdout.splitlines())

    def _outcome(self, lines: list[str]) -> Outcome:
        packets: list[list[Packet]] = [[]]
        complaints = 0
        output, keeps = b"", ()
        for line in lines:
            kind, *fields = line.split()
            if kind == "bench.core:":
                complaints += 1
                continue
            if kind == "WARNING:":
                continue  # fewer actions than the run has room for
            assert kind not in "XT", line
            if kind == "R":
                packets.append([])
                output, keeps = b"", ()
            elif kind == "B":
                last, keep, data, user = fields
                octets = bytes.fromhex(data)[::-1]
                output += bytes(octet for octet, bit in zip(octets, keep[::-1], strict=True) if bit == "1")
                keeps = (*keeps, int(keep, 2))
                if last == "1":
                    packets[-1].append(Packet(output, int(user, 16), keeps))
                    output, keeps = b"", ()
        return Outcome(packets, complaints)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, without_initial_values) -> Callable[..., Bench]:
    """Compiles each core once."""
    @cache
    def compiled(core: str, **options: object) -> Bench:
        folder = tmp_path_factory.mktemp(core)
        params = TranscoderParameters.of({"core": core, **options})
        reset_cycles = describe(params)["reset_cycles"]
        made = generate(params, folder)
        stripped = without_initial_values(made.verilog.read_text())
        (folder / "core.v").write_text(stripped)
        (folder / "bench.v").write_text(BENCH.format(
            input_bytes=params.input_bytes, output_bytes=params.output_bytes, top=made.top, most=ACTIONS,
            reset_cycles=reset_cycles))
        command = ["iverilog", "-g2005", "-o", "sim", "-s", "bench", "bench.v", "core.v"]
        subprocess.run(command, cwd=folder, check=True)
        return Bench(folder, params, reset_cycles)
    return compiled


# Expected output for beats, legal or not, as docs/semantics.md defines it.

def expected(params: TranscoderParameters, packet: list[Beat]) -> tuple[bytes, int]:
    """The output bytes and ``tuser``."""
    octets = b"".join(beat.data for beat in packet)
    keep = [bool(beat.keep >> lane & 1) for beat in packet for lane in range(len(beat.data))]
    if params.source == "utf-8":
        text, error = of_utf8(params, octets, keep)
    else:
        text, error = of_units(params, units_of(params, octets, keep))
    if params.target is None:
        return bytes(octet for octet, bit in zip(octets, keep, strict=True) if bit), tuser(error)
    return params.writes.encode(text), tuser(error)


def of_utf8(params: TranscoderParameters, octets: bytes, keep: list[bool]) -> tuple[list[int], FirstError | None]:
    """A byte that is not kept reads as an ASCII character without output."""
    filled = bytes(octet if bit else 0x41 for octet, bit in zip(octets, keep, strict=True))
    text = []
    for bit, run in groupby(zip(keep, octets, strict=True), lambda pair: pair[0]):
        if bit:
            text += decode(bytes(octet for _, octet in run), errors=params.errors)
    if params.bom == "strip" and filled.startswith(b"\xEF\xBB\xBF"):
        text = text[1:]
    return text, validate(filled)


CUT = -1
"""Represents a unit whose first byte is kept and another is not."""
BYTE_ORDER_MARK = 0xFEFF


def units_of(params: TranscoderParameters, octets: bytes, keep: list[bool]) -> list[int | None]:
    """Each unit of a packet: `CUT` if its first byte is kept and another is not, None if its first byte is not."""
    size, order = params.reads.unit_bytes, params.reads.byte_order
    starts = range(0, len(octets), size)
    if len(params.reads.orders) > 1:
        little = octets.startswith(BYTE_ORDER_MARK.to_bytes(size, "little")) and all(keep[:size])
        order = "little" if little else "big"
    return [
        None if not keep[at] else
        int.from_bytes(octets[at : at + size], order) if all(keep[at : at + size]) else CUT
        for at in starts
    ]


def of_units(params: TranscoderParameters, units: list[int | None]) -> tuple[list[int], FirstError | None]:
    """Units of UTF-16, UTF-32, Latin-1 or ASCII. A missing unit is a character without output."""
    text, error, index = [], None, 0
    pairs = params.reads.unit_bytes == 2
    while index < len(units):
        start, unit, after = index, units[index], [*units, None][index + 1]
        index += 1
        if unit is None:
            continue
        kind = None
        if unit == CUT:
            kind = ErrorKind.TOO_SHORT
        elif pairs and unit >> 10 == 0xD800 >> 10 and after == CUT:
            kind, index = ErrorKind.TOO_SHORT, index + 1
        elif pairs and unit >> 10 == 0xD800 >> 10 and after is not None and after >> 10 == 0xDC00 >> 10:
            unit, index = 0x10000 + ((unit & 0x3FF) << 10 | after & 0x3FF), index + 1
        else:
            kind = ErrorKind.TOO_LARGE if unit > params.reads.greatest else scalar_error(unit)
        if kind is not None:
            error = error or FirstError(kind, start)
            text += [REPLACEMENT] if params.errors == "replace" else []
        elif start or unit != BYTE_ORDER_MARK or params.bom == "keep":
            text.append(unit)
    return text, error


def tuser(error: FirstError | None) -> int:
    return 0 if error is None else 1 | error.kind << 1 | error.offset << 4


def packets(script: Script) -> Iterator[list[list[Beat]]]:
    """The complete packets between resets."""
    for reset, group in groupby(script, lambda beat: beat is None):
        if reset:
            continue
        found: list[list[Beat]] = [[]]
        for beat in group:
            assert beat is not None
            found[-1].append(beat)
            if beat.last:
                found.append([])
        yield found[:-1]


def check(bench: Bench, script: Script, **how: int) -> None:
    """The output matches the script. If a reset cuts packets off, the packets before it are right."""
    params = bench.params
    outcome = bench.run(script, **how)
    wanted = list(packets(script))
    assert len(outcome.packets) == len(wanted)
    for number, (want, got) in enumerate(zip(wanted, outcome.packets, strict=True)):
        if number == len(wanted) - 1:
            assert len(got) == len(want)
        for packet, sent in zip(want, got, strict=False):
            assert (sent.output, sent.tuser) == expected(params, packet)
            if params.target is None:
                assert sent.keeps == tuple(beat.keep for beat in packet)
        assert len(got) <= len(want)
    assert outcome.complaints == sum(beat is not None and not beat.legal() for beat in script)


CONFIGURATIONS = [
    ("validator", {"lanes": 1}), ("validator", {"lanes": 8, "pipeline": "compact"}),
    ("decoder", {"lanes": 1, "bom": "strip"}),
    pytest.param("decoder", {"lanes": 4}, marks=pytest.mark.slow),
    pytest.param("decoder", {"lanes": 4, "packing": "sparse", "pipeline": "balanced", "errors": "drop"},
                 marks=pytest.mark.slow),
    ("encoder", {"lanes": 2}), ("encoder", {"lanes": 1, "errors": "drop", "pipeline": "compact"}),
    pytest.param("transcoder", {"from": "utf-8", "to": "utf-8", "lanes": 2}, marks=pytest.mark.slow),
    pytest.param("transcoder", {"from": "utf-16be", "to": "utf-8", "lanes": 4, "errors": "drop", "bom": "strip"},
                 marks=pytest.mark.slow),
    pytest.param("transcoder", {"from": "utf-16", "to": "utf-32le", "lanes": 2, "packing": "sparse",
                                "pipeline": "balanced", "bom": "strip"}, marks=pytest.mark.slow),
    ("transcoder", {"from": "utf-32le", "to": None, "lanes": 2}),
    ("transcoder", {"from": "utf-32le", "to": "utf-32le", "lanes": 2, "bom": "strip", "packing": "sparse"}),
]
PAUSES = st.sampled_from([0, 0, 10, 50, 80, 95])
SEEDS = st.integers(1, 2**31 - 1)


def pieces(params: TranscoderParameters) -> list[bytes]:
    """Contents of packets: characters and ill-formed sequences."""
    source = params.reads
    if source.unit_bytes > 1:
        # Byte order marks are twice as likely, as they matter only at a packet's start.
        known = {"utf-16": UTF16_UNITS, "utf-32": UTF32_UNITS}[source.orders[0].name[:6]]
        return [*source.byte_order_marks, *(one.pack([unit]) for one in source.orders for unit in known)]
    if params.source != "utf-8":
        return [b"A", b"\x7F", b"\x80", b"\xFF"]
    return [
        b"A", "é".encode(), "€".encode(), "😀".encode(), b"\xEF\xBB\xBF", b"\x80", b"\xC0\x80", b"\xE2", b"\xE2\x82",
        b"\xED\xA0\x80", b"\xF0\x80\x80\x80", b"\xF0\x9F\x98", b"\xF4\x90\x80\x80", b"\xF5\x80", b"\xFF"]


UTF16_UNITS = [0x41, 0xE9, 0x20AC, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xFFFD]
UTF32_UNITS = [0x41, 0xE9, 0x20AC, 0x1F600, 0xD800, 0xDFFF, 0x110000, 2**32 - 1]


def units(params: TranscoderParameters) -> st.SearchStrategy[bytes]:
    return st.sampled_from(pieces(params))


def texts(params: TranscoderParameters) -> st.SearchStrategy[list[Beat]]:
    """The beats of a packet, whose last unit may be incomplete."""
    whole = st.lists(units(params), max_size=12).map(b"".join)
    return st.builds(lambda packet, off: beats(params, packet[: max(0, len(packet) - off)]), whole,
                     st.sampled_from([0, 0, *range(params.reads.unit_bytes)]))


@st.composite
def broken(draw: st.DrawFn, params: TranscoderParameters) -> list[Beat]:
    """A packet of beats with any keep bits; it ends."""
    size = params.input_bytes
    content = b"".join(draw(st.lists(units(params), min_size=1, max_size=8)))
    return [Beat(beat.data, draw(st.integers(0, 2**size - 1)), beat.last) for beat in beats(params, content)]


def cut(params: TranscoderParameters) -> st.SearchStrategy[list[Beat | None]]:
    """A packet whose end a reset cuts off."""
    return texts(params).map(lambda packet: [*packet[:-1], RESET])


def scripts(
    params: TranscoderParameters, *kinds: Callable[[TranscoderParameters], st.SearchStrategy[list[Beat | None]]],
) -> st.SearchStrategy[list[Beat | None]]:
    parts = st.lists(st.one_of([kind(params) for kind in kinds]), min_size=1, max_size=12)
    return parts.map(lambda parts: _tidy([beat for part in parts for beat in part])).filter(len)


def _tidy(script: list[Beat | None]) -> list[Beat | None]:
    """Resets have beats before and after them; the run begins with a reset anyway."""
    kept = [beat for index, beat in enumerate(script) if beat is not None or (index and script[index - 1] is not None)]
    return kept[: -1 if kept and kept[-1] is None else None]


@pytest.mark.parametrize(("core", "options"), CONFIGURATIONS)
def test_a_reset_in_a_packet_leaves_nothing_of_it(bench, core: str, options: dict[str, object]) -> None:
    compiled = bench(core, **options)

    @BRIEF
    @given(scripts(compiled.params, texts, cut), PAUSES, PAUSES, SEEDS)
    def resets(script: list[Beat | None], source: int, sink: int, seed: int) -> None:
        event(f"{script.count(RESET)} resets")
        check(compiled, script, source=source, sink=sink, seed=seed)

    resets()


@pytest.mark.parametrize(("core", "options"), CONFIGURATIONS)
def test_beats_out_of_contract_do_what_is_documented(bench, core: str, options: dict[str, object]) -> None:
    """They are reported, do not affect other packets, and their unkept bytes are unknown."""
    compiled = bench(core, **options)

    @BRIEF
    @given(scripts(compiled.params, texts, broken), PAUSES, PAUSES, SEEDS)
    def breaks(script: list[Beat | None], source: int, sink: int, seed: int) -> None:
        check(compiled, script, source=source, sink=sink, seed=seed)

    breaks()


@pytest.mark.parametrize(("core", "options"), CONFIGURATIONS)
def test_all_at_once(bench, core: str, options: dict[str, object]) -> None:
    compiled = bench(core, **options)

    @BRIEF
    @given(scripts(compiled.params, texts, broken, cut), PAUSES, PAUSES, SEEDS)
    def damages(script: list[Beat | None], source: int, sink: int, seed: int) -> None:
        check(compiled, script, source=source, sink=sink, seed=seed)

    damages()


def in_every_place(params: TranscoderParameters, rng: random.Random) -> Iterator[list[Beat]]:
    """Packets with any keep bits in their first, a middle or their last beat, each followed by a legal packet."""
    def content(count: int) -> list[Beat]:
        octets = b"".join(rng.choices(pieces(params), k=params.input_bytes * count))[: params.input_bytes * count]
        return beats(params, octets)

    for keep in range(1 << params.input_bytes):
        for place in range(3):
            packet = content(3)
            yield [replace(beat, keep=keep) if index == place else beat for index, beat in enumerate(packet)]
            packet = content(2)
            yield [*packet[:-1], replace(packet[-1], keep=rng.choice([1, 3, 7, 15]))]


TARGETS = {"utf-8": "utf-16be", "utf-16le": "utf-8", "utf-16be": "utf-8", "utf-16": "utf-8", "latin-1": "utf-8",
           "utf-32le": "utf-8", "utf-32be": "utf-16le", "utf-32": "utf-8", "ascii": "utf-8"}
FRONT_ENDS = [(source, target, pipeline) for source, target in TARGETS.items() for pipeline in ("fast", "compact")]
OTHERS = [
    pytest.param(source, target, pipeline, marks=pytest.mark.slow)
    for source in ENCODINGS for target in (None, "utf-8", "utf-16be", "utf-32be")
    for pipeline in ("fast", "balanced", "compact")
    if (source, target, pipeline) not in FRONT_ENDS and (ENCODINGS[source].unit_bytes > 1 or pipeline != "balanced")]


@pytest.mark.parametrize(("source", "target", "pipeline"), [*FRONT_ENDS, *OTHERS])
def test_what_is_not_kept_reaches_no_output_wherever_it_is(
    bench, source: str, target: str | None, pipeline: str,
) -> None:
    """Four bytes with any keep bits at all places, over noise and over unknown bytes: holes in units and between them,
    partial and empty beats before the last."""
    lanes = 4 // ENCODINGS[source].unit_bytes
    compiled = bench("transcoder", **{"from": source, "to": target, "lanes": lanes, "pipeline": pipeline})
    script = [beat for packet in in_every_place(compiled.params, random.Random(5)) for beat in packet]
    check(compiled, script, unknown=True, source=0, sink=0)
    check(compiled, script, unknown=False)


def test_the_bench_sees_what_is_unknown(bench) -> None:
    """Without a reset the unknown values stay, and are found."""
    compiled = bench("validator", lanes=1)
    with pytest.raises(AssertionError, match=r"X .* ready x"):
        compiled.run(beats(compiled.params, b"A"), power_up=0)
