"""Proofs, coverage and soak in figures, for docs/verification.md: prints them, or with ``--write`` puts them there."""

import re
import sys
from collections import Counter
from pathlib import Path

from runewire_model import Parameters, parameters
from runewire_sim.coverage import goals
from runewire_sim.proofs import CORES as PROVEN
from runewire_sim.proofs import Ledger
from runewire_sim.soak import Record

PAGE = Path(__file__).parent / "verification.md"
RECORD = Path(__file__).parent / "soak.json"
PROOFS = Path(__file__).parent / "proofs.json"
PARTS = ("window", "packing", "buffer")
LANES = (1, 2, 4, 8)
CORES: dict[str, dict[str, str]] = {
    "validator": {"core": "validator"},
    "decoder, dense": {"core": "decoder"},
    "decoder, sparse": {"core": "decoder", "packing": "sparse"},
    "encoder": {"core": "encoder"},
}


def proofs() -> str:
    """The kept record of the proofs, in Markdown."""
    ledger = Ledger.of(PROOFS.read_text(encoding="utf-8"))

    def cell(parameters: Parameters, part: str) -> str:
        entry = ledger.entries.get((parameters, part))
        if entry is None:
            return "not run"
        verdict = entry.sound.verdict if entry.sound.verdict == "proven" else f"**{entry.sound.verdict}**"
        depth = "" if entry.sound.depth is None else f", depth {entry.sound.depth}"
        return f"{verdict}, {entry.sound.seconds:,.0f} s{depth}; {entry.refuted} of {len(entry.mutants)}"

    def name(parameters: Parameters) -> str:
        packing = getattr(parameters, "packing", None)
        return parameters.core if packing is None else f"{parameters.core}, {packing}"

    lines = ["| core | lanes | " + " | ".join(PARTS) + " |", "|---|---:|" + "---|" * len(PARTS)]
    lines += [f"| {name(core)} | {core.lanes} | {' | '.join(cell(core, part) for part in PARTS)} |" for core in PROVEN]
    return "\n".join(lines)


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
    for name, text in (("proofs", proofs()), ("coverage", coverage()), ("soak", soak())):
        begin, end = (f"<!-- {name}: python docs/verification_tables.py --write -->", f"<!-- end of {name} -->")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}"
    return page


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(proofs(), coverage(), soak(), sep="\n\n")
