"""``runewire soak``."""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from runewire_jobs.pool import Workers, result, workers
from runewire_sim import Report
from runewire_sim.soak import Played, Round, SoakRecord, enter, held, play, retry, soak_round

from ..console import error_console, output_console
from ..files import write_bytes
from ..options import at_least, number, whole_number, writable
from ..parallel import Jobs, Scheduler
from ..usage_errors import UsageFailure, os_failure

AHEAD = 4
"""Rounds per worker that may be finished before the oldest unfinished one."""


def soak(
    minutes: Annotated[float | None, typer.Option(
        parser=at_least(0, number), metavar="MINUTES", show_default=False,
        help="Begin no round after this time. Without it, until Ctrl-C.")] = None,
    seed: Annotated[int | None, typer.Option(
        parser=whole_number, metavar="N", show_default=False, help="Seed of all that is random. Default 0.")] = None,
    pairs: Annotated[bool, typer.Option(
        "--pairs", help="Instead of random cores, one for each pair of encodings and each width: 20,000 packets, and "
        "every scalar.")] = False,
    segments: Annotated[bool, typer.Option(
        "--segments", help="Instead of random cores, two with --flows for each source and width: texts of up to 300 "
        "flows, cut anywhere.")] = False,
    lines: Annotated[bool, typer.Option(
        "--lines", help="Instead of random cores, splitters, filters, record flags and record reports at 1, 8 and 64 "
        "lanes: packets of records.")] = False,
    resume: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable,
        help="Write the record to FILE after every round, and continue an existing record. With --pairs, --segments or "
        "--lines, cores that changed since are tested again. Failed rounds are repeated first.")] = None,
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
) -> int:
    """Send random packets through random cores under random stalls, as long as you like.

    Hardware is compared with the golden model and CPython's codecs. A failure is shrunk, and saved next to the record
    as soak-SEED-ROUND.hex with the command that replays it. At the end the record is printed as JSON. Exit status 0:
    all agree; 1: there are failures.
    """
    named = [f"--{kind}" for kind, chosen in (("pairs", pairs), ("segments", segments), ("lines", lines)) if chosen]
    if named[1:]:
        raise UsageFailure(f"{named[0]} and {named[1]} are different soaks: leave one out")
    record = _begin(SoakRecord(seed or 0, pairs=pairs, segments=segments, lines=lines), seed, resume)
    folder = resume.parent if resume is not None else Path()
    until = None if minutes is None else time.monotonic() + 60 * minutes

    def more() -> bool:
        return until is None or time.monotonic() < until

    try:
        with _kept(record, resume):
            retry(record)
        with workers(jobs, scheduler) as found:
            if found is not None:
                _together(record, folder, resume, more, found)
            else:
                with _progress(record) as watch:
                    while more() and record.rounds != record.total:
                        with _kept(record, resume):
                            soak_round(record, folder, watch)
    except KeyboardInterrupt:
        pass  # the usual way to stop; the record has every finished round
    output_console().print(record.json(), end="")
    return 1 if record.failures else 0


def _together(record: SoakRecord, folder: Path, resume: Path | None, more: Callable[[], bool], found: Workers) -> None:
    """Several rounds in parallel, while ``more`` says so. They are recorded in the same order as by one process."""
    under_way: dict[Future[bytes], int] = {}
    played: dict[int, Played] = {}
    following = record.rounds
    with _overview(record) as show:
        while True:
            places = max(1, found.places())
            while (more() and following != record.total and len(under_way) < places
                   and following < record.rounds + AHEAD * places):
                passed = held(record, following)
                if passed is not None:
                    played[following] = passed
                else:
                    call = found.submit(play, record.seed, following, record.kind, record.sent)
                    under_way[call] = following
                following += 1
            show(len(under_way))
            if not under_way and not played:
                return
            if record.rounds not in played:
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                played |= {under_way.pop(call): result(call) for call in done}
            while record.rounds in played:
                with _kept(record, resume):
                    enter(record, played.pop(record.rounds), folder)
            # After a failure of a core its other rounds are skipped.
            played = {number: each for number, each in played.items() if number > record.rounds}
            following = max(following, record.rounds)


@contextlib.contextmanager
def _kept(record: SoakRecord, resume: Path | None) -> Iterator[None]:
    """Write everything that the block records to the file, and print failures."""
    known = len(record.failures)
    try:
        yield
    finally:
        if resume is not None:
            write_bytes(resume, record.json().encode())
        for failure in record.failures[known:]:
            error_console().print(f"round {failure.round}: {failure.what}\n  {failure.command}")


@contextlib.contextmanager
def _overview(record: SoakRecord) -> Iterator[Callable[[int], None]]:
    """A bar for all rounds, on a terminal. The function takes the number of rounds under way."""
    console = error_console()
    columns = (BarColumn(20), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=record.total)

        def show(count: int) -> None:
            of = "" if record.total is None else f" of {record.total}"
            bar.update(task, completed=record.rounds, description=f"{record.rounds}{of} rounds, {count} under way, "
                       f"{record.bytes / 1e6:,.1f} MB, {len(record.failures)} failures")

        yield show


KINDS = {"random": ("of random cores", ""), "pairs": ("by pairs", "--pairs"),
         "segments": ("of texts in segments", "--segments"), "lines": ("of lines", "--lines")}
"""Each kind of soak in words, and its option."""


def _begin(new: SoakRecord, seed: int | None, resume: Path | None) -> SoakRecord:
    """The record in the file, or the ``new`` one; raises UsageFailure if the file does not match seed or kind."""
    if resume is None or not resume.exists():
        return new
    try:
        record = SoakRecord.of(resume.read_text(encoding="utf-8"))
    except OSError as error:
        raise os_failure(error, "cannot read", resume) from error
    except ValueError as error:
        raise UsageFailure(f"cannot continue {resume}: {error}") from error
    if seed is not None and seed != record.seed:
        raise UsageFailure(
            f"{resume} has seed {record.seed}, got --seed {seed}: leave it out, or name another file")
    if new.kind != record.kind:
        said, option = KINDS[record.kind]
        advice = f"add {option}" if option else f"leave out --{new.kind}"
        raise UsageFailure(f"{resume} records a soak {said}: {advice}, or name another file")
    # A listed core has one round; cores that passed are skipped.
    return record if record.listed is None else replace(record, rounds=0)


@contextlib.contextmanager
def _progress(record: SoakRecord) -> Iterator[Callable[[Round], Callable[[Report], None]]]:
    """A bar for each round, on a terminal. No output elsewhere."""
    console = error_console()
    texts = [TextColumn(f"{{task.{name}}}") for name in ("description", "fields[figures]")]
    columns = (texts[0], BarColumn(20), texts[1], TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", figures="")

        def begin(this: Round) -> Callable[[Report], None]:
            of = "" if record.total is None else f" of {record.total}"
            name = f"round {record.rounds}{of} {this.parameters}"
            bar.update(task, description=name, total=len(this.packets), completed=0)
            before = record.bytes
            due = 0.0

            def advance(report: Report) -> None:
                nonlocal due
                if time.monotonic() >= due:
                    figures = f"{(before + report.bytes_in) / 1e6:,.1f} MB, {len(record.failures)} failures"
                    bar.update(task, completed=report.packets, figures=figures)
                    due = time.monotonic() + 0.1

            return advance

        yield begin
