"""Cut points: functions of the RTL that a proof may replace while a core is described.

A function of the RTL, or a method, is made a cut point where it is defined:

    @cut_point
    def half_sum(a: Value, b: Value) -> Value:
        return a ^ b

A core that is described inside ``replaced`` has the replacement, made of the sound function:

    with half_sum.replaced(lambda sound: lambda a, b: sound(a, b) & 0):
        netlist = rtlil.convert(core)

All others have the sound function. Replacements may be nested: the inner one is made of the outer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class CutPoint(Protocol[P, R]):
    """A function or method that can be replaced while a core is described."""

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R: ...

    @overload
    def __get__(self, instance: None, owner: type) -> CutPoint[P, R]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Callable[..., R]: ...

    def replaced(self, change: Callable[[Callable[P, Any]], Callable[..., Any]], /) -> AbstractContextManager[None]:
        """Call ``change(sound)`` instead of the function until the context ends."""


def cut_point(sound: Callable[P, R]) -> CutPoint[P, R]:
    """Make a function or method a `CutPoint`."""
    present: Callable[P, R] = sound

    @wraps(sound)
    def called(*arguments: P.args, **options: P.kwargs) -> R:
        return present(*arguments, **options)

    @contextmanager
    def replaced(change: Callable[[Callable[P, Any]], Callable[..., Any]]) -> Iterator[None]:
        nonlocal present
        before = present
        present = change(before)
        try:
            yield
        finally:
            present = before

    made = cast(Any, called)
    made.replaced = replaced
    return cast(CutPoint[P, R], made)
