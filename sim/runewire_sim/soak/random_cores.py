"""Random cores of any encodings, widths and options."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from runewire_model import ENCODINGS, ParameterError, TranscoderParameters
from runewire_model import parameters as model_parameters
from runewire_model.port_options import FILTER, port_options
from runewire_model.report import CARRIED, REPORT_PORTS, REPORTS, Sidebands
from runewire_model.report_fields import possible_counters
from runewire_model.transcoder import (
    BOMS,
    CORES,
    ERRORS,
    FAMILIES,
    FLAGS,
    PACKINGS,
    PIPELINES,
    TRANSCODER,
    widths,
)

CHOICES: Mapping[str, Sequence[Any]] = {
    "errors": ERRORS, "replacement": (None, 0x3F, 0x00, 0x7F), "bom": BOMS, "packing": PACKINGS,
    "pipeline": PIPELINES, "family": FAMILIES, **dict.fromkeys(FLAGS, (False, True)),
}
"""The options about text and layout, and their values to choose from."""


def random_core(random: Random) -> TranscoderParameters:
    """A core, by the state of ``random``."""
    # Half of the cores are those with names of their own.
    core = random.choice((*CORES, *(TRANSCODER for _ in CORES)))
    if core == TRANSCODER:
        return _pair(random)
    options: dict[str, Any] = {}
    for option in CORES[core].options:
        tried = {**options, option: random.choice(CHOICES[option])} if option in CHOICES else options
        # An option that has no meaning with those before it is left out.
        with contextlib.suppress(ParameterError):
            model_parameters(core, **tried)
            options = tried
    possible = []
    for lanes in widths(core, **options):
        # In a narrow core an added byte order mark takes room, and then the core lacks another option.
        with contextlib.suppress(ParameterError):
            possible.append(model_parameters(core, **options, lanes=lanes).lanes)
    options["lanes"] = random.choice(possible)
    if random.random() < 0.5:
        ports = _sidebands(random, not {"records", "record_report"} - {*port_options(core)})
        if options.get("pipeline") == "compact":
            ports.pop("record_report", None)
        if options.get("reject_nul") and ports["records"] == 0:
            del options["reject_nul"]  # the delimiter would be ill-formed
        options |= {name: value for name, value in ports.items() if name in port_options(core)}
    if core == FILTER:
        # Short records reach the end of a small buffer; the count of rejected records takes half of tuser.
        options |= {"longest": options["lanes"] * random.choice((1, 2, 16)), "rejects": random.random() < 0.7,
                    "records": random.choice((0x0A, 0x00, 0x7F)), "user": min(32, options.get("user", 0))}
    return _with_null_bytes(random, model_parameters(core, **options))


def _with_null_bytes(random: Random, parameters: TranscoderParameters) -> TranscoderParameters:
    """The core, in one of five cases with null bytes anywhere, if it has that option in this width."""
    if random.random() < 0.2:
        with contextlib.suppress(ParameterError):
            return replace(parameters, sidebands=replace(parameters.sidebands, null_bytes="anywhere"))
    return parameters


def _pair(random: Random) -> TranscoderParameters:
    """A transcoder between any two encodings, or a validator of any, with any width and options that it has."""
    source, target = random.choice(tuple(ENCODINGS)), random.choice((*ENCODINGS, None))
    parameters = TranscoderParameters(source, target, 1)
    lanes = [1 << n for n in range(parameters.most_lanes.bit_length())]
    for option, values in {**CHOICES, "lanes": lanes}.items():
        # One option may enable or disable another, and a core may lack some values of an option.
        with contextlib.suppress(ParameterError):
            parameters = replace(parameters, **{option: random.choice(values)})
    if random.random() < 0.5:
        ports = _sidebands(random, True)
        if parameters.pipeline == "compact":
            ports.pop("record_report", None)
        if parameters.reject_nul and ports["records"] == 0:
            ports["records"] = 0x0A  # the delimiter would be ill-formed
        parameters = replace(parameters, sidebands=Sidebands(**ports))
    return _with_null_bytes(random, parameters)


def _sidebands(random: Random, of_records: bool) -> dict[str, Any]:
    """Random options of the ports; ``of_records``: the core can have options of records."""
    records = random.choice((None, 0x0A, 0x00, 0x7F)) if of_records else None
    counters = possible_counters(records)
    options: dict[str, Any] = {
        "report": random.choice(REPORTS), "offset_bits": random.choice((16, 32, 64)), "records": records,
        "count": tuple(random.sample(counters, random.randrange(len(counters) + 1))),
        **{name: random.choice((0, 1, 8, 64)) for name in CARRIED},
    }
    if options["report"] != "none" or options["count"]:
        options["report_port"] = random.choice(REPORT_PORTS)
    if options["report"] != "none" and options.get("report_port") != "only":
        options["early"] = random.choice((False, True))
    if records is not None:
        options["record_report"] = random.choice((False, True))
    return options
