"""The form's fields, made from the options of `runewire generate`: names, values, help, defaults."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, get_args

from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.report import COUNTERS, Sidebands
from runewire_model.transcoder import CORES, MOST_ROW_BYTES, TRANSCODER

LANES = tuple(str(1 << n) for n in range(MOST_ROW_BYTES.bit_length()))
"""Every width that some core has."""
KINDS = {"N": "one", "ENCODING": "encoding", "HEX": "byte", "BITS": "number", "BYTES": "number", "NAME,…": "several"}
"""Kinds of fields by the option's placeholder in the help; other placeholders list the values."""
NOT_OF_THE_CORE = ("output", "from_description", "as_json")
"""Options of the command that have no field."""
FLAG = ("no", "yes")
"""The values of an option that is on or off."""
CORE_TEXTS = {
    "validator": "Passes text through, and reports the first error of each packet.",
    "decoder": "UTF-8 to code points: UTF-32LE.",
    "encoder": "Code points to UTF-8: from UTF-32LE.",
    "sanitizer": "UTF-8 to well-formed UTF-8.",
    "packer": "Removes null bytes: any tkeep in, full beats out. It reads no byte.",
    "splitter": "Makes a packet of each record, for example of each line.",
    "filter": "Removes ill-formed records, for example lines that are not UTF-8.",
    "transcoder": "From any encoding to any other.",
}
SAMPLES = {"byte": "3F", "number": "16", "flows": "1", "longest": "65536"}
"""By the field's name or kind, a value that each core with the option accepts."""


@dataclass(frozen=True)
class Field:
    """An option of the command.

    Attributes
    ----------
    name : as on the command line without its dashes: "offset-bits"
    kind : "one" or "several" of `values`, "flag" ("no" or "yes"), "encoding" (one in a longer list), "byte" in hex, or
        "number"
    help : the option's help
    values : what may be chosen; empty for bytes and numbers
    texts : what the values mean, for people
    default : the value without the option; "" for none
    """

    name: str
    kind: str
    help: str
    values: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
    default: str = ""

    @property
    def sample(self) -> str:
        """A value that shows whether a core has the option, for fields without a list of values."""
        return SAMPLES.get(self.name, SAMPLES[self.kind])

    def as_json(self) -> dict[str, Any]:
        """All attributes; `of` is the inverse."""
        return asdict(self)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """The field of `as_json`."""
        return cls(**{**record, "values": tuple(record["values"])})


def form_fields(command: Callable[..., Any], package_texts: Mapping[str, str]) -> list[Field]:
    """The fields for the options of ``command``, in the order of its help. ``package_texts``: what packages are for."""
    found = [Field("core", "one", "What the core does with text.", (*CORES, TRANSCODER), CORE_TEXTS, "validator")]
    for name, parameter in inspect.signature(command).parameters.items():
        if name in ("core", *NOT_OF_THE_CORE):
            continue
        option = get_args(parameter.annotation)[1]
        listed = () if option.autocompletion is None else tuple(option.autocompletion(""))
        flag = get_args(parameter.annotation)[0] == bool | None
        listed = FLAG if flag else listed
        texts = {"count": {each: counter.text for each, counter in COUNTERS.items()}, "package": package_texts}
        values = LANES if name == "lanes" else listed
        kind = "flag" if flag else KINDS.get(option.metavar, "one")
        found.append(Field(
            name.strip("_").replace("_", "-"), "number" if kind == "one" and not values else kind, option.help, values,
            {each: ENCODINGS[each].title for each in listed} if option.metavar == "ENCODING" else texts.get(name, {}),
            DEFAULTS.get(name, "")))
    return found


def _defaults(owners: Sequence[Any]) -> dict[str, str]:
    """Defaults by name of the fields of dataclasses that are words, numbers or flags."""
    return {each.name: "no" if each.default is False else str(each.default)
            for owner in owners for each in fields(owner)
            if isinstance(each.default, str | int) and each.name != "lanes"}


DEFAULTS = {**_defaults((TranscoderParameters, Sidebands)), "encoding": CORES["validator"].source,
            "initial_values": "yes"}
