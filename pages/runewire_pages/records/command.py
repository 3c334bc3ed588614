"""``runewire records``."""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table
from runewire.completion import one_of
from runewire.console import error_console, output_console
from runewire.parallel import Jobs
from runewire.units import duration
from runewire.usage_errors import UsageFailure
from runewire_model.errors import check_choice

from .group import STATES, RecordGroup, time_text
from .night import Made, night, run_command


def _kind_names(incomplete: str) -> list[str]:
    """Completes a kind of records."""
    from .kinds import KINDS  # takes its time

    return one_of(KINDS)(incomplete)


def records(
    kinds: Annotated[list[str] | None, typer.Argument(
        metavar="KIND", show_default=False, autocompletion=_kind_names,
        help="Kinds of records, such as proofs or mutants. Default: all.")] = None,
    status: Annotated[bool, typer.Option(
        "--status", help="Say which records belong to the present design (the default).")] = False,
    time: Annotated[str | None, typer.Option(
        "--night", metavar="TIME", show_default=False,
        help="Make records again that do not, the oldest first, for a time such as 8h or 1h30m.")] = None,
    jobs: Jobs = 1,
    as_json: Annotated[bool, typer.Option(
        "--json", help="Print the status as JSON: every command with its records, their states and their time.",
    )] = False,
) -> int:
    """Say which records of proofs, tests and measurements belong to the present design, and make the others again.

    The status of proofs and of the datasheet takes minutes after a change: every core is built. With KIND each command
    that makes a record again is listed. A night runs these commands, and can be interrupted; the same command
    continues. Exit status 0: all records belong to the present design; 1: some do not.
    """
    from .kinds import KINDS  # takes its time

    if status and time is not None:
        raise UsageFailure("give --status or --night, not both")
    if as_json and time is not None:
        raise UsageFailure("--json prints the status, and goes without --night")
    seconds = None if time is None else duration(time)
    for kind in kinds or ():
        check_choice("kinds", kind, [*KINDS])
    groups = [group for kind, found in KINDS.items() if not kinds or kind in kinds for group in found()]
    if seconds is not None:
        return _night(groups, seconds, jobs)
    if as_json:
        print(json.dumps([group.as_json() for group in groups], indent=2))
    else:
        _print_status(groups, every=bool(kinds))
    return 1 if any(group.due for group in groups) else 0


def _print_status(groups: Sequence[RecordGroup], *, every: bool) -> None:
    """A row for each kind; with ``every`` also each command that makes records again."""
    console = output_console()
    table = Table("records", *STATES, "time to make again", box=None)
    for name in range(1, len(STATES) + 1):
        table.columns[name].justify = "right"
    for kind in dict.fromkeys(group.kind for group in groups):
        of_kind = [group for group in groups if group.kind == kind]
        count: Counter[str] = Counter()
        for group in of_kind:
            count.update(group.states)
        table.add_row(kind, *(f"{count[state]:,}" for state in STATES), _time_of(of_kind))
    console.print(table)
    due = [group for group in groups if group.due]
    if every and due:
        console.print("")
        for group in sorted(due, key=lambda group: group.age):
            states = ", ".join(f"{count} {state}" for state, count in group.states.items() if count)
            console.print(f"{group.kind}: {group.name}: {states}; {_time_of([group])}:\n  {shlex.join(group.command)}")
    elif due:
        kind = due[0].kind
        console.print(f"\nTheir commands: runewire records {kind}. To make them: runewire records {kind} --night 8h.")


def _time_of(groups: Sequence[RecordGroup]) -> str:
    """The recorded time of the groups that are due, and how many have none."""
    due = [group for group in groups if group.due]
    if due and all(group.open_ended for group in due):
        return "any time"
    known = [group.seconds for group in due if group.seconds is not None]
    lacking = len(due) - len(known)
    if not known:
        return "no recorded time" if due else ""
    return time_text(sum(known)) + (f", {lacking} of {len(due)} commands without a recorded time" if lacking else "")


def _night(groups: Sequence[RecordGroup], seconds: float, jobs: int) -> int:
    console, errors = output_console(), error_console()
    by_hand = [group for group in groups if group.due and group.by_hand]
    left = {id(group): group for group in groups if group.due}
    for group in by_hand:
        errors.print(f"runewire: {group.name} is left out, as it {group.by_hand}: {shlex.join(group.command)}")

    def begin(group: RecordGroup, remaining: float) -> None:
        takes = "" if group.seconds is None else f", which took {time_text(group.seconds)}"
        errors.print(f"runewire: {time_text(remaining)} left, {len(left)} to make: {group.kind}: {group.name}{takes}")

    for made in night(groups, seconds, jobs, run_command, begin):
        console.print(f"{_ended(made)} after {time_text(made.seconds)}: {shlex.join(made.group.command)}")
        if made.status == 0 and not made.group.open_ended:
            left.pop(id(made.group), None)
    if not left:
        console.print("All of these records belong to the present design. Their tables: runewire pages --write.")
        return 0
    console.print(f"{len(left)} of the commands are left: the same command continues. Tables: runewire pages --write.")
    return 1


def _ended(made: Made) -> str:
    if made.status is None:
        return "stopped, continues later" if made.group.resumable else "stopped, begins again later"
    return "made" if made.status == 0 else f"exit status {made.status}"
