"""Arguments and options that several commands share."""

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from runewire_model import ENCODINGS, ParameterError, TranscoderParameters, parameters
from runewire_model.errors import check_choice
from runewire_model.report import COUNTERS, REPORT_PORTS, REPORTS
from runewire_model.transcoder import CORES, TRANSCODER

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


def octet(text: str) -> int:
    """A byte in hex; raises BadParameter with what was given."""
    try:
        (value,) = bytes.fromhex(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no byte in hex, such as 0A") from None
    return value


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
AnyCore = Annotated[str, typer.Argument(
    metavar="CORE", help="validator, decoder, encoder or transcoder.", show_default=False)]
From = Annotated[str | None, typer.Option(
    "--from", metavar="ENCODING", help=f"Transcoder: encoding of the input: {', '.join(ENCODINGS)}.",
    show_default=False)]
To = Annotated[str | None, typer.Option(
    "--to", metavar="ENCODING", help="Transcoder: encoding of the output, likewise.", show_default=False)]
Checked = Annotated[str | None, typer.Option(
    "--encoding", metavar="ENCODING", help="Validator: encoding that it checks, likewise. Default utf-8.",
    show_default=False)]
Lanes = Annotated[int | None, typer.Option(
    parser=whole_number, metavar="N",
    help="Units of the input (bytes, encoder: scalars) a beat, a power of two. Default 8 (encoder: 4).",
    show_default=False)]
Errors = Annotated[str | None, typer.Option(
    metavar="replace|drop",
    help="replace (default) or drop what is ill-formed; the packet is flagged either way.",
    show_default=False)]
Bom = Annotated[str | None, typer.Option(
    metavar="keep|strip|add",
    help="Decoder, transcoder: keep (default), strip or add a byte order mark at a packet's start.",
    show_default=False)]
Packing = Annotated[str | None, typer.Option(
    metavar="dense|sparse",
    help="Decoder, transcoder: dense (default) or sparse output beats.", show_default=False)]
Pipeline = Annotated[str | None, typer.Option(
    metavar="fast|balanced|compact",
    help="fast (default): highest clock; compact: lowest latency and area.", show_default=False)]
Simulator = Annotated[str, typer.Option(metavar="verilator|icarus|amaranth", help="What simulates.")]
Seed = Annotated[int, typer.Option(parser=whole_number, metavar="N", help="Seed of all that is random.")]
DatasheetFolder = Annotated[Path | None, typer.Option(
    "--datasheet", metavar="DIR", show_default=False,
    help="Folder of JSON from synth or sweep, in place of the project's own datasheet.")]


def _bits(of: str) -> Any:
    return Annotated[int | None, typer.Option(parser=whole_number, metavar="BITS", help=of, show_default=False)]


SIDEBANDS: dict[str, Any] = {
    "report": Annotated[str | None, typer.Option(
        metavar="|".join(REPORTS), show_default=False,
        help="What is told of a packet's first error: nothing, that there is one, its kind too, its offset too "
             "(default).")],
    "offset_bits": _bits("Width of the offset and of each counter, 16 to 64. Default 32."),
    "report_port": Annotated[str | None, typer.Option(
        metavar="|".join(REPORT_PORTS), show_default=False,
        help="Reports on a stream of their own: none (default), beside tuser, or only there.")],
    "count": Annotated[str | None, typer.Option(
        metavar="NAME,…", show_default=False, help=f"Counters in the report: {', '.join(COUNTERS)}.")],
    "records": Annotated[int | None, typer.Option(
        parser=octet, metavar="HEX", show_default=False,
        help="Validator: mark the records that this byte ends, 00 to 7F, such as 0A.")],
    "user": _bits("Width of tuser that comes in and goes out with its packet, 0 (default) to 64."),
    "id": _bits("Width of tid, likewise."),
    "dest": _bits("Width of tdest, likewise."),
}
"""The options of a core's ports that are about anything but text."""


def with_sidebands(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """The command with the options of `SIDEBANDS` as well; its argument ``sidebands`` has those that were given."""
    @functools.wraps(command)
    def taking(*args: Any, **options: Any) -> int | None:
        sidebands = {name: options.pop(name, None) for name in SIDEBANDS}
        return command(*args, **options, sidebands={name: value for name, value in sidebands.items()
                                                    if value is not None})

    signature = inspect.signature(command)
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
             for name, annotation in SIDEBANDS.items()]
    own = [parameter for name, parameter in signature.parameters.items() if name != "sidebands"]
    vars(taking)["__signature__"] = signature.replace(parameters=[*own, *added])
    return taking


def core_parameters(core: str, **options: str | int | None) -> TranscoderParameters:
    """The parameters of a core from the options that were given: those that are not None.

    Raises ParameterError for a bad value and for an option that the core does not have.
    """
    return parameters(core, **_given(options))


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as the parameters take them."""
    return {name: tuple(value.split(",")) if name == "count" else value
            for name, value in options.items() if value is not None}


def any_parameters(
    core: str, source: str | None, target: str | None, checked: str | None, **options: Any
) -> TranscoderParameters:
    """The same of any core. ``source``, ``target``: a transcoder's encodings; ``checked``: a validator's.

    Raises ParameterError likewise, and for encodings that the core needs or does not have.
    """
    check_choice("core", core, (*CORES, TRANSCODER))
    given = _given(options)
    if core == TRANSCODER:
        if checked is not None:
            raise ParameterError("the transcoder has no option 'encoding', it has from and to")
        if source is None or target is None:
            raise ParameterError(f"the transcoder needs --from and --to, each one of {', '.join(ENCODINGS)}")
        return TranscoderParameters.of({"core": TRANSCODER, "from": source, "to": target, **given})
    for name, value in (("from", source), ("to", target)):
        if value is not None:
            raise ParameterError(f"the {core} has no option {name!r}: the transcoder has it")
    if checked is None:
        return parameters(core, **given)
    if CORES[core].target is not None:
        raise ParameterError(f"the {core} has no option 'encoding': the validator has it")
    return TranscoderParameters.of({"core": TRANSCODER, "from": checked, "to": None, **given})
