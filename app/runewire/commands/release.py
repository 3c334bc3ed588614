"""``runewire release``."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from runewire_benchmark import datasheet as sheet
from runewire_model import TranscoderParameters

from .. import release as releases
from ..console import error_console, output_console
from ..options import DatasheetFolder, writable_folder
from ..usage_errors import UsageFailure, os_failure


def release(
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", show_default=False, callback=writable_folder,
                                         help="Folder to write to; not there yet, or empty.")],
    datasheet: DatasheetFolder = None,
) -> None:
    """Write every core of the datasheet with all its packages, a page and checksums, for use without Python.

    The same version writes the same bytes on every machine. The folder appears when it is complete. After an
    interruption the same command continues.
    """
    entries = sheet.load(datasheet)
    if not entries:
        raise UsageFailure("the datasheet has no cores")
    if output.is_dir() and any(output.iterdir()):
        raise UsageFailure(f"cannot write a release to {output}: the folder is not empty")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as room:
            draft = Path(room) / "release"
            draft.mkdir()
            with _progress(len(releases.cores(entries))) as watch:
                releases.write(draft, entries, watch)
            draft.replace(output)
    except OSError as error:
        raise os_failure(error, "cannot write the release", output) from error
    output_console().print(str(output / releases.PAGE))


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[TranscoderParameters], None]]:
    """Progress on a terminal: the current core, its number, the total, and the time. No output elsewhere."""
    console = error_console()
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        begun = 0

        def watch(core: TranscoderParameters) -> None:
            nonlocal begun
            bar.update(task, description=str(core), completed=begun)
            begun += 1

        yield watch
