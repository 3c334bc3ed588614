"""Netlists equal the RTL in every cycle from the initial values, and a broken netlist does not."""

import itertools
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters
from runewire_proofs import Engine
from runewire_proofs.delivered import delivered
from runewire_proofs.netlists import FLOWS, netlist, netlist_text, rtl
from runewire_proofs.paired import Paired, graph_of_gates
from runewire_proofs.proof import INDUCTIVE

COMPACT = ValidatorParameters(1, "compact")
CORES = [COMPACT, DecoderParameters(1, pipeline="compact"), EncoderParameters(1, pipeline="compact"),
         ValidatorParameters(8)]
FURTHER = [("xilinx", DecoderParameters(8, family="xilinx-7")), ("gowin", DecoderParameters(8, family="gowin-5a")),
           *(pytest.param(*each, marks=pytest.mark.records) for each in (
               ("xilinx", DecoderParameters(8)), ("xilinx", ValidatorParameters(8, family="xilinx-7")),
               ("gowin", DecoderParameters(8)), ("gowin", ValidatorParameters(8, family="gowin-5a"))))]
"""Cores that are compared on one family."""

pytestmark = [pytest.mark.slow, pytest.mark.needs("berkeley-abc")]


@cache
def synthesised(core: TranscoderParameters, family: str, engine: Engine) -> tuple[str, str]:
    """A core's Verilog and netlist."""
    verilog = delivered(core)
    return verilog, netlist_text(engine, verilog, family)


def graph(verilog: str, text: str, family: str, engine: Engine, folder: Path) -> Path:
    """The comparison of a netlist with the RTL."""
    return graph_of_gates(engine, Paired.of(rtl(verilog), netlist(verilog, text, family), stay=True), folder)


@pytest.mark.parametrize(("family", "core"), [*itertools.product(FLOWS, CORES), *FURTHER], ids=str)
def test_a_netlist_equals_the_rtl(family: str, core: TranscoderParameters, engine: Engine, tmp_path: Path) -> None:
    verilog, text = synthesised(core, family, engine)
    assert engine.prove(graph(verilog, text, family, engine, tmp_path), INDUCTIVE, ["pdr"], 300).verdict == "proven"


def flipped(found: re.Match[str]) -> str:
    """A look-up table with another first bit."""
    return f"{found[1]}{int(found[2], 16) ^ 1:04x}"


@pytest.mark.parametrize(("family", "pattern", "says"), [
    pytest.param("ecp5", r"(\.INIT\(16'h)([0-9a-f]{4})", flipped, id="a bit of a look-up table"),
    pytest.param("ecp5", r'\.CEMUX\("CE"\)', '.CEMUX("1")', id="an enable"),
    pytest.param("ecp5", r'\.REGSET\("RESET"\)', '.REGSET("SET")', id="an initial value"),
    pytest.param("ecp5", r"\.LSR\([^)]*[a-z][^)]*\)", ".LSR(1'h0)", id="a reset"),
    pytest.param("ecp5", r"\.DI\([^)]*\)", ".DI(1'hx)", id="a register without a driver"),
    pytest.param("ecp5", r"\.CIN\(1'h0\)", ".CIN(1'h1)", id="a carry"),
    pytest.param("xilinx", r"(\.INIT\(16'h)([0-9a-f]{4})", flipped, id="Xilinx, a bit of a look-up table"),
    pytest.param("xilinx", r"\.D\([^)]*\)", ".D(1'hx)", id="Xilinx, a register without a driver"),
    pytest.param("gowin", r"(\.INIT\(16'h)([0-9a-f]{4})", flipped, id="Gowin, a bit of a look-up table"),
    pytest.param("gowin", r"\.D\([^)]*\)", ".D(1'hx)", id="Gowin, a register without a driver"),
])
def test_a_broken_netlist_is_found(
    family: str, pattern: str, says: str | Callable[[re.Match[str]], str], engine: Engine, tmp_path: Path,
) -> None:
    verilog, text = synthesised(COMPACT, family, engine)
    places = list(re.finditer(pattern, text))
    place = places[len(places) // 2]
    broken = text[: place.start()] + re.sub(pattern, says, place[0]) + text[place.end() :]
    assert broken != text
    assert engine.refute(graph(verilog, broken, family, engine, tmp_path), 60).verdict == "refuted"
