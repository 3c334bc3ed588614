"""The cycle model: when each beat enters a core and when each leaves it, exact to the cycle.

A cycle is a rising edge of the clock out of reset, counted from 0 at the first. A core takes a beat per cycle
as long as the output is not stalled, whatever the bytes are. So there is a closed form, for any packets that
follow each other without a pause:

    cycles = input beats + latency

from the first input transfer to the last output transfer, both counted. A packet of n bytes has
max(1, ceil(n / input bytes per beat)) beats; `latency` is a constant of the core. Where a byte order mark is added
(``bom="add"``), a cycle without a transfer comes before each packet but the first. `beats` and `cycles` compute
it from lengths alone. For pauses on either side, and for each single beat, `timeline` steps through the cycles.

How a core keeps time, and thus what `timeline` does:

- *Credits.* A beat is taken while more than two of the output buffer's rows are free, as known three cycles
  before. Where the core looks ahead, a beat then waits for as many beats of its packet after it as the core asks for,
  or for the packet's last, which waits for none.
- *Marks.* Where one is added, a beat of it alone goes before each packet's first beat. It enters in a cycle in which
  the packet is offered and is not yet taken, against a credit of its own.
- *Rows.* The beat runs through a pipeline of fixed length and adds rows to the buffer. In place,
  each beat makes one. Dense, a beat makes one when it fills it, a cycle late as long as all beats of the
  packet have filled one; a packet's last row always comes a cycle late. A beat that fills none returns its
  credit, but for the packet's first such one, whose credit stands for the row under way.
- *Reading.* A row can be read some cycles after it was pushed. One row is shown at the output and one more is
  coming, read from the buffer: another is read when one of the two leaves.

How long each of these takes in a core is its `Timing`, which the hardware hands over (`runewire_rtl.timing`). What a
beat does follows from the packet alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .errors import ParameterError
from .transcoder import TranscoderParameters

__all__ = [
    "AnyTiming", "CompactTiming", "PacketCycles", "Pauses", "Timeline", "Timing", "Transfers", "beats", "cycles",
    "most_waits", "never", "timeline",
]

Pauses = Callable[[int], bool]
"""Whether a side pauses in a cycle: the source offers no new beat, the sink is not ready."""

READ = 5
"""Cycles from a push to the reading of the row."""
OUTPUT = READ + 2
"""Cycles from a push to the row's offer."""
CREDIT_LOOP = 3
"""Cycles from a transfer, a read or a return of a credit until the credits show it."""


class Timing(NamedTuple):
    """What the model is told of one core's hardware, in cycles but for ``depth`` and ``lookahead``.

    ``entry``: from a transfer to the start of the pipeline, when nothing is waited for.
    ``decide``: from there until it is known which rows a beat fills, when a credit is returned.
    ``push``: from there until a row of the beat is pushed, when it is pushed at once.
    ``late``: 1 if a packet's last row is pushed a cycle later (dense), else 0.
    ``depth``: rows of the output buffer, and credits.
    ``lookahead``: for how many beats of its packet after it a beat waits, unless the last comes sooner.
    """

    entry: int
    decide: int
    push: int
    late: int
    depth: int
    lookahead: int

    @property
    def latency(self) -> int:
        """From the transfer of a packet's last input beat to the offer of its last output beat."""
        return self.entry + self.push + self.late + OUTPUT


class CompactTiming(NamedTuple):
    """What the model is told of one compact core, in cycles in which nothing waits.

    ``lookahead``: for how many beats of its packet after it a beat waits, unless the last comes sooner.
    ``registers``: from there to the output.
    """

    lookahead: int
    registers: int

    @property
    def latency(self) -> int:
        """From the transfer of a packet's last input beat to the offer of its last output beat, or if that beat makes
        two, of the first of them."""
        return self.lookahead + self.registers


AnyTiming = Timing | CompactTiming


def beats(parameters: TranscoderParameters, lengths: Iterable[int]) -> int:
    """Input beats of packets of these lengths, in bytes of the core's input.

    An empty packet takes a beat. A million packets take some hundredths of a second.
    """
    width = parameters.input_bytes
    return sum(count * max(1, -(-length // width)) for length, count in Counter(lengths).items())


def most_waits(parameters: TranscoderParameters, lengths: Iterable[int]) -> int:
    """Cycles in which the input of a compact core waits at most for the second row of packets' last beats, with packets
    of these lengths. 0 for other cores."""
    if parameters.pipeline != "compact" or parameters.in_place or parameters.lanes * parameters.slots == 1:
        return 0
    width = parameters.input_bytes
    return sum(count for length, count in Counter(lengths).items() if length > width or parameters.mark)


def cycles(parameters: TranscoderParameters, lengths: Iterable[int], time: AnyTiming) -> int:
    """Cycles from the first input transfer to the last output transfer, both counted; neither side pauses.

    ``lengths`` as for `beats`. 0 without packets. Raises `ParameterError` where it depends on the packets' bytes.
    """
    sizes = [*lengths]
    if most_waits(parameters, sizes):
        raise ParameterError(
            f"how long packets take depends on their bytes for this {parameters.core}, got only their lengths")
    marks = len(sizes) - 1 if parameters.mark else 0
    return beats(parameters, sizes) + marks + time.latency if sizes else 0


class _Beat(NamedTuple):
    """What an input beat does. ``last``: it is its packet's last. ``rows``: for each row that it completes, how
    many cycles late the row is pushed, 0 or 1. ``returns``: its credit is returned. ``mark``: it is a mark that the
    core adds, and no beat of the input."""

    last: bool
    rows: tuple[int, ...]
    returns: bool
    mark: bool = False


def _in_place(count: int) -> Iterator[_Beat]:
    """The beats of a packet of ``count`` beats, a row each."""
    for left in range(count - 1, -1, -1):
        yield _Beat(left == 0, (0,), returns=False)


def _packed(items: list[int], lanes: int) -> Iterator[_Beat]:
    """The beats of a packet that have so many ``items`` each, packed into rows of ``lanes``."""
    under_way = 0
    all_full = True
    for left, count in zip(range(len(items) - 1, -1, -1), items, strict=True):
        last = left == 0
        under_way += count
        # A last beat that just fills the row ends one row, not two.
        fills = under_way > lanes if last else under_way >= lanes
        under_way %= lanes
        full = (int(all_full),) if fills else ()
        yield _Beat(last, (*full, 1) if last else full, returns=not all_full and not fills)
        all_full = all_full and fills


def _packet(parameters: TranscoderParameters, packet: bytes | int) -> Iterator[_Beat]:
    """The beats of a packet, a mark that is added first."""
    beats = _text(parameters, packet)
    if parameters.mark:
        yield next(beats)._replace(mark=True)
    yield from beats


def _text(parameters: TranscoderParameters, packet: bytes | int) -> Iterator[_Beat]:
    """The beats of a packet, or of one of that many bytes where the bytes do not matter."""
    if parameters.in_place:
        return _in_place(max(1, -(-_size(packet) // parameters.input_bytes)) + bool(parameters.mark))
    if isinstance(packet, int):
        raise ParameterError(
            f"when rows fill depends on the bytes of a packet for this {parameters.core}, got only a length")
    return _packed(_units_made(parameters, packet), parameters.lanes * parameters.slots)


def _size(packet: bytes | int) -> int:
    return packet if isinstance(packet, int) else len(packet)


def _units_made(parameters: TranscoderParameters, packet: bytes) -> list[int]:
    """Units of the target that each beat makes, that of a mark first."""
    made, lanes = parameters.made(packet), parameters.lanes
    marks = [parameters.mark_units] if parameters.mark else []
    return marks + [sum(made[start : start + lanes]) for start in range(0, max(len(made), 1), lanes)]


class PacketCycles(NamedTuple):
    """The cycles of a packet's first and last transfers, in and out."""

    first_in: int
    last_in: int
    first_out: int
    last_out: int


@dataclass(frozen=True)
class Transfers:
    """The beats of one stream: the cycle in which each is first offered, and the one in which it is taken."""

    offered: list[int]
    taken: list[int]

    @property
    def waits(self) -> list[range]:
        """Cycles in which a beat was offered and not taken: the core's doing on the input, else the sink's."""
        return [range(*pair) for pair in zip(self.offered, self.taken, strict=True) if pair[0] < pair[1]]

    @property
    def gaps(self) -> list[range]:
        """Cycles between two beats in which none was offered: the source's doing on the input, else the core's."""
        pairs = zip(self.taken, self.offered[1:], strict=False)
        return [range(before + 1, after) for before, after in pairs if before + 1 < after]


@dataclass(frozen=True)
class Timeline:
    """Every beat of a run of packets, and the stamps of each packet."""

    input: Transfers
    output: Transfers
    packets: list[PacketCycles]
    bytes: int
    """Input bytes of all packets."""

    @property
    def cycles(self) -> int:
        """From the first input transfer to the last output transfer, both counted; 0 without packets."""
        return self.output.taken[-1] - self.input.taken[0] + 1 if self.packets else 0

    @property
    def bytes_per_cycle(self) -> float:
        """Input bytes per cycle, over those cycles."""
        return self.bytes / self.cycles if self.packets else 0.0


def never(cycle: int) -> bool:
    """No pauses."""
    return False


def timeline(
    parameters: TranscoderParameters,
    packets: Iterable[bytes | int],
    time: AnyTiming,
    source: Pauses = never,
    sink: Pauses = never,
) -> Timeline:
    """Every beat's cycles, for packets that are sent as soon as the core and the pauses allow.

    ``packets``: each packet's input bytes; where units stay in place its length will do. ``time``: the core's.
    ``source``, ``sink``: their pauses, from cycle 0, the first out of reset; a sink that pauses for ever is
    waited for for ever. A beat once offered stays so until it is taken. A million cycles take a few seconds.
    Raises `ParameterError` for a length where the bytes are needed.
    """
    given = list(packets)
    beats = [beat for packet in given for beat in _packet(parameters, packet)]
    rows = [beat.last and delay == beat.rows[-1] for beat in beats for delay in beat.rows]
    core = _Together(beats, time, source, sink) if isinstance(time, CompactTiming) else _Free(beats, time, source, sink)
    cycle = 0
    while len(core.output.taken) < len(rows):
        core.step(cycle)
        cycle += 1

    into = _packets(core.input.taken, [beat.last for beat in beats if not beat.mark])
    out = _packets(core.output.taken, rows)
    stamps = [PacketCycles(*first, *last) for first, last in zip(into, out, strict=True)]
    return Timeline(core.input, core.output, stamps, sum(map(_size, given)))


class _Together:
    """A compact core: its registers wait while the output does, and for a cycle in which the second of two rows goes
    there.

    Beats start down the pipeline at times of its own, which are the cycles in which it does not wait.
    """

    def __init__(self, beats: Iterable[_Beat], time: CompactTiming, source: Pauses, sink: Pauses) -> None:
        self.input, self.output = Transfers([], []), Transfers([], [])
        self._time = time
        self._source, self._sink = source, sink
        self._todo = iter(beats)
        self._next = next(self._todo, None)
        self._offered = False
        self._skid: _Beat | None = None
        self._held: deque[_Beat] = deque()
        self._starts: dict[int, _Beat] = {}
        self._now = 0
        self._shown = self._rest = False

    def step(self, cycle: int) -> None:
        ready = not self._sink(cycle)
        if self._shown and ready:
            self.output.taken.append(cycle)
        self._offer(cycle)
        passed = self._skid or self._take(cycle)
        self._skid = None
        if self._shown and not ready:
            self._skid = passed
            return
        if self._rest:
            self._skid = passed
            rows, self._rest = 1, False
        else:
            rows = self._move(passed)
            self._rest = rows == 2
        self._shown = rows > 0
        if self._shown:
            self.output.offered.append(cycle + 1)

    def _offer(self, cycle: int) -> None:
        if self._next is not None and not self._offered and not self._source(cycle):
            self._offered = True
            self.input.offered.append(cycle)

    def _take(self, cycle: int) -> _Beat | None:
        """The beat that is taken in this cycle, or that of a mark, for which what is offered waits."""
        beat = self._next
        if beat is None or not self._offered:
            return None
        self._next = next(self._todo, None)
        if not beat.mark:
            self.input.taken.append(cycle)
            self._offered = False
        return beat

    def _move(self, passed: _Beat | None) -> int:
        """The pipeline takes what is passed on, and goes on by one: how many rows it ends."""
        held, lookahead = self._held, self._time.lookahead
        if passed is not None:
            held.append(passed)
            while held and (passed.last or len(held) > lookahead):
                start = self._now + lookahead - (len(held) - 1)
                self._starts[start] = held.popleft()
        beat = self._starts.pop(self._now - self._time.registers + 1, None)
        self._now += 1
        return 0 if beat is None else len(beat.rows)


class _Free:
    """A core in which nothing waits but beats at the input, for credits, and rows in the buffer."""

    def __init__(self, beats: Iterable[_Beat], time: Timing, source: Pauses, sink: Pauses) -> None:
        way = _Way(time)
        self._entering, self._leaving = _Entering(beats, way, source), _Leaving(way, sink)
        self.input, self.output = self._entering.beats, self._leaving.rows

    def step(self, cycle: int) -> None:
        self._entering.step(cycle)
        self._leaving.step(cycle)


class _Way:
    """What is between the two sides of a core: beats in the pipeline, and credits on their way back.

    ``pushes``: the cycles in which rows are pushed, in order. ``credits``: by the cycle in which the input sees it, how
    much the number of credits changes.
    """

    def __init__(self, time: Timing) -> None:
        self.time = time
        self.pushes: deque[int] = deque()
        self.credits = defaultdict[int, int](int)

    def start(self, beat: _Beat, cycle: int) -> None:
        """The beat enters the pipeline."""
        self.pushes.extend(cycle + self.time.push + delay for delay in beat.rows)
        if beat.returns:
            self.credits[cycle + self.time.decide + CREDIT_LOOP] += 1


class _Entering:
    """The input side: beats are offered, taken against credits, and held until the core need not look ahead."""

    def __init__(self, beats: Iterable[_Beat], way: _Way, source: Pauses) -> None:
        self.beats = Transfers([], [])
        self._way = way
        self._source = source
        self._todo = iter(beats)
        self._next = next(self._todo, None)
        self._offered = False
        self._held: deque[_Beat] = deque()
        self._credit = way.time.depth

    def step(self, cycle: int) -> None:
        way, beat = self._way, self._next
        self._credit += way.credits.pop(cycle, 0)
        if beat is None:
            return
        if not self._offered and not self._source(cycle):
            self._offered = True
            self.beats.offered.append(cycle)
        if self._offered and self._credit >= CREDIT_LOOP:
            way.credits[cycle + CREDIT_LOOP] -= 1
            self._enter(beat, cycle + way.time.entry)
            self._next = next(self._todo, None)
            # What is offered waits while its packet's mark goes before it.
            if not beat.mark:
                self.beats.taken.append(cycle)
                self._offered = False

    def _enter(self, beat: _Beat, cycle: int) -> None:
        """The beat waits for those after it. One that waited for this beat starts down the pipeline, or all do."""
        held, lookahead = self._held, self._way.time.lookahead
        held.append(beat)
        while held and (beat.last or len(held) > lookahead):
            wait = len(held) - 1
            self._way.start(held.popleft(), cycle - wait)


class _Leaving:
    """The output side: rows become readable, are fetched, shown, and taken. One row is fetched and one is shown."""

    def __init__(self, way: _Way, sink: Pauses) -> None:
        self.rows = Transfers([], [])
        self._way = way
        self._sink = sink
        self._readable = 0
        self._fetched = self._shown = False

    def step(self, cycle: int) -> None:
        rows, pushes = self.rows, self._way.pushes
        fetched, shown = self._fetched, self._shown
        ready = not self._sink(cycle)
        if shown and ready:
            rows.taken.append(cycle)
        if fetched and (ready or not shown):
            rows.offered.append(cycle + 1)
        if pushes and pushes[0] + READ <= cycle:
            pushes.popleft()
            self._readable += 1
        stalled = shown and fetched and not ready
        reads = self._readable > 0 and not stalled
        if reads:
            self._way.credits[cycle + CREDIT_LOOP] += 1
            self._readable -= 1
        self._shown, self._fetched = fetched or (shown and not ready), reads or stalled


def _packets(taken: list[int], last: list[bool]) -> Iterator[tuple[int, int]]:
    """The first and last cycle of each packet."""
    first: int | None = None
    for cycle, end in zip(taken, last, strict=True):
        first = cycle if first is None else first
        if end:
            yield first, cycle
            first = None
