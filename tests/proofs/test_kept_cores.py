"""The kept cores have every option, every width and every pair of encodings."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from runewire_model import ENCODINGS, TranscoderParameters, parameters
from runewire_model.report import COUNTERS, REPORT_PORTS, REPORTS
from runewire_model.transcoder import BOMS, ERRORS, FAMILIES, PACKINGS, PIPELINES, widths
from runewire_proofs import CORES, FAMILY, KEPT, NULL_BYTES, OPTIONS, PACKERS


@pytest.mark.parametrize("lanes", [1, 8])
def test_the_record_is_of_every_option(lanes: int) -> None:
    def of(parameters: TranscoderParameters) -> Iterator[tuple[str, Any]]:
        sides = parameters.sidebands
        yield from ((name, getattr(sides, name)) for name in ("report", "report_port"))
        yield "records", sides.records is not None
        yield from (("count", counter) for counter in sides.count)
        yield from ((name, bool(getattr(sides, name))) for name in ("user", "id", "dest"))

    kept = {option for parameters in (*CORES, *OPTIONS) if parameters.lanes == lanes for option in of(parameters)}
    assert kept == {
        *(("report", amount) for amount in REPORTS), *(("report_port", where) for where in REPORT_PORTS),
        *(("count", name) for name, counter in COUNTERS.items() if counter.rule is not None),
        *((name, there) for name in ("records", "user", "id", "dest") for there in (False, True)),
    }


def test_the_record_is_of_every_way_to_arrange_a_core_and_to_treat_text() -> None:
    assert len({*KEPT}) == len(KEPT)
    for name, values in (("bom", BOMS), ("pipeline", PIPELINES), ("family", FAMILIES), ("errors", ERRORS),
                         ("packing", PACKINGS)):
        assert {getattr(parameters, name) for parameters in KEPT} == {*values}
    for core in ("validator", "decoder", "encoder"):
        assert {each.lanes for each in CORES if each.core == core} == {*widths(core)}


def test_the_record_is_of_packers_in_every_width_and_of_cores_with_one() -> None:
    usual = [core for core in PACKERS if core == parameters("packer", lanes=core.lanes)]
    assert {core.lanes for core in usual} == {*widths("packer")}
    behind = [core for core in NULL_BYTES if core.packer is not None]
    assert behind == [*NULL_BYTES]
    assert all(core.packer in PACKERS for core in behind)
    assert {core.core for core in NULL_BYTES} >= {"validator", "decoder", "encoder"}


def test_the_record_is_of_every_pair_of_encodings_and_of_each_alone() -> None:
    usual = {(core.source, core.target) for core in KEPT
             if not core.packs_bytes and core == TranscoderParameters(core.source, core.target, 1)}
    assert usual == {*product(ENCODINGS, (*ENCODINGS, None))}


def test_each_way_to_read_and_to_write_is_in_the_record_in_every_width() -> None:
    found: dict[TranscoderParameters, set[int]] = defaultdict(set)
    for core in FAMILY:
        found[replace(core, lanes=1)].add(core.lanes)
    for narrow, lanes in found.items():
        assert lanes == {1 << n for n in range(narrow.most_lanes.bit_length())}
    for encoding in ("utf-8", "utf-16le", "utf-32le", "latin-1"):
        assert any(core.source == encoding for core in found)
        assert any(core.target == encoding for core in found)
