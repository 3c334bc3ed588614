"""Constant folding: each function returns the word that an operation reduces to without a cell of this kind, or
None."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from .words import FIRST, Bits, Cell, X


class Folding(Protocol):
    """A module as folding uses it: cells by their result bits, and simpler operations."""

    @property
    def maker(self) -> Mapping[int, Cell]: ...

    def op(self, kind: str, *operands: Bits) -> Bits: ...


def _bitwise(kind: str, decide: Callable[[int, int], int | None]) -> Callable[..., Bits | None]:
    def fold(module: Folding, left: Bits, right: Bits) -> Bits | None:
        found = [decide(a, b) for a, b in zip(left, right, strict=True)]
        rest = [index for index, bit in enumerate(found) if bit is None]
        if len(rest) == len(found):
            return None
        made = iter(module.op(kind, *(tuple(side[index] for index in rest) for side in (left, right))) if rest else ())
        return tuple(next(made) if bit is None else bit for bit in found)
    return fold


def _and(a: int, b: int) -> int | None:
    if 0 in (a, b):
        return 0
    return b if a in (1, b) else a if b == 1 else None


def _or(a: int, b: int) -> int | None:
    if 1 in (a, b):
        return 1
    return b if a in (0, b) else a if b == 0 else None


def _xor(a: int, b: int) -> int | None:
    if a == b:
        return 0
    return b if a == 0 else a if b == 0 else None


def _fold_xor(module: Folding, left: Bits, right: Bits) -> Bits | None:
    for value, other in ((left, right), (right, left)):
        if set(value) == {1}:
            return module.op("not", other)
    return _bitwise("xor", _xor)(module, left, right)


def _inverse(module: Folding, bit: int) -> int | None:
    if bit < FIRST:
        return (1, 0, X)[bit]
    cell = module.maker.get(bit)
    if cell is not None and cell.kind == "not":
        return cell.operands[0][cell.result.index(bit)]
    return None


def _fold_not(module: Folding, value: Bits) -> Bits | None:
    found = [_inverse(module, bit) for bit in value]
    rest = tuple(bit for bit, known in zip(value, found, strict=True) if known is None)
    if len(rest) == len(value):
        return None
    made = iter(module.op("not", rest) if rest else ())
    return tuple(next(made) if bit is None else bit for bit in found)


def _fold_mux(module: Folding, choice: Bits, yes: Bits, no: Bits) -> Bits | None:
    if choice[0] < FIRST or yes == no:
        return yes if choice[0] == 1 else no
    if (yes, no) == ((1,), (0,)):
        return choice
    return module.op("not", choice) if (yes, no) == ((0,), (1,)) else None


def _reduction(kind: str, neutral: int) -> Callable[..., Bits | None]:
    def fold(module: Folding, value: Bits) -> Bits | None:
        rest = tuple(dict.fromkeys(bit for bit in value if bit != neutral))
        if 1 - neutral in rest:
            return (1 - neutral,)
        if len(rest) < 2:
            return rest or (neutral,)
        return None if rest == value else module.op(kind, rest)
    return fold


def _fold_parity(module: Folding, value: Bits) -> Bits | None:
    if len(value) == 1:
        return value
    rest = tuple(bit for bit in value if bit)
    return None if rest == value else module.op("parity", rest) if rest else (0,)


def _fold_eq(module: Folding, left: Bits, right: Bits) -> Bits | None:
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if any({a, b} == {0, 1} for a, b in pairs):
        return (0,)
    if not pairs:
        return (1,)
    if len(pairs) == 1:
        ((a, b),) = pairs
        for bit, constant in ((a, b), (b, a)):
            if constant in (0, 1):
                return (bit,) if constant else module.op("not", (bit,))
    if len(pairs) == len(left):
        return None
    return module.op("eq", tuple(a for a, _ in pairs), tuple(b for _, b in pairs))


def _fold_gt(_module: Folding, left: Bits, right: Bits) -> Bits | None:
    return left if len(left) == 1 and right == (0,) else None


def _as_it_is(_module: Folding, *_operands: Bits) -> None:
    return None


FOLDS: dict[str, Callable[..., Bits | None]] = {
    "and": _bitwise("and", _and), "or": _bitwise("or", _or), "xor": _fold_xor, "not": _fold_not, "mux": _fold_mux,
    "all": _reduction("all", 1), "any": _reduction("any", 0), "parity": _fold_parity, "eq": _fold_eq,
    "gt": _fold_gt, **dict.fromkeys(("lt", "le", "ge", "add", "sub", "neg"), _as_it_is),
}
