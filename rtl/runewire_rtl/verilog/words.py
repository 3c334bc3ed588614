"""Words of a netlist, cells that compute them, and choices of them.

A *bit* is a number: 0, 1 and `X` are constants; every other number is one wire of one module. A *word* is a tuple of
bits, lowest first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

X = 2
"""The unknown bit."""

FIRST = 4
"""The first bit that is not a constant."""

Bits = tuple[int, ...]
"""A word, lowest bit first."""

BITWISE = ("and", "or", "xor", "not", "mux")
"""Operations that can be sliced: a slice of the result is the same operation on slices."""


@dataclass(frozen=True)
class Choice:
    """``yes`` if ``condition`` is 1, else ``no``: an input of a register."""

    condition: int
    yes: Tree
    no: Tree


Tree = Bits | Choice
"""Next value of a register: a word, or a choice. The register's own bits mean that it holds."""


@dataclass(eq=False)
class Cell:
    """``result``: the word that the operation ``kind`` computes from ``operands``.

    Operands are as wide as the result, or equally wide if the result is one bit. The first operand of a multiplexer is
    one bit; if it is 1 the multiplexer selects the second.
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
