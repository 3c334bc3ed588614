"""``runewire pages``."""

from collections.abc import Sequence
from typing import Annotated

import typer
from runewire.completion import one_of
from runewire.console import error_console, output_console
from runewire_model.errors import check_choice


def _part_names(incomplete: str) -> list[str]:
    """Completes the name of a part."""
    from .registry import NAMES  # takes its time

    return one_of(NAMES)(incomplete)


def _measurement_names(incomplete: str) -> list[str]:
    """Completes the name of a measurement."""
    from .registry import MEASUREMENTS  # takes its time

    return one_of(MEASUREMENTS)(incomplete)


def pages(
    names: Annotated[list[str] | None, typer.Argument(
        metavar="NAME", show_default=False, autocompletion=_part_names,
        help="Parts, by the name in their page's comment. Default: all.")] = None,
    write: Annotated[bool, typer.Option(
        "--write/--check", help="Write the parts, or say which are out of date.")] = False,
    measure: Annotated[str | None, typer.Option(
        "--measure", metavar="NAME", show_default=False, autocompletion=_measurement_names,
        help="Measure anew, on this machine, then write the parts made from it.")] = None,
) -> int:
    """Check the generated tables and pictures of the project's pages, or write them.

    A comment before each part in its page has the part's name. Exit status 0: all are up to date; 1: some are not.
    """
    from .registry import MEASUREMENTS, NAMES, PARTS  # takes its time

    chosen: Sequence[str] = names or NAMES
    if measure is not None:
        check_choice("measure", measure, [*MEASUREMENTS])
        if names:
            raise typer.BadParameter("--measure writes the parts made from it; name no others")
        measurement = MEASUREMENTS[measure]
        error_console().print(f"runewire: measures {measure}: {measurement.duration}")
        measurement.run()
        chosen = measurement.parts
    for name in chosen:
        check_choice("names", name, NAMES)
    stale = 0
    for part in PARTS:
        if part.name not in chosen:
            continue
        if part.duration:
            error_console().print(f"runewire: {part}: takes {part.duration}")
        if part.is_current():
            continue
        stale += 1
        if write or measure is not None:
            part.write()
            output_console().print(f"{part}: written")
        else:
            output_console().print(f"{part}: out of date: runewire pages --write {part.name}")
    return 1 if stale and not (write or measure is not None) else 0
