"""Tables of cores in README.md, with cost and proofs."""

from runewire_benchmark.datasheet import Entry, load, with_usual_options
from runewire_model import __version__
from runewire_model.transcoder import TRANSCODER
from runewire_proofs import CORES, ProofRecords, proofs

from .part import README, RECORDS, Part

PROOFS = RECORDS / "proofs.jsonl"
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
    """The tables in Markdown."""
    lines = [f"| core | in, per cycle | out, per cycle | {LANES} lanes: LUT, clock | widest: lanes, GB/s of input "
             "| proven, lanes |",
             "|---|---|---|---|---|---|"]
    proven: dict[str, set[int]] = {}
    versions: set[str] = set()
    kept = ProofRecords.of(PROOFS.read_text(encoding="utf-8")).entries
    for core in (core for core in CORES if (core, "wrapper") in kept):
        # Buffers of one depth are one design, which is kept once.
        entries = [kept.get((core, proof.name)) for proof in proofs(core) if proof.name != "buffer"]
        found = [entry for entry in entries if entry is not None and entry.good]
        if len(found) == len(entries):
            proven.setdefault(core.kind, set()).add(core.lanes)
            versions.update(entry.version for entry in found)
    old = versions - {__version__}
    for name, streams in KINDS.items():
        cores = {entry.lanes: entry for entry in with_usual_options(load())
                 if (entry.parameters.kind, entry.target, entry.pipeline) == (name, TARGET, "fast")}
        lanes = (", ".join(map(str, sorted(proven.get(name, ())))) or "none") + (" †" if old else "")
        usual = cores[LANES]
        cost = f"{usual.luts:,}, {usual.clock_mhz:.0f} MHz"
        lines.append(f"| {name} | {streams} | {cost} | {_widest(cores)} | {lanes} |")
    lines += _transcoders()
    if old:
        lines += ["", f"† Proven of the cores of version {' and '.join(sorted(old))}, not of these ({__version__})."]
    return "\n".join(lines)


def _transcoders() -> list[str]:
    """The table of other encodings, as far as they were measured."""
    rows = [
        f"| {entry.title}{f', {entry.packing}' if entry.packing else ''} | {entry.lanes} | {entry.clock_mhz:.0f} MHz "
        f"| {entry.parameters.input_bytes * entry.clock_mhz / 1000:.1f} | {entry.luts:,} "
        f"| {entry.luts / entry.lanes:.0f} |"
        for entry in sorted(with_usual_options(load()), key=lambda entry: (entry.title, entry.lanes))
        if (entry.core, entry.target, entry.pipeline) == (TRANSCODER, TARGET, "fast")
    ]
    if not rows:
        return []
    return ["", "| other encodings | units per beat | clock | GB/s of input | LUT | LUT per unit |",
            "|---|--:|--:|--:|--:|--:|", *rows]


def _widest(cores: dict[int, Entry]) -> str:
    widest = cores[max(cores)]
    rate = widest.parameters.input_bytes * widest.clock_mhz / 1000
    return f"{widest.lanes}, {rate:.1f}"


GENERATED = (Part("cores", README, table),)
