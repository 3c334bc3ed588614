"""``runewire board``."""

import contextlib
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from runewire_fpga.boards import (
    ADDRESS,
    BOARDS,
    MOST_FLOWS,
    STEPS,
    Board,
    Implementation,
    Network,
    build,
    load,
    write_simulation,
)
from runewire_fpga.boards import board as board_named

from ..completion import one_of
from ..console import error_console, output_console
from ..options import whole_number, writable_folder
from ..usage_errors import os_failure


def _address(text: str) -> IPv4Address:
    """Parse an IP address; raises BadParameter that shows the text."""
    try:
        return IPv4Address(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no IPv4 address, such as {ADDRESS}") from None


def board(
    name: Annotated[str | None, typer.Argument(
        metavar="NAME", show_default=False, autocompletion=one_of(BOARDS),
        help=f"{', '.join(BOARDS)}. Default: the list of them.")] = None,
    wants_build: Annotated[bool, typer.Option(
        "--build", help="Synthesise, place, route, and write the bitstream.")] = False,
    wants_load: Annotated[bool, typer.Option(
        "--load", help="Load the bitstream into the board, with openFPGALoader.")] = False,
    wants_simulation: Annotated[bool, typer.Option(
        "--simulation", help="Write the design as one Verilog file for a simulator, with models of cells.")] = False,
    output: Annotated[Path, typer.Option(
        "-o", "--output", metavar="DIR", callback=writable_folder, help="Folder of the files.")] = Path("board"),
    ip: Annotated[IPv4Address | None, typer.Option(
        parser=_address, metavar="ADDRESS", show_default=False,
        help=f"IPv4 address of a board with Ethernet. Default: {ADDRESS}.")] = None,
    flows: Annotated[int | None, typer.Option(
        parser=whole_number, metavar="N", show_default=False,
        help=f"Ethernet: datagrams are segments of N flows, by the sender's port; a power of two, 2 to {MOST_FLOWS}. "
             "Default: each datagram is a complete text.")] = None,
    wants_filter: Annotated[bool, typer.Option(
        "--filter", help="Ethernet: datagrams are lines; ill-formed ones go to another port.")] = False,
    seed: Annotated[int, typer.Option(parser=whole_number, metavar="N", help="Seed of place and route.")] = 1,
    cable: Annotated[str | None, typer.Option(
        metavar="NAME", show_default=False,
        help="Cable for openFPGALoader instead of the board's own USB, such as ft232.")] = None,
) -> None:
    """Build a board's design, from source to bitstream, and load it.

    Without a name the boards are listed; with none of --build, --load and --simulation one of them is.
    """
    chosen = [*BOARDS.values()] if name is None else [board_named(name)]
    if name is None or not (wants_build or wants_load or wants_simulation):
        output_console().print(_list(chosen))
        return
    (found,) = chosen
    network = _network(ip, flows, wants_filter)
    try:
        if wants_simulation:
            output_console().print(str(write_simulation(found, output, network)))
        if wants_build:
            with _progress() as watch:
                made = build(found, output, network, seed, watch)
            _summary(made)
    except OSError as error:
        raise os_failure(error, "cannot write", output) from error
    if wants_load:
        load(found, output, cable)


def _network(ip: IPv4Address | None, flows: int | None, wants_filter: bool) -> Network | None:
    """The settings of a board with Ethernet; None if there is none of these options."""
    if ip is None and flows is None and not wants_filter:
        return None
    return Network(ip or ADDRESS, flows, wants_filter)


def _list(boards: list[Board]) -> Table:
    table = Table("name", "board", "FPGA", "text comes over", "clock, MHz", box=None, pad_edge=False)
    for each in boards:
        table.add_row(each.name, each.title, each.device, each.link, f"{each.mhz:g}")
    return table


def _summary(made: Implementation) -> None:
    console = output_console()
    table = Table("", box=None, pad_edge=False)
    for heading in ("used", "of", "%"):
        table.add_column(heading, justify="right")
    for each in made.resources:
        table.add_row(each.name, f"{each.used:,}", f"{each.available:,}", f"{100 * each.used / each.available:.1f}")
    console.print(table)
    console.print(f"clock: {made.mhz:.1f} MHz, and {made.needed_mhz:g} MHz are needed")
    console.print(str(made.bitstream))


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Progress on a terminal: the current step, its number, the total, and the time. No output elsewhere."""
    console = error_console()
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=STEPS)
        begun = 0

        def watch(step: str) -> None:
            nonlocal begun
            bar.update(task, description=step, completed=begun)
            begun += 1

        yield watch
