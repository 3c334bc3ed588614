"""Miters: a design under test next to its specification, as text that Yosys reads."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SPEC = Path(__file__).parent / "spec"
"""Folder of the specifications and of the harnesses that compare them with the cores: `encodings/`, `parts/`."""


Change = tuple[str, str, str]
"""The file of a specification, a part of its text, and the text in its place."""


@dataclass(frozen=True)
class Miter:
    """A design under test next to its specification.

    ``dut``: RTLIL of module ``dut``, or, if it is ``delivered``, Verilog of it. ``harness``: module name of the
    comparison, with Verilog ``parameters``; each of its outputs is a way to be wrong. ``sources``: its files, in
    folders of `SPEC`. ``edits``: registers of the design that are replaced by a constant, with all bits 0 or 1.
    ``defines``: macros of the sources. ``changes``: what the sources say instead, for an option that they lack.
    """

    dut: str
    harness: str
    sources: Sequence[str]
    parameters: dict[str, int]
    edits: Sequence[tuple[str, int]] = ()
    delivered: bool = False
    defines: Mapping[str, int] = field(default_factory=dict)
    changes: Sequence[Change] = ()

    @property
    def reads(self) -> list[str]:
        """Yosys' commands that read the design under test from the file ``dut``."""
        return ["read_verilog dut", "hierarchy -check -top dut"] if self.delivered else ["read_rtlil dut"]

    @property
    def netlist(self) -> str:
        """The design under test, edited. Raises LookupError where it has no register of the name of an edit."""
        netlist = self.dut
        for register, value in self.edits:
            netlist = tied_netlist(netlist, register, value)
        return netlist

    @property
    def texts(self) -> dict[str, str]:
        """The sources by the names of their files, changed. Raises LookupError if a file has not the text that a change
        replaces."""
        found = {Path(source).name: (SPEC / source).read_text(encoding="utf-8") for source in self.sources}
        for name, old, new in self.changes:
            if old not in found[name]:
                raise LookupError(f"{name} has no text {old!r} any more")
            found[name] = found[name].replace(old, new)
        return found

    @property
    def digest(self) -> str:
        """Hash of the design, its specification, and their numbers: the same for equal comparisons alone."""
        said = [self.dut, self.harness, *((SPEC / source).read_text(encoding="utf-8") for source in self.sources),
                repr(sorted(self.parameters.items())), repr(list(self.edits)),
                *(f"{name}={value}" for name, value in self.defines.items()), *map(repr, self.changes)]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:16]


def tied_netlist(text: str, register: str, value: int) -> str:
    """RTLIL with a constant instead of the register's flip-flops.

    ``register``: its name, or ``submodule.name``.
    """
    submodule, _, register = register.rpartition(".")
    head = re.compile(rf"^module \\\S*\.{re.escape(submodule)}$" if submodule else "^module ", flags=re.MULTILINE)
    wire = re.compile(rf"(?:  attribute \\init .*\n)?  wire width (\d+)( output \d+ )? \\{re.escape(register)}\n")
    driver = f"    connect \\Q \\{register}\n"
    modules = re.split(r"^(?=attribute .*\nmodule |module )", text, flags=re.MULTILINE)
    for index, module in enumerate(modules):
        found = wire.search(module)
        if found is not None and driver in module and head.search(module):
            tied = wire.sub(
                lambda found: f"  wire width {found[1]}{found[2] or ''} \\{register}\n"
                f"  wire width {found[1]} \\{register}$cut\n"
                f"  connect \\{register} {found[1]}'{str(value) * int(found[1])}\n", module, count=1)
            modules[index] = tied.replace(driver, f"    connect \\Q \\{register}$cut\n")
            return "".join(modules)
    raise LookupError(f"no register is called {register}: a mutant that ties it breaks nothing")
