"""How cores are broken on purpose, one rule or one piece at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from amaranth.hdl import Value
from runewire_rtl import pipeline
from runewire_rtl.pipeline import Pipeline

__all__ = ["Logic", "Mutant", "always", "both", "forgetful", "never", "patched", "step", "tied"]

Logic = Callable[..., Any]


@dataclass(frozen=True)
class Mutant:
    """``title``: what is broken. ``broken``: a context in which cores are built so; ``edits``: registers
    of the finished netlist that are tied to a constant."""

    title: str
    broken: Callable[[], AbstractContextManager[object]] = nullcontext
    edits: Sequence[tuple[str, int]] = ()

    @property
    def rebuilt(self) -> bool:
        """Whether the core is built otherwise, and not only edited."""
        return self.broken is not nullcontext


def step(title: str, names: str, change: Callable[[Logic], Logic]) -> Mutant:
    """The logic of every pipeline step whose name matches ``names`` is changed."""
    @contextmanager
    def broken() -> Iterator[None]:
        original = Pipeline.step
        hits = 0

        def step(self: Pipeline, name: str, function: Logic, *operands: Any, **options: Any) -> Any:
            nonlocal hits
            if re.fullmatch(names, name):
                hits += 1
                function = change(function)
            return original(self, name, function, *operands, **options)

        with patch.object(Pipeline, "step", step):
            yield
        if not hits:
            raise LookupError(f"no step is called {names} any more: the mutant {title!r} breaks nothing")
    return Mutant(title, broken)


def never(function: Logic) -> Logic:
    return lambda *values: Value.cast(function(*values)) & 0


def always(function: Logic) -> Logic:
    return lambda *values: ~(Value.cast(function(*values)) & 0)


def both(first: Mutant, second: Mutant) -> Mutant:
    """Two mutants at once, by the title of the first."""
    @contextmanager
    def broken() -> Iterator[None]:
        with first.broken(), second.broken():
            yield
    return Mutant(first.title, broken)


def forgetful() -> Mutant:
    """Lanes keep what a packet leaves behind."""
    title = "history is not cleared at a packet's end"
    return both(*(patched(title, pipeline, name, lambda _: lambda value, last: value)
                  for name in ("cleared", "emptied")))


def tied(title: str, register: str, value: int) -> Mutant:
    return Mutant(title, edits=[(register, value)])


def patched(title: str, target: Any, name: str, change: Callable[[Any], Any]) -> Mutant:
    return Mutant(title, lambda: patch.object(target, name, change(getattr(target, name))))
