"""libsimdutf through a compiled program: its answers, and the messages if something is missing."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_benchmark import native
from runewire_benchmark.native import PLACES, REMEDY, Simdutf, find_simdutf
from runewire_benchmark.peer_registry import peers, simdutf_peers
from runewire_benchmark.peers import Peer
from runewire_benchmark.tasks import TASKS
from runewire_model.texts import SCRIPTS, damage, generate

CXX_LIBRARY = """
#include <cstddef>
namespace simdutf {
bool validate_utf8(const char *text, std::size_t length) noexcept {
    for (std::size_t i = 0; i < length; i++) if ((unsigned char)text[i] == 0xFF) return false;
    return true;
}
bool validate_utf16le(const char16_t *text, std::size_t units) noexcept { return units & 1; }
std::size_t convert_utf16le_to_utf8_with_replacement(const char16_t *, std::size_t units, char *output) noexcept {
    for (std::size_t i = 0; i < 3 * units; i++) output[i] = 1;
    return 3 * units;
}
}
"""


def named(simdutf: Simdutf) -> dict[str, Peer]:
    return {peer.name.removeprefix("simdutf "): peer for peer in simdutf_peers(simdutf)}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    (folder / "library.cpp").write_text(CXX_LIBRARY)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", "libsimdutf.so.99.1.2", "library.cpp"], cwd=folder, check=True)
    return folder / "libsimdutf.so.99.1.2"


def test_an_old_library_without_a_c_interface_serves_for_what_it_has(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNEWIRE_SIMDUTF", str(library))
    found = {peer.job: peer for peer in peers() if peer.name.startswith("simdutf ")}
    assert {job for job, peer in found.items() if peer.available()} \
        == {"validate", "check utf-16le", "utf-16le to utf-8, replacing"}
    assert found["encode"].missing == f"{library} has no function for it"
    assert found["validate"].version == "libsimdutf.so.99.1.2"
    assert [found["validate"].answer([text]) for text in (b"", b"a\x00b", b"a\xffb")] == [1, 1, 0]
    of_units = {0: b"", 1: b"ab", 3: b"a\0b\0c\0"}
    assert [found["check utf-16le"].answer([text]) for text in of_units.values()] == [0, 1, 1]
    # Three bytes a unit are enough for every text.
    assert found["utf-16le to utf-8, replacing"].answer([b"a\0" * 100_000, b""]) == 300_000


def test_the_loop_of_decoding_is_for_damaged_text_alone() -> None:
    """On clean text it would differ from simdutf's own function by noise only."""
    peer = named(Simdutf(None))["loop decode"]
    assert [peer.suits(damaged=damaged, packets=False) for damaged in (False, True)] == [False, True]


def test_every_task_is_a_direct_call_or_a_loop() -> None:
    assert {peer.job for peer in simdutf_peers(Simdutf(None))} == {*TASKS}


def test_a_version_is_that_of_pkg_config(library: Path) -> None:
    stated = library.parent / "pkgconfig" / "simdutf.pc"
    stated.parent.mkdir()
    stated.write_text("Name: simdutf\nVersion: 99.1.2\n")
    simdutf = Simdutf(str(library))
    assert simdutf.missing is None
    assert simdutf.version == "simdutf 99.1.2"


@pytest.mark.parametrize("job", ["decode", "utf-8 to utf-16le, replacing"])
def test_the_loop_replaces_what_the_golden_model_replaces(scalar_simdutf: str, job: str) -> None:
    peer = named(Simdutf(scalar_simdutf))[f"loop {job}"]
    assert peer.available(), peer.missing
    packets = [generate(script, 3000) for script in SCRIPTS]
    packets += [damage(packet, 1 / every) for packet in packets for every in (16, 64)]
    packets += [b"", b"\xff", b"a\xe2\x82", b"\xe2\x82b", b"\xf0\x9f\x98", b"\xf0\x9f\xff", b"\xf4\x90\x80\x80",
                b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf0\x80\x80", b"\xc3(", b"\xf5\x80", b"\xe2(\x82"]
    assert [peer.answer([packet]) for packet in packets] == [TASKS[job].answer([packet]) for packet in packets]
    assert peer.answer(packets) == TASKS[job].answer(packets)


def test_packets_that_were_kept_are_the_ones_that_are_measured(scalar_simdutf: str) -> None:
    """More lists than the program keeps, in any order."""
    simdutf = Simdutf(scalar_simdutf)
    lists = [[b"a"] * number for number in range(2 * PLACES)]
    runs = [named(simdutf)["validate"].timed(packets) for packets in lists]
    for order in (range(len(runs)), range(3), (7, 7, 0, 7, 1, 2, 3, 7)):
        for number in order:
            assert runs[number](2).answer == number


def test_the_clock_is_the_processor_time_of_the_program(scalar_simdutf: str) -> None:
    run = named(Simdutf(scalar_simdutf))["validate"].timed([generate("chinese", 100_000)])
    run(1)
    ours, wall = time.process_time_ns(), time.monotonic_ns()
    sample = run(300)
    ours, wall = time.process_time_ns() - ours, time.monotonic_ns() - wall
    assert ours < sample.nanoseconds <= wall


@pytest.mark.parametrize(("make", "said"), [
    (lambda folder: None, REMEDY),
    (lambda folder: str(folder / "nowhere.so"), "cannot load .*nowhere.so: .*No such file"),
], ids=["none", "does not load"])
def test_a_library_that_is_missing_is_one_line(tmp_path: Path, make: Callable[[Path], str | None], said: str) -> None:
    peer = named(Simdutf(make(tmp_path)))["validate"]
    assert not peer.available()
    assert peer.missing.count("\n") == 0
    with pytest.raises(ValueError, match=f"no libsimdutf: {said}"):
        peer.answer([b"a"])


def test_what_is_no_library_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "libsimdutf.so"
    path.write_bytes(b"not a library")
    assert Simdutf(str(path)).missing == f"cannot load {path}: {path}: file too short"


@pytest.mark.parametrize(("lines", "said"), [
    (None, "install g++: calls of libsimdutf are compiled when they are measured"),
    (["echo first >&2", "echo second >&2", "exit 1"], "does not compile the calls of libsimdutf: first"),
    (["exit 1"], "does not compile the calls of libsimdutf: ?"),
], ids=["none", "fails", "fails without a word"])
def test_a_compiler_that_is_missing_is_one_line(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str] | None, said: str
) -> None:
    if lines is not None:
        (tmp_path / "g++").write_text("\n".join(["#!/bin/sh", *lines, ""]))
        (tmp_path / "g++").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    assert (Simdutf(str(library)).missing or "").endswith(said)


def test_the_program_ends_with_its_object(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Seen(native.Worker):
        def __init__(self, command: list[str]) -> None:
            super().__init__(command)
            started.append(self._process.pid)

    monkeypatch.setattr(native, "Worker", Seen)
    found = Simdutf(str(library))
    assert found.missing is None
    os.kill(started[0], 0)
    del found
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)


def test_without_a_library_the_way_to_name_one_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNEWIRE_SIMDUTF", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    assert find_simdutf() is None
    assert "RUNEWIRE_SIMDUTF" in named(Simdutf(None))["validate"].missing


def test_the_systems_library_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNEWIRE_SIMDUTF", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: f"lib{name}.so.27")
    assert find_simdutf() == "libsimdutf.so.27"
