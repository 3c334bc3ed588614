"""The figures of docs/verification.md, from the records of proofs, mutants, coverage and soaks."""

from runewire_proofs import ProofRecords
from runewire_sim.soak import SoakRecord

from .freshness import PROOFS
from .part import DOCS, Part
from .verification import LINES, PAIRS, RECORD, SEGMENTS, code_records, mutant_records


def table() -> str:
    """The table in Markdown."""
    return "\n".join([
        "| means | what it shows | result | limits |", "|---|---|---|---|",
        "| [proofs](proof-method.md) | all inputs, packets and stalls: the core equals a serial specification "
        f"| {_proofs()} | [assumptions, and what is not proven](proof-method.md#assumptions-and-what-is-not-proven) |",
        f"| [mutants](test-records.md#mutants) | the tests notice a change of one gate | {_mutants()} "
        "| narrow cores; offsets of 16 bits |",
        "| [coverage](test-records.md#of-the-code) | the tests reach each line and toggle each signal "
        f"| {_coverage()} | narrow cores; no review of the reasons |",
        "| [soak](test-records.md#soak) | random text, options, widths and stalls against CPython's codecs "
        f"| {_soak()} | simulated, not proven |",
    ])


def _proofs() -> str:
    entries = ProofRecords.of(PROOFS.read_text(encoding="utf-8")).entries.values()
    proven = sum(entry.sound.verdict == "proven" for entry in entries)
    broken = sum(len(entry.mutants) for entry in entries)
    refuted = sum(entry.refuted for entry in entries)
    # Cores share designs, and a design is checked once.
    checks = {(entry.part, entry.design) for entry in entries if entry.check and entry.check.verdict == "confirmed"}
    checked = sum((entry.part, entry.design) in checks for entry in entries)
    return (f"{proven:,} of {len(entries):,} parts of cores proven, the others undecided; {checked:,} of them also by "
            f"another program's check; {refuted:,} of {broken:,} broken copies refuted")


def _mutants() -> str:
    records = mutant_records()
    killed = sum(sum(record.killed.values()) for record in records)
    equivalent = sum(record.equivalent for record in records)
    left = sum(len(record.unexplained) for record in records)
    total = sum(record.mutants for record in records)
    return (f"of {total:,} in {len(records)} cores {killed:,} noticed, {equivalent:,} "
            f"proven equivalent, {left} unexplained")


def _coverage() -> str:
    records = code_records()
    points = sum(sum(record.points.values()) for record in records)
    seen = sum(sum(record.seen.values()) for record in records)
    unreachable = sum(len(names) for record in records for names in record.unreachable.values())
    return (f"of {points:,} points in {len(records)} cores {seen:,} seen, {unreachable} unreachable with a reason, "
            f"{sum(len(record.holes) for record in records)} holes")


def _soak() -> str:
    records = [SoakRecord.of(path.read_text(encoding="utf-8")) for path in (RECORD, PAIRS, SEGMENTS, LINES)]
    cores = sum(len(record.configurations) for record in records)
    failures = sum(len(record.failures) for record in records)
    packets = sum(record.packets for record in records)
    return (f"{sum(record.bytes for record in records):,} bytes in {packets:,} packets "
            f"through {cores:,} cores, {failures} failures")


GENERATED = (Part("verification", DOCS / "verification.md", table),)
