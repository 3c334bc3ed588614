"""Jobs on the lines of a text: a verdict on each line, and the text without its ill-formed lines."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runewire_model import TranscoderParameters, ValidatorParameters, parameters, validate

from .peers import LinePeer

DELIMITER = 0x0A
"""The byte that ends a line, and belongs to it."""
LANES = 64
"""Width of the core that the software is compared with, if the datasheet has it."""
NARROW_LANES = 8
"""Width of the filter that the software is compared with otherwise."""
LONGEST = 16384
"""Bytes of a filter's record buffer."""

PROBES = {
    "a byte that UTF-8 never has": b"a\xffb\n",
    "a byte order mark of UTF-16": b"\xff\xfea\n",
    "a continuation byte alone": b"a\x80b\n",
    "a character cut short": b"a\xe2\x82\n",
    "an overlong form": b"a\xc0\xafb\n",
    "an overlong form of three bytes": b"a\xe0\x80\xafb\n",
    "an overlong form of four bytes": b"a\xf0\x80\x80\xafb\n",
    "a surrogate": b"a\xed\xa0\x80b\n",
    "a code point above U+10FFFF": b"a\xf4\x90\x80\x80b\n",
    "a form of five bytes": b"a\xf8\x88\x80\x80\x80b\n",
    "nothing": b"\n",
    "U+0000": b"a\x00b\n",
    "CR": b"a\r\n",
    "U+2028": b"a\xe2\x80\xa8b\n",
    "a byte order mark": b"\xef\xbb\xbfa\n",
    "a noncharacter": b"a\xef\xbf\xbfb\n",
    "U+10FFFF": b"a\xf4\x8f\xbf\xbfb\n",
}
"""A line for each kind of ill-formed sequence, and well-formed ones that software may take for something else."""


@dataclass(frozen=True)
class LineJob:
    """A job on the lines of a text.

    `name`: in records; `title`: for a reader. `shares`: one line in so many is ill-formed, None for none. `core`: the
    name of the core that does it, without its width. `cores`: that core, and the one that replaces it in a datasheet
    that lacks it: a narrower one, or one of the same width whose clock is taken. `answer`: the golden model's, as a
    number. `method`: how it is measured, in sentences. `probes`: names of lines that a peer must answer rightly before
    it is timed.
    """

    name: str
    title: str
    shares: tuple[int | None, ...]
    core: str
    cores: tuple[TranscoderParameters, ...]
    answer: Callable[[Sequence[bytes]], int]
    method: tuple[str, ...]
    probes: tuple[str, ...] = ()


def ill_formed_numbers(lines: Sequence[bytes]) -> int:
    """The sum of the 1-based numbers of the ill-formed lines."""
    return sum(number for number, line in enumerate(lines, 1) if validate(line) is not None)


def without_ill_formed(lines: Sequence[bytes]) -> int:
    """CRC-32 of the text without its ill-formed lines."""
    return zlib.crc32(b"".join(line for line in lines if validate(line) is None))


def differences(job: LineJob, peer: LinePeer) -> str:
    """What `peer` does with the job's probes that the golden model does not; empty if it does the job.

    For peers whose answer is the CRC-32 of the lines that they keep.
    """
    found: dict[str, list[str]] = {}
    after = b"after\n"
    for name in job.probes:
        line = PROBES[name]
        answer = peer.answer([line, after])
        if answer != job.answer([line, after]):
            does = {zlib.crc32(line + after): "keeps", zlib.crc32(after): "drops"}.get(answer, "changes")
            found.setdefault(does, []).append(name)
    ill_formed = [name for name in job.probes if validate(PROBES[name]) is not None]
    said = [f"{does} {'ill-formed lines' if names == ill_formed else 'lines with ' + ', '.join(names)}"
            for does, names in found.items()]
    return " and ".join(said)


VALIDATING = LineJob(
    name="validating",
    title="Validating each line",
    shares=(None, 1000, 100, 10),
    core="validator with records",
    cores=(ValidatorParameters(LANES, records=DELIMITER), ValidatorParameters(LANES)),
    answer=ill_formed_numbers,
    method=(
        "A text of lines is cut before it is measured: software is given where they begin, the core finds each LF "
        "itself. A verdict is one byte a line, or the number of each ill-formed line. Every verdict was checked.",
        "A call from Python or Node.js is part of every line's time where there is one for each, and so is an "
        "exception where that tells of an error. simdutf is called in a compiled loop, which has neither.",
    ),
)
DROPPING = LineJob(
    name="dropping",
    title="Dropping ill-formed lines",
    shares=(None, 100, 2),
    core="filter",
    cores=tuple(parameters("filter", lanes=lanes, records=DELIMITER, longest=LONGEST)
                for lanes in (LANES, NARROW_LANES)),
    answer=without_ill_formed,
    method=(
        "Software gets a text, finds each LF itself, and copies the well-formed lines. The compiled loop has a buffer "
        "for them, a tool reads and writes files. The bytes that are read count. Every output was checked.",
        "Before it is timed, each program gets a line of each kind of ill-formed sequence, and well-formed ones that "
        "are easily mistaken. One that keeps other lines than the golden model is named and not timed.",
    ),
    probes=tuple(PROBES),
)
LINE_JOBS = {job.name: job for job in (VALIDATING, DROPPING)}
