"""``runewire generate``."""

import contextlib
import tempfile
from pathlib import Path
from typing import Annotated

import runewire_rtl
import typer
from runewire_model import TranscoderParameters
from runewire_model.errors import check_choice
from runewire_rtl.packages import PACKAGES, chosen

from ..console import output_console, step_progress
from ..failure import UsageFailure
from ..files import made_folder, output_stream
from ..options import with_core, writable_folder


@with_core
def generate(
    parameters: TranscoderParameters,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", show_default=False, callback=writable_folder,
                                         help="Folder to write to; made when it is not there.")],
    package: Annotated[list[str] | None, typer.Option(
        metavar="NAME", show_default=False,
        help=f"Also write what a tool needs, more than once for several: {', '.join(PACKAGES)}.")] = None,
    initial_values: Annotated[str, typer.Option(
        metavar="yes|no",
        help="Initial values of registers: yes for devices that load them; no for those that do not (PolarFire, "
             "SmartFusion2, ASICs): there the core needs one cycle of reset first.")] = "yes",
) -> None:
    """Write a core as Verilog, with a JSON description and an instantiation template."""
    packages = chosen(package or [])
    check_choice("--initial-values", initial_values, ("yes", "no"))
    with contextlib.ExitStack() as stack:
        room = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with step_progress(str(parameters)) as watch:
            try:
                made = runewire_rtl.generate(parameters, room, watch, packages,
                                             initial_values=initial_values == "yes")
            except RuntimeError as error:  # what the writer of Verilog does not know
                raise UsageFailure(f"cannot generate the core: {error}") from error
        with made_folder(output), contextlib.ExitStack() as all_or_none:
            for path in made.paths:
                all_or_none.enter_context(output_stream(output / path.name)).write(path.read_bytes())
    for path in made.paths:
        output_console().print(str(output / path.name))
