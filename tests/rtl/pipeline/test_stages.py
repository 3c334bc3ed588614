"""Stages are modules with a description, and a value waits in the stage that uses it."""

import re

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, Signal
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan, Timed, stage
from runewire_rtl.pipeline.stages import Stage, summary


def documented() -> None:
    """What :class:`~runewire_rtl.pipeline.Timed` values,
    and ``lanes`` of `Lanes`, are.

    More of it.
    """


def test_a_summary_is_the_first_paragraph_without_markup() -> None:
    assert summary(documented) == "What Timed values, and lanes of Lanes, are."
    assert summary(lambda: None) == ""


@stage("halves")
def both(pipeline: Pipeline, value: Timed) -> Timed:
    """Whether both halves are equal."""
    return pipeline.step("both", lambda v: v[:2] == v[2:], value)


@stage("later")
def much_later(values: list[Timed]) -> Timed:
    """Looked at much later."""
    return values[0].pipeline.step("look", lambda v, valid: v & valid, values[0], values[0].pipeline.valid, after=3)


def modules(m: Module, *ports: Signal) -> dict[str, list[str]]:
    """The registers of each module, by the name of the instance."""
    text = rtlil.convert(m, name="top", ports=ports, emit_src=False)
    return {found[1].rpartition(".")[2]: re.findall(r"connect \\Q \\(\w+)", found[0])
            for found in re.finditer(r"^module \\(\S+).*?^end$", text, flags=re.MULTILINE | re.DOTALL)}


def test_steps_and_delays_are_in_the_stage_that_makes_them() -> None:
    m = Module()
    data, valid, last, out = Signal(4, name="data"), Signal(name="valid"), Signal(name="last"), Signal(name="out")
    pipeline = Pipeline(m, Plan.FAST, BeatFlags(valid, last))
    first = both(pipeline, pipeline.enter(data, "data"))
    found = much_later([first])
    m.d.comb += out.eq(found.at(found.step))
    assert modules(m, data, valid, last, out) == {
        "top": [], "pipeline": [], "halves": ["both_s1"], "beats": ["valid_s1", "valid_s2", "valid_s3"],
        "later": ["both_s2", "both_s3", "look_s4"],
    } | {"halves": ["both_s1"]}


def test_steps_of_one_name_in_two_stages_are_named_after_the_second() -> None:
    m = Module()
    pipeline = Pipeline(m, Plan.FAST, BeatFlags(Signal(), Signal()))
    names = []
    for each in ("one", "two", "one"):
        with pipeline.stage(each, ""):
            names.append(pipeline.step("same", lambda v: v, pipeline.valid).name)
    assert names == ["same", "two_same", "same_n1"]
    modules(m)


def test_a_delay_asked_for_inside_a_condition_is_not_part_of_it(cycles) -> None:
    m = Module()
    condition = Signal()
    value = Signal()
    seen = Signal()
    pipeline = Pipeline(m, Plan.FAST, BeatFlags(0, 0))
    timed = pipeline.enter(value, "value")
    with pipeline.stage("inside", ""), pipeline.m.If(condition):
        pipeline.m.d.comb += seen.eq(timed.at(1))
    assert cycles(m, [[(value, 1)], [(condition, 1), (value, 0)], []], [seen]) == [(0,), (1,), (0,)]


def test_a_stage_of_nothing_that_is_timed_is_refused() -> None:
    with pytest.raises(TypeError, match="none of the operands of stage halves is part of a pipeline"):
        both(3, 4)  # type: ignore[arg-type]


def test_statements_may_be_added_until_a_stage_is_elaborated(cycles) -> None:
    m = Module()
    a = Signal()
    b = Signal()
    added = Stage(m, "added", "Follows.")
    added.add("sync", b.eq(a))
    assert cycles(m, [[(a, 1)], [(a, 0)], []], [b]) == [(0,), (1,), (0,)]
