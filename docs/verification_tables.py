"""Coverage and soak in figures, for docs/verification.md: prints them, or with ``--write`` puts them into the page."""

import re
import sys
from collections import Counter
from pathlib import Path

from runewire_model import parameters
from runewire_sim.coverage import goals
from runewire_sim.soak import Record

PAGE = Path(__file__).parent / "verification.md"
RECORD = Path(__file__).parent / "soak.json"
LANES = (1, 2, 4, 8)
CORES: dict[str, dict[str, str]] = {
    "validator": {"core": "validator"},
    "decoder, dense": {"core": "decoder"},
    "decoder, sparse": {"core": "decoder", "packing": "sparse"},
    "encoder": {"core": "encoder"},
}


def coverage() -> str:
    """Goals of each core and width, in Markdown."""
    lines = ["| core | " + " | ".join(f"{lanes} lane{'s'[: lanes > 1]}" for lanes in LANES) + " |",
             "|---|" + "---:|" * len(LANES)]
    for name, options in CORES.items():
        counts = (len(goals(parameters(**options, lanes=lanes))) for lanes in LANES)
        lines.append(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    return "\n".join(lines)


def soak() -> str:
    """The kept record of a soak, in Markdown."""
    record = Record.of(RECORD.read_text(encoding="utf-8"))
    packets: Counter[tuple[str, int]] = Counter()
    octets: Counter[tuple[str, int]] = Counter()
    for top, configuration in record.configurations.items():
        found = re.match(r"runewire_([a-z]+)_x(\d+)", top)
        assert found is not None, top
        key = found[1], int(found[2])
        packets[key] += configuration.packets
        octets[key] += configuration.bytes
    lines = [f"Seed {record.seed}, {record.rounds:,} rounds, {len(record.configurations)} configurations, "
             f"{record.cycles:,} cycles: {record.bytes:,} bytes in {record.packets:,} packets, "
             f"{len(record.failures)} failures.", "",
             "| core | lanes | packets | bytes |", "|---|---:|---:|---:|"]
    lines += [f"| {core} | {lanes} | {packets[core, lanes]:,} | {octets[core, lanes]:,} |"
              for core, lanes in sorted(octets)]
    return "\n".join(lines)


def page_with(page: str) -> str:
    """The page with the figures in their places."""
    for name, text in (("coverage", coverage()), ("soak", soak())):
        begin, end = (f"<!-- {name}: python docs/verification_tables.py --write -->", f"<!-- end of {name} -->")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"
    return page


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(coverage(), soak(), sep="\n\n")
