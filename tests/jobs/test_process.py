"""Child processes and their end."""

import subprocess
from typing import Any

import pytest
from runewire_jobs.process import child

STARTS_ANOTHER = ["sh", "-c", "sleep 1000 & echo $!; wait"]


def test_output_and_status() -> None:
    with child(["sh", "-c", "echo out; echo error >&2; exit 3"]) as process:
        output, _ = process.communicate()
    assert (output, process.returncode) == (b"out\nerror\n", 3)


def test_it_ends_with_the_block_and_so_do_its_own_children(processes: Any) -> None:
    pids = []

    def fail() -> None:
        with child(STARTS_ANOTHER) as process:
            assert process.stdout is not None
            pids.extend([process.pid, int(process.stdout.readline())])
            assert all(map(processes.alive, pids))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert len(pids) == 2
    assert all(map(processes.gone, pids))


def test_it_has_its_own_session_and_no_input() -> None:
    with child(["sh", "-c", "ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat; cat"],
               stderr=subprocess.DEVNULL) as process:
        output, _ = process.communicate()
    assert int(output) == process.pid
