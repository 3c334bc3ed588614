"""The latency table of docs/interface.md."""

from runewire_model.core_front import SPLITTER_PIPELINES
from runewire_model.port_options import FILTER, SPLITTER
from runewire_model.transcoder import PIPELINES
from runewire_rtl import TranscoderParameters, describe

from .part import DOCS, Part

LANES = (1, 2, 4, 8)
CORES: dict[str, dict[str, str | int]] = {
    "validator": {"core": "validator"},
    "decoder, dense": {"core": "decoder"},
    "decoder, sparse": {"core": "decoder", "packing": "sparse"},
    "encoder": {"core": "encoder"},
    "UTF-8 to UTF-16": {"core": "transcoder", "from": "utf-8", "to": "utf-16le"},
    "UTF-16 to UTF-8": {"core": "transcoder", "from": "utf-16le", "to": "utf-8"},
    "UTF-16 to UTF-32": {"core": "transcoder", "from": "utf-16le", "to": "utf-32le"},
    "Latin-1 to UTF-8": {"core": "transcoder", "from": "latin-1", "to": "utf-8"},
    "sanitizer, replacement 3F": {"core": "sanitizer", "replacement": 0x3F},
    "sanitizer, U+FFFD": {"core": "sanitizer"},
    "packer": {"core": "packer"},
    "splitter": {"core": "splitter"},
    "filter": {"core": "filter"},
    "decoder, dense, null bytes anywhere": {"core": "decoder", "null_bytes": "anywhere"},
}


def table() -> str:
    """The table in Markdown: cycles by core, pipeline and lanes."""
    lines = ["| core | pipeline | " + " | ".join(f"{lanes} lane{'s'[: lanes > 1]}" for lanes in LANES) + " |",
             "|---|---|" + "---:|" * len(LANES)]
    for name, options in CORES.items():
        for pipeline in SPLITTER_PIPELINES if name in (SPLITTER, FILTER) else PIPELINES:
            made = [TranscoderParameters.of({**options, "lanes": lanes, "pipeline": pipeline}) for lanes in LANES]
            cycles = " | ".join(str(describe(each)["latency_cycles"]) for each in made)
            lines.append(f"| {name} | {pipeline} | {cycles} |")
    return "\n".join(lines)


GENERATED = (Part("latency", DOCS / "interface.md", table, "a minute"),)
