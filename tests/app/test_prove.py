"""``runewire prove``: its runs, its record, and its output."""

import contextlib
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire.commands import prove
from runewire_model import ENCODINGS, DecoderParameters, TranscoderParameters, ValidatorParameters
from runewire_model.report_fields import COUNTERS
from runewire_proofs import Check, Engine, EngineRun, Outcome, ProofRecords, proofs

ran: list[tuple[TranscoderParameters, str]] = []
tried: list[str | None] = []
failing = {"the last bit is dropped"}
"""Mutants that are not refuted."""


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that proves everything at once. ``ran`` lists its calls, ``tried`` the runs that were not recorded."""
    def run(parameters: TranscoderParameters, engine: Engine, *, parts: list[str], mutants: bool,
            known: Mapping[str | None, Outcome], **_: Any) -> Iterator[EngineRun]:
        (part,) = parts
        ran.append((parameters, part))
        (proof,) = (proof for proof in proofs(parameters) if proof.name == part)
        design = proof.miter(None).digest
        for title in (None, *(mutant.title for mutant in proof.mutants if mutants)):
            outcome = known.get(title)
            if outcome is None:
                tried.append(title)
                outcome = Outcome("proven", "fake", None, 0.5) if title is None else Outcome("refuted", "fake", 3, 0.25)
                if title in failing:
                    outcome = replace(outcome, verdict="undecided")
            yield EngineRun(part, design, title, outcome)

    def run_part(parameters: TranscoderParameters, part: str, version: str, seconds: float, mutants: bool,
                 known: Mapping[str | None, Outcome]) -> list[EngineRun]:
        assert (version, seconds) == ("an engine", 600)
        return [*run(parameters, Engine.find(), parts=[part], mutants=mutants, known=known)]

    tried.clear()
    ran.clear()
    monkeypatch.setattr(prove, "run", run)
    monkeypatch.setattr(prove, "run_part", run_part)
    monkeypatch.setattr(Engine, "find", lambda: Engine([], "", "an engine"))


@pytest.mark.slow
def test_what_is_kept_and_holds_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "proofs.json"
    command = ["prove", "validator", "--lanes", "1", "--json", str(kept)]
    assert main(command) == 0
    assert [part for _, part in ran] == ["window", "packing", "border", "buffer", "reset", "wrapper", "printing"]
    said = capsys.readouterr().out
    assert "packing: proven by fake; 6 of 6 broken ones refuted; 2.0 s of an engine" in said
    assert main(command) == 0
    assert len(ran) == 7
    assert capsys.readouterr().out == said

    text = kept.read_text()
    design = ProofRecords.of(text).entries[ValidatorParameters(lanes=1), "packing"].design
    kept.write_text(text.replace(design, "another"))
    assert main(command) == 0
    assert [part for _, part in ran[7:]] == ["packing"]
    assert kept.read_text() == text


def test_a_counter_whose_flags_have_no_specification_is_not_proven(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["prove", "validator", "--lanes", "1", "--count", "bytes,code-points", "--no-mutants"]
    assert main([*command, "--part", "window"]) == 0
    assert "not proven" not in capsys.readouterr().out
    monkeypatch.setitem(COUNTERS, "bytes", replace(COUNTERS["bytes"], rule=None))
    assert main([*command, "--part", "counters"]) == 0
    assert "not proven" not in capsys.readouterr().out
    assert main([*command, "--part", "window"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.endswith("the flags of the counter bytes are not proven: they have no specification yet")


def test_a_part_of_the_same_design_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--part", "buffer", "--json", str(tmp_path / "proofs.json")]
    assert main(["prove", "validator", "--lanes", "1", *options]) == 0
    capsys.readouterr()
    assert main(["prove", "encoder", "--lanes", "2", *options]) == 0
    assert ran == [(ValidatorParameters(lanes=1), "buffer")]
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("encoder, 2 lanes: buffer, the same as in validator, 1 lane: proven by fake")


def test_a_proof_is_checked_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    """A check that came to no result is made again; one that refutes the proof is a failure."""
    verdicts = ["not checked", "confirmed"]
    checks = []

    def check_part(parameters: TranscoderParameters, part: str, version: str, seconds: float) -> Check:
        checks.append((parameters, part, version, seconds))
        return Check(verdicts.pop(0), "a checker", "an invariant of 2 equal pairs", 0.5)

    monkeypatch.setattr(prove, "check_part", check_part)
    monkeypatch.setattr(prove, "checker_name", lambda: "a checker")
    kept = tmp_path / "proofs.json"
    command = ["prove", "validator", "--lanes", "1", "--part", "buffer", "--json", str(kept)]
    assert main(command) == 0
    before = kept.read_text()
    assert "check" not in before
    assert main([*command, "--check"]) == 0
    assert "  not checked: an invariant of 2 equal pairs" in capsys.readouterr().out
    assert main([*command, "--check"]) == 0
    assert "  confirmed by a checker in 0.5 s: an invariant of 2 equal pairs" in capsys.readouterr().out
    assert main([*command, "--check"]) == 0
    assert checks == [(ValidatorParameters(lanes=1), "buffer", "an engine", 600)] * 2
    assert len(ran) == 1
    assert kept.read_text().replace(', "check": ["confirmed", "a checker", "an invariant of 2 equal pairs", 0.5]',
                                    "") == before
    kept.write_text(before)
    verdicts[:] = ["refuted"]
    assert main([*command, "--check"]) == 1
    assert "  refuted by a checker in 0.5 s" in capsys.readouterr().out
    assert main([*command, "--check"]) == 1


def test_checks_run_in_workers_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """First with its proof, then alone."""
    found = Backwards()
    checks = []
    monkeypatch.setattr(prove, "workers", lambda jobs, scheduler: contextlib.nullcontext(found))
    monkeypatch.setattr(prove, "wait", found.wait)
    monkeypatch.setattr(prove, "check_part", lambda *given: checks.append(given[:2]) or Check("confirmed", "a", "b", 1))
    monkeypatch.setattr(prove, "checker_name", lambda: "a checker")
    kept = tmp_path / "proofs.json"
    command = ["prove", "validator", "--lanes", "1", "--part", "buffer", "--json", str(kept), "--jobs", "2"]
    assert main([*command, "--check"]) == 0
    record = kept.read_text()
    assert main([*command, "--check"]) == 0
    assert (len(ran), len(checks)) == (1, 1)
    kept.write_text(record.partition(', "check"')[0] + "}\n")
    assert main([*command, "--check"]) == 0
    assert (len(ran), len(checks)) == (1, 2)
    assert kept.read_text() == record


@pytest.mark.slow
def test_what_failed_is_run_again_and_nothing_else(tmp_path: Path) -> None:
    kept = tmp_path / "proofs.json"
    command = ["prove", "decoder", "--lanes", "2", "--part", "packing", "--json", str(kept)]
    assert main(command) == 1
    proof = proofs(DecoderParameters(lanes=2))[1]
    assert tried == [None, *(mutant.title for mutant in proof.mutants)]
    tried.clear()
    assert main(command) == 1
    assert tried == ["the last bit is dropped"]
    text = kept.read_text()
    design = ProofRecords.of(text).entries[DecoderParameters(lanes=2), "packing"].design
    kept.write_text(text.replace(design, "another"))
    tried.clear()
    assert main(command) == 1
    assert len(tried) == 1 + len(proof.mutants)


@pytest.mark.parametrize("ends_at", [0, 1, 4])
def test_what_is_broken_off_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends_at: int,
) -> None:
    """Ctrl-C interrupts the given run; an earlier record has one mutant, the fourth run."""
    kept = tmp_path / "proofs.json"
    core, (packing, *_) = ValidatorParameters(lanes=1), proofs(ValidatorParameters(lanes=1))[1:]
    titles = [None, *(mutant.title for mutant in packing.mutants)]
    before = ProofRecords()
    digest = packing.miter(None).digest
    before.enter(core, "an engine", [EngineRun("packing", digest, None, Outcome("undecided", "fake", 3, 1.0)),
                                     EngineRun("packing", digest, titles[3], Outcome("refuted", "fake", 3, 0.5))])
    kept.write_text(before.json())
    whole = prove.run

    def broken_off(*given: Any, **options: Any) -> Iterator[EngineRun]:
        yield from islice(whole(*given, **options), ends_at)
        raise KeyboardInterrupt

    command = ["prove", "validator", "--lanes", "1", "--part", "packing", "--json", str(kept)]
    with monkeypatch.context() as patched:
        patched.setattr(prove, "run", broken_off)
        assert main(command) == 130
    known = ProofRecords.of(kept.read_text()).entries[core, "packing"]
    done = titles[:ends_at]
    assert known.mutants.keys() == {title for title in (*done, titles[3]) if title is not None}
    assert known.mutants[titles[3]].seconds == 0.5
    assert known.sound.verdict == ("proven" if ends_at else "undecided")
    tried.clear()
    assert main(command) == 0
    assert tried == [title for title in titles if title not in (*done, titles[3])]
    assert ProofRecords.of(kept.read_text()).entries[core, "packing"].mutants.keys() == {*titles[1:]}


def test_a_mutant_that_is_not_refuted_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "decoder", "--lanes", "2", "--part", "packing"]) == 1
    said = capsys.readouterr().out
    assert "the last bit is dropped" in said
    assert "undecided" in said


def test_what_is_undecided_is_told_with_how_far_it_was_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    undecided = EngineRun("packing", "abc", None, Outcome("undecided", "bmc3", 29, 1.0))
    monkeypatch.setattr(prove, "run", lambda *_, **options: iter([undecided]))
    assert main(["prove", "validator", "--lanes", "1", "--part", "packing", "--no-mutants"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "packing: undecided by bmc3, nothing wrong in 30 cycles; 0 of 0" in said


def test_without_a_core_all_of_the_list_are_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = (ValidatorParameters(lanes=1), DecoderParameters(lanes=2, packing="sparse"),
             DecoderParameters(lanes=1, bom="strip"), TranscoderParameters("utf-16le", None, 1))
    monkeypatch.setattr(prove, "KEPT", cores)
    assert main(["prove", "--part", "packing", "--no-mutants"]) == 0
    assert [parameters for parameters, _ in ran] == list(cores)


class Backwards:
    """Workers that make a call when its result is requested, the last call first."""

    def __init__(self) -> None:
        self.calls: list[tuple[Future[bytes], Callable[..., Any], Sequence[Any]]] = []

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[bytes]:
        self.calls.append((Future(), function, given))
        return self.calls[-1][0]

    def wait(self, calls: Mapping[Future[bytes], Any], seconds: float | None, when: str) -> tuple[set[Any], set[Any]]:
        if seconds == 0:
            return set(), set(calls)
        call, function, given = self.calls.pop()
        call.set_result(pickle.dumps((False, function(*given))))
        return {call}, {*calls} - {call}


@pytest.mark.parametrize("fails", [True, False])
def test_workers_leave_the_file_of_one_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], fails: bool,
) -> None:
    # Both cores have the same buffer: runs that the first settled are not repeated, failed ones are.
    cores = (ValidatorParameters(lanes=1), DecoderParameters(lanes=2))
    monkeypatch.setattr(prove, "KEPT", cores)
    if fails:
        buffer = next(proof for proof in proofs(cores[0]) if proof.name == "buffer")
        monkeypatch.setitem(globals(), "failing", {*failing, buffer.mutants[0].title})
    alone, together = tmp_path / "alone.json", tmp_path / "together.json"
    options = ["prove", "--part", "packing", "--part", "buffer", "--json"]
    status = main([*options, str(alone)])
    said, expected = capsys.readouterr().out, [*ran]
    assert [part for _, part in expected] == ["packing", "buffer", "packing", *(["buffer"] if fails else [])]
    ran.clear()
    found = Backwards()
    monkeypatch.setattr(prove, "workers", lambda jobs, scheduler: contextlib.nullcontext(found))
    monkeypatch.setattr(prove, "wait", found.wait)
    assert main([*options, str(together)]) == status == 1
    assert together.read_text() == alone.read_text()
    assert ran != expected
    assert {*ran} == {*expected}
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(said.splitlines())


def test_the_options_of_the_ports_are_those_of_the_core(tmp_path: Path) -> None:
    kept = tmp_path / "proofs.json"
    command = ["prove", "validator", "--lanes", "1", "--report", "flag", "--count", "bytes,records", "--records", "0A",
               "--report-port", "only", "--no-mutants", "--json", str(kept)]
    assert main(command) == 0
    parameters = ValidatorParameters(
        lanes=1, report="flag", count=("bytes", "records"), records=0x0A, report_port="only")
    assert ran == [(parameters, part) for part in (
        "window", "packing", "border", "buffer", "counters", "report_port", "wrapper", "printing")]
    assert {core for core, _ in ProofRecords.of(kept.read_text()).entries} == {parameters}


@pytest.mark.parametrize(("core", "parameters"), [
    (["transcoder", "--from", "utf-16le", "--to", "utf-8"], TranscoderParameters("utf-16le", "utf-8", 1)),
    (["validator", "--encoding", "utf-16be"], TranscoderParameters("utf-16be", None, 1)),
])
def test_a_core_may_be_of_any_encodings(core: list[str], parameters: TranscoderParameters) -> None:
    assert main(["prove", *core, "--lanes", "1", "--part", "packing", "--no-mutants"]) == 0
    assert ran == [(parameters, "packing")]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--report-port", "only"],
     "--report-port goes with a CORE: validator, decoder, encoder, sanitizer, packer, splitter, filter or transcoder"),
    (["--from", "utf-8"],
     "--from goes with a CORE: validator, decoder, encoder, sanitizer, packer, splitter, filter or transcoder"),
    (["transcoder", "--from", "utf-8"], f"the transcoder needs --from and --to, each one of {', '.join(ENCODINGS)}"),
    (["validator", "--part", "middle"], "--part must be one of window, packing, border, buffer, wrapper, printing, "
     "got 'middle'"),
    (["validator", "--timeout", "0"], "--timeout must be above 0 seconds, got 0"),
])
def test_bad_arguments_are_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *arguments]) == 2
    assert capsys.readouterr().err == f"runewire: {message}\n"


def test_a_file_that_holds_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    assert main(["prove", "validator", "--json", str(other)]) == 2
    assert capsys.readouterr().err == f"runewire: cannot continue {other}: it is no record of proofs\n"
    assert other.read_text() == "{}"


def test_records_of_another_text_have_no_proofs_yet(runewire) -> None:
    outcome = runewire("prove", "sanitizer", "--lanes", 1, "--records", "0A")
    assert outcome.status == 2
    assert outcome.err == ("runewire: --records has proofs yet for validators of whole texts alone, got sanitizer, "
                           "1 lane, records 0A\n")


def test_a_record_report_has_no_proofs_yet(runewire) -> None:
    outcome = runewire("prove", "validator", "--lanes", 1, "--records", "0A", "--record-report")
    assert outcome.status == 2
    assert outcome.err == "runewire: --record-report has no proofs yet\n"
