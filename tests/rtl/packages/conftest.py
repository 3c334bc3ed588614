"""Cores with their packages, each generated once."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import Generated, generate, parameters
from runewire_rtl.packages import chosen
from runewire_sim import generated

EVERYTHING = {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2,
              "dest": 1, "report_port": "beside"}
"""A core with all optional ports."""


@pytest.fixture(scope="session")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Generated]:
    """Generates a core with a package, once, in a folder of its own: the package's name, and the core's options.

    Where the package leaves the Verilog alone, that comes from the cache.
    """
    @cache
    def make(package: str, **options: Any) -> Generated:
        params = TranscoderParameters.of(options) if "from" in options else parameters(**options)
        folder, [chosen_one] = tmp_path_factory.mktemp(package), chosen([package])
        if chosen_one.attributes(params) or chosen_one.checks(params):
            return generate(params, folder, packages=[chosen_one])
        design = generated(params)
        paths = [shutil.copy(design.verilog.with_suffix(suffix), folder) for suffix in (".v", ".json", ".veo")]
        texts = {folder / name: text for name, text in chosen_one.files(params).items()}
        for path, text in texts.items():
            path.write_text(text)
        return Generated(design.top, *map(Path, paths), tuple(texts))

    return make


@pytest.fixture(scope="session")
def everything() -> dict[str, Any]:
    return EVERYTHING


STUB = """\
proc {name} {{args}} {{
    puts stderr [linsert $args 0 {name}]
    {body}
}}
"""


def calls(script: Path, commands: Mapping[str, str], *arguments: str) -> tuple[int, str, list[str]]:
    """The exit status of a script, its output, and the tool's commands that it calls, in order.

    ``commands``: the tool's commands and their effects, in Tcl. Any other command is an error, as in the tool.
    """
    spaces = dict.fromkeys(name.rpartition("::")[0] for name in commands if "::" in name)
    stubs = [f"namespace eval {space} {{}}" for space in spaces]
    stubs += [STUB.format(name=name, body=body) for name, body in commands.items()]
    stubs.append(f"set argv [list {' '.join(arguments)}]\nset argv0 {script.name}\nsource {{{script}}}\n")
    whole = "if {[catch {\n" + "\n".join(stubs) + "} message]} {puts $message; exit 1}\n"
    done = subprocess.run(["tclsh"], input=whole, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.splitlines()


@pytest.fixture(scope="session")
def tcl() -> Callable[..., tuple[int, str, list[str]]]:
    """Runs scripts of tools that are not installed, with stubs for the tools' commands: `calls`."""
    return calls
