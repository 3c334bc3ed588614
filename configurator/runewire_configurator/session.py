"""The page's calls inside Pyodide: JSON in, JSON out, and the files of a core."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runewire_benchmark import datasheet
from runewire_model import ParameterError

from .answer import answer, packet
from .archive import archive
from .choice import settled
from .form import Field
from .view import view


class Session:
    """Answers the calls of one page. ``form``: the JSON of its fields."""

    def __init__(self, form: str) -> None:
        self._fields = [Field.of(record) for record in json.loads(form)]
        self._entries = datasheet.load()

    def view(self, texts: str) -> str:
        """The view of a choice."""
        return json.dumps(view(self._fields, self._entries, json.loads(texts)))

    def answer(self, texts: str, content: str, is_hex: bool) -> str:
        """The golden answer to a typed packet; ``problem``: why it means no packet."""
        core = settled(self._fields, json.loads(texts)).parameters
        try:
            found: dict[str, Any] = answer(core, packet(core, content, is_hex=is_hex))
        except ParameterError as error:
            found = {"problem": str(error)}
        return json.dumps(found)

    def generate(self, texts: str, watch: Callable[[str], None]) -> tuple[str, list[tuple[str, bytes]], bytes]:
        """The core's files as `runewire generate` writes them: the top module's name, the name and content of
        each file, and all of them in a zip. ``watch`` is called with each step that begins."""
        import runewire_rtl  # Amaranth is slow to import, and only this needs it

        watch("Amaranth is loaded")
        from runewire_rtl.packages import chosen

        choice = settled(self._fields, json.loads(texts))
        with tempfile.TemporaryDirectory() as folder:
            made = runewire_rtl.generate(choice.parameters, folder, watch, chosen(choice.packages),
                                         initial_values=choice.initial_values)
            files = {path.name: path.read_bytes() for path in map(Path, made.paths)}
        return made.top, [*files.items()], archive(made.top, files)
