"""The cores whose proofs are kept with the project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from runewire_model import ENCODINGS, SanitizerParameters, TranscoderParameters
from runewire_model import parameters as model_parameters
from runewire_model.report import Sidebands


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
"""Cores with other ports: each option in a narrow and in a wide core."""

VARIANTS: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=lanes, **options) for lanes in (1, 8) for core, options in CHANGED),
    *(model_parameters("decoder", lanes=8, family=family) for family in ("ice40", "gowin-5a", "xilinx-7", "generic")),
    model_parameters("validator", lanes=64, family="gowin-5a"),
    *(TranscoderParameters("utf-8", "latin-1", lanes, errors="drop") for lanes in (1, 8)),
    *(TranscoderParameters("utf-8", "latin-1", lanes, replacement=0x1A) for lanes in (1, 8)),
)
"""Cores with other options, each in a narrow and in a wide core, and for other devices."""

COMPACT: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=1, pipeline="compact", **options)
      for core, options in (("validator", {}), ("decoder", {}), ("encoder", {}), *OTHER_PORTS)),
    *(model_parameters(core, lanes=lanes, pipeline="compact")
      for core in ("validator", "decoder", "encoder") for lanes in (4, 8)),
    *(SanitizerParameters(lanes, "drop", pipeline="compact") for lanes in (4, 8)),
    TranscoderParameters("utf-16le", "utf-8", 1, pipeline="compact"),
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
"""Cores of other encodings: each way to read and to write, in every width."""

OTHER_PAIRS: tuple[TranscoderParameters, ...] = tuple(
    core for source, target in product(ENCODINGS, (*ENCODINGS, None))
    for core in _every_width(TranscoderParameters(source, target, 1)) if core not in (*CORES, *FAMILY)
)
"""All other pairs of encodings, and other encodings that are checked alone, in every width."""

PACKERS: tuple[TranscoderParameters, ...] = (
    *_every_width(model_parameters("packer", lanes=1)),
    *(model_parameters("packer", lanes=lanes, user=2, id=3, dest=4) for lanes in (1, 8)),
)
"""Packers in every width, and with all ports."""

NULL_BYTES: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=lanes, null_bytes="anywhere")
      for core, widths in (("validator", (1, 8, 64)), ("decoder", (1, 8, 64)), ("encoder", (1, 8)))
      for lanes in widths),
    model_parameters("decoder", lanes=8, user=2, id=3, dest=4, null_bytes="anywhere"),
    *(TranscoderParameters("utf-16be", "utf-8", lanes, sidebands=Sidebands(null_bytes="anywhere"))
      for lanes in (1, 8)),
)
"""Cores that take null bytes anywhere."""

FLOWS: tuple[TranscoderParameters, ...] = (
    *(model_parameters(core, lanes=lanes, flows=2, id=1, **options)
      for lanes in (1, 2) for core, options in (
          ("validator", {}), ("decoder", {}), ("decoder", {"bom": "strip"}), ("decoder", {"bom": "add"}),
          ("decoder", {"replace_runs": True, "early": True}), ("validator", {"records": 0x0A, "record_report": True}))),
    *(TranscoderParameters(source, target, lanes, sidebands=Sidebands(flows=2, id=1))
      for lanes in (1, 2) for source, target in (("utf-16le", "utf-8"), ("utf-16", "utf-8"), ("utf-32", "utf-8"))),
    TranscoderParameters("utf-16", "utf-8", 2, bom="add", sidebands=Sidebands(flows=2, id=1)),
    *(model_parameters(core, lanes=lanes, flows=2, id=1, pipeline="compact")
      for lanes in (1, 4) for core in ("validator", "decoder")),
    *(model_parameters("decoder", lanes=1, flows=1, pipeline="compact", **options) for options in (
        {}, {"bom": "strip"})),
    *(model_parameters(core, lanes=lanes, flows=2, id=1, null_bytes="anywhere", **options)
      for core, lanes, options in (
          ("validator", 1, {}), ("validator", 2, {}), ("decoder", 1, {}), ("decoder", 2, {"bom": "add"}),
          ("validator", 4, {"pipeline": "compact"}))),
    TranscoderParameters("utf-16be", "utf-8", 2, sidebands=Sidebands(flows=2, id=1, null_bytes="anywhere")),
    model_parameters("decoder", lanes=1, flows=1, pipeline="compact", null_bytes="anywhere"),
)
"""Cores with flows, of which only the parts that join segments are proven."""

RECORDS: tuple[TranscoderParameters, ...] = (
    *(model_parameters("splitter", lanes=lanes, **options) for lanes in (1, 2) for options in (
        {}, {"delimiter": "drop"}, {"delimiter": "drop", "empty": "drop", "longest": 64, "pipeline": "balanced"})),
    *(model_parameters("filter", lanes=lanes, rejects=True) for lanes in (1, 2)),
)
"""Splitters and filters, of which only the parts that make packets of records, or remove some, are proven."""

KEPT: tuple[TranscoderParameters, ...] = (
    *CORES, *OPTIONS, *VARIANTS, *COMPACT, *FAMILY, *OTHER_PAIRS, *PACKERS, *NULL_BYTES, *FLOWS, *RECORDS)
"""All of them."""
