"""One cycle of reset is enough, from any state: no data from before is output, and what follows is right."""

from pathlib import Path

import pytest
from runewire_rtl import parameters
from runewire_sim import Stalls, VerilogDesign, generated
from runewire_sim.stimuli import random_packets
from runewire_sim.verilator import run

CORES = {
    "validator": {}, "dense decoder": {"core": "decoder"}, "sparse decoder": {"core": "decoder", "packing": "sparse"},
    "encoder": {}, "sanitizer": {"errors": "drop"}, "validator with all beside": {
        "core": "validator", "records": 0x7F, "count": ("bytes", "records"), "user": 2, "id": 3, "dest": 4,
        "report_port": "beside"},
    "filter": {"longest": 64, "rejects": True},
    "packer": {}, "decoder with null bytes anywhere": {"core": "decoder", "null_bytes": "anywhere"},
    "compact decoder": {"core": "decoder", "pipeline": "compact"},
    "compact validator with all beside": {
        "core": "validator", "pipeline": "compact", "records": 0x7F, "count": ("bytes", "records"), "user": 2, "id": 3,
        "dest": 4, "report_port": "beside"},
}
WIDEST = {"encoder": 16}
RUNS = 30
"""Of each core; each has `RESETS` resets of 1 to 24 cycles, at random times in random traffic."""
RESETS = 4


def widths(name: str) -> tuple[int, ...]:
    """The sanitizer has widths with and without a line of waiting beats."""
    return (1, 2, 8) if name == "sanitizer" else (1, 8) if name.startswith("compact") else (1, 8, 64)


def marks(name: str, lanes: int) -> list[pytest.MarkDecorator]:
    quick = lanes == 1 and name != "sanitizer"
    return [] if quick else [pytest.mark.slow, *([pytest.mark.records] if lanes > 8 else [])]


@pytest.fixture(scope="module", params=[
    pytest.param((name, lanes), marks=marks(name, lanes)) for name in CORES for lanes in widths(name)],
                ids=lambda param: f"{param[0]}-{min(param[1], WIDEST.get(param[0], 64))}")
def core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory,
         without_initial_values) -> VerilogDesign:
    """A core whose registers are all unknown at the start: in Verilator, random."""
    name, lanes = request.param
    params = parameters(**{"core": name, **CORES[name], "lanes": min(lanes, WIDEST.get(name, 64))})
    made = generated(params)
    stripped: Path = tmp_path_factory.mktemp("core") / made.verilog.name
    stripped.write_text(without_initial_values(made.verilog.read_text()))
    return VerilogDesign(params, made.top, stripped)


def test_a_reset_in_traffic_leaves_nothing_behind(core: VerilogDesign) -> None:
    for seed in range(RUNS):
        sent = list(random_packets(core.parameters, 12, seed, longest=3 * core.parameters.lanes))
        stalls = Stalls(0.1, 0.3 * (seed % 3), seed, 0.3 if core.parameters.holes else 0.0)
        with run(core, sent, stalls, plus=(f"+resets={RESETS}",)) as results:
            got = [result for result, _ in results.packets()]
            assert list(results) == []
            assert results.protocol_errors == []
        assert got == [core.parameters.compute(packet) for packet in sent]
