"""The tables of docs/goals.md: missed goals, and the goals of unmeasured cores."""

from runewire_fpga.datasheet.folder import read
from runewire_fpga.datasheet.goals import unmeasured_goals
from runewire_fpga.datasheet.tables import markdown, missed_table

from .part import DOCS, RECORDS, Part

PAGE = DOCS / "goals.md"


def missed() -> str:
    """The table of missed goals, in Markdown."""
    return missed_table(read(RECORDS / "datasheet"))


def unmeasured() -> str:
    """The table of goals without a measurement, in Markdown."""
    rows = [[kind, ", ".join([str(lanes), *options]), f"`{target}`", f"{goal.clock_mhz or goal.fmax_mhz:g}"]
            for kind, lanes, target, options, goal in unmeasured_goals(read(RECORDS / "datasheet"))]
    return markdown(["core", "lanes", "chip", "goal, MHz"], rows, left=3)


GENERATED = (Part("missed-goals", PAGE, missed), Part("unmeasured-goals", PAGE, unmeasured))
