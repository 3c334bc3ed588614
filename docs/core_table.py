"""The table of cores in README.md: what each costs and what is proven. Prints it, or with ``--write`` puts it there."""

import sys
from pathlib import Path

from runewire.datasheet import Entry, load, with_usual_options
from runewire_model import __version__
from runewire_proofs import Ledger

PAGE = Path(__file__).parents[1] / "README.md"
PROOFS = Path(__file__).parent / "proofs.json"
BEGIN, END = "<!-- cores: python docs/core_table.py --write -->", "<!-- end of cores -->"
TARGET = "ecp5-85k"
LANES = 8
"""The width whose cost is shown."""
KINDS = {
    "validator": "*lanes* bytes | the same bytes, and a verdict on each packet",
    "decoder, dense": "*lanes* bytes | *lanes* scalars in every beat but a packet's last",
    "decoder, sparse": "*lanes* bytes | the scalars of that beat, each in the lane of its last byte",
    "encoder": "*lanes* scalars | up to 4·*lanes* bytes",
}


def table() -> str:
    """The table in Markdown."""
    lines = [f"| core | in, per cycle | out, per cycle | {LANES} lanes: LUT, clock | widest | proven, lanes |",
             "|---|---|---|---|---|---|"]
    proven: dict[str, set[int]] = {}
    versions = set()
    for entry in Ledger.of(PROOFS.read_text(encoding="utf-8")).entries.values():
        if entry.part == "window" and entry.good:
            proven.setdefault(entry.parameters.kind, set()).add(entry.parameters.lanes)
            versions.add(entry.version)
    old = versions - {__version__}
    for name, streams in KINDS.items():
        cores = {entry.lanes: entry for entry in with_usual_options(load())
                 if (entry.parameters.kind, entry.target, entry.pipeline) == (name, TARGET, "fast")}
        lanes = (", ".join(map(str, sorted(proven.get(name, ())))) or "none") + (" †" if old else "")
        usual = cores[LANES]
        cost = f"{usual.luts:,}, {usual.clock_mhz:.0f} MHz"
        lines.append(f"| {name} | {streams} | {cost} | {_widest(cores)} | {lanes} |")
    if old:
        lines += ["", f"† Proven of the cores of version {' and '.join(sorted(old))}, not of these ({__version__})."]
    return "\n".join(lines)


def _widest(cores: dict[int, Entry]) -> str:
    widest = cores[max(cores)]
    rate = widest.parameters.input_bytes * widest.clock_mhz / 1000
    return f"{widest.lanes} lanes, {rate:.1f} GB/s in"


def page_with(page: str, table: str) -> str:
    """The page with the table in its place."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), table()), encoding="utf-8")
    else:
        print(table())
