"""Whether records belong to the present design is found out on all processors, and can be interrupted."""

import os
import time
from functools import partial
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters
from runewire_pages import freshness
from runewire_proofs import KEPT


def fail_or_work(folder: Path, core: TranscoderParameters) -> None:
    """The first core fails while the second is under way, which takes long."""
    if core == KEPT[0]:
        while not (folder / "begun").exists():
            time.sleep(0.01)
        raise RuntimeError("stop")
    (folder / "begun").touch()
    time.sleep(10)
    (folder / "ended").touch()


def test_each_core_has_what_was_made_of_it() -> None:
    cores = KEPT[:20]
    assert freshness._each("cores", str, cores) == {core: str(core) for core in cores}


def test_an_interruption_does_not_wait_for_cores_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(RuntimeError, match="stop"):
        freshness._each("cores", partial(fail_or_work, tmp_path), KEPT[:2])
    assert [file.name for file in tmp_path.iterdir()] == ["begun"]
