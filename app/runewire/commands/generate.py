"""``runewire generate``."""

import contextlib
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, cast

import typer
from runewire_model import TranscoderParameters
from runewire_model.core_options import words
from runewire_model.errors import check_choice
from runewire_rtl.packages import PACKAGES, chosen

from ..completion import list_of, one_of
from ..console import output_console, step_progress
from ..cores import Core, PackageName
from ..description import described
from ..files import made_folder, output_stream
from ..options import with_core_or, writable_folder
from ..usage_errors import UsageFailure


@with_core_or("Or --from-description.")
def generate(
    parameters: TranscoderParameters | None = None,
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", show_default=False, callback=writable_folder,
                                         help="Folder to write to; made when it is not there.")],
    package: Annotated[list[str] | None, typer.Option(
        metavar="NAME,…", show_default=False, autocompletion=list_of(PACKAGES),
        help=f"Also write what other tools need, one or several: {', '.join(PACKAGES)}.")] = None,
    initial_values: Annotated[str | None, typer.Option(
        metavar="yes|no", show_default=False, autocompletion=one_of(("yes", "no")),
        help="Initial values of registers: yes (default) for devices that load them; no for those that do not "
             "(PolarFire, SmartFusion2, ASICs): there the core needs one cycle of reset first.")] = None,
    from_description: Annotated[Path | None, typer.Option(
        metavar="FILE", show_default=False,
        help="Instead of CORE and its options: a JSON description that this version wrote. The same files again, byte "
             "for byte.")] = None,
    as_json: Annotated[bool, typer.Option(
        "--json", help="Print JSON: the files that were written, and the core's description.")] = False,
) -> None:
    """Write a core as Verilog, with a JSON description and an instantiation template."""
    packages = cast("list[PackageName]", [name for each in package or [] for name in words(each)])
    chosen(packages)  # refused before any work
    check_choice("initial_values", initial_values or "yes", ("yes", "no"))
    starts = initial_values != "no"
    if from_description is not None:
        if parameters is not None or initial_values is not None:
            given = "a CORE" if parameters is not None else "--initial-values"
            raise UsageFailure(f"give {given} or --from-description, not both")
        parameters, starts = described(from_description)
    if parameters is None:
        raise UsageFailure("give a CORE, such as decoder, or --from-description FILE")
    with contextlib.ExitStack() as stack:
        room = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with step_progress(str(parameters)) as watch:
            try:
                made = Core(parameters).write(room, packages, initial_values=starts, watch=watch)
            except RuntimeError as error:  # netlists that the Verilog writer does not support
                raise UsageFailure(f"cannot generate the core: {error}") from error
        with made_folder(output), contextlib.ExitStack() as all_or_none:
            for path in made.paths:
                all_or_none.enter_context(output_stream(output / path.name)).write(path.read_bytes())
        _print([output / path.name for path in made.paths], made.description.read_text() if as_json else None)


def _print(paths: Iterable[Path], description: str | None) -> None:
    """Print the written files, one a line, or with the description as JSON."""
    if description is not None:
        made = {"files": [str(path) for path in paths], "description": json.loads(description)}
        print(json.dumps(made, indent=2))
        return
    for path in paths:
        output_console().print(str(path))
