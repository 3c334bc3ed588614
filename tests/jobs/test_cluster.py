"""Clusters that cannot be reached."""

import sys
import time

import pytest
from runewire_jobs.cluster import cluster
from runewire_jobs.errors import ToolError


def test_a_scheduler_that_does_not_answer_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runewire_jobs.cluster.CONNECT_SECONDS", 0.5)
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
