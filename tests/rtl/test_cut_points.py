"""Cut points: a replacement holds inside its context and nowhere else."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Elaboratable, Module, Signal, Value
from runewire_rtl.cut_points import cut_point


@cut_point
def half_sum(a: Value, b: Value) -> Value:
    """The lower bit of a sum."""
    return a ^ b


class Adder(Elaboratable):
    def __init__(self) -> None:
        self.a, self.b, self.sum = (Signal(name=name) for name in ("a", "b", "sum"))

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.sum.eq(half_sum(self.a, self.b))
        return m


class Inverted(Adder):
    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        m.d.comb += self.sum.eq(~half_sum(self.a, self.b))
        return m


def netlist(adder: Adder) -> str:
    return rtlil.convert(adder, ports=[adder.a, adder.b, adder.sum], emit_src=False)


def test_a_replacement_is_made_of_the_sound_function_and_ends_with_its_context() -> None:
    sound = netlist(Adder())
    with half_sum.replaced(lambda sound: lambda a, b: sound(b, a)):
        assert netlist(Adder()) != sound
    assert netlist(Adder()) == sound
    with pytest.raises(RuntimeError, match="broken off"), half_sum.replaced(lambda sound: lambda a, b: a):
        raise RuntimeError("broken off")
    assert netlist(Adder()) == sound


def test_the_inner_of_two_replacements_is_made_of_the_outer_one() -> None:
    with half_sum.replaced(lambda sound: lambda a, b: f"outer {a}"), \
            half_sum.replaced(lambda outer: lambda a, b: f"inner of {outer(a, b)}"):
        assert half_sum("a", "b") == "inner of outer a"  # type: ignore[arg-type, comparison-overlap]


def test_a_method_is_a_cut_point_of_all_objects_and_of_subclasses_that_call_it() -> None:
    sound, inverted = netlist(Adder()), netlist(Inverted())

    def tied(self: Adder, platform: object) -> Module:
        m = Module()
        m.d.comb += self.sum.eq(0)
        return m

    with Adder.elaborate.replaced(lambda _: tied):
        assert netlist(Adder()) != sound
        assert netlist(Inverted()) != inverted
    assert netlist(Adder()) == sound


def test_a_cut_point_is_called_and_described_like_its_function() -> None:
    assert half_sum.__doc__ == "The lower bit of a sum."
    assert half_sum.__name__ == "half_sum"
    with pytest.raises(TypeError, match="half_sum"):
        half_sum()  # type: ignore[call-arg]
