"""A sweep on a real Dask scheduler with two workers, one of which dies."""

import os
import signal
import sys
import time
from pathlib import Path

import distributed
import pytest
from runewire.clusters import cluster
from runewire_fpga.designs import Variant
from runewire_fpga.measurement import Measurement
from runewire_fpga.points import FailedPoint, SweepPoint, Trials
from runewire_fpga.store import Store
from runewire_fpga.sweeps import sweep
from runewire_rtl import parameters
from runewire_rtl.errors import ToolError

POINT = SweepPoint(parameters("validator", lanes=1, pipeline="compact"), "ecp5-25k")
VARIANTS = (Variant.CORE, Variant.PIPELINE)


@pytest.mark.slow
def test_a_worker_dies_and_nothing_is_lost(two_workers: str, tmp_path: Path) -> None:
    found: list[Measurement | FailedPoint] = []
    killed: list[int] = []

    def kill_one(step: str) -> None:
        """At the first placement: five are still to come, so both workers are at work."""
        if "seed" in step and not killed:
            killed.append(next(iter(workers().values())))
            os.kill(killed[0], signal.SIGKILL)

    def workers() -> dict[str, int]:
        with distributed.Client(two_workers, set_as_default=False) as client:
            pids: dict[str, int] = client.run(os.getpid)
            return pids

    with cluster(two_workers) as asked:
        sweep([POINT], Trials(3, VARIANTS, str), store=Store(tmp_path / "far"), done=found.append, watch=kill_one,
              executor=asked.executor)
    assert killed
    assert killed[0] not in workers().values()

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


def test_a_scheduler_that_does_not_answer_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runewire.clusters.CONNECT_SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"^no Dask scheduler answers at tcp://127\.0\.0\.1:1: .*$"), \
            cluster("tcp://127.0.0.1:1"):
        pass
    assert time.monotonic() - began < 15


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ToolError, match=r"^a cluster needs Dask: pip install 'runewire\[cluster\]'$"), \
            cluster("tcp://127.0.0.1:1"):
        pass
