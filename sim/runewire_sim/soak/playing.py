"""Rounds simulated, and entered into the record."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runewire_model import __version__
from runewire_rtl import top_name

from ..all_pairs import SOON_RUN
from ..design import generated, generator
from ..scoreboard import Report
from .comparison import Wrong, check
from .line_rounds import line_round
from .record import Configuration, SoakFailure, SoakRecord
from .rounds import Round, core_number, pair_round, round_of
from .segment_rounds import segment_round
from .shrinking import FailureSearch


@dataclass(frozen=True)
class Played:
    """The outcome of round ``number``: the traffic of the core ``top``, and what was ``wrong``.

    ``verilog`` as in `Configuration`. No traffic means that the round was not needed.
    """

    number: int
    top: str
    verilog: str
    packets: int = 0
    bytes: int = 0
    cycles: int = 0
    wrong: Wrong | None = None
    seconds: float = 0.0


def soak_round(
    record: SoakRecord, folder: Path, watch: Callable[[Round], Callable[[Report], None]] | None = None,
) -> SoakFailure | None:
    """Play the record's next round and enter it; a failure is shrunk, and saved in ``folder``.

    ``watch`` is called with the round, and returns a callback for the reports of its packets. A round that an exception
    ends, like KeyboardInterrupt, is not entered; its failure is, in the smallest form found by then. If each core has
    one round, a round in the record is not repeated unless its core has changed. Raises ValueError for a random core
    that has changed since the record was begun, OSError, and what `check` raises.
    """
    return enter(record, play(record.seed, record.rounds, record.kind, record.sent, watch), folder)


def play(
    seed: int, number: int, kind: str, sent: Mapping[str, str],
    watch: Callable[[Round], Callable[[Report], None]] | None = None,
) -> Played:
    """Play a round; `enter` enters it into the record, whose ``seed``, ``kind`` and ``sent`` are given.

    ``watch`` as for `soak_round`. Raises OSError, and what `check` raises.
    """
    began = time.monotonic()
    this, listed = _round(seed, number, kind), kind != "random"
    on_packet = None if watch is None else watch(this)
    design = generated(this.parameters)
    verilog = design.fingerprint
    known = sent.get(design.top)
    if known is not None and (known == verilog) == listed:
        return Played(number, design.top, verilog)
    soon_run = listed and this.parameters.lanes >= SOON_RUN
    report, wrong = check(design, this.packets, this.stalls, on_packet, soon_run or None)
    cycles = report.stats.cycles if report.stats is not None else 0
    return Played(number, design.top, verilog, report.packets, report.bytes_in, cycles, wrong,
                  time.monotonic() - began)


def held(record: SoakRecord, number: int) -> Played | None:
    """The outcome of a listed core's round that is in the record, if the generator has not changed since; else None."""
    if record.listed is None:
        return None
    top = top_name(record.listed[number])
    entry = record.configurations.get(top)
    return Played(number, top, entry.verilog) if entry is not None and entry.packets and entry.present else None


def _round(seed: int, number: int, kind: str) -> Round:
    return {"pairs": pair_round, "segments": segment_round, "lines": line_round, "random": round_of}[kind](seed, number)


def enter(record: SoakRecord, played: Played, folder: Path) -> SoakFailure | None:
    """Enter the record's next round; a failure is shrunk and saved as by `soak_round`."""
    began = time.monotonic()
    number = played.number
    record.version = __version__
    entry = record.configurations.get(played.top, Configuration(played.verilog))
    listed = record.listed is not None
    if listed and entry.verilog == played.verilog and entry.packets:
        record.rounds += 1
        entry.generator = generator()
        return None
    if entry.verilog != played.verilog:
        if not listed:
            raise ValueError(f"the core {played.top} has changed since the record was begun: begin another")
        record.packets -= entry.packets
        record.bytes -= entry.bytes
        record.failures = [failure for failure in record.failures if failure.round != number]
        entry = Configuration(played.verilog)

    record.rounds += 1
    record.packets += played.packets
    record.bytes += played.bytes
    record.cycles += played.cycles
    record.seconds += played.seconds
    entry.packets += played.packets
    entry.bytes += played.bytes
    entry.generator = generator()
    record.configurations[played.top] = entry
    if played.wrong is None:
        _pass_over(record)
        return None
    this = _round(record.seed, number, record.kind)
    search = FailureSearch(generated(this.parameters), this, played.wrong)
    try:
        search.run()
    finally:
        failure = search.save(number, folder / f"soak-{record.seed}-{number}.hex")
        record.failures.append(failure)
        _pass_over(record)
        record.seconds += time.monotonic() - began
    return failure


def retry(record: SoakRecord) -> None:
    """Rerun recorded failures; drop those that pass now with the same Verilog, as after a simulator was fixed.

    Raises OSError, and what `check` raises.
    """
    for failure in [*record.failures]:
        played = play(record.seed, failure.round, record.kind, {})
        if played.wrong is None and played.verilog == record.configurations[played.top].verilog:
            record.failures.remove(failure)


def _pass_over(record: SoakRecord) -> None:
    """Skip the next rounds of cores that have failed: they would fail the same way."""
    if record.listed is None:
        failed = {core_number(failure.round) for failure in record.failures}
        while core_number(record.rounds) in failed:
            record.rounds += 1
