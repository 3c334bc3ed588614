"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer
from runewire_model import TranscoderParameters, parameters

from .files import check_file, check_folder


def whole_number(text: str) -> int:
    """A whole number; raises BadParameter with what was given."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no whole number") from None


def probability(text: str) -> float:
    """A number; raises BadParameter with what was given."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number") from None


def writable(file: Path | None) -> Path | None:
    """An output file, told to be one before there is any work. Raises UsageFailure."""
    if file is not None:
        check_file(file)
    return file


def writable_folder(folder: Path) -> Path:
    """An output folder, likewise."""
    check_folder(folder)
    return folder


Core = Annotated[str, typer.Argument(metavar="CORE", help="validator, decoder or encoder.", show_default=False)]
Lanes = Annotated[int | None, typer.Option(
    parser=whole_number, metavar="N",
    help="Bytes (encoder: scalars) a beat, a power of two. Default 8 (encoder: 4).", show_default=False)]
Errors = Annotated[str | None, typer.Option(
    metavar="replace|drop",
    help="replace (default) or drop what is ill-formed; the packet is flagged either way.",
    show_default=False)]
Bom = Annotated[str | None, typer.Option(
    metavar="keep|strip",
    help="Decoder: keep (default) or strip a byte order mark at a packet's start.", show_default=False)]
Packing = Annotated[str | None, typer.Option(
    metavar="dense|sparse",
    help="Decoder: dense (default) or sparse output beats.", show_default=False)]
Pipeline = Annotated[str | None, typer.Option(
    metavar="fast|balanced|compact",
    help="fast (default): highest clock; compact: lowest latency and area.", show_default=False)]
Simulator = Annotated[str, typer.Option(metavar="verilator|icarus|amaranth", help="What simulates.")]
Seed = Annotated[int, typer.Option(parser=whole_number, metavar="N", help="Seed of all that is random.")]
DatasheetFolder = Annotated[Path | None, typer.Option(
    "--datasheet", metavar="DIR", show_default=False,
    help="Folder of JSON from synth or sweep, in place of the project's own datasheet.")]


def core_parameters(core: str, **options: str | int | None) -> TranscoderParameters:
    """The parameters of a core from the options that were given: those that are not None.

    Raises ParameterError for a bad value and for an option that the core does not have.
    """
    return parameters(core, **{name: value for name, value in options.items() if value is not None})
