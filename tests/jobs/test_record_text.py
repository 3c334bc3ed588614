"""A record's text is its JSON, with a line for each element."""

import json
from typing import Any

import pytest
from runewire_jobs.record_text import record_text


def test_each_element_has_a_line() -> None:
    record = {"seed": 1, "sent": [{"bytes": 2, "at": [0, 1]}, {"bytes": 3}], "cores": {"é": {"lanes": 1}}}
    assert record_text(record) == """\
{
"seed": 1,
"sent": [
{"bytes": 2, "at": [0, 1]},
{"bytes": 3}
],
"cores": {
"é": {"lanes": 1}
}
}
"""


@pytest.mark.parametrize("value", [{}, [], {"a": []}, {"a": {}}, [[]], {"a": {"b": [1, None]}}, {"a": 'x"y\n'}])
def test_it_is_the_json_of_the_value(value: Any) -> None:
    assert json.loads(record_text(value)) == value
