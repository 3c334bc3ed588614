"""Functions whose steps are a stage of the pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypeVar

from .pipeline import Pipeline
from .stages import summary

P = ParamSpec("P")
R = TypeVar("R")


def stage(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: the function's steps are a stage of its operands' pipeline. Its docstring is the stage's text."""
    def pipeline_of(operands: Sequence[object]) -> Pipeline:
        for operand in operands:
            first = operand[0] if isinstance(operand, Sequence) and operand else operand
            if isinstance(found := getattr(first, "pipeline", first), Pipeline):
                return found
        raise TypeError(f"none of the operands of stage {name} is part of a pipeline")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def staged(*args: P.args, **options: P.kwargs) -> R:
            with pipeline_of(args).stage(name, summary(function)):
                return function(*args, **options)
        return staged
    return decorate
