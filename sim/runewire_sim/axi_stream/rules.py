"""The rules of AMBA AXI4-Stream (Arm IHI 0051) and of the cores' contract, checked cycle by cycle.

A beat that waits stays as it is. Kept bytes are contiguous from lane 0, only a packet's last beat may be partial, and
unkept output lanes are zero. On a sparse output the first two hold within an element only.
"""

from collections.abc import Iterator

from .beats import StreamBeat


class StreamRules:
    """The rules of one stream.

    ``width``: bytes per beat. ``element``: bytes of an element on a sparse stream, where any beat may leave out
    elements; 0 on a dense one. ``clean``: unkept lanes must be zero.
    """

    def __init__(self, name: str, width: int, element: int = 0, clean: bool = False) -> None:
        self.name = name
        self.width = width
        self.element = element
        self.clean = clean
        self.full = (1 << width) - 1
        self._waiting: StreamBeat | None = None
        self._before: StreamBeat | None = None

    def reset(self) -> None:
        """Forget a waiting beat: a reset ends everything."""
        self._waiting = None
        self._before = None

    def observe(self, beat: StreamBeat | None, ready: bool) -> list[str]:
        """The rules that this cycle breaks; ``beat`` is None while ``valid`` is low."""
        broken = []
        if self._waiting is not None:
            if beat is None:
                broken.append(f"{self.name}: valid fell before ready")
            elif beat != self._waiting:
                broken.append(f"{self.name}: the payload changed while valid waited for ready")
        if beat is not None and ready:
            broken += [f"{self.name}: {what}" for what in (*self._shape(beat), *self._mixed(beat))]
            self._before = None if beat.last else beat
        self._waiting = None if ready else beat
        return broken

    def _mixed(self, beat: StreamBeat) -> Iterator[str]:
        if self._before is not None and (beat.id, beat.dest) != (self._before.id, self._before.dest):
            yield f"tid or tdest changed inside a packet, to {beat.id:#x} and {beat.dest:#x}"

    def _shape(self, beat: StreamBeat) -> Iterator[str]:
        if beat.keep == self.full:
            return
        if self.element:
            group = (1 << self.element) - 1
            for lane in range(0, self.width, self.element):
                if beat.keep >> lane & group not in (0, group):
                    yield f"tkeep {beat.keep:#x} splits an element"
                    break
        else:
            if beat.keep & beat.keep + 1:
                yield f"kept bytes are not contiguous from lane 0, tkeep is {beat.keep:#x}"
            if not beat.last:
                yield f"a partial beat before the last, tkeep is {beat.keep:#x}"
        if self.clean:
            data = beat.data
            for lane in range(self.width):
                if not beat.keep >> lane & 1 and data >> 8 * lane & 0xFF:
                    yield "an unkept lane is not zero"
                    break
