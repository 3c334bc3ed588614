"""The conformance vectors: against CPython's codecs, written independently, and against what standards print."""

import hashlib
from functools import cache
from itertools import pairwise
from typing import Any

import jschon
import pytest
from runewire_jobs.record_text import record_text
from runewire_model import ENCODINGS, ParameterError
from runewire_model.conformance import SCHEMA, TRAPS, document
from runewire_model.conformance.trap import offsets
from runewire_model.conformance.vectors import EDITION, vector

REASONS = {"invalid start byte": "invalid-start", "invalid continuation byte": "invalid-continuation",
           "unexpected end of data": "unexpected-end"}
"""CPython's reasons, for UTF-8."""

document = cache(document)


def as_codec(name: str) -> str:
    return name if name == "utf-8" else f"{name[:-2]}-{name[-2:]}"


def disagreement(name: str, each: dict[str, Any]) -> str:
    """What CPython says otherwise of a vector; "" if nothing."""
    packet, unit = bytes.fromhex(each["bytes"]), ENCODINGS[name].unit_bytes
    if [*map(ord, packet.decode(as_codec(name), "replace"))] != each["scalars"]:
        return "scalars"
    if bytes.fromhex(each["output"]) != packet.decode(as_codec(name), "replace").encode():
        return "output"
    kept = [scalar for at, scalar in enumerate(each["scalars"]) if at not in each["replaced"]]
    if [*map(ord, packet.decode(as_codec(name), "ignore"))] != kept:
        return "replaced"
    try:
        packet.decode(as_codec(name))
    except UnicodeDecodeError as error:
        if each["well_formed"]:
            return "well_formed"
        subpart = each["first_error"]["subpart"]
        said = (error.start // unit, REASONS.get(error.reason), error.end - error.start)
        if (subpart["offset"], *((subpart["kind"], subpart["length"]) if unit == 1 else said[1:])) != said:
            return "subpart"
        return ""
    return "" if each["well_formed"] and each["first_error"] is None else "well_formed"


@pytest.mark.parametrize("name", TRAPS)
def test_cpython_agrees(name: str) -> None:
    assert [each["id"] for each in document(name)["vectors"] if disagreement(name, each)] == []


@pytest.mark.parametrize(("key", "value"), [
    ("scalars", [0x41]), ("output", "41"), ("replaced", []), ("well_formed", True),
    ("first_error", {"subpart": {"kind": "invalid-start", "offset": 1, "length": 2}}),
    ("first_error", {"subpart": {"kind": "invalid-continuation", "offset": 1, "length": 1}})])
def test_a_wrong_vector_disagrees_with_cpython(key: str, value: object) -> None:
    right = vector(ENCODINGS["utf-8"], b"A\xE2\x82A")
    assert disagreement("utf-8", right) == ""
    assert disagreement("utf-8", {**right, key: value}) != ""


def prefix_of_text(data: bytes) -> bool:
    """Whether text in UTF-8 can begin like this, by CPython's incremental decoder with each next byte tried."""
    def ends_well(rest: bytes, depth: int) -> bool:
        try:
            rest.decode()
        except UnicodeDecodeError:
            return depth > 0 and any(ends_well(rest + bytes([more]), depth - 1) for more in (0x80, 0x90, 0xA0))
        return True

    return ends_well(data, 3)


def test_the_grammar_s_offset_is_the_first_byte_that_cannot_continue() -> None:
    for each in document("utf-8")["vectors"]:
        if not each["well_formed"]:
            packet, (kind, offset) = bytes.fromhex(each["bytes"]), each["first_error"]["grammar"].values()
            assert prefix_of_text(packet[:offset]), each["id"]
            assert (kind == "unexpected-end") == (offset == len(packet)), each["id"]
            assert kind == "unexpected-end" or not prefix_of_text(packet[: offset + 1]), each["id"]


@pytest.mark.parametrize(("packet", "scalars"), [
    ("C0 AF E0 80 BF F0 81 82 41", "FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD 41"),
    ("ED A0 80 ED BF BF ED AF 41", "FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD 41"),
    ("F4 91 92 93 FF 41 80 BF 42", "FFFD FFFD FFFD FFFD FFFD 41 FFFD FFFD 42"),
    ("E1 80 E2 F0 91 92 F1 BF 41", "FFFD FFFD FFFD FFFD 41"),
    ("61 F1 80 80 E1 80 C2 62 80 63 80 BF 64", "61 FFFD FFFD FFFD 62 FFFD 63 FFFD FFFD 64"),
])
def test_the_tables_of_unicode_s_chapter_3_are_vectors(packet: str, scalars: str) -> None:
    [found] = [each for each in document("utf-8")["vectors"] if each["bytes"] == packet.replace(" ", "")]
    assert found["trap"] == "maximal-subpart"
    assert found["scalars"] == [int(scalar, 16) for scalar in scalars.split()]


@pytest.mark.parametrize(("packet", "kind", "offset", "code"), [
    ("41 FF 80", "HEADER_BITS", 1, 1), ("41 C0 80 42", "OVERLONG", 1, 4), ("ED A0 80", "SURROGATE", 0, 6),
    ("F4 90 80 80", "TOO_LARGE", 0, 5), ("41 80 42", "TOO_LONG", 1, 3), ("E2 82", "TOO_SHORT", 0, 2)])
def test_simdutf_s_convention(packet: str, kind: str, offset: int, code: int) -> None:
    each = next(each for each in document("utf-8")["vectors"] if each["bytes"] == packet.replace(" ", ""))
    assert each["first_error"]["simdutf"] == {"kind": kind, "code": code, "offset": offset}


@pytest.mark.parametrize("name", TRAPS)
def test_every_trap_has_vectors_and_every_vector_a_trap(name: str) -> None:
    traps = [trap["name"] for trap in document(name)["traps"]]
    vectors = document(name)["vectors"]
    assert len({each["id"] for each in vectors}) == len(vectors)
    assert {each["trap"] for each in vectors} == {*traps}
    assert all(each["id"].startswith(f"{each['trap']}/") for each in vectors)


@pytest.mark.parametrize("name", TRAPS)
def test_a_text_that_ends_inside_a_character_is_followed_by_a_packet_border(name: str) -> None:
    vectors = document(name)["vectors"]
    endings = {"rest": 0, "text": 0}
    for each, after in pairwise(vectors):
        alone, joined = bytes.fromhex(each["bytes"]), bytes.fromhex(each["bytes"] + after["bytes"])
        if "-after-" in after["id"] and after["id"].endswith(each["id"]):
            endings[after["id"].split("/")[1].split("-")[0]] += 1
            if "/rest-" in after["id"]:
                assert vector(ENCODINGS[name], joined)["scalars"] != vector(ENCODINGS[name], alone)["scalars"]
    assert min(endings.values()) > 0


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16, 32, 64])
def test_errors_begin_in_each_lane_and_end_each_beat(lanes: int) -> None:
    for name in ("overlong", "truncated", "surrogate"):
        seen = {len(bytes.fromhex(each["bytes"])) % lanes for each in document("utf-8")["vectors"]
                if each["id"].startswith(f"lane-borders/{name}-at-")}
        assert seen == {*range(lanes)}
    assert {offset % 256 for offset in offsets()} >= {253, 254, 255, 0, 1, 2}


@pytest.mark.filterwarnings("ignore::DeprecationWarning:rfc3986")  # which jschon calls
@pytest.mark.parametrize("name", TRAPS)
def test_the_schema_describes_the_document(name: str) -> None:
    """Of each trap the first vector, as jschon takes a minute for all."""
    jschon.create_catalog("2020-12")
    schema = jschon.JSONSchema(SCHEMA)
    first = [*{each["trap"]: each for each in reversed(document(name)["vectors"])}.values()]
    assert schema.evaluate(jschon.JSON({**document(name), "vectors": first})).valid
    assert not schema.evaluate(jschon.JSON({**document(name), "vectors": [{**first[0], "bytes": "4"}]})).valid


def test_another_edition_has_another_number() -> None:
    """The data set is pinned: change EDITION and this digest together."""
    text = "".join(record_text(document(name)) for name in TRAPS)
    assert (EDITION, hashlib.sha256(text.encode()).hexdigest()[:16]) == (1, "6f9f7733b4b102e1")


def test_an_encoding_without_vectors_is_refused() -> None:
    with pytest.raises(ParameterError, match="encoding must be one of utf-8, utf-16le"):
        document("latin-1")
