"""Points of a sweep: their text, their defaults, and what is placed for each."""

from dataclasses import replace

import pytest
from runewire_fpga.designs import Variant
from runewire_fpga.points import SweepPoint, Trials
from runewire_rtl import parameters

POINT = SweepPoint(parameters("validator", lanes=8), "ecp5-25k")


def test_a_point_says_core_device_and_memory() -> None:
    assert str(POINT).endswith(" on ecp5-25k")
    assert str(replace(POINT, memory="block")) == f"{POINT} with block memory"


def test_the_defaults_are_the_fastest_grade_and_the_memory_of_the_pipeline() -> None:
    assert POINT.checked() == ("8", "distributed")
    compact = replace(POINT, parameters=parameters("validator", lanes=8, pipeline="compact"), speed="6")
    assert compact.checked() == ("6", "block")


@pytest.mark.parametrize("point", [
    replace(POINT, target="stratix"), replace(POINT, speed="9"),
    replace(POINT, target="ice40-hx8k", memory="distributed"),
])
def test_a_bad_point_is_an_error(point: SweepPoint) -> None:
    with pytest.raises(ValueError, match="must be"):
        point.checked()


def test_a_core_between_registers_is_not_placed_twice() -> None:
    trials = Trials(3, (Variant.CORE, Variant.BETWEEN_REGISTERS), str)
    assert trials.placed(out_of_context=True) == [Variant.CORE, Variant.BETWEEN_REGISTERS]
    assert trials.placed(out_of_context=False) == [Variant.CORE]
