"""Options of the commands that work in parallel: processes of this machine, or a Dask cluster."""

from typing import Annotated

import typer

from .options import at_least, whole_number

Jobs = Annotated[int, typer.Option(
    parser=at_least(1, whole_number), metavar="N", help="Processes that work at a time on this machine.")]

Scheduler = Annotated[str | None, typer.Option(
    metavar="ADDRESS", show_default=False,
    help="Work on the Dask cluster of this scheduler, such as tcp://host:8786.")]
