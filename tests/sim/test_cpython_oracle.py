"""CPython's codecs agree with the golden model."""

from itertools import product

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.report import COUNTERS
from runewire_sim.cpython_oracle import reference, reference_sidebands
from runewire_sim.stimuli import random_packets


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(4), DecoderParameters(4), DecoderParameters(4, "drop", "strip"),
    TranscoderParameters("utf-8", "utf-8", 4), TranscoderParameters("utf-32le", "utf-32le", 4, bom="strip"),
    *(TranscoderParameters(source, target, 1) for source, target in product(ENCODINGS, (*ENCODINGS, None))),
    TranscoderParameters("utf-16le", "latin-1", 2, "drop", "strip"), TranscoderParameters("utf-8", "ascii", 2, "drop"),
    SanitizerParameters(4, "drop"), SanitizerParameters(4, replacement=0x7F, bom="strip", count=COUNTERS[:4]),
    DecoderParameters(4, "replace", "strip"), EncoderParameters(2), EncoderParameters(2, "drop"),
    ValidatorParameters(4, records=0x0A, count=COUNTERS), ValidatorParameters(4, records=0, count=COUNTERS),
    DecoderParameters(4, "drop", "strip", count=COUNTERS[:4]), EncoderParameters(2, "drop", count=COUNTERS[:4]),
], ids=str)
def test_cpython_agrees_with_the_golden_model(parameters: TranscoderParameters) -> None:
    marks = [b"\xEF\xBB\xBF\xEF\xBB\xBFa\xFF", b"\xFF\xFE\0\0", b"\xEF\xBB\xBF\xFF"]
    for packet in (*random_packets(parameters, 2000, 1), *marks):
        result = parameters.compute(packet)
        offset = None if result.error is None else result.error.offset
        assert reference(parameters, packet) == (result.output, offset)
        assert reference_sidebands(parameters, packet) == (result.counts, result.records)
