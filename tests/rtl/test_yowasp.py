"""YoWASP's programs are compiled once, and no process uses one that is half compiled."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import requires
from pathlib import Path

import pytest
import wasmtime
from runewire_rtl import yowasp

TOY = '''\
import os, pathlib, time, wasmtime, yowasp_runtime

serialize = wasmtime.Module.serialize

def slow(module):
    """The runtime has opened its file, and is about to write to it."""
    content = serialize(module)
    with open(os.environ["TOY_LOG"], "a") as log:
        log.write(f"{os.getpid()}\\n")
    if "TOY_HANGS" in os.environ:
        [file] = [path for path in pathlib.Path(os.environ["YOWASP_CACHE_DIR"]).rglob("*") if path.is_file()]
        file.write_bytes(content[:len(content) // 2])
        pathlib.Path(os.environ["TOY_HANGS"]).touch()
        time.sleep(600)
    time.sleep(0.3)
    return content

wasmtime.Module.serialize = slow

def run_toy(arguments):
    return yowasp_runtime.run_wasm(__package__, "toy.wasm", argv=["yowasp-toy", *arguments])
'''
"""A program with YoWASP's own runtime, which is slow to write what it compiled."""

WAT = """\
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "hello\\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 16))
    (i32.store (i32.const 4) (i32.const 6))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))
    (drop (call $sizes (i32.const 8) (i32.const 12)))
    (if (i32.eq (i32.load (i32.const 8)) (i32.const 3)) (then (call $exit (i32.const 7))))))
"""
"""Says hello, and with two arguments ends with status 7."""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program "toy", installed, and an empty cache; gives the log of those that compiled it."""
    site = tmp_path / "site"
    (site / "yowasp_toy").mkdir(parents=True)
    (site / "yowasp_toy" / "__init__.py").write_text(TOY)
    (site / "yowasp_toy" / "toy.wasm").write_bytes(wasmtime.wat2wasm(WAT))
    (site / "yowasp_toy-1.dist-info").mkdir()
    (site / "yowasp_toy-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: yowasp-toy\nVersion: 1\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *sys.path]))
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "cache"))
    log = tmp_path / "log"
    log.touch()
    monkeypatch.setenv("TOY_LOG", str(log))
    return log


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a program in a process of its own, which ends with the test."""
    with contextlib.ExitStack() as stack:
        def start(name: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
            process = stack.enter_context(subprocess.Popen(
                [*yowasp.command(name), *arguments], cwd=tmp_path, env={**os.environ, **environment},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            stack.callback(process.kill)
            return process

        yield start


def outcome(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def whole(tmp_path: Path) -> bool:
    """Whether the cache contains the program, and nothing else."""
    cache = tmp_path / "cache"
    suffixes = sorted(path.suffix for path in (cache / "runewire").iterdir())
    return suffixes == ["", ".lock"] and list(cache.iterdir()) == [cache / "runewire"]


def test_first_uses_side_by_side_compile_once(toy: Path, tmp_path: Path, start: Start) -> None:
    for process in [start("toy") for _ in range(4)]:
        assert outcome(process) == (0, "hello\n", "")
    assert len(toy.read_text().split()) == 1
    assert whole(tmp_path)


def test_a_first_use_that_is_killed_half_way(toy: Path, tmp_path: Path, start: Start) -> None:
    first = start("toy", TOY_HANGS=str(tmp_path / "hangs"))
    while not (tmp_path / "hangs").exists():
        assert first.poll() is None, outcome(first)
    second = start("toy")
    while not any(f"/{second.pid}/" in holder for holder in waiting(tmp_path)):
        assert second.poll() is None, "it did not wait"
    first.kill()
    assert outcome(second) == (0, "hello\n", "")
    assert toy.read_text().split() == [str(first.pid), str(second.pid)]
    assert whole(tmp_path)


def waiting(tmp_path: Path) -> list[str]:
    """Open files of all processes that are the lock of the cache."""
    found = []
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link).startswith(str(tmp_path / "cache" / "runewire")):
                found.append(str(link))
        except OSError:
            continue
    return found


def test_what_was_written_in_place_by_others_is_not_used(toy: Path, tmp_path: Path, start: Start) -> None:
    """As left by a plain ``yowasp-toy`` that was killed half-way."""
    plain = "import sys, yowasp_toy; sys.exit(yowasp_toy.run_toy([]))"
    subprocess.run([sys.executable, "-c", plain], check=True, capture_output=True)
    [file] = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    file.write_bytes(file.read_bytes()[:4096])
    assert outcome(start("toy")) == (0, "hello\n", "")
    assert file.stat().st_size == 4096


def test_arguments_and_status_are_the_programs(toy: Path, start: Start) -> None:
    assert outcome(start("toy", "a", "b")) == (7, "hello\n", "")
    assert outcome(start("toy", "a", "b")) == (7, "hello\n", "")


def test_a_cache_that_cannot_be_made(toy: Path, tmp_path: Path, start: Start) -> None:
    (tmp_path / "file").touch()
    status, out, err = outcome(start("toy", YOWASP_CACHE_DIR=str(tmp_path / "file")))
    assert (status, out) == (1, "")
    assert err == f"ERROR: cannot compile toy: [Errno 20] Not a directory: '{tmp_path}/file/runewire'\n"


def test_another_processor_or_version_compiles_anew(toy: Path, tmp_path: Path, start: Start,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(start("toy"))[0] == 0
    metadata = tmp_path / "site" / "yowasp_toy-1.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1\n", "Version: 2\n"))
    assert outcome(start("toy")) == (0, "hello\n", "")
    assert len(toy.read_text().split()) == 2


@pytest.mark.slow
def test_a_real_program(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOWASP_CACHE_DIR", str(tmp_path / "cache"))
    for process in [start("nextpnr-ice40", "--version") for _ in range(2)]:
        status, out, err = outcome(process)
        assert status == 0
        assert "Next Generation Place and Route" in out + err
        assert "Preparing to run" not in out + err
    assert whole(tmp_path)


@pytest.mark.parametrize(("name", "extra"), [
    ("yosys", "synth"), ("nextpnr-ecp5", "synth"), ("nextpnr-ice40", "synth"), ("nextpnr-nexus", "synth-more"),
    ("nextpnr-himbaechel-gowin", "synth-more"), ("nextpnr-machxo2", "synth-more"),
    ("nextpnr-himbaechel-gatemate", "synth-more")])
def test_the_extra_that_is_named_has_the_program(name: str, extra: str) -> None:
    """As the project's metadata say."""
    assert yowasp.extra(name) == extra
    assert any(need.startswith(yowasp.package(name)) and f"extra == '{extra}'" in need.replace('"', "'")
               for need in requires("runewire") or ())
