"""Sweeps: measures many cores on many devices in parallel, and reuses stored results."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import importlib.metadata
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import cache, partial
from typing import TypeVar

import runewire_model
from runewire_jobs.cache import Store
from runewire_jobs.errors import MissingToolError, ToolError, worker_failure
from runewire_jobs.fingerprint import digest, sources
from runewire_rtl.parameters import TranscoderParameters

from .designs import StandaloneDesign, Variant, between_registers, design_apart
from .measurement import Measurement
from .place_and_route import CriticalPath, Placement, arguments, constraints, place
from .points import FailedPoint, SweepPoint, Trials
from .synthesis import Netlist, plain_script, script, synthesise
from .targets import TARGETS, DeviceFamily, Target, smallest, target
from .tool_flow import module_text
from .tools import DISTRIBUTIONS, Tool, Tools, find
from .write_modes import fast_write_modes

T = TypeVar("T")
Watch = Callable[[str], None]
"""Called after each step with its name."""


def sweep(
    points: Iterable[SweepPoint], trials: Trials, *, store: Store, done: Callable[[Measurement | FailedPoint], None],
    watch: Watch = lambda step: None, executor: Executor | None = None, jobs: int | None = None,
) -> None:
    """Measure every point; ``done`` is called with each result as it comes. Results in the store are used again.

    ``jobs`` programs run at a time on this machine (default: one a processor), and are ended on an interrupt; with an
    ``executor`` synthesis and place and route run there instead. Raises `ValueError` for a target, a speed grade or a
    memory that does not exist, ToolError when the executor is lost.
    """
    checked = [(point, *point.checked()) for point in points]
    with _machine(jobs) as (threads, tools):
        run = _Sweep(trials, store, threads, tools, executor, watch)
        try:
            asyncio.run(run.all(checked, done))
        except asyncio.CancelledError as error:
            if executor is None:
                raise
            raise ToolError("the cluster was lost; what it did is kept, run the same again") from error


@contextlib.contextmanager
def _machine(jobs: int | None) -> Iterator[tuple[ThreadPoolExecutor, Tools]]:
    """``jobs`` threads (default: one a processor) and the programs that they run, which any exception ends."""
    tools = Tools()
    with ThreadPoolExecutor(jobs or os.cpu_count()) as threads:
        try:
            yield threads, tools
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            tools.stop()
            raise


def digests(
    cores: Iterable[TranscoderParameters], store: Store, jobs: int | None = None,
) -> dict[TranscoderParameters, str]:
    """The digest of each core's design, as it is generated now. Raises ToolError."""
    wanted = list(dict.fromkeys(cores))
    with _machine(jobs) as (threads, tools):
        run = _Sweep(Trials(0, (), lambda point: ""), store, threads, tools, None, lambda step: None)

        async def designs() -> list[StandaloneDesign]:
            return await _together([run.design(core, Variant.CORE) for core in wanted])

        made = asyncio.run(designs())
    return {core: design.digest for core, design in zip(wanted, made, strict=True)}


class _Sweep:
    def __init__(self, trials: Trials, store: Store, threads: ThreadPoolExecutor, tools: Tools,
                 executor: Executor | None, watch: Watch) -> None:
        self.trials = trials
        self.store = store
        self.threads = threads
        self.tools = tools
        self.executor = executor
        self.watch = watch
        self.under_way: dict[str, asyncio.Task[bytes]] = {}

    async def all(self, points: Sequence[tuple[SweepPoint, str, str]],
                  done: Callable[[Measurement | FailedPoint], None]) -> None:
        tasks = [asyncio.create_task(self.point(*checked)) for checked in points]
        try:
            for result in asyncio.as_completed(tasks):
                done(await result)
        finally:
            everything = [*tasks, *self.under_way.values()]
            for task in everything:
                task.cancel()
            await asyncio.gather(*everything, return_exceptions=True)

    async def point(self, point: SweepPoint, speed: str, memory: str) -> Measurement | FailedPoint:
        try:
            found = await self.measure(point, speed, memory)
        except ToolError as error:
            return FailedPoint(point, str(error))
        area, device = found.area, found.target
        if device.fits(area):
            return found
        have = device.capacity
        assert have is not None
        return FailedPoint(
            point, f"the core needs {area.luts} LUT, {area.ffs} FF and {area.block_ram} blocks of memory; "
                   f"{device.name} has {have.luts}, {have.ffs} and {have.block_ram}", found)

    async def measure(self, point: SweepPoint, speed: str, memory: str) -> Measurement:
        """The point's measurement, without any placement where the core does not fit the device, or `placer` is None.
        """
        family = target(point.target).family
        core = await self.design(point.parameters, Variant.CORE)
        self.watch(f"{core.top}: Verilog")
        bare = await self.netlist(core, point, target(point.target), memory, bare=True)
        self.watch(f"{core.top}: netlist")
        area = family.area(bare.cells)
        device = smallest(point.target, area)
        versions = {"runewire": runewire_model.__version__, **_generator_versions()}
        versions["yosys"] = find("yosys").version
        placements: dict[Variant, Sequence[Placement]] = {}
        plain = None
        program = placer(family)
        if program is not None and device.fits(area):
            versions[program.name] = program.version
            variants = self.trials.placed(out_of_context=family.out_of_context)
            runs = await _together([
                self.variant(point, variant, device, speed, memory, bare.cells) for variant in variants])
            placements = dict(zip(variants, runs, strict=True))
            if Variant.PLAIN_FLOW in variants:
                plain = await self.netlist(core, point, device, memory, bare=True, plain=True)
                if not family.out_of_context:
                    self.watch(f"{core.top}: netlist")
        return Measurement(
            parameters=point.parameters,
            target=device,
            speed=speed,
            memory=memory,
            cells=bare.cells,
            area=area,
            latency_cycles=core.latency_cycles,
            design=core.digest,
            placements=placements,
            plain_cells=None if plain is None else plain.cells,
            tool_versions=versions,
            made_by=self.trials.made_by(point),
        )

    async def variant(self, point: SweepPoint, variant: Variant, device: Target, speed: str,
                      memory: str, core: Mapping[str, int]) -> list[Placement]:
        made = await self.design(point.parameters, variant)
        bare = device.family.out_of_context
        if not bare:
            made = between_registers(made)
        plain = variant is Variant.PLAIN_FLOW
        netlist = await self.netlist(made, point, device, memory, bare=bare, plain=plain)
        if variant is Variant.CORE:
            netlist = replace(netlist, core=core)
        if variant is not Variant.CORE or not bare:
            self.watch(f"{made.top}: netlist")
        return await _together([
            self.placement(netlist, device, speed, seed, made.top, plain) for seed in range(1, self.trials.seeds + 1)])

    async def design(self, parameters: TranscoderParameters, variant: Variant) -> StandaloneDesign:
        key = digest("design", _generator(), repr(parameters), variant.value)

        async def make() -> bytes:
            made = await asyncio.get_running_loop().run_in_executor(
                self.threads, design_apart, parameters, variant, self.tools)
            return gzip.compress(made.to_json().encode(), compresslevel=3, mtime=0)

        return StandaloneDesign.from_json(gzip.decompress(await self.once(key, make)).decode())

    async def netlist(self, made: StandaloneDesign, point: SweepPoint, device: Target, memory: str, *, bare: bool,
                      plain: bool = False) -> Netlist:
        if plain:
            commands = plain_script(device.family, made.top, bare=bare)
        else:
            compact = point.parameters.pipeline == "compact"
            commands = script(device.family, made.top, bare=bare, memory=memory, compact=compact)
        version = find("yosys").version
        key = digest("netlist", module_text("output_registers"), module_text("synthesis"), made.verilog, commands,
                     str(plain), version)

        async def make() -> bytes:
            found = await self.work(_synthesise, version, made.verilog, commands, plain)
            return json.dumps(dict(found.cells)).encode() + b"\n" + found.json

        cells, _, netlist = (await self.once(key, make)).partition(b"\n")
        found = Netlist(netlist, json.loads(cells))
        return found if plain else fast_write_modes(found)

    async def placement(self, netlist: Netlist, device: Target, speed: str, seed: int, top: str,
                        plain: bool) -> Placement:
        assert device.family.nextpnr is not None
        version = find(device.family.nextpnr).version
        asked = [*arguments(device, speed, netlist, plain=plain), constraints(device), str(seed)]
        key = digest("placement", netlist.json, version, *asked)

        async def make() -> bytes:
            found = await self.work(_place, version, netlist, device.name, speed, seed, plain)
            return json.dumps(asdict(found)).encode()

        kept = json.loads(await self.once(key, make))
        path = kept.pop("critical_path")
        self.watch(f"{top}: seed {seed}")
        return Placement(**kept, critical_path=CriticalPath(**{**path, "nets": tuple(path["nets"])}))

    async def once(self, key: str, make: Callable[[], Awaitable[bytes]]) -> bytes:
        """The store's entry ``key``, made if it is not there, and by one only of all that ask for it."""
        if key not in self.under_way:
            self.under_way[key] = asyncio.create_task(self._once(key, make))
        try:
            return await self.under_way[key]
        finally:
            self.under_way.pop(key, None)

    async def _once(self, key: str, make: Callable[[], Awaitable[bytes]]) -> bytes:
        kept = self.store.get(key)
        if kept is None:
            kept = await make()
            self.store.put(key, kept)
        return kept

    async def work(self, function: Callable[..., T], *given: object) -> T:
        """A function of this module, called where the work is done."""
        loop = asyncio.get_running_loop()
        if self.executor is None:
            return await loop.run_in_executor(self.threads, partial(function, *given, tools=self.tools))
        try:
            return await loop.run_in_executor(self.executor, partial(function, *given))
        except ToolError:
            raise
        except Exception as error:
            raise worker_failure(error) from error


def placer(family: DeviceFamily) -> Tool | None:
    """The program that places and routes for the family.

    None for a family that is for area only, and where a program of `DISTRIBUTIONS` is missing. Raises MissingToolError
    for any other.
    """
    if family.nextpnr is None:
        return None
    try:
        return find(family.nextpnr)
    except MissingToolError:
        if family.nextpnr in DISTRIBUTIONS:
            return None
        raise


async def _together(tasks: Sequence[Awaitable[T]]) -> list[T]:
    """The results of all; when one fails, none is left running."""
    futures = [asyncio.ensure_future(task) for task in tasks]
    try:
        return await asyncio.gather(*futures)
    finally:
        for future in futures:
            future.cancel()
        await asyncio.gather(*futures, return_exceptions=True)


def _synthesise(version: str, verilog: str, commands: str, plain: bool, tools: Tools | None = None) -> Netlist:
    _same("yosys", version)
    return synthesise(verilog, commands, tools, plain=plain)


def _place(version: str, netlist: Netlist, device: str, speed: str, seed: int, plain: bool,
           tools: Tools | None = None) -> Placement:
    nextpnr = TARGETS[device].family.nextpnr
    assert nextpnr is not None
    _same(nextpnr, version)
    return place(netlist, TARGETS[device], speed, seed, tools, plain=plain)


def _same(name: str, version: str) -> None:
    """On another machine: that its program is the one whose results are asked for."""
    if (found := find(name).version) != version:
        raise ToolError(f"a worker has another {name} than this machine: {found}, not {version}")


@cache
def _generator_versions() -> dict[str, str]:
    return {"amaranth": importlib.metadata.version("amaranth")}


@cache
def _generator() -> str:
    """Fingerprint of everything that decides the designs."""
    return digest(sources("runewire_model", "runewire_rtl"), module_text("designs"))
