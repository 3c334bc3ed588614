"""Tables of the verification records, in docs/test-records.md and docs/proofs.md."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

from runewire_model import ENCODINGS, TranscoderParameters, parameters
from runewire_model.core_options import option_words
from runewire_model.transcoder import option_text
from runewire_proofs import (
    COMPACT,
    FAMILY,
    FLOWS,
    NULL_BYTES,
    OPTIONS,
    OTHER_PAIRS,
    PACKERS,
    VARIANTS,
    ConeRecord,
    Outcome,
    ProofRecords,
    StuckRecord,
)
from runewire_proofs import CORES as PROVEN
from runewire_proofs import RECORDS as OF_RECORDS
from runewire_proofs import proofs as proofs_of
from runewire_rtl.verilog import top_name
from runewire_sim import mutation
from runewire_sim.code_coverage import KINDS, CodeRecord
from runewire_sim.coverage_goals import goals
from runewire_sim.mutation.trials import KILLS
from runewire_sim.soak import SoakRecord, core_of, segment_rounds

from .freshness import PROOFS, STALE, former_note, is_present, present_parts
from .part import DOCS, RECORDS, Part

PAGE = DOCS / "test-records.md"
OF_PROOFS = DOCS / "proofs.md"
RECORD = RECORDS / "soak.json"
PAIRS = RECORDS / "pairs.json"
SEGMENTS = RECORDS / "segments.json"
LINES = RECORDS / "lines.json"
PARTS = ("window", "packing", "border", "buffer", "reset", "wrapper")
PARTS_OF_VARIANTS = ("window", "packing", "border", "buffer", "output_skid", "reset", "wrapper")
PARTS_OF_OPTIONS = ("window", "counters", "packing", "border", "buffer", "report_port", "reset", "wrapper")
PARTS_OF_COMPACT = (
    "window", "placement", "row", "rows", "skid", "waiting", "counters", "report_port", "reset", "whole", "wrapper")
PARTS_OF_NULL_BYTES = ("packer_window", "window", "connection", "reset", "wrapper")
PARTS_OF_FLOWS = (
    "packer_window", "connection", "packed_beats", "extra_beats", "byte_line", "text_mark", "text_end", "contexts",
    "rotation", "text_order", "text_run", "text_record", "text_error", "turn_state")
PARTS_OF_RECORDS = ("finding", "splitting", "filtering")
MUTANTS = RECORDS / "mutants"
CODE = RECORDS / "code_coverage"
CONES = RECORDS / "cones"
STUCK = RECORDS / "stuck"
UNEXPLAINED = RECORDS / "unexplained_mutants.toml"
LANES = (1, 2, 4, 8)
CORES: dict[str, dict[str, Any]] = {
    "validator": {"core": "validator"},
    "decoder, dense": {"core": "decoder"},
    "decoder, sparse": {"core": "decoder", "packing": "sparse"},
    "encoder": {"core": "encoder"},
}


def proofs() -> str:
    """Table of the proofs of cores with usual ports, in Markdown."""
    return proof_table(PROVEN, PARTS, lambda core: core.kind)


def options() -> str:
    """Table of the proofs of other ports."""
    return proof_table(OPTIONS, PARTS_OF_OPTIONS, with_options)


def variants() -> str:
    """Table of the proofs of other text options, pipelines and families."""
    return proof_table(VARIANTS, PARTS_OF_VARIANTS, lambda core: with_options(core, pipeline=True))


def with_options(core: TranscoderParameters, *, pipeline: bool = False) -> str:
    """The core's name and options, without its width; its ``pipeline`` only if asked for."""
    said = option_words({option: value for option, value in core.unusual.items() if pipeline or option != "pipeline"})
    return f"{core.kind.partition(',')[0]} `{' '.join(said)}`".removesuffix(" ``")


def compact() -> str:
    """Table of the proofs of compact cores."""
    return proof_table(COMPACT, PARTS_OF_COMPACT, with_options)


def packers() -> str:
    """Table of the proofs of packers."""
    return proof_table(PACKERS, PARTS, lambda core: with_options(core, pipeline=True))


def null_bytes() -> str:
    """Table of the proofs of cores that take null bytes anywhere, without the parts behind both windows."""
    return proof_table(NULL_BYTES, PARTS_OF_NULL_BYTES, lambda core: with_options(core, pipeline=True))


def flows() -> str:
    """Table of the proofs of cores with flows: the parts that join segments."""
    return proof_table(FLOWS, PARTS_OF_FLOWS, lambda core: with_options(core, pipeline=True))


def records() -> str:
    """Table of the proofs of splitters and filters: the parts that make packets of records, or remove some."""
    return proof_table(OF_RECORDS, PARTS_OF_RECORDS, lambda core: with_options(core, pipeline=True))


def family() -> str:
    """Table of the proofs of other encodings."""
    return proof_table(FAMILY, PARTS, lambda core: core.kind)


def other_pairs() -> str:
    """Table of the proofs of all other pairs of encodings."""
    return proof_table(OTHER_PAIRS, PARTS, lambda core: core.kind)


def proof_table(cores: Sequence[TranscoderParameters], parts: Sequence[str],
                name: Callable[[TranscoderParameters], str]) -> str:
    """Table of the recorded proofs of these cores, in Markdown."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    versions: set[str] = set()

    def cell(parameters: TranscoderParameters, part: str) -> str:
        if parameters not in present_parts():
            return "not run" if part in {proof.name for proof in proofs_of(parameters)} else ""
        design = present_parts()[parameters].get(part)
        if design is None:
            return ""
        entry = ledger.holding(parameters, design)
        if entry is None:
            return "not run"
        if entry.parameters != parameters:
            other = with_options(entry.parameters, pipeline=True)
            return f"same as {other if '`' in other else entry.parameters.kind}, {entry.parameters.lanes}"
        fresh = entry.is_of(design)
        if not fresh:
            versions.add(entry.version)
        mutants = len(design.mutants if fresh else entry.mutants)
        return f"{verdict(entry.sound)}; {entry.refuted} of {mutants}{'' if fresh else f' {STALE}'}"

    lines = ["| core | lanes | " + " | ".join(parts) + " |", "|---|---:|" + "---|" * len(parts)]
    lines += [f"| {name(core)} | {core.lanes} | {' | '.join(cell(core, part) for part in parts)} |" for core in cores]
    return "\n".join([*lines, *former_note(versions)])


def verdict(sound: Outcome) -> str:
    """The engine's verdict on the sound part, and the depth."""
    if sound.verdict == "undecided":
        cycles = "" if sound.depth is None else f", nothing wrong in {sound.depth + 1} cycles"
        return f"**undecided**{cycles}, {sound.seconds:,.0f} s"
    depth = "" if sound.depth is None else f", depth {sound.depth}"
    said = sound.verdict if sound.verdict == "proven" else f"**{sound.verdict}**"
    return f"{said}, {sound.seconds:,.0f} s{depth}"


MARKS = {"proven": "P", "simulated": "S"}
NUMBERS = ("user", "id", "dest", "records", "replacement")


@dataclass
class Known:
    """Records of a core: for each of `MARKS` that it has, whether the record belongs to the present design."""

    found: dict[str, bool] = field(default_factory=dict)

    def add(self, what: str, present: bool) -> None:
        """Add a record."""
        self.found[what] = present or self.found.get(what, False)

    def cell(self) -> str:
        """The marks, with `STALE` after marks of a former design; a dash for none."""
        return " ".join(mark if self.found[what] else f"{mark} {STALE}"
                        for what, mark in MARKS.items() if what in self.found) or "–"


@cache
def known() -> dict[TranscoderParameters, Known]:
    """Records of proofs and soaks, core by core. A core is proven if all its parts are."""
    cores: dict[TranscoderParameters, Known] = defaultdict(Known)
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    for core, parts in present_parts().items():
        if core.sidebands.flows is not None or core.splits or core.filters:
            continue  # the rest of such a core is not proven
        held = [(ledger.holding(core, design), design) for design in parts.values()]
        if all(entry is not None and entry.good for entry, _ in held):
            cores[core].add("proven", all(entry is not None and entry.is_of(design) for entry, design in held))
    for record in (SoakRecord.of(path.read_text(encoding="utf-8")) for path in (PAIRS, RECORD, SEGMENTS, LINES)):
        for core in soaked(record):
            entry = record.configurations.get(top_name(core))
            if entry is not None:
                cores[core].add("simulated", entry.present)
    return cores


def everything() -> str:
    """Tables of all records in Markdown: each core with usual options by width, then each option."""
    widest = [1 << n for n in range(9)]
    lines = [f"| core | {' | '.join(map(str, widest))} |", "|---|" + "---|" * len(widest)]
    for source, target in product(ENCODINGS, (*ENCODINGS, None)):
        narrow = TranscoderParameters(source, target, 1)
        cells = (known().get(replace(narrow, lanes=lanes), Known()).cell() if lanes <= narrow.most_lanes else ""
                 for lanes in widest)
        lines.append(f"| {narrow.kind.removesuffix(', dense')} | {' | '.join(cells)} |")
    lines += ["", "| option | proven | simulated |", "|---|---|---|"]
    options: dict[str, dict[str, dict[str, set[int]]]] = defaultdict(lambda: {what: {} for what in MARKS})
    for core, what in known().items():
        for name, value in core.unusual.items():
            # An option with any number is one row, whatever its value.
            values = [""] if name in NUMBERS or value is True else option_text(name, value).split(",")
            for each in values:
                said = f"--{name.replace('_', '-')} {each}".rstrip()
                for mark, present in what.found.items():
                    title = core.core + ("" if present else f" {STALE}")
                    options[said][mark].setdefault(title, set()).add(core.lanes)
    for said, marks in sorted(options.items()):
        both = [[f"{core} {', '.join(map(str, sorted(lanes)))}" for core, lanes in sorted(marks[mark].items())]
                for mark in MARKS]
        lines.append(f"| `{said}` | {' | '.join('; '.join(cell) or '–' for cell in both)} |")
    return "\n".join(lines)


def soaked(record: SoakRecord) -> list[TranscoderParameters]:
    """The cores that a soak may have simulated so far."""
    return list(dict.fromkeys(
        (core_of(record.seed, number) for number in range(record.rounds)) if record.listed is None else record.listed))


RECORD_CORES: dict[str, dict[str, Any]] = {
    "validator with records": {"core": "validator", "records": 0x0A},
    "validator with record report": {"core": "validator", "records": 0x0A, "record_report": True},
    "validator behind a splitter": {"core": "validator", "split": 0x0A},
    "splitter": {"core": "splitter"},
    "splitter that cuts after 64 bytes": {"core": "splitter", "longest": 64},
    "filter with rejects": {"core": "filter", "longest": 64, "rejects": True},
}
"""Cores with records in the table of goals."""
FLOW_CORES: dict[str, dict[str, Any]] = {"validator with 2 flows": {"core": "validator", "flows": 2, "id": 1}}
"""Cores with flows in the table of goals."""


def coverage() -> str:
    """Goals of each core and width, in Markdown."""
    lines = ["| core | " + " | ".join(f"{lanes} lane{'s'[: lanes > 1]}" for lanes in LANES) + " |",
             "|---|" + "---:|" * len(LANES)]
    for name, options in {**CORES, **RECORD_CORES, **FLOW_CORES}.items():
        counts = (len(goals(parameters(**options, lanes=lanes))) for lanes in LANES)
        lines.append(f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |")
    return "\n".join(lines)


def mutant_records() -> list[mutation.MutationRecord]:
    """Records of the mutants, one a core."""
    return [mutation.MutationRecord.of(path.read_text(encoding="utf-8")) for path in sorted(MUTANTS.glob("*.json"))]


def code_records() -> list[CodeRecord]:
    """Records of the code coverage, one a core."""
    return [CodeRecord.of(path.read_text(encoding="utf-8")) for path in sorted(CODE.glob("*.json"))]


def code() -> str:
    """Tables of the code coverage, in Markdown: points seen, and points that no input reaches."""
    records = code_records()
    kinds = list(KINDS.values())
    lines = ["| core | " + " | ".join(f"{kind}: points | seen" for kind in kinds) + " | unreachable | holes |",
             "|---|" + "---:|" * (2 * len(kinds) + 2)]
    example: dict[str, str] = {}
    points: Counter[str] = Counter()
    for record in records:
        cells = " | ".join(f"{record.points[kind]:,} | {record.seen[kind]:,}" for kind in kinds)
        old = "" if is_present(record) else f" {STALE}"
        unreachable = {why: len(names) for why, names in record.unreachable.items()}
        lines.append(f"| {TranscoderParameters.of(record.core)}{old} | {cells} | {sum(unreachable.values())} | "
                     f"{len(record.holes)} |")
        points.update(unreachable)
        example = {why: names[0] for why, names in record.unreachable.items()} | example
    lines += former_note(record.version for record in records if not is_present(record))
    lines += ["", "| unreachable, of all these cores | example | argument |", "|---:|---|---|"]
    return "\n".join([*lines, *(f"| {count} | `{example[why].replace('|', chr(92) + '|')}` | {why} |"
                                for why, count in points.most_common())])


def cones() -> str:
    """Tables of the cones of influence, in Markdown: register bits by what depends on them, and reasons."""
    records = [ConeRecord.of(path.read_text(encoding="utf-8")) for path in sorted(CONES.glob("*.json"))]
    lines = ["| core | register bits | in a cone | represented | unread | with a reason | without | memories | gates |",
             "|---|" + "---:|" * 8]
    why: Counter[str] = Counter()
    for record in records:
        found = record.cone
        why.update(found.explained)
        outside = sum(found.explained.values())
        without = found.registers - found.seen - found.represented - sum(found.unread.values()) - outside
        old = "" if is_present(record) else f" {STALE}"
        lines.append(
            f"| {TranscoderParameters.of(record.core)}{old} | {found.registers:,} | {found.seen:,} | "
            f"{found.represented:,} | {sum(found.unread.values()):,} | {outside:,} | {without:,} | "
            f"{found.memories_seen} of {found.memories} | {found.gates_seen:,} of {found.gates:,} |")
    lines += former_note(record.version for record in records if not is_present(record))
    lines += ["", "| bits, of all these cores | reason |", "|---:|---|"]
    return "\n".join([*lines, *(f"| {count:,} | {reason} |" for reason, count in why.most_common())])


def stuck() -> str:
    """Tables of the stuck registers, in Markdown: bits by what notices them, and reasons."""
    records = [StuckRecord.of(path.read_text(encoding="utf-8")) for path in sorted(STUCK.glob("*.json"))]
    lines = ["| core | register bits | noticed | represented | unread | with a reason | without | memories |",
             "|---|" + "---:|" * 7]
    why: dict[str, list[str]] = defaultdict(list)
    for record in records:
        core = str(TranscoderParameters.of(record.core))
        found = record.stuck
        old = "" if is_present(record) else f" {STALE}"
        if found is None:
            lines.append(f"| {core}{old} | interrupted |" + " |" * 6)
            continue
        for reason, bits in found.explained.items():
            why[reason] += [f"`{bit}` ({core})" for bit in bits]
        lines.append(
            f"| {core}{old} | {found.registers:,} | {found.noticed:,} | {found.represented:,} | {found.unread:,} | "
            f"{sum(map(len, found.explained.values()))} | {len(found.unexplained)} | "
            f"{found.memories_noticed} of {found.memories} |")
    lines += former_note(record.version for record in records if not is_present(record))
    lines += ["", "| bits, of all these cores | for example | reason |", "|---:|---|---|"]
    return "\n".join([*lines, *(f"| {len(bits)} | {bits[0]} | {reason} |" for reason, bits in sorted(
        why.items(), key=lambda each: -len(each[1])))])


def mutants() -> str:
    """Tables of the mutants, in Markdown: their fates, and all unexplained ones."""
    records = mutant_records()
    lines = ["| core | mutants | " + " | ".join(KILLS) + " | equivalent | without memories | unexplained | score |",
             "|---|" + "---:|" * (len(KILLS) + 5)]
    for record in records:
        kills = " | ".join(str(record.killed.get(kill, 0)) for kill in KILLS)
        apart = sum(fate.apart for fate in record.survived)
        old = "" if is_present(record) else f" {STALE}"
        lines.append(f"| {title(record)}{old} | {record.mutants} | {kills} | {record.equivalent} | {apart} | "
                     f"{len(record.unexplained)} | {100 * record.score:.1f} % |")
    lines += former_note(record.version for record in records if not is_present(record))
    left = [(record, fate) for record in records for fate in record.unexplained]
    if left:
        lines += ["", "| core | mutant | mutation | comparison | argument |",
                  "|---|---:|---|---|---|"]
    why = reasons()
    for record, fate in left:
        code = fate.mutation.code if len(fate.mutation.code) <= 60 else f"{fate.mutation.code[:60]}…"
        where = f"`{fate.mutation.mode}` of {fate.mutation.cell} {fate.mutation.port}[{fate.mutation.bit}], `{code}`"
        undecided = "undecided" if fate.cycles is None else f"no difference in {fate.cycles} cycles, for any input"
        found = {"different": f"differs after {fate.cycles} cycles", "undecided": undecided}[fate.verdict]
        reason = why.get((title(record), fate.number), "")
        lines.append(f"| {title(record)} | {fate.number} | {where.replace('|', chr(92) + '|')} | {found} | {reason} |")
    return "\n".join(lines)


def reasons() -> dict[tuple[str, int], str]:
    """By core and number of the mutant: an argument, where no engine shows that the mutant is equivalent."""
    kept = tomllib.loads(UNEXPLAINED.read_text(encoding="utf-8"))
    return {(core, number): reason["why"] for core, found in kept.items() for reason in found
            for number in reason["mutants"]}


def title(record: mutation.MutationRecord) -> str:
    core = TranscoderParameters.of(record.core)
    sidebands = core.sidebands
    options = {"compact": core.pipeline == "compact", "record report": sidebands.record_report,
               "rejects": sidebands.rejects, f"{sidebands.flows} flows": sidebands.flows is not None}
    lanes = f"{core.lanes} lane{'s'[: core.lanes > 1]}"
    return ", ".join([core.kind, lanes, *(name for name, on in options.items() if on)])


def soak() -> str:
    """Table of the soak's record, in Markdown."""
    record = SoakRecord.of(RECORD.read_text(encoding="utf-8"))
    packets: Counter[tuple[str, int]] = Counter()
    octets: Counter[tuple[str, int]] = Counter()
    for top, configuration in record.configurations.items():
        found = re.match(r"runewire_([a-z]+)(?:_\w+?)?_x(\d+)", top)
        assert found is not None, top
        key = found[1], int(found[2])
        packets[key] += configuration.packets
        octets[key] += configuration.bytes
    return figures(record, "| core | lanes | packets | bytes |", "|---|---:|---:|---:|", *(
        f"| {core} | {lanes} | {packets[core, lanes]:,} | {octets[core, lanes]:,} |" for core, lanes in sorted(octets)))


def pairs() -> str:
    """Figures of the record of a soak by pairs, in Markdown."""
    record = SoakRecord.of(PAIRS.read_text(encoding="utf-8"))
    least = min(each.packets for each in record.configurations.values())
    return listed(record, f"each got {least:,} packets at least")


def segments() -> str:
    """Figures of the record of a soak of texts in segments, in Markdown."""
    record = SoakRecord.of(SEGMENTS.read_text(encoding="utf-8"))
    texts = segment_rounds.TEXTS * len(record.configurations)
    return listed(record, f"together they got {texts:,} random texts in segments")


def lines() -> str:
    """Figures of the record of a soak of lines, in Markdown."""
    record = SoakRecord.of(LINES.read_text(encoding="utf-8"))
    least = min(each.packets for each in record.configurations.values())
    return listed(record, f"each output {least:,} packets at least")


def listed(record: SoakRecord, traffic: str) -> str:
    """Figures of a soak with one round for each core, in Markdown, with the ``traffic`` of the cores."""
    cores = len(record.configurations)
    return figures(record, f"Cores: {cores} of {record.total}; {traffic}.", again=" The same command repeats those.")


def figures(record: SoakRecord, *lines: str, again: str = "") -> str:
    """A soak's figures in a line, then ``lines``; ``again`` says how cores of a former design are repeated."""
    cores = len(record.configurations)
    head = (f"Seed {record.seed}, {record.rounds:,} rounds, {cores} configurations, "
            f"{record.cycles:,} cycles: {record.bytes:,} bytes in {record.packets:,} packets, "
            f"{len(record.failures)} failures.")
    present = sum(each.present for each in record.configurations.values())
    stale = ["", f"{STALE} {present} of the {cores} cores certainly had the present design, the others may have had a "
             f"former one.{again}"] if present < cores else []
    return "\n".join([head, "", *lines, *stale])


MINUTES = "minutes: it builds the parts of every core with a proof"
GENERATED = (
    *(Part(name, OF_PROOFS, section, MINUTES) for name, section in (
        ("proofs", proofs), ("options", options), ("variants", variants), ("compact", compact), ("packers", packers),
        ("null-bytes", null_bytes), ("flows", flows), ("record-proofs", records),
        ("family", family), ("other-pairs", other_pairs))),
    Part("coverage", PAGE, coverage),
    Part("code-coverage", PAGE, code),
    Part("cones", PAGE, cones),
    Part("stuck", PAGE, stuck),
    Part("mutants", PAGE, mutants),
    Part("soak", PAGE, soak),
    Part("pairs", PAGE, pairs),
    Part("segments", PAGE, segments),
    Part("lines", PAGE, lines),
    Part("every-core", PAGE, everything, MINUTES),
)
