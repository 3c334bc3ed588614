"""Everything that the page shows for a choice, ready for JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from runewire_benchmark.datasheet import Entry
from runewire_model import ENCODINGS
from runewire_model.core_options import generate_command
from runewire_model.transcoder import CORES, TRANSCODER
from runewire_rtl.ports import ports

from .choice import impossible, settled
from .figures import nearest
from .form import Field
from .symbol import symbol


def view(fields: Sequence[Field], entries: Sequence[Entry], texts: Mapping[str, str]) -> dict[str, Any]:
    """The page's content for a choice; what cannot be combined is left out of it, with a note."""
    choice = settled(fields, texts)
    core = choice.parameters
    found = impossible(fields, choice)
    return {
        "choice": choice.texts,
        "core": str(core),
        "notes": [note._asdict() for note in choice.notes],
        "fields": {field.name: {
            "value": choice.value(field),
            "impossible": [each._asdict() for each in found.get(field.name, [])],
            "disabled": _disabled(field, choice.value(field), {value for each in found.get(field.name, [])
                                                                for value in each.values or ("",)}),
        } for field in fields},
        "symbol": symbol(core),
        "ports": [port._asdict() for port in ports(core)],
        "rows": [row.as_json() for row in nearest(entries, core)],
        "command": generate_command(core, initial_values=choice.initial_values, packages=choice.packages),
    }


def _disabled(field: Field, value: str, wrong: set[str]) -> bool:
    """Whether nothing of a field can be chosen but what is chosen."""
    if not field.values:
        return bool(wrong)
    return {*field.values} - wrong <= {value} and bool(wrong)


def prepared(fields: Sequence[Field], entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Views that the page has before Python is loaded: named cores at each width, and each pair of encodings."""
    lanes = next(field.values for field in fields if field.name == "lanes")
    texts: list[dict[str, str]] = [{"core": core, "lanes": each} for core in CORES for each in lanes]
    texts += [{"core": "validator", "encoding": encoding} for encoding in ENCODINGS]
    texts += [{"core": TRANSCODER, "from": source, "to": target} for source in ENCODINGS for target in ENCODINGS]
    found = [view(fields, entries, each) for each in texts]
    return [each for each in found if not each["notes"]]
