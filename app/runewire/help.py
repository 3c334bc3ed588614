"""Help of a command: Typer's text without Python's types, followed by examples and pages."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperArgument, TyperCommand

from .console import output_console


class HelpfulCommand(TyperCommand):
    """A command whose help ends with its ``examples`` and the ``pages`` about it."""

    examples: Sequence[str] = ()
    pages: Sequence[str] = ()

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        print_examples(self.examples, self.pages)


def without_types(parameters: list[Any]) -> list[Any]:
    """Parameters of a command whose help shows no Python types for its flags and arguments."""
    for parameter in parameters:
        if isinstance(parameter, TyperArgument) or getattr(parameter, "is_flag", False):
            vars(parameter)["display_type_rich"] = lambda ctx: None
    return parameters


def print_examples(examples: Sequence[str], pages: Sequence[str]) -> None:
    """Print the last part of a help: examples and pages."""
    console = output_console()
    console.print(" Examples:\n")
    for example in examples:
        console.print(f"   {example}", soft_wrap=True)
    console.print(f"\n Pages of the project: {', '.join(pages)}", soft_wrap=True)
