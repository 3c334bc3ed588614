"""Arguments and options that several commands share."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from runewire_model import ENCODINGS, core_options
from runewire_model.core_options import core_parameters
from runewire_model.report import COUNTERS, DELIMITERS, EMPTY, NULL_BYTES, REPORT_PORTS, REPORTS
from runewire_model.transcoder import BOMS, CORES, ERRORS, FAMILIES, PACKINGS, PIPELINES, TRANSCODER

from .completion import list_of, one_of
from .files import check_file, check_folder
from .usage_errors import UsageFailure


def whole_number(text: str) -> int:
    """Parse an integer; raises BadParameter that shows the text."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no whole number") from None


Number = TypeVar("Number", int, float)


def at_least(least: int, parse: Callable[[str], Number]) -> Callable[[str], Number]:
    """A parser of numbers not below ``least``; it raises BadParameter that shows the text."""
    def parsed(text: str) -> Number:
        value = parse(text)
        if not value >= least:
            raise typer.BadParameter(f"must be at least {least}, got {text}")
        return value

    return parsed


def number(text: str) -> float:
    """Parse a number; raises BadParameter that shows the text."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number") from None


def octet(text: str) -> int:
    """Parse a byte in hex, 0A or 0x0A; raises BadParameter that shows the text, and a character's number."""
    try:
        return core_options.octet(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def writable(file: Path | None) -> Path | None:
    """An output file, checked before any work begins. Raises UsageFailure."""
    if file is not None:
        check_file(file)
    return file


def writable_folder(folder: Path) -> Path:
    """An output folder, checked before any work begins. Raises UsageFailure."""
    check_folder(folder)
    return folder


CORE_NAMES = f"{', '.join(CORES)} or {TRANSCODER}"
"""Names of all cores, for people."""
core_names = one_of((*CORES, TRANSCODER))
"""Completion of a core's name."""

From = Annotated[str | None, typer.Option(
    "--from", metavar="ENCODING", help=f"Transcoder: encoding of the input: {', '.join(ENCODINGS)}.",
    show_default=False, autocompletion=one_of(ENCODINGS))]
To = Annotated[str | None, typer.Option(
    "--to", metavar="ENCODING", help="Transcoder: encoding of the output, one of the same.", show_default=False,
    autocompletion=one_of(ENCODINGS))]
Checked = Annotated[str | None, typer.Option(
    "--encoding", metavar="ENCODING", help="Validator: encoding to check, one of the same. Default utf-8.",
    show_default=False, autocompletion=one_of(ENCODINGS))]
Lanes = Annotated[int | None, typer.Option(
    parser=whole_number, metavar="N",
    help="Units of the input (bytes, encoder: scalars) a beat, a power of two. Default 8 (encoder: 4).",
    show_default=False)]
Errors = Annotated[str | None, typer.Option(
    metavar="|".join(ERRORS),
    help="replace (default) or drop what is ill-formed; the packet is flagged either way.",
    show_default=False, autocompletion=one_of(ERRORS))]
Replacement = Annotated[int | None, typer.Option(
    parser=octet, metavar="HEX", show_default=False,
    help="Sanitizer, and to latin-1 or ascii: the byte instead of U+FFFD or ?, 00 to 7F, such as 3F.")]
Bom = Annotated[str | None, typer.Option(
    metavar="|".join(BOMS),
    help="Keep (default) or strip a byte order mark at a packet's start, or add one where there is none.",
    show_default=False, autocompletion=one_of(BOMS))]
Packing = Annotated[str | None, typer.Option(
    metavar="|".join(PACKINGS),
    help="Decoder, sanitizer, transcoder: dense (default) or sparse output beats.", show_default=False,
    autocompletion=one_of(PACKINGS))]
Pipeline = Annotated[str | None, typer.Option(
    metavar="|".join(PIPELINES),
    help="fast (default): highest clock; compact: lowest latency and area, all registers wait together.",
    show_default=False, autocompletion=one_of(PIPELINES))]
Family = Annotated[str | None, typer.Option(
    metavar="|".join(FAMILIES),
    help="Devices that it is laid out for: ecp5 (default) and those like it, ice40, gowin-5a, xilinx-7, or generic: "
    "no replicas.",
    show_default=False, autocompletion=one_of(FAMILIES))]
NullBytes = Annotated[str | None, typer.Option(
    metavar="|".join(NULL_BYTES), show_default=False, autocompletion=one_of(NULL_BYTES),
    help="Where the input may have null bytes: at a packet's end (default), or in any lane of any beat.")]
Flows = Annotated[int | None, typer.Option(
    parser=whole_number, metavar="N", show_default=False,
    help="Texts in segments, N of them under way at the same time, 1 to 65536; tid is the flow's number.")]
Records = Annotated[int | None, typer.Option(
    parser=octet, metavar="HEX", show_default=False,
    help="Mark the records that this unit ends, 00 to 7F, such as 0A. Splitter: make packets of them, "
         "filter: remove ill-formed ones (both: default 0A).")]
Split = Annotated[int | None, typer.Option(
    parser=octet, metavar="HEX", show_default=False,
    help="A splitter before the core: each record that this byte ends, 00 to 7F, such as 0A, is a packet.")]
RecordReport = Annotated[bool | None, typer.Option(
    "--record-report", show_default=False,
    help="A stream with a beat for each ill-formed record of --records: its number, the kind and the offset of its "
         "first error.")]
Rejects = Annotated[bool | None, typer.Option(
    "--rejects", show_default=False,
    help="Filter: rejected records leave on a stream of their own, m_rejects.")]
_SIMULATORS = ("verilator", "icarus", "amaranth")  # importing the names from `runewire_sim` is slow
Simulator = Annotated[str, typer.Option(
    metavar="|".join(_SIMULATORS), help="What simulates.", autocompletion=one_of(_SIMULATORS))]
Seed = Annotated[int, typer.Option(parser=whole_number, metavar="N", help="Seed of all that is random.")]
DatasheetFolder = Annotated[Path | None, typer.Option(
    "--datasheet", metavar="DIR", show_default=False,
    help="Folder of JSON from synth or sweep, instead of the project's own datasheet.")]


def _bits(of: str) -> Any:
    return Annotated[int | None, typer.Option(parser=whole_number, metavar="BITS", help=of, show_default=False)]


def _flag(name: str, says: str) -> Any:
    return Annotated[bool | None, typer.Option(f"--{name}", help=says, show_default=False)]


SIDEBANDS: dict[str, Any] = {
    "report": Annotated[str | None, typer.Option(
        metavar="|".join(REPORTS), show_default=False, autocompletion=one_of(REPORTS),
        help="Report of a packet's first error: nothing, a flag, its kind too, its offset too (default).")],
    "offset_bits": _bits("Width of the offset and of each counter, 16 to 64. Default 32."),
    "report_port": Annotated[str | None, typer.Option(
        metavar="|".join(REPORT_PORTS), show_default=False, autocompletion=one_of(REPORT_PORTS),
        help="Reports on a stream of their own: none (default), as well as in tuser, or only there.")],
    "count": Annotated[str | None, typer.Option(
        metavar="NAME,…", show_default=False, autocompletion=list_of(COUNTERS),
        help=f"Counters in the report: {', '.join(COUNTERS)}.")],
    "records": Records,
    "user": _bits("Width of the input's tuser, which leaves with its packet, 0 (default) to 64."),
    "id": _bits("Width of tid, 0 (default) to 64."),
    "dest": _bits("Width of tdest, 0 (default) to 64."),
    "null_bytes": NullBytes,
    "split": Split,
    "delimiter": Annotated[str | None, typer.Option(
        metavar="|".join(DELIMITERS), show_default=False, autocompletion=one_of(DELIMITERS),
        help="Splitter, --split: keep (default) or drop the byte that ends a record.")],
    "longest": Annotated[int | None, typer.Option(
        parser=whole_number, metavar="BYTES", show_default=False,
        help="A power of two. Splitter, --split: cut records into packets of so many bytes (default: no limit). "
             "Filter: reject longer records; the buffer's size (default 16384).")],
    "empty": Annotated[str | None, typer.Option(
        metavar="|".join(EMPTY), show_default=False, autocompletion=one_of(EMPTY),
        help="Splitter, --split: keep (default) or drop records without a byte but the delimiter.")],
    "flows": Flows,
    "early": _flag("early", "Set the error bit of tuser on each output beat from the first in which an error is "
                   "known."),
    "record_report": RecordReport,
    "rejects": Rejects,
}
"""The options of a core's ports that do not concern text."""


CORE: dict[str, Any] = {
    "from_": From, "to": To, "encoding": Checked, "lanes": Lanes, "errors": Errors,
    "replacement": Replacement, "bom": Bom, "packing": Packing, "pipeline": Pipeline, "family": Family,
    "reject_nul": _flag("reject-nul", "U+0000 is ill-formed, an error of its own kind."),
    "replace_runs": _flag("replace-runs", "One replacement for a run of adjoining ill-formed parts, instead of one for "
                          "each."),
}
"""The options of a core that concern text."""

Command = Callable[..., int | None]


def with_core(command: Command) -> Command:
    """The command with a core as its first argument, and all options of a core.

    Its argument ``parameters`` receives the resulting core. The command raises ParameterError as `core_parameters`
    does.
    """
    core = Annotated[str, typer.Argument(metavar="CORE", help=f"{CORE_NAMES}.", show_default=False,
                                         autocompletion=core_names)]
    return _with_core(command, core, inspect.Parameter.empty)


def with_core_or(without: str) -> Callable[[Command], Command]:
    """The same as `with_core`, but the core may be omitted; ``parameters`` then keeps the command's default.
    ``without``: the help's sentence about that. The command raises UsageFailure for options without a core.
    """
    core = Annotated[str | None, typer.Argument(metavar="CORE", help=f"{CORE_NAMES}. {without}", show_default=False,
                                                autocompletion=core_names)]
    return lambda command: _with_core(command, core, None)


def _with_core(command: Command, core: Any, default: Any) -> Command:
    @functools.wraps(command)
    def taking(*args: Any, core: str | None, **options: Any) -> int | None:
        given = _taken(options, {**CORE, **SIDEBANDS})
        if core is not None:
            options["parameters"] = core_parameters(core, **given)
        elif given:
            name = next(iter(given)).strip("_").replace("_", "-")
            raise UsageFailure(f"--{name} goes with a CORE: {CORE_NAMES}")
        return command(*args, **options)

    first = _added({"core": core}, default)
    return _signed(taking, command, "parameters", [*first, *_added(CORE, None)], _added(SIDEBANDS, None))


def with_sidebands(command: Command) -> Command:
    """The command with the options of `SIDEBANDS` too; its argument ``sidebands`` receives the given ones."""
    @functools.wraps(command)
    def taking(*args: Any, **options: Any) -> int | None:
        sidebands = _taken(options, SIDEBANDS)
        return command(*args, **options, sidebands=sidebands)

    return _signed(taking, command, "sidebands", [], _added(SIDEBANDS, None))


def _taken(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The given options among ``names``, removed from ``options``."""
    found = {name: options.pop(name, None) for name in names}
    return {name: value for name, value in found.items() if value is not None}


def _added(annotations: Mapping[str, Any], default: Any) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for name, annotation in annotations.items()]


def _signed(
    taking: Command, command: Command, of: str, before: Sequence[inspect.Parameter], after: Sequence[inspect.Parameter],
) -> Command:
    """``taking`` with the command's signature, except the argument ``of``; other arguments precede and follow it."""
    signature = inspect.signature(command)
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
           for name, each in signature.parameters.items() if name != of]
    vars(taking)["__signature__"] = signature.replace(parameters=[*before, *own, *after])
    return taking
