"""The source of an AXI4-Stream: offers beats in order, each until its handshake."""

from collections.abc import Callable

from .beats import StreamBeat


class StreamSource:
    """The source; ``fetch`` gives the next beat, None if there is none at present."""

    def __init__(self, fetch: Callable[[], StreamBeat | None]) -> None:
        self._fetch = fetch
        self._next: StreamBeat | None = None
        self._offered: StreamBeat | None = None

    def more(self) -> bool:
        """Whether a beat is offered or to come."""
        if self._offered is None and self._next is None:
            self._next = self._fetch()
        return self._offered is not None or self._next is not None

    def offer(self, paused: bool) -> StreamBeat | None:
        """The beat to offer in this cycle; None where there is none, or the source is ``paused`` before a new one."""
        if self._offered is None and self.more() and not paused:
            self._offered, self._next = self._next, None
        return self._offered

    def handshake(self) -> StreamBeat:
        """The offered beat moves in this cycle."""
        beat = self._offered
        assert beat is not None
        self._offered = None
        return beat
