"""Sidebands: options of the ports, the report's layout, packing and unpacking."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runewire_model import ErrorKind, FirstError, ParameterError
from runewire_model.report import REPORTS, Sidebands
from runewire_model.report_fields import possible_counters


@pytest.mark.parametrize(("options", "message"), [
    ({"report": "all"}, "report must be one of none, flag, kind, full, got 'all'"),
    ({"offset_bits": 15}, "offset_bits must be a number from 16 to 64, got 15"),
    ({"offset_bits": True}, "offset_bits must be a number from 16 to 64, got True"),
    ({"user": -1}, "user must be a number from 0 to 64, got -1"),
    ({"records": 0x80}, "records must be a byte from 00 to 7F in hex, got 80"),
    ({"count": ("lines",)}, "count must be one of code-points, utf16-units, replacements, bytes, ascii, records, "
                            "bad-records, got 'lines'"),
    ({"count": "bytes"}, "count must be a sequence of names, such as ('bytes',), got str 'bytes'"),
    ({"count": 5}, "count must be a sequence of names, such as ('bytes',), got int 5"),
    ({"count": ("code_points",)}, "count must be one of code-points, utf16-units, replacements, bytes, ascii, "
                                  "records, bad-records, got 'code_points': did you mean 'code-points'?"),
    ({"records": "0A"}, "records must be a byte from 00 to 7F in hex, got '0A'"),
    ({"records": True}, "records must be a byte from 00 to 7F in hex, got True"),
    ({"count": ("bytes", "bytes")}, "count has a counter twice, got bytes,bytes"),
    ({"count": ("records",)}, "count records needs records, such as records=0x0A"),
    ({"report": "none", "report_port": "only"}, "report_port only needs a report or counters, got report='none'"),
])
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as found:
        Sidebands(**options)
    assert str(found.value) == message


def test_the_layout_is_that_of_the_field() -> None:
    """Bit 0 marks the packet as bad, as MACs, FIFOs and DMAs expect it."""
    side = Sidebands(count=("bytes", "records"), records=0x0A, offset_bits=16, user=3)
    assert [(field.name, field.lsb, field.width) for field in (*side.last_beat, *side.every_beat(4))] == [
        ("error", 0, 1), ("kind", 1, 3), ("offset", 4, 16), ("bytes", 20, 16), ("records", 36, 16), ("user", 52, 3),
        ("marks", 55, 8)]
    assert side.user_bits(4) == 63


@pytest.mark.parametrize(("options", "told", "octets", "last"), [
    ({}, 36, 0, 36), ({"report": "flag", "report_port": "only", "user": 2}, 1, 1, 2),
    ({"report": "none", "count": ("bytes",), "report_port": "beside"}, 32, 4, 32),
    ({"report_port": "only"}, 36, 5, 0), ({"report": "none", "user": 3}, 0, 0, 3),
])
def test_widths_are_those_of_the_fields(options: dict[str, Any], told: int, octets: int, last: int) -> None:
    side = Sidebands(**options)
    assert (side.told_width, side.report_bytes, side.last_beat_width) == (told, octets, last)


def test_what_travels_along_is_named_where_it_has_a_width() -> None:
    assert (Sidebands().carried, Sidebands().tags) == ({}, {})
    side = Sidebands(user=3, dest=5)
    assert (side.carried, side.tags) == ({"user": 3, "dest": 5}, {"dest": 5})


@pytest.mark.parametrize(("options", "names"), [
    ({"report": "none"}, []), ({"report": "flag"}, ["error"]), ({"report": "kind"}, ["error", "kind"]),
    ({"report": "flag", "report_port": "only", "user": 1}, ["user"]),
    ({"report": "flag", "report_port": "beside", "user": 1}, ["error", "user"]),
])
def test_what_is_not_asked_for_is_not_there(options: dict[str, Any], names: list[str]) -> None:
    assert [field.name for field in Sidebands(**options).last_beat] == names


@given(amount=st.sampled_from(REPORTS[1:]), bits=st.integers(16, 64),
       count=st.sets(st.sampled_from(possible_counters(None))),
       kind=st.sampled_from([None, *ErrorKind]), offset=st.integers(0, 2**65), number=st.integers(0, 2**65))
def test_a_report_says_what_was_packed(
    amount: str, bits: int, count: set[str], kind: ErrorKind | None, offset: int, number: int,
) -> None:
    side = Sidebands(report=amount, offset_bits=bits, count=tuple(sorted(count)))
    most = (1 << bits) - 1
    error = None if kind is None else FirstError(kind, offset)
    told = side.unpack(side.pack(error, {name.replace("-", "_"): number for name in side.count}))
    assert told.bad == (error is not None)
    assert told.counts == {name.replace("-", "_"): min(number, most) for name in side.count}
    if error is None or amount == "flag":
        assert told.error is None
    else:
        assert told.error == FirstError(error.kind, min(offset, most) if amount == "full" else 0)


@pytest.mark.parametrize("bad", [True, False])
def test_a_packet_that_came_in_bad_is_bad(bad: bool) -> None:
    side = Sidebands(user=2)
    report = side.pack(None, {}, user=0b10 | bad)
    assert report == int(bad)
    assert side.unpack(report).error is None


@pytest.mark.parametrize("report", [1, 0b0010, 0b1110, 1 << 4, 1 << 36, 7 << 1])
def test_a_report_that_no_core_may_send(report: int) -> None:
    with pytest.raises(ValueError, match=f"a report of {report:#x} has no meaning"):
        Sidebands().unpack(report)
