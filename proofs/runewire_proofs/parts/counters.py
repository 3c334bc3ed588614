"""Part `counters`: each counter of a packet gives the number of its flags that were set."""

from __future__ import annotations

from amaranth.hdl import Cat, Const
from runewire_model import TranscoderParameters
from runewire_model.report import COUNTERS
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.report.packet_counters import CHUNK, FLAGS, so_far, tally

from ..faults import Mutant, changed, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

COUNTED = 18
"""Width of the counters that are proven: their first chunk, one in the midst that is carried into and out of, and the
last, which is narrower."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: with a packet's last beat each counter has the number of its flags, and saturates at all ones.

    Counters have `COUNTED` bits, and few. Flags are free inputs, available at once.
    """
    if not parameters.sidebands.count:
        return None

    return Proof(
        "counters", INDUCTIVE, ["pdr"],
        against("counters", "delay", cut=lambda: _cut(parameters, COUNTED), lemmas=True), _mutants(parameters))


def _cut(parameters: TranscoderParameters, width: int) -> Cut:
    """Counters of each number of flags that the core has, twice: with ``width`` bits, and with so few that a short
    packet has more.

    ``go`` marks a beat at step 0, ``go_last`` with it a packet's last; ``numbers``, in ``width`` bits each, come as
    late as the latest of them.
    """
    made = [(name, number, bits) for number in sorted({_flags(parameters, name) for name in parameters.sidebands.count})
            for name, bits in (("count", width), ("short", number.bit_length() + 2))]
    ports = Ports()
    pipeline = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(ports.new("go", 1), ports.new("go_last", 1)))
    counts, taken = [], 0
    flags = ports.new("flags", sum(number for _, number, _ in made))
    for name, number, bits in made:
        given = [pipeline.enter(flags[taken + i], f"flag{taken + i}") for i in range(number)]
        counts.append(tally(pipeline, f"{name}{number}", given, bits))
        taken += number
    step = max(count.step for count in counts)
    ports.show("numbers", Cat(Cat(count.at(step), Const(0, width - count.shape.width)) for count in counts))
    return ports.cut(
        COUNTERS=len(made), WIDTH=width, SUM=taken, DELAY=pipeline.latency(step), CHUNK=CHUNK,
        FLAGS=sum(number << 8 * index for index, (_, number, _) in enumerate(made)),
        WIDTHS=sum(bits << 8 * index for index, (*_, bits) in enumerate(made)))


def _flags(parameters: TranscoderParameters, counter: str) -> int:
    """Flags of a beat that a counter counts."""
    return parameters.lanes * COUNTERS[counter].flags(parameters.reads.unit_bytes)


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken counters."""
    found = [
        changed("the number is not cleared at a packet's end", so_far, lambda _: lambda value, last: value),
        step("the number comes with every beat", r"(count|short)\d+", lambda _: lambda total, beyond, last:
             total | beyond.replicate(len(total))),
        step("a number that does not fit starts again", r"(count|short)\d+", lambda number: lambda total, beyond, last:
             number(total, beyond & 0, last)),
        step("the first flag does not count", r"count\d+_of_l0",
             lambda count: lambda first, *rest: count(first & 0, *rest)),
    ]
    if parameters.lanes > FLAGS:
        # Fewer lanes take too long to count so far.
        found.append(step("a carry between chunks is lost", r"count\d+_from0_carry", never))
        found.append(step("all but the first flags do not count", r"count\d+_of_l[1-9]\d*", never))
    return found
