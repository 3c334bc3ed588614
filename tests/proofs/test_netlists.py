"""Netlists equal the RTL in every cycle from the initial values, and a broken netlist does not."""

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

pytestmark = [pytest.mark.slow, pytest.mark.needs("berkeley-abc")]


@cache
def synthesised(core: TranscoderParameters, family: str, engine: Engine) -> tuple[str, str]:
    """A core's Verilog and netlist."""
    verilog = delivered(core)
    return verilog, netlist_text(engine, verilog, family)


def graph(verilog: str, text: str, family: str, engine: Engine, folder: Path) -> Path:
    """The comparison of a netlist with the RTL."""
    return graph_of_gates(engine, Paired.of(rtl(verilog), netlist(verilog, text, family), stay=True), folder)


@pytest.mark.parametrize("core", CORES, ids=repr)
@pytest.mark.parametrize("family", FLOWS)
def test_a_netlist_equals_the_rtl(core: TranscoderParameters, family: str, engine: Engine, tmp_path: Path) -> None:
    verilog, text = synthesised(core, family, engine)
    assert engine.prove(graph(verilog, text, family, engine, tmp_path), INDUCTIVE, ["pdr"], 300).verdict == "proven"


def flipped(found: re.Match[str]) -> str:
    """A look-up table with another first bit."""
    return f"{found[1]}{int(found[2], 16) ^ 1:04x}"


@pytest.mark.parametrize(("pattern", "says"), [
    pytest.param(r"(\.INIT\(16'h)([0-9a-f]{4})", flipped, id="a bit of a look-up table"),
    pytest.param(r'\.CEMUX\("CE"\)', '.CEMUX("1")', id="an enable"),
    pytest.param(r'\.REGSET\("RESET"\)', '.REGSET("SET")', id="an initial value"),
    pytest.param(r"\.LSR\([^)]*[a-z][^)]*\)", ".LSR(1'h0)", id="a reset"),
    pytest.param(r"\.DI\([^)]*\)", ".DI(1'hx)", id="a register without a driver"),
    pytest.param(r"\.CIN\(1'h0\)", ".CIN(1'h1)", id="a carry"),
])
def test_a_broken_netlist_is_found(
    pattern: str, says: str | Callable[[re.Match[str]], str], engine: Engine, tmp_path: Path,
) -> None:
    verilog, text = synthesised(COMPACT, "ecp5", engine)
    places = list(re.finditer(pattern, text))
    place = places[len(places) // 2]
    broken = text[: place.start()] + re.sub(pattern, says, place[0]) + text[place.end() :]
    assert broken != text
    assert engine.refute(graph(verilog, broken, "ecp5", engine, tmp_path), 60).verdict == "refuted"
