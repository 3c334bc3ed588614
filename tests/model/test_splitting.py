"""Records as packets: the model against Python's `bytes.split`, and its rules for cuts and empty records."""

from itertools import product

import pytest
from runewire_model import ParameterError, TranscoderParameters, parameters
from runewire_model.report import Sidebands
from runewire_model.splitting import record_packets

SHORT = [bytes(octets) for size in range(7) for octets in product(b"a\n", repeat=size)]


def data(packet: bytes, **options: object) -> list[bytes]:
    return [each.data for each in record_packets(packet, Sidebands(split=0x0A, **options))]


@pytest.mark.parametrize("packet", SHORT, ids=bytes.hex)
def test_records_are_those_of_bytes_split(packet: bytes) -> None:
    lines = packet.split(b"\n")
    ended, rest = lines[:-1], lines[-1:] if lines[-1] else []
    assert data(packet, delimiter="drop") == ended + rest
    assert data(packet) == [line + b"\n" for line in ended] + rest
    assert data(packet, delimiter="drop", empty="drop") == [line for line in ended + rest if line]
    assert data(packet, empty="drop") == [line + b"\n" for line in ended if line] + rest


@pytest.mark.parametrize("packet", SHORT, ids=bytes.hex)
@pytest.mark.parametrize("longest", [1, 2, 4])
def test_cut_records_joined_are_whole_and_each_cut_is_full(packet: bytes, longest: int) -> None:
    for delimiter in ("keep", "drop"):
        found = list(record_packets(packet, Sidebands(split=0x0A, delimiter=delimiter, longest=longest)))
        assert all(len(each.data) == longest if each.cut else len(each.data) <= longest for each in found)
        whole = [b""]
        for each in found:
            whole[-1] += each.data
            whole += [] if each.cut else [b""]
        assert whole[:-1] == data(packet, delimiter=delimiter)


def test_places_numbers_and_the_end_of_the_packet() -> None:
    found = list(record_packets(b"ab\n\ncde", Sidebands(split=0x0A, delimiter="drop", longest=2)))
    assert [(each.record, each.first, each.last, each.cut, each.ends) for each in found] == [
        (0, 0, 2, False, False), (1, 3, 3, False, False), (2, 4, 5, True, False), (2, 6, 6, False, True)]


def test_an_empty_last_record_that_is_dropped_takes_the_end_with_it() -> None:
    assert not any(each.ends for each in record_packets(b"a\n\n", Sidebands(split=0x0A, empty="drop")))


def test_each_record_has_its_own_report() -> None:
    core = parameters("validator", split=0x0A, count=("bytes",))
    assert [(answer.error is None, answer.counts) for answer in core.answers(b"a\n\xFF\nbc")] == [
        (True, {"bytes": 2}), (False, {"bytes": 2}), (True, {"bytes": 2})]
    with pytest.raises(ValueError, match="may become several"):
        core.compute(b"a")
    with pytest.raises(TypeError, match="packet must be bytes"):
        core.answers("a")


def test_a_splitter_says_records_where_other_cores_say_split() -> None:
    core = parameters("splitter", records=0x2C, lanes=4)
    assert core.sidebands.split == 0x2C
    assert core.record() == {"core": "splitter", "lanes": 4, "pipeline": "fast", "records": 0x2C}
    assert TranscoderParameters.of(core.record()) == core
    assert parameters("splitter").sidebands.split == 0x0A
    assert "records" not in parameters("splitter").options


@pytest.mark.parametrize(("core", "options", "message"), [
    ("splitter", {"records": 0xC8}, "records must be a byte from 00 to 7F in hex, got C8"),
    ("splitter", {"longest": 20}, "longest must be a power of two, got 20: 16 or 32 would do"),
    ("splitter", {"longest": 4}, "longest must be at least the 8 bytes of a beat, got 4"),
    ("splitter", {"longest": 1 << 21}, "longest must be a number from 1 to 1048576, got 2097152"),
    ("splitter", {"longest": 8, "user": 64}, "user must be at most 63 with longest, which adds a bit to tuser, got 64"),
    ("splitter", {"pipeline": "compact"}, "pipeline must be one of fast, balanced, got 'compact'"),
    ("splitter", {"empty": "no"}, "empty must be one of keep, drop, got 'no'"),
    ("validator", {"delimiter": "drop"}, "delimiter needs split, such as split=0x0A"),
    ("validator", {"split": 10, "flows": 1}, "split does not go with flows, got 1 flows"),
])
def test_options_without_a_meaning(core: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parameters(core, **options)
    assert str(caught.value) == message


def test_only_sources_of_bytes_are_split() -> None:
    with pytest.raises(ParameterError, match=r"^split is an option of cores that read utf-8, latin-1 or ascii, got"):
        TranscoderParameters("utf-16le", "utf-8", sidebands=Sidebands(split=0x0A))
    with pytest.raises(ParameterError, match=r"^the encoder has no option 'split'"):
        parameters("encoder", split=0x0A)
