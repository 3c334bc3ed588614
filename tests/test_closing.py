"""The last line of a test run: what was skipped for lack of a program, and what installs it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """\
import pytest

@pytest.mark.needs("iverilog")
@pytest.mark.parametrize("n", [1, 2])
def test_one(n): pass

@pytest.mark.icarus
def test_two(): pass

@pytest.mark.needs("iverilog", "berkeley-abc")
@pytest.mark.xdist_group("of three")
def test_three(): pass

@pytest.fixture
def made():
    raise LookupError("the mark comes first")

@pytest.mark.needs("chromium")
def test_four(made): pass

def test_five(lacking): lacking("liblz4-dev", "zlib1g-dev")

def test_six(simulator): pass

@pytest.mark.skip(reason="of another kind")
def test_seven(): pass
"""


LISTED = ".pytest_cache/d/lacking/tests"


def last_lines(tmp_path: Path, tests: str, programs: list[str], *options: str) -> list[str]:
    """The last two lines of a run of ``tests`` on a machine with ``programs``."""
    room, path = tmp_path / "tests", tmp_path / "bin"
    room.mkdir(exist_ok=True)
    path.mkdir(exist_ok=True)
    for name in programs:
        (path / name).write_text("")
        (path / name).chmod(0o755)
    shutil.copy(Path(__file__).parent / "conftest.py", room)
    (room / "test_few.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(room), *options]
    done = subprocess.run(command, cwd=room, env={"PATH": str(path)}, capture_output=True, text=True)
    return done.stdout.splitlines()[-2:]


@pytest.mark.parametrize("options", [(), ("-n", "2", "--dist", "loadgroup")], ids=["one process", "workers"])
def test_what_is_missing_is_named(options: tuple[str, ...], tmp_path: Path) -> None:
    before, last = last_lines(tmp_path, TESTS, [], "--simulator", "icarus", *options)
    assert before.startswith("8 skipped")
    assert last == ("Skipped for lack of a program: 7 tests (berkeley-abc 1, chromium 1, iverilog 5, liblz4-dev 1, "
                    "zlib1g-dev 1). To run them: apt-get install berkeley-abc chromium iverilog liblz4-dev zlib1g-dev")
    listed = (tmp_path / "tests" / LISTED).read_text().splitlines()
    assert sorted(listed) == [f"test_few.py::test_{name}" for name in (
        "five", "four", "one[1]", "one[2]", "six", "three", "two")]


def test_what_was_skipped_for_lack_of_a_program_can_be_run_then(tmp_path: Path) -> None:
    tests = TESTS.partition("@pytest.fixture")[0] + "def test_that_ran(): pass\n"
    assert last_lines(tmp_path, tests, [])[0].startswith("1 passed, 4 skipped")
    before, last = last_lines(tmp_path, tests, ["iverilog", "abc"], f"@{LISTED}")
    assert before.startswith("4 passed")
    assert last == "No test was skipped for lack of a program."
    assert (tmp_path / "tests" / LISTED).read_text() == ""


def test_a_test_is_not_skipped_for_a_program_that_is_said_to_be_installed(tmp_path: Path) -> None:
    before, last = last_lines(tmp_path, TESTS, ["abc"], "--simulator", "icarus", "--installed", "iverilog zlib1g-dev")
    assert before.startswith("1 failed, 2 skipped, 5 errors")
    assert last == "Skipped for lack of a program: 1 test (chromium 1). To run them: apt-get install chromium"


def test_where_nothing_is_missing(tmp_path: Path) -> None:
    tests = TESTS.partition("@pytest.fixture")[0]
    before, last = last_lines(tmp_path, tests, ["iverilog", "abc"])
    assert before.startswith("4 passed")
    assert last == "No test was skipped for lack of a program."


def test_where_no_test_ran_nothing_is_said(tmp_path: Path) -> None:
    assert "program" not in last_lines(tmp_path, TESTS, [], "--collect-only")[-1]
