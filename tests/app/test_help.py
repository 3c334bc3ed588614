"""``--help``: examples, pages, two lists of commands, and no Python types."""

import re
import shlex
from pathlib import Path

import pytest
from runewire.cli import option_names
from runewire.commands import COMMANDS, DEVELOP, PANELS, USE

ROOT = Path(__file__).parents[2]


def test_without_a_command_the_help_is_shown(runewire) -> None:
    assert runewire() == runewire("--help")
    assert runewire().status == 0


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_no_type_of_python_is_shown(command: str, runewire) -> None:
    assert not re.search(r"<\w|list\[|\bTEXT\b(?!\|)|INTEGER|FLOAT", runewire(*command.split(), "--help").out)


def test_commands_of_users_and_of_developers_are_apart(runewire) -> None:
    shown = runewire("--help").out
    use, develop = (shown.index(title) for title in PANELS)
    for name in USE:
        assert use < shown.index(f"\u2502 {name} ") < develop
    for name in DEVELOP:
        assert develop < shown.index(f"\u2502 {name} ")
    assert {**USE, **DEVELOP} == COMMANDS
    assert [*USE] == ["generate", "simulate", "explain", "plan", "compare", "conformance", "configure",
                      "release"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_ends_with_examples_and_pages(name: str, runewire) -> None:
    shown = runewire(name, "--help").out
    _, _, last = shown.partition(" Examples:\n\n")
    examples, _, pages = last.partition("\n\n Pages of the project: ")
    assert tuple(line.strip() for line in examples.splitlines()) == COMMANDS[name].examples
    assert tuple(pages.strip().split(", ")) == COMMANDS[name].pages
    for page in COMMANDS[name].pages:
        assert (ROOT / page).is_file()


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_are_commands_that_there_are(name: str, runewire) -> None:
    shown = runewire(name, "--help").out
    for example in COMMANDS[name].examples:
        program, command, *words = shlex.split(example)
        assert (program, command) == ("runewire", name)
        assert len(example) <= 77
        for word in words:
            if word.startswith("-"):
                assert re.search(rf"(?<![\w-]){word}\b", shown), word


def test_what_a_command_calls_parameters() -> None:
    class Parameter:
        def __init__(self, name: str, opts: list[str], metavar: str | None = None) -> None:
            self.name, self.opts, self.metavar = name, opts, metavar
            self.param_type_name = "option" if opts[0].startswith("-") else "argument"

    found = option_names([Parameter("core", ["core"], "CORE"), Parameter("from_", ["--from"]),
                          Parameter("offset_bits", ["--offset-bits"]), Parameter("output", ["-o", "--output"]),
                          Parameter("targets", ["--targets"])])
    assert found == {"core": "CORE", "from": "--from", "offset_bits": "--offset-bits", "offset_bit": "--offset-bits",
                     "output": "--output", "targets": "--targets", "target": "--targets"}
