"""A night: what fits, in which order, for how long, and how a command is stopped."""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from runewire_pages.records import night as module
from runewire_pages.records.group import RecordGroup
from runewire_pages.records.night import GRACE_SECONDS, Made, night, run_command


def group(name: str, seconds: float | None, command: str = "pages", **more: Any) -> RecordGroup:
    given: dict[str, Any] = {"states": {"former": 1}, "version": "0.1.0", **more}
    return RecordGroup("proofs", name, command=["runewire", command, name], seconds=seconds, **given)


class Night:
    """A night of ``hours``, whose commands take ``takes`` hours, by the name of their group."""

    def __init__(self, takes: dict[str, float]) -> None:
        self.takes = takes
        self.now = 0.0
        self.commands: list[list[str]] = []
        self.begun: list[tuple[str, float]] = []

    def run(self, command: Sequence[str], seconds: float) -> int | None:
        self.commands.append(list(command))
        takes = 3600 * self.takes[command[2]]
        self.now += min(takes, seconds)
        return 0 if takes <= seconds else None

    def of(self, groups: Sequence[RecordGroup], hours: float, jobs: int = 1) -> list[tuple[str, int | None]]:
        def begin(group: RecordGroup, left: float) -> None:
            self.begun.append((group.name, left / 3600))

        made = night(groups, 3600 * hours, jobs, self.run, begin, lambda: self.now)
        return [(each.group.name, each.status) for each in made]


def test_what_fits_is_made_oldest_first_and_what_does_not_is_begun_if_it_can_continue() -> None:
    groups = [group("new", 3600.0, version="0.2.0"), group("old", 3600.0), group("long", 9 * 3600.0),
              group("longer", 99 * 3600.0, resumable=True), group("done", 60.0, states={"present": 1}),
              group("by hand", 60.0, by_hand="measures speed")]
    this = Night({"new": 1, "old": 2, "long": 9, "longer": 99})
    assert this.of(groups, 8) == [("old", 0), ("new", 0), ("longer", None)]
    assert this.begun == [("old", 8), ("new", 6), ("longer", 5)]
    assert this.now == 8 * 3600


def test_a_command_without_a_recorded_time_is_tried() -> None:
    assert Night({"untimed": 1}).of([group("untimed", None)], 0.5) == [("untimed", None)]


def test_the_soak_has_what_time_is_left() -> None:
    soak = group("soak", None, "soak", states={"present": 3}, open_ended=True)
    this = Night({"soak": 1.5, "old": 0.5})
    assert this.of([soak, group("old", 60.0)], 2) == [("old", 0), ("soak", 0)]
    assert this.commands[1] == ["runewire", "soak", "soak", "--jobs", "1", "--minutes", "90.0"]
    assert Night({"old": 2}).of([soak, group("old", 60.0)], 2) == [("old", 0)]


@pytest.mark.parametrize(("command", "parallel"), [
    ("prove", True), ("mutate", True), ("soak", True), ("sweep", True), ("coverage", False), ("pages", False)])
def test_commands_that_can_work_in_parallel_do(command: str, parallel: bool) -> None:
    this = Night({"core": 1})
    this.of([group("core", 60.0, command)], 2, jobs=4)
    assert this.commands == [["runewire", command, "core", *(["--jobs", "4"] if parallel else [])]]


def test_a_command_runs_in_a_process_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_command(["runewire", "explain", "41"], 60) == 0
    assert "DIGIT FOUR" in capfd.readouterr().out
    assert run_command(["runewire", "no-such-command"], 60) == 2


class Process:
    """A command that ends when it is asked to, and first raises ``first``."""

    def __init__(self, first: BaseException) -> None:
        self.first = first
        self.did: list[Any] = []

    def wait(self, seconds: float) -> int:
        self.did.append(seconds)
        if len(self.did) == 1:
            raise self.first
        return 0

    def terminate(self) -> None:
        self.did.append("terminate")


@pytest.mark.parametrize("first", [subprocess.TimeoutExpired("runewire", 5), KeyboardInterrupt()],
                         ids=["time", "Ctrl-C"])
def test_a_command_that_is_stopped_has_time_to_write_its_record(
        first: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process(first)

    @contextlib.contextmanager
    def child(*command: Any, **options: Any) -> Iterator[Process]:
        yield process

    monkeypatch.setattr(module, "child", child)
    with pytest.raises(KeyboardInterrupt) if isinstance(first, KeyboardInterrupt) else contextlib.nullcontext():
        assert run_command(["runewire", "prove"], 5) is None
    assert process.did == [5, "terminate", GRACE_SECONDS]


def test_a_night_is_told_the_status_of_each_command() -> None:
    made = night([group("core", 60.0)], 3600, 1, lambda command, seconds: 2, lambda group, left: None)
    assert [type(each) for each in made] == [Made]
