"""The encodings' oracles, which are CPython's codecs, agree with the golden model."""

from itertools import product
from random import Random

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.encodings.latin1 import Latin1
from runewire_model.report import Sidebands
from runewire_model.report_fields import COUNTERS, possible_counters
from runewire_sim.all_pairs import scalar_packets
from runewire_sim.cpython_oracle import reference, reference_sidebands
from runewire_sim.mutation import trials
from runewire_sim.soak import traffic
from runewire_sim.stimuli import random_packets

OF_TEXT = possible_counters(None)


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(4), DecoderParameters(4), DecoderParameters(4, "drop", "strip"),
    TranscoderParameters("utf-8", "utf-8", 4), TranscoderParameters("utf-32le", "utf-32le", 4, bom="strip"),
    *(TranscoderParameters(source, target, 1) for source, target in product(ENCODINGS, (*ENCODINGS, None))),
    TranscoderParameters("utf-16le", "latin-1", 2, "drop", "strip"), TranscoderParameters("utf-8", "ascii", 2, "drop"),
    SanitizerParameters(4, "drop"), SanitizerParameters(4, replacement=0x7F, bom="strip", count=OF_TEXT),
    DecoderParameters(4, "replace", "strip"), EncoderParameters(2), EncoderParameters(2, "drop"),
    ValidatorParameters(4, records=0x0A, count=COUNTERS), ValidatorParameters(4, records=0, count=COUNTERS),
    DecoderParameters(4, "drop", "strip", count=OF_TEXT), EncoderParameters(2, "drop", count=OF_TEXT),
], ids=str)
def test_cpython_agrees_with_the_golden_model(parameters: TranscoderParameters) -> None:
    marks = [b"\xEF\xBB\xBF\xEF\xBB\xBFa\xFF", b"\xFF\xFE\0\0", b"\xEF\xBB\xBF\xFF"]
    for packet in (*random_packets(parameters, 2000, 1), *marks):
        result = parameters.compute(packet)
        offset = None if result.error is None else result.error.offset
        assert reference(parameters, packet) == (result.output, offset)
        assert reference_sidebands(parameters, packet) == (result.counts, result.records)


class Plain8(Latin1):
    """An encoding that CPython has by another name."""

    name = "plain-8"

    @property
    def oracle(self) -> str:
        return "iso8859-1"


def test_an_encoding_may_have_an_oracle_of_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Plain8()
    monkeypatch.setitem(ENCODINGS, one.name, one)
    parameters = TranscoderParameters(one.name, "utf-8", 1, sidebands=Sidebands(count=OF_TEXT))
    assert reference(parameters, b"A\xE4") == ("A\xE4".encode(), None)
    assert reference_sidebands(parameters, b"A\xE4") == (parameters.compute(b"A\xE4").counts, ())
    assert b"".join(scalar_packets(one, one)) == bytes(range(256))
    assert len([*trials._long(parameters, 1)]) == 12
    assert len(traffic._text(one, Random(1), 0.0, 1000)) > 100
