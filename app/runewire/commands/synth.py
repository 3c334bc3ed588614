"""``runewire synth``."""

from pathlib import Path
from typing import Annotated, Any

import typer
from runewire_fpga import MEMORIES, Failure, Measurement, Point, Variant, sweep
from runewire_rtl import hardware
from runewire_rtl.errors import ToolError

from ..console import PlainConsole, error_console, output_console
from ..failure import UsageFailure
from ..files import STANDARD, output_stream
from ..implementing import Jobs, Seeds, progress, store, synth_command
from ..options import (
    AnyCore,
    Bom,
    Checked,
    Errors,
    From,
    Lanes,
    Packing,
    Pipeline,
    Replacement,
    To,
    any_parameters,
    with_sidebands,
    writable,
)

VARIANTS = (Variant.CORE,)


@with_sidebands
def synth(
    core: AnyCore,
    from_: From = None,
    to: To = None,
    encoding: Checked = None,
    lanes: Lanes = None,
    errors: Errors = None,
    replacement: Replacement = None,
    bom: Bom = None,
    packing: Packing = None,
    pipeline: Pipeline = None,
    target: Annotated[str, typer.Option(
        help="Device, such as ecp5-85k, ice40-hx8k; ecp5 is the smallest ECP5 that the core fits.")] = "ecp5",
    speed: Annotated[str | None, typer.Option(
        metavar="GRADE", show_default=False, help="Speed grade. Default: the fastest.")] = None,
    memory: Annotated[str | None, typer.Option(
        metavar="|".join(MEMORIES), show_default=False,
        help="What memories are made of: look-up tables (distributed) for clock, the device's blocks of memory (block) "
             "for area. Default: distributed where the device has it, block for a compact core.")] = None,
    seeds: Seeds = 3,
    json_file: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", show_default=False, callback=writable, help="Write the figures as JSON.")] = None,
    jobs: Jobs = None,
    *,
    sidebands: dict[str, Any],
) -> None:
    """Synthesise, place and route a core: its clock, area, latency and throughput on a device.

    Native Yosys and nextpnr are used when they are on PATH and new enough, those from PyPI else.
    """
    parameters = hardware(any_parameters(
        core, from_, to, encoding, lanes=lanes, errors=errors, replacement=replacement, bom=bom, packing=packing,
        pipeline=pipeline, **sidebands))
    point = Point(parameters, target, speed, memory)
    found: list[Measurement | Failure] = []
    with progress([point], seeds, VARIANTS) as watch:
        try:
            sweep([point], seeds=seeds, variants=VARIANTS, store=store(), done=found.append, watch=watch,
                  made_by=lambda point: synth_command(point, seeds), jobs=jobs)
        except ToolError as error:
            raise UsageFailure(str(error)) from error
    measured = found[0]
    if isinstance(measured, Failure):
        raise UsageFailure(measured.reason)
    if json_file is not None:
        with output_stream(json_file) as stream:
            stream.write(measured.text().encode())
    _summary(error_console() if json_file == STANDARD else output_console(), measured)


def _summary(console: PlainConsole, measured: Measurement) -> None:
    target, area = measured.target, measured.area
    rows = [
        ("core", str(measured.parameters)),
        ("device", f"{target.device} ({target.name}), speed grade {measured.speed}"),
        ("area", f"{area.luts:,} LUT, {area.ffs:,} FF"),
        ("memory", f"{measured.memory}: {area.block_ram} block RAM of {target.family.block_ram_kbit} kbit, "
                   f"{area.distributed_ram} memories in {area.memory_luts:,} of the LUT"),
    ]
    if target.capacity is not None:
        rows.append(("", f"{100 * area.luts / target.capacity.luts:.1f} % of the device's LUT, "
                         f"{100 * area.ffs / target.capacity.ffs:.1f} % of its FF"))
    rows.append(("latency", f"{measured.latency_cycles} cycles, last beat in to last beat out"))
    path, clock, rate = measured.critical_path, measured.clock, measured.gigabytes_per_second
    if path is None or clock is None or rate is None:
        rows.append(("clock", f"none: {target.name} is for area only, it is not placed"))
    else:
        runs = measured.placements[Variant.CORE]
        rows += [(f"seed {run.seed}", f"{run.fmax_mhz:.1f} MHz") for run in runs]
        where = "out of context" if target.family.out_of_context else "between registers"
        rows.append(("Fmax", f"{clock.fmax_mhz:.1f} MHz, median, placed {where}"))
        rows += [("limit" if index == 0 else "", f"{limit.what}: "
                  + ("not known" if limit.mhz is None else f"{limit.mhz:.1f} MHz") + f" ({limit.source})")
                 for index, limit in enumerate(clock.limits)]
        unsure = f"; it may be lower: {', '.join(clock.unsure_of)}" if clock.unsure_of else ""
        rows.append(("clock", f"{clock.mhz:.1f} MHz, held by {clock.held_by}{unsure}"))
        rows.append(("throughput", f"{measured.bytes_per_cycle} bytes per cycle, {rate:.2f} GB/s"))
        rows.append(("slowest path", " -> ".join([path.start, *path.nets, path.end])))
        rows.append(("", f"logic {path.logic_ns:.2f} ns, routing {path.routing_ns:.2f} ns"))
    rows.append(("tools", ", ".join(f"{name} {version}" for name, version in measured.tool_versions.items())))
    width = max(len(name) for name, _ in rows) + 2
    for name, value in rows:
        console.print(f"{name:<{width}}{value}")
