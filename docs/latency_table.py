"""The latency table of docs/interface.md: prints it, or with ``--write`` puts it into the page."""

from pathlib import Path

from pages import Part, main
from runewire_rtl import describe, parameters

PART = Part(Path(__file__).parent / "interface.md", "latency table", "latency_table.py --write")
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


if __name__ == "__main__":
    main(table, lambda: PART.write(table()))
