"""A netlist with built-in faults (mutations), of which a run switches on one."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.fingerprint import digest
from runewire_model import TranscoderParameters
from runewire_model.report import COUNT_WIDTH, Sidebands
from runewire_proofs import Engine
from runewire_rtl import describe, verilog_text
from runewire_rtl.pipeline.register_roles import BEATS

from ..design import VerilogDesign, generated
from ..errors import SimulationError
from .netlist_probes import declared
from .segment_trials import NOISY
from .trial_cycles import mark_first

PERIOD = 512
"""Input beats from one jump of the beat counter to the next."""
CARRY = 256
"""Input beats of a packet until the counter carries into the bits that a jump has inverted."""
JUMP = 160
"""Input beats before the first jump: earlier than `CARRY` by more beats than a pipeline holds."""
CHUNK = 4
"""Bits of the beat counter that a jump inverts together."""
ALL = 10**9
"""More mutations than any netlist has."""
DRIVES = ("Q", "Y")
"""Output ports of registers and gates."""
LEFT_ALONE = ("CLK", "WR_CLK", "RD_CLK", "RD_EN", "RD_SRST", "RD_ARST")
"""Ports without mutations: clocks, and the constant ports of a memory without a read register."""


@dataclass(frozen=True)
class Mutation:
    """A fault of one bit of one port of one cell.

    ``mode``: "inv" (the bit is inverted), "const0", "const1", and "cnot0" or "cnot1": inverted while bit ``by`` of the
    port is 0 or 1. ``cell``: the cell's type. ``wire``: what the bit is called, "" without a name. ``code``: the
    cell's place in the Verilog, "" without one.
    """

    mode: str
    cell: str
    port: str
    bit: int
    by: int | None
    wire: str
    code: str

    def __str__(self) -> str:
        by = "" if self.by is None else f" by {self.port}[{self.by}]"
        wire = f", {self.wire}" if self.wire else ""
        return f"{self.mode}{by} at {self.cell} {self.port}[{self.bit}]{wire}: {self.code}"


@dataclass(frozen=True)
class Mutated:
    """A core with ``mutations``, the first of which is number 1; with number 0 the core is sound.

    ``design``: its simulation listens to ``+mutant=N``, ``+dirty=N`` (cycles of noise before reset),
    ``+limit=N`` (cycles after which it is stuck) and ``+jump=1`` (the beat counter makes the `jumps`).
    ``rtlil``: module ``dut``, with the inputs ``mutant``, ``width`` bits wide, and ``jump``.
    """

    design: VerilogDesign
    mutations: Sequence[Mutation]
    rtlil: str
    width: int


def jumps(parameters: TranscoderParameters) -> list[int]:
    """The masks by which the jumps invert bits of a packet's beat counter.

    A jump takes the counter to just before a carry into each of its upper bits, from each value of the bits there.
    """
    width = counter_width(parameters)
    return [
        ((1 << low) - CARRY | value << low | 0x5A5A5A5A5A5A5A5A << low + CHUNK) & (1 << width) - 1
        for low in range(CARRY.bit_length() - 1, width, CHUNK) for value in range(1 << CHUNK)
    ]


def counter_width(parameters: TranscoderParameters) -> int:
    """Bits of a packet's beat counter; 0 without an offset in the report, because then there is no counter.

    A filter has an offset in its rejects. 0 also where a splitter cuts packets before the first jump.
    """
    sidebands = parameters.sidebands
    if parameters.splits and (sidebands.longest or ALL) <= PERIOD * parameters.lanes:
        return 0
    lane = (parameters.lanes - 1).bit_length()
    if sidebands.rejects:
        return COUNT_WIDTH - lane
    return sidebands.offset_bits - lane if sidebands.report == "full" else 0


def mutated(parameters: TranscoderParameters, count: int, seed: int, engine: Engine) -> Mutated:
    """A core with ``count`` mutations that Yosys chooses evenly from the netlist, without the ports `LEFT_ALONE`.

    Raises SimulationError where Yosys fails, and LookupError where the counter of beats is not found.
    """
    def chosen(lines: list[str], sound: str) -> list[str]:
        if len(lines) < count:
            raise SimulationError(f"{design.top} has no {count} places for a mutation")
        return lines[:count]

    design = generated(parameters)
    # Some more, because some are left out.
    return _mutated(design, engine, f"-list {count + count // 4 + 8} -seed {seed}", chosen)


def mutated_at(parameters: TranscoderParameters, wires: Sequence[str], engine: Engine) -> Mutated:
    """A core with every mutation of the drivers of ``wires``: registers by their roles, ports by their names.

    The mutations have these names. Raises what `mutated` does, and LookupError for a wire that does not exist.
    """
    return _mutated(generated(parameters), engine, f"-list {ALL} -seed 1",
                    lambda lines, sound: [*_driving(lines, sound, wires)], *wires)


def _mutated(
    design: VerilogDesign, engine: Engine, listed: str, choose: Callable[[list[str], str], list[str]], *wires: str,
) -> Mutated:
    """A core with mutations: ``choose`` picks from the lines of Yosys' ``mutate -list``, given the sound netlist."""
    parameters = design.parameters
    source = verilog_text(parameters, roles=True).encode()

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="runewire-mutants-") as name:
            work = Path(name)
            (work / "core.v").write_bytes(source)
            engine.script(work, [
                "read_verilog -DSYNTHESIS core.v", f"hierarchy -check -top {design.top}", "proc",
                "flatten -noscopeinfo", "opt_expr", "opt_clean", "memory_collect",
                # A register with a mutated output loses its initial value, which then is 0.
                "zinit -all", "opt_clean", f"rename {design.top} dut", "write_rtlil sound.il",
                f"mutate {listed} -o all.ys",
            ], design.top)
            sound = (work / "sound.il").read_text()
            lines = choose([line for line in (work / "all.ys").read_text().splitlines()
                            if _words(line).get("port") not in LEFT_ALONE], sound)
            width = len(lines).bit_length()
            (work / "sound.il").write_text(_jumping(sound, counter_width(parameters)))
            (work / "chosen.ys").write_text("".join(
                line.replace("mutate ", f"mutate -ctrl mutant {width} {number} ", 1) + "\n"
                for number, line in enumerate(lines, 1)))
            engine.script(work, [
                "read_rtlil sound.il", "script chosen.ys", "zinit -all", "opt_clean", "write_rtlil dut.il",
                "setattr -unset init w:*", "write_verilog -noattr mutants.v",
            ], design.top)
            types = {name: kind for kind, name in re.findall(r"^  cell (\S+) \\?(\S+)$", sound, re.MULTILINE)}
            (folder / "dut.il").write_text((work / "dut.il").read_text())
            (folder / "chosen.ys").write_text("".join(
                f"{line} -type {types[_words(line)['cell']]}\n" for line in lines))
            (folder / "mutants.v").write_text((work / "mutants.v").read_text() + _wrapper(parameters, width))

    recipe = Path(__file__).read_bytes()
    folder = built("mutants", digest(source, recipe, listed, *wires), build)
    lines = source.decode().splitlines()
    mutations = [_mutation(line, lines) for line in (folder / "chosen.ys").read_text().splitlines()]
    built_in = VerilogDesign(parameters, "mutants", folder / "mutants.v")
    return Mutated(built_in, mutations, (folder / "dut.il").read_text(), len(mutations).bit_length())


def _driving(lines: Sequence[str], rtlil: str, wires: Sequence[str]) -> Iterator[str]:
    """The lines for drivers of the registers of these roles and the ports of these names, renamed to them."""
    called = {name: each.name for each in declared(rtlil) for name in (each.role, each.name) if name}
    # Of several names of a wire Yosys lists one.
    same = re.findall(r"^  connect \\(\S+) \\(\S+)$", rtlil, re.MULTILINE)
    for wire in wires:
        if wire not in called:
            raise LookupError(f"no register has the role {wire}, and no port is called so")
        names = {called[wire]}.union(*(pair for pair in same if called[wire] in pair))
        for line in lines:
            words = _words(line)
            if words.get("wire") in names and words["port"] in DRIVES:
                yield line.replace(f"-wire {words['wire']} ", f"-wire {wire} ")


def _words(line: str) -> dict[str, str]:
    """The options of a line of ``mutate -list``; a repeated option has its last value."""
    words = line.split()[1:]
    return {name.removeprefix("-"): value for name, value in zip(words[::2], words[1::2], strict=True)}


def _mutation(line: str, verilog: Sequence[str]) -> Mutation:
    words = _words(line)
    wire = words.get("wire", "").removeprefix("core.")
    named = wire and not re.fullmatch(r"_\d+_", wire)
    return Mutation(
        words["mode"], words["type"].removeprefix("$"), words["port"], int(words["portbit"]),
        int(words["ctrlbit"]) if "ctrlbit" in words else None,
        f"{wire}[{words['wirebit']}]" if named else "", _code(line, wire.rpartition(".")[2], verilog))


def _code(line: str, name: str, verilog: Sequence[str]) -> str:
    """The cell's source in the Verilog; for a process, its assignments to the register ``name``."""
    found = ""
    # A cell lists the instances around it as places, too.
    for first, last in re.findall(r"-src \S+?:(\d+)\.\d+-(\d+)\.", line):
        lines = verilog[int(first) - 1 : int(last)]
        if not re.match(r" *\w+ \w+ \($", lines[0]):
            found = " ".join("".join([each for each in lines if f" {name} <=" in each] or lines).split())
    return found


def _jumping(rtlil: str, width: int) -> str:
    """The netlist with an input ``jump``, which inverts bits of a packet's beat counter."""
    if not width:
        return rtlil
    found = sorted((int(wire.role.removeprefix(f"{BEATS}.")), wire.name, wire.width) for wire in declared(rtlil)
                   if wire.role.startswith(f"{BEATS}."))
    lows = dict(zip((name for _, name, _ in found), accumulate((size for *_, size in found), initial=0), strict=False))
    sizes = {lows[name]: size for _, name, size in found}
    register = re.compile(
        r"(  cell \$dff (?:(?!\n  end).)*?\n    connect \\D )([^\n]+)(\n    connect \\Q \\(\S+)\n)", re.DOTALL)
    inputs: dict[int, str] = {}

    def jumped(found: re.Match[str]) -> str:
        if (low := lows.get(found[4])) is None:
            return found[0]
        inputs[low] = found[2]
        return f"{found[1]}\\jumped{low}{found[3]}"

    text = register.sub(jumped, rtlil)
    if sorted(inputs) != sorted(sizes) or sum(sizes.values()) < width:
        raise LookupError(f"the counter of beats has to be registers of the roles {BEATS}.0, {BEATS}.1 …, {width} bits "
                          f"or more together: there are {sum(sizes.values())}")
    wires, gates = f"  wire width {width} input 99 \\jump\n", ""
    for low, data in inputs.items():
        size = sizes[low]
        high = min(low + size, width) - 1
        wires += f"  wire width {size} \\jumped{low}\n"
        widths = "".join(f"    parameter \\{name}_WIDTH {bits}\n"
                         for name, bits in (("A", size), ("B", high - low + 1), ("Y", size)))
        gates += (f"  cell $xor \\jumping{low}\n    parameter \\A_SIGNED 0\n    parameter \\B_SIGNED 0\n{widths}"
                  f"    connect \\A {data}\n    connect \\B \\jump [{high}:{low}]\n"
                  f"    connect \\Y \\jumped{low}\n  end\n")
    before, head, body = text.partition("module \\dut\n")
    end = "end\n"
    return f"{before}{head}{wires}{body.removesuffix(end)}{gates}{end}"


def _noises(sidebands: Sidebands) -> dict[str, str]:
    """What the noise before a reset has at the ports for the flow and `more`."""
    if sidebands.flows is None:
        return {}
    few = min(sidebands.flows, NOISY) - 1
    found = {"s_axis_tuser": f"{{|flow_noise[31:30], {sidebands.user}'d0}}" if sidebands.user else "|flow_noise[31:30]"}
    if sidebands.id:
        found["s_axis_tid"] = f"flow_noise[{sidebands.id - 1}:0] & {sidebands.id}'d{few}"
    return found


def _wrapper(parameters: TranscoderParameters, width: int) -> str:
    """Verilog of the top module: a core's ports, the switch for a mutant, and noise before a reset of any length.

    If the core becomes ready in another cycle after the reset than it declares, the module outputs a false beat.
    """
    described = describe(parameters)
    ports = described["ports"]
    declared = ",\n".join(f"    {port['direction']} wire [{port['width'] - 1}:0] {port['name']}" for port in ports)
    table = jumps(parameters)
    # Without a counter there is nothing to invert.
    counted = max(1, counter_width(parameters))
    jumped = ", .jump(jump)" if table else ""
    # Streams that only some cores have.
    further = sorted(name.removesuffix("_tvalid") for port in ports for name in [port["name"]]
                     if name.endswith("_tvalid") and name not in ("s_axis_tvalid", "m_axis_tvalid"))
    masked = "".join(f"""
    wire {name}_made;
    assign {name}_tvalid = {name}_made & after & moving;""" for name in further)
    links = "".join(f", .{name}_tvalid({name}_made), .{name}_tready(noisy ? noise[6] : {name}_tready)"
                    for name in further)
    # Segments that the reset must forget, of few flows, most with more to come; any `tid` while no beat is valid.
    flow = """\
    reg [31:0] flow_noise = 0;
    always @(posedge aclk) flow_noise <= $urandom;
""" if parameters.sidebands.flows else ""
    noises = _noises(parameters.sidebands)
    links += "".join(f", .{name}(noisy || !s_axis_tvalid ? {noise} : {name})" for name, noise in noises.items())
    cases = "\n".join(f"        {number}: jump = {value};" for number, value in enumerate(table))
    random = ", ".join(["$urandom"] * (parameters.input_bytes // 4 + 1))
    # Where a mark goes first, `ready` comes after it.
    mistimed = "ready" if mark_first(parameters) else "ready != (cycle == first)"
    passed = ", ".join(f".{port['name']}({port['name']})" for port in ports if port["name"] not in {
        "aresetn", "s_axis_tdata", "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast", "m_axis_tvalid",
        "m_axis_tready", *noises, *(f"{name}_{signal}" for name in further for signal in ("tvalid", "tready"))})
    return f"""
module mutants (
{declared}
);
    reg [31:0] mutant, dirty, held, limit, jumping;
    initial begin
        if (!$value$plusargs("mutant=%d", mutant)) mutant = 0;
        if (!$value$plusargs("dirty=%d", dirty)) dirty = 0;
        if (!$value$plusargs("held=%d", held)) held = 1;
        if (!$value$plusargs("limit=%d", limit)) limit = 32'hFFFFFFFF;
        if (!$value$plusargs("jump=%d", jumping)) jumping = 0;
    end
    reg [31:0] cycle = 0;
    reg [{32 * (parameters.input_bytes // 4 + 1) - 1}:0] noise = 0;
    wire noisy = cycle < dirty;
    always @(posedge aclk) begin
        cycle <= cycle + 1;
        if (noisy) noise <= {{{random}}};
    end
{flow}    wire ready, valid;
    reg [31:0] beats = 0;
    wire taking = aresetn & s_axis_tvalid & ready;
    always @(posedge aclk) if (taking) beats <= beats + 1;
    reg [{counted - 1}:0] jump;
    always @* begin
        jump = 0;
        if (jumping != 0 && taking && beats % {PERIOD} == {JUMP}) case (beats / {PERIOD})
{cases}
        default: jump = 0;
        endcase
    end
    // What is stuck, the one who watches the ports finds.
    wire moving = cycle < limit;
    // The reset begins in cycle `dirty`: nothing of before shows.
    wire after = cycle > dirty;
    wire [31:0] first = dirty + held - 1 + {described["start_cycles"]};
    assign s_axis_tready = ready & moving & after;
    reg mistimed = 0;
    always @(posedge aclk)
        if (after && cycle <= first)
            mistimed <= mistimed | ({mistimed});
    assign m_axis_tvalid = (valid & after | mistimed) & moving;{masked}
    dut core (
        {passed}{jumped}{links}, .mutant(mutant[{width - 1}:0]),
        .aresetn(noisy | (cycle >= dirty + held)), .s_axis_tready(ready), .m_axis_tvalid(valid),
        .m_axis_tready(noisy ? noise[5] : m_axis_tready),
        .s_axis_tvalid(noisy ? ^noise[1:0] : s_axis_tvalid & moving), .s_axis_tlast(noisy ? &noise[4:2] : s_axis_tlast),
        .s_axis_tkeep(s_axis_tkeep | {{{parameters.input_bytes}{{noisy}}}}),
        .s_axis_tdata(noisy ? noise[{8 * parameters.input_bytes - 1}:0] : s_axis_tdata)
    );
endmodule
"""
