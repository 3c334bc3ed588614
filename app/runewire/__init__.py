"""Unicode text at line rate, in hardware: cores that validate, repair and convert UTF-8, UTF-16 and UTF-32.

    >>> import runewire
    >>> core = runewire.core("decoder", lanes=8)
    >>> core.answer(b"caf\\xC3").error
    'TOO_SHORT'

The ``runewire`` command is `runewire.cli`.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runewire_model import ErrorKind, ParameterError, __version__

    from .cores import Answer, Core, Simulation, core, encodings
    from .keywords import CoreOptions

__all__ = ["Answer", "Core", "CoreOptions", "ErrorKind", "ParameterError", "Simulation", "__version__", "core",
           "encodings"]

_HOME = {
    "Answer": "runewire.cores",
    "Core": "runewire.cores",
    "CoreOptions": "runewire.keywords",
    "ErrorKind": "runewire_model",
    "ParameterError": "runewire_model",
    "Simulation": "runewire.cores",
    "__version__": "runewire_model",
    "core": "runewire.cores",
    "encodings": "runewire.cores",
}
"""The module that defines each name; a name is imported at its first use."""


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *_HOME]
