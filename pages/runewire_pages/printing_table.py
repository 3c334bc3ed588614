"""The table of docs/proofs.md: how many cores have a proof that their Verilog is the design of all other parts."""

from collections import Counter, defaultdict

from runewire_proofs import KEPT, ProofRecords

from .freshness import PRINTING, PROOFS, STALE, former_note, is_printed, present_printing
from .part import DOCS, Part
from .verification import MINUTES

HEAD = ("| lanes | cores | proven | of a former design | not proven | not run | broken printers |",
        "|--:|--:|--:|--:|--:|--:|---|")


def table() -> str:
    """The table in Markdown: all cores that have the part, by width."""
    entries = {core: entry for (core, part), entry in ProofRecords.of(
        PROOFS.read_text(encoding="utf-8")).entries.items() if part == PRINTING}
    states: dict[int, Counter[str]] = defaultdict(Counter)
    versions = set[str]()
    for core in filter(is_printed, KEPT):
        count, entry = states[core.lanes], entries.get(core)
        count["cores"] += 1
        if entry is None:
            count["not run"] += 1
            continue
        fresh = entry.is_of(present_printing()[core])
        if not fresh:
            versions.add(entry.version)
        count["not proven" if entry.sound.verdict != "proven" else "proven" if fresh else "former"] += 1
        count["tried"] += len(entry.mutants)
        count["refuted"] += entry.refuted
    lines = []
    for lanes, count in sorted(states.items()):
        former = f"{count['former']} {STALE}" if count["former"] else "0"
        broken = f"{count['refuted']} of {count['tried']}" if count["tried"] else ""
        lines.append(f"| {lanes} | {count['cores']} | {count['proven']} | {former} | {count['not proven']} "
                     f"| {count['not run']} | {broken} |")
    return "\n".join([*HEAD, *lines, *former_note(versions)])


GENERATED = (Part(PRINTING, DOCS / "proofs.md", table, MINUTES),)
