"""Cores in the words of the command."""

import shlex
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_model.core_options import core_parameters, generate_command, octet, words


@pytest.mark.parametrize(("text", "found"), [
    ("", []), ("fusesoc", ["fusesoc"]), ("fusesoc,vivado", ["fusesoc", "vivado"]),
    ("code-points, bytes", ["code-points", "bytes"]), (" a  b ,c, ", ["a", "b", "c"])])
def test_lists_have_commas_or_spaces(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("record", [
    {"core": "validator"}, {"core": "validator", "records": 0x0A, "count": ["bytes", "bad-records"]},
    {"core": "transcoder", "from": "latin-1", "to": None, "lanes": 32},
    {"core": "sanitizer", "lanes": 4, "replacement": 0x3F},
    {"core": "transcoder", "from": "utf-8", "to": "utf-16le", "bom": "strip"},
], ids=str)
def test_a_command_means_the_core_that_it_was_made_of(record: dict[str, Any]) -> None:
    core = TranscoderParameters.of(record)
    _, _, name, *options, _, folder = shlex.split(generate_command(core, output="a folder"))
    parse = {"--lanes": int, "--records": octet, "--replacement": octet}
    given = {{"--from": "from_"}.get(flag, flag[2:]): parse.get(flag, str)(value)
             for flag, value in zip(options[::2], options[1::2], strict=True)}
    assert core_parameters(name, **given) == core
    assert folder == "a folder"


def test_a_command_names_what_is_not_of_the_core() -> None:
    command = generate_command(TranscoderParameters("utf-8", None), initial_values=False, packages=("vivado", "sdc"))
    assert command == "runewire generate validator --lanes 8 --package vivado,sdc --initial-values no -o build"
