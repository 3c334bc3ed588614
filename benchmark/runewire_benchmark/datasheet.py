"""Entries of the datasheet for commands: clock, area and latency of placed cores, from a sweep's JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from runewire_model import ParameterError, TranscoderParameters
from runewire_model.errors import check_choice
from runewire_model.report import Sidebands
from runewire_model.transcoder import TRANSCODER, option_text


@dataclass(frozen=True)
class Entry:
    """One placed and routed core.

    Attributes
    ----------
    fmax_mhz : median of the seeds
    clock_mhz : the smaller of that and the clock limits of the device's parts that the core uses
    memory : `distributed` (LUT RAM) or `block`; None if the record does not say
    latency_cycles : from the handshake of a packet's last input beat until its last output beat is valid
    block_rams : the core's block RAMs; None if unknown
    device_luts, device_ffs, device_block_rams : resources of `device`; None if unknown
    unknown_limits : parts of the device whose clock limit no public document has; `clock_mhz` may be lower for them
    stand_in : name of the core whose row is shown for this core, which has none; "" for a row of its own
    """

    parameters: TranscoderParameters
    target: str
    device: str
    device_luts: int | None
    speed: str
    fmax_mhz: float
    clock_mhz: float
    luts: int
    ffs: int
    latency_cycles: int
    tool_versions: Mapping[str, str]
    memory: str | None = None
    block_rams: int | None = None
    device_ffs: int | None = None
    device_block_rams: int | None = None
    unknown_limits: tuple[str, ...] = ()
    stand_in: str = ""

    @property
    def core(self) -> str:
        return self.parameters.core

    @property
    def lanes(self) -> int:
        return self.parameters.lanes

    @property
    def packing(self) -> str | None:
        """The core's packing; None where it has no choice."""
        return self.parameters.packing if "packing" in self.parameters.options else None

    @property
    def pipeline(self) -> str:
        return self.parameters.pipeline

    @property
    def options(self) -> dict[str, Any]:
        """The core's options that are not at their defaults, but for its width, packing, pipeline and family."""
        return {name: value for name, value in self.parameters.unusual.items()
                if name not in ("packing", "pipeline", "family")}

    @property
    def title(self) -> str:
        """The core's name, with its encodings where the name does not say them: "UTF-16LE validator"."""
        return title(self.parameters)

    @property
    def name(self) -> str:
        """Width, packing, pipeline, core, layout and options in words: "8-lane dense decoder for gowin-5a"."""
        kind = [self.packing or "", "" if self.pipeline == "fast" else self.pipeline, self.title]
        options = [f"{name.replace('_', '-')} {option_text(name, value)}" for name, value in self.options.items()]
        family = self.parameters.unusual.get("family")
        layout = f" for {family}" if family else ""
        return f"{self.lanes}-lane {' '.join(filter(None, kind))}{layout}{' with ' * bool(options)}{', '.join(options)}"


def title(parameters: TranscoderParameters) -> str:
    """A core's name, with its encodings where the name does not say them."""
    if parameters.core != TRANSCODER:
        return parameters.core
    if parameters.target is None:
        return f"{parameters.reads} validator"
    return f"{parameters.reads} to {parameters.writes} transcoder"


def _entry(record: Mapping[str, Any]) -> Entry:
    if "clock_limit_mhz" in record:
        # Version 0.1.0 knew the limit of the clock network alone.
        from runewire_fpga.records import upgraded  # takes long to import, and is hardly ever needed
        record = upgraded(record)
    names = ("core", "from", "to", "lanes", "errors", "replacement", "bom", "packing", "pipeline", "family",
             *Sidebands.NAMES)
    core = TranscoderParameters.of({name: record[name] for name in names if record.get(name) is not None})
    capacity = record["capacity"] or {}
    return Entry(
        parameters=core,
        target=str(record["target"]),
        device=str(record["device"]),
        device_luts=capacity.get("luts"),
        speed=str(record["speed"]),
        fmax_mhz=float(record["fmax_mhz"]),
        clock_mhz=float(record["clock_mhz"]),
        luts=int(record["luts"]),
        ffs=int(record["ffs"]),
        latency_cycles=int(record["latency_cycles"]),
        tool_versions=dict(record["tool_versions"]),
        memory=record.get("memory", {}).get("made_of"),
        block_rams=record.get("memory", {}).get("block_ram"),
        device_ffs=capacity.get("ffs"),
        device_block_rams=capacity.get("block_ram"),
        unknown_limits=tuple(record.get("clock_unsure_of", ())),
    )


def folder() -> Traversable:
    """The folder of the datasheet's JSON: in the installed package, or `records/datasheet` in a checkout."""
    installed = resources.files(__package__) / "data"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "records" / "datasheet"


def load(directory: Traversable | None = None) -> list[Entry]:
    """All entries of the JSON files in `directory` (default: the project's own), by core, packing and width.

    Each file holds one record or a list of them, with the keys that `runewire synth --json` writes. Records without a
    clock are left out. Of a core with memories of both kinds on one device, the faster counts. Raises `ParameterError`
    for a missing directory, and for a file that is no datasheet.
    """
    where = folder() if directory is None else directory
    if not where.is_dir():
        if directory is None:
            return []
        raise ParameterError(f"no folder {directory}")
    entries = []
    for file in sorted(where.iterdir(), key=lambda file: file.name):
        if not file.name.endswith(".json"):
            continue
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            records = content if isinstance(content, list) else [content]
            # A record of a device that is not placed has no clock.
            entries += [_entry(record) for record in records if record["fmax_mhz"] is not None]
        except KeyError as error:
            raise ParameterError(f"{file} is no datasheet: a record lacks {error}") from None
        except (ValueError, TypeError) as error:
            raise ParameterError(f"{file} is no datasheet: {error}") from None
    entries.sort(key=lambda entry: (entry.core, entry.packing or "", entry.lanes, -entry.clock_mhz, entry.luts))
    fastest: dict[object, Entry] = {}
    for entry in entries:
        fastest.setdefault((entry.parameters, entry.target, entry.speed), entry)
    return list(fastest.values())


def with_usual_options(entries: Iterable[Entry]) -> list[Entry]:
    """Entries whose only options are width, packing, pipeline and family: others make a core larger or smaller."""
    return [entry for entry in entries if not entry.options]


OF_RECORDS = ("records", "split", "record_report", "rejects")
"""Options of a core's records that change its area."""


def of_core(entries: Iterable[Entry], core: TranscoderParameters, target: str) -> list[Entry]:
    """The entries of a core's encodings, with its null bytes, and with its flows or more: those without
    `further_options`, or where ``target`` has none of them, those whose further options are about text."""
    found = [entry for entry in entries if _serves(entry.parameters, core)]
    usual = [entry for entry in found if not further_options(entry, core)]
    if any(entry.target == target for entry in usual):
        return usual
    return [entry for entry in found if not further_options(entry, core) & {*Sidebands.NAMES}]


def further_options(entry: Entry, core: TranscoderParameters) -> set[str]:
    """The entry's `options` that ``core`` is not asked with."""
    return {*entry.options} - {*core.unusual}


def _serves(placed: TranscoderParameters, asked: TranscoderParameters) -> bool:
    """Whether the core has the encodings and the ports of records that are asked for, and takes the same packets. Of
    cores of bytes, whether it is the same core. Any delimiter serves, as it does not change area or clock."""
    has, needs = placed.sidebands, asked.sidebands
    if (placed.source, placed.target, has.null_bytes) != (asked.source, asked.target, needs.null_bytes):
        return False
    if asked.moves_bytes and placed.core != asked.core:
        return False
    if any(getattr(needs, name) not in (None, False) and getattr(has, name) in (None, False) for name in OF_RECORDS):
        return False
    return has.flows is None if needs.flows is None else (has.flows or 0) >= needs.flows


def check_target(entries: Sequence[Entry], target: str) -> None:
    """Raises `ParameterError` for a target that no entry has and that is no target of the project."""
    if target not in (placed := targets(entries)):
        from runewire_fpga import TARGETS  # takes its time

        check_choice("target", target, tuple(dict.fromkeys([*placed, *TARGETS])))


def targets(entries: Sequence[Entry]) -> list[str]:
    """Names of the targets that `entries` were placed on, sorted."""
    return sorted({entry.target for entry in entries})
