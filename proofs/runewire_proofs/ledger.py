"""What has been proven, kept: one part of one core after another, each under the design that was proven.

Parts of several cores can be one design, as output buffers of one depth are: what was proven of it holds for all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import product
from typing import Any

from runewire_model import ENCODINGS, SanitizerParameters, TranscoderParameters, __version__
from runewire_model import parameters as model_parameters

from .design import Design
from .engines import Outcome
from .plan import Record

__all__ = ["COMPACT", "CORES", "FAMILY", "KEPT", "OPTIONS", "OTHER_PAIRS", "VARIANTS", "Entry", "Ledger"]


def _every_width(narrow: TranscoderParameters) -> Iterator[TranscoderParameters]:
    return (replace(narrow, lanes=1 << n) for n in range(narrow.most_lanes.bit_length()))


CORES: tuple[TranscoderParameters, ...] = tuple(
    core
    for name, options in (("validator", {}), ("decoder", {}), ("decoder", {"packing": "sparse"}), ("encoder", {}))
    for core in _every_width(model_parameters(name, lanes=1, **options))
)
"""The cores of usual ports whose proofs are kept with the project."""

OTHER_PORTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("validator", {"report": "none", "count": ("code-points", "utf16-units", "replacements", "bytes")}),
    ("validator", {"report": "flag", "count": ("records", "bad-records"), "records": 0x0A}),
    ("validator", {"report": "kind", "report_port": "beside", "user": 2, "id": 3, "dest": 4}),
    ("decoder", {"errors": "drop", "offset_bits": 64, "report_port": "only", "count": ("replacements", "bytes"),
                 "user": 2, "id": 3, "dest": 4}),
)
"""Cores that together have each option of the ports."""

CHANGED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("decoder", {"bom": "strip"}), ("decoder", {"bom": "add"}), ("sanitizer", {"replacement": 0x3F}),
    *((core, {"pipeline": "balanced"}) for core in ("validator", "decoder", "encoder")),
    ("validator", {"offset_bits": 16}),
)
"""Cores that treat text otherwise, or are arranged otherwise."""

OPTIONS: tuple[TranscoderParameters, ...] = tuple(
    model_parameters(core, lanes=lanes, **options) for lanes in (1, 8) for core, options in OTHER_PORTS
)
"""Those of other ports: each option in a narrow and in a wide core."""

VARIANTS: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=lanes, **options) for lanes in (1, 8) for core, options in CHANGED),
    *(model_parameters("decoder", lanes=8, family=family) for family in ("ice40", "generic")),
    *(TranscoderParameters("utf-8", "latin-1", lanes, errors="drop") for lanes in (1, 8)),
    *(TranscoderParameters("utf-8", "latin-1", lanes, replacement=0x1A) for lanes in (1, 8)),
)
"""Those of other options, each in a narrow and in a wide core, and of other devices."""

COMPACT: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=1, pipeline="compact", **options)
      for core, options in (("validator", {}), ("decoder", {}), ("encoder", {}), *OTHER_PORTS)),
    *(model_parameters(core, lanes=lanes, pipeline="compact")
      for core in ("validator", "decoder", "encoder") for lanes in (4, 8)),
    *(SanitizerParameters(lanes, "drop", pipeline="compact") for lanes in (4, 8)),
)
"""Compact cores, of usual ports and, of one lane, of other ones."""

FAMILY: tuple[TranscoderParameters, ...] = tuple(
    core for narrow in (
        *(TranscoderParameters(source, target, 1) for source, target in (
            ("utf-16le", None), ("utf-32le", None), ("utf-16le", "utf-32le"), ("utf-32le", "utf-16le"),
            ("utf-8", "latin-1"), ("latin-1", "utf-8"), ("utf-8", "utf-16le"), ("utf-16le", "utf-8"))),
        *(SanitizerParameters(1, errors) for errors in ("drop", "replace")),
    )
    for core in _every_width(narrow)
)
"""Those of other encodings: each way to read and to write, in every width."""

OTHER_PAIRS: tuple[TranscoderParameters, ...] = tuple(
    core for source, target in product(ENCODINGS, (*ENCODINGS, None))
    for core in _every_width(TranscoderParameters(source, target, 1)) if core not in (*CORES, *FAMILY)
)
"""All other pairs of encodings, and other encodings that are checked alone, in every width."""

KEPT: tuple[TranscoderParameters, ...] = (*CORES, *OPTIONS, *VARIANTS, *COMPACT, *FAMILY, *OTHER_PAIRS)
"""All of them."""


@dataclass(frozen=True)
class Entry:
    """One part of a core: ``design`` is the digest of what was proven, netlist and specification, ``version`` that of
    runewire whose it is."""

    parameters: TranscoderParameters
    part: str
    design: str
    version: str
    engine: str
    sound: Outcome
    mutants: dict[str, Outcome]

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

    def is_of(self, design: Design) -> bool:
        """Whether a run of ``design`` would tell all that it holds, and maybe of more mutants."""
        return (self.part, self.design) == (design.part, design.digest) and self.mutants.keys() <= {*design.mutants}

    def settles(self, design: Design) -> bool:
        """Whether it would tell no more, and nothing failed."""
        return self.good and self.is_of(design) and len(self.mutants) == len(design.mutants)


@dataclass
class Ledger:
    """Entries by core and part."""

    entries: dict[tuple[TranscoderParameters, str], Entry] = field(default_factory=dict)

    def settled(self, design: Design) -> Entry | None:
        """What a run of ``design`` would tell, of whatever core it is known, or None."""
        return next((entry for entry in self.entries.values() if entry.settles(design)), None)

    def known(self, parameters: TranscoderParameters, design: Design) -> dict[str | None, Outcome]:
        """Of a part that is not settled what still holds: the proof, under None, and the refuted mutants."""
        entry = self.entries.get((parameters, design.part))
        if entry is None or entry.design != design.digest:
            return {}
        sound: dict[str | None, Outcome] = {None: entry.sound} if entry.sound.verdict == "proven" else {}
        return sound | {title: outcome for title, outcome in entry.mutants.items() if outcome.verdict == "refuted"}

    def enter(self, parameters: TranscoderParameters, engine: str, records: list[Record]) -> Entry:
        """Keep the records of one part of a core, in place of what was known of it."""
        (sound,) = (record for record in records if record.mutant is None)
        mutants = {record.mutant: record.outcome for record in records if record.mutant is not None}
        entry = Entry(parameters, sound.part, sound.design, __version__, engine, sound.outcome, mutants)
        self.entries[parameters, sound.part] = entry
        return entry

    def json(self) -> str:
        """The ledger as a text that `of` reads, a line per engine run: an outcome is a list of its four values."""
        return "".join(_lines([_plain(entry) for entry in self.entries.values()]))

    @classmethod
    def of(cls, text: str) -> Ledger:
        """The ledger that `json` wrote; raises ValueError for another text."""
        ledger = cls()
        try:
            values = json.loads(text)
            if not isinstance(values, list):
                raise TypeError
            for value in values:
                mutants = {title: _outcome(said) for title, said in value["mutants"].items()}
                entry = Entry(
                    TranscoderParameters.of(value["parameters"]), value["part"], value["design"], value["version"],
                    value["engine"], _outcome(value["sound"]), mutants)
                ledger.entries[entry.parameters, entry.part] = entry
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("it is no record of proofs") from None
        return ledger


def _outcome(said: Any) -> Outcome:
    if not isinstance(said, list):
        raise TypeError
    return Outcome(*said)


def _plain(entry: Entry) -> dict[str, Any]:
    mutants = {title: astuple(outcome) for title, outcome in entry.mutants.items()}
    return {**asdict(entry), "parameters": entry.parameters.record(), "sound": astuple(entry.sound), "mutants": mutants}


def _lines(entries: list[dict[str, Any]]) -> Iterator[str]:
    yield "["
    for number, entry in enumerate(entries):
        mutants = entry.pop("mutants")
        yield ",\n{" if number else "\n{"
        for name, value in entry.items():
            yield f"\n {json.dumps(name)}: {json.dumps(value)},"
        lines = ",".join(f"\n  {json.dumps(title)}: {json.dumps(outcome)}" for title, outcome in mutants.items())
        yield f'\n "mutants": {{{lines}}}\n}}'
    yield "\n]\n"
