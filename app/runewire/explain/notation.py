"""What `runewire explain` is asked about: a text, code points as U+20AC, or bytes as E2 82 AC, e282ac, \\xe2…"""

import os
import re
import unicodedata

from runewire_model import EncodeError, encode

from ..failure import UsageFailure

CODE_POINTS = re.compile(r"\s*(?:U\+[0-9A-F]+\s*)+", re.IGNORECASE)
BYTES = tuple(re.compile(rf"\s*{form}\s*", re.IGNORECASE) for form in (
    r"[0-9A-F]{2}(?:\s+[0-9A-F]{2})+",  # E2 82 AC
    r"(?=[A-F]*[0-9])(?:[0-9A-F]{2}){2,}",  # e282ac; letters alone are a word, as "cafe" is
    r"0x(?:[0-9A-F]{2})+(?:(?:\s*,\s*|\s+)0x(?:[0-9A-F]{2})+)*",  # 0xE282AC, or 0xE2, 0x82, 0xAC
    r"(?:\\x[0-9A-F]{2}\s*)+",  # \xe2\x82\xac
))
"""What stands for bytes in hex."""


LONGEST = 16
"""Digits of a number that a message shows."""


def read(argument: str, text: bool = False) -> bytes:
    """The bytes that ``argument`` stands for.

    Code points (``U+20AC``, one or more), bytes in hex as in `BYTES`, anything else is text; with ``text`` all of it
    is. Raises UsageFailure for code points that have no bytes, and for nothing at all.
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
    # The shell may pass bytes that are no UTF-8; this is how to get them back.
    return os.fsencode(argument)


def title(scalar: int) -> str:
    """A code point in words: number, the character when it can be shown, name."""
    character = chr(scalar)
    shown = f"◌{character}" if unicodedata.combining(character) else character
    parts = [f"U+{scalar:04X}"]
    if character.isprintable():
        parts.append(shown)
    parts.append(unicodedata.name(character, CATEGORIES.get(unicodedata.category(character), "")))
    return "  ".join(part for part in parts if part)


CATEGORIES = {"Cc": "control character", "Co": "private use", "Cn": "not assigned"}
"""What to call code points without a name, by general category."""
