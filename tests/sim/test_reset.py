"""One cycle of reset is enough, from any state: no data from before is output, and what follows is right."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import runewire_rtl
from runewire_model import Flow, PacketResult
from runewire_rtl import parameters
from runewire_rtl.segments.context import Forgetting
from runewire_sim import Stalls, VerilogDesign, generated
from runewire_sim.interleaving import interleaved
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets
from runewire_sim.verilator import run

CORES = {
    "validator": {}, "dense decoder": {"core": "decoder"}, "sparse decoder": {"core": "decoder", "packing": "sparse"},
    "encoder": {}, "sanitizer": {"errors": "drop"}, "validator with all beside": {
        "core": "validator", "records": 0x7F, "count": ("bytes", "records"), "user": 2, "id": 3, "dest": 4,
        "report_port": "beside"},
    "filter": {"longest": 64, "rejects": True},
    "splitter": {}, "splitter that drops delimiters": {"core": "splitter", "delimiter": "drop"},
    "decoder behind a splitter": {"core": "decoder", "split": 0x0A},
    "validator with a record report": {"core": "validator", "records": 0x0A, "record_report": True},
    "packer": {}, "decoder with null bytes anywhere": {"core": "decoder", "null_bytes": "anywhere"},
    "decoder with a flow": {"core": "decoder", "flows": 1},
    "compact decoder with a flow": {"core": "decoder", "pipeline": "compact", "flows": 1},
    "decoder with flows": {"core": "decoder", "flows": 4, "id": 2},
    "decoder with flows and added marks": {"core": "decoder", "flows": 4, "id": 2, "bom": "add"},
    "validator with a record report and a flow": {
        "core": "validator", "records": 0x0A, "record_report": True, "flows": 1},
    "validator with a record report and flows": {
        "core": "validator", "records": 0x0A, "record_report": True, "flows": 4, "id": 2},
    "decoder with flows and null bytes anywhere": {
        "core": "decoder", "flows": 4, "id": 2, "null_bytes": "anywhere"},
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
    return (1, 2, 8) if name == "sanitizer" else (1, 8) if name.startswith("compact") or "flow" in name else (1, 8, 64)


def marks(name: str, lanes: int) -> list[pytest.MarkDecorator]:
    quick = lanes == 1 and name != "sanitizer" and "flow" not in name
    return [] if quick else [pytest.mark.slow, *([pytest.mark.records] if lanes > 8 else [])]


@pytest.fixture(scope="module", params=[
    pytest.param((name, lanes), marks=marks(name, lanes)) for name in CORES for lanes in widths(name)],
                ids=lambda param: f"{param[0]}-{min(param[1], WIDEST.get(param[0], 64))}")
def core(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory,
         without_initial_values) -> VerilogDesign:
    """A core whose registers are all unknown at the start: in Verilator, random."""
    name, lanes = request.param
    params = parameters(**{"core": name, **CORES[name], "lanes": min(lanes, WIDEST.get(name, 64))})
    return unknown_at_start(generated(params), tmp_path_factory.mktemp("core"), without_initial_values)


def unknown_at_start(made: VerilogDesign, folder: Path, without_initial_values: Callable[[str], str]) -> VerilogDesign:
    """The core with no register's initial value."""
    stripped = folder / f"stripped_{made.verilog.name}"
    stripped.write_text(without_initial_values(made.verilog.read_text()))
    return replace(made, verilog=stripped)


def test_a_reset_in_traffic_leaves_nothing_behind(core: VerilogDesign) -> None:
    """A text that began before the reset does not continue either."""
    for seed in range(RUNS):
        got, expected = after_resets(core, seed)
        assert got == expected


def after_resets(core: VerilogDesign, seed: int) -> tuple[list[PacketResult], list[PacketResult]]:
    """The results after resets amid random traffic, and the golden ones."""
    params = core.parameters
    sent = list(random_packets(params, 12, seed, longest=3 * params.lanes))
    if params.sidebands.flows is not None:
        # Traffic before the resets has random flows, and half of its texts are still open.
        sent = [*interleaved(sent, params, Random(seed))]
    stalls = Stalls(0.1, 0.3 * (seed % 3), seed, 0.3 if params.holes else 0.0)
    with run(core, sent, stalls, plus=(f"+resets={RESETS}",)) as results:
        got = [result for result, _ in results.packets()]
        assert list(results) == []
        assert results.protocol_errors == []
    flows: dict[int, Flow] = defaultdict(lambda: Flow(params))
    return got, [answer for packet in sent for answer in (
        [flows[packet.flow].segment(bytes(packet), packet.more)] if isinstance(packet, Segment)
        else params.answers(packet))]


@pytest.mark.slow
def test_contexts_that_a_reset_does_not_clear_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, without_initial_values: Callable[[str], str],
) -> None:
    params = parameters(**CORES["decoder with flows"], lanes=1)
    monkeypatch.setattr(Forgetting, "after", lambda *_: Forgetting.never())
    made = runewire_rtl.generate(params, tmp_path)
    design = unknown_at_start(VerilogDesign(params, made.top, made.verilog), tmp_path, without_initial_values)
    found = [after_resets(design, seed) for seed in range(RUNS)]
    assert any(got != expected for got, expected in found)
