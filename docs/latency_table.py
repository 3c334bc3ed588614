"""The latency table of docs/interface.md: prints it, or with ``--write`` puts it into the page."""

import sys
from pathlib import Path

from runewire_rtl import describe, parameters

PAGE = Path(__file__).parent / "interface.md"
BEGIN, END = "<!-- latency table: python docs/latency_table.py --write -->", "<!-- end of latency table -->"
LANES = (1, 2, 4, 8)
CORES: dict[str, dict[str, str]] = {
    "validator": {"core": "validator"},
    "decoder, dense": {"core": "decoder"},
    "decoder, sparse": {"core": "decoder", "packing": "sparse"},
    "encoder": {"core": "encoder"},
}


def table() -> str:
    """The table in Markdown: cycles by core, pipeline and lanes."""
    lines = ["| core | pipeline | " + " | ".join(f"{lanes} lane{'s'[: lanes > 1]}" for lanes in LANES) + " |",
             "|---|---|" + "---:|" * len(LANES)]
    for name, options in CORES.items():
        for pipeline in ("fast", "balanced", "compact"):
            made = [parameters(**options, lanes=lanes, pipeline=pipeline) for lanes in LANES]
            cycles = " | ".join(str(describe(each)["latency_cycles"]) for each in made)
            lines.append(f"| {name} | {pipeline} | {cycles} |")
    return "\n".join(lines)


def page_with(page: str, table: str) -> str:
    """The page with the table in its place."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), table()), encoding="utf-8")
    else:
        print(table())
