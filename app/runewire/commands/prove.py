"""``runewire prove``."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from runewire_jobs.pool import Workers, result, workers
from runewire_model import TranscoderParameters, __version__
from runewire_model.core_options import words
from runewire_model.errors import check_choice
from runewire_proofs import (
    KEPT,
    Check,
    ConeRecord,
    Engine,
    EngineRun,
    Outcome,
    PartFingerprint,
    PartRecord,
    Proof,
    ProofRecords,
    Stuck,
    StuckRecord,
    StuckRun,
    StuckSearch,
    chain,
    check_part,
    checker_name,
    cone,
    fingerprint_of,
    proofs,
    run,
    run_part,
    unproven_counters,
)
from runewire_sim import generated

from ..console import error_console, output_console
from ..files import write_bytes
from ..options import number, with_core_or, writable
from ..parallel import Jobs, Scheduler
from ..usage_errors import UsageFailure, os_failure

_Record = TypeVar("_Record")


@with_core_or("Default: every core that the project keeps a record of.")
def prove(
    parameters: TranscoderParameters | None = None,
    part: Annotated[list[str] | None, typer.Option(
        metavar="PART,…", help="Only these parts. Default: all.", show_default=False)] = None,
    mutants: Annotated[bool, typer.Option(help="Also refute deliberately broken cores.")] = True,
    check: Annotated[bool, typer.Option(
        "--check", help="Also check each proof with another program, the solver CaDiCaL.")] = False,
    joined: Annotated[bool, typer.Option(
        "--chain", help="Instead of the parts, show that what each assumes of another is proven there.")] = False,
    covered: Annotated[bool, typer.Option(
        "--cone", help="Instead of the parts, count registers and gates that their assertions depend on.")] = False,
    held: Annotated[bool, typer.Option(
        "--stuck", help="Instead of the parts, hold each register bit at 0 and at 1: an assertion has to notice it.",
    )] = False,
    timeout: Annotated[float, typer.Option(
        parser=number, metavar="SECONDS", help="Limit of each engine run, of processor time.")] = 600,
    output: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", show_default=False, callback=writable,
        help="Keep engine, verdict, depth and time of each run in FILE, and leave out what is there and still holds. "
             "With --cone: write the record of the cone; with --stuck: of the stuck registers, also if interrupted.",
    )] = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
) -> int:
    """Prove cores against a byte-serial specification, for all inputs, and refute broken copies of them.

    Exit status 0: everything is proven and every broken copy refuted; 1: otherwise, also where a check refutes a proof.
    """
    questions = [name for name, asked in (("--chain", joined), ("--cone", covered), ("--stuck", held)) if asked]
    if len(questions) > 1:
        raise UsageFailure(f"{' and '.join(questions[:2])} are two questions: ask one of them")
    if joined:
        return _chain(parameters, "--part" if part else "--json" if output else "--check" if check else None)
    if covered:
        return _cone(parameters, "--part" if part else "--check" if check else None, output)
    if held:
        return _stuck(parameters, "--part" if part else "--check" if check else None, output)
    cores = KEPT if parameters is None else (parameters,)
    every = [(parameters, proof) for parameters in cores for proof in proofs(parameters)]
    names = list(dict.fromkeys(proof.name for _, proof in every))
    part = [name for each in part or [] for name in words(each)]
    for name in part:
        check_choice("part", name, names)
    if timeout <= 0:
        raise UsageFailure(f"--timeout must be above 0 seconds, got {timeout:g}")
    asked = [each for each in every if not part or each[1].name in part]
    if check:
        checker_name()
    these = _Run(Engine.find(), timeout, mutants, check, _ledger(output), output, asked)
    with workers(jobs, scheduler) as found:
        if found is None:
            these.alone()
        else:
            these.together(found)
    unproven = [(core, name) for core in dict.fromkeys(core for core, proof in asked if proof.name == "window")
                for name in unproven_counters(core)]
    for core, name in unproven:
        said = f"{core}: the flags of the counter {name} are not proven: they have no specification yet"
        output_console().print(said, style="red", highlight=False)
    return 1 if these.failed or unproven else 0


def _chain(parameters: TranscoderParameters | None, other: str | None) -> int:
    """Print what each part of a core's proof assumes, and who proves it; 1 if nobody does, and it is not listed as
    simulated. ``other``: an option that does not go with it."""
    if parameters is None:
        raise UsageFailure("--chain needs a CORE, as in: runewire prove decoder --lanes 2 --chain")
    if other is not None:
        raise UsageFailure(f"--chain proves no part of a core, so it does not go with {other}")
    gaps = simulated = 0
    for link in chain(parameters, Engine.find()):
        gaps += link.gap
        simulated += link.simulated
        style = "red" if link.gap else "yellow" if link.simulated else None
        output_console().print(link.text, style=style, highlight=False)
    if gaps:
        output_console().print(f"{parameters}: {gaps} gap{'s' * (gaps > 1)} in the chain", style="red", highlight=False)
    else:
        but = f", but {simulated} line{'s' * (simulated > 1)} with what is not proven" if simulated else ""
        said = (f"{parameters}: the chain has no gap{but}. The same command without --chain proves the parts; "
                "docs/proof-method.md says what is argued")
        output_console().print(said, highlight=False)
    return 1 if gaps else 0


def _cone(parameters: TranscoderParameters | None, other: str | None, output: Path | None) -> int:
    """Print what the assertions of a core's proof depend on; 1 if a register or memory has no reason to be outside.
    ``other``: an option that does not go with it."""
    if parameters is None:
        raise UsageFailure("--cone needs a CORE, as in: runewire prove decoder --lanes 2 --cone")
    if other is not None:
        raise UsageFailure(f"--cone proves no part of a core, so it does not go with {other}")
    if output is not None:
        _record_in(output, ConeRecord.of, "a cone", "--cone")
    began = time.monotonic()
    with error_console().status(f"{parameters}: cones of its parts", spinner="line"):
        found = cone(parameters, Engine.find())
    seconds = round(time.monotonic() - began, 1)
    if output is not None:
        record = ConeRecord(parameters.record(), generated(parameters).fingerprint, __version__, seconds, found)
        write_bytes(output, record.json().encode())
    console = output_console()
    unread = sum(found.unread.values())
    for line in (
        f"{parameters}: {found.registers:,} register bits: {found.seen:,} in a cone, {found.represented:,} by a "
        f"narrower register or one for several, {unread:,} without a path to an output",
        *(f"  {name}: {bits} without a path to an output" for name, bits in found.unread.items()),
        *(f"  {bits:,} outside: {why}" for why, bits in found.explained.items()),
        f"{found.memories_seen} of {found.memories} memories, {found.gates_seen:,} of {found.gates:,} gates",
    ):
        console.print(line, highlight=False, soft_wrap=True)
    for name in found.unexplained:
        console.print(f"  {name}: no assertion depends on it", style="red", highlight=False)
    return 1 if found.unexplained else 0


def _record_in(path: Path, read: Callable[[str], _Record], what: str, option: str) -> _Record | None:
    """The record in the file, if there is one; raises UsageFailure if the file contains something else."""
    if not path.is_file():
        return None
    try:
        return read(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise os_failure(error, "cannot read", path) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageFailure(f"--json {path} has no record of {what}; {option} would replace it, so name another "
                           "file") from error


def _stuck(parameters: TranscoderParameters | None, other: str | None, output: Path | None) -> int:
    """Print which register bits of a core may be stuck without notice; 1 if one of them has no reason. ``other``: an
    option that does not go with it."""
    if parameters is None:
        raise UsageFailure("--stuck needs a CORE, as in: runewire prove decoder --lanes 1 --pipeline compact --stuck")
    if other is not None:
        raise UsageFailure(f"--stuck proves no part of a core, so it does not go with {other}")
    former = None if output is None else _record_in(output, StuckRecord.of, "stuck registers", "--stuck")
    known = [] if former is None else former.runs
    before = 0.0 if former is None else former.seconds
    began = time.monotonic()
    runs: list[StuckRun] = []

    def keep(found: Stuck | None, kept: Sequence[StuckRun]) -> None:
        if output is not None:
            spent = time.monotonic() - began
            # Most answers of a complete record are not asked for again.
            seconds = max(spent, before) if former is not None and former.stuck is not None else spent + before
            record = StuckRecord(parameters.record(), generated(parameters).fingerprint, __version__,
                                 round(seconds, 1), found, [*kept])
            write_bytes(output, record.json().encode())

    with error_console().status("", spinner="line") as status:
        search = StuckSearch(parameters, Engine.find(), heard=lambda said: status.update(f"{parameters}: {said}"))
        try:
            for run in search.runs(known):
                runs.append(run)
        except BaseException:  # Ctrl-C too
            if runs:
                keep(None, [*runs, *(run for run in known if run not in runs)])
            raise
    found = search.result()
    keep(found, runs)
    _tell_stuck(parameters, found, runs)
    return 1 if found.unexplained else 0


def _tell_stuck(parameters: TranscoderParameters, found: Stuck, runs: Sequence[StuckRun]) -> None:
    """Print the numbers, and each bit that is not noticed, with the reason or with the engine's answers."""
    console = output_console()
    for line in (
        f"{parameters}: {found.registers:,} register bits: {found.noticed:,} noticed at 0 and at 1, "
        f"{found.represented:,} by a narrower register or one for several, {found.unread:,} without a path to an "
        "output",
        *(f"  {', '.join(bits)}: {why}" for why, bits in found.explained.items()),
        f"{found.memories_noticed} of {found.memories} memories",
    ):
        console.print(line, highlight=False, soft_wrap=True, markup=False)
    for bit in found.unexplained:
        answers = [f"stuck at {run.value} in {run.part}: {run.verdict}" + (
            f" in {run.cycles} cycles" if run.cycles is not None and run.verdict == "unnoticed" else "")
            for run in runs if run.register == bit and run.verdict != "noticed"]
        said = "; ".join(answers) or "in no part, or no assertion depends on it"
        console.print(f"  {bit}: {said}", style="red", highlight=False, soft_wrap=True, markup=False)


@dataclass(frozen=True)
class _Part:
    """A part of a core."""

    parameters: TranscoderParameters
    design: PartFingerprint


class _Run:
    """The ``asked`` parts of cores. Each one is proven unless it is in the ledger, then recorded and printed."""

    def __init__(self, engine: Engine, timeout: float, mutants: bool, check: bool, ledger: ProofRecords,
                 output: Path | None, asked: Sequence[tuple[TranscoderParameters, Proof]]) -> None:
        self._engine = engine
        self._timeout = timeout
        self._mutants = mutants
        self._check = check
        self._ledger = ledger
        self._output = output
        self._asked = asked
        self._console = output_console()
        # New results are recorded in the order of the request, in whatever order they are proven.
        self._order = list(dict.fromkeys(
            [*ledger.entries, *((parameters, proof.name) for parameters, proof in asked)]))
        self.failed = 0

    def alone(self) -> None:
        """Prove one part after another, in this process. An interrupted part keeps its finished runs."""
        for part in self._parts():
            entry = self._ledger.settled(part.design)
            if entry is not None:
                self._tell(part, self._checked(part, entry))
                continue
            known = self._known(part)
            records: list[EngineRun] = []
            try:
                for record in _watched(part, self._engine, self._timeout, self._mutants, known):
                    records.append(record)
            except BaseException:  # Ctrl-C too
                if records:
                    told = {record.mutant for record in records}
                    design = part.design
                    left = (EngineRun(design.part, design.digest, title, outcome)
                            for title, outcome in known.items() if title not in told)
                    self._keep(part, [*records, *left])
                raise
            self._tell(part, self._checked(part, self._keep(part, records)))

    def together(self, found: Workers) -> None:
        """Prove as many parts at a time as there are workers."""
        under_way: dict[Future[bytes], _Part] = {}
        proven: dict[Future[bytes], PartRecord] = {}
        same: dict[PartFingerprint, list[_Part]] = {}

        def begin(part: _Part) -> None:
            call = found.submit(run_part, part.parameters, part.design.part, self._engine.version, self._timeout,
                                self._mutants, self._known(part))
            under_way[call] = part

        def begin_check(part: _Part, entry: PartRecord) -> None:
            call = found.submit(check_part, part.parameters, part.design.part, self._engine.version, self._timeout)
            under_way[call] = part
            proven[call] = entry

        def enter(seconds: float | None) -> None:
            done, _ = wait(under_way, seconds, FIRST_COMPLETED)
            for call in done:
                part = under_way.pop(call)
                former = proven.pop(call, None)
                entry = self._keep(part, result(call)) if former is None else self._keep_check(former, result(call))
                if self._unchecked(entry):
                    begin_check(part, entry)
                    continue
                self._tell(part, entry)
                left = [each for each in same.pop(part.design) if not self._settled(each)]
                if left:
                    same[part.design] = left[1:]
                    begin(left[0])

        with error_console().status("", spinner="line") as status:
            for built, part in enumerate(self._parts(), 1):
                if part.design in same:
                    same[part.design].append(part)
                elif not self._settled(part):
                    same[part.design] = []
                    entry = self._ledger.settled(part.design)
                    if entry is None:
                        begin(part)
                    else:
                        begin_check(part, entry)
                enter(0)
                status.update(f"{built} of {len(self._asked)} parts built, {len(under_way)} under way")
            while under_way:
                status.update(f"{len(under_way)} of {len(self._asked)} parts under way")
                enter(None)

    def _parts(self) -> Iterator[_Part]:
        for parameters, proof in self._asked:
            yield _Part(parameters, fingerprint_of(parameters, proof))

    def _settled(self, part: _Part) -> bool:
        """Whether the ledger has all of the part; if so it is printed."""
        entry = self._ledger.settled(part.design)
        if entry is None or self._unchecked(entry):
            return False
        self._tell(part, entry)
        return True

    def _unchecked(self, entry: PartRecord) -> bool:
        """Whether the part still needs a check. One that came to no result is made again."""
        undone = entry.check is None or entry.check.verdict == "not checked"
        return self._check and entry.sound.verdict == "proven" and undone

    def _checked(self, part: _Part, entry: PartRecord) -> PartRecord:
        """The record with a check, if it needs one."""
        if not self._unchecked(entry):
            return entry
        with error_console().status(f"{part.parameters}: {part.design.part}: check", spinner="line"):
            check = check_part(part.parameters, part.design.part, self._engine.version, self._timeout)
        return self._keep_check(entry, check)

    def _known(self, part: _Part) -> dict[str | None, Outcome]:
        return self._ledger.known(part.parameters, part.design)

    def _keep(self, part: _Part, records: list[EngineRun]) -> PartRecord:
        entry = self._ledger.enter(part.parameters, self._engine.version, records)
        self._write()
        return entry

    def _keep_check(self, entry: PartRecord, check: Check) -> PartRecord:
        checked = self._ledger.enter_check(entry, check)
        self._write()
        return checked

    def _write(self) -> None:
        ledger = self._ledger
        ledger.entries = {key: ledger.entries[key] for key in self._order if key in ledger.entries}
        if self._output is not None:
            write_bytes(self._output, ledger.json().encode())

    def _tell(self, part: _Part, entry: PartRecord) -> None:
        self.failed += not entry.good or (entry.check is not None and entry.check.verdict == "refuted")
        _tell(self._console, part.parameters, entry)


def _ledger(path: Path | None) -> ProofRecords:
    """The ledger in the file; raises UsageFailure if the file contains something else."""
    if path is None or not path.is_file():
        return ProofRecords()
    try:
        return ProofRecords.of(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise os_failure(error, "cannot read", path) from error
    except ValueError as error:
        raise UsageFailure(f"cannot continue {path}: {error}") from error


def _watched(
    part: _Part, engine: Engine, timeout: float, mutants: bool, known: Mapping[str | None, Outcome],
) -> Iterator[EngineRun]:
    """The records of a part; on a terminal the current one is shown."""
    name = f"{part.parameters}: {part.design.part}"
    with error_console().status("", spinner="line") as status:
        status.update(name)
        for record in run(part.parameters, engine, seconds=timeout, mutants=mutants, parts=[part.design.part],
                          known=known):
            yield record
            status.update(f"{name}: {record.mutant or 'as delivered'}: {record.outcome.verdict}")


def _tell(console: Console, parameters: TranscoderParameters, entry: PartRecord) -> None:
    """Print one line for the part of a core, which may be proven with another core, and a table of its runs."""
    sound = entry.sound
    same = "" if entry.parameters == parameters else f", the same as in {entry.parameters}"
    depth = "" if sound.depth is None else f", depth {sound.depth}"
    if sound.verdict == "undecided" and sound.depth is not None:
        depth = f", nothing wrong in {sound.depth + 1} cycles"
    console.print(
        f"{parameters}: {entry.part}{same}: {sound.verdict} by {sound.engine}{depth}; {entry.refuted} of "
        f"{len(entry.mutants)} broken ones refuted; {entry.seconds:.1f} s of {entry.engine}",
        style=None if entry.good else "red", highlight=False)
    if entry.check is not None:
        check = entry.check
        by = "" if check.verdict == "not checked" else f" by {check.program} in {check.seconds:.1f} s"
        console.print(f"  {check.verdict}{by}: {check.how}",
                      style="red" if check.verdict == "refuted" else None, highlight=False)
    failed = {title: outcome for title, outcome in entry.mutants.items() if outcome.verdict != "refuted"}
    if failed:
        table = Table("not refuted", "verdict", "seconds", box=None)
        for title, outcome in failed.items():
            table.add_row(title, outcome.verdict, f"{outcome.seconds:.1f}")
        console.print(table)
