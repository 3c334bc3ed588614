"""Pools of workers, on this machine and on a cluster: results, errors, and the end of unfinished calls."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from runewire_jobs.errors import ToolError
from runewire_jobs.pool import result, workers


def test_at_the_end_all_that_calls_have_started_is_ended(
    sleep: Callable[[str], None], processes: Any, tmp_path: Path,
) -> None:
    files = [tmp_path / name for name in "abc"]
    with workers(2, None) as found:
        assert found is not None
        assert found.places() == 2
        calls = [found.submit(sleep, str(file)) for file in files]
        pids = [processes.number(file) for file in files[:2]]
        assert all(map(processes.alive, pids))
    assert all(map(processes.gone, pids))
    assert calls[2].cancelled()
    assert not files[2].exists()
    with pytest.raises(ToolError, match=r"^the work was ended$"):
        result(calls[0])


def test_a_cluster_tells_what_failed_and_ends_what_nobody_waits_for(
    sleep: Callable[[str], None], processes: Any, two_workers: str, tmp_path: Path,
) -> None:
    with workers(1, two_workers) as found:
        assert found is not None
        assert found.places() == 2
        with pytest.raises(ToolError, match=r"^a worker failed: ValueError: invalid literal"):
            result(found.submit(int, "x"))
        assert result(found.submit(divmod, 17, 5)) == (3, 2)
        found.submit(sleep, str(tmp_path / "a"))
        pid = processes.number(tmp_path / "a")
        assert processes.alive(pid)
    assert processes.gone(pid)


def test_what_workers_say_that_cannot_work() -> None:
    lost, broken = Future[bytes](), Future[bytes]()
    lost.cancel()
    broken.set_exception(ModuleNotFoundError("No module named 'runewire'\nand more"))
    with pytest.raises(ToolError, match=r"^the cluster was lost; what was done is kept, run the same again$"):
        result(lost)
    with pytest.raises(ToolError, match=r"^a worker failed: ModuleNotFoundError: No module named 'runewire'$"):
        result(broken)


def test_one_job_is_this_process() -> None:
    with workers(1, None) as found:
        assert found is None
