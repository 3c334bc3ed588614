"""Arguments and options that several commands share."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from runewire_model import ENCODINGS, ParameterError, TranscoderParameters, parameters
from runewire_model.errors import check_choice
from runewire_model.report import COUNTERS, REPORT_PORTS, REPORTS
from runewire_model.transcoder import BOMS, CORES, FAMILIES, TRANSCODER

from .failure import UsageFailure
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


_CORES = f"{', '.join(CORES)} or {TRANSCODER}"

Core = Annotated[str, typer.Argument(metavar="CORE", help=f"{_CORES}.", show_default=False)]
CoreIfAny = Annotated[str | None, typer.Argument(
    metavar="[CORE]", help=f"{_CORES}. Default: every core that the project keeps a record of.", show_default=False)]
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
Replacement = Annotated[int | None, typer.Option(
    parser=octet, metavar="HEX", show_default=False,
    help="Sanitizer, and to latin-1 or ascii: the byte in place of U+FFFD or ?, 00 to 7F, such as 3F.")]
Bom = Annotated[str | None, typer.Option(
    metavar="|".join(BOMS),
    help="Keep (default) or strip a byte order mark at a packet's start, or add one where there is none.",
    show_default=False)]
Packing = Annotated[str | None, typer.Option(
    metavar="dense|sparse",
    help="Decoder, sanitizer, transcoder: dense (default) or sparse output beats.", show_default=False)]
Pipeline = Annotated[str | None, typer.Option(
    metavar="fast|balanced|compact",
    help="fast (default): highest clock; compact: lowest latency and area, all registers wait together.",
    show_default=False)]
Family = Annotated[str | None, typer.Option(
    metavar="|".join(FAMILIES),
    help="Devices that it is laid out for: ecp5 (default) and those like it, ice40, or generic: no replicas.",
    show_default=False)]
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


CORE: dict[str, Any] = {
    "from_": From, "to": To, "encoding": Checked, "lanes": Lanes, "errors": Errors,
    "replacement": Replacement, "bom": Bom, "packing": Packing, "pipeline": Pipeline, "family": Family,
}
"""The options of a core that are about text."""

Command = Callable[..., int | None]


def with_core(command: Command) -> Command:
    """The command with a core as its first argument, and all options of a core.

    Its argument ``parameters`` has what they come to. Where that has a default the core may be left out, and then so
    are the options. The command raises ParameterError as `core_parameters` does, and UsageFailure for options without
    a core.
    """
    optional = inspect.signature(command).parameters["parameters"].default is not inspect.Parameter.empty

    @functools.wraps(command)
    def taking(*args: Any, core: str | None, **options: Any) -> int | None:
        given = _taken(options, {**CORE, **SIDEBANDS})
        if core is not None:
            options["parameters"] = core_parameters(core, **given)
        elif given:
            name = next(iter(given)).strip("_").replace("_", "-")
            raise UsageFailure(f"--{name} goes with a CORE: {_CORES}")
        return command(*args, **options)

    core = _added({"core": CoreIfAny}, None) if optional else _added({"core": Core}, inspect.Parameter.empty)
    return _signed(taking, command, "parameters", [*core, *_added(CORE, None)], _added(SIDEBANDS, None))


def with_sidebands(command: Command) -> Command:
    """The command with the options of `SIDEBANDS` as well; its argument ``sidebands`` has those that were given."""
    @functools.wraps(command)
    def taking(*args: Any, **options: Any) -> int | None:
        sidebands = _taken(options, SIDEBANDS)
        return command(*args, **options, sidebands=sidebands)

    return _signed(taking, command, "sidebands", [], _added(SIDEBANDS, None))


def _taken(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those options that were given, taken out of all that there are."""
    found = {name: options.pop(name, None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _added(annotations: Mapping[str, Any], default: Any) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, annotation in annotations.items()]


def _signed(
    taking: Command, command: Command, of: str, before: Sequence[inspect.Parameter], after: Sequence[inspect.Parameter],
) -> Command:
    """``taking`` with the command's signature, but without the argument ``of``: others stand before and after it."""
    signature = inspect.signature(command)
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
           for name, each in signature.parameters.items() if name != of]
    vars(taking)["__signature__"] = signature.replace(parameters=[*before, *own, *after])
    return taking


def core_parameters(core: str, *, from_: str | None = None, to: str | None = None, encoding: str | None = None,
                    **options: Any) -> TranscoderParameters:
    """The parameters of a core from the options that were given: those that are not None.

    ``from_``, ``to``: a transcoder's encodings; ``encoding``: a validator's. Raises ParameterError for a bad value, for
    an option that the core does not have, and for encodings that it needs or does not have.
    """
    check_choice("core", core, (*CORES, TRANSCODER))
    given = _given(options)
    if core == TRANSCODER:
        if encoding is not None:
            raise ParameterError("the transcoder has no option 'encoding', it has from and to")
        if from_ is None or to is None:
            raise ParameterError(f"the transcoder needs --from and --to, each one of {', '.join(ENCODINGS)}")
        return TranscoderParameters.of({"core": TRANSCODER, "from": from_, "to": to, **given})
    for name, value in (("from", from_), ("to", to)):
        if value is not None:
            raise ParameterError(f"the {core} has no option {name!r}: the transcoder has it")
    if encoding is None:
        return parameters(core, **given)
    if CORES[core].target is not None:
        raise ParameterError(f"the {core} has no option 'encoding': the validator has it")
    return TranscoderParameters.of({"core": TRANSCODER, "from": encoding, "to": None, **given})


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as the parameters take them."""
    return {name: tuple(value.split(",")) if name == "count" else value
            for name, value in options.items() if value is not None}
