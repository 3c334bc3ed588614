"""The table of docs/proof-method.md: how many proofs of each part another program has checked."""

from collections import Counter, defaultdict

from runewire_proofs import PartRecord, ProofRecords

from .freshness import PROOFS
from .part import DOCS, Part

HEAD = ("| part | proven | confirmed | refuted | not checked | slowest check, s |", "|---|--:|--:|--:|--:|--:|")


def table() -> str:
    """The table in Markdown: designs of each part; cores share designs, and a design is proven and checked once."""
    parts: dict[str, dict[str, PartRecord]] = defaultdict(dict)
    for entry in ProofRecords.of(PROOFS.read_text(encoding="utf-8")).entries.values():
        if entry.sound.verdict == "proven" and (entry.design not in parts[entry.part] or entry.check):
            parts[entry.part][entry.design] = entry
    lines = []
    for part, entries in sorted(parts.items()):
        checks = [entry.check for entry in entries.values() if entry.check]
        verdicts = Counter(check.verdict for check in checks)
        confirmed, refuted = verdicts["confirmed"], verdicts["refuted"]
        slowest = f"{max(check.seconds for check in checks):.1f}" if checks else ""
        lines.append(f"| `{part}` | {len(entries):,} | {confirmed:,} | {refuted:,} "
                     f"| {len(entries) - confirmed - refuted:,} | {slowest} |")
    return "\n".join([*HEAD, *lines])


GENERATED = (Part("checks", DOCS / "proof-method.md", table),)
