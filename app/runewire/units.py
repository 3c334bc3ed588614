"""Numbers with units, as users write them."""

import re

from runewire_model import ParameterError
from runewire_model.errors import Named

_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def number_of_bytes(text: str) -> int:
    """A size, for example 1500, 64K or 1M; K is 1024 and M is 1024². Raises ParameterError."""
    match = re.fullmatch(r"(\d+)([KMG]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise ParameterError(Named("size"), f" must be a number of bytes such as 1500, 64K or 1M, got {text!r}")
    return int(match[1]) * _BINARY[match[2].upper()]


def bits_per_second(text: str) -> float:
    """A line rate, for example 100G, 2.5 Gbit/s, 400M or 9600bit/s; K to T are powers of 1000.

    Raises ParameterError, also for a number without a unit.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kKMGT]?)(b(?:it)?(?:/s|ps)?)?", text.strip())
    if not match or float(match[1]) == 0:
        raise ParameterError(Named("rate"), f" must be bits a second such as 100G, 2.5G or 400M, got {text!r}")
    if not (match[2] or match[3]):
        raise ParameterError(Named("rate"), f" needs a unit, got {text!r}: write {match[1]}G for Gbit/s, {match[1]}M "
                             f"for Mbit/s, {match[1]}bit/s for bits a second")
    return float(match[1]) * _DECIMAL[match[2].upper()]


def duration(text: str) -> float:
    """A time in seconds, for example 8h, 1h30m, 45m or 90s. Raises ParameterError, also for a number without a unit."""
    parts = re.findall(r"(\d+(?:\.\d+)?)([hms])", text)
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not seconds or not re.fullmatch(r"\s*(\d+(\.\d+)?[hms])+\s*", text):
        raise ParameterError(f"a time must have a unit, such as 8h, 1h30m or 45m, got {text!r}")
    return seconds


def packet_sizes(text: str, name: str = "packet_size") -> range:
    """Sizes in bytes, at least 1, for example 64..1500 or 1500. Raises ParameterError, which names the option."""
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text.strip())
    sizes = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
    if not sizes or sizes.start < 1:
        raise ParameterError(Named(name), f" must be bytes such as 64..1500 or 1500, from 1 up, got {text!r}")
    return sizes
