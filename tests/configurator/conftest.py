"""The fields of the form, as the command has them."""

import signal
from collections.abc import Iterator

import pytest
from runewire.commands.configure import command_fields
from runewire_configurator.form import Field


@pytest.fixture(scope="session")
def fields() -> list[Field]:
    return command_fields()


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """The command sets a handler of SIGTERM; tests that call it leave none behind."""
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)
