import re

import pytest
from runewire.units import bits_per_second, duration, number_of_bytes, packet_sizes
from runewire_model import ParameterError


@pytest.mark.parametrize(("text", "value"), [
    ("1500", 1500), ("64K", 65536), ("64k", 65536), ("1M", 1 << 20), ("1MiB", 1 << 20), ("2GB", 2 << 30),
    (" 7B ", 7),
])
def test_sizes_are_binary(text: str, value: int) -> None:
    assert number_of_bytes(text) == value


@pytest.mark.parametrize("text", ["", "M", "-5", "1.5M", "12Q", "0x10"])
def test_size_that_is_none_is_quoted(text: str) -> None:
    with pytest.raises(ParameterError, match=f"got '{text}'"):
        number_of_bytes(text)


@pytest.mark.parametrize(("text", "value"), [
    ("100G", 100e9), ("2.5G", 2.5e9), ("400M", 400e6), ("10Gbit/s", 10e9), ("10Gbps", 10e9), ("1Tb", 1e12),
    ("9600bit/s", 9600), ("300b", 300), ("56k", 56e3), ("2.5 Gbit/s", 2.5e9),
])
def test_rates_are_decimal(text: str, value: float) -> None:
    assert bits_per_second(text) == value


@pytest.mark.parametrize("text", ["", "fast", "-1G", "0", "0.0G", "1e9", "10GB"])
def test_rate_that_is_none_is_quoted(text: str) -> None:
    with pytest.raises(ParameterError, match=f"got '{text}'"):
        bits_per_second(text)


@pytest.mark.parametrize("text", ["100", "0.5", " 9600 "])
def test_rate_without_a_unit_asks_for_one(text: str) -> None:
    number = text.strip()
    with pytest.raises(ParameterError) as found:
        bits_per_second(text)
    assert str(found.value) == (f"rate needs a unit, got {text!r}: write {number}G for Gbit/s, {number}M for Mbit/s, "
                                f"{number}bit/s for bits a second")


@pytest.mark.parametrize(("text", "sizes"), [
    ("64..1500", range(64, 1501)), ("1500", range(1500, 1501)), ("1..1", range(1, 2)),
    (" 5..6 ", range(5, 7)),
])
def test_packet_sizes_include_both_ends(text: str, sizes: range) -> None:
    assert packet_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "0", "0..4", "5..4", "5...6", "5-6", "1.5", "..7"])
def test_packet_size_that_is_none_is_quoted(text: str) -> None:
    with pytest.raises(ParameterError, match=f"got '{re.escape(text)}'"):
        packet_sizes(text)


@pytest.mark.parametrize(("text", "seconds"), [
    ("8h", 28800), ("1h30m", 5400), ("45m", 2700), ("90s", 90), ("1.5h", 5400), (" 2m5s ", 125),
])
def test_a_time_is_in_hours_minutes_and_seconds(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "8", "0h", "8 h", "h", "-1h", "8d", "1h30", "8hours"])
def test_a_time_that_is_none_is_quoted(text: str) -> None:
    with pytest.raises(ParameterError, match=f"a time must have a unit, such as 8h, 1h30m or 45m, got '{text}'"):
        duration(text)
