import subprocess
import sys
from pathlib import Path

import pytest
from runewire.compare.known import peers
from runewire.compare.node import Node, NodePeer
from runewire.compare.peers import (
    Arrow,
    CPythonCodecs,
    CPythonDecode,
    CPythonEncode,
    GoldenModel,
    Peer,
    Polars,
    Simdutf,
    StringZilla,
    find_simdutf,
)
from runewire.compare.works import WORKS, converted
from runewire_model import decode
from runewire_model.texts import damage, generate

C_LIBRARY = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
bool simdutf_validate_utf8(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) if ((unsigned char)text[i] == 0xFF) return false;
    return true;
}
size_t simdutf_convert_utf8_to_utf32(const char *text, size_t length, uint32_t *output) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) if (((unsigned char)text[i] & 0xC0) != 0x80) output[count++] = i;
    return count;
}
bool simdutf_validate_utf16le(const uint16_t *text, size_t units) { return units & 1; }
"""
CXX_LIBRARY = """
#include <cstddef>
namespace simdutf {
bool validate_utf8(const char *text, std::size_t length) noexcept {
    for (std::size_t i = 0; i < length; i++) if ((unsigned char)text[i] == 0xFF) return false;
    return true;
}
std::size_t convert_utf8_to_utf32(const char *text, std::size_t length, char32_t *output) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < length; i++) if (((unsigned char)text[i] & 0xC0) != 0x80) output[count++] = i;
    return count;
}
bool validate_utf16le(const char16_t *text, std::size_t units) noexcept { return units & 1; }
}
"""


def build(folder: Path, compiler: str, source: str, name: str = "libsimdutf.so.99.1.2") -> Path:
    suffix = {"gcc": "c", "g++": "cpp"}[compiler]
    (folder / f"library.{suffix}").write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", name, f"library.{suffix}"], cwd=folder, check=True)
    return folder / name


def every_peer() -> list[Peer]:
    """All but those of other processes and libraries of the system."""
    return [peer for peer in peers() if not isinstance(peer, NodePeer | Simdutf)]


@pytest.mark.parametrize("peer", every_peer(), ids=lambda peer: peer.name)
def test_answer_on_well_formed_packets(peer: Peer) -> None:
    assert peer.available(), peer.missing
    work = WORKS[peer.job]
    script = "latin" if work.source == "latin-1" else "mixed"
    packets = converted([generate(script, size) for size in (0, 1, 500, 3000)], work.source)
    assert packets is not None
    answers = [work.answer([packet]) for packet in packets]
    assert [peer.run(packet) for packet in packets] == answers
    call = peer.bind(packets)
    assert call() == call() == work.answer(packets)
    assert peer.version


@pytest.mark.parametrize(("job", "ill_formed"), [
    ("check utf-16le", [b"a", b"a\0\x3D\xD8", b"\0\xDCa\0", b"\x3D\xD8a\0", b"\x3D\xD8\x3D\xD8\0\xDC"]),
    ("check utf-32le", [b"a\0\0", b"\0\0\x11\0", b"\0\xD8\0\0", b"\xFF\xDF\0\0", b"\xFF\xFF\xFF\xFF"]),
    ("validate", [b"ab\xffcd", b"\xe2\x82"]),
])
def test_what_is_ill_formed_is_found(job: str, ill_formed: list[bytes]) -> None:
    found = [peer for peer in every_peer() if peer.job == job]
    assert len(found) >= 2
    for peer in found:
        assert [peer.run(packet) for packet in ill_formed] == [0] * len(ill_formed), peer.name


@pytest.mark.parametrize(("script", "rate"), [("mixed", 0.0), ("mixed", 1 / 16), ("emoji", 1 / 64)])
def test_stringzilla_makes_the_golden_model_s_code_points(script: str, rate: float) -> None:
    peer = StringZilla()
    for size in (0, 1, 2, 3, 63, 64, 65, 1000, 5000):
        text = damage(generate(script, size), rate) if rate else generate(script, size)
        for end in range(max(0, size - 4), size + 1):
            assert peer.run(text[:end]) == len(decode(text[:end]))


def test_a_stringzilla_of_other_arguments_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StringZilla, "MAJOR", "4")
    assert not StringZilla().available()


@pytest.mark.parametrize("peer", [GoldenModel(), CPythonDecode("replace")], ids=lambda peer: peer.name)
def test_decoders_that_read_on_count_replacements(peer: Peer) -> None:
    assert peer.run(b"a\xe2\x82b\xff") == 4


def test_polars_finds_what_is_ill_formed() -> None:
    peer = Polars()
    assert peer.available(), peer.missing
    assert peer.run(b"ab\xffcd") == 0
    assert peer.bind([b"abc", b"\xc0\x80", b"abc"])() == 0


def test_missing_polars_is_named_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    peer = Polars()
    assert not peer.available()
    assert peer.missing == "pip install 'runewire[compare]'"


@pytest.mark.parametrize(("peer", "damaged", "damaged_packets"), [
    (GoldenModel(), True, True),
    (CPythonDecode("strict"), False, False),
    (CPythonDecode("replace"), True, True),
    (CPythonEncode(), False, False),
    (CPythonCodecs("utf-8 to utf-16le"), False, False),
    (CPythonCodecs("utf-8 to utf-16le, replacing", "replace"), True, True),
    (StringZilla(), True, True),
    (Arrow(), False, False),
    (Polars(), True, False),
    (Simdutf("validate", None), True, True),
    (Simdutf("decode", None), False, False),
    (NodePeer("validate", Node(None)), True, True),
    (NodePeer("decode", Node(None)), False, False),
    (NodePeer("encode", Node(None)), False, False),
], ids=lambda value: value.name if isinstance(value, Peer) else None)
def test_peers_that_stop_early_are_not_timed_on_damage(
    peer: Peer, damaged: bool, damaged_packets: bool
) -> None:
    assert peer.suits(damaged=False, packets=False)
    assert peer.suits(damaged=False, packets=True)
    assert peer.suits(damaged=True, packets=False) is damaged
    assert peer.suits(damaged=True, packets=True) is damaged_packets


@pytest.mark.parametrize(("compiler", "source"), [("gcc", C_LIBRARY), ("g++", CXX_LIBRARY)], ids=["C", "C++"])
def test_simdutf_is_called_by_its_c_or_its_cxx_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, source: str
) -> None:
    path = build(tmp_path, compiler, source)
    monkeypatch.setenv("RUNEWIRE_SIMDUTF", str(path))
    found = {peer.job: peer for peer in peers() if isinstance(peer, Simdutf)}
    assert {job for job, peer in found.items() if peer.available()} == {"validate", "decode", "check utf-16le"}
    decode, validate, check16 = found["decode"], found["validate"], found["check utf-16le"]
    assert [check16.run(text) for text in (b"", b"ab", b"a\0b\0c\0")] == [0, 1, 1]  # 0, 1 and 3 units
    assert validate.version == "libsimdutf.so.99.1.2"
    assert [validate.run(text) for text in (b"", b"a\x00b", b"a\xffb")] == [1, 1, 0]
    text = generate("japanese", 5000)
    assert decode.run(text) == len(text.decode())
    assert decode.run(text[:1]) == 1
    assert decode.bind([b"a\x00b", text])() == 3 + len(text.decode())


def test_library_without_the_functions_says_so(tmp_path: Path) -> None:
    path = build(tmp_path, "gcc", "int other;", "libother.so")
    peer = Simdutf("validate", str(path))
    assert not peer.available()
    assert "simdutf_validate_utf8" in peer.missing
    assert "libother.so" in peer.missing


def test_library_that_cannot_be_loaded_says_so(tmp_path: Path) -> None:
    path = tmp_path / "libsimdutf.so"
    path.write_bytes(b"not a library")
    peer = Simdutf("decode", str(path))
    assert not peer.available()
    assert "cannot load" in peer.missing


def test_without_a_library_the_way_to_name_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNEWIRE_SIMDUTF", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    assert find_simdutf() is None
    peer = Simdutf("validate", None)
    assert not peer.available()
    assert "RUNEWIRE_SIMDUTF" in peer.missing


def test_the_systems_library_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUNEWIRE_SIMDUTF", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: f"lib{name}.so.27")
    assert find_simdutf() == "libsimdutf.so.27"
