"""Packages: the files that let other tools use a generated core, one module per package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runewire_model.errors import check_choice

from . import assertions, bender, c, formal, fusesoc, ipxact, litex, quartus, sdc, vhdl, vivado
from .base import Package

__all__ = ["PACKAGES", "Package", "chosen"]

PACKAGES: Mapping[str, Package] = {
    "fusesoc": fusesoc.PACKAGE,
    "vivado": vivado.PACKAGE,
    "c": c.PACKAGE,
    "formal": formal.PACKAGE,
    "vhdl": vhdl.PACKAGE,
    "ipxact": ipxact.PACKAGE,
    "litex": litex.PACKAGE,
    "quartus": quartus.PACKAGE,
    "bender": bender.PACKAGE,
    "sdc": sdc.PACKAGE,
    "assertions": assertions.PACKAGE,
}
"""All packages, by their names on the command line."""


def chosen(names: Iterable[str]) -> list[Package]:
    """The packages of these names, each once. Raises ParameterError for an unknown name."""
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        check_choice("package", name, tuple(PACKAGES))
    return [PACKAGES[name] for name in wanted]
