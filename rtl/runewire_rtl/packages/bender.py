"""Bender, the package manager of the PULP platform: a manifest. The test bench is for simulation only."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..verilog import top_name
from .base import Package, title
from .testbench import testbench


def manifest(parameters: TranscoderParameters) -> str:
    """The text of ``Bender.yml``."""
    top = top_name(parameters)
    return f"""\
# {top}: {title(parameters)}.
# SPDX-License-Identifier: Apache-2.0

package:
  name: {top}

sources:
  - {top}.v
  - target: all(test, simulation)
    files:
      - {top}_tb.sv
"""


PACKAGE = Package("Bender: a manifest; a core a folder, as its name is always Bender.yml", lambda parameters: {
    "Bender.yml": manifest(parameters), f"{top_name(parameters)}_tb.sv": testbench(parameters)})
