"""Benches for the parts of the cores, under Amaranth's own simulator."""

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import ClockDomain, Elaboratable, Module, Signal, Value
from amaranth.sim import Simulator
from runewire_rtl import Generated, generate, parameters, yowasp
from runewire_rtl.input.input_stage import InputStage
from runewire_rtl.pipeline import BeatFlags, Lanes, Pipeline, Plan, Timed

WRITTEN = [
    {"core": "validator", "lanes": 1},
    {"core": "validator", "lanes": 16, "pipeline": "compact"},
    {"core": "decoder", "lanes": 2},
    {"core": "decoder", "lanes": 1, "errors": "drop", "bom": "strip"},
    {"core": "decoder", "lanes": 4, "packing": "sparse", "pipeline": "balanced"},
    {"core": "encoder", "lanes": 2},
]
WIDER_WRITTEN = {"core": "decoder", "lanes": 8}
"""Cores whose files are read as users read them."""

Stimulus = Sequence[tuple[Value, int]]

MITER = """\
design -copy-from gold -as gold gold
miter -equiv -flatten gold gate miter
hierarchy -top miter
memory -nomap
memory_map
opt_expr
opt_clean
async2sync
dffunmap
setundef -undriven -zero
techmap
dffunmap
opt_expr
opt_clean
aigmap
write_aiger -zinit miter.aig
"""


def simulated(design: Elaboratable, *benches: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    """Run test benches on ``design``, clocked in domain ``sync``."""
    # A part without registers has no clock domain of its own.
    top = Module()
    top.domains.sync = ClockDomain()
    top.submodules.design = design
    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    for bench in benches:
        simulator.add_testbench(bench)
    simulator.run()


def clocked(
    design: Elaboratable, stimuli: Iterable[Stimulus], outputs: Sequence[Value]
) -> list[tuple[int, ...]]:
    """The outputs in each cycle, sampled just before the clock edge that ends it, while inputs follow the stimuli."""
    seen: list[tuple[int, ...]] = []

    async def bench(ctx):
        for stimulus in stimuli:
            for signal, value in stimulus:
                ctx.set(signal, value)
            _, _, *values = await ctx.tick().sample(*outputs)
            seen.append(tuple(int(value) for value in values))

    simulated(design, bench)
    return seen


@dataclass(frozen=True)
class Beat:
    """A beat as a pipeline receives it. ``data``: one value per lane, and one more for the lane after it if there is
    one.
    ``keep``: one bit per byte."""

    data: Sequence[int]
    keep: int
    last: bool


def cut(packets: Iterable[bytes], lanes: int) -> list[Beat]:
    """Packets as the source emits them: with the byte after each beat, and ASCII if there is none."""
    rng = random.Random(lanes)
    beats = []
    for packet in packets:
        padded = [*packet, *(rng.randrange(128) for _ in range(2 * lanes))]
        starts = range(0, max(1, len(packet)), lanes)
        for start in starts:
            kept = min(lanes, len(packet) - start)
            beats.append(Beat(padded[start : start + lanes + 1], (1 << kept) - 1, start == starts[-1]))
    return beats


@dataclass
class LaneBench:
    """A pipeline over ``lanes`` lanes of ``width`` bits, and one more after them with ``lookahead``.

    ``source``: the pipeline's end of a core's input stage, with ``unit_bytes`` keep bits per lane. ``keep``: whether a
    lane is present, in a beat.
    """

    lanes: int
    plan: Plan = Plan.FAST
    width: int = 8
    lookahead: bool = True
    unit_bytes: int = 1
    gaps: float = 0.2
    m: Module = field(default_factory=Module)

    def __post_init__(self) -> None:
        self._valid, self._last = Signal(name="in_valid"), Signal(name="in_last")
        self._keep = Signal(self.lanes * self.unit_bytes)
        self._data = [Signal(self.width, name=f"in{i}") for i in range(self.lanes + self.lookahead)]
        self.pipeline = Pipeline(self.m, self.plan, BeatFlags(self._valid, self._last))
        self.data = self._lanes("data", self._data)
        keeps = [self._keep.word_select(lane, self.unit_bytes) for lane in range(self.lanes)]
        self.keep = self._lanes("there", [keep[0] & self._valid for keep in keeps])
        self.source = InputStage(
            self.pipeline, self.data, self._lanes("keep", keeps), Signal(), latency=0, lookahead=self.lookahead)

    def _lanes(self, name: str, values: Sequence[Value]) -> Lanes:
        timed = [self.pipeline.enter(value, f"{name}{i}") for i, value in enumerate(values)]
        return Lanes(self.pipeline, name, timed, self.lanes)

    def run(self, beats: Iterable[Beat], results: Sequence[Timed]) -> list[tuple[int, ...]]:
        """The results for each beat; between beats the pipeline receives noise with ``valid`` low."""
        rng = random.Random(7)
        taken: list[int] = []
        delay = [self.pipeline.latency(result.step) for result in results]

        def stimuli():
            cycle = 0
            for beat in beats:
                while rng.random() < self.gaps:
                    noise = [rng.getrandbits(self.width) for _ in self._data]
                    yield self._drive(noise, rng.getrandbits(len(self._keep)), rng.random() < 0.5, valid=False)
                    cycle += 1
                taken.append(cycle)
                cycle += 1
                yield self._drive(beat.data, beat.keep, beat.last, valid=True)
            for _ in range(max(delay) + 1):
                yield [(self._valid, 0)]

        seen = clocked(self.m, stimuli(), [result.at(result.step) for result in results])
        return [tuple(seen[cycle + delay[i]][i] for i in range(len(results))) for cycle in taken]

    def _drive(self, data: Sequence[int], keep: int, last: bool, *, valid: bool) -> Stimulus:
        lanes = zip(self._data, data, strict=False)
        return [*lanes, (self._keep, keep), (self._last, int(last)), (self._valid, int(valid))]


@pytest.fixture(scope="session")
def simulate() -> Callable[..., None]:
    """`simulated`."""
    return simulated


@pytest.fixture(scope="session")
def cycles() -> Callable[..., list[tuple[int, ...]]]:
    """`clocked`."""
    return clocked


@pytest.fixture(scope="session")
def lane_bench() -> type[LaneBench]:
    """`LaneBench`."""
    return LaneBench


@pytest.fixture(scope="session")
def beat() -> type[Beat]:
    """`Beat`."""
    return Beat


@pytest.fixture(scope="session")
def cut_packets() -> Callable[[Iterable[bytes], int], list[Beat]]:
    """`cut`."""
    return cut


REPRESENTATIVES = bytes.fromhex("41 80 90 A0 C0 C2 E0 E1 ED F0 F1 F4 F5 F8")
"""A byte of each class that the grammar distinguishes."""

CHARACTERS = [0x41, 0xE9, 0x7FF, 0x800, 0x20AC, 0xFEFF, 0xFFFF, 0x10000, 0x1F600]
"""Characters of every length, at the edges of their ranges and inside."""

ILL_FORMED = [bytes.fromhex(sequence) for sequence in (
    "C0 80", "C1 BF", "E0 80 80", "E0 9F BF", "ED A0 80", "ED BF BF", "F0 80 80 80", "F0 8F BF BF", "F4 90 80 80",
    "F5 80 80 80", "F7 BF BF BF", "F8 88 80 80 80",
)]
"""Complete sequences with every kind of wrong value, and a byte that starts none."""


@pytest.fixture(scope="session")
def representatives() -> bytes:
    return REPRESENTATIVES


@pytest.fixture(scope="session")
def mixed_packets() -> Callable[[int, int], list[bytes]]:
    """A number of short packets, of characters of every length, damaged at random, by seed."""
    def make(count: int, seed: int) -> list[bytes]:
        rng = random.Random(seed)
        packets = [b"", b"", b"A", b""]
        while len(packets) < count:
            parts = [
                bytes([rng.choice(REPRESENTATIVES)]) if rng.random() < 0.2
                else rng.choice(ILL_FORMED) if rng.random() < 0.1
                else chr(rng.choice(CHARACTERS)).encode()
                for _ in range(rng.randrange(9))
            ]
            packet = b"".join(parts)
            packets.append(packet[: len(packet) - rng.randrange(3)])
        return packets
    return make


@pytest.fixture
def proven_same(tmp_path: Path) -> Callable[..., bool]:
    """Whether two circuits, each RTLIL or Verilog with the name of its module, are proven equivalent: from the initial
    values on, in every reachable state, memories included. Needs ABC."""
    def proven(*circuits: tuple[str, str]) -> bool:
        script = ""
        for name, (text, module) in zip(("gold", "gate"), circuits, strict=True):
            # Not permitted to differ if a row is read while it is written.
            (tmp_path / name).write_text(re.sub(
                r"attribute \\no_rw_check .*\n|\(\* no_rw_check = 1 \*\)", "", text))
            kind = "rtlil" if f"module \\{module}\n" in text else "verilog"
            script += (f"read_{kind} {name}\nhierarchy -top {module}\nproc\nflatten\nattrmap -modattr -remove top\n"
                       f"rename {module} {name}\n")
            script += "design -stash gold\n" if name == "gold" else MITER
        (tmp_path / "miter.ys").write_text(script)
        subprocess.run([*yowasp.command("yosys"), "-q", "miter.ys"], cwd=tmp_path, check=True)
        abc = next(filter(None, map(shutil.which, ("berkeley-abc", "abc"))))
        said = subprocess.run([abc, "-c", f"read {tmp_path / 'miter.aig'}; strash; scorr; pdr -T 100"],
                              capture_output=True, text=True, check=True).stdout
        return "Property proved" in said

    return proven


def _named(options: dict[str, object]) -> str:
    return "-".join(str(value) for value in options.values())


@pytest.fixture(scope="session")
def generated_once(tmp_path_factory) -> Callable[..., Generated]:
    """Generates each configuration once, in a directory of its own."""
    @cache
    def make(**options: object) -> Generated:
        return generate(parameters(**options), tmp_path_factory.mktemp("generated"))
    return make


@pytest.fixture(params=[*WRITTEN, pytest.param(WIDER_WRITTEN, marks=pytest.mark.slow)], ids=_named)
def made(request, generated_once) -> Generated:
    """The files of a core."""
    return generated_once(**request.param)


@pytest.fixture
def all_made(generated_once) -> list[Generated]:
    """The files of all these cores but the wide one."""
    return [generated_once(**options) for options in WRITTEN]
