"""The Python sources that the page loads."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

from runewire_configurator.bundle import python_bundle
from runewire_model import parameters
from runewire_rtl import verilog_text

GENERATE = """
import sys
sys.path.insert(0, sys.argv[1])
from runewire_configurator.session import Session
made = Session(sys.stdin.read()).generate('{"core": "validator", "lanes": "1", "package": "c"}', lambda step: None)
sys.stdout.buffer.write(dict(made[1])[f"{made[0]}.v"])
"""


def test_the_sources_generate_a_core_by_themselves(tmp_path: Path) -> None:
    import json

    from runewire.commands.configure import command_fields

    zipfile.ZipFile(io.BytesIO(python_bundle())).extractall(tmp_path)
    fields = json.dumps([field.as_json() for field in command_fields()])
    done = subprocess.run([sys.executable, "-I", "-S", "-c", GENERATE, tmp_path], input=fields.encode(),
                          capture_output=True, check=False)
    assert done.stdout.decode() == verilog_text(parameters("validator", lanes=1)), done.stderr.decode()


def test_equal_sources_make_equal_bytes() -> None:
    assert python_bundle() == python_bundle()


def test_no_file_of_the_environment_is_inside() -> None:
    """pip's RECORD has the hashes of scripts, whose first lines name the environment's folder."""
    names = {Path(name).name for name in zipfile.ZipFile(io.BytesIO(python_bundle())).namelist()}
    assert not names & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def test_licences_come_along() -> None:
    names = zipfile.ZipFile(io.BytesIO(python_bundle())).namelist()
    assert len([name for name in names if "licenses/" in name or "LICENSE" in name]) >= 4
    assert not [name for name in names if name.startswith(("/", "..")) or name.endswith((".pyc", ".so"))]
