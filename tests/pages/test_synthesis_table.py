"""What Yosys' commands of synthesis make of the cores is what the table says."""

from pathlib import Path

import pytest
from runewire_pages import synthesis_table


@pytest.mark.slow
def test_every_synthesis_of_yosys_is_in_the_table() -> None:
    _, found = synthesis_table.load()
    assert list(found) == list(synthesis_table.commands(synthesis_table.yosys("help", Path()).stdout)), \
        "run runewire pages --measure synthesis"
    assert {command for command, results in found.items() if any(result.error for result in results.values())} == {
        "synth_easic", "synth_nanoxplore -family medium"}, "files of eASIC's own tools; ABC9"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["synth_gatemate", "synth_sf2", "synth_intel_alm -family cyclonev"])
def test_a_synthesis_gives_what_the_table_says(command: str) -> None:
    _, found = synthesis_table.load()
    core = synthesis_table.cores()["compact"]
    assert synthesis_table.tried(command, core) == found[command]["compact"]
