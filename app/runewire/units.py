"""Numbers with units, as a user writes them."""

import re

from runewire_model import ParameterError

_DECIMAL = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def number_of_bytes(text: str) -> int:
    """A size such as 1500, 64K or 1M, K and M being 1024 and 1024². Raises ParameterError."""
    match = re.fullmatch(r"(\d+)([KMG]?)i?B?", text.strip(), re.IGNORECASE)
    if not match:
        raise ParameterError(f"a size is a number of bytes such as 1500, 64K or 1M, got {text!r}")
    return int(match[1]) * _BINARY[match[2].upper()]


def bits_per_second(text: str) -> float:
    """A line rate such as 100G, 2.5Gbit/s or 400M; K to T are powers of 1000. Raises ParameterError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([kKMGT]?)(?:b(?:it)?(?:/s|ps)?)?", text.strip())
    if not match or float(match[1]) == 0:
        raise ParameterError(f"a rate is bits a second such as 100G, 2.5G or 400M, got {text!r}")
    return float(match[1]) * _DECIMAL[match[2].upper()]


def packet_sizes(text: str) -> range:
    """Packet sizes such as 64..1500 or 1500, in bytes and at least 1. Raises ParameterError."""
    match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", text.strip())
    sizes = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
    if not sizes or sizes.start < 1:
        raise ParameterError(f"packet sizes are bytes such as 64..1500 or 1500, from 1 up, got {text!r}")
    return sizes
