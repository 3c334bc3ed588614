"""Choices in the form, and what cannot be combined."""

from pathlib import Path

import pytest
from runewire.cli import main
from runewire_configurator.choice import impossible, settled
from runewire_configurator.form import Field
from runewire_model.core_options import generate_command

CHOICES = [
    {"core": "validator"}, {"core": "validator", "encoding": "utf-16le", "lanes": "16"},
    {"core": "decoder", "lanes": "8", "bom": "strip"}, {"core": "encoder"},
    {"core": "sanitizer", "replacement": "3F", "lanes": "64"},
    {"core": "transcoder", "from": "utf-8", "to": "latin-1", "errors": "drop"},
    {"core": "validator", "report": "none"},
]


@pytest.mark.parametrize("texts", CHOICES[3::2], ids=lambda texts: "-".join(texts.values()))
def test_reasons_are_the_messages_of_the_command(
    fields: list[Field], texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    choice = settled(fields, texts)
    known = {field.name: field for field in fields}
    for name, wrong in impossible(fields, choice).items():
        for values, reason in wrong:
            value = values[0] if values else known[name].sample
            words = generate_command(choice.parameters, output=str(tmp_path)).split()[1:]
            assert main([*words, f"--{name}", *([] if known[name].kind == "flag" else [value])]) == 2
            assert capsys.readouterr().err == f"runewire: {reason}\n"


@pytest.mark.parametrize("texts", CHOICES, ids=lambda texts: "-".join(texts.values()))
def test_every_other_value_is_possible(fields: list[Field], texts: dict[str, str]) -> None:
    choice = settled(fields, texts)
    wrong = impossible(fields, choice)
    for field in fields:
        bad = {value for values, _ in wrong.get(field.name, []) for value in values}
        if field.name in ("core", "from", "to", "encoding"):
            continue
        for value in field.values if field.kind == "one" else ():
            assert bool(settled(fields, {**choice.texts, field.name: value}).notes) is (value in bad)


def test_what_cannot_be_combined_is_left_out_with_its_reason(fields: list[Field]) -> None:
    choice = settled(fields, {"core": "decoder", "lanes": "128", "count": "records", "from": "utf-8", "colour": "red"})
    assert choice.texts == {"core": "decoder", "lanes": "8"}
    assert {note.field: note.reason for note in choice.notes} == {
        "colour": "no core has an option --colour",
        "from": "the decoder has no option --from: the transcoder has it",
        "lanes": "--lanes must be a power of two from 1 to 64, got 128",
        "count": "--count records needs --records, such as --records 0A"}


@pytest.mark.parametrize("texts", [
    {"core": "nonsense"}, {"core": "transcoder", "from": "x", "to": "y"}, {"package": "x"}, {"initial-values": "x"},
    {"count": "bytes,bytes"}, {"user": "x"}, {"records": "zz"}, {"core": "encoder", "from": "utf-8"},
], ids=lambda texts: "-".join(texts.values()))
def test_any_link_has_a_core(fields: list[Field], texts: dict[str, str]) -> None:
    assert {note.field for note in settled(fields, texts).notes} == {*texts} - ({"core"} if len(texts) > 1 else set())


def test_values_with_one_reason_are_together(fields: list[Field]) -> None:
    lanes = impossible(fields, settled(fields, {"core": "encoder"}))["lanes"]
    assert [(each.values, each.reason) for each in lanes] == [
        (("32", "64", "128", "256"), "--lanes must be a power of two from 1 to 16, got 32")]


def test_a_choice_keeps_the_name_that_was_chosen(fields: list[Field]) -> None:
    """From UTF-8 to UTF-32LE the transcoder is the decoder, but other encodings can still be chosen."""
    texts = {"core": "transcoder", "from": "utf-8", "to": "utf-32le", "lanes": "8"}
    choice = settled(fields, texts)
    assert (choice.texts, choice.parameters.core) == (texts, "decoder")
