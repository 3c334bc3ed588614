"""Records of proofs: for each part of a core the outcome of its proof, and of its broken copies.

Several cores may share a design, as output buffers of one depth are equal. Its proof holds for all of them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cache
from typing import Any

from runewire_model import TranscoderParameters, __version__

from .checking.check import Check
from .engines import Outcome
from .fingerprint import PartFingerprint
from .kept_cores import KEPT
from .parts import PACKER


@dataclass(frozen=True)
class EngineRun:
    """One run of an engine: on a part as it is (``mutant`` None), or on a broken one.

    ``design``: digest of the part as it is, and of its specification. ``good``: proven, or for a mutant refuted.
    """

    part: str
    design: str
    mutant: str | None
    outcome: Outcome

    @property
    def good(self) -> bool:
        return self.outcome.verdict == ("proven" if self.mutant is None else "refuted")


@dataclass(frozen=True)
class PartRecord:
    """One part of a core. ``design``: digest of the proven netlist and its specification. ``version``: runewire's.
    ``check``: by a program that did not prove it, None if there was none."""

    parameters: TranscoderParameters
    part: str
    design: str
    version: str
    engine: str
    sound: Outcome
    mutants: dict[str, Outcome]
    check: Check | None = None

    @property
    def good(self) -> bool:
        """Whether it is proven, and each of its mutants refuted."""
        return self.sound.verdict == "proven" and all(m.verdict == "refuted" for m in self.mutants.values())

    @property
    def refuted(self) -> int:
        """Number of mutants that are refuted."""
        return sum(outcome.verdict == "refuted" for outcome in self.mutants.values())

    @property
    def seconds(self) -> float:
        """Processor time of the engine, mutants included."""
        return self.sound.seconds + sum(outcome.seconds for outcome in self.mutants.values())

    def is_of(self, design: PartFingerprint) -> bool:
        """Whether a run of ``design`` would repeat all of its outcomes, and maybe add mutants. A part of the packer
        before a core is the same part of a packer alone."""
        part, same = (name.removeprefix(PACKER) for name in (self.part, design.part))
        return (part, self.design) == (same, design.digest) and self.mutants.keys() <= {*design.mutants}

    def settles(self, design: PartFingerprint) -> bool:
        """Whether a run would add nothing, and nothing failed."""
        return self.good and self.is_of(design) and len(self.mutants) == len(design.mutants)


@dataclass
class ProofRecords:
    """Entries by core and part."""

    entries: dict[tuple[TranscoderParameters, str], PartRecord] = field(default_factory=dict)

    def settled(self, design: PartFingerprint) -> PartRecord | None:
        """The record of ``design`` from any core; None if a run is needed."""
        return next((entry for entry in self.entries.values() if entry.settles(design)), None)

    def holding(self, parameters: TranscoderParameters, design: PartFingerprint) -> PartRecord | None:
        """The record that says most of a core's part: of the present ``design`` if there is one, also from another
        core, else the core's own of a former design. None if there is neither."""
        own = self.entries.get((parameters, design.part))
        if own is not None and own.settles(design):
            return own
        # If the engine gave up on the same design, that result counts for this core too.
        tried = (other for other in self.entries.values() if own is None and other.is_of(design))
        return self.settled(design) or own or next(tried, None)

    def known(self, parameters: TranscoderParameters, design: PartFingerprint) -> dict[str | None, Outcome]:
        """Outcomes of an unsettled part that still hold: the proof, under None, and the refuted mutants."""
        entry = self.entries.get((parameters, design.part))
        if entry is None or entry.design != design.digest:
            return {}
        sound: dict[str | None, Outcome] = {None: entry.sound} if entry.sound.verdict == "proven" else {}
        return sound | {title: outcome for title, outcome in entry.mutants.items() if outcome.verdict == "refuted"}

    def enter(self, parameters: TranscoderParameters, engine: str, records: list[EngineRun]) -> PartRecord:
        """Keep the runs of one part of a core, instead of its former ones."""
        (sound,) = (record for record in records if record.mutant is None)
        mutants = {record.mutant: record.outcome for record in records if record.mutant is not None}
        former = self.entries.get((parameters, sound.part))
        same = former is not None and (former.design, former.sound) == (sound.design, sound.outcome)
        entry = PartRecord(parameters, sound.part, sound.design, __version__, engine, sound.outcome, mutants,
                           former.check if former is not None and same else None)
        self.entries[parameters, sound.part] = entry
        return entry

    def enter_check(self, entry: PartRecord, check: Check) -> PartRecord:
        """Keep the check of a part that has a record."""
        checked = replace(entry, check=check)
        self.entries[entry.parameters, entry.part] = checked
        return checked

    def json(self) -> str:
        """The records as JSON lines, which `of` reads: a line for each part of a core, with all of its outcomes."""
        return "".join(json.dumps(_plain(entry)) + "\n" for entry in sorted(self.entries.values(), key=_place))

    @classmethod
    def of(cls, text: str) -> ProofRecords:
        """The records that `json` wrote; raises ValueError for another text."""
        ledger = cls()
        try:
            for line in text.splitlines():
                value = json.loads(line)
                mutants = {title: _outcome(said) for title, said in value["mutants"].items()}
                entry = PartRecord(
                    TranscoderParameters.of(value["parameters"]), value["part"], value["design"], value["version"],
                    value["engine"], _outcome(value["sound"]), mutants,
                    Check(*value["check"]) if "check" in value else None)
                ledger.entries[entry.parameters, entry.part] = entry
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("it is no record of proofs") from None
        return ledger


def _outcome(said: Any) -> Outcome:
    if not isinstance(said, list):
        raise TypeError
    return Outcome(*said)


def _plain(entry: PartRecord) -> dict[str, Any]:
    mutants = {title: astuple(outcome) for title, outcome in entry.mutants.items()}
    said = {**asdict(entry), "parameters": entry.parameters.record(), "sound": astuple(entry.sound), "mutants": mutants}
    del said["check"]
    return said if entry.check is None else {**said, "check": astuple(entry.check)}


def _place(entry: PartRecord) -> tuple[int, str, str]:
    """Where the entry is in the text: in the order of the kept cores, other cores last."""
    return _kept().get(entry.parameters, len(KEPT)), str(entry.parameters.record()), entry.part


@cache
def _kept() -> dict[TranscoderParameters, int]:
    return {parameters: place for place, parameters in enumerate(KEPT)}
