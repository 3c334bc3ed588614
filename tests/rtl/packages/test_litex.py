"""The LiteX module in a design of LiteX's own, between two of its FIFOs, in simulation."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import Generated
from runewire_rtl.packages.testbench import testbench as bench_of

DESIGN = """\
import sys
sys.path.insert(0, {folder!r})
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import stream
from migen import ClockDomain, Record, Signal
import {top}_litex as made

[core] = [each for name, each in vars(made).items() if name.startswith("Runewire")]
PORTS = {{"s_axis": "sink", "m_axis": "source", "m_report": "report"}}


class Design(LiteXModule):
    def __init__(self, ports):
        self.cd_sys = ClockDomain()
        self.ios = {{name: Signal(width, name=name) for name, width in ports.items()}}
        self.comb += [self.cd_sys.clk.eq(self.ios["aclk"]), self.cd_sys.rst.eq(~self.ios["aresetn"])]
        self.core = core()
        self.before = stream.SyncFIFO(self.core.sink.description, 4)
        self.after = stream.SyncFIFO(self.core.source.description, 4, buffered=True)
        self.comb += [self.before.source.connect(self.core.sink), self.core.source.connect(self.after.sink)]
        ends = {{"s_axis": self.before.sink, "m_axis": self.after.source}}
        if hasattr(self.core, "report"):
            ends["m_report"] = self.core.report
        for name, signal in self.ios.items():
            bus, _, field = name.rpartition("_t")
            if bus:
                inside = getattr(ends[bus], field)
                into = (field == "ready") != (bus == "s_axis")
                self.comb += inside.eq(signal) if into else signal.eq(inside)


design = Design({ports!r})
print(convert(design, ios=set(design.ios.values()), name="around"))
"""
CORES: list[dict[str, Any]] = [
    {"core": "decoder", "lanes": 2},
    {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2, "dest": 1,
     "report_port": "beside"},
]


@pytest.mark.slow
@pytest.mark.icarus
@pytest.mark.parametrize("options", CORES, ids=lambda options: options["core"])
def test_a_design_of_litex_with_the_core(options: dict[str, Any], packaged: Callable[..., Generated],
                                         tmp_path: Path) -> None:
    """The core's test bench passes with the design instead of the core."""
    made = packaged("litex", **options)
    ports = {port["name"]: port["width"] for port in json.loads(made.description.read_text())["ports"]}
    script = tmp_path / "design.py"
    script.write_text(DESIGN.format(folder=str(made.verilog.parent), top=made.top, ports=ports))
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (tmp_path / "design.v").write_text(done.stdout)
    bench = bench_of(TranscoderParameters.of(options))
    (tmp_path / "bench.sv").write_text(bench.replace(f"    {made.top} core (", "    around core ("))
    subprocess.run(["iverilog", "-g2012", "-s", f"{made.top}_tb", "-o", "sim", "bench.sv", "design.v", made.verilog],
                   cwd=tmp_path, check=True)
    said = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout
    assert said.stdout.startswith("PASS: ")


def test_a_platform_gets_the_verilog(packaged: Callable[..., Generated]) -> None:
    """The file that LiteX's build needs exists."""
    made = packaged("litex", core="validator", lanes=1)
    script = (f"import sys; sys.path.insert(0, {str(made.verilog.parent)!r})\nimport {made.top}_litex as module\n"
              "class Platform:\n    def add_source(self, path): print(path)\n"
              "module.RunewireValidatorX1(Platform())\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()) == made.verilog
