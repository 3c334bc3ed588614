"""The comparison on the first page: prints it, or with ``--write`` puts it into README.md, with its chart.

It is made from the figures in docs/comparison.json. ``--measure`` makes those anew, as ``runewire compare --builtin``
does, from this machine and the datasheet, and then writes.
"""

import json
import sys
from pathlib import Path

from runewire import datasheet
from runewire.compare.charts import picture
from runewire.compare.inputs import builtin
from runewire.compare.known import peers
from runewire.compare.markdown import SPACINGS, summary
from runewire.compare.run import Comparison, compare
from runewire.compare.verdict import headline

FIGURES = Path(__file__).with_suffix(".json")
CHART = Path(__file__).with_suffix(".svg")
PAGE = Path(__file__).parents[1] / "README.md"
TARGET = "ecp5-85k"
TEXT_BYTES = 1 << 19
SAMPLES = 9
BEGIN, END = "<!-- comparison: python docs/comparison.py --measure -->", "<!-- end of comparison -->"


def comparison() -> Comparison:
    """The figures that are kept."""
    return Comparison.from_json(json.loads(FIGURES.read_text(encoding="utf-8")))


def measure() -> None:
    """Measure, and keep what the section is made from."""
    found = compare(builtin(TEXT_BYTES), peers(), datasheet.load(), TARGET, SAMPLES).as_json()
    for kind in ("software", "hardware"):
        found[kind] = [figure for figure in found[kind]
                       if figure["packet_bytes"] is None and figure["spacing"] in SPACINGS]
    FIGURES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def section(found: Comparison) -> str:
    """The section in Markdown."""
    chart = [f"![GB/s against lanes, software as lines](docs/{CHART.name})", ""] if picture(found) else []
    return "\n".join([f"**{headline(found)}.**", "", *chart, summary(found)])


def page_with(page: str, section: str) -> str:
    """The page with the section in its place."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{section}\n{END}{rest.split(END)[1]}"


def write() -> None:
    """Put chart and section where they belong."""
    found = comparison()
    drawn = picture(found)
    if drawn is None:
        CHART.unlink(missing_ok=True)
    else:
        CHART.write_text(drawn, encoding="utf-8")
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), section(found)), encoding="utf-8")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--measure"]:
            measure()
            write()
        case ["--write"]:
            write()
        case _:
            print(section(comparison()))
