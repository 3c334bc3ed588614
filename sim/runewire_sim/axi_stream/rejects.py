"""The stream of a filter's rejected records, as a simulation sees it."""

from collections.abc import Iterator

from runewire_model import TranscoderParameters

from ..results import RejectedRecord
from .beats import StreamBeat, kept_bytes
from .rules import StreamRules


class RejectReader:
    """Checks the beats of the stream, and collects each record."""

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._width = parameters.output_bytes
        self._rules = StreamRules("m_rejects", self._width, clean=True)
        self._record = bytearray()
        self._waits = 0
        self.inside = False
        """Whether a record is on its way out."""

    def reset(self) -> None:
        """A reset: no record inside ever leaves."""
        self._rules.reset()
        self._record.clear()
        self._waits = 0
        self.inside = False

    def observe(self, beat: StreamBeat | None, ready: bool) -> Iterator[str]:
        """A cycle's beat, None while ``valid`` is low; yields the rules that it breaks."""
        yield from self._rules.observe(beat, ready)
        self.inside = beat is not None or bool(self._record)
        if beat is None or not ready:
            self._waits += beat is not None
            return
        if not beat.keep:
            yield "m_rejects: a beat without a byte"
        if beat.user and not beat.last:
            yield "m_rejects: tuser is not zero before the last beat"

    def take(self, beat: StreamBeat) -> RejectedRecord | None:
        """A beat's handshake; the record that ends with it."""
        self._record += kept_bytes(beat, self._width)
        self.inside = not beat.last
        if not beat.last:
            return None
        data = bytes(self._record)
        self._record.clear()
        waits, self._waits = self._waits, 0
        return RejectedRecord(data, beat.user, beat.id, beat.dest, waits)
