"""Encodings in which U+0000 is ill-formed: text that must not end a C string, nor fail in a database.

UTF-8 with the packet ``61 00 62``:

    errors="replace"    61 FFFD 62
    errors="drop"       61 62
    first error         NUL at offset 1

PostgreSQL's ``text`` and XML 1.0 have no U+0000 either.
"""

from dataclasses import replace
from typing import ClassVar

from ..errors import ErrorKind, FirstError
from ..scalars import REPLACEMENT
from .base import Encoding


class WithoutNul(Encoding):
    """An encoding without U+0000. One unit with the value 0 is an ill-formed subpart, NUL.

    It continues no sequence, so it cuts a sequence short as any other ASCII character does.
    """

    plain: ClassVar[Encoding]
    """The encoding with U+0000."""

    def decode(self, data: bytes, errors: str = "replace", bom: str = "keep") -> list[int]:
        scalars = self.plain.decode(data, errors, bom)
        if errors == "drop":
            return [scalar for scalar in scalars if scalar]
        return [scalar or REPLACEMENT for scalar in scalars]

    def first_error(self, data: bytes) -> FirstError | None:
        error = self.plain.first_error(data)
        scalars = self.plain.decode(data if error is None else data[: error.offset * self.unit_bytes])
        if 0 not in scalars:
            return error
        return FirstError(ErrorKind.NUL, self.units(len(self.encode(scalars[: scalars.index(0)]))))

    def error_end(self, data: bytes, error: FirstError) -> int:
        return error.offset if error.kind is ErrorKind.NUL else self.plain.error_end(data, error)

    def ends(self, data: bytes, errors: str = "replace", bom: str = "keep") -> bytes:
        ends = self.plain.ends(data, errors, bom)
        if errors == "replace":
            return ends
        scalars = iter(self.plain.decode(data, errors, bom))
        return bytes(end and next(scalars) != 0 for end in ends)


def without_nul(plain: Encoding) -> Encoding:
    """The encoding without U+0000."""
    kind, nul = type(plain), bytes(plain.unit_bytes)
    rules = []
    for rule in plain.rules:
        if rule.classes and rule.classes[0].start == 0:
            rules += [replace(rule, classes=(range(1, rule.classes[0].stop),)),
                      replace(rule, name="0 (nul)", classes=(range(1),), fault="nul")]
        else:
            rules.append(rule)
    made = type(f"{kind.__name__}WithoutNul", (WithoutNul, kind), {
        "plain": plain, "rules": tuple(rules), "wrong": (*plain.wrong, nul)})
    found: Encoding = made()
    return found
