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
from ..files import check_file, check_folder, writing
from ..options import DatasheetFolder
from ..usage_errors import UsageFailure, os_failure

ZIP = ".zip"


def _writable(output: Path) -> Path:
    """The output, checked before any work begins. Raises UsageFailure."""
    if output.suffix == ZIP:
        check_folder(output.parent)
        if output.parent.is_dir():
            check_file(output)
    else:
        check_folder(output)
    return output


def release(
    output: Annotated[Path, typer.Option(
        "-o", "--output", metavar="DIR|FILE.zip", show_default=False, callback=_writable,
        help="Folder to write to, not there yet or empty; or one archive.")],
    site: Annotated[Path | None, typer.Option(
        metavar="DIR", show_default=False, help="The built site, to go with the cores.")] = None,
    datasheet: DatasheetFolder = None,
) -> None:
    """Write cores with all their packages, an example, a page and checksums, for use without Python.

    These are the named cores in each width, the cores that the pages show, and all cores of the datasheet; with
    --datasheet only the cores of that one. The same version writes the same bytes on every machine. The output appears
    when it is complete. After an interruption the same command continues.
    """
    entries = sheet.load(datasheet)
    if not entries:
        raise UsageFailure("the datasheet has no cores")
    if output.is_dir() and any(output.iterdir()):
        raise UsageFailure(f"cannot write a release to {output}: the folder is not empty")
    if site is not None:
        releases.check_site(site)
    cores = list(dict.fromkeys([*releases.measured(entries), *(releases.named() if datasheet is None else [])]))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as room:
            draft = Path(room) / "release"
            draft.mkdir()
            with _progress(len(cores)) as watch:
                releases.write(draft, cores, entries, watch, site)
            if output.suffix == ZIP:
                with writing(output) as file:
                    releases.archive(draft, file)
            else:
                draft.replace(output)
    except OSError as error:
        raise os_failure(error, "cannot write the release", output) from error
    output_console().print(str(output if output.suffix == ZIP else output / releases.PAGE))


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
