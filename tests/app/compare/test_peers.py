import sys

import pytest
from runewire.compare.known import peers
from runewire.compare.native import Simdutf, SimdutfLoopPeer, SimdutfPeer
from runewire.compare.node import Node, NodePeer
from runewire.compare.peers import (
    Arrow,
    CPythonCodecs,
    CPythonDecode,
    CPythonEncode,
    GoldenModel,
    Numpy,
    Peer,
    Polars,
    StringZilla,
)
from runewire.compare.works import WORKS, converted
from runewire_model import decode
from runewire_model.texts import damage, generate


def every_peer() -> list[Peer]:
    """All peers except subprocesses and system libraries."""
    return [peer for peer in peers() if not isinstance(peer, NodePeer | SimdutfPeer)]


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
    (SimdutfPeer("validate", Simdutf(None)), True, True),
    (SimdutfPeer("decode", Simdutf(None)), False, False),
    (SimdutfPeer("check utf-16le", Simdutf(None)), False, False),
    (SimdutfPeer("utf-16le to utf-8, replacing", Simdutf(None)), True, True),
    (SimdutfLoopPeer("utf-8 to utf-16le, replacing", Simdutf(None)), True, True),
    (Numpy("check utf-16le"), False, False),
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
