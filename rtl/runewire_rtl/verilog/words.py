"""Words of a netlist: bits, what a cell makes of them, and what a register takes.

A *bit* is a number: 0, 1 and `X` are constants, every other stands for one wire of one module. A *word* is a tuple of
bits, lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["BITWISE", "FIRST", "Bits", "Cell", "Choice", "Tree", "X", "leaves"]

X = 2
"""The bit that is unknown."""

FIRST = 4
"""The first bit that is no constant."""

Bits = tuple[int, ...]
"""A word, lowest bit first."""

BITWISE = ("and", "or", "xor", "not", "mux")
"""Operations of which a slice of the result is the same operation on slices."""


@dataclass(frozen=True)
class Choice:
    """``yes`` where ``condition`` is 1, else ``no``: what a register takes."""

    condition: int
    yes: Tree
    no: Tree


Tree = Bits | Choice
"""What a register takes: a word, or a choice. Its own bits stand for staying as it is."""


@dataclass(eq=False)
class Cell:
    """``result``: the word that the operation ``kind`` makes of ``operands``.

    Operands are as wide as the result, or as each other where the result is one bit; a multiplexer's first is its
    one-bit choice, which takes the second operand where it is 1.
    """

    kind: str
    operands: tuple[Bits, ...]
    result: Bits


def leaves(tree: Tree) -> Iterator[int]:
    """Every bit in a tree."""
    if isinstance(tree, Choice):
        yield tree.condition
        yield from leaves(tree.yes)
        yield from leaves(tree.no)
    else:
        yield from tree
