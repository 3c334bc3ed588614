"""The table of cores in README.md, with cost and proofs."""

from collections.abc import Sequence
from dataclasses import replace

from runewire_benchmark.datasheet import Entry, load, with_usual_options
from runewire_proofs import CORES, ProofRecords, proofs

from .freshness import PRINTING, PROOFS
from .part import README, Part

TARGET = "ecp5-85k"
CHIPS = {TARGET: "ECP5", "artix-7-200t": "Artix-7", "gowin-gw5ast-138": "GW5AST"}
"""Devices whose clock is shown: the name in the heading. Look-up tables are counted on the first. Its fastest core is
shown too, if another device has a faster one."""
LANES = 8
"""The width whose cost is shown, or the next wider one that was measured."""
PAIR = "UTF-8 to UTF-16LE, dense"
ROWS = (
    ("validator", "validator", "*n* bytes, the same bytes out"),
    ("sanitizer, dense", "sanitizer", "*n* bytes, well-formed UTF-8 out"),
    ("decoder, dense", "decoder", "*n* bytes, *n* code points out"),
    ("decoder, sparse", "decoder", "*n* bytes, code points in place"),
    ("encoder", "encoder", "*n* code points, up to 4*n* bytes out"),
    (PAIR, "transcoder", "*n* units, any encoding out"),
    ("packer", "packer", "*n* lanes with null bytes anywhere, full beats out"),
)
"""Kind of core, page, and what happens in a cycle."""


def table() -> str:
    """The table in Markdown."""
    lines = [f"| core, *n* lanes | in a cycle | {LANES} lanes: LUT | MHz on {', '.join(CHIPS.values())} "
             "| fastest placed: chip, lanes, GB/s of input | proven, lanes |", "|---|---|---|---|---|---|"]
    proven = _proven()
    known = [entry for entry in load() if entry.pipeline == "fast"]
    for kind, page, streams in ROWS:
        every = [entry for entry in known if entry.parameters.kind == kind]
        # The sanitizers that were placed have an option.
        cores = with_usual_options(every) or every
        usual = min((entry for entry in cores if entry.target == TARGET and entry.lanes >= LANES),
                    key=lambda entry: (entry.lanes, -entry.clock_mhz))
        name = f"transcoder, {kind.partition(',')[0]}" if kind == PAIR else kind
        said = _up_to(proven[kind]) if kind in proven else "[see proofs](docs/proofs.md)"
        lines.append(f"| [{name}](docs/cores/{page}.md) | {streams} | {_cost(usual)} | {clocks(usual, cores)} "
                     f"| {fastest(cores)} | {said} |")
    return "\n".join(lines)


def _proven() -> dict[str, set[int]]:
    """By kind the lanes of the cores whose parts are all proven; docs/proofs.md marks parts of a former design."""
    found: dict[str, set[int]] = {}
    kept = ProofRecords.of(PROOFS.read_text(encoding="utf-8")).entries
    for core in (core for core in CORES if (core, "wrapper") in kept):
        # Buffers of one depth are one design, which is kept once.
        entries = [kept.get((core, proof.name)) for proof in proofs(core) if proof.name not in {"buffer", PRINTING}]
        good = [entry for entry in entries if entry is not None and entry.good]
        if len(good) == len(entries):
            found.setdefault(core.kind, set()).add(core.lanes)
    return found


def _up_to(lanes: Sequence[int] | set[int]) -> str:
    """Widths in words: "up to 64" where no narrower one is missing."""
    every = [1 << n for n in range(max(lanes).bit_length())]
    return f"up to {max(lanes)}" if sorted(lanes) == every else ", ".join(map(str, sorted(lanes)))


def _cost(usual: Entry) -> str:
    lanes = [] if usual.lanes == LANES else [f"{usual.lanes} lanes"]
    options = [f"`--{name} {value}`" for name, value in usual.options.items()]
    return f"{', '.join([*lanes, *options])}{': ' * bool(lanes + options)}{usual.luts:,}"


def clocks(usual: Entry, cores: Sequence[Entry]) -> str:
    """The clock of a core on each of `CHIPS`, with the fastest layout: "370, 464 ?, –"; `?`: a limit is unknown, –: not
    measured."""
    found = {}
    for entry in sorted(cores, key=lambda entry: entry.clock_mhz):
        if replace(entry.parameters, family=usual.parameters.family) == usual.parameters:
            found[entry.target] = f"{entry.clock_mhz:.0f}{_doubt(entry)}"
    return ", ".join(found.get(target, "–") for target in CHIPS)


def fastest(cores: Sequence[Entry]) -> str:
    """The fastest core of all chips: "GW5AST: 256, 102.4 ?"; then the fastest on `TARGET`, if that is another."""
    best = max(cores, key=lambda entry: (_rate(entry), entry.target == TARGET))
    own = max((entry for entry in cores if entry.target == TARGET), key=_rate)
    return "; ".join(dict.fromkeys(
        f"{CHIPS.get(entry.target, entry.device)}: {entry.lanes}, {_rate(entry):.1f}{_doubt(entry)}"
        for entry in (best, own)))


def _rate(entry: Entry) -> float:
    """10^9 bytes of input a second."""
    return entry.parameters.input_bytes * entry.clock_mhz / 1000


def _doubt(entry: Entry) -> str:
    return " ?" * bool(entry.unknown_limits)


GENERATED = (Part("cores", README, table),)
