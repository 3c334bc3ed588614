"""The options of the ports that each core has, and their names there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .errors import Named, ParameterError, meant
from .report import CARRIED, SPLIT_OPTIONS, Sidebands

PACKER = "packer"
"""The core that removes null bytes."""
SPLITTER = "splitter"
"""The core that makes a packet of each record."""
FILTER = "filter"
"""The core that removes ill-formed records."""
LINE_FEED = 0x0A
"""The delimiter of a splitter or filter without another one."""
FILTER_BUFFER = 1 << 14
"""Bytes of a filter's buffer without ``longest``."""
FILTER_OPTIONS = ("filter", "rejects")
"""The options that only a filter has; ``filter`` is ``records`` there."""


def separated(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options about text, and options of the ports."""
    return ({name: value for name, value in options.items() if name not in Sidebands.NAMES},
            {name: value for name, value in options.items() if name in Sidebands.NAMES})


def port_options(core: str) -> tuple[str, ...]:
    """The options of the ports that a core has."""
    if core == PACKER:
        return CARRIED
    if core == SPLITTER:
        return (*CARRIED, "null_bytes", "records", *SPLIT_OPTIONS)
    if core == FILTER:
        return (*CARRIED, "null_bytes", "records", "longest", "rejects")
    # A delimiter is a byte, and the encoder reads units of four.
    without = (*FILTER_OPTIONS, *(("split", *SPLIT_OPTIONS) if core == "encoder" else ()))
    return tuple(name for name in Sidebands.NAMES if name not in without)


def named_for(core: str, sidebands: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the ports by the names that this core has for them: a splitter's ``split`` is ``records``."""
    renames = delimiter_name(core)
    return {renames.get(name, name): value for name, value in sidebands.items()}


def delimiter_name(core: str) -> dict[str, str]:
    """The field of `Sidebands` for the delimiter of a splitter or filter, and the name of the option."""
    return {SPLITTER: {"split": "records"}, FILTER: {"filter": "records"}}.get(core, {})


def with_defaults(core: str, sidebands: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the ports, with the values that a splitter or filter has without an option, as `Sidebands` names
    them."""
    usual = {SPLITTER: {"split": LINE_FEED}, FILTER: {"filter": LINE_FEED, "longest": FILTER_BUFFER}}.get(core, {})
    names = {option: name for name, option in delimiter_name(core).items()}
    return {**usual, **{names.get(name, name): value for name, value in sidebands.items()}}


def listed(names: Iterable[str]) -> list[str | Named]:
    """Names of parameters separated by commas, as parts of a message."""
    return [part for name in names for part in (", ", Named(name))][1:]


def check_options(core: str, known: Mapping[str, Sequence[str]], ports: Iterable[str],
                  others: Iterable[str] = ()) -> None:
    """Raise `ParameterError` for an option of the ports, or another one, that the core lacks. ``known``: the other ones
    that each core has."""
    has, texts = port_options(core), known[core]
    for name, among in (*((name, has) for name in ports), *((name, texts) for name in others)):
        if name not in among:
            having = [each for each, options in known.items() if name in (*options, *port_options(each))]
            if having:
                end: list[str | Named] = [f": the {enumerated(having)} {'has' if len(having) == 1 else 'have'} it"]
            else:
                end = [", it has ", *listed(texts), ", and for its ports ", *listed(has), meant(name, (*texts, *has))]
            raise ParameterError(f"the {core} has no option ", Named(name, quoted=True), *end)


def enumerated(names: Sequence[str]) -> str:
    """Names as a sentence lists them: ``a, b and c``."""
    return " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])
