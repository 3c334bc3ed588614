"""The kinds of records in `records/`, and how each finds out whether its records belong to the present design."""

import json
import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from runewire.commands.sweep import FOLDER
from runewire.console import step_progress
from runewire.synthesis_options import store
from runewire_fpga import datasheet as sheet
from runewire_fpga import digests
from runewire_fpga.records import MeasurementRecord
from runewire_model import TranscoderParameters, __version__
from runewire_model.core_options import core_command
from runewire_proofs import KEPT, ConeRecord, ProofRecords, StuckRecord
from runewire_proofs import proofs as proofs_of
from runewire_sim.code_coverage import CodeRecord
from runewire_sim.mutation import MutationRecord
from runewire_sim.soak import SoakRecord

from .. import cells_table, comparison, layouts_table, simulation_speed, synthesis_table, verification
from ..freshness import PRINTING, PROOFS, fingerprints_of, is_present, is_printed, present_parts, present_printing
from ..part import ROOT
from .group import RecordGroup, State

USUAL_TIMEOUT = 600.0
"""Seconds that ``runewire prove`` gives an engine."""
QUIET = "measures speed: on a machine that does nothing else"


def proofs() -> list[RecordGroup]:
    """The proofs, a group a core; the time is the engine's."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    took: dict[tuple[str, int], list[float]] = defaultdict(list)
    for entry in ledger.entries.values():
        took[entry.part, entry.parameters.lanes].append(entry.seconds)
    return [_proofs_of(core, ledger, took) for core in KEPT]


def _proofs_of(core: TranscoderParameters, ledger: ProofRecords,
               took: Mapping[tuple[str, int], list[float]]) -> RecordGroup:
    """``took``: seconds of parts by name and lanes, for parts without a record."""
    states: Counter[State] = Counter()
    due: dict[str, float | None] = {}
    longest, versions = 0.0, set[str]()
    present = present_parts().get(core, {})
    for part in present or (proof.name for proof in proofs_of(core) if proof.name != PRINTING):
        held = ledger.holding(core, present[part]) if part in present else None
        if held is not None and held.is_of(present[part]):
            states["present"] += 1
            continue
        states["former" if held is not None else "missing"] += 1
        if held is None:
            like = took.get((part, core.lanes))
            due[part] = median(like) if like else None
        else:
            due[part] = held.seconds
            versions.add(held.version)
            longest = max(longest, *(each.seconds for each in (held.sound, *held.mutants.values())))
    command = [*core_command("prove", core), *(["--part", ",".join(due)] if due else []), "--json", _shown(PROOFS)]
    if longest > USUAL_TIMEOUT / 2:  # on another machine it may take longer
        command += ["--timeout", str(math.ceil(2 * longest / USUAL_TIMEOUT) * int(USUAL_TIMEOUT))]
    return RecordGroup("proofs", str(core), states, command, _sum(due.values()), min(versions, default=None),
                       resumable=True)


def printing() -> list[RecordGroup]:
    """The proofs that the Verilog is the design of all other parts, a group a core; the time is the engine's."""
    ledger = ProofRecords.of(PROOFS.read_text(encoding="utf-8"))
    groups = []
    for core in filter(is_printed, KEPT):
        held = ledger.entries.get((core, PRINTING))
        state: State = "missing" if held is None else "present" if held.is_of(present_printing()[core]) else "former"
        # All cores are written by one printer: broken ones are tried with few cores.
        command = [*core_command("prove", core), "--part", PRINTING, "--no-mutants", "--json", _shown(PROOFS)]
        seconds, version = (None, None) if held is None else (held.seconds, held.version)
        groups.append(RecordGroup("printing", str(core), {state: 1}, command, seconds, version, resumable=True))
    return groups


def mutants() -> list[RecordGroup]:
    """The mutants, a group a core."""
    return [_of_core("mutants", command, MutationRecord.of) for command in listed("mutate")]


def coverage() -> list[RecordGroup]:
    """The code coverage, a group a core."""
    return [_of_core("coverage", command, CodeRecord.of) for command in listed("coverage")]


def cones() -> list[RecordGroup]:
    """The cones of influence of the proofs, a group a core."""
    return [_of_core("cones", command, ConeRecord.of) for command in listed("prove") if "--cone" in command]


def stuck() -> list[RecordGroup]:
    """The stuck registers that proofs notice, a group a core."""
    return [replace(_of_core("stuck", command, StuckRecord.of), resumable=True)
            for command in listed("prove") if "--stuck" in command]


def _of_core(kind: str, command: list[str],
             read: Callable[[str], MutationRecord | CodeRecord | ConeRecord | StuckRecord]) -> RecordGroup:
    """The record of a core, which the command writes."""
    file = ROOT / command[-1]
    if not file.exists():
        return RecordGroup(kind, file.stem, {"missing": 1}, command)
    record = read(file.read_text(encoding="utf-8"))
    state: State = "present" if is_present(record) else "former"
    return RecordGroup(kind, file.stem, {state: 1}, command, record.seconds, record.version)


def listed(name: str) -> list[list[str]]:
    """The command lines of this command in docs/test-records.md that write records."""
    page = verification.PAGE.read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(rf"^runewire {name} .* records/.*$", page, re.MULTILINE)]


def soak() -> list[RecordGroup]:
    """The soak of random cores."""
    return [_soaked("soak", verification.RECORD)]


def pairs() -> list[RecordGroup]:
    """The soak by pairs."""
    return [_soaked("pairs", verification.PAIRS)]


def segments() -> list[RecordGroup]:
    """The soak of texts in segments."""
    return [_soaked("segments", verification.SEGMENTS)]


def lines() -> list[RecordGroup]:
    """The soak of lines."""
    return [_soaked("lines", verification.LINES)]


def _soaked(kind: str, file: Path) -> RecordGroup:
    """Cores by state: another generator may have written the same Verilog. The time is those cores' share of all.

    A soak of random cores has no end: it continues with further cores, whatever the state of the former ones.
    """
    record = SoakRecord.of(file.read_text(encoding="utf-8"))
    states: Counter[State] = Counter("present" if each.present else "unknown"
                                     for each in record.configurations.values())
    if record.total is not None:
        states["missing"] = record.total - len(record.configurations)
    share = states["unknown"] / max(len(record.configurations), 1)
    option = [] if record.listed is None else [f"--{record.kind}"]
    command = ["runewire", "soak", *option, "--resume", _shown(file)]
    return RecordGroup(kind, file.stem, states, command, record.seconds * share, record.version, resumable=True,
                       open_ended=record.listed is None)


def datasheet() -> list[RecordGroup]:
    """The rows of the datasheet, a group for each sweep."""
    records = sheet.read(ROOT / FOLDER)
    with step_progress("datasheet: Verilog of the cores"):
        present = sheet.are_present(records, lambda cores: digests(cores, store()))
    sweeps: dict[str, list[tuple[MeasurementRecord, bool]]] = defaultdict(list)
    for record, valid in zip(records, present, strict=True):
        sweeps[record["made_by"]].append((record, valid))
    groups = []
    for made_by, rows in sweeps.items():
        states: Counter[State] = Counter("present" if valid else "former" for _, valid in rows)
        versions = {record["design"]["version"] for record, valid in rows if not valid}
        groups.append(RecordGroup("datasheet", made_by.removeprefix("runewire sweep "), states, shlex.split(made_by),
                                  version=min(versions, default=None), resumable=True))
    return groups


def cells() -> list[RecordGroup]:
    """Cores in standard cells."""
    return _in_cells("cells", cells_table.load())


def layouts() -> list[RecordGroup]:
    """Placed and routed cores in standard cells."""
    return _in_cells("layouts", layouts_table.load())


def _in_cells(name: str, records: Sequence[Mapping[str, Any]]) -> list[RecordGroup]:
    """Records of that name, each with the digest of its core."""
    with step_progress(f"{name}: Verilog of the cores"):
        now = digests(map(cells_table.measured, records), store())
    states: Counter[State] = Counter(
        "present" if record["design"]["digest"] == now[cells_table.measured(record)] else "former"
        for record in records)
    return [_measured(name, states, min(record["design"]["version"] for record in records))]


def synthesis() -> list[RecordGroup]:
    """Other tools' synthesis."""
    record = json.loads(synthesis_table.FIGURES.read_text(encoding="utf-8"))
    state = _state(record, synthesis_table.cores())
    return [replace(_measured("synthesis", {state: len(record["results"])}), resumable=True)]


def speed() -> list[RecordGroup]:
    """Speed of simulation."""
    record = json.loads(simulation_speed.FIGURES.read_text(encoding="utf-8"))
    state = _state(record, simulation_speed.CORES)
    return [replace(_measured("simulation-speed", {state: 1}), by_hand=QUIET)]


def compared() -> list[RecordGroup]:
    """The cores in the comparison with software; software has no design."""
    state: State = "present" if comparison.has_present_cores(comparison.comparison()) else "former"
    return [replace(_measured("compared-cores", {state: 1}), kind="comparison")]


def _state(record: Mapping[str, Mapping[str, str]], cores: Mapping[str, TranscoderParameters]) -> State:
    """The state of a record by its fingerprints of Verilog; records before 0.2.0 have none."""
    if "verilog" not in record:
        return "unknown"
    return "present" if record["verilog"] == fingerprints_of(cores) else "former"


def _measured(name: str, states: Mapping[State, int], version: str | None = __version__) -> RecordGroup:
    """A group that ``runewire pages --measure`` makes."""
    return RecordGroup(name, name, states, ["runewire", "pages", "--measure", name], version=version)


def _shown(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def _sum(seconds: Iterable[float | None]) -> float | None:
    """The sum; None if one of them is unknown."""
    total = 0.0
    for each in seconds:
        if each is None:
            return None
        total += each
    return total


KINDS: Mapping[str, Callable[[], list[RecordGroup]]] = {
    "proofs": proofs, "printing": printing, "mutants": mutants, "coverage": coverage, "cones": cones, "stuck": stuck,
    "soak": soak, "pairs": pairs, "segments": segments, "lines": lines, "datasheet": datasheet, "cells": cells,
    "layouts": layouts, "synthesis": synthesis, "simulation-speed": speed, "comparison": compared,
}
"""Finds the groups of each kind of records, by its name."""
