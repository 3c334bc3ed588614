"""The fields of the form, as the command has them."""

import pytest
from runewire.commands.configure import command_fields
from runewire_configurator.form import Field


@pytest.fixture(scope="session")
def fields() -> list[Field]:
    return command_fields()
