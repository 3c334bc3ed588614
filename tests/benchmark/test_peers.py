"""Peers called from Python, and which inputs suit each peer."""

import sys
from dataclasses import replace

import pytest
from runewire_benchmark.callers import InPython
from runewire_benchmark.native import Simdutf
from runewire_benchmark.node import Node
from runewire_benchmark.peer_registry import node_peers, python_peers, simdutf_peers
from runewire_benchmark.peers import Peer
from runewire_benchmark.tasks import TASKS, converted
from runewire_model import decode
from runewire_model.texts import damage, generate

PYTHON = {peer.name: peer for peer in python_peers()}
EVERY = PYTHON | {peer.name: peer for peer in (*node_peers(Node(None)), *simdutf_peers(Simdutf(None)))}


@pytest.mark.parametrize("peer", PYTHON.values(), ids=lambda peer: peer.name)
def test_answer_on_well_formed_packets(peer: Peer) -> None:
    assert peer.available(), peer.missing
    task = TASKS[peer.job]
    script = "latin" if task.source == "latin-1" else "mixed"
    packets = converted([generate(script, size) for size in (0, 1, 500, 3000)], task.source)
    assert packets is not None
    answers = [task.answer([packet]) for packet in packets]
    assert [peer.answer([packet]) for packet in packets] == answers
    run = peer.timed(packets)
    assert run(1).answer == run(2).answer == task.answer(packets)
    assert peer.version


@pytest.mark.parametrize(("job", "ill_formed"), [
    ("check utf-16le", [b"a", b"a\0\x3D\xD8", b"\0\xDCa\0", b"\x3D\xD8a\0", b"\x3D\xD8\x3D\xD8\0\xDC"]),
    ("check utf-32le", [b"a\0\0", b"\0\0\x11\0", b"\0\xD8\0\0", b"\xFF\xDF\0\0", b"\xFF\xFF\xFF\xFF"]),
    ("validate", [b"ab\xffcd", b"\xe2\x82"]),
])
def test_what_is_ill_formed_is_found(job: str, ill_formed: list[bytes]) -> None:
    found = [peer for peer in PYTHON.values() if peer.job == job]
    assert len(found) >= 2
    for peer in found:
        assert [peer.answer([packet]) for packet in ill_formed] == [0] * len(ill_formed), peer.name


@pytest.mark.parametrize(("script", "rate"), [("mixed", 0.0), ("mixed", 1 / 16), ("emoji", 1 / 64)])
def test_stringzilla_makes_the_golden_model_s_code_points(script: str, rate: float) -> None:
    peer = PYTHON["stringzilla"]
    for size in (0, 1, 2, 3, 63, 64, 65, 1000, 5000):
        text = damage(generate(script, size), rate) if rate else generate(script, size)
        for end in range(max(0, size - 4), size + 1):
            assert peer.answer([text[:end]]) == len(decode(text[:end]))


def test_a_stringzilla_of_other_arguments_is_not_called() -> None:
    caller = PYTHON["stringzilla"].caller
    assert isinstance(caller, InPython)
    assert replace(caller, major="4").missing == "pip install 'runewire[compare]'"


@pytest.mark.parametrize("peer", ["golden model", "CPython replace", "stringzilla"])
def test_decoders_that_read_on_count_replacements(peer: str) -> None:
    assert PYTHON[peer].answer([b"a\xe2\x82b\xff"]) == 4


def test_polars_finds_what_is_ill_formed() -> None:
    peer = PYTHON["polars"]
    assert peer.available(), peer.missing
    assert peer.answer([b"ab\xffcd"]) == 0
    assert peer.answer([b"abc", b"\xc0\x80", b"abc"]) == 0


def test_missing_polars_is_named_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    peer = PYTHON["polars"]
    assert not peer.available()
    assert peer.missing == "pip install 'runewire[compare]'"


@pytest.mark.parametrize(("peer", "damaged", "damaged_packets"), [
    ("golden model", True, True),
    ("CPython strict", False, False),
    ("CPython replace", True, True),
    ("CPython encode", False, False),
    ("CPython utf-8 to utf-16le", False, False),
    ("CPython utf-8 to utf-16le, replacing", True, True),
    ("stringzilla", True, True),
    ("pyarrow", False, False),
    ("polars", True, False),
    ("simdutf validate", True, True),
    ("simdutf decode", False, False),
    ("simdutf check utf-16le", False, False),
    ("simdutf utf-16le to utf-8, replacing", True, True),
    ("simdutf loop utf-8 to utf-16le, replacing", True, True),
    ("numpy check utf-16le", False, False),
    ("Node.js isUtf8", True, True),
    ("Node.js UTF-16 decode", False, False),
    ("Node.js UTF-16 encode", False, False),
])
def test_peers_that_stop_early_are_not_timed_on_damage(peer: str, damaged: bool, damaged_packets: bool) -> None:
    suits = EVERY[peer].suits
    assert suits(damaged=False, packets=False)
    assert suits(damaged=False, packets=True)
    assert suits(damaged=True, packets=False) is damaged
    assert suits(damaged=True, packets=True) is damaged_packets


def test_names_are_unlike_and_tasks_are_known() -> None:
    assert len(EVERY) == len([*python_peers(), *node_peers(Node(None)), *simdutf_peers(Simdutf(None))])
    assert {peer.job for peer in EVERY.values()} == {*TASKS}
