"""``runewire mutate``: its output, its record, and the mutants that it names."""

import contextlib
import importlib
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from runewire_model import ValidatorParameters
from runewire_proofs import Engine
from runewire_sim.mutation import Asked, Fate, MutationRecord
from runewire_sim.mutation.netlist import Mutation

MUTATION = Mutation("const0", "and", "A", 2, None, "core_found[2]", "assign _12_ = core_found & _11_;")
KILLED = [Fate(number, MUTATION, how, "gaps") for number, how in enumerate(("output", "output", "hang"), 1)]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Fate]:
    """Prepared fates of mutants, instead of simulation and comparison."""
    found: list[Fate] = []
    module = importlib.import_module("runewire.commands.mutate")
    monkeypatch.setattr(module, "fates", lambda parameters, count, seed, engine, seconds: iter(found))
    monkeypatch.setattr(Engine, "find", lambda: Engine([], "", ""))
    return found


def test_killed_and_equivalent_mutants_are_well(runewire, judged: list[Fate], tmp_path: Path) -> None:
    judged += [*KILLED, Fate(4, MUTATION, verdict="equivalent")]
    file = tmp_path / "x.json"
    outcome = runewire("mutate", "validator", "--lanes", 1, "--mutants", 4, "--json", file)
    assert (outcome.status, outcome.err) == (0, "")
    assert [line.split()[-1] for line in outcome.out.splitlines()[1:5]] == ["2", "1", "1", "0"]
    assert "100.0 % of the mutants that are not equivalent are killed" in outcome.out
    record = MutationRecord.of(file.read_text())
    assert (record.killed, record.mutants, record.equivalent) == ({"output": 2, "hang": 1}, 4, 1)
    assert record.core == {"core": "validator", "lanes": 1, "pipeline": "fast"}


@pytest.mark.parametrize(("core", "record"), [
    (("transcoder", "--from", "utf-16le", "--to", "utf-8"), {"core": "transcoder", "from": "utf-16le", "to": "utf-8"}),
    (("validator", "--encoding", "latin-1"), {"core": "transcoder", "from": "latin-1", "to": None}),
])
def test_a_core_may_be_of_any_encodings_and_ports(
    runewire, judged: list[Fate], tmp_path: Path, core: tuple[str, ...], record: dict[str, str | None],
) -> None:
    judged += KILLED
    file = tmp_path / "x.json"
    options = ("--lanes", 1, "--report", "flag", "--user", 2)
    assert runewire("mutate", *core, *options, "--mutants", 3, "--json", file).status == 0
    found = MutationRecord.of(file.read_text()).core
    assert found == {**found, **record, "lanes": 1, "report": "flag", "user": 2}


class Here:
    """Workers in this process."""

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[bytes]:
        done = Future[bytes]()
        done.set_result(pickle.dumps((False, function(*given))))
        return done


def test_workers_leave_the_record_of_one_process(
    runewire, judged: list[Fate], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    fates = {number: Fate(number, MUTATION, ("output", "", "hang")[number % 3], verdict="equivalent")
             for number in range(1, 26)}
    judged += sorted(fates.values(), key=lambda fate: not fate.kill)
    module = importlib.import_module("runewire.commands.mutate")
    all_of_them = Asked(ValidatorParameters(1), 25, 0, 300, "", "")
    asked: list[list[int]] = []
    tried: list[object] = []

    def some(of: object, numbers: Sequence[int]) -> list[Fate]:
        assert of == all_of_them
        asked.append([*numbers])
        return sorted((fates[number] for number in numbers), key=lambda fate: not fate.kill)

    monkeypatch.setattr(module, "judged", some)
    monkeypatch.setattr(module, "sound", tried.append)
    monkeypatch.setattr(module.Asked, "of", lambda *given: all_of_them)
    monkeypatch.setattr(module, "as_completed", lambda calls: reversed([*calls]))
    command = ("mutate", "validator", "--lanes", 1, "--mutants", 25, "--json")
    alone, together = tmp_path / "alone.json", tmp_path / "together.json"
    said = runewire(*command, alone)
    monkeypatch.setattr(module, "workers", lambda jobs, scheduler: contextlib.nullcontext(Here()))
    assert runewire(*command, together) == said
    assert asked == [[*range(1, 11)], [*range(11, 21)], [*range(21, 26)]]
    assert tried == [all_of_them]
    assert together.read_text() == alone.read_text()


@pytest.mark.parametrize(("verdict", "cycles", "said"), [
    ("different", 7, "different after 7 cycles"), ("undecided", 31, "undecided after 31 cycles"),
    ("undecided", None, "undecided"),
])
def test_what_survives_is_named(runewire, judged: list[Fate], verdict: str, cycles: int | None, said: str) -> None:
    judged += [*KILLED, Fate(4, MUTATION, verdict=verdict, cycles=cycles)]
    outcome = runewire("mutate", "validator", "--lanes", 1, "--mutants", 4)
    assert outcome.status == 1
    assert outcome.err == (f"runewire: mutant 4 survived, {said}: "
                           "const0 at and A[2], core_found[2]: assign _12_ = core_found & _11_;\n")
    assert "75.0 % of the mutants" in outcome.out


@pytest.mark.parametrize(("arguments", "message"), [
    (("--mutants", 0), "mutants must be at least 1, got 0"),
    (("--timeout", 0), "timeout must be above 0 seconds, got 0"),
    (("--lanes", 3), "lanes"),
])
def test_a_bad_option_is_one_line(runewire, arguments: tuple[object, ...], message: str) -> None:
    outcome = runewire("mutate", "validator", *arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err
