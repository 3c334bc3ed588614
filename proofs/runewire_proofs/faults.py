"""Faults: ways to break a core on purpose, one rule or one piece at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Module, Value
from runewire_rtl.cut_points import CutPoint
from runewire_rtl.pipeline import logic, remembered

Logic = Callable[..., Any]
"""The function of a pipeline step."""


@dataclass(frozen=True)
class Mutant:
    """A fault. ``title``: what is wrong. ``broken``: a context in which cores are built so; ``edits``: registers of the
    finished netlist that are tied to a constant."""

    title: str
    broken: Callable[[], AbstractContextManager[object]] = nullcontext
    edits: Sequence[tuple[str, int]] = ()

    @property
    def rebuilt(self) -> bool:
        """Whether the core is built again, and not only edited."""
        return self.broken is not nullcontext


def step(title: str, names: str, change: Callable[[Logic], Logic]) -> Mutant:
    """Another function of every pipeline step whose name matches ``names``. There must be one: LookupError."""
    @contextmanager
    def broken() -> Iterator[None]:
        hits = 0

        def replacement(sound: Callable[[str, Logic], Logic]) -> Callable[[str, Logic], Logic]:
            def function_of(name: str, function: Logic) -> Logic:
                nonlocal hits
                if re.fullmatch(names, name):
                    hits += 1
                    function = change(function)
                return sound(name, function)
            return function_of

        with logic.replaced(replacement):
            yield
        if not hits:
            raise LookupError(f"no step is called {names} any more: the mutant {title!r} breaks nothing")
    return Mutant(title, broken)


def never(function: Logic) -> Logic:
    """All bits zero instead of the function."""
    return lambda *values: Value.cast(function(*values)) & 0


def always(function: Logic) -> Logic:
    """All bits one instead of the function."""
    return lambda *values: ~(Value.cast(function(*values)) & 0)


def both(first: Mutant, second: Mutant) -> Mutant:
    """Two faults at once, by the title of the first."""
    @contextmanager
    def broken() -> Iterator[None]:
        with first.broken(), second.broken():
            yield
    return Mutant(first.title, broken)


def tied(title: str, register: str, value: int) -> Mutant:
    """A constant instead of a register of the finished netlist: all of its bits are ``value``."""
    return Mutant(title, edits=[(register, value)])


def changed(title: str, point: CutPoint[..., Any], change: Callable[[Any], Callable[..., Any]]) -> Mutant:
    """Another function at a cut point, made of the sound one."""
    return Mutant(title, lambda: point.replaced(change))


def said(title: str, kind: type, says: Callable[[Module, Any], object]) -> Mutant:
    """More statements in every part of a ``kind``, after its own: of two that drive a signal the last counts."""
    def change(sound: Any) -> Any:
        def elaborate(part: Any, platform: object) -> Module:
            m: Module = sound(part, platform)
            says(m, part)
            return m
        return elaborate
    return changed(title, kind.elaborate, change)  # type: ignore[attr-defined]


def forgetful() -> Mutant:
    """Lanes that still see the packet before."""
    return changed("history is not cleared at a packet's end", remembered, lambda _: lambda value, *_: value)
