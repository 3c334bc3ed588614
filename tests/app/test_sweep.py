"""The datasheet's folder of measurements and its page."""

import shutil
from pathlib import Path

import pytest
from runewire.cli import main

ROWS = Path(__file__).parents[2] / "records" / "datasheet"


def test_the_page_of_the_projects_own_measurements_is_among_the_pages(tmp_path: Path,
                                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tmp_path / "records" / "datasheet"
    rows.mkdir(parents=True)
    shutil.copy(ROWS / "validator-x1-ice40-hx8k-hx.json", rows)
    monkeypatch.chdir(tmp_path)
    assert main(["datasheet"]) == 0
    assert (tmp_path / "docs" / "datasheet.md").is_file()
    assert [path.suffix for path in rows.iterdir()] == [".json"]
