"""``runewire explain``."""

import json
from pathlib import Path
from typing import Annotated

import typer
from runewire_model import explain_bytes

from ..console import output_console
from ..explain import data, notation, svg, terminal
from ..files import write_bytes
from ..options import writable
from ..usage_errors import UsageFailure


def explain(
    what: Annotated[str, typer.Argument(
        metavar="TEXT|U+20AC|'E2 82 AC'", show_default=False,
        help=r"A text, code points, or bytes in hex: 'E2 82 AC', e282ac (with a digit in it, or it is a word), "
             r"0xE282AC, '0xE2, 0x82, 0xAC', '\xe2\x82\xac'.")],
    svg_file: Annotated[Path | None, typer.Option(
        "--svg", metavar="FILE", show_default=False, callback=writable,
        help="Draw to FILE (- for standard output).")] = None,
    text: Annotated[bool, typer.Option("--text", help="Take it as text, whatever it looks like.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how bits become bytes of UTF-8: groups, padding, the class of each byte, and why a bad one is bad.

    Below each character are its bytes in every other encoding."""
    if as_json and svg_file is not None:
        raise UsageFailure("give --json or --svg, not both")
    explanation = explain_bytes(notation.read(what, text))
    if as_json:
        print(json.dumps(data.as_json(explanation), indent=2))
        return
    if svg_file is not None:
        write_bytes(svg_file, svg.draw(explanation).encode())
        return
    console = output_console()
    for line in terminal.lines(explanation):
        console.print(line)
