"""Answers of a core, read from the results file of a bench."""

from collections.abc import Iterable
from dataclasses import dataclass, field


class ResultsError(Exception):
    """A results file that no bench wrote to its end: one line for the user."""


@dataclass(frozen=True)
class Reported:
    """A report as the core gave it: None for an undefined value."""

    error: bool | None
    kind: int | None
    offset: int | None


@dataclass
class Answer:
    """A core's answer to one packet. ``output``: its bytes, None for an undefined one. ``ends``: output beats that
    ended a packet. ``reports``: as many as there were. ``complete``: False if the bench gave up waiting."""

    output: list[int | None] = field(default_factory=list)
    ends: int = 0
    reports: list[Reported] = field(default_factory=list)
    complete: bool = True


def read_answers(lines: Iterable[str], passes: int) -> list[dict[int, Answer]]:
    """For each pass the answers by packet. In the first pass a packet has its number in the vectors; in the others the
    packets are counted. Raises ResultsError."""
    found: list[dict[int, Answer]] = [{} for _ in range(passes)]
    whole = False
    for line in lines:
        match line.split():
            case ["end"]:
                whole = True
            case [letter, number, packet, *values] if letter in "oret":
                _event(found[int(number)].setdefault(int(packet), Answer()), letter, values)
            case _:
                raise ResultsError(f"the results have a line that no bench writes: {line.strip()!r}")
    if not whole:
        raise ResultsError("the results are not complete: the simulation ended early")
    return found


def _event(answer: Answer, letter: str, values: list[str]) -> None:
    match letter, values:
        case "o", [data, keep, last]:
            octets = [_number(data[at : at + 2]) for at in range(len(data) - 2, -1, -2)]
            answer.output += [octet for octet, kept in zip(octets, reversed(keep), strict=True) if kept != "0"]
            answer.ends += last == "1"
        case "r", [error, kind, offset]:
            answer.reports.append(Reported(None if error not in "01" else error == "1", _number(kind), _number(offset)))
        case "t", []:
            answer.complete = False


def _number(digits: str) -> int | None:
    """A number in hex; None if a digit is undefined."""
    try:
        return int(digits, 16)
    except ValueError:
        return None
