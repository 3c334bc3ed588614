"""``runewire synth``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from runewire_fpga import MEMORIES, FailedPoint, Measurement, SweepPoint, Target, Trials, Variant, find, sweep
from runewire_fpga.layout_picture import draw
from runewire_fpga.liberty import CELL_MEMORIES, LIBERTY, CellMeasurement, measure_cells
from runewire_fpga.qflow import OSU018, find_qflow, technology_of
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_model import TranscoderParameters
from runewire_rtl import hardware

from ..completion import device_list, one_of
from ..console import PlainConsole, error_console, output_console, step_progress
from ..files import STANDARD, output_stream, write_bytes
from ..options import with_core, writable
from ..synthesis_options import Jobs, Seeds, progress, store, synth_command
from ..usage_errors import UsageFailure, os_failure


@with_core
def synth(
    parameters: TranscoderParameters,
    target: Annotated[str, typer.Option(
        metavar="DEVICE", autocompletion=device_list,
        help="Device, such as ecp5-85k, ice40-hx8k; ecp5 is the smallest ECP5 that the core fits; liberty is no device "
             "but the cells of --liberty.")] = "ecp5",
    liberty: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False,
        help="With --target liberty: the library of standard cells to map the core to, for an ASIC. Default with "
             "--place: osu018, of qflow.")] = None,
    place: Annotated[bool, typer.Option(
        "--place", help="With --target liberty: place and route the cells with qflow. --liberty must be one of its "
                        "libraries.")] = False,
    layout: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False, callback=writable,
        help="With --place: write a picture of the layout, as SVG.")] = None,
    speed: Annotated[str | None, typer.Option(
        metavar="GRADE", show_default=False, help="Speed grade. Default: the fastest.")] = None,
    memory: Annotated[str | None, typer.Option(
        metavar="|".join(MEMORIES), show_default=False, autocompletion=one_of((*MEMORIES, *CELL_MEMORIES)),
        help="What memories are made of: look-up tables (distributed) for clock, the device's blocks of memory (block) "
             "for area. Default: distributed if the device supports it, block for a compact core. With --target "
             "liberty: registers (default), or macro, which leaves them out.")] = None,
    seeds: Seeds = 3,
    json_file: Annotated[Path | None, typer.Option(
        "--json", metavar="FILE", show_default=False, callback=writable, help="Write the figures as JSON.")] = None,
    jobs: Jobs = None,
) -> None:
    """Synthesise, place and route a core: its clock, area, latency and throughput on a device.

    Native Yosys and nextpnr are used if they are on PATH and recent enough, otherwise the ones from PyPI. With --target
    liberty the core is mapped to standard cells: its area in gate equivalents, and the delay of its gates; with --place
    also the area of its layout, and its delay with wires.
    """
    if layout is not None and not place:
        raise UsageFailure("--layout needs --place: only a placed core has a layout")
    if target == LIBERTY:
        _cells(parameters, liberty, speed, memory, json_file, place=place, layout=layout)
        return
    for option, given in (("--liberty", liberty is not None), ("--place", place)):
        if given:
            raise UsageFailure(f"{option} goes with --target {LIBERTY}, got --target {target}")
    point = SweepPoint(hardware(parameters), target, speed, memory)
    found: list[Measurement | FailedPoint] = []
    trials = Trials(seeds, (Variant.CORE,), lambda point: synth_command(point, seeds))
    with progress([point], trials) as watch:
        try:
            sweep([point], trials, store=store(), done=found.append, watch=watch, jobs=jobs)
        except ToolError as error:
            raise UsageFailure(str(error)) from error
    measured = found[0]
    if isinstance(measured, FailedPoint):
        raise UsageFailure(measured.reason)
    _summary(_written(measured, json_file), measured)


def _cells(parameters: TranscoderParameters, library: Path | None, speed: str | None, memory: str | None,
           json_file: Path | None, *, place: bool, layout: Path | None) -> None:
    """Area and delay of the core in a library of standard cells."""
    if library is None and not place:
        raise UsageFailure(f"--target {LIBERTY} needs --liberty FILE, a library of standard cells")
    if speed is not None:
        raise UsageFailure(f"--speed is a grade of a device: a library has none, got {speed!r}")
    if place and memory == "macro":
        raise UsageFailure("--place needs --memory registers: it places no memory that --memory macro leaves out")
    core, cells = hardware(parameters), library or OSU018
    made_by = synth_command(SweepPoint(core, LIBERTY, memory=memory), liberty=library, place=place)
    with step_progress(str(core)) as watch:
        try:
            if place:
                find_qflow()
            measured = measure_cells(core, cells, memory or CELL_MEMORIES[0], store=store(), made_by=made_by,
                                     technology=technology_of(cells) if place else None, watch=watch)
        except OSError as error:
            raise os_failure(error, "cannot read", cells) from error
    if layout is not None and measured.routed is not None:
        picture = draw(measured.routed.layout, f"{core}, in {measured.routed.technology}")
        write_bytes(layout, picture.encode())
    _cells_summary(_written(measured, json_file), measured)


def _written(measured: Measurement | CellMeasurement, json_file: Path | None) -> PlainConsole:
    """The console for the summary, after the JSON is written."""
    if json_file is not None:
        with output_stream(json_file) as stream:
            stream.write(measured.text().encode())
    return error_console() if json_file == STANDARD else output_console()


def _cells_summary(console: PlainConsole, measured: CellMeasurement) -> None:
    mapped = measured.mapped
    gates = mapped.area - mapped.register_area
    memories = ", ".join(f"{count} of {name.rpartition('_')[2]}" for name, count in sorted(mapped.memories.items()))
    rows = [
        ("core", str(measured.parameters)),
        ("library", f"{mapped.library} ({measured.file}); 1 GE is {mapped.nand.name} of {mapped.nand.area:g}"),
        ("area", f"{mapped.kilogates(mapped.area):.1f} kGE, {mapped.area:,.0f} in the library's unit"),
        ("", f"{mapped.registers:,} flip-flops {mapped.kilogates(mapped.register_area):.1f} kGE, "
             f"gates {mapped.kilogates(gates):.1f} kGE"),
        ("memory", f"macros, not in the area: {memories}" if mapped.memories else "registers"),
        ("latency", f"{measured.latency_cycles} cycles, last beat in to last beat out"),
        ("delay", f"{mapped.delay_ps:,} ps, longest path of gates by ABC, without wires and flip-flops"),
    ]
    if measured.routed is not None:
        routed, die = measured.routed, measured.routed.layout
        rows += [
            ("layout", f"{die.width:.0f} x {die.height:.0f} um in {routed.technology}, "
                       f"{100 * die.cell_area / (die.width * die.height):.0f} % of it cells"),
            ("", f"{len(die.cells):,} cells, {routed.gates / 1000:.1f} kGE with buffers and clock tree; "
                 f"{die.wire_length / 1000:.1f} mm of wire"),
            ("clock", f"{1e6 / routed.period_ps:.0f} MHz, {routed.period_ps:,.0f} ps by vesta, with wires, flip-flops "
                      "and skew"),
            ("slowest path", " -> ".join(routed.path)),
        ]
    _rows(console, [*rows, _tools_row(measured.tool_versions)])


def _tools_row(versions: Mapping[str, str]) -> tuple[str, str]:
    return "tools", ", ".join(f"{name} {version}" for name, version in versions.items())


def _why_not_placed(target: Target) -> str:
    if target.family.nextpnr is not None:
        try:
            find(target.family.nextpnr)
        except MissingToolError as error:
            return str(error)
    return f"{target.name} is for area only, it is not placed"


def _rows(console: PlainConsole, rows: Sequence[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows) + 2
    for name, value in rows:
        console.print(f"{name:<{width}}{value}")


def _layout(core: TranscoderParameters, target: Target) -> list[tuple[str, str]]:
    """A row if the core has the default layout and another one suits the device. Compact cores have only one."""
    suits = target.family.layout
    if core.pipeline == "compact" or "family" in core.unusual or core.family == suits:
        return []
    return [("layout", f"{core.family}, the default; --family {suits} suits this device")]


def _after_limit(target: Target) -> str:
    """With what a seed was placed and routed after the family's limit had ended its first run."""
    family = target.family
    return (f", with {' '.join(family.large)}: nextpnr did not end in {family.limit_s} s of processor time with "
            f"{' '.join(family.for_clock)}")


def _summary(console: PlainConsole, measured: Measurement) -> None:
    target, area = measured.target, measured.area
    rows = [
        ("core", str(measured.parameters)),
        ("device", f"{target.device} ({target.name}), speed grade {measured.speed}"),
        *_layout(measured.parameters, target),
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
        rows.append(("clock", f"none: {_why_not_placed(target)}"))
    else:
        runs = measured.placements[Variant.CORE]
        rows += [(f"seed {run.seed}", f"{run.fmax_mhz:.1f} MHz{_after_limit(target) if run.limited else ''}")
                 for run in runs]
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
    _rows(console, [*rows, _tools_row(measured.tool_versions)])
