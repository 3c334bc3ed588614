"""``runewire generate``."""

import tempfile
from pathlib import Path
from typing import Annotated

import runewire_rtl
import typer

from ..console import output_console
from ..failure import UsageFailure, os_failure
from ..files import write_bytes
from ..options import Bom, Core, Errors, Lanes, Packing, Pipeline, core_parameters


def generate(
    core: Core,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", show_default=False,
                                         help="Folder to write to; made when it is not there.")],
    lanes: Lanes = None,
    errors: Errors = None,
    bom: Bom = None,
    packing: Packing = None,
    pipeline: Pipeline = None,
) -> None:
    """Write a core as Verilog, with a JSON description and an instantiation template."""
    parameters = core_parameters(core, lanes=lanes, errors=errors, bom=bom, packing=packing,
                                 pipeline=pipeline)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise os_failure(error, "cannot make the folder", output) from error
    console = output_console()
    with tempfile.TemporaryDirectory() as room:
        try:
            made = runewire_rtl.generate(parameters, Path(room))
        except RuntimeError as error:  # Yosys, as on a full disk
            raise UsageFailure(f"cannot generate the core: {error}") from error
        for path in (made.verilog, made.description, made.template):
            write_bytes(output / path.name, path.read_bytes())
            console.print(str(output / path.name))
