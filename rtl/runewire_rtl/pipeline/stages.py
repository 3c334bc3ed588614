"""Stages: the modules of a core, each with a short description.

Kind and description are for readers of the Verilog. They are attributes of a signal, which Amaranth preserves.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from amaranth.hdl import Elaboratable, EnableInserter, Module, Signal, Value

from ..cut_points import cut_point

MARKER = "about_module"
"""Name of the signal whose attributes are a module's ``kind`` and its description ``text``."""


def summary(thing: object) -> str:
    """The first paragraph of a docstring, without its markup."""
    paragraph = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    return re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`|``([^`]*)``|`(\w+)`", lambda found: next(filter(None, found.groups())),
                  paragraph)


def about(m: Module, kind: str, text: str) -> None:
    """Describe ``m``. Modules of one kind are named alike; equal ones are written once."""
    marker = Signal(name=MARKER, attrs={"kind": kind, "text": text})
    m.d.comb += marker.eq(0)


@cut_point
def enable_of(name: str, enable: Value | None) -> Value | None:
    """The enable of the registers of stage ``name``; None without one."""
    return enable


class Stage(Elaboratable):
    """A module of its own inside ``around``; statements may be added until it is elaborated.

    A statement added with :meth:`add` is outside every ``If`` that may be open in ``m``. The stage's registers wait
    while ``enable`` is low, if there is one.
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
