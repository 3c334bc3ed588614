"""Shell completion."""

import os
import subprocess
import sys

import pytest
from runewire.completion import list_of, one_of
from runewire.options import _SIMULATORS
from runewire_model import ENCODINGS
from runewire_model.transcoder import CORES
from runewire_rtl.packages import PACKAGES
from runewire_sim import SIMULATORS


def completed(line: str) -> list[str]:
    """Completions that bash receives for a command line; its last word may be empty."""
    words = line.split(" ")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "_RUNEWIRE_COMPLETE": "complete_bash",
                   "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run([sys.executable, "-m", "runewire.cli"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.parametrize(("line", "found"), [
    ("runewire ge", ["generate"]),
    ("runewire generate ", [*CORES, "transcoder"]),
    ("runewire generate transcoder --from utf-16", ["utf-16le", "utf-16be", "utf-16"]),
    ("runewire generate decoder --package fusesoc,li", ["fusesoc,litex"]),
    ("runewire plan --target ice40", ["ice40-hx8k", "ice40-up5k"]),
    ("runewire synth decoder --pipe", ["--pipeline"]),
    ("runewire board ice", ["icebreaker"]),
])
def test_a_line_is_completed(line: str, found: list[str]) -> None:
    assert completed(line) == found


def test_the_script_for_a_shell_is_shown(runewire) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "_RUNEWIRE_COMPLETE": "source_bash"}
    done = subprocess.run([sys.executable, "-m", "runewire.cli"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "complete -o default -F" in done.stdout
    assert "--install-completion" in runewire("--help").out


def test_one_of_several_values() -> None:
    assert one_of(ENCODINGS)("utf-32") == ["utf-32le", "utf-32be", "utf-32"]
    assert one_of(ENCODINGS)("x") == []


def test_the_last_of_a_list() -> None:
    assert list_of(PACKAGES)("") == [*PACKAGES]
    assert list_of(PACKAGES)("fusesoc,vivado,f") == ["fusesoc,vivado,formal"]
    assert list_of(["a", "b"])("a,") == ["a,b"]


def test_the_simulators_that_are_offered_are_those_that_there_are() -> None:
    assert tuple(SIMULATORS) == _SIMULATORS
