"""``runewire sweep`` and ``runewire datasheet``."""

import contextlib
import shlex
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from runewire_fpga import MEMORIES, FailedPoint, Measurement, SweepPoint, Trials, Variant, digests
from runewire_fpga import datasheet as sheet
from runewire_fpga import sweep as run
from runewire_jobs.cluster import cluster
from runewire_jobs.errors import ToolError
from runewire_model import ParameterError
from runewire_model.core_options import core_parameters, option_words, words
from runewire_model.errors import Named, check_choice
from runewire_model.transcoder import CORES, PACKINGS, PIPELINES, TRANSCODER, option_text
from runewire_rtl import hardware

from ..completion import device_list, list_of
from ..console import error_console, output_console
from ..options import Checked, Errors, Family, From, Replacement, To, with_sidebands, writable_folder
from ..parallel import Scheduler
from ..synthesis_options import Jobs, Seeds, progress, store
from ..usage_errors import UsageFailure

LANES = "1,2,4,8,16,32,64,128,256"
BESIDE = ",".join(variant.value for variant in Variant if variant is not Variant.CORE)
FOLDER, PAGE = Path("records/datasheet"), Path("docs/datasheet.md")
"""The project's own measurements, and their page."""

Folder = Annotated[Path, typer.Option(
    "-o", "--output", metavar="DIR", callback=writable_folder,
    help=f"Folder of the measurements; the page is next to it, and that of {FOLDER} is {PAGE}.")]


@with_sidebands
def sweep(
    cores: Annotated[str, typer.Option(metavar="CORE,…", autocompletion=list_of((*CORES, TRANSCODER)),
                                       help="Cores, transcoder among them.")] = ",".join(CORES),
    from_: From = None,
    to: To = None,
    encoding: Checked = None,
    errors: Errors = None,
    replacement: Replacement = None,
    family: Family = None,
    lanes: Annotated[str, typer.Option(
        metavar="N,…", help="Widths; those that a core does not come in are left out.")] = LANES,
    packings: Annotated[str, typer.Option(
        metavar="PACKING,…", autocompletion=list_of(PACKINGS), help="Of decoders.")] = ",".join(PACKINGS),
    pipelines: Annotated[str, typer.Option(
        metavar="PIPELINE,…", autocompletion=list_of(PIPELINES), help="Of every core.")] = "fast",
    targets: Annotated[str, typer.Option(
        metavar="DEVICE,…", autocompletion=device_list, help="Devices.")] = "ecp5,ecp5-85k",
    memory: Annotated[str | None, typer.Option(
        metavar="MEMORY,…", show_default=False, autocompletion=list_of(MEMORIES),
        help=f"What memories are made of: {', '.join(MEMORIES)}. Default: what suits the pipeline and the device.",
    )] = None,
    speed: Annotated[str | None, typer.Option(
        metavar="GRADE", show_default=False, help="Speed grade. Default: the fastest of the device.")] = None,
    beside: Annotated[str, typer.Option(
        metavar="DESIGN,…", autocompletion=list_of(BESIDE.split(",")),
        help="What each core is held against; with nothing, the cores alone.")] = BESIDE,
    seeds: Seeds = 3,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    output: Folder = FOLDER,
    *,
    sidebands: dict[str, Any],
) -> int:
    """Measure cores on devices, each next to its ceilings, and write the datasheet.

    Existing measurements are not repeated: the same command continues after an interruption. Exit status 0: all were
    measured; 1: some could not be, the others are written.
    """
    texts = {"from_": from_, "to": to, "encoding": encoding, "errors": errors, "replacement": replacement,
             "family": family}
    places = [(target, speed, made_of) for target in words(targets)
              for made_of in ([None] if memory is None else words(memory))]
    points = list(_points(words(cores), {**texts, **sidebands}, words(lanes), words(packings), words(pipelines),
                          places))
    if not points:
        raise UsageFailure(f"no core comes in any width of {lanes}")
    asked = {"cores": (cores, ",".join(CORES)),
             **{name.strip("_"): (None if value is None else option_text(name, value), None)
                for name, value in texts.items()},
             "lanes": (lanes, LANES),
             "packings": (packings, ",".join(PACKINGS)), "pipelines": (pipelines, "fast"),
             "targets": (targets, "ecp5,ecp5-85k"), "memory": (memory, None), "speed": (speed, None),
             "beside": (beside, BESIDE),
             "seeds": (str(seeds), "3")}
    options = [word for name, (value, usual) in asked.items() if value is not None and value != usual
               for word in (f"--{name}", value)] + option_words(sidebands)
    command = shlex.join(["runewire", "sweep", *options])
    trials = Trials(seeds, (Variant.CORE, *_variants(beside)), lambda point: command)
    console = output_console()
    failures: list[FailedPoint] = []
    names: set[str] = set()

    def done(measured: Measurement | FailedPoint) -> None:
        if isinstance(measured, FailedPoint):
            failures.append(measured)
            console.print(f"{measured.point}: {measured.reason}")
            if measured.measured:
                sheet.add(output, measured.measured)
            return
        path = sheet.add(output, measured)
        # A name for several targets may resolve to one that was requested by its own name.
        if measured.name not in names:
            names.add(measured.name)
            console.print(f"{path}  {_figures(measured)}")

    try:
        with contextlib.ExitStack() as stack:
            executor = stack.enter_context(cluster(scheduler)).executor if scheduler else None
            watch = stack.enter_context(progress(points, trials))
            run(points, trials, store=store(), done=done, watch=watch, executor=executor, jobs=jobs)
    except ToolError as error:
        raise UsageFailure(str(error)) from error
    if any(each.measured for each in failures) or len(failures) < len(points):
        console.print(str(_written(output, jobs)))
    if failures:
        error_console().print(f"runewire: {len(failures)} of {len(points)} could not be measured")
    return 1 if failures else 0


def datasheet(output: Folder = FOLDER, jobs: Jobs = None) -> None:
    """Write the datasheet's page and charts again, from the measurements in its folder.

    Clocks follow the present limits of the devices. Measurements of another design are marked; this generates the cores
    of this version. Nothing is placed again.
    """
    output_console().print(str(_written(output, jobs)))


def _written(output: Path, jobs: int | None) -> Path:
    """The page, after it and the measurements are written."""
    try:
        sheet.refresh(output, lambda cores: digests(cores, store(), jobs))
    except ToolError as error:
        raise UsageFailure(str(error)) from error
    return sheet.write(output, PAGE if output == FOLDER else None)


def _variants(beside: str) -> list[Variant]:
    """The variants that cores are compared with, by name."""
    known = BESIDE.split(",")
    for word in words(beside):
        check_choice("beside", word, known)
    return [Variant(word) for word in known if word in words(beside)]


def _points(cores: Sequence[str], options: Mapping[str, Any], lanes: Sequence[str], packings: Sequence[str],
            pipelines: Sequence[str], places: Sequence[tuple[str, str | None, str | None]]) -> dict[SweepPoint, None]:
    """Every combination that exists, once, the narrow cores first; ``places``: target, speed grade and memory."""
    points: dict[SweepPoint, None] = {}
    for width, core, pipeline in product(lanes, cores, pipelines):
        if not width.isdecimal():
            raise ParameterError(Named("lanes"), f" must be numbers with commas between, got {width!r}")
        given: dict[str, Any] = {**options, "lanes": int(width), "pipeline": pipeline}
        try:
            has = core_parameters(core, **given).options
        except ParameterError as error:
            if error.parameter == "lanes":
                continue
            raise
        for choice in [{"packing": packing} for packing in packings] if "packing" in has else [{}]:
            made = hardware(core_parameters(core, **given, **choice))
            points |= dict.fromkeys(SweepPoint(made, *place) for place in places)
    return points


def _figures(measured: Measurement) -> str:
    area, found = measured.area, measured.clock
    clock = "" if found is None else f"{found.mhz:.0f} MHz (Fmax {found.fmax_mhz:.0f}), "
    return f"{clock}{area.luts:,} LUT, {area.ffs:,} FF, {area.block_ram} block RAM"
