"""``runewire conformance``."""

import contextlib
import importlib.resources
from collections.abc import Iterator
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer
from runewire_jobs.record_text import record_text
from runewire_model.conformance import SCHEMA, TRAPS, document
from runewire_model.core_options import words
from runewire_model.errors import check_choice

from ..completion import list_of
from ..console import output_console
from ..files import made_folder, output_stream
from ..options import writable_folder

RUN = """\
\"\"\"Try a core on the vectors: python3 run.py PORTMAP. See README.md.\"\"\"

from conformance.command import main

raise SystemExit(main())
"""
"""The kit's program; the package that it starts is `runewire_sim.conformance`."""


def conformance(
    write: Annotated[Path, typer.Option("--write", metavar="DIR", show_default=False, callback=writable_folder,
                                        help="Folder to write the kit to; made when it is not there.")],
    encoding: Annotated[list[str] | None, typer.Option(
        metavar="NAME,…", show_default=False, autocompletion=list_of(TRAPS),
        help=f"Encodings of the vectors, one or several: {', '.join(TRAPS)}. Default: all.")] = None,
) -> None:
    """Write a kit that tries any Unicode core, also another's: vectors, two benches, a port map, a result page.

    The kit needs Python 3.11, and Icarus Verilog, Verilator or cocotb; it does not need runewire. Its README.md says
    how to use it. All of it is CC0.
    """
    encodings = [name for each in encoding or [] for name in words(each)] or [*TRAPS]
    for name in encodings:
        check_choice("encoding", name, tuple(TRAPS))
    files = {f"vectors/{name}.json": record_text(document(name)).encode() for name in dict.fromkeys(encodings)}
    files |= {"vectors/schema.json": record_text(SCHEMA).encode(), "run.py": RUN.encode(), **dict(_program())}
    with contextlib.ExitStack() as all_or_none:
        for folder in ("", "vectors", "conformance", "examples"):
            all_or_none.enter_context(made_folder(write / folder))
        for name, content in files.items():
            all_or_none.enter_context(output_stream(write / name)).write(content)
    output_console().print(str(write / "README.md"))


def _program() -> Iterator[tuple[str, bytes]]:
    """The files of the kit's program by their names in the kit."""
    source = importlib.resources.files("runewire_sim") / "conformance"
    for file in _files(source):
        yield (file.name if file.name in ("README.md", "LICENSE") else f"conformance/{file.name}"), file.read_bytes()
    for file in _files(source / "examples"):
        yield f"examples/{file.name}", file.read_bytes()


def _files(folder: Traversable) -> Iterator[Traversable]:
    return (file for file in sorted(folder.iterdir(), key=lambda file: file.name) if file.is_file())
