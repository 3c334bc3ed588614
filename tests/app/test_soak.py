"""``runewire soak``: its record, its end, and its report of a failure."""

import importlib
import json
import pickle
import shlex
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_sim import Report, Stalls, VerilogDesign, generated, soak
from runewire_sim.soak import SoakFailure, SoakRecord, playing, random_cores, traffic
from runewire_sim.soak import record as soak_record
from runewire_sim.soak import rounds as soak_rounds

BRIEFLY = ("--minutes", 0.001)
VALIDATOR = 1154
"""A seed whose first rounds go through a small validator, and three other small cores, in few packets."""
WITHOUT_PORTS = 3720
"""A seed whose first round goes through a small validator if no core has an option of the ports."""


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[SoakRecord], None]]:
    """Prepared results of the next rounds, instead of a simulation; after the last one Ctrl-C is pressed."""
    plan: list[Callable[[SoakRecord], None]] = []

    def play(record: SoakRecord, folder: Path, watch: object) -> None:
        if not plan:
            raise KeyboardInterrupt
        record.rounds += 1
        plan.pop(0)(record)

    monkeypatch.setattr(importlib.import_module("runewire.commands.soak"), "soak_round", play)
    return plan


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds with a hundredth of the packets and cycles."""
    monkeypatch.setattr(traffic, "CYCLES", 6000)
    monkeypatch.setattr(traffic, "PACKETS", 400)


def sent(rounds: Iterable[int]) -> int:
    """Bytes that go through the cores in these rounds of the seed."""
    return sum(len(packet) for number in rounds for packet in soak.round_of(VALIDATOR, number).packets)


@pytest.mark.usefixtures("short_rounds")
def test_a_soak_is_resumed_where_it_ended(runewire, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    first = runewire("soak", *BRIEFLY, "--seed", VALIDATOR, "--resume", file)
    assert (first.status, first.err) == (0, "")
    record = json.loads(file.read_text())
    assert json.loads(first.out) == record
    assert record["rounds"] >= 1
    assert (record["failures"], record["bytes"]) == ([], sent(range(record["rounds"])))
    second = runewire("soak", *BRIEFLY, "--resume", file)
    again = json.loads(file.read_text())
    assert (second.status, again["seed"]) == (0, VALIDATOR)
    assert again["rounds"] > record["rounds"]
    assert again["bytes"] == sent(range(again["rounds"]))
    assert list(tmp_path.iterdir()) == [file]


def test_ctrl_c_ends_it_with_the_whole_rounds(runewire, rounds, tmp_path: Path) -> None:
    rounds += [lambda record: None] * 3
    file = tmp_path / "record.json"
    outcome = runewire("soak", "--resume", file)
    assert (outcome.status, outcome.err) == (0, "")
    assert json.loads(outcome.out)["rounds"] == json.loads(file.read_text())["rounds"] == 3


@pytest.mark.slow
def test_ctrl_c_in_the_middle_of_a_simulation(spawn, tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    process = spawn("soak", "--seed", VALIDATOR, "--resume", file)
    deadline = time.monotonic() + 60
    while not file.exists():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out) == json.loads(file.read_text())
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_is_told_and_kept(runewire, rounds) -> None:
    failure = SoakFailure(0, "packet 0: wrong", "x.hex", "runewire simulate validator --packets x.hex")
    rounds.append(lambda record: record.failures.append(failure))
    outcome = runewire("soak")
    assert outcome.status == 1
    assert outcome.err == f"round 0: packet 0: wrong\n  {failure.command}\n"
    assert SoakRecord.of(outcome.out).failures == [failure]


@pytest.mark.usefixtures("short_rounds")
def test_the_command_of_a_failure_replays_it(runewire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both commands use a core that does not report an error at offset 1."""
    def broken(parameters: TranscoderParameters) -> VerilogDesign:
        sound = generated(parameters)
        before, core, after = sound.verilog.read_text().partition(f"    {sound.top}_core core (")
        port = "(m_axis_tuser)"
        assert after.count(port) == 1
        declared = "    wire [35:0] told;\n    assign m_axis_tuser = told[35:4] == 1 ? 36'd0 : told;\n"
        file = tmp_path / sound.verilog.name
        file.write_text(before + declared + core + after.replace(port, "(told)"))
        return replace(sound, verilog=file)

    for module in ("runewire_sim.soak.playing", "runewire_sim"):
        monkeypatch.setattr(importlib.import_module(module), "generated", broken)
    monkeypatch.setattr(random_cores, "_sidebands", lambda random, of_records: {})
    monkeypatch.chdir(tmp_path)
    outcome = runewire("soak", *BRIEFLY, "--seed", WITHOUT_PORTS)
    assert outcome.status == 1
    [failure] = SoakRecord.of(outcome.out).failures
    assert len(Path(failure.file).read_text().split()[0]) == 2 * 2
    words = shlex.split(failure.command)
    assert words[:3] == ["runewire", "simulate", "validator"]
    replay = runewire(*words[1:])
    assert replay.status == 1
    assert "first error: hardware none, model" in replay.out
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert runewire(*words[1:]).status == 0


def test_by_pairs_it_has_an_end(runewire, rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak_record, "pairs", lambda: [ValidatorParameters(1)] * 2)
    rounds += [lambda record: None] * 9
    outcome = runewire("soak", "--pairs")
    record = SoakRecord.of(outcome.out)
    assert (outcome.status, record.rounds, record.pairs, len(rounds)) == (0, 2, True, 7)


@pytest.mark.parametrize(("kind", "cores"), [("segments", "segment_cores"), ("lines", "line_cores")])
def test_of_segments_and_lines_it_has_an_end(
        runewire, rounds, monkeypatch: pytest.MonkeyPatch, kind: str, cores: str) -> None:
    monkeypatch.setattr(soak_record, cores, lambda: [ValidatorParameters(1, flows=1)] * 2)
    rounds += [lambda record: None] * 9
    outcome = runewire("soak", f"--{kind}")
    record = SoakRecord.of(outcome.out)
    assert (outcome.status, record.rounds, record.kind, len(rounds)) == (0, 2, kind, 7)


def test_soaks_exclude_each_other(runewire) -> None:
    outcome = runewire("soak", "--segments", "--pairs")
    assert (outcome.status, outcome.err) == (
        2, "runewire: --pairs and --segments are different soaks: leave one out\n")


class Places:
    """Workers in this process. Each round in ``late`` ends after the one that follows it."""

    def __init__(self, threads: ThreadPoolExecutor, places: int, late: Iterable[int] = ()) -> None:
        self.threads = threads
        self.places = lambda: places
        self.late = frozenset(late)
        self.over = defaultdict[int, threading.Event](threading.Event)
        self.done: list[int] = []

    def submit(self, function: Callable[..., soak.Played], seed: int, number: int, *rest: object) -> Future[bytes]:
        def call() -> bytes:
            played = function(seed, number, *rest)
            if number in self.late:
                assert self.over[number + 1].wait(60)
            self.done.append(number)
            self.over[number].set()
            return pickle.dumps((False, played))

        return self.threads.submit(call)


def together(record: SoakRecord, folder: Path, late: Iterable[int]) -> list[int]:
    """Do all rounds of the record, three at a time; returns the order in which they ended."""
    module = importlib.import_module("runewire.commands.soak")
    with ThreadPoolExecutor(3) as threads:
        found = Places(threads, 3, late)
        module._together(record, folder, folder / "record.json", lambda: True, found)
    return found.done


def told(record: SoakRecord) -> dict[str, object]:
    """The contents of a record without its seconds."""
    return {**json.loads(record.json()), "seconds": 0}


@pytest.mark.slow
@pytest.mark.usefixtures("short_rounds")
def test_several_at_a_time_leave_the_record_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SoakRecord, "total", 5)
    alone, record = SoakRecord(VALIDATOR), SoakRecord(VALIDATOR)
    for _ in range(5):
        soak.soak_round(alone, tmp_path)
    ended = together(record, tmp_path, late=[0, 2])
    assert sorted(ended) == [0, 1, 2, 3, 4]
    assert ended.index(1) < ended.index(0)
    assert told(record) == told(alone) == told(SoakRecord.of((tmp_path / "record.json").read_text()))
    assert record.seconds > 0


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> set[bytes]:
    """Made-up rounds with failures; nothing is simulated."""
    bad: set[bytes] = set()
    design = generated(ValidatorParameters(2))

    def check(design: VerilogDesign, packets: list[bytes], *rest: object) -> tuple[Report, soak.Wrong | None]:
        report = Report(packets=len(packets), bytes_in=sum(map(len, packets)))
        return report, soak.Wrong(0, "wrong") if bad & {*packets} else None

    monkeypatch.setattr(playing, "generated", lambda parameters: design)
    monkeypatch.setattr(playing, "check", check)
    monkeypatch.setattr(playing, "round_of", lambda seed, number: soak.Round(
        ValidatorParameters(2), [str(number).encode()], Stalls()))
    return bad


def test_a_core_that_fails_is_left_alone_by_all(
    wrong: set[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SoakRecord, "total", 3 * soak.ABREAST)
    wrong.add(b"1")
    alone, record = SoakRecord(), SoakRecord()
    while alone.rounds != 3 * soak.ABREAST:
        soak.soak_round(alone, tmp_path)
    assert [failure.round for failure in alone.failures] == [1]
    left_out = {1 + soak.ABREAST, 1 + 2 * soak.ABREAST}
    assert {*range(3 * soak.ABREAST)} - left_out <= {*together(record, tmp_path, late=[0, 1])}
    assert told(record) == told(alone)
    assert record.packets == 3 * soak.ABREAST - len(left_out)


def test_by_pairs_what_surely_holds_is_not_sent_to_workers(
    wrong: set[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (soak_record, soak_rounds):
        monkeypatch.setattr(module, "pairs", lambda: [ValidatorParameters(lanes) for lanes in (1, 2, 4)])
    monkeypatch.setattr(soak_rounds, "pair_packets", lambda parameters, seed: [b"%d" % parameters.lanes])
    monkeypatch.setattr(playing, "generated", generated)
    record = SoakRecord(pairs=True)
    assert sorted(together(record, tmp_path, late=[])) == [0, 1, 2]
    whole = record.json()
    record.rounds = 0
    list(record.configurations.values())[1].generator = "another"
    assert together(record, tmp_path, late=[]) == [1]
    assert record.json() == whole


@pytest.mark.parametrize(("content", "message"), [
    (SoakRecord(VALIDATOR, pairs=True).json(),
     "record.json records a soak by pairs: add --pairs, or name another file"),
    (SoakRecord(VALIDATOR, segments=True).json(),
     "record.json records a soak of texts in segments: add --segments, or name another file"),
    (SoakRecord(VALIDATOR, lines=True).json(),
     "record.json records a soak of lines: add --lines, or name another file"),
    ("{", "cannot continue record.json: it is no record of a soak"),
    (SoakRecord(5).json(), "record.json has seed 5, got --seed 1154: leave it out, or name another file"),
])
def test_a_record_that_does_not_fit(
    runewire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("record.json").write_text(content)
    outcome = runewire("soak", "--seed", VALIDATOR, "--resume", "record.json")
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"runewire: {message}\n")
    assert Path("record.json").read_text() == content
