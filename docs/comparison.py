"""The comparison on the first page: prints it, or with ``--write`` puts it into README.md, and everything else, with a
chart, into docs/throughput.md.

It is made from the figures in docs/comparison.json. ``--measure`` makes those anew, as ``runewire compare --builtin
--large --lines`` does, from this machine and the datasheet, and then writes; it takes a libsimdutf, named in
``RUNEWIRE_SIMDUTF``, and about ten minutes. ``--measure lines`` measures lines alone. ``--measure cores`` takes the
datasheet's cores anew and keeps the software.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from pages import Part, main
from runewire_benchmark import datasheet, markdown
from runewire_benchmark.charts import picture
from runewire_benchmark.inputs import LARGE_BYTES, builtin
from runewire_benchmark.job_tables import SPACINGS
from runewire_benchmark.lines import TEXT_BYTES as LINES_BYTES
from runewire_benchmark.lines import Lines, measure_lines
from runewire_benchmark.machine import load, machine
from runewire_benchmark.peer_registry import line_peers, peers
from runewire_benchmark.run import Comparison, compare, measure_large

FIGURES = Path(__file__).with_suffix(".json")
CHART = Path(__file__).with_suffix(".svg")
PART = Part(Path(__file__).parents[1] / "README.md", "comparison", "comparison.py --measure")
DETAILS = Part(Path(__file__).parent / "throughput.md", "details", "comparison.py --measure")
LINES = Part(Path(__file__).parent / "throughput.md", "lines", "comparison.py --measure lines")
TARGET = "ecp5-85k"
TEXT_BYTES = 1 << 16
SAMPLES = 9


def comparison() -> Comparison:
    """The figures that are kept."""
    return Comparison.from_json(json.loads(FIGURES.read_text(encoding="utf-8")))


def measure() -> None:
    """Measure, and keep what the pages are made from. Raises ValueError where libsimdutf is missing."""
    known, placed = peers(), datasheet.load()
    missing = [peer for peer in known if not peer.available()]
    if missing:
        raise ValueError(f"{missing[0].name} is missing: {missing[0].missing}")
    found = compare(builtin(TEXT_BYTES), known, placed, TARGET, SAMPLES, print)
    found = replace(found, large=measure_large(found, builtin(LARGE_BYTES), known, SAMPLES, print), lines=_lines())
    _keep(replace(found, load=found.load[:1] + load()))


def measure_cores_alone() -> None:
    """Work out the cores' figures again, and keep everything else: they are the datasheet's, on any machine."""
    kept, placed = comparison(), datasheet.load()
    cores = compare(builtin(TEXT_BYTES), [], placed, TARGET, 1).hardware
    core = measure_lines([], placed, TARGET, 1, kept.lines.bytes).core
    _keep(replace(kept, hardware=cores, lines=replace(kept.lines, core=core)))


def measure_lines_alone() -> None:
    """Measure lines, and keep everything else. Raises ValueError where that is of another machine."""
    kept = comparison()
    if kept.machine != machine():
        raise ValueError(f"the other figures are of another machine, {kept.machine}: use --measure")
    _keep(replace(kept, lines=_lines()))


def _lines() -> Lines:
    return measure_lines(line_peers(), datasheet.load(), TARGET, SAMPLES, LINES_BYTES)


def _keep(found: Comparison) -> None:
    kept = found.as_json()
    for kind in ("software", "hardware"):
        kept[kind] = [_short(figure) for figure in kept[kind]
                      if figure["packet_bytes"] is None and figure["spacing"] in SPACINGS]
    kept["large"]["software"] = [_short(figure) for figure in kept["large"]["software"]]
    FIGURES.write_text(_text(kept) + "\n", encoding="utf-8")


def _short(figure: dict[str, Any]) -> dict[str, Any]:
    """A figure in six digits, without what the record's datasheet says of its core."""
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in figure.items()
            if name not in ("clock_mhz", "stand_in", "modelled")}


def _text(value: Any) -> str:
    """JSON with a line for each element of a list, so that a new measurement is read line by line."""
    if isinstance(value, dict) and any(isinstance(inner, list | dict) for inner in value.values()):
        return "{\n" + ",\n".join(f"{json.dumps(key)}: {_text(inner)}" for key, inner in value.items()) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(element, ensure_ascii=False) for element in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def section(found: Comparison) -> str:
    """The first page's section in Markdown."""
    return markdown.summary(found)


def details(found: Comparison) -> str:
    """What the first page leaves out, in Markdown."""
    chart = [f"![GB/s of UTF-8 against lanes, software as lines]({CHART.name})", ""] if picture(found) else []
    return "\n".join([*chart, markdown.details(found)])


def lines_section(found: Comparison) -> str:
    """The table of lines in Markdown."""
    assert found.lines is not None
    return markdown.lines_section(found.lines)


def write() -> None:
    """Put chart, section and tables where they belong."""
    found = comparison()
    drawn = picture(found)
    if drawn is None:
        CHART.unlink(missing_ok=True)
    else:
        CHART.write_text(drawn, encoding="utf-8")
    PART.write(section(found))
    DETAILS.write(details(found))
    LINES.write(lines_section(found))


if __name__ == "__main__":
    main(lambda: section(comparison()), write,
         {(): measure, ("lines",): measure_lines_alone, ("cores",): measure_cores_alone})
