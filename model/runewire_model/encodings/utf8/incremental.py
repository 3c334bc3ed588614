"""Incremental UTF-8 decoder: a packet arrives in parts."""

from ...errors import DecodeError, FirstError, check_bytes, check_choice
from .decoder import decode, maximal_subpart
from .grammar import BROKEN_OFF_AT_END
from .validator import announced_length, error_kind, is_continuation, well_formed_length


class IncrementalDecoder:
    """Decodes a packet part by part. Scalars and first error do not depend on where the packet is cut.

    Scalars are returned as early as possible: only a sequence that may still become well-formed is held back. The first
    error is reported once its kind is certain, up to three bytes later. After ``C0`` one U+FFFD is certain; whether the
    kind is TOO_SHORT or OVERLONG depends on the next byte.

    ``errors`` and ``bom``: as for `decode`. With "strict", `DecodeError` is raised as soon as the kind is certain, and
    ends the packet. Raises `ParameterError` for other values.
    """

    def __init__(self, errors: str = "replace", bom: str = "keep") -> None:
        check_choice("errors", errors, ("replace", "drop", "strict"))
        check_choice("bom", bom, ("keep", "strip"))
        self._errors = errors
        self._bom = bom
        self.reset()

    def reset(self) -> None:
        """Start a new packet; bytes held back from the old one are discarded."""
        self._held = b""
        self._bom_due = self._bom
        self._unjudged = b""
        self._judged = 0
        self._first_error: FirstError | None = None
        self._ended = False

    @property
    def first_error(self) -> FirstError | None:
        """The packet's first error, if one was found so far; its offset counts from the packet's first byte."""
        return self._first_error

    def decode(self, data: bytes, final: bool = False) -> list[int]:
        """The scalars that ``data``, the packet's next part, completes. ``final``: the packet ends with ``data``.

        Raises `DecodeError` with "strict", ValueError if the packet has ended and `reset` was not called, TypeError
        unless ``data`` is bytes.
        """
        check_bytes("data", data)
        if self._ended:
            raise ValueError("the packet has ended: call reset() before the next one")
        self._ended = final
        self._judge(data, final)

        window = self._held + data
        broken_off = None if final else BROKEN_OFF_AT_END.search(window, max(0, len(window) - 3))
        end = len(window) if broken_off is None else broken_off.start()
        self._held = window[end:]
        # With "strict" the window ends before an error whose kind is not certain yet, and the next part raises.
        errors = "drop" if self._errors == "strict" else self._errors
        scalars = decode(window[:end], errors, self._bom_due)
        if end > 0:
            self._bom_due = "keep"
        return scalars

    def _judge(self, data: bytes, final: bool) -> None:
        """Look for the first error. Bytes whose error kind depends on later bytes are held back."""
        if self._first_error is not None:
            return
        window = self._unjudged + data
        start = well_formed_length(window)
        self._judged += start
        self._unjudged = window[start:]
        if not self._unjudged or (not final and structure_open(self._unjudged)):
            return
        self._first_error = FirstError(error_kind(self._unjudged, 0), self._judged)
        if self._errors == "strict":
            self._ended = True
            raise DecodeError(self._first_error.kind, self._first_error.offset,
                              maximal_subpart(self._unjudged, 0))


def structure_open(data: bytes) -> bool:
    """Whether ``data`` ends before the sequence that its first byte announces."""
    return len(data) < announced_length(data[0]) and all(map(is_continuation, data[1:]))
