"""Ports of a part that is cut out of a core, and the part as RTLIL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from amaranth.back import rtlil
from amaranth.hdl import Fragment, Module, Signal, Value, ValueLike
from runewire_rtl.cut_points import cut_point

Path = tuple[str, ...]
"""Names of the modules around a signal, and its own name."""


@dataclass(frozen=True)
class Cut:
    """A part as RTLIL of a module ``dut``, and ``facts``: the numbers that its harness needs."""

    rtlil: str
    facts: dict[str, int]


@dataclass
class Ports:
    """Ports of module ``m``, in the order in which they are made."""

    m: Module = field(default_factory=Module)
    signals: dict[str, Signal] = field(default_factory=dict)

    def new(self, name: str, width: int) -> Signal:
        """A port of that name. It is an input unless something drives it."""
        self.signals[name] = signal = Signal(width, name=name)
        return signal

    def show(self, name: str, value: ValueLike) -> None:
        """An output of that name, which has the value."""
        value = Value.cast(value)
        self.m.d.comb += self.new(name, len(value)).eq(value)

    @cut_point
    def cut(self, **facts: int) -> Cut:
        """The module and its ports, finished."""
        return Cut(rtlil.convert(self.m, name="dut", ports=list(self.signals.values()), emit_src=False), facts)


def registers(fragment: Fragment, path: Path = ()) -> Iterator[tuple[Path, Signal]]:
    """The registers of a fragment and of all inside it: a register is listed for each statement that assigns to it."""
    for statement in fragment.statements.get("sync", []):
        for signal in statement._lhs_signals():  # Amaranth has no public way to ask for them
            yield (*path, signal.name), signal
    for inside, name, _ in fragment.subfragments:
        yield from registers(inside, (*path, name))


def without_first_values(netlist: str, instance: str) -> str:
    """The netlist without initial values in an instance of its top module, and in all inside it."""
    head = re.compile(rf"^module \\dut\.{instance}(\.\S+)?$", re.MULTILINE)
    modules = re.split(r"(?<=^end\n)", netlist, flags=re.MULTILINE)
    value = re.compile(r"^  attribute \\init .*\n", re.MULTILINE)
    return "".join(value.sub("", module) if head.search(module) else module for module in modules)
