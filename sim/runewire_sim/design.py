"""A design for simulation: a Verilog file with a core, and the core's parameters."""

import json
from dataclasses import dataclass
from pathlib import Path

import runewire_rtl
from runewire_jobs.cache import built
from runewire_jobs.fingerprint import digest, sources, verilog_digest
from runewire_model import TranscoderParameters

from .errors import SimulationError


@dataclass(frozen=True)
class VerilogDesign:
    """A Verilog file with a core: ``top`` is its module, with the ports of ``parameters``."""

    parameters: TranscoderParameters
    top: str
    verilog: Path

    @property
    def fingerprint(self) -> str:
        """The first 16 digits of the file's `verilog_digest`, as records have them."""
        return verilog_digest(self.verilog.read_text(encoding="utf-8"))[:16]


def sparse_element(parameters: TranscoderParameters) -> int:
    """Bytes of an element that ``tkeep`` may leave out on a sparse output; 0 on a dense one."""
    return parameters.writes.unit_bytes if parameters.target is not None and parameters.in_place else 0


def delimiter_byte(parameters: TranscoderParameters) -> int:
    """The input byte that ends a record; -1 without one, and where a unit has several bytes."""
    sidebands = parameters.sidebands
    found = [each for each in (sidebands.split, sidebands.filter, sidebands.records) if each is not None]
    return found[0] if found and parameters.input_bytes == parameters.lanes else -1


def packed_bytes(parameters: TranscoderParameters) -> int:
    """Bytes of the beats behind the packer or the splitter at the input; 0 without either."""
    return parameters.input_bytes if parameters.front else 0


def generated(parameters: TranscoderParameters) -> VerilogDesign:
    """The generated core of ``parameters``, cached until the generator changes.

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
    return VerilogDesign(parameters, top, directory / f"{top}.v")


def generator() -> str:
    """Fingerprint of the generator: of everything that decides the Verilog of a core."""
    return sources("runewire_model", "runewire_rtl")
