"""Packets as lines in hex, and segments of flows as ``FLOW:HEX+``."""

from collections.abc import Iterator

from runewire_sim.segments import Segment

from .usage_errors import UsageFailure


class HexPackets:
    """The packets of a text with one packet a line, in hex; an empty line is an empty packet.

    With ``flows`` a packet is a segment, ``FLOW:HEX``, or ``FLOW:HEX+`` if its text continues. One flow needs no
    number.
    Iteration raises UsageFailure at any other line. ``name``: for messages.
    """

    def __init__(self, text: memoryview, name: str, flows: int | None = None) -> None:
        self._text = text
        self._name = name
        self._flows = flows

    def __iter__(self) -> Iterator[bytes]:
        for number, line in enumerate(_lines(self._text), 1):
            try:
                yield _packet(line) if self._flows is None else _segment(line, self._flows)
            except UsageFailure as error:
                raise UsageFailure(f"{self._name}:{number}: {error}") from None


def _packet(line: bytes) -> bytes:
    """The bytes of a line in hex."""
    if b":" in line or line.rstrip().endswith(b"+"):
        raise UsageFailure(f"a segment needs a core with --flows, got {line.decode(errors='replace').strip()!r}")
    return _bytes(line)


def _bytes(line: bytes) -> bytes:
    try:
        return bytes.fromhex(line.decode("ascii"))
    except ValueError:
        raise UsageFailure(_not_hex(line)) from None


def _segment(line: bytes, flows: int) -> Segment:
    """The segment of a line ``FLOW:HEX`` or ``FLOW:HEX+``."""
    number, colon, rest = line.strip().rpartition(b":")
    if not colon and flows > 1:
        said = rest.decode(errors="replace")
        raise UsageFailure(f"--flows {flows} needs the flow before the bytes, such as 0:{said}")
    if colon and not number.isdigit():
        raise UsageFailure(f"a flow is a number, got {number.decode(errors='replace')!r}")
    flow = int(number or b"0")
    if flow >= flows:
        raise UsageFailure(f"the flow must be below {flows}, as --flows is {flows}, got {flow}")
    return Segment(_bytes(rest.removesuffix(b"+")), flow, rest.endswith(b"+"))


def _lines(text: memoryview) -> Iterator[bytes]:
    carry = b""
    for start in range(0, len(text), 1 << 20):
        lines = (carry + bytes(text[start : start + (1 << 20)])).split(b"\n")
        carry = lines.pop()
        yield from lines
    if carry:
        yield carry


def _not_hex(line: bytes) -> str:
    digits = b"".join(line.split())
    for character in digits:
        if chr(character) not in "0123456789abcdefABCDEF":
            return f"{chr(character)!r} is no hex digit"
    if len(digits) % 2:
        return f"an odd number of hex digits, {len(digits)}"
    return "a space splits a byte"
