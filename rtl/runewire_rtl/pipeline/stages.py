"""Stages: the modules that a core is made of, each with what it does in a few words.

Both are for who reads the Verilog. They travel as attributes of a signal, which Amaranth hands on.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from amaranth.hdl import Elaboratable, EnableInserter, Module, Signal, Value

from ..cut_points import cut_point

__all__ = ["MARKER", "Stage", "about", "enable_of", "summary"]

MARKER = "about_module"
"""Name of the signal whose attributes are the ``kind`` of a module and a ``text`` of what it does."""


def summary(thing: object) -> str:
    """The first paragraph of the docstring, without its markup."""
    paragraph = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`|``([^`]*)``|`(\w+)`", lambda found: next(filter(None, found.groups())),
                  paragraph)


def about(m: Module, kind: str, text: str) -> None:
    """Say what ``m`` is: modules of one kind are named alike, and written once where they are alike."""
    marker = Signal(name=MARKER, attrs={"kind": kind, "text": text})
    m.d.comb += marker.eq(0)


@cut_point
def enable_of(name: str, enable: Value | None) -> Value | None:
    """What the registers of the stage of that name wait for, None for nothing."""
    return enable


class Stage(Elaboratable):
    """A module of its own inside ``around``, which statements may be added to until it is elaborated.

    What is added with :meth:`add` stands outside every ``If`` that may be open in ``m``. Its registers wait while
    ``enable`` is clear, where there is one.
    """

    def __init__(self, around: Module, name: str, text: str, enable: Value | None = None) -> None:
        self.m = Module()
        self._later: list[tuple[str, Any]] = []
        about(self.m, name, text)
        enable = enable_of(name, enable)
        around.submodules[name] = self if enable is None else EnableInserter(enable)(self)

    def add(self, domain: str, statement: Any) -> None:
        self._later.append((domain, statement))

    def elaborate(self, platform: object) -> Module:
        for domain, statement in self._later:
            self.m.d[domain] += statement
        return self.m
