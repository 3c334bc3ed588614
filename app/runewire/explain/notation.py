"""Input notation of `runewire explain`: a text, code points as U+20AC, or bytes as E2 82 AC, e282ac, \\xe2…"""

import os
import re
import unicodedata

from runewire_model import EncodeError, encode

from ..usage_errors import UsageFailure

CODE_POINTS = re.compile(r"\s*(?:U\+[0-9A-F]+[\s,]*)+", re.IGNORECASE)
BYTES = tuple(re.compile(rf"\s*{form}\s*", re.IGNORECASE) for form in (
    r"[0-9A-F]{2}(?:(?:\s*,\s*|\s+)[0-9A-F]{2})+",  # E2 82 AC, or E2, 82, AC
    r"(?=[A-F]*[0-9])(?:[0-9A-F]{2}){2,}",  # e282ac; letters alone are a word, as "cafe" is
    r"0x(?:[0-9A-F]{2})+(?:(?:\s*,\s*|\s+)0x(?:[0-9A-F]{2})+)*",  # 0xE282AC, or 0xE2, 0x82, 0xAC
    r"(?:\\x[0-9A-F]{2}\s*)+",  # \xe2\x82\xac
))
"""Forms of bytes in hex."""


PAIR = re.compile(r"[0-9A-F]{2}", re.IGNORECASE)
NO_WORD = re.compile(r"[0-9][A-F]|[A-F][0-9]", re.IGNORECASE)
SIGNED = (("u+", "U+20AC", re.compile(r"(?:U\+[0-9A-F]+)+", re.IGNORECASE)),
          ("0x", "0xE2", re.compile(r"0x(?:[0-9A-F]{2})+", re.IGNORECASE)),
          ("\\x", r"\xE2", re.compile(r"(?:\\x[0-9A-F]{2})+", re.IGNORECASE)))
"""Prefixes of a number in hex, each with an example and its pattern."""


LONGEST = 16
"""Digits of a number that a message shows at most."""


def read(argument: str, text: bool = False) -> bytes:
    """The bytes that ``argument`` means.

    It may be code points (``U+20AC``, one or more), bytes in a form of `BYTES`, or otherwise text; with ``text`` it is
    always text. Raises UsageFailure for code points without bytes, for bytes and code points that are partly not hex,
    and for an empty argument.
    """
    if not argument:
        raise UsageFailure("nothing to explain: give a text, U+20AC, or 'E2 82 AC'")
    if not text and CODE_POINTS.fullmatch(argument):
        scalars = [int(digits, 16) for digits in re.findall(r"U\+([0-9A-F]+)", argument, re.IGNORECASE)]
        try:
            return encode(scalars, errors="strict")
        except EncodeError as error:
            why = "a surrogate" if error.kind.name == "SURROGATE" else "above U+10FFFF"
            number = f"{error.scalar:04X}"
            shown = number if len(number) <= LONGEST else f"{number[:LONGEST]}…"
            raise UsageFailure(f"U+{shown} is {why}: UTF-8 has bytes for U+0000 to U+D7FF and U+E000 to U+10FFFF"
                               ) from error
    if not text and any(form.fullmatch(argument) for form in BYTES):
        return bytes.fromhex(re.sub(r"0x|\\x|[\s,]", "", argument, flags=re.IGNORECASE))
    if not text:
        _check(argument)
    # The shell may pass bytes that are not UTF-8; this restores them.
    return os.fsencode(argument)


def _check(argument: str) -> None:
    """Raises UsageFailure for an argument that looks like bytes or code points but has a part that is neither.

    Parts that all begin like the first, ``0xE2``, ``\\xE2`` or ``U+20AC``, are meant as such. Short parts are meant as
    bytes if most of them are, or if one cannot be a word, for example ``E2``.
    """
    parts = re.split(r"[\s,]+", argument.strip())
    for sign, such, form in SIGNED:
        if parts[0].lower().startswith(sign) and parts[0].lower() != "u+":
            wrong = next((part for part in parts if not form.fullmatch(part)), argument)
            what = "code point" if sign == "u+" else "byte"
            raise UsageFailure(f"{wrong!r} is no {what} in hex, such as {such}; for a text add --text")
    pairs = [part for part in parts if PAIR.fullmatch(part)]
    others = [part for part in parts if not PAIR.fullmatch(part)]
    meant = len(pairs) > len(others) or (len(pairs) == len(others) and any(map(NO_WORD.fullmatch, pairs)))
    if others and meant and max(map(len, others)) <= 3:
        raise UsageFailure(f"{others[0]!r} is no byte in hex, such as E2; for a text add --text")


def title(scalar: int) -> str:
    """A code point in words: its number, the character if it is printable, its name."""
    character = chr(scalar)
    shown = f"◌{character}" if unicodedata.combining(character) else character
    parts = [f"U+{scalar:04X}"]
    if character.isprintable():
        parts.append(shown)
    parts.append(name(scalar))
    return "  ".join(part for part in parts if part)


def name(scalar: int) -> str:
    """The name of a code point, or its category; empty for a surrogate."""
    character = chr(scalar)
    return unicodedata.name(character, CATEGORIES.get(unicodedata.category(character), ""))


CATEGORIES = {"Cc": "control character", "Co": "private use", "Cn": "not assigned"}
"""Names for code points without a name, by general category."""
