from pathlib import Path

import pytest
from runewire_benchmark.inputs import PACKET_BYTES, SPACINGS, SampleText, builtin, cases, cut, from_files, lengthened
from runewire_model import ParameterError
from runewire_model.texts import SCRIPTS, generate


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("length", [4, 5, 7, 64, 1500])
def test_pieces_are_whole_characters_and_nearly_full(script: str, length: int) -> None:
    data = generate(script, 4000)
    pieces = cut(data, length)
    assert b"".join(pieces) == data
    for piece in pieces:
        piece.decode()
    assert all(length - 3 <= len(piece) <= length for piece in pieces[:-1])


def test_pieces_of_ill_formed_data_still_make_it_up() -> None:
    data = b"\x80" * 100
    pieces = cut(data, 10)
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) <= 10


def test_cases_cross_damage_with_packets() -> None:
    text = SampleText("greek", generate("cyrillic", 5000), True)
    found = {(case.spacing, case.packet_bytes): packets for case, packets in cases(text)}
    assert list(found) == [(spacing, packet) for spacing in SPACINGS for packet in (None, PACKET_BYTES)]
    for spacing in SPACINGS:
        whole, packets = found[spacing, None], found[spacing, PACKET_BYTES]
        assert len(whole) == 1
        assert b"".join(packets) == whole[0]
        assert [len(packet) for packet in packets] == [len(packet) for packet in found[None, PACKET_BYTES]]
    errors = [found[spacing, None][0].decode(errors="replace").count("\ufffd") for spacing in SPACINGS]
    assert errors[0] == 0
    assert 5 <= errors[1] <= 15
    assert errors[2] >= 5000 // 64


def test_text_too_short_for_an_error_is_not_damaged() -> None:
    assert {case.spacing for case, _ in cases(SampleText("short", b"a" * 100, True))} == {None, 64}


def test_builtin_texts_are_one_a_script() -> None:
    texts = builtin(2000)
    assert [text.name for text in texts] == list(SCRIPTS)
    assert {len(text.data) for text in texts} == {2000}
    assert texts[0].shares == (1, 0, 0, 0)


def test_files_are_read_to_the_size_at_a_character(tmp_path: Path) -> None:
    path = tmp_path / "euro.txt"
    path.write_bytes("€".encode() * 1000)
    (text,) = from_files([path], 1600)
    assert (text.name, len(text.data), text.well_formed) == ("euro.txt", 1599, True)


def test_file_shorter_than_the_size_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "short.txt"
    path.write_bytes(b"abc")
    assert from_files([path], 1600)[0].data == b"abc"


def test_ill_formed_file_is_known_for_it(tmp_path: Path) -> None:
    path = tmp_path / "latin1.txt"
    path.write_bytes(b"caf\xe9 au lait")
    assert not from_files([path], 1600)[0].well_formed


def test_names_tell_files_apart_and_a_file_counts_once(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_bytes(b"abc")
    paths = [tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt"]
    assert [text.name for text in from_files([*paths, paths[0]], 1600)] == [str(path) for path in paths]


def test_empty_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    with pytest.raises(ParameterError, match=r"empty\.txt is empty"):
        from_files([path], 1600)


def test_a_short_text_is_repeated_to_its_length() -> None:
    text = lengthened(SampleText("a", "é€".encode(), True), 18)
    assert text.data == ("é€" * 3 + "é").encode()
    assert lengthened(SampleText("a", b"abcdef", False), 4) == SampleText("a", b"abcd", False)
