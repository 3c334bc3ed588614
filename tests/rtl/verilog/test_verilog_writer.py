"""The Verilog writer: its text behaves as in Amaranth's simulator, and is laid out for people."""

import random
import re
import subprocess
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from runewire_rtl.pipeline.stages import about
from runewire_rtl.verilog.rtlil_reader import read
from runewire_rtl.verilog.verilog_text import legal
from runewire_rtl.verilog.verilog_writer import write

CYCLES = 400


class Inner(Elaboratable):
    """A counter with an enable and a clear."""

    def __init__(self) -> None:
        self.count = Signal()
        self.clear = Signal()
        self.value = Signal(3, init=5)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "counter", 'Counts. Even "this" is said.')
        with m.If(self.count):
            m.d.sync += self.value.eq(self.value + 1)
        with m.If(self.clear):
            m.d.sync += self.value.eq(0)
        return m


class Everything:
    """Each operation that the writer knows, on inputs of several widths."""

    def __init__(self) -> None:
        widths = {"a": 4, "b": 4, "wide": 7, "flag": 1}
        self.inputs = [Signal(width, name=name) for name, width in widths.items()]
        self.outputs: list[Signal] = []
        self.m = Module()
        self._build(self.m)

    def out(self, m: Module, value: Value, domain: str = "comb") -> None:
        output = Signal(len(Value.cast(value)), name=f"o{len(self.outputs)}")
        m.d[domain] += output.eq(value)
        self.outputs.append(output)

    def _build(self, m: Module) -> None:
        a, b, wide, flag = self.inputs
        for value in (
            a & b, a | wide, a ^ b, ~a, ~flag & a[0], a + b, wide - a, -a, a == b, wide != a, a < b, a <= wide, a > b,
            a >= b, a.all(), wide.any(), a.xor(), ~a.any(), ~(a == b), Mux(flag, a, b), Mux(a[0], wide, a & b), a << 2,
            wide >> 3,
            Cat(a, b)[2:6], (a & b)[1:3], (a + b)[2:4], flag.replicate(5) & wide, a.as_signed() >> 1,
            Mux(a == 3, 1, 0), (a & 0b0101) | (b ^ 0b1100), a.matches("1-0-", "0011"), a.as_signed() + b.as_signed(),
            wide[:4] + Cat(flag, a[:2]), (a ^ b) & (a | b), ~(a & b) & ~(a ^ b),
        ):
            self.out(m, value)
        shared = a + b
        self.out(m, shared, "sync")
        self.out(m, shared ^ 1, "sync")
        state = Signal(4, init=9)
        part = Signal(8)
        kept = Signal(2, attrs={"keep": True})
        with m.If(flag):
            m.d.sync += [state.eq(a), kept.eq(b)]
        with m.Elif(a[0]):
            m.d.sync += state.eq(state ^ b)
            with m.If(b[1]):
                m.d.sync += part[2:5].eq(a)
        with m.Else():
            m.d.sync += part[4:].eq(wide)
        with m.Switch(a):
            with m.Case(1, 2):
                m.d.sync += state[:2].eq(b)
            with m.Case("1--0"):
                m.d.sync += kept.eq(3)
            with m.Default():
                m.d.sync += part[0].eq(flag)
        m.submodules.inner = inner = Inner()
        m.submodules.other = other = Inner()
        m.d.comb += [inner.count.eq(flag), inner.clear.eq(a == 7)]
        m.d.comb += [other.count.eq(~flag | a[1]), other.clear.eq(wide[6])]
        store = Memory(shape=4, depth=8, init=[])
        m.submodules.store = store
        writes, reads = store.write_port(), store.read_port()
        m.d.comb += [writes.en.eq(flag), writes.addr.eq(b), writes.data.eq(a), reads.en.eq(b[3]), reads.addr.eq(wide)]
        known = Signal()
        m.d.sync += known.eq(known | b[3])
        for value in (state, part, kept, inner.value, other.value, reads.data & known.replicate(4)):
            self.out(m, value)


def written(design: Elaboratable, *ports: Signal) -> str:
    return write(read(rtlil.convert(design, name="all", ports=[*ports], emit_src=False)), "design", "design_all")


@pytest.mark.icarus
@pytest.mark.parametrize("standard", ["2005", "2012"])
def test_every_operation_is_as_amaranth_simulates_it(cycles, tmp_path: Path, standard: str) -> None:
    rng = random.Random(1)
    design = Everything()
    stimuli = [[(signal, rng.getrandbits(len(signal))) for signal in design.inputs] for _ in range(CYCLES)]
    # A memory starts unknown: first each row is written, and none is read.
    first = {"b": range(8), "flag": [1] * 8}
    stimuli = [[(signal, first[signal.name][row] if signal.name in first else value) for signal, value in stimulus]
               for row, stimulus in enumerate(stimuli[:8])] + stimuli
    expected = cycles(design.m, stimuli, design.outputs)
    again = Everything()
    text = written(again.m, *again.inputs, *again.outputs)
    (tmp_path / "design.v").write_text(text)
    ports = [*again.inputs, *again.outputs]
    wires = "".join(f"wire [{len(output) - 1}:0] {output.name};\n" for output in again.outputs)
    registers = "".join(f"reg [{len(signal) - 1}:0] {signal.name} = 0;\n" for signal in again.inputs)
    steps = "".join(
        "".join(f"{signal.name} = {value}; " for signal, (_, value) in zip(again.inputs, stimulus, strict=True))
        + "#1 $display(\"" + " ".join("%0d" for _ in again.outputs) + "\", "
        + ", ".join(output.name for output in again.outputs) + "); clk = 1; #1 clk = 0;\n"
        for stimulus in stimuli)
    links = ", ".join(f".{port.name}({port.name})" for port in ports)
    (tmp_path / "bench.v").write_text(
        f"module bench;\nreg clk = 0;\n{wires}{registers}design_all dut(.clk(clk), .rst(1'b0), {links});\n"
        f"initial begin\n{steps}end\nendmodule\n")
    subprocess.run(["iverilog", f"-g{standard}", "-Wall", "-Wno-timescale", "-o", "sim", "bench.v", "design.v"],
                   cwd=tmp_path, check=True)
    said = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert [tuple(map(int, line.split())) for line in said.splitlines()] == [
        tuple(value % (1 << len(output)) for value, output in zip(row, again.outputs, strict=True)) for row in expected]


def test_modules_that_are_alike_are_written_once() -> None:
    design = Everything()
    text = written(design.m, *design.inputs, *design.outputs)
    modules = re.findall(r"^module (\w+)", text, flags=re.MULTILINE)
    assert modules == ["design_all", "design_counter", "design_memory_8x4"]
    assert re.findall(r"^    design_counter (\w+) \(", text, flags=re.MULTILINE) == ["inner", "other"]
    assert '// design_counter: Counts. Even "this" is said.\nmodule design_counter (' in text


def test_registers_of_one_condition_share_a_block_but_kept_ones_stay_apart() -> None:
    m = Module()
    load = Signal()
    values = [Signal(4, name=f"in{index}") for index in range(4)]
    taken = [Signal(4, name=f"out{index}", reset_less=True, attrs={"keep": 1} if index == 3 else {})
             for index in range(4)]
    with m.If(load):
        m.d.sync += [register.eq(value) for register, value in zip(taken, values, strict=True)]
    text = written(m, load, *values, *taken)
    blocks = re.findall(r"((?: *\(\* keep = 1 \*\)\n)?) +always.*\n +if \(load\) begin\n((?: +\w+ <= \w+;\n)+)", text)
    assert [(bool(keep), len(body.splitlines())) for keep, body in blocks] == [(False, 3), (True, 1)]


def test_a_register_of_which_some_bits_start_at_1_is_kept_by_its_block_alone() -> None:
    """Yosys 0.70 loses bits of such a register's wire on an iCE40, if that is kept."""
    m = Module()
    load, data = Signal(name="load"), Signal(4, name="data")
    taken = [Signal(4, name=f"out{init}", init=init, reset_less=True, attrs={"keep": 1}) for init in (0, 1, 15)]
    with m.If(load):
        m.d.sync += [register.eq(data ^ register) for register in taken]
    text = written(m, load, data, *taken)
    assert re.findall(r"(\(\* keep = 1 \*\) )?output reg +\[3:0\] (\w+)", text) == [
        ("(* keep = 1 *) ", "out0"), ("", "out1"), ("(* keep = 1 *) ", "out15")]
    assert "    (* keep = 1 *)\n    always" in text


def test_what_is_used_twice_has_the_name_of_what_it_is_part_of() -> None:
    m = Module()
    a, b, both, third = (Signal(width, name=name) for name, width in (("a", 4), ("b", 4), ("both", 1), ("third", 4)))
    total = (a & b) + 1
    m.d.sync += [both.eq(total.any()), third.eq(total)]
    assert "wire [4:0] third_sum = {1'b0, a & b} + 5'h01;" in written(m, a, b, both, third)


def test_what_a_register_takes_is_its_next_value() -> None:
    m = Module()
    a, b, taken, seen = (Signal(4, name=name) for name in ("a", "b", "taken", "seen"))
    m.d.sync += taken.eq(a ^ b)
    m.d.comb += seen.eq(~(a ^ b))
    text = written(m, a, b, taken, seen)
    assert "wire [3:0] taken_next = a ^ b;" in text
    assert "assign seen = ~taken_next;" in text


@pytest.mark.parametrize(("name", "plain"), [
    ("complete_l3_s5", "complete_l3_s5"), ("reg", "n_reg"), ("3rd", "n_3rd"), ("i__payload", "i_payload"),
    ("a.b[3]", "a_b_3"), ("$1", "n_1"),
])
def test_names_are_made_legal(name: str, plain: str) -> None:
    assert legal(name) == plain
    assert legal(plain) == plain


def signed_comparison() -> Module:
    m = Module()
    a = Signal(4)
    b = Signal(4)
    less = Signal(name="less")
    m.d.comb += less.eq(a.as_signed() < b.as_signed())
    m.d.comb += Signal(name="unused").eq(less)
    return m


def initialised_memory() -> Module:
    m = Module()
    store = Memory(shape=4, depth=8, init=[1])
    m.submodules.store = store
    store.read_port()
    return m


@pytest.mark.parametrize(("design", "message"), [
    (signed_comparison, r"cell of this kind cannot be written as Verilog: \$lt"),
    (initialised_memory, r"memory store cannot be written as Verilog: it does not start as zeros"),
])
def test_what_no_core_needs_is_refused(design, message: str) -> None:
    with pytest.raises(NotImplementedError, match=message):
        written(design())
