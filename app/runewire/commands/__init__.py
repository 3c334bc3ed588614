"""The commands, one module each. `COMMANDS` is the list: add a module's function there to add a command."""

from collections.abc import Callable

from .compare import compare
from .coverage import coverage
from .explain import explain
from .generate import generate
from .mutate import mutate
from .plan import plan
from .prove import prove
from .simulate import simulate
from .soak import soak
from .sweep import datasheet, sweep
from .synth import synth

Command = Callable[..., int | None]

COMMANDS: list[Command] = [generate, simulate, explain, compare, plan, prove, synth, sweep, datasheet, soak, coverage,
                           mutate]
"""Each is a Typer command function; it returns the exit status (None for 0) or raises UsageFailure.

The function's name is the command's, its docstring the help. ValueError, OSError, MissingToolError and
SimulationError that leave it become one line on stderr and exit status 2.
"""
