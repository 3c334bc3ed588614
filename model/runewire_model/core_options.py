"""A core in the words of the command: parameters from the given options, and options from parameters.

``runewire generate transcoder --from utf-8 --to utf-16le --lanes 16 --bom strip`` is

    core_parameters("transcoder", from_="utf-8", to="utf-16le", lanes=16, bom="strip")
"""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from string import hexdigits
from typing import Any

from .encodings import ENCODINGS
from .errors import Named, ParameterError, check_choice
from .transcoder import CORES, TRANSCODER, TranscoderParameters, option_text, parameters


def octet(text: str) -> int:
    """A byte in hex, 0A or 0x0A. Raises ValueError that shows the text, and a character's number."""
    try:
        (value,) = bytes.fromhex(text.lower().removeprefix("0x"))
    except ValueError:
        such = ", such as 0A"
        if len(text) == 1 and text.isascii():
            such = f": write {bytes(text, 'ascii').hex().upper()}"
            such += f", or 0{text} for the number" if text in hexdigits else ""
        raise ValueError(f"{text!r} is no byte in hex{such}") from None
    return value


def words(text: str) -> list[str]:
    """The names in a list separated by commas or spaces."""
    return [word for word in re.split(r"[\s,]+", text) if word]


def core_parameters(core: str, *, from_: str | None = None, to: str | None = None, encoding: str | None = None,
                    **options: Any) -> TranscoderParameters:
    """The parameters of a core from the given options, which are not None.

    ``from_``, ``to``: encodings of a transcoder. ``encoding``: encoding of a validator. Raises ParameterError for an
    invalid value, for an option that the core lacks, and for encodings that are missing or that it lacks.
    """
    check_choice("core", core, (*CORES, TRANSCODER))
    given = _given(options)
    try:
        if core == TRANSCODER:
            if encoding is not None:
                raise ParameterError("the transcoder has no option ", Named("encoding"), ", it has ", Named("from"),
                                     " and ", Named("to"))
            if from_ is None or to is None:
                raise ParameterError("the transcoder needs ", Named("from"), " and ", Named("to"),
                                     f", each one of {', '.join(ENCODINGS)}")
            return TranscoderParameters.of({"core": TRANSCODER, "from": from_, "to": to, **given})
        for name, value in (("from", from_), ("to", to)):
            if value is not None:
                raise ParameterError(f"the {core} has no option ", Named(name), *_instead(core, value))
        if encoding is None:
            return parameters(core, **given)
        if CORES[core].target is not None:
            raise ParameterError(f"the {core} has no option ", Named("encoding"), ": the validator has it")
        return TranscoderParameters.of({"core": TRANSCODER, "from": encoding, "to": None, **given})
    except ParameterError as error:
        raise error.renamed({"source": "from" if core == TRANSCODER else "encoding", "target": "to"}) from None


def _instead(core: str, value: str) -> list[str | Named]:
    """The end of the message that a core has no ``--from`` or ``--to``: what was probably meant."""
    if CORES[core].target is None:
        return [": did you mean ", Named("encoding", value), "?"]
    return [": the transcoder has it"]


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The given options, as the parameters accept them."""
    return {name: tuple(words(value)) if isinstance(value, str) and name == "count" else value
            for name, value in options.items() if value is not None}


def core_words(parameters: TranscoderParameters) -> list[str]:
    """A core as the command accepts it: its name, and the encodings that the name does not determine."""
    if parameters.core != TRANSCODER:
        return [parameters.core]
    if parameters.target is None:
        return ["validator", "--encoding", parameters.source]
    return [TRANSCODER, "--from", parameters.source, "--to", parameters.target]


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Options of a core as words of a command line. Options that are on have no value."""
    return [word for name, value in options.items()
            for word in (f"--{name.replace('_', '-')}", *([] if value is True else [option_text(name, value)]))]


def core_command(command: str, core: TranscoderParameters) -> list[str]:
    """The command line of a command for one core, with the options that are not at their defaults."""
    return ["runewire", command, *core_words(core), "--lanes", str(core.lanes), *option_words(core.unusual)]


def generate_command(core: TranscoderParameters, *, initial_values: bool = True, packages: Iterable[str] = (),
                     output: str = "build") -> str:
    """The command line that generates a core, with the options that are not at their defaults."""
    package: Sequence[str] = [*packages]
    parts = core_command("generate", core)
    parts += ["--package", ",".join(package)] if package else []
    parts += [] if initial_values else ["--initial-values", "no"]
    return shlex.join([*parts, "-o", output])
