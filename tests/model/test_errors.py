"""Messages about parameters, and TypeErrors for values of another type."""

import pickle
from typing import Any

import pytest
from runewire_model import (
    IncrementalDecoder,
    ParameterError,
    boundary,
    count_code_points,
    decode,
    encode,
    explain_bytes,
    nth_offset,
    validate,
    validate_scalars,
)
from runewire_model.errors import Named, check_choice, meant, of_type

ERROR = ParameterError(Named("count"), " records needs ", Named("records"), ", such as ", Named("records", 0x0A))


def test_a_message_in_python_and_in_other_terms() -> None:
    assert str(ERROR) == "count records needs records, such as records=0x0A"
    assert ERROR.shown(lambda named: f"--{named.name}") == "--count records needs --records, such as --records"
    assert ERROR.parameter == "count"
    assert ParameterError("no word of it").parameter is None


def test_a_message_with_other_names() -> None:
    assert str(ERROR.renamed({"records": "lines"})) == "count records needs lines, such as lines=10"
    assert ERROR.renamed({}).parts == ERROR.parts


def test_a_message_goes_through_a_pipe_whole() -> None:
    assert pickle.loads(pickle.dumps(ERROR)).parts == ERROR.parts


@pytest.mark.parametrize(("named", "text"), [
    (Named("lanes"), "lanes"), (Named("lanes", quoted=True), "'lanes'"), (Named("errors", "drop"), "errors='drop'"),
    (Named("replacement", 0x3F), "replacement=0x3F")])
def test_a_parameter_in_python(named: Named, text: str) -> None:
    assert str(named) == text


@pytest.mark.parametrize(("value", "end"), [
    ("decodr", ": did you mean 'decoder'?"), ("Decoder", ": did you mean 'decoder'?"), ("parser", ""), ("", ""),
    (None, ""), (3, "")])
def test_what_was_meant(value: Any, end: str) -> None:
    assert meant(value, ["decoder", "encoder"]) == end
    with pytest.raises(ParameterError) as found:
        check_choice("core", value, ("decoder", "encoder"))
    assert str(found.value) == f"core must be one of decoder, encoder, got {value!r}{end}"


@pytest.mark.parametrize("refuse", [
    decode, validate, explain_bytes, count_code_points, IncrementalDecoder().decode, lambda data: boundary(data, 0),
    lambda data: nth_offset(data, 0)])
@pytest.mark.parametrize("wrong", ["abc", None, 7, ["a"], "x" * 100])
def test_text_that_is_no_bytes_is_refused(refuse: Any, wrong: Any) -> None:
    with pytest.raises(TypeError) as found:
        refuse(wrong)
    assert str(found.value) == f"data must be bytes, got {of_type(wrong)}"
    assert len(str(found.value)) < 80


@pytest.mark.parametrize("buffer", [bytearray(b"abc"), memoryview(b"abc")])
def test_every_buffer_is_taken(buffer: Any) -> None:
    assert decode(buffer) == [0x61, 0x62, 0x63]
    assert validate(buffer) is None


@pytest.mark.parametrize(("wrong", "message"), [
    ("abc", "scalars must be a sequence of numbers, got str 'abc'"),
    (5, "scalars must be a sequence of numbers, got int 5"),
    ([0x41, 1.5], "scalars must be whole numbers, got float 1.5"),
    ([0x41, "b"], "scalars must be whole numbers, got str 'b'"),
    ([[]], "scalars must be whole numbers, got list []"),
])
def test_scalars_that_are_no_numbers_are_refused(wrong: Any, message: str) -> None:
    for errors in ("replace", "strict"):
        with pytest.raises(TypeError) as found:
            encode(wrong, errors)
        assert str(found.value) == message
    if wrong != [0x41, 1.5]:
        with pytest.raises(TypeError):
            validate_scalars(wrong)


def test_scalars_that_come_one_by_one_are_encoded() -> None:
    assert encode(iter([0x41, 0x20AC])) == b"A\xE2\x82\xAC"  # type: ignore[arg-type]
