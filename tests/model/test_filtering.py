"""Packets without their ill-formed records: the model against CPython's decoder, and its rules for long records."""

from itertools import product
from random import Random

import pytest
from runewire_model import ErrorKind, FirstError, ParameterError, TranscoderParameters, parameters
from runewire_model.filtering import Reject
from runewire_model.report import Sidebands

SHORT = [bytes(octets) for size in range(6) for octets in product(b"a\n\xC3\xA9", repeat=size)]
CORE = parameters("filter", lanes=1, longest=4, rejects=True)


def records(packet: bytes, delimiter: bytes = b"\n") -> list[bytes]:
    """The records of a packet, each with its delimiter."""
    *ended, rest = packet.split(delimiter)
    return [each + delimiter for each in ended] + [rest] * bool(rest)


def stays(record: bytes, longest: int) -> bool:
    """Whether CPython accepts the record, and it fits the buffer."""
    try:
        record.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(record) <= longest


def check(core: TranscoderParameters, packet: bytes, delimiter: bytes = b"\n") -> None:
    longest = core.sidebands.longest
    assert longest is not None
    fine = [stays(each, longest) for each in records(packet, delimiter)]
    answer, rejects = core.compute(packet), core.rejects(packet)
    assert answer.output == b"".join(each for each, fits in zip(records(packet, delimiter), fine, strict=True) if fits)
    assert answer.counts == {"rejected": fine.count(False)}
    assert [(each.record, each.data) for each in rejects] == [
        (number, each) for number, each in enumerate(records(packet, delimiter)) if not fine[number]]
    assert all(each.error is not None or each.long for each in rejects)
    assert [each.long for each in rejects] == [len(each.data) > longest for each in rejects]


@pytest.mark.parametrize("size", range(6))
def test_records_that_stay_are_those_that_cpython_decodes(size: int) -> None:
    for packet in SHORT:
        if len(packet) == size:
            check(CORE, packet)


def test_random_packets_and_other_delimiters() -> None:
    random = Random(43)
    pieces = [b"a", b",", "é".encode(), "€".encode(), "😀".encode(), b"\xE2\x82", b"\xFF", b"\xED\xA0\x80", b"\xC0\x80"]
    core = parameters("filter", lanes=8, longest=16, records=0x2C)
    for _ in range(2000):
        check(core, b"".join(random.choices(pieces, k=random.randrange(30))), b",")


def test_kind_offset_and_number() -> None:
    assert CORE.rejects(b"a\nb\xFF\n\nabcd\n\xE2\x82") == [
        Reject(b"b\xFF\n", 1, FirstError(ErrorKind.HEADER_BITS, 1), False), Reject(b"abcd\n", 3, None, True),
        Reject(b"\xE2\x82", 4, FirstError(ErrorKind.TOO_SHORT, 0), False)]
    assert parameters("validator").rejects(b"\xFF") == []


def test_the_buffer_and_the_delimiter_have_defaults() -> None:
    core = parameters("filter")
    assert (core.sidebands.filter, core.sidebands.longest, core.unusual) == (0x0A, 16384, {})
    other = parameters("filter", records=0x2C, longest=8, rejects=True, user=3)
    assert other.record() == {"core": "filter", "lanes": 8, "pipeline": "fast", "user": 3, "longest": 8,
                              "records": 0x2C, "rejects": True}
    assert TranscoderParameters.of(other.record()) == other


@pytest.mark.parametrize(("core", "options", "message"), [
    ("filter", {"records": 0xC8}, "records must be a byte from 00 to 7F in hex, got C8"),
    ("filter", {"longest": 20}, "longest must be a power of two, got 20: 16 or 32 would do"),
    ("filter", {"longest": 4}, "longest must be at least the 8 bytes of a beat, got 4"),
    ("filter", {"user": 33}, "user must be a number from 0 to 32, got 33"),
    ("filter", {"pipeline": "compact"}, "pipeline must be one of fast, balanced, got 'compact'"),
    ("filter", {"rejects": 1}, "rejects must be True or False, got 1"),
    ("filter", {"delimiter": "drop"}, "the filter has no option 'delimiter': the validator, decoder, sanitizer, "
     "splitter and transcoder have it"),
])
def test_options_without_a_meaning(core: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parameters(core, **options)
    assert str(caught.value) == message


def test_only_the_filter_filters() -> None:
    with pytest.raises(ParameterError, match=r"^the validator has no option 'rejects'"):
        parameters("validator", rejects=True)
    with pytest.raises(ParameterError, match=r"^filter is an option of the filter alone, got sanitizer, 8 lanes"):
        TranscoderParameters("utf-8", "utf-8", sidebands=Sidebands(filter=0x0A, longest=64))
    with pytest.raises(ParameterError, match=r"^rejects needs filter, such as filter=0x0A"):
        Sidebands(rejects=True)
    with pytest.raises(ParameterError, match=r"^filter needs longest"):
        Sidebands(filter=0x0A)
