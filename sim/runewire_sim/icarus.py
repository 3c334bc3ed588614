"""Icarus Verilog, driven by the cocotb bench `runewire_sim.bench.replay`."""

import json
import tempfile
import time
from collections.abc import Generator, Iterable
from dataclasses import asdict, replace
from pathlib import Path

from . import cocotb_job, wire_format
from .design import VerilogDesign
from .results import Event, Run, Stats
from .stalls import NO_STALLS, Stalls
from .waves import TOP, annotated, waves_kind

POLL_SECONDS = 0.02


def run(design: VerilogDesign, packets: Iterable[wire_format.Packet], stalls: Stalls = NO_STALLS,
        waves: Path | None = None) -> Run:
    """Simulate ``packets`` through ``design``: all are taken first, then the results stream.

    ``waves``: file for the waves, ``.vcd`` or ``.fst``; raises ValueError for another extension, and
    MissingToolError. What goes wrong later is raised by the iteration.
    """
    cocotb_job.check_tools("icarus")
    if waves is not None:
        waves_kind(waves)
    return Run(replayed(design, packets, stalls, "icarus", waves), design.parameters.sidebands)


def replayed(design: VerilogDesign, packets: Iterable[wire_format.Packet], stalls: Stalls, simulator: str,
             waves: Path | None = None) -> Generator[Event, None, None]:
    """The events of the replay bench under cocotb on ``simulator``; raises SimulationError."""
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        results, log = room / "results", room / "log"
        results.touch()
        with (room / "packets").open("wb") as stream:
            wire_format.write_packets(packets, stream)
        environment = {
            "RUNEWIRE_CORE": json.dumps(design.parameters.record()),
            "RUNEWIRE_PACKETS": str(room / "packets"),
            "RUNEWIRE_RESULTS": str(results),
            "RUNEWIRE_STALLS": json.dumps(asdict(stalls)),
        }
        job = cocotb_job.Job(str(design.verilog), design.top, simulator, "runewire_sim.bench.replay")
        if waves is not None:
            source = room / "annotated.v"
            source.write_bytes(annotated(design))
            job = replace(job, verilog=str(source), top=TOP, waves=str(waves.absolute()))
        with cocotb_job.started(job, environment, log) as process, results.open("rb", buffering=0) as tail:
            def read() -> bytes:
                while not (more := tail.read(1 << 20)):
                    if process.poll() is not None:
                        return tail.read()
                    time.sleep(POLL_SECONDS)
                return more

            whole = False
            for event in wire_format.events(read):
                whole = isinstance(event, Stats)
                yield event
            if process.wait() != 0 or not whole:
                raise cocotb_job.failure(simulator, log)
