"""Navigation in UTF-8 without decoding. RFC 3629 section 1 lists the properties that allow it."""

from ...errors import check_bytes
from .grammar import RUN, UTF8_CHAR, UTF8_TAIL

_SEQUENCE_LENGTH = {
    lead: len(sequence)
    for rule in UTF8_CHAR
    for sequence in rule
    for lead in range(sequence[0][0], sequence[0][1] + 1)
}
_TAIL_OCTETS = bytes(range(UTF8_TAIL[0], UTF8_TAIL[1] + 1))


def sequence_length(lead: int) -> int:
    """Bytes of the sequence that starts with ``lead``: 1 to 4.

    Raises ValueError for a byte that starts no well-formed sequence: 80..C1 and F5..FF.
    """
    try:
        return _SEQUENCE_LENGTH[lead]
    except KeyError:
        raise ValueError(f"a sequence starts with 00..7F or C2..F4, got {lead:02X}") from None


def boundary(data: bytes, offset: int) -> int:
    """Where the character that contains the byte at ``offset`` starts; ``len(data)`` is a boundary too.

    Reads at most three bytes before ``offset``. In ill-formed text a maximal subpart counts as one character, as in
    `decode`. Raises IndexError for an offset outside 0..len(data).
    """
    check_bytes("data", data)
    if not 0 <= offset <= len(data):
        raise IndexError(f"offset must be from 0 to {len(data)}, the length of the text, got {offset}")
    if offset == len(data):
        return offset
    start = offset
    while start > max(0, offset - 3) and data[start] in _TAIL_OCTETS:
        start -= 1
    return start if RUN.fullmatch(data, start, offset + 1) else offset


def nth_offset(data: bytes, n: int) -> int:
    """Byte offset of character ``n``, counted from 0, of well-formed text. Only lead bytes are read.

    ``n`` may be the number of characters: the result is then ``len(data)``. Raises IndexError if there are fewer
    characters, ValueError at a byte that starts no sequence.
    """
    check_bytes("data", data)
    if n < 0:
        raise IndexError(f"characters count from 0, got {n}")
    offset = 0
    for passed in range(n):
        if offset >= len(data):
            raise IndexError(f"the text has {passed} characters, got {n}")
        offset += sequence_length(data[offset])
    return offset


def count_code_points(data: bytes) -> int:
    """Number of code points of well-formed text: every byte but the continuation bytes starts one."""
    check_bytes("data", data)
    return len(data.translate(None, _TAIL_OCTETS))
