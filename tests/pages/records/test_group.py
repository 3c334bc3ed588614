"""Groups of records: what is due, which comes first, and times in words."""

import pytest
from runewire_pages.records.group import RecordGroup, time_text


def test_every_record_that_is_not_of_the_present_design_is_due() -> None:
    group = RecordGroup("proofs", "a core", {"present": 4, "former": 2, "unknown": 1, "missing": 3}, ["runewire"])
    assert group.due == 6
    assert RecordGroup("proofs", "a core", {"present": 4}, ["runewire"]).due == 0


def test_the_oldest_version_comes_first_then_the_shortest_and_what_is_missing_last() -> None:
    groups = [
        RecordGroup("proofs", "old", {"former": 1}, [], 900.0, "0.9.0"),
        RecordGroup("proofs", "short", {"former": 1}, [], 10.0, "0.10.0"),
        RecordGroup("proofs", "long", {"former": 1}, [], 20.0, "0.10.0"),
        RecordGroup("proofs", "untimed", {"former": 1}, [], None, "0.10.0"),
        RecordGroup("proofs", "unknown", {"unknown": 1}, [], 1.0, "0.10.0"),
        RecordGroup("proofs", "missing", {"missing": 1}, [], 1.0),
    ]
    assert sorted([*groups[3:], *groups[:3]], key=lambda group: group.age) == groups


@pytest.mark.parametrize(("seconds", "text"), [
    (0.4, "0 s"), (59.4, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (3 * 3600 + 20 * 60, "3 h 20 min"),
])
def test_a_time_in_words(seconds: float, text: str) -> None:
    assert time_text(seconds) == text
