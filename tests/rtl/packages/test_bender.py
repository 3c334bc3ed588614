"""Bender's manifest. Bender is available neither on PyPI nor in Debian."""

from collections.abc import Callable

import yaml
from runewire_rtl import Generated


def test_the_manifest_lists_the_files_that_there_are(packaged: Callable[..., Generated]) -> None:
    made = packaged("bender", core="validator", lanes=1)
    folder = made.verilog.parent
    manifest = yaml.safe_load((folder / "Bender.yml").read_text())
    assert manifest["package"] == {"name": made.top}
    core, bench = manifest["sources"]
    assert core == made.verilog.name
    assert bench["target"] == "all(test, simulation)"
    assert [(folder / name).exists() for name in [core, *bench["files"]]] == [True, True]
