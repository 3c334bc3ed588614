"""Commands on a Dask cluster: they do there what they do in one process."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import pytest
from runewire_fpga.designs import Variant
from runewire_fpga.measurement import Measurement
from runewire_fpga.points import FailedPoint, SweepPoint, Trials
from runewire_fpga.sweeps import sweep
from runewire_jobs.cache import Store
from runewire_jobs.cluster import cluster
from runewire_jobs.pool import result, workers
from runewire_proofs import Engine, PartRecord, ProofRecords
from runewire_rtl import parameters
from runewire_sim import generated
from runewire_sim.all_pairs import pairs
from runewire_sim.mutation import Asked, judged
from runewire_sim.soak import Played, play

POINT = SweepPoint(parameters("validator", lanes=1, pipeline="compact"), "ecp5-25k")
VARIANTS = (Variant.CORE, Variant.PIPELINE)


@pytest.mark.slow
def test_a_worker_dies_and_nothing_is_lost(two_workers: str, tmp_path: Path) -> None:
    found: list[Measurement | FailedPoint] = []
    killed: list[int] = []

    def kill_one(step: str) -> None:
        """At the first placement: five are still to come, so both workers are at work."""
        if "seed" in step and not killed:
            killed.append(next(iter(pids().values())))
            os.kill(killed[0], signal.SIGKILL)

    def pids() -> dict[str, int]:
        with distributed.Client(two_workers, set_as_default=False) as client:
            found: dict[str, int] = client.run(os.getpid)
            return found

    with cluster(two_workers) as asked:
        sweep([POINT], Trials(3, VARIANTS, str), store=Store(tmp_path / "far"), done=found.append, watch=kill_one,
              executor=asked.executor)
    assert killed
    assert killed[0] not in pids().values()

    # What the cluster found is what this machine finds.
    here: list[Measurement | FailedPoint] = []
    sweep([POINT], Trials(1, VARIANTS, str), store=Store(tmp_path / "near"), done=here.append)
    [far], [near] = found, here
    assert isinstance(far, Measurement)
    assert isinstance(near, Measurement)
    assert far.area == near.area
    for variant in VARIANTS:
        assert [run.seed for run in far.placements[variant]] == [1, 2, 3]
        assert far.placements[variant][0] == near.placements[variant][0]


def entries_without_times(file: Path) -> list[PartRecord]:
    """The entries of a record of proofs of which no part has mutants, with no engine's time."""
    entries = ProofRecords.of(file.read_text()).entries.values()
    return [replace(entry, sound=replace(entry.sound, seconds=0)) for entry in entries]


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_a_cluster_does_what_this_process_does(
    runewire: Callable[..., Any], two_workers: str, tmp_path: Path,
) -> None:
    command = ("prove", "validator", "--lanes", 1, "--pipeline", "compact", "--part", "skid", "--no-mutants", "--json")
    asked = Asked.of(parameters("validator", lanes=1, pipeline="compact", report="flag"), 3, 1, Engine.find(), 20)
    design = generated(pairs()[0])
    files = [tmp_path / "here.json", tmp_path / "there.json"]
    for file, where in zip(files, ((), ("--scheduler", two_workers)), strict=True):
        outcome = runewire(*command, file, *where)
        assert (outcome.status, outcome.err) == (0, "")
    here, there = (entries_without_times(file) for file in files)
    assert here == there
    assert [entry.sound.verdict for entry in here] == ["proven"]
    with workers(1, two_workers) as found:
        assert found is not None
        assert result(found.submit(judged, asked, [1, 3])) == judged(asked, [1, 3])
        passed = result(found.submit(play, 0, 0, "pairs", {design.top: design.fingerprint}))
    assert passed == Played(0, design.top, design.fingerprint)


@pytest.mark.parametrize("command", [
    ("soak",), ("prove", "validator", "--lanes", 1), ("mutate", "validator", "--lanes", 1)])
def test_a_scheduler_that_does_not_answer_is_one_line(
    runewire: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...],
) -> None:
    monkeypatch.setattr("runewire_jobs.cluster.CONNECT_SECONDS", 0.5)
    monkeypatch.setattr(Engine, "find", lambda: Engine([], "", ""))
    outcome = runewire(*command, "--scheduler", "tcp://127.0.0.1:1")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("runewire: no Dask scheduler answers at tcp://127.0.0.1:1: ")
