"""Netlists: constants are folded, equal cells are shared, and logic without an output is not alive."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module as Source
from amaranth.hdl import Signal
from runewire_rtl.verilog.netlist import Hierarchy, Module, absorb
from runewire_rtl.verilog.rtlil_reader import read
from runewire_rtl.verilog.words import Choice, X, leaves

A, B, C = 10, 11, 12


@pytest.fixture
def module() -> Module:
    design = Hierarchy()
    design.bits(100)  # so that the cells above are not made again
    return Module("module", design)


@pytest.mark.parametrize(("kind", "operands", "result"), [
    ("and", ((A, B, C), (1, 0, C)), (A, 0, C)),
    ("or", ((A, B, C), (0, 1, C)), (A, 1, C)),
    ("xor", ((A, B), (0, B)), (A, 0)),
    ("not", ((0, 1, X),), (1, 0, X)),
    ("mux", ((1,), (A, B), (C, C)), (A, B)),
    ("mux", ((0,), (A, B), (C, C)), (C, C)),
    ("mux", ((A,), (B,), (B,)), (B,)),
    ("mux", ((A,), (1,), (0,)), (A,)),
    ("all", ((A, 1, A),), (A,)),
    ("all", ((A, 0),), (0,)),
    ("all", ((),), (1,)),
    ("any", ((A, 0),), (A,)),
    ("any", ((A, 1),), (1,)),
    ("any", ((),), (0,)),
    ("parity", ((A, 0),), (A,)),
    ("eq", ((A, B), (A, B)), (1,)),
    ("eq", ((A, 1), (A, 0)), (0,)),
    ("eq", ((A, B), (1, B)), (A,)),
    ("gt", ((A,), (0,)), (A,)),
])
def test_constants_are_folded(module: Module, kind: str, operands: tuple, result: tuple) -> None:
    assert module.op(kind, *operands) == result
    assert module.cells == []


def test_only_bits_that_are_not_constant_get_a_cell(module: Module) -> None:
    low, constant, high = module.op("and", (A, B, C), (B, 0, A))
    (cell,) = module.cells
    assert (cell.kind, cell.operands, cell.result) == ("and", ((A, C), (B, A)), (low, high))
    assert constant == 0


def test_what_is_inverted_twice_is_what_it_was(module: Module) -> None:
    assert module.op("not", module.op("not", (A, B))) == (A, B)
    assert module.op("eq", (A, B), (0, B)) == module.op("not", (A,))


def test_the_same_cell_is_made_once(module: Module) -> None:
    assert module.op("add", (A, B), (B, C)) == module.op("add", (A, B), (B, C))
    assert len(module.cells) == 1


def text(*, nested: bool) -> str:
    inner = Source()
    a, b, taken = Signal(name="a"), Signal(2, name="b"), Signal(2, name="taken", reset_less=True)
    unused, kept = Signal(name="unused"), Signal(name="kept", attrs={"keep": True})
    with inner.If(a):
        inner.d.sync += taken.eq(b)
    inner.d.sync += [unused.eq(a), kept.eq(b[0])]
    m = inner
    if nested:
        m = Source()
        m.submodules.inner = inner
    return rtlil.convert(m, name="top", ports=[a, b, taken], emit_src=False)


def test_registers_take_choices() -> None:
    (module,) = read(text(nested=False)).modules
    taken = next(register for register in module.registers if register.q == module.wires["taken"].bits)
    a, b = module.wires["a"].bits, module.wires["b"].bits
    assert taken.d == Choice(a[0], b, taken.q)
    assert list(leaves(taken.d)) == [*a, *b, *taken.q]
    assert taken.initial == (0, 0)


@pytest.mark.parametrize("nested", [False, True])
def test_what_no_output_rests_on_is_not_alive_unless_it_is_kept(nested: bool) -> None:
    design = read(text(nested=nested))
    wires = design.modules[-1].wires
    alive = design.alive()
    assert {name for name in ("taken", "unused", "kept") if alive >= set(wires[name].bits)} == {"taken", "kept"}


def test_the_only_instance_takes_the_place_of_its_module() -> None:
    design = read(text(nested=True))
    outer, inner = design.modules
    absorb(outer)
    assert design.modules == [outer]
    assert (outer.registers, outer.instances) == (inner.registers, [])
    alive = design.alive()
    assert outer.registers[0].clock in outer.wires["clk"].bits
    assert alive >= set(outer.wires["taken"].bits) | set(outer.wires["b"].bits)


@pytest.mark.parametrize("line", ["process_of_another_kind", "  inout x"])
def test_rtlil_of_another_kind_is_refused(line: str) -> None:
    with pytest.raises(NotImplementedError, match=f"RTLIL of this kind cannot be written as Verilog: {line.strip()}"):
        read(f"module \\top\n{line}\nend\n")
