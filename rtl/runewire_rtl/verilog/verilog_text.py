"""Pieces of Verilog text: names, ranges, constants, lines that are not too long."""

from __future__ import annotations

import re
import textwrap
from functools import cache

from .words import Bits

LINE = 116
"""Approximate length of a line."""

KEYWORDS = frozenset(re.findall(r"\w+", """
    always and assign automatic begin bit buf byte case casex casez cell checker class clocking config const context
    cover default defparam design disable do edge else end endcase endmodule enum event expect export extends extern
    final first_match for force foreach forever fork function generate genvar global if iff import initial inout input
    inside instance int integer interface join large let library local localparam logic longint matches medium modport
    module nand negedge new nor not null or output package packed parameter posedge primitive priority program property
    protected pure rand real ref reg release repeat restrict return scalared sequence shortint signed small solve
    static string strong struct super supply0 supply1 table tagged task this time timescale tri type typedef union
    unique unsigned until use var vectored virtual void wait wand weak while wildcard wire with within wor xnor xor
"""))


def legal(name: str) -> str:
    """A legal Verilog name; a legal name is returned unchanged."""
    plain = re.sub(r"\W+|_{2,}|\$", "_", name).strip("_") or "signal"
    if plain[0].isdigit() or plain in KEYWORDS:
        plain = f"n_{plain}"
    return plain


@cache
def natural(name: str) -> tuple[object, ...]:
    """Sort key that orders numbers in names by value."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name))


def span(width: int) -> str:
    return f"[{width - 1}:0]" if width > 1 else ""


def literal(word: Bits) -> str:
    if any(bit > 1 for bit in word):
        return f"{len(word)}'b" + "".join("01x"[bit] for bit in reversed(word))
    value = sum(bit << index for index, bit in enumerate(word))
    if len(word) <= 4:
        return f"{len(word)}'b{value:0{len(word)}b}"
    return f"{len(word)}'h{value:0{-(-len(word) // 4) if value or len(word) <= 8 else 1}x}"


def quoted(value: int | str) -> str:
    return str(value) if isinstance(value, int) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def wrapped(text: str, indent: int = 4) -> list[str]:
    """The statement, wrapped to the line length."""
    margin = " " * indent
    if indent + len(text) <= LINE:
        return [margin + text]
    return textwrap.wrap(text, LINE, initial_indent=margin, subsequent_indent=margin + "    ", break_long_words=False,
                         break_on_hyphens=False)
