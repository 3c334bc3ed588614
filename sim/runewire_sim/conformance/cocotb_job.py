"""Builds a core and runs `cocotb_bench` on it: ``python -m conformance.cocotb_job PORTMAP SIMULATOR``."""

import json
import os
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from .port_map import read
from .simulation import RESULTS, STIMULUS

BUILD = {"icarus": ["-g2012"], "verilator": ["-Wno-fatal", "-Wno-lint"]}
"""Arguments of the build, by simulator."""


def main(port_map_file: Path, simulator: str) -> int:
    """Build and run in the current folder. Returns 0 if the bench ran to its end."""
    port_map, room = read(port_map_file), Path.cwd()
    os.environ["CONFORMANCE_JOB"] = json.dumps({
        "port_map": str(port_map_file), "stimulus": str(room / STIMULUS), "results": str(room / RESULTS)})
    runner = get_runner(simulator)
    runner.build(sources=[source.resolve() for source in port_map.core.sources], hdl_toplevel=port_map.core.top,
                 parameters=dict(port_map.core.parameters), build_args=BUILD.get(simulator, []), always=True,
                 build_dir=room / "cocotb", timescale=("1ns", "1ps"))
    runner.test(test_module=f"{__package__}.cocotb_bench", hdl_toplevel=port_map.core.top, build_dir=room / "cocotb",
                test_dir=room / "cocotb", results_xml=str(room / "cocotb.xml"))
    ran, failed = get_results(room / "cocotb.xml")
    return int(not ran or failed > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
