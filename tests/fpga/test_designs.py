"""Designs around a core: what each adds to it or removes from it."""

import re
from dataclasses import replace

import pytest
from runewire_fpga.designs import (
    STAGES,
    StandaloneDesign,
    Variant,
    always_ready,
    between_registers,
    core,
    design,
    design_apart,
)
from runewire_fpga.synthesis import script, synthesise
from runewire_fpga.targets import TARGETS, Area
from runewire_fpga.tools import Tools
from runewire_jobs.errors import ToolError
from runewire_rtl import parameters
from runewire_rtl.parameters import TranscoderParameters

ECP5 = TARGETS["ecp5-25k"].family
SMALL = parameters("validator", lanes=1)


def area(made: StandaloneDesign) -> Area:
    return ECP5.area(synthesise(made.verilog, script(ECP5, made.top, bare=True, memory="distributed")).cells)


def header(made: StandaloneDesign) -> str:
    found = re.search(rf"module {made.top} \((.*?)\);", made.verilog, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def validator() -> StandaloneDesign:
    return core(SMALL)


def test_the_core_is_what_is_generated(validator: StandaloneDesign) -> None:
    assert validator.top == "runewire_validator_x1"
    widths = {port.name: (port.is_input, port.width) for port in validator.ports}
    assert widths["s_axis_tdata"] == (True, 8)
    assert widths["m_axis_tuser"] == (False, 36)
    assert "aclk" not in widths
    assert validator.latency_cycles > 5


def test_a_digest_is_of_what_the_design_does(validator: StandaloneDesign) -> None:
    assert len(validator.digest) == 12
    assert core(SMALL).digest == validator.digest
    commented = replace(validator, verilog="// of another version\n" + validator.verilog.replace("0.1.0", "7.0.0"))
    assert commented.digest == validator.digest
    assert core(parameters("validator", lanes=1, pipeline="compact")).digest != validator.digest
    assert replace(validator, verilog=validator.verilog.replace("if (read)", "if (!read)")).digest != validator.digest


@pytest.mark.slow
def test_registers_at_every_port(validator: StandaloneDesign) -> None:
    made = between_registers(validator)
    # One register per input, two per output, of which the second is next to the pin; and the reset's.
    bits = sum(port.width * (1 if port.is_input else 2) for port in validator.ports)
    assert area(made).ffs == area(validator).ffs + bits + 1
    assert header(made).count("wire") == 4
    # No register of the core may be removed because its input or output is unused.
    unused = replace(made, verilog=made.verilog.replace("taken <= result", "taken <= 0"))
    assert area(unused).ffs < area(made).ffs


def test_always_ready_takes_the_back_pressure_away(validator: StandaloneDesign) -> None:
    made = always_ready(validator)
    assert "m_axis_tready" not in header(made)
    assert "m_axis_tvalid" in header(made)
    assert area(made).luts < area(validator).luts


def test_always_ready_is_so_for_reports_too() -> None:
    made = always_ready(core(parameters("validator", lanes=1, report_port="beside")))
    assert "m_report_tready" not in header(made)
    assert ".m_report_tready(1'b1)" in made.verilog
    assert "m_report_tready" not in [port.name for port in made.ports]


@pytest.mark.parametrize("of", [SMALL, parameters("encoder", lanes=2)], ids=repr)
def test_the_pipeline_has_one_look_up_table_between_two_registers(of: TranscoderParameters) -> None:
    width = 9 * of.input_bytes + 2
    assert area(design(of, Variant.PIPELINE)) == Area(
        luts=STAGES * width, ffs=(STAGES + 1) * width, block_ram=0, distributed_ram=0, memory_luts=0)


@pytest.mark.parametrize("variant", Variant)
def test_a_process_of_its_own_makes_the_same(variant: Variant) -> None:
    assert design_apart(SMALL, variant, Tools()) == design(SMALL, variant)


def test_a_stopped_process_is_a_tool_that_failed() -> None:
    tools = Tools()
    tools.stop()
    with pytest.raises(ToolError, match="the work was ended"):
        design_apart(SMALL, Variant.CORE, tools)
