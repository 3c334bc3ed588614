"""A choice in the form, as texts by the names of fields, and what can be combined with it.

The choice of a 16-lane decoder that strips a byte order mark is

    {"core": "decoder", "lanes": "16", "bom": "strip"}
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from runewire_model import ParameterError, TranscoderParameters
from runewire_model.core_options import core_parameters, octet, words
from runewire_model.errors import Named, check_choice
from runewire_model.transcoder import TRANSCODER, option_text

from .form import FLAG, Field

Texts = Mapping[str, str]
OF_ENCODINGS = ("core", "from", "to", "encoding")
"""Fields that come first: a value here may leave other options out."""
USUAL_TRANSCODER = {"from": "utf-8", "to": "utf-16le"}
OF_COMMAND = ("package", "initial-values")
"""Options of the command that are not the core's."""


class Note(NamedTuple):
    """A part of a choice that was left out: the field, its value, and the reason."""

    field: str
    value: str
    reason: str


class Impossible(NamedTuple):
    """Values of a field that cannot be combined with the choice, and the reason; no values: the whole field."""

    values: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Choice:
    """A choice that is possible: its texts without the defaults, its core, and notes on dropped options."""

    texts: Texts
    parameters: TranscoderParameters
    notes: tuple[Note, ...] = ()

    @property
    def packages(self) -> list[str]:
        """Names of the chosen packages."""
        return words(self.texts.get("package", ""))

    @property
    def initial_values(self) -> bool:
        """Whether registers have initial values."""
        return self.texts.get("initial-values") != "no"

    def value(self, field: Field) -> str:
        """The text that a field shows."""
        core = self.parameters
        own = {"lanes": str(core.lanes), "from": core.source, "to": core.writes.name, "encoding": core.source}
        return own.get(field.name) or self.texts.get(field.name, field.default)


def shown(error: ParameterError) -> str:
    """An error's message in the command's terms: ``--records 0A``."""
    def flag(named: Named) -> str:
        name = f"--{named.name.replace('_', '-')}"
        return name if named.value is None else f"{name} {option_text(named.name, named.value)}"

    return error.shown(flag)


def settled(fields: Sequence[Field], texts: Texts) -> Choice:
    """The choice of these texts; what is no option, or cannot be combined, is left out with a note."""
    known = {field.name: field for field in fields}
    left = {name: text for name, text in texts.items() if text}
    notes: list[Note] = []
    while True:
        left = {"core": known["core"].default, **left}
        left = {**(USUAL_TRANSCODER if left["core"] == TRANSCODER else {}), **left}
        try:
            core = _parameters(known, left)
            break
        except ParameterError as error:
            name = (error.parameter or "core").replace("_", "-")
            # An error may name an option that would have to be added.
            name = name if name in left else next(each for each in reversed(left) if each != "core")
            notes.append(Note(name, left.pop(name), shown(error)))
    left["lanes"] = str(core.lanes)
    return Choice({name: left[name] for name, field in known.items()
                   if name in left and (name == "core" or left[name] != field.default)}, core, tuple(notes))


def impossible(fields: Iterable[Field], choice: Choice) -> dict[str, list[Impossible]]:
    """For each field its values that cannot be combined with the choice; fields without such values are left out."""
    every = [*fields]
    known = {field.name: field for field in every}
    found: dict[str, list[Impossible]] = {}
    for field in every:
        if field.name in OF_COMMAND:
            continue
        wrong = [(value, reason) for value in field.values or (field.sample,)
                 if (reason := _reason(known, choice, field, value))]
        if wrong:
            found[field.name] = [Impossible((), wrong[0][1])] if not field.values else _grouped(wrong)
    return found


def _grouped(wrong: Iterable[tuple[str, str]]) -> list[Impossible]:
    """Values with the same reason together; the value itself, at the end of a reason, does not count."""
    groups: dict[str, Impossible] = {}
    for value, reason in wrong:
        before, _, _ = reason.partition(", got ")
        first = groups.get(before, Impossible((), reason))
        groups[before] = Impossible((*first.values, value), first.reason)
    return [*groups.values()]


def _reason(known: Mapping[str, Field], choice: Choice, field: Field, value: str) -> str:
    """Why the value cannot be combined with the rest of the choice; "" if it can."""
    texts = {**choice.texts, field.name: value}
    if field.name in OF_ENCODINGS:
        texts = {name: text for name, text in texts.items() if name in OF_ENCODINGS}
        if field.name == "core":
            texts = {"core": value, **(USUAL_TRANSCODER if value == TRANSCODER else {})}
    elif field.kind == "several":
        now = words(choice.texts.get(field.name, ""))
        texts[field.name] = ",".join(now if value in now else [*now, value])
    try:
        _parameters(known, texts)
    except ParameterError as error:
        return shown(error)
    return ""


def _parameters(known: Mapping[str, Field], texts: Texts) -> TranscoderParameters:
    """The core of these texts. Raises ParameterError, whose parameter is the field at fault."""
    options: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in known:
            raise ParameterError("no core has an option ", Named(name))
        parse = PARSERS.get(known[name].kind if name != "lanes" else "number", str)
        try:
            options[name.replace("-", "_")] = parse(text)
        except ValueError as error:
            raise ParameterError(Named(name), f": {error}") from None
    check_choice("initial-values", options.pop("initial_values", "yes"), known["initial-values"].values)
    for package in words(options.pop("package", "")):
        check_choice("package", package, known["package"].values)
    if "from" in options:
        options["from_"] = options.pop("from")
    return core_parameters(**options)


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is no whole number") from None


def _flag(text: str) -> bool:
    if text not in FLAG:
        raise ValueError(f"{text!r} is neither {' nor '.join(FLAG)}")
    return text == "yes"


PARSERS: Mapping[str, Callable[[str], Any]] = {"byte": octet, "number": _number, "flag": _flag}
"""From a field's text to its value, by its kind."""
