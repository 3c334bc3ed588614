"""Speed of simulation: the table of docs/test-records.md. Its source is records/simulation_speed.json."""

import json
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from runewire_benchmark.machine import machine
from runewire_jobs.record_text import record_text
from runewire_model import DecoderParameters
from runewire_model.texts import generate
from runewire_sim import Run, Stalls, compare, generated, simulate
from runewire_sim.icarus import replayed

from .freshness import fingerprints_of
from .part import DOCS, RECORDS, Measurement, Part

FIGURES = RECORDS / "simulation_speed.json"
NARROW, WIDE = DecoderParameters(lanes=8), DecoderParameters(lanes=64)
CORES = {"narrow": NARROW, "wide": WIDE}
COCOTB_BYTES, FAST_BYTES, WIDE_BYTES = 1_000_000, 16_000_000, 100_000_000


def timed(work: Callable[[], int]) -> dict[str, float]:
    """Times of ``work``, which returns the cycles simulated: wall seconds, and processor seconds of this process and of
    its children."""
    def used(who: int) -> float:
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    kinds = {"python_seconds": resource.RUSAGE_SELF, "simulator_seconds": resource.RUSAGE_CHILDREN}
    before = {name: used(who) for name, who in kinds.items()}
    began = time.perf_counter()
    cycles = work()
    return {"cycles": cycles, "wall_seconds": time.perf_counter() - began,
            **{name: used(who) - before[name] for name, who in kinds.items()}}


def cocotb(text: bytes) -> int:
    """The narrow core under cocotb on Verilator."""
    with Run(replayed(generated(NARROW), [text], Stalls(), "verilator")) as run:
        list(run)
    return run.stats.cycles


def fast(text: bytes) -> int:
    """The narrow core in the fast lane."""
    with simulate(generated(NARROW), [text]) as run:
        list(run)
    return run.stats.cycles


def compared(text: bytes) -> int:
    """The wide core in the fast lane, compared with the golden model in full."""
    with simulate(generated(WIDE), [text]) as run:
        report = compare(WIDE, [text], run)
    if not report.agree:
        raise ValueError(f"hardware and model differ: {report.first_difference}")
    return run.stats.cycles


def measure() -> None:
    """Measure, and keep the figures. Simulators are built first, and that is not counted."""
    text = generate("mixed", WIDE_BYTES)
    found: dict[str, dict[str, Any]] = {}
    for work, size in ((cocotb, COCOTB_BYTES), (fast, FAST_BYTES), (compared, WIDE_BYTES)):
        work(text[:1])
        found[work.__name__] = {"bytes": size, **timed(partial(work, text[:size]))}
    here = machine()
    found["machine"] = {"cpu": here.cpu, "cpus": here.cpus}
    found["verilog"] = fingerprints_of(CORES)
    FIGURES.write_text(record_text(found), encoding="utf-8")


def table() -> str:
    """The table in Markdown, and its summary."""
    found = json.loads(FIGURES.read_text(encoding="utf-8"))
    rows = {
        f"{NARROW.lanes}-lane decoder, cocotb on Verilator": found["cocotb"],
        f"{NARROW.lanes}-lane decoder, fast lane": found["fast"],
        f"{WIDE.lanes}-lane decoder, fast lane, compared with the golden model": found["compared"],
    }
    lines = ["| simulation | text, MB | cycles | cycles a second | seconds | in the simulator | in Python |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for name, figures in rows.items():
        cells = [f"{figures['bytes'] / 1e6:g}", f"{figures['cycles']:,}", f"{_speed(figures):,.0f}",
                 *(f"{figures[kind]:.1f}" for kind in ("wall_seconds", "simulator_seconds", "python_seconds"))]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    whole = found["compared"]
    limit = "the simulator" if whole["simulator_seconds"] > whole["python_seconds"] else "the golden model"
    times = _speed(found["fast"]) / _speed(found["cocotb"])
    return "\n".join([
        *lines, "",
        f"On {found['machine']['cpu']}, {found['machine']['cpus']} CPUs. Cycles a second count processor time, "
        "with which other work on the machine",
        "interferes little. Seconds are wall time, then processor time.",
        f"The fast lane is {times:.0f} times as fast as cocotb. Simulator and golden model run in parallel; in the "
        "comparison",
        f"{limit} takes longer.",
    ])


def _speed(figures: dict[str, Any]) -> float:
    return float(figures["cycles"] / (figures["simulator_seconds"] + figures["python_seconds"]))


GENERATED = (Part("simulation-speed", DOCS / "test-records.md", table),)
MEASUREMENTS = (Measurement("simulation-speed", measure, ("simulation-speed",), "some minutes"),)
