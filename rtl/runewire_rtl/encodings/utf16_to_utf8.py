"""UTF-16 to UTF-8, fused: three slots a unit. Each surrogate of a pair has two of the pair's four bytes in its lane.

The packet ``D83D DE00 20AC 0041`` is U+1F600, U+20AC and U+0041:

    lane      0         1         2         3
    unit      D83D      DE00      20AC      0041
    slot 1    -         -         E2        -
    slot 2    F0        98        82        -
    slot 3    9F        80        AC        41

The first two bytes depend on the high surrogate alone. One unit of lookahead shows that the low one completes them.
Slots are a power of two, so there is a slot 0 too, which is never used.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Value
from runewire_model import TranscoderParameters

from ..input.input_stage import InputStage
from ..pipeline import Lanes, stage
from ..pipeline.gates import chosen, replaced
from .base import FrontEnd, Units, one_a_run
from .utf8.sequences import REPLACEMENT_BYTES
from .utf16 import Judged, Utf16Front, one_more

_, FIRST, SECOND, LAST = REPLACEMENT_BYTES


def utf16_to_utf8(front: FrontEnd, keep: Lanes, parameters: TranscoderParameters) -> Units:
    """The bytes of the units that ``keep`` marks."""
    assert isinstance(front, Utf16Front)
    judged = front.judged(strip=parameters.bom != "keep")
    return _sequences(front.units, keep, judged, _leads(judged), drop=parameters.errors == "drop",
                      runs=front.entry if parameters.replace_runs else None)


@stage("verdicts")
def _leads(judged: Judged) -> Lanes:
    """Whether each unit is the first of two."""
    return Lanes.map("leads", lambda high, low: high & low, judged.high, judged.low.ahead())


@stage("sequences")
def _sequences(units: Lanes, keep: Lanes, judged: Judged, leads: Lanes, *, drop: bool,
               runs: InputStage | None = None) -> Units:
    """The bytes of each unit, in its lane's last slots: a sequence of three or fewer, or a half of one of four."""
    high, low, pair, cut = judged.high, judged.low, judged.pair, judged.cut
    # Units without bytes: those that are dropped, or a high surrogate before an incomplete unit, whose U+FFFD replaces
    # both.
    nuls = [] if judged.nul is None else [judged.nul]
    if drop:
        gone = Lanes.map("gone", lambda high, after, low, before, cut: high & ~after | low & ~before | cut,
                         high, low.ahead(), low, high.back(1), cut)
        if nuls:
            gone = Lanes.map("gone_or_nul", lambda gone, nul: gone | nul, gone, *nuls)
    else:
        gone = Lanes.map("gone", lambda high, cut: high & cut, high, cut.ahead())
    absent = [gone, *([] if judged.mark is None else [judged.mark])]
    if runs is not None:
        every = Lanes.map("unit_there", lambda keep, *absent: keep & ~Cat(absent).any(), keep, *absent)
        keep = one_a_run(every, Lanes.map("unit_whole", lambda every, bad: every & ~bad, every, judged.bad), runs)
        absent = []
    # Units that become U+FFFD take three bytes. An unpaired surrogate does so anyway: its bit 11 is set.
    bad, cuts = ([], []) if drop else ([judged.bad], [cut, *nuls])
    from1000 = Lanes.map("from1000", lambda c: c[12:16].any(), units)
    middle = Lanes.map("middle", lambda c: c[7:11].any(), units)
    three = Lanes.map("needs3", lambda c, *flags: Cat(c[11], *flags).any(), units, from1000, *cuts)
    two = Lanes.map("needs2", lambda c, *flags: Cat(c[11], *flags).any(), units, from1000, middle, *cuts)
    # Computed early, so that only `leads` is left to combine.
    unpaired = Lanes.map("unpaired3", lambda three, low, before: three & ~(low & before), three, low, high.back(1))

    def there(keep: Value, *absent: Value) -> Value:
        return keep & ~Cat(absent).any()

    present = [
        Lanes.map("never", lambda keep: Const(0, 1), keep),
        Lanes.map("present1", lambda three, leads, *rest: three & ~leads & there(*rest),
                  unpaired, leads, keep, *absent),
        Lanes.map("present2", lambda two, *rest: two & there(*rest), two, keep, *absent),
        Lanes.map("present3", there, keep, *absent),
    ]

    # A pair's scalar has four bits more than its surrogates: bits 6 to 9 of the high one, plus one.
    upper = Lanes.map("upper", lambda c: one_more(c[6:10]), units)
    # A bit of the second byte that is set for a leading unit and for U+FFFD.
    ones = Lanes.map("ones", lambda *flags: Cat(flags).any(), leads, *bad)

    def last(c: Value, two: Value, leads: Value, upper: Value, *bad: Value) -> Value:
        low = _or_replaced(chosen(leads, Cat(c[2:6], upper[:2]), c[:6]), LAST, *bad)
        return Cat(low, c[6] & ~two, two)

    def second(c: Value, before: Value, *operands: Value) -> Value:
        pair, leads, ones, three, upper, *bad = operands
        low = _or_replaced(Cat(chosen(leads, upper[2:], c[6:9]), c[9] & ~leads), SECOND, *bad)
        # Bit 11 of a high surrogate is always set.
        middle = chosen(pair, before[:2], c[10:12]) | Cat(ones, *(bad or [Const(0, 1)]))
        return Cat(low, middle, leads | ~three, Const(1, 1))

    def first(c: Value, *bad: Value) -> Value:
        return Cat(_or_replaced(c[12:16], FIRST, *bad), Const(0b1110, 4))

    bytes_ = [
        Lanes.map("byte1", first, units, *bad),
        Lanes.map("byte2", second, units, units.back(1), pair, leads, ones, three, upper, *bad),
        Lanes.map("byte3", last, units, two, leads, upper, *bad),
    ]
    # Slot 0 is never read, so it repeats slot 1.
    data = [bytes_[0], *bytes_]
    lanes = range(keep.width)
    return Units([slot[lane] for lane in lanes for slot in present],
                 lambda after: [slot[lane] for lane in lanes for slot in data])


def _or_replaced(value: Value, replacement: int, *bad: Value) -> Value:
    """The lowest bits of a byte, or of U+FFFD's byte ``replacement`` where ``bad`` is set."""
    return replaced(value, replacement & (1 << len(value)) - 1, bad[0]) if bad else value
