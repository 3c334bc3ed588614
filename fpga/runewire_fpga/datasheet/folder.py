"""The folder of measurements: a file for each, added by a sweep and brought up to date without a new placement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runewire_jobs.files import write_whole
from runewire_model.encodings import ENCODINGS
from runewire_model.transcoder import CORES, TRANSCODER
from runewire_rtl.parameters import TranscoderParameters

from ..measurement import Measurement
from ..records import MeasurementRecord, core_of, flow_of, name_of, upgraded
from ..targets import MEMORIES, TARGETS
from .rows import options_of

AREA = "area"
"""Subfolder of the measurements without a clock."""

Digests = Callable[[Iterable[TranscoderParameters]], Mapping[TranscoderParameters, str]]
"""Returns the digest of each core's present design."""


def add(directory: Path, measurement: Measurement) -> Path:
    """Write a measurement into the folder, and return its file."""
    name = f"{measurement.name}.json"
    placed, only_area = directory / name, directory / AREA / name
    path, other = (placed, only_area) if measurement.placements else (only_area, placed)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, measurement.text().encode())
    other.unlink(missing_ok=True)
    return path


def read(directory: Path) -> list[MeasurementRecord]:
    """The measurements in the folder, `upgraded`, in the order of the page.

    Raises `ValueError` for a file that is no measurement.
    """
    targets = list(TARGETS)
    return sorted(_files(directory).values(), key=lambda record: (
        targets.index(record["target"]), record["speed"], *_kind_order(record), record["pipeline"] != "fast",
        record["pipeline"], record["lanes"], MEMORIES.index(record["memory"]["made_of"]), options_of(record)))


def are_present(records: Sequence[MeasurementRecord], digests: Digests) -> list[bool]:
    """Whether each measurement belongs to the present design and tool flow, whatever version of runewire made it.

    ``digests`` returns the digests of the present designs; it does not get measurements of another flow.
    """
    same_flow = [record["design"]["digest"] is not None and record["design"]["flow"] == flow_of(record)
                 for record in records]
    now = digests(core_of(record) for record, same in zip(records, same_flow, strict=True) if same)
    return [same and record["design"]["digest"] == now[core_of(record)]
            for record, same in zip(records, same_flow, strict=True)]


def refresh(directory: Path, digests: Digests) -> None:
    """Rewrite the measurements with the present clock limits and file names; nothing is placed again.

    Measurements that are still valid are marked; ``digests`` as for `are_present`. Raises `ValueError` for a file that
    is no measurement.
    """
    records = _files(directory)
    valid = are_present([*records.values()], digests)
    for (path, record), present in zip(records.items(), valid, strict=True):
        record["design"]["present"] = present
        target = path.with_name(f"{name_of(record)}.json")
        if target == path or target not in records:
            write_whole(target, (json.dumps(record, indent=2) + "\n").encode())
        if target != path:
            path.unlink()


def _files(directory: Path) -> dict[Path, dict[str, Any]]:
    found = {}
    for path in sorted([*directory.glob("*.json"), *(directory / AREA).glob("*.json")]):
        try:
            found[path] = upgraded(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError(f"{path} is no measurement; runewire sweep writes those") from None
    return found


def _kind_order(record: MeasurementRecord) -> tuple[int, int, int, str]:
    names = ["", None, *ENCODINGS]
    return ([*CORES, TRANSCODER].index(record["core"]), names.index(record.get("from", "")),
            names.index(record.get("to", "")), record["packing"] or "")
