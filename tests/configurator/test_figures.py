"""The nearest rows of the datasheet."""

from typing import Any

import pytest
from runewire_benchmark.datasheet import Entry, load
from runewire_configurator.figures import nearest
from runewire_model import TranscoderParameters, parameters

ENTRIES = load()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.name} {entry.target}")
def test_a_measured_core_has_its_own_row(entry: Entry) -> None:
    rows = nearest(ENTRIES, entry.parameters)
    assert rows[0].differs == ()
    assert rows[0].entry.parameters == entry.parameters


@pytest.mark.parametrize(("record", "row", "differs"), [
    ({"core": "decoder", "lanes": 16, "bom": "strip"}, "16-lane dense decoder", ["bom keep instead of strip"]),
    ({"core": "validator", "lanes": 2, "report": "none", "user": 3}, "2-lane validator",
     ["report full instead of none", "without user 3"]),
    ({"core": "encoder", "lanes": 2, "pipeline": "compact"}, "1-lane compact encoder", ["1 lane instead of 2"]),
    ({"core": "sanitizer", "lanes": 16}, "16-lane dense sanitizer with errors drop",
     ["errors drop instead of replace"]),
    ({"core": "transcoder", "from": "utf-16be", "to": "utf-8"}, "8-lane UTF-16LE to UTF-8 transcoder",
     ["UTF-16LE instead of UTF-16BE"]),
    ({"core": "validator", "records": 0x0A, "count": ["bytes"]},
     "8-lane validator with records 0A", ["without count bytes"]),
    ({"core": "filter", "lanes": 64, "rejects": True}, "64-lane filter", ["without rejects"]),
    ({"core": "filter", "longest": 64, "rejects": True}, "8-lane filter with rejects yes",
     ["longest 16384 instead of 64"]),
], ids=str)
def test_the_nearest_row_differs_least(record: dict[str, Any], row: str, differs: list[str]) -> None:
    first = nearest(ENTRIES, TranscoderParameters.of(record))[0]
    assert (first.entry.name, list(first.differs)) == (row, differs)


def test_a_device_has_one_row() -> None:
    targets = [row.entry.target for row in nearest(ENTRIES, parameters("validator"))]
    assert len(targets) == len({*targets}) > 3


def test_encodings_without_a_row_have_none() -> None:
    assert nearest(ENTRIES, TranscoderParameters("ascii", "utf-32be", 8)) == []
