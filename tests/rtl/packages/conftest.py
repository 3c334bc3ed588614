"""Cores with their packages, each generated once."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import Generated, generate, parameters
from runewire_rtl.packages import chosen

EVERYTHING = {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2,
              "dest": 1, "report_port": "beside"}
"""A core with all that ports can have."""


@pytest.fixture(scope="session")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Generated]:
    """Generates a core with a package, once, in a folder of its own: the package's name, and the core's options."""
    @cache
    def make(package: str, **options: Any) -> Generated:
        params = TranscoderParameters.of(options) if "from" in options else parameters(**options)
        return generate(params, tmp_path_factory.mktemp(package), packages=chosen([package]))

    return make


@pytest.fixture(scope="session")
def everything() -> dict[str, Any]:
    return EVERYTHING


@pytest.fixture(scope="session")
def file_of() -> Callable[[Generated, str], Path]:
    """The one file of a package whose name ends so."""
    def found(made: Generated, ending: str) -> Path:
        [path] = [path for path in made.packaged if path.name.endswith(ending)]
        return path

    return found
