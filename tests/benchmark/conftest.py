"""Made-up comparisons, which nobody had to measure."""

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.inputs import Case
from runewire_benchmark.line_jobs import VALIDATING, LineJob
from runewire_benchmark.lines import LineCore, LineFigure, LinePeerNote, Lines, line_cases
from runewire_benchmark.machine import Machine
from runewire_benchmark.run import (
    Comparison,
    HardwareFigure,
    PeerNote,
    SoftwareFigure,
    TextNote,
)
from runewire_benchmark.tasks import TASKS, Job
from runewire_model import parameters

SPACINGS = (None, 1024, 64)


def entry(core: str, lanes: int, clock_mhz: float, packing: str | None = None) -> Entry:
    options = {} if packing is None else {"packing": packing}
    return Entry(parameters(core, lanes=lanes, **options), "ecp5-85k", "Lattice LFE5U-85F", 83_640, "8",
                 fmax_mhz=clock_mhz + 30, clock_mhz=clock_mhz, luts=100 * lanes, ffs=200 * lanes, latency_cycles=12,
                 tool_versions={"yosys": "0.70", "nextpnr-ecp5": "0.11"})


Rates = Mapping[str, tuple[Job, Mapping[str, tuple[float | None, ...]]]]
"""For each peer its job and, for each text, GB/s clean, with an error a KiB and one every 64 bytes."""


def job_of(core: Entry) -> Job:
    return next(job for job, task in TASKS.items()
                if (task.source, task.target) == (core.parameters.source, core.parameters.target))


def comparison(software: Rates, cores: list[Entry], ill_formed: tuple[str, ...] = ()) -> Comparison:
    names = list(dict.fromkeys(text for _, rates in software.values() for text in rates))
    figures = [
        SoftwareFigure(Case(text, spacing, packet), peer, job, rate, rate * 0.95, rate * 1.05, 7)
        for packet in (None, 1500)
        for peer, (job, rates) in software.items()
        for text, triple in rates.items()
        for spacing, rate in zip(SPACINGS, triple, strict=True) if rate is not None
    ]
    modelled = [
        HardwareFigure(Case(text, spacing, packet), core, job_of(core),
                       core.lanes * core.clock_mhz / 1000)
        for packet in (None, 1500)
        for text in names
        for spacing in SPACINGS
        for core in cores
    ]
    return Comparison(
        machine=Machine("Fast Processor 9000", 8, "L1 48 KiB", "Linux x86_64", "CPython 3.11.0", "0.1.0"),
        target="ecp5-85k",
        texts=tuple(TextNote(name, 2000, name not in ill_formed, (1.0, 0.0, 0.0, 0.0)) for name in names),
        peers=tuple(PeerNote(peer, job, f"{peer} 1.0", 100.0) for peer, (job, _) in software.items()),
        missing=(),
        software=tuple(figures),
        hardware=tuple(modelled),
    )


def lines(stand_in: bool = False, clock_mhz: float = 370, job: LineJob = VALIDATING) -> Lines:
    """One program takes 10 ns a line; another checks the complete text at 20 GB/s, and slows down with errors."""
    figures = []
    for case in line_cases(job):
        length = {"8": 8, "32": 32, "128": 128, "log": 70}[case.lengths]
        for name, rate in (("each", length / 10), ("whole", 20 if case.one_in is None else case.one_in / 500)):
            figures.append(LineFigure(case, name, rate, rate * 0.95, rate * 1.05, 9))
    core = entry("validator", 64, clock_mhz)
    if not stand_in:
        core = replace(core, parameters=parameters("validator", lanes=64, records=0x0A))
    return Lines(
        job, 1 << 19,
        (LinePeerNote("each", "a call a line", "1.0", True), LinePeerNote("whole", "at once", "1.0", False)),
        (("libsimdutf", "install it"),), (("iconv -c", "changes ill-formed lines"),), tuple(figures),
        LineCore(core, stand_in, dict.fromkeys(line_cases(job), 64 * clock_mhz / 1000)))


@pytest.fixture(scope="session")
def scalar_simdutf(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A library with some of simdutf's functions."""
    path = tmp_path_factory.mktemp("simdutf") / "libsimdutf.so.1.0.0"
    source = Path(__file__).with_name("scalar_simdutf.c")
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", path, source], check=True)
    return str(path)


@pytest.fixture
def make_lines() -> Callable[..., Lines]:
    return lines


@pytest.fixture
def make_entry() -> Callable[..., Entry]:
    return entry


@pytest.fixture
def make_comparison() -> Callable[..., Comparison]:
    return comparison


@pytest.fixture
def usual() -> Comparison:
    """Three texts, all three jobs, decoders of both packings; hardware loses on ASCII."""
    return comparison(
        {
            "golden model": ("decode", dict.fromkeys(("ascii", "greek", "emoji"), (0.01, 0.01, 0.01))),
            "CPython strict": ("decode", {"ascii": (20, None, None), "greek": (1.0, None, None),
                                          "emoji": (1.5, None, None)}),
            "CPython replace": ("decode", {"ascii": (19, 3, 2), "greek": (0.9, 0.8, 0.5),
                                           "emoji": (1.4, 1.2, 0.7)}),
            "polars": ("validate", {"ascii": (60, 60, 60), "greek": (15, 15, 15), "emoji": (14, 14, 14)}),
            "CPython encode": ("encode", {"ascii": (30, None, None), "greek": (1.2, None, None),
                                          "emoji": (1.4, None, None)}),
        },
        [
            *(entry("decoder", lanes, 370) for lanes in (1, 2, 4, 8, 16)),
            entry("decoder", 16, 380, "sparse"),
            *(entry("validator", lanes, 370) for lanes in (1, 8, 64)),
            *(entry("encoder", lanes, 370) for lanes in (1, 4)),
        ],
    )
