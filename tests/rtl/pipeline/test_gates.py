"""Gates compute the same as multiplexers, and synthesis infers no reset and no enable from them."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from runewire_rtl import yowasp
from runewire_rtl.pipeline import gates

GATES: dict[str, tuple[Callable[..., Value], Callable[..., Value]]] = {
    "masked": (gates.masked, lambda value, flag: Mux(flag, value, 0)),
    "cleared": (gates.cleared, lambda value, flag: Mux(flag, 0, value)),
    "masked_bits": (lambda value, flag: gates.masked_bits(value, flag, 0b0110),
                    lambda value, flag: Mux(flag, value, value & 0b1001)),
    "replaced": (lambda value, flag: gates.replaced(value, 0b1010, flag), lambda value, flag: Mux(flag, 0b1010, value)),
    "replaced_elsewhere": (lambda value, flag: gates.replaced(value, 0b1010, ~flag, flag),
                           lambda value, flag: Mux(flag, value, 0b1010)),
    "chosen": (lambda value, flag: gates.chosen(flag, Const(0b1010, 4), value),
               lambda value, flag: Mux(flag, 0b1010, value)),
}


@pytest.mark.parametrize("name", GATES)
def test_a_gate_computes_what_the_multiplexer_would(cycles, name: str) -> None:
    gate, multiplexer = GATES[name]
    m = Module()
    value = Signal(4)
    flag = Signal()
    one = Signal(4)
    other = Signal(4)
    m.d.comb += [one.eq(gate(value, flag)), other.eq(multiplexer(value, flag))]
    seen = cycles(m, [[(value, number >> 1), (flag, number & 1)] for number in range(32)], [one, other])
    assert all(found == wanted for found, wanted in seen)
    assert len(set(seen)) > 1


def registers(made: Callable[..., Value], tmp_path: Path) -> set[str]:
    """The kinds of flip-flops that Yosys uses for a register after some logic."""
    m = Module()
    value = Signal(4)
    flag = Signal()
    register = Signal(4, reset_less=True)
    m.d.sync += register.eq(made(value, flag))
    text = rtlil.convert(m, name="top", ports=[value, flag, register], emit_src=False)
    (tmp_path / "top.il").write_text(text)
    script = "read_rtlil top.il; proc; opt_dff; opt_clean; write_rtlil out.il"
    subprocess.run([*yowasp.command("yosys"), "-q", "-p", script], cwd=tmp_path, check=True, capture_output=True)
    return set(re.findall(r"cell \$(\w*dff\w*) ", (tmp_path / "out.il").read_text()))


@pytest.mark.parametrize("name", GATES)
def test_synthesis_makes_no_reset_of_a_gate(tmp_path: Path, name: str) -> None:
    gate, _ = GATES[name]
    assert registers(gate, tmp_path) == {"dff"}


@pytest.mark.parametrize("name", ["masked", "cleared", "replaced"])
def test_it_would_of_a_multiplexer(tmp_path: Path, name: str) -> None:
    _, multiplexer = GATES[name]
    assert registers(multiplexer, tmp_path) == {"sdff"}


@pytest.mark.parametrize("width", range(5))
def test_comparisons_of_bits(cycles, width: int) -> None:
    m = Module()
    value = Signal(width)
    count = 1 << width
    above = Signal(count)
    equal = Signal(count)
    bits = list(value)
    m.d.comb += above.eq(Cat(gates.above(bits, bound) for bound in range(count)))
    if width:
        m.d.comb += equal.eq(Cat(gates.equal(bits, number) for number in range(count)))
    seen = cycles(m, [[(value, number)] for number in range(count)], [above, equal])
    for number, (higher, same) in enumerate(seen):
        assert higher == (1 << number) - 1
        assert same == (1 << number if width else 0)


def test_a_flag_stays_set_through_beats_that_hold(cycles) -> None:
    m = Module()
    flag = Signal()
    holds = Signal()
    valid = Signal()
    still = Signal()
    m.d.comb += still.eq(gates.still(flag, holds, valid))
    cases = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    seen = cycles(m, [[(flag, a), (holds, b), (valid, c)] for a, b, c in cases], [still])
    assert [found for (found,) in seen] == [int(a and (b or not c)) for a, b, c in cases]
