"""The form has the options of the command, and nothing else."""

import json

import typer
from runewire.commands.generate import generate
from runewire_configurator.choice import settled
from runewire_configurator.form import Field
from runewire_model.transcoder import CORES, TRANSCODER


def options() -> dict[str, typer.core.TyperOption]:
    """The options of the command by their names without dashes."""
    app = typer.Typer()
    app.command()(generate)
    found = typer.main.get_command(app).params
    return {each.opts[0].removeprefix("--"): each for each in found if each.opts[0].startswith("--")}


def test_every_option_of_the_command_has_a_field(fields: list[Field]) -> None:
    assert {field.name for field in fields} == {"core", *options()} - {"from-description", "json", "install-completion",
                                                                      "show-completion"}


def test_fields_have_the_help_of_the_command(fields: list[Field]) -> None:
    said = options()
    for field in fields[1:]:
        assert field.help == said[field.name].help


def test_every_core_says_what_it_does(fields: list[Field]) -> None:
    assert fields[0].values == (*CORES, TRANSCODER) == tuple(fields[0].texts)


def test_a_default_in_the_form_is_the_default_of_the_core(fields: list[Field]) -> None:
    usual = settled(fields, {"core": "sanitizer"})
    for field in fields:
        if field.default and field.name not in ("core", "encoding", "rejects"):
            given = settled(fields, {"core": "sanitizer", field.name: field.default})
            assert given.notes == ()
            assert (given.parameters, given.texts) == (usual.parameters, usual.texts)
    assert usual.initial_values
    assert not settled(fields, {"initial-values": "no"}).initial_values


def test_fields_survive_json(fields: list[Field]) -> None:
    assert [Field.of(json.loads(json.dumps(field.as_json()))) for field in fields] == fields
