"""What `runewire explain` is asked about: a text, code points as U+20AC, or bytes as E2 82 AC."""

import os
import re
import unicodedata

from runewire_model import EncodeError, encode

from ..failure import UsageFailure

CODE_POINTS = re.compile(r"\s*(?:U\+[0-9A-F]{1,8}\s*)+", re.IGNORECASE)
SPACED_BYTES = re.compile(r"\s*[0-9A-F]{2}(?:\s+[0-9A-F]{2})+\s*", re.IGNORECASE)
PREFIXED_BYTES = re.compile(r"\s*0x((?:[0-9A-F]{2})+)\s*", re.IGNORECASE)


def read(argument: str, text: bool = False) -> bytes:
    """The bytes that ``argument`` stands for.

    Code points (``U+20AC``, one or more), bytes in hex (``E2 82 AC``, or ``0xE282AC``), anything else is text;
    with ``text`` all of it is. Raises UsageFailure for code points that have no bytes, and for nothing at all.
    """
    if not argument:
        raise UsageFailure("nothing to explain: give a text, U+20AC, or 'E2 82 AC'")
    if not text and CODE_POINTS.fullmatch(argument):
        scalars = [int(digits, 16) for digits in re.findall(r"U\+([0-9A-F]+)", argument, re.IGNORECASE)]
        try:
            return encode(scalars, errors="strict")
        except EncodeError as error:
            why = "a surrogate" if error.kind.name == "SURROGATE" else "above U+10FFFF"
            raise UsageFailure(f"U+{error.scalar:04X} is {why}: no bytes in UTF-8 stand for it") from error
    if not text and SPACED_BYTES.fullmatch(argument):
        return bytes.fromhex(argument)
    if not text and (match := PREFIXED_BYTES.fullmatch(argument)):
        return bytes.fromhex(match[1])
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
