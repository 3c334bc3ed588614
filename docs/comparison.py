"""The comparison on the first page: prints it, or with ``--write`` puts it into README.md, with its chart, and what it
says of each job, and the table of lines, into docs/throughput.md.

It is made from the figures in docs/comparison.json. ``--measure`` makes those anew, as ``runewire compare --builtin
--lines`` does, from this machine and the datasheet, and then writes; ``--measure lines`` those of lines alone, and
``--measure cores`` those of the datasheet's cores beside the software that was measured before.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pages import Part, main
from runewire import datasheet
from runewire.compare.charts import picture
from runewire.compare.inputs import builtin
from runewire.compare.known import line_peers, peers
from runewire.compare.lines import Lines, measure_lines
from runewire.compare.markdown import SPACINGS, job_sentences, line_table, summary
from runewire.compare.run import Comparison, compare, machine
from runewire.compare.verdict import headline

FIGURES = Path(__file__).with_suffix(".json")
CHART = Path(__file__).with_suffix(".svg")
PART = Part(Path(__file__).parents[1] / "README.md", "comparison", "comparison.py --measure")
EACH = Part(Path(__file__).parent / "throughput.md", "jobs", "comparison.py --measure")
LINES = Part(Path(__file__).parent / "throughput.md", "lines", "comparison.py --measure lines")
TARGET = "ecp5-85k"
TEXT_BYTES = 1 << 19
SAMPLES = 9


def comparison() -> Comparison:
    """The figures that are kept."""
    return Comparison.from_json(json.loads(FIGURES.read_text(encoding="utf-8")))


def measure() -> None:
    """Measure, and keep what the section is made from."""
    _keep(replace(compare(builtin(TEXT_BYTES), peers(), datasheet.load(), TARGET, SAMPLES), lines=_lines()).as_json())


def measure_cores_alone() -> None:
    """Work out the cores' figures again, and keep everything else: they are the datasheet's, on any machine."""
    kept, placed = comparison(), datasheet.load()
    cores = compare(builtin(TEXT_BYTES), [], placed, TARGET, 1).hardware
    core = measure_lines([], placed, TARGET, 1, kept.lines.bytes).core
    _keep(replace(kept, hardware=cores, lines=replace(kept.lines, core=core)).as_json())


def measure_lines_alone() -> None:
    """Measure lines, and keep everything else. Raises ValueError where that is of another machine."""
    kept = comparison()
    if kept.machine != machine():
        raise ValueError(f"the other figures are of another machine, {kept.machine}: use --measure")
    _keep(replace(kept, lines=_lines()).as_json())


def _lines() -> Lines:
    return measure_lines(line_peers(), datasheet.load(), TARGET, SAMPLES, TEXT_BYTES)


def _keep(found: dict[str, Any]) -> None:
    for kind in ("software", "hardware"):
        found[kind] = [figure for figure in found[kind]
                       if figure["packet_bytes"] is None and figure["spacing"] in SPACINGS]
    FIGURES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def section(found: Comparison) -> str:
    """The section in Markdown."""
    chart = [f"![GB/s against lanes, software as lines](docs/{CHART.name})", ""] if picture(found) else []
    return "\n".join([f"**{headline(found)}.**", "", *chart, summary(found)])


def lines_section(found: Comparison) -> str:
    """The table of lines in Markdown."""
    assert found.lines is not None
    return line_table(found.lines)


def write() -> None:
    """Put chart, section and table where they belong."""
    found = comparison()
    drawn = picture(found)
    if drawn is None:
        CHART.unlink(missing_ok=True)
    else:
        CHART.write_text(drawn, encoding="utf-8")
    PART.write(section(found))
    EACH.write(job_sentences(found))
    LINES.write(lines_section(found))


if __name__ == "__main__":
    main(lambda: section(comparison()), write,
         {(): measure, ("lines",): measure_lines_alone, ("cores",): measure_cores_alone})
