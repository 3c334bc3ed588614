"""Records inside a packet."""

import pytest
from runewire_model import ENCODINGS, ParameterError, TranscoderParameters, parameters
from runewire_model.records import ill_formed_records, split_records
from runewire_model.report import Sidebands


@pytest.mark.parametrize(("packet", "records"), [
    (b"", []), (b"a\n", [b"a\n"]), (b"a\nb", [b"a\n", b"b"]), (b"\n\n", [b"\n", b"\n"]), (b"ab", [b"ab"]),
])
def test_a_delimiter_is_part_of_the_record_that_it_ends(packet: bytes, records: list[bytes]) -> None:
    assert list(split_records(packet, 0x0A)) == records


@pytest.mark.parametrize(("packet", "wrong"), [
    (b"\xE2\x82\x0A", (True,)), (b"\xE2\x82\x0A\x82", (True, True)), (b"ok\n\xFF", (False, True)), (b"", ()),
    ("€\n€".encode(), (False, False)), (b"a\xC3\n\nb", (True, False, False)),
])
def test_a_record_is_ill_formed_where_a_subpart_begins_in_it(packet: bytes, wrong: tuple[bool, ...]) -> None:
    assert ill_formed_records(ENCODINGS["utf-8"], packet, 0x0A) == wrong


def test_the_golden_answer_has_records_and_counts() -> None:
    core = parameters("validator", records=0x0A, count=["records", "bad-records", "code-points", "utf16-units",
                                                        "replacements", "bytes"])
    result = core.compute("a\n😀\n".encode() + b"\xE2\x82")
    assert result.records == (False, False, True)
    assert result.counts == {"records": 3, "bad_records": 1, "code_points": 5, "utf16_units": 6, "replacements": 1,
                             "bytes": 9}


@pytest.mark.parametrize(("source", "target"), [("utf-8", "utf-32le"), ("utf-32le", None), ("utf-16le", None)])
def test_records_need_bytes_that_pass_through(source: str, target: str | None) -> None:
    got = f"a validator of {source}" if target is None else f"{source} to {target}"
    message = f"^records is an option of validators of utf-8, latin-1 and ascii, got {got}$"
    with pytest.raises(ParameterError, match=message):
        TranscoderParameters(source, target, 4, sidebands=Sidebands(records=0x0A))
