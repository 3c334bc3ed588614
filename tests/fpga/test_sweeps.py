"""Sweeps: results are reused, one failure does not affect others, and the work can be interrupted."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire_fpga import tools
from runewire_fpga.designs import DesignPort, StandaloneDesign, Variant
from runewire_fpga.measurement import Measurement
from runewire_fpga.place_and_route import CriticalPath, Placement
from runewire_fpga.points import FailedPoint, SweepPoint, Trials
from runewire_fpga.sweeps import digests, sweep
from runewire_fpga.synthesis import Netlist
from runewire_fpga.targets import TARGETS, Capacity, Target
from runewire_fpga.tools import Tool, Tools
from runewire_jobs.cache import Store
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_rtl import parameters
from runewire_rtl.parameters import TranscoderParameters

MODULE = "runewire_fpga.sweeps"
X1 = parameters("validator", lanes=1)
X2 = parameters("validator", lanes=2)
ALL = tuple(Variant)


class Flow:
    """Replaces the programs: counts the requests, and answers at once."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.luts = {1: 100, 2: 200}
        self.before: Callable[[str], None] = lambda call: None
        self.cores: dict[str, Mapping[str, int] | None] = {}

    def _called(self, call: str) -> None:
        self.before(call)
        self.calls.append(call)

    def design(self, of: TranscoderParameters, variant: Variant, tools: Tools) -> StandaloneDesign:
        self._called(f"design {of.lanes} {variant.value}")
        name = f"pipeline{of.input_bytes}" if variant is Variant.PIPELINE else f"{of.core}{of.lanes}_{variant.value}"
        verilog = f"{name} {of.lanes}" if variant is not Variant.PIPELINE else name
        return StandaloneDesign(name, verilog, (DesignPort("i", True, 8), DesignPort("o", False, 8)), latency_cycles=7)

    def synthesise(self, verilog: str, script: str, tools: Tools | None, *, plain: bool) -> Netlist:
        first = verilog.partition("\n")[0]
        assert plain is ("-run" not in script)
        self._called(f"synthesise {first}" + " plainly" * plain)
        cell = "SB_LUT4" if "ice40" in script else "LUT6" if "xilinx" in script else "LUT4"
        return Netlist((verilog + script).encode(), {cell: self.luts.get(int(first[-1]), 50) + 5 * plain})

    def place(self, netlist: Netlist, target: Target, speed: str, seed: int, tools: Tools | None, *,
              plain: bool) -> Placement:
        name = netlist.json.decode().partition("\n")[0].split("read_")[0]
        self._called(f"place {name} {target.name} {speed}{' plainly' * plain} {seed}")
        self.cores[name] = netlist.core
        return Placement(seed, 100.0 + seed, CriticalPath("a", "b", ("c",), 1.0, 2.0))


@pytest.fixture
def flow(monkeypatch: pytest.MonkeyPatch) -> Flow:
    made = Flow()
    monkeypatch.setattr(f"{MODULE}.design_apart", made.design)
    monkeypatch.setattr(f"{MODULE}.synthesise", made.synthesise)
    monkeypatch.setattr(f"{MODULE}.place", made.place)
    monkeypatch.setattr(f"{MODULE}.find", lambda name: Tool(name, (), f"{name} 1.0"))
    return made


def run(store: Store, *points: SweepPoint, seeds: int = 2, variants: tuple[Variant, ...] = ALL,
        watch: Callable[[str], None] = lambda step: None) -> list[Measurement | FailedPoint]:
    found: list[Measurement | FailedPoint] = []
    trials = Trials(seeds, variants, lambda point: f"made {point.target}")
    sweep(points, trials, store=store, done=found.append, watch=watch, jobs=3)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_a_point(flow: Flow, store: Store) -> None:
    [found] = run(store, SweepPoint(X1, "ecp5-85k", "7"))
    assert isinstance(found, Measurement)
    assert (found.parameters, found.target, found.speed) == (X1, TARGETS["ecp5-85k"], "7")
    assert (found.memory, found.cells) == ("distributed", {"LUT4": 100})
    assert found.design == StandaloneDesign("", "validator1_core 1", (), 7).digest
    assert found.area.luts == 100
    assert found.latency_cycles == 7
    assert found.made_by == "made ecp5-85k"
    assert found.tool_versions["yosys"] == "yosys 1.0"
    assert found.tool_versions["nextpnr-ecp5"] == "nextpnr-ecp5 1.0"
    assert set(found.placements) == set(ALL)
    assert [run.seed for run in found.placements[Variant.CORE]] == [1, 2]
    assert found.critical_path == CriticalPath("a", "b", ("c",), 1.0, 2.0)
    assert sum(call.startswith("place") for call in flow.calls) == 10
    assert "place validator1_core 1 ecp5-85k 7 2" in [" ".join(call.split()) for call in flow.calls]
    assert found.plain_cells == {"LUT4": 105}
    plain = [" ".join(call.split()) for call in flow.calls if "plainly" in call]
    assert sorted(plain) == ["place validator1_plain_flow 1 ecp5-85k 7 plainly 1",
                             "place validator1_plain_flow 1 ecp5-85k 7 plainly 2",
                             "synthesise validator1_core 1 plainly", "synthesise validator1_plain_flow 1 plainly"]


def test_a_core_without_the_registers_around_it_decides_how_it_is_placed(flow: Flow, store: Store) -> None:
    run(store, SweepPoint(X1, "ecp5-85k"))
    assert flow.cores.pop("validator1_core 1") == {"LUT4": 100}
    assert set(flow.cores.values()) == {None}


def test_nothing_is_worked_out_twice(flow: Flow, store: Store) -> None:
    points = [SweepPoint(X1, "ecp5-25k"), SweepPoint(X2, "ecp5-25k")]
    before = run(store, *points)
    flow.calls.clear()
    assert sorted(run(store, *points), key=repr) == sorted(before, key=repr)
    assert flow.calls == []
    run(store, *points, seeds=3)
    assert len(flow.calls) == 10
    assert all(call.endswith(" 3") for call in flow.calls)


def test_equal_netlists_of_two_points_are_placed_once(flow: Flow, store: Store) -> None:
    dense, sparse = (SweepPoint(parameters("decoder", lanes=1, packing=packing), "ecp5-25k")
                     for packing in ("dense", "sparse"))
    run(store, dense, sparse)
    assert sum(call == "synthesise pipeline1" for call in flow.calls) == 1
    assert sum(call.startswith("place pipeline1") for call in flow.calls) == 2


def test_what_decides_a_result_decides_whether_it_is_known(flow: Flow, store: Store,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    core = (Variant.CORE,)
    run(store, SweepPoint(X1, "ecp5-25k"), variants=core)

    def calls(*points: SweepPoint) -> list[str]:
        flow.calls.clear()
        run(store, *points, variants=core)
        return [call.split()[0] for call in flow.calls]

    assert calls(SweepPoint(X1, "ecp5-25k", "6")) == ["place"] * 2
    assert calls(SweepPoint(X1, "ecp5-85k")) == ["place"] * 2
    assert calls(SweepPoint(X2, "ecp5-25k")) == ["design", "synthesise", "place", "place"]
    assert calls(SweepPoint(X1, "ecp5-25k", memory="distributed")) == []
    assert calls(SweepPoint(X1, "ecp5-25k", memory="block")) == ["synthesise", "place", "place"]
    monkeypatch.setattr(f"{MODULE}.find", lambda name: Tool(name, (), f"{name} {name.count('n')}"))
    assert calls(SweepPoint(X1, "ecp5-25k")) == ["synthesise", "place", "place"]
    monkeypatch.setattr(f"{MODULE}._generator", lambda: "another")
    assert calls(SweepPoint(X1, "ecp5-25k")) == ["design"]


def test_an_interrupted_sweep_goes_on(flow: Flow, store: Store) -> None:
    def interrupt(call: str) -> None:
        if len(flow.calls) == 6:
            raise RuntimeError("power cut")

    flow.before = interrupt
    points = [SweepPoint(X1, "ecp5-25k"), SweepPoint(X2, "ecp5-25k")]
    with pytest.raises(RuntimeError, match="power cut"):
        run(store, *points)
    flow.before = lambda call: None
    known = len(list(store.directory.iterdir()))
    assert known >= 4
    flow.calls.clear()
    whole = run(store, *points)
    assert len(flow.calls) == len(list(store.directory.iterdir())) - known
    assert all(isinstance(found, Measurement) for found in whole)


def test_an_interrupt_ends_the_programs(flow: Flow, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(of: TranscoderParameters, variant: Variant, tools: Tools) -> StandaloneDesign:
        interrupt.start()
        tools.run(Tool("python", (sys.executable, "-c", "import time; time.sleep(60)"), ""), [], Path.cwd())
        raise AssertionError("the program was not ended")

    interrupt = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
    monkeypatch.setattr(f"{MODULE}.design_apart", sleep)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(store, SweepPoint(X1, "ecp5-25k"))
    assert time.monotonic() - began < 20


def test_between_registers_says_nothing_new_where_the_core_stands_there_anyway(flow: Flow, store: Store) -> None:
    [found] = run(store, SweepPoint(X1, "ice40-hx8k"))
    assert isinstance(found, Measurement)
    assert set(found.placements) == {*Variant} - {Variant.BETWEEN_REGISTERS}
    assert found.area.luts == 100
    synthesised = [call for call in flow.calls if call.startswith("synthesise validator1_core")]
    assert len(synthesised) == 3  # bare for its area, between registers for its clock; bare in the plain flow


def test_a_family_without_place_and_route_gives_an_area(flow: Flow, store: Store) -> None:
    [found] = run(store, SweepPoint(X1, "xilinx-7"))
    assert isinstance(found, Measurement)
    assert found.area.luts == 100
    assert found.placements == {}
    assert found.fmax_mhz() is None


def test_a_placer_of_a_distribution_that_is_missing_leaves_the_area(flow: Flow, store: Store,
                                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> Tool:
        if name.startswith("nextpnr"):
            raise MissingToolError(f"{name} is missing")
        return Tool(name, (), f"{name} 1.0")

    monkeypatch.setattr(f"{MODULE}.find", find)
    by_target = {each: run(store, SweepPoint(X1, each))[0] for each in ("artix-7-100t", "ice40-hx8k")}
    found = by_target["artix-7-100t"]
    assert isinstance(found, Measurement)
    assert (found.area.luts, found.placements, found.fmax_mhz()) == (100, {}, None)
    failed = by_target["ice40-hx8k"]
    assert isinstance(failed, FailedPoint)
    assert failed.reason == "nextpnr-ice40 is missing"


@pytest.mark.parametrize(("luts", "device"), [(18216, "ecp5-25k"), (18217, "ecp5-85k")])
def test_the_smaller_device_for_a_core_that_leaves_it_room(luts: int, device: str, flow: Flow,
                                                           store: Store) -> None:
    flow.luts = {1: luts}
    [found] = run(store, SweepPoint(X1, "ecp5"), variants=(Variant.CORE,))
    assert isinstance(found, Measurement)
    assert found.target.name == device


def test_a_failure_leaves_the_others_alone(flow: Flow, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(TARGETS["ecp5-25k"], capacity=Capacity(luts=150, ffs=10, block_ram=0))
    monkeypatch.setitem(TARGETS, "ecp5-25k", small)  # type: ignore[arg-type]

    def break_one(call: str) -> None:
        if call.startswith("place validator1_always_ready") and call.endswith("2"):
            raise ToolError("nextpnr-ecp5 failed: ERROR")

    flow.before = break_one
    points = [SweepPoint(X1, "ecp5-25k"), SweepPoint(X2, "ecp5-25k"), SweepPoint(X2, "ecp5-85k")]
    found = run(store, *points)
    failures = {each.point: each.reason for each in found if isinstance(each, FailedPoint)}
    assert failures == {
        points[0]: "nextpnr-ecp5 failed: ERROR",
        points[1]: "the core needs 200 LUT, 0 FF and 0 blocks of memory; ecp5-25k has 150, 10 and 0",
    }
    [measured] = [each for each in found if isinstance(each, Measurement)]
    assert measured.target.name == "ecp5-85k"
    # The area of a core that does not fit is known, and nothing of it is placed.
    kept = {each.point: each.measured for each in found if isinstance(each, FailedPoint)}
    assert kept[points[0]] is None
    too_large = kept[points[1]]
    assert too_large is not None
    assert (too_large.area.luts, too_large.placements, too_large.clock) == (200, {}, None)


def test_a_worker_with_other_programs_is_refused(flow: Flow, store: Store,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> Tool:
        here = threading.current_thread() is threading.main_thread()
        return Tool(name, (), f"{name} {1 if here else 2}.0")

    monkeypatch.setattr(f"{MODULE}.find", find)
    [found] = run(store, SweepPoint(X1, "xilinx-7"))
    assert isinstance(found, FailedPoint)
    assert found.reason == "a worker has another yosys than this machine: yosys 2.0, not yosys 1.0"


@pytest.mark.parametrize(("error", "reason"), [
    (ModuleNotFoundError("No module named 'runewire_rtl'"),
     "a worker failed: ModuleNotFoundError: No module named 'runewire_rtl'"),
    (ToolError("yosys is missing: pip install 'runewire[synth]'"), "yosys is missing: pip install 'runewire[synth]'"),
])
def test_what_ails_a_worker_is_told_in_one_line(error: Exception, reason: str, flow: Flow, store: Store) -> None:
    class Broken(Executor):
        def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    found: list[Measurement | FailedPoint] = []
    sweep([SweepPoint(X1, "ecp5-25k")], Trials(1, ALL, str), store=store, done=found.append, executor=Broken())
    assert found == [FailedPoint(SweepPoint(X1, "ecp5-25k"), reason)]


def test_a_lost_cluster_is_told_in_one_line(flow: Flow, store: Store) -> None:
    class Lost(Executor):
        def submit(self, call: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with pytest.raises(ToolError, match=r"^the cluster was lost; what it did is kept, run the same again$"):
        sweep([SweepPoint(X1, "ecp5-25k")], Trials(1, ALL, str), store=store, done=print, executor=Lost())


@pytest.mark.parametrize("target", ["ecp5-25k", "ice40-hx8k", "xilinx-7"])
@pytest.mark.parametrize("variants", [ALL, (Variant.CORE,)], ids=["all", "core"])
def test_every_step_is_told_of(target: str, variants: tuple[Variant, ...], flow: Flow, store: Store) -> None:
    told: list[str] = []
    point = SweepPoint(X1, target)
    run(store, point, variants=variants, watch=told.append)
    assert len(told) == Trials(2, variants, str).steps(point)
    assert "validator1_core: Verilog" in told


@pytest.mark.parametrize("point", [SweepPoint(X1, "stratix"), SweepPoint(X1, "ecp5-25k", "9"),
                                   SweepPoint(X1, "ice40-hx8k", memory="distributed")])
def test_a_bad_target_is_told_before_any_work(point: SweepPoint, flow: Flow, store: Store) -> None:
    with pytest.raises(ValueError, match="must be"):
        run(store, SweepPoint(X2, "ecp5-25k"), point)
    assert flow.calls == []


def test_digests_are_those_of_the_designs_and_known_to_a_sweep(flow: Flow, store: Store) -> None:
    run(store, SweepPoint(X1, "ecp5-25k"), variants=(Variant.CORE,))
    flow.calls.clear()
    found = digests([X1, X2, X1], store)
    assert flow.calls == ["design 2 core"]
    assert found == {core: StandaloneDesign("", f"validator{core.lanes}_core {core.lanes}", (), 7).digest
                     for core in (X1, X2)}


@pytest.mark.slow
def test_the_real_programs(store: Store) -> None:
    tools.find.cache_clear()
    [found] = run(store, SweepPoint(X1, "ecp5"), seeds=1, variants=(Variant.CORE,))
    assert isinstance(found, Measurement)
    assert found.target.name == "ecp5-25k"
    fmax = found.fmax_mhz()
    assert fmax is not None
    assert 200 < fmax < 900
    assert found.critical_path is not None
    assert found.critical_path.start.startswith("core.")
    assert found.area.luts > 100
