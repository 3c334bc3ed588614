"""The table of docs/proof-method.md: how many proofs of each part another program has checked."""

from collections import defaultdict

from runewire_proofs import PartRecord, ProofRecords

from .freshness import PROOFS
from .part import DOCS, Part

HEAD = ("| part | proven | confirmed | not confirmed | slowest check, s |",
        "|---|--:|--:|--:|--:|")


def table() -> str:
    """The table in Markdown: designs of each part; cores share designs, and a design is proven and checked once."""
    parts: dict[str, dict[str, PartRecord]] = defaultdict(dict)
    for entry in ProofRecords.of(PROOFS.read_text(encoding="utf-8")).entries.values():
        if entry.sound.verdict == "proven" and (entry.design not in parts[entry.part] or entry.check):
            parts[entry.part][entry.design] = entry
    rows = []
    for part, entries in sorted(parts.items()):
        checks = [entry.check for entry in entries.values() if entry.check]
        found = [check.seconds for check in checks if check.verdict == "confirmed"]
        if checks:
            rows.append((len(entries), len(found), len(checks) - len(found), max(found, default=0.0), part))
    lines = [f"| `{part}` | {proven:,} | {confirmed:,} | {tried or ''} | {slowest:.1f} |"
             for proven, confirmed, tried, slowest, part in rows]
    others = sorted(parts.keys() - {part for *_, part in rows})
    return "\n".join([*HEAD, *lines, "", f"No check yet of {', '.join(f'`{part}`' for part in others)}."])


GENERATED = (Part("checks", DOCS / "proof-method.md", table),)
