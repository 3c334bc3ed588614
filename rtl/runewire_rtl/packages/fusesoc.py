"""FuseSoC: a core description (CAPI2) with targets for lint and simulation, and the generator.

Both use the flow API. The generator reads its request from a file (gapi 1.0): the core's name, parameters as
`TranscoderParameters.of` accepts them, and ``initial_values``, yes or no.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runewire_jobs.files import write_whole
from runewire_model import ParameterError, TranscoderParameters, __version__
from runewire_model.errors import check_choice

from ..verilog import generate, top_name
from .base import Package, title
from .testbench import testbench

VENDOR = "runewire:cores"
INITIAL_VALUES = "initial_values"
"""The generator's parameter that is not a parameter of the core."""
YES_NO = ("yes", "no")


def core_text(parameters: TranscoderParameters, name: str | None = None) -> str:
    """The core description. ``name``: its VLNV; the default consists of the top module's name and the version."""
    top = top_name(parameters)
    return f"""\
CAPI=2:

name: {name or f"{VENDOR}:{top}:{__version__}"}
description: "{title(parameters)}"
license: Apache-2.0

filesets:
  rtl:
    files: [{top}.v]
    file_type: verilogSource-2005
  tb:
    files: [{top}_tb.sv]
    file_type: systemVerilogSource

targets:
  default:
    filesets: [rtl]
    toplevel: {top}
  lint:
    flow: lint
    flow_options:
      tool: verilator
    filesets: [rtl]
    toplevel: {top}
  sim:
    flow: sim
    flow_options:
      tool: icarus
    filesets: [rtl, tb]
    toplevel: {top}_tb
"""


def _files(parameters: TranscoderParameters) -> dict[str, str]:
    top = top_name(parameters)
    return {f"{top}.core": core_text(parameters), f"{top}_tb.sv": testbench(parameters)}


PACKAGE = Package("FuseSoC: a CAPI2 core with targets lint and sim", _files)


def generated(request: Mapping[str, Any], directory: Path) -> Path:
    """The generator: write the requested core into ``directory``, under the name in the request.

    ``request``: the content of FuseSoC's request file, with ``vlnv`` and ``parameters``. Returns the core description.
    Raises ParameterError for parameters that no core has, and OSError.
    """
    wanted = request.get("parameters") or {}
    if "core" not in wanted:
        raise ParameterError("parameters need a core, such as {core: decoder, lanes: 8}, got "
                             f"{', '.join(map(str, wanted)) or 'none'}")
    options = {name: value for name, value in wanted.items() if name != INITIAL_VALUES}
    # YAML reads yes and no as true and false.
    value = {True: "yes", False: "no"}.get(wanted.get(INITIAL_VALUES, True), wanted.get(INITIAL_VALUES))
    check_choice(INITIAL_VALUES, value, YES_NO)
    parameters = TranscoderParameters.of(options)
    made = generate(parameters, directory, initial_values=value == "yes")
    name = str(request["vlnv"])
    for file, text in {**_files(parameters), f"{made.top}.core": core_text(parameters, name)}.items():
        write_whole(directory / file, text.encode("ascii"))
    return directory / f"{made.top}.core"
