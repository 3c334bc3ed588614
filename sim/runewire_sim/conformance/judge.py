"""Comparison of a core's answers with the vectors, level by level and trap by trap."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answers import Answer, Reported
from .port_map import ENCODINGS, NAMED_KINDS, Output, PortMap, Report

LEVELS = {"verdict": "says of each text whether it is well-formed",
          "replacement": "puts out the text, with a replacement for each ill-formed part",
          "report": "says what a text's first error is, and where"}
"""The levels, each with what a core at that level does."""
PASSES = {1: ("back-to-back", "packets without pauses between them",
              "State of one packet reaches the next while both are in the pipeline."),
          2: ("pauses", "packets with pauses, and an output that is not always ready",
              "A beat is lost or doubled when a stream pauses.")}
"""The traps of the passes after the first: name, title, mistake. Their answers must equal the first pass's."""


@dataclass(frozen=True)
class Difference:
    """A vector that the core answers wrongly: in words what was expected, and what came."""

    vector: str
    bytes: str
    expected: str
    got: str


@dataclass
class Outcome:
    """A trap's result. ``counts``: by level the number of vectors. ``wrong``: by level the differing ones, in order."""

    name: str
    title: str
    mistake: str
    source: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, list[Difference]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no level has a difference."""
        return not any(self.wrong.values())

    def note(self, level: str, difference: Difference | None) -> None:
        """Count a vector at a level."""
        self.counts[level] = self.counts.get(level, 0) + 1
        if difference is not None:
            self.wrong.setdefault(level, []).append(difference)


def sendable(port_map: PortMap, vectors: Sequence[Mapping[str, Any]]) -> list[int]:
    """The numbers of the vectors that the core's input can carry: an empty packet needs keep bits."""
    source = port_map.input
    return [number for number, vector in enumerate(vectors) if vector["bytes"] or source.keep is not None]


def judged(port_map: PortMap, document: Mapping[str, Any], passes: Sequence[Mapping[int, Answer]]) -> list[Outcome]:
    """The outcome of each trap of the vectors, then of each further pass."""
    vectors, sent = document["vectors"], sendable(port_map, document["vectors"])
    outcomes = {trap["name"]: Outcome(**trap) for trap in document["traps"]}
    first = passes[0]
    for number in sent:
        vector = vectors[number]
        answer = first.get(number, Answer(complete=False))  # the bench gave up before it
        for level, difference in _compared(port_map, vector, answer).items():
            outcomes[vector["trap"]].note(level, difference)
    for place, answers in enumerate(passes[1:], 1):
        outcomes[PASSES[place][0]] = outcome = Outcome(*PASSES[place])
        for at, number in enumerate(sent):
            outcome.note("verdict" if port_map.output is None else "replacement",
                         _same(port_map, vectors[number], first.get(number, Answer()), answers.get(at, Answer())))
        if answers.keys() - range(len(sent)):
            outcome.note("replacement", Difference(
                "after the last packet", "", f"{len(sent)} answers", f"{max(answers) + 1} answers"))
    return [*outcomes.values()]


def _compared(port_map: PortMap, vector: Mapping[str, Any], answer: Answer) -> dict[str, Difference | None]:
    """For each level that the port map has, the difference or None."""
    found: dict[str, Difference | None] = {}

    def note(level: str, expected: str, got: str) -> None:
        differs = expected != got
        found[level] = Difference(vector["id"], vector["bytes"], expected, got) if differs else None

    report, sink = port_map.report, port_map.output
    reported = answer.reports[0] if len(answer.reports) == 1 else None
    none = f"{len(answer.reports)} reports" if answer.reports else "no report"
    if report is not None:
        note("verdict", _verdict(not vector["well_formed"]), _verdict(reported.error) if reported else none)
    if sink is not None:
        got = _shown_text(sink, answer.output)
        if not answer.complete:
            got += " and no end"
        elif sink.last is not None and answer.ends != 1:
            got += f" and {answer.ends} ends of packets"
        note("replacement", _shown_text(sink, _text(sink, vector)), got)
    if report is not None and (report.kind or report.offset) and not vector["well_formed"]:
        error = vector["first_error"][report.convention]
        number = {**NAMED_KINDS[report.convention], **report.kinds}[error["kind"]]
        note("report", _shown_error(report, Reported(True, number, error["offset"])),
             _shown_error(report, reported) if reported else none)
    return found


def _same(port_map: PortMap, vector: Mapping[str, Any], first: Answer, later: Answer) -> Difference | None:
    """The difference between a packet's answers in two passes."""
    if (first.output, first.ends, _meant(first)) == (later.output, later.ends, _meant(later)):
        return None
    return Difference(vector["id"], vector["bytes"], f"as alone: {_shown(port_map, first)}", _shown(port_map, later))


def _shown(port_map: PortMap, answer: Answer) -> str:
    words = [_shown_text(port_map.output, answer.output)] if port_map.output else []
    if port_map.report:
        words += [_shown_error(port_map.report, reported) for reported in answer.reports] or ["no report"]
    return "; ".join(words)


def _meant(answer: Answer) -> list[Reported]:
    """The reports without what a well-formed text leaves open."""
    return [reported if reported.error is not False else Reported(False, None, None) for reported in answer.reports]


def _shown_error(report: Report, reported: Reported) -> str:
    """The first error as the core reports it, in words."""
    if reported.error is not True:
        return f"a text that is {_verdict(reported.error)}"
    kinds = {number: name for name, number in {**NAMED_KINDS[report.convention], **report.kinds}.items()}
    kind = "undefined" if reported.kind is None else kinds.get(reported.kind, f"kind {reported.kind}")
    words = [kind] if report.kind else []
    return " ".join([*words, *([f"at {reported.offset}"] if report.offset else [])])


def _text(sink: Output, vector: Mapping[str, Any]) -> list[int | None]:
    """The bytes that a core with this output puts out for a vector."""
    if sink.errors == "pass":
        return [*bytes.fromhex(vector["bytes"])]
    replaced = {*vector["replaced"]}
    codec = {"utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "utf-32le": "utf-32-le", "utf-32be": "utf-32-be"}
    stand_in = {"replace": "\N{REPLACEMENT CHARACTER}", "drop": ""}.get(sink.errors)
    if stand_in is None:
        stand_in = chr(int(sink.errors, 16))
    pieces = [stand_in if number in replaced else chr(scalar) for number, scalar in enumerate(vector["scalars"])]
    if sink.bom == "strip" and pieces and pieces[0] == "\N{BOM}":
        del pieces[0]
    return [*"".join(pieces).encode(codec.get(sink.encoding, sink.encoding))]


def _verdict(error: bool | None) -> str:
    return "undefined" if error is None else "ill-formed" if error else "well-formed"


def _shown_text(sink: Output, octets: Sequence[int | None]) -> str:
    """An output's bytes as units of its encoding, in hex."""
    size, shown = ENCODINGS[sink.encoding], []
    for start in range(0, len(octets), size):
        unit = octets[start : start + size]
        ordered = unit[::-1] if sink.encoding.endswith("le") else unit
        digits = "".join("xx" if octet is None else f"{octet:02X}" for octet in ordered)
        shown.append(f"{digits.lstrip('0'):0>4}" if size == 4 else digits)
    return " ".join(shown) or "nothing"
