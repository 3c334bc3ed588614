"""The kit's command on the kit's vectors."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from runewire_model.conformance import document
from runewire_sim import conformance
from runewire_sim.conformance.command import main

EXAMPLES = Path(conformance.__file__).parent / "examples"


class Tried(NamedTuple):
    """A run of the kit's command: its exit status, what it printed, and the traps that this names as failed."""

    status: int
    said: str
    failed: set[str]


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of an encoding's vectors."""
    folder = tmp_path_factory.mktemp("vectors")

    def file(encoding: str = "utf-8") -> Path:
        path = folder / f"{encoding}.json"
        if not path.exists():
            path.write_text(json.dumps(document(encoding)))
        return path

    return file


@pytest.fixture
def tried(vectors: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
          ) -> Callable[..., Tried]:
    """Runs the kit's command on a port map, with options."""
    def run(port_map: Path, *options: object, encoding: str = "utf-8") -> Tried:
        status = main([str(port_map), "--vectors", str(vectors(encoding)), "-o", str(tmp_path / "out"),
                       *map(str, options)])
        captured = capsys.readouterr()
        said = captured.out + captured.err
        return Tried(status, said, {line.split()[1] for line in said.splitlines() if line.startswith("FAIL")})

    return run


@pytest.fixture
def example(tmp_path: Path) -> Callable[..., Path]:
    """The port map of an example core, each text in ``changes`` of the core or the map replaced: a weaker core."""
    def made(name: str, changes: dict[str, str] | None = None) -> Path:
        unused = {*(changes or {})}
        for file in EXAMPLES.glob(f"{name}.*"):
            text = file.read_text()
            for old, new in (changes or {}).items():
                if old in text:
                    unused.discard(old)
                    text = text.replace(old, new)
            (tmp_path / file.name).write_text(text)
        assert not unused, f"{name} has not {unused}"
        return tmp_path / f"{name}.toml"

    return made
