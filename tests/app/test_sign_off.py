"""The page of sign-off items: each has a state, an open one has a reason, and its commands exist."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sign-off.md").read_text(encoding="utf-8")
STAGES = {"D1": 10, "D2": 18, "D3": 10, "V1": 22, "V2": 22, "V3": 13}
"""Items of each stage in OpenTitan's checklist."""
CELL = r"((?:[^|\n]|\\\|)*?)"
ITEMS = re.findall(rf"^\| ([A-Z][A-Z0-9_]+) \| {CELL} \|(?: {CELL})? \|$", PAGE, re.MULTILINE)
COMMANDS = sorted({command for _, _, shown in ITEMS for command in re.findall(r"`([^`]+)`", shown)})


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_has_all_of_its_items(stage: str) -> None:
    section = PAGE.partition(f"\n## {stage}\n")[2].partition("\n## ")[0]
    assert len(re.findall(r"^\| [A-Z]", section, re.MULTILINE)) == STAGES[stage]


def test_each_item_has_a_state_and_what_shows_it() -> None:
    assert len(ITEMS) == len({item for item, _, _ in ITEMS}) == sum(STAGES.values())
    for item, state, shown in ITEMS:
        assert re.match(r"met$|(met|partly|not|does not apply): ", state), item
        assert shown or not state.startswith(("met", "partly")), item


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_there(command: str, runewire) -> None:
    match command.split():
        case ["make", target]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        case ["python", "-m", "pytest", path, *options]:
            assert (ROOT / path).exists()
            assert options in ([], ["-m", '"not', 'slow"'])
        case ["runewire", subcommand, *options]:
            outcome = runewire(subcommand, "--help")
            assert outcome.status == 0
            assert {option for option in options if option.startswith("--")} <= set(
                re.findall(r"--[\w-]+", outcome.out))
        case ["grep", flags, pattern, *rooms]:
            words = pattern.strip('"').replace("\\|", "|")
            done = subprocess.run(["grep", flags, "--binary-files=without-match", words, *rooms], cwd=ROOT,
                                  capture_output=True, text=True, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
        case _:
            pytest.fail(f"{command!r} is of no known kind")
