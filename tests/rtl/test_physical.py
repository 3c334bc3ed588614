"""Copies change nothing: a core laid out with them is proven to do what the plain one does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from amaranth.back import rtlil
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters
from runewire_rtl import timing, yowasp
from runewire_rtl.axi import AxiStream
from runewire_rtl.physical import NAIVE, TUNED, Policy
from runewire_rtl.transcoder import Transcoder

SCRIPT = """\
read_rtlil tuned.il
proc
flatten
rename tuned gold
design -stash gold
read_rtlil naive.il
proc
flatten
rename naive gate
design -copy-from gold -as gold gold
miter -equiv -flatten gold gate miter
hierarchy -top miter
memory -nomap
memory_map
opt_expr
opt_clean
async2sync
dffunmap
setundef -undriven -zero
techmap
dffunmap
opt_expr
opt_clean
aigmap
write_aiger -zinit miter.aig
"""


def described(parameters: TranscoderParameters, policy: Policy, name: str) -> str:
    text = rtlil.convert(AxiStream(Transcoder(parameters, policy=policy)), name=name, emit_src=False)
    # Without leave to differ where a row is read while it is written.
    return re.sub(r" *attribute \\(?:no_rw_check|top) .*\n", "", text)


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(8, "compact"), DecoderParameters(8, packing="sparse", pipeline="compact"),
    EncoderParameters(2, pipeline="compact"),
], ids=str)
def test_the_tuned_core_does_what_the_naive_one_does(parameters: TranscoderParameters, tmp_path: Path) -> None:
    """From the initial values on, in every state that can be reached, memories included."""
    (tmp_path / "tuned.il").write_text(described(parameters, TUNED, "tuned"))
    (tmp_path / "naive.il").write_text(described(parameters, NAIVE, "naive"))
    (tmp_path / "miter.ys").write_text(SCRIPT)
    subprocess.run([*yowasp.command("yosys"), "-q", "miter.ys"], cwd=tmp_path, check=True, capture_output=True)
    abc = next(filter(None, map(shutil.which, ("berkeley-abc", "abc"))))
    said = subprocess.run([abc, "-c", f"read {tmp_path / 'miter.aig'}; strash; scorr; pdr -T 100"],
                          capture_output=True, text=True, check=True).stdout
    assert "Property proved" in said


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(16), DecoderParameters(16), DecoderParameters(8, packing="sparse"), EncoderParameters(4),
], ids=str)
def test_the_naive_core_has_no_copies(parameters: TranscoderParameters) -> None:
    def kept(policy: Policy) -> int:
        return described(parameters, policy, "core").count("attribute \\keep ")

    assert kept(NAIVE) < kept(TUNED) / 2


@pytest.mark.parametrize("parameters", [ValidatorParameters(8), DecoderParameters(8), EncoderParameters(4)], ids=str)
def test_up_to_sixteen_lanes_copies_cost_no_time(parameters: TranscoderParameters) -> None:
    core = Transcoder(parameters, policy=NAIVE)
    core._MustUse__silence = True
    assert core.timing == timing(parameters)
