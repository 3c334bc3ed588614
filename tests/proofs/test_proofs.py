"""Proofs of narrow cores, and that a proof fails where a core does."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from runewire_model import (
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
)
from runewire_model.report import COUNTERS, Sidebands
from runewire_proofs import Engine, EngineRun, Outcome, Proof, run

PROVEN = [name for name, counter in COUNTERS.items() if counter.rule is not None and not counter.of_records]
"""Counters of text whose flags the specifications have."""
PartOf = Callable[[TranscoderParameters, str], Proof]

FLAGGED: dict[str, Any] = {"report": "none", "records": 0x0A, "count": ("utf16-units", "bad-records")}
ERRORS: dict[str, Any] = {"reject_nul": True, "replace_runs": True, "sidebands": Sidebands(early=True)}
PORTED: dict[str, Any] = {"report": "kind", "report_port": "beside", "user": 1, "id": 2, "dest": 3}


@dataclass(frozen=True)
class Core:
    """A core, and the names of its parts whose proof is run.

    ``quick``, ``slow``, ``records``: by the tests that run them. Their broken copies are refuted too. A part that takes
    twenty seconds or more is run with the records, and so are parts of segments that another core has in the same
    form. ``alone``, ``alone_records``: without broken copies, by the slow
    tests or with the records.
    """

    parameters: TranscoderParameters
    quick: str = ""
    slow: str = ""
    records: str = ""
    alone: str = ""
    alone_records: str = ""


MATRIX = {
    "validator 1": Core(ValidatorParameters(1), slow="printing", records="reset"),
    "validator 1, records": Core(
        ValidatorParameters(1, **FLAGGED), slow="counters", records="border window packing"),
    "validator 1, records and user": Core(ValidatorParameters(1, records=0x0A, user=2), slow="wrapper"),
    "validator 1, all ports": Core(ValidatorParameters(1, **PORTED), quick="report_port", slow="wrapper"),
    "validator 2": Core(ValidatorParameters(2), records="window reset"),
    "validator 2, records": Core(ValidatorParameters(2, **FLAGGED), records="counters wrapper"),
    "validator 4": Core(ValidatorParameters(4), quick="packing"),
    "validator 16": Core(ValidatorParameters(16), slow="border"),
    "validator 64, gowin-5a": Core(ValidatorParameters(64, family="gowin-5a"), quick="output_skid"),
    "validator 64, xilinx-7": Core(ValidatorParameters(64, family="xilinx-7"), quick="output_skid"),
    "validator 1, compact": Core(
        ValidatorParameters(1, "compact"), quick="rows skid waiting wrapper", slow="printing reset", records="window",
        alone="whole"),
    "validator 1, compact, records": Core(ValidatorParameters(1, "compact", **FLAGGED), records="window"),

    "decoder 1": Core(DecoderParameters(1), quick="border", records="reset"),
    "decoder 1, sparse, drop, strip": Core(
        DecoderParameters(1, packing="sparse", errors="drop", bom="strip"), alone="window packing"),
    "decoder 2": Core(DecoderParameters(2), records="window packing buffer", alone="buffer"),
    "decoder 2, sparse": Core(DecoderParameters(2, packing="sparse"), slow="packing", records="window"),
    "decoder 2, all ports": Core(DecoderParameters(2, **PORTED), records="packing wrapper"),
    "decoder 4": Core(DecoderParameters(4), records="window packing"),
    "decoder 8": Core(DecoderParameters(8), records="border printing", alone="packing"),
    "decoder 16": Core(DecoderParameters(16), records="border"),
    "decoder 1, compact": Core(DecoderParameters(1, pipeline="compact"), slow="rows", records="reset"),
    "decoder 2, compact": Core(DecoderParameters(2, pipeline="compact"), slow="waiting"),
    "decoder 8, compact": Core(DecoderParameters(8, pipeline="compact"), records="placement row"),

    "validator 1, early, without U+0000": Core(
        ValidatorParameters(1, early=True, reject_nul=True), slow="packing", records="window"),
    "Latin-1 to UTF-8, 1, compact, all options of errors": Core(
        TranscoderParameters("latin-1", "utf-8", 1, pipeline="compact", **ERRORS), slow="rows", records="window"),
    "UTF-16LE to UTF-8, 1, all options of errors": Core(
        TranscoderParameters("utf-16le", "utf-8", 1, **ERRORS), alone="window"),
    "sanitizer 1, a byte, all options of errors": Core(
        TranscoderParameters("utf-8", "utf-8", 1, replacement=0x3F, **ERRORS), records="window"),
    "Latin-1 to UTF-8, 2, all options of errors": Core(
        TranscoderParameters("latin-1", "utf-8", 2, **ERRORS), records="window packing"),
    "decoder 2, compact, early": Core(DecoderParameters(2, pipeline="compact", early=True), records="row"),

    "encoder 1": Core(EncoderParameters(1), records="border window packing reset"),
    "encoder 2": Core(EncoderParameters(2), records="window"),
    "encoder 2, drop": Core(EncoderParameters(2, errors="drop"), alone="window"),
    "encoder 4": Core(EncoderParameters(4), records="printing", alone="packing"),
    "encoder 1, compact": Core(EncoderParameters(1, pipeline="compact"), slow="wrapper", records="window rows"),
    "encoder 2, compact": Core(EncoderParameters(2, pipeline="compact"), slow="placement row"),

    "packer 1, compact": Core(parameters("packer", lanes=1, pipeline="compact"), slow="window rows"),
    "packer 2, all ports": Core(parameters("packer", lanes=2, user=2, id=3, dest=1), slow="window packing"),
    "packer 8": Core(parameters("packer", lanes=8), slow="window", records="packing printing"),
    "decoder 1, null bytes": Core(DecoderParameters(1, null_bytes="anywhere"), slow="packer_window", records="reset"),
    "UTF-16BE to UTF-8, 2, null bytes, all ports": Core(
        TranscoderParameters("utf-16be", "utf-8", 2, sidebands=Sidebands(user=2, id=3, dest=1, null_bytes="anywhere")),
        slow="connection"),
    "UTF-32 checked, 1, null bytes, compact": Core(
        TranscoderParameters("utf-32le", None, 1, pipeline="compact", sidebands=Sidebands(null_bytes="anywhere")),
        slow="connection printing"),

    "validator 1, two flows": Core(
        ValidatorParameters(1, flows=2, id=1), quick="contexts extra_beats", slow="rotation text_end text_error"),
    "validator 1, two flows, record report": Core(
        ValidatorParameters(1, flows=2, id=1, records=0x0A, record_report=True), slow="text_record turn_state"),
    "validator 1, two flows, early": Core(
        ValidatorParameters(1, flows=2, id=1, early=True, report="kind"), slow="text_error"),
    "validator 1, one flow, record report": Core(
        ValidatorParameters(1, flows=1, records=0x0A, record_report=True), records="text_record turn_state"),
    "validator 16, two flows": Core(ValidatorParameters(16, flows=2, id=1), records="extra_beats rotation text_end"),
    "decoder 2, four flows, strip": Core(
        DecoderParameters(2, flows=4, id=2, bom="strip", report="kind"),
        slow="contexts text_error", records="text_end rotation printing"),
    "decoder 2, two flows, one replacement for each run": Core(
        DecoderParameters(2, flows=2, id=1, replace_runs=True), slow="text_run"),
    "decoder 1, two flows, add": Core(
        DecoderParameters(1, flows=2, id=1, bom="add"), slow="extra_beats text_mark", records="rotation text_end"),
    "decoder 2, one flow, sparse, add": Core(
        DecoderParameters(2, flows=1, bom="add", packing="sparse"), records="rotation text_mark"),
    "UTF-16BE to UTF-32LE 2, two flows": Core(
        TranscoderParameters("utf-16be", "utf-32le", 2, sidebands=Sidebands(flows=2, id=1)),
        slow="rotation", records="text_end"),
    "UTF-16 to UTF-8 1, two flows, strip": Core(
        TranscoderParameters("utf-16", "utf-8", 1, bom="strip", sidebands=Sidebands(flows=2, id=1)),
        quick="text_order", slow="text_end", records="rotation"),
    "UTF-16 to UTF-8 2, two flows, add": Core(
        TranscoderParameters("utf-16", "utf-8", 2, bom="add", sidebands=Sidebands(flows=2, id=1)),
        slow="extra_beats", records="rotation text_end"),
    "UTF-32 checked 1, one flow": Core(
        TranscoderParameters("utf-32le", None, 1, sidebands=Sidebands(flows=1)), slow="text_end"),
    "UTF-32 of either order checked 2, one flow": Core(
        TranscoderParameters("utf-32", None, 2, sidebands=Sidebands(flows=1)),
        slow="text_order", records="rotation text_end"),
    "decoder 1, one flow, balanced": Core(
        DecoderParameters(1, flows=1, pipeline="balanced", user=1), slow="text_end", records="rotation text_error"),
    "decoder 1, two flows, compact": Core(
        DecoderParameters(1, flows=2, id=1, pipeline="compact"), slow="contexts rotation text_end text_error"),
    "decoder 1, one flow, compact, strip": Core(
        DecoderParameters(1, flows=1, bom="strip", pipeline="compact"), slow="byte_line"),
    "validator 4, two flows, compact": Core(
        ValidatorParameters(4, flows=2, id=1, pipeline="compact"), records="contexts rotation text_end text_error"),

    "validator 1, two flows, null bytes": Core(
        ValidatorParameters(1, flows=2, id=1, null_bytes="anywhere"), quick="packed_beats connection"),
    "decoder 2, four flows, add, null bytes": Core(
        DecoderParameters(2, flows=4, id=2, user=1, bom="add", null_bytes="anywhere"), slow="packed_beats connection"),
    "UTF-16BE to UTF-8 2, two flows, null bytes": Core(
        TranscoderParameters("utf-16be", "utf-8", 2, sidebands=Sidebands(flows=2, id=1, null_bytes="anywhere")),
        slow="connection", records="packed_beats"),
    "validator 8, one flow, compact, null bytes": Core(
        ValidatorParameters(8, flows=1, pipeline="compact", null_bytes="anywhere"), slow="packed_beats"),

    "splitter 1": Core(parameters("splitter", lanes=1), quick="finding splitting"),
    "splitter 2, all options": Core(
        parameters("splitter", lanes=2, delimiter="drop", empty="drop", longest=64, user=2, id=1, pipeline="balanced"),
        slow="finding splitting"),
    "filter 1": Core(parameters("filter", lanes=1, rejects=True, id=2), slow="filtering"),

    "sanitizer 1, drop": Core(SanitizerParameters(1, "drop"), records="reset"),
    "sanitizer 1, sparse, sidebands": Core(
        SanitizerParameters(1, "drop", packing="sparse", count=PROVEN, user=2, id=1), alone_records="window"),
    "sanitizer 1, replacement 3F, strip": Core(
        SanitizerParameters(1, replacement=0x3F, bom="strip"), records="window"),
    "sanitizer 2, drop": Core(SanitizerParameters(2, "drop"), records="window"),
    "sanitizer 4, replacement 1A": Core(SanitizerParameters(4, replacement=0x1A), records="window"),

    "UTF-8 to UTF-16LE, 1": Core(TranscoderParameters("utf-8", "utf-16le", 1), records="window"),
    "UTF-8 to UTF-16LE, 4": Core(TranscoderParameters("utf-8", "utf-16le", 4), records="packing"),
    "UTF-8 to UTF-16BE, 2, drop, strip": Core(
        TranscoderParameters("utf-8", "utf-16be", 2, "drop", "strip"), records="window"),
    "UTF-8 to UTF-16, 1, add": Core(TranscoderParameters("utf-8", "utf-16", 1, bom="add"), records="window"),
    "UTF-8 to Latin-1, 1, drop": Core(TranscoderParameters("utf-8", "latin-1", 1, "drop"), records="window"),
    "UTF-8 to Latin-1, 2": Core(TranscoderParameters("utf-8", "latin-1", 2), records="window"),

    "UTF-16LE checked, 1": Core(TranscoderParameters("utf-16le", None, 1), slow="window"),
    "UTF-16LE checked, 2": Core(TranscoderParameters("utf-16le", None, 2), records="window"),
    "UTF-16BE checked, 1": Core(TranscoderParameters("utf-16be", None, 1), alone_records="window"),
    "UTF-16 checked, 1": Core(TranscoderParameters("utf-16", None, 1), records="window"),
    "UTF-16LE to UTF-8, 1": Core(
        TranscoderParameters("utf-16le", "utf-8", 1), records="window packing", alone="packing"),
    "UTF-16LE to UTF-8, 2": Core(TranscoderParameters("utf-16le", "utf-8", 2), records="packing"),
    "UTF-16BE to UTF-8, 2, drop, strip": Core(
        TranscoderParameters("utf-16be", "utf-8", 2, "drop", "strip"), records="window"),
    "UTF-16 to UTF-8, 1": Core(TranscoderParameters("utf-16", "utf-8", 1), alone="window"),
    "UTF-16LE to itself, 2, drop, strip": Core(
        TranscoderParameters("utf-16le", "utf-16le", 2, "drop", "strip"), records="window"),
    "UTF-16 to itself, 2, drop, strip": Core(
        TranscoderParameters("utf-16", "utf-16", 2, "drop", "strip"), records="window"),
    "UTF-16BE to UTF-32BE, 2": Core(TranscoderParameters("utf-16be", "utf-32be", 2), records="wrapper"),
    "UTF-16BE to Latin-1, 2": Core(TranscoderParameters("utf-16be", "latin-1", 2), records="window"),

    "UTF-32 checked, 1": Core(TranscoderParameters("utf-32", None, 1), records="window"),
    "UTF-32LE to UTF-16BE, 1": Core(TranscoderParameters("utf-32le", "utf-16be", 1), alone_records="window"),
    "UTF-32 to UTF-16LE, 2, drop": Core(TranscoderParameters("utf-32", "utf-16le", 2, "drop"), records="window"),
    "UTF-32 to UTF-16, 1": Core(TranscoderParameters("utf-32", "utf-16", 1), alone_records="window"),
    "UTF-32LE to ASCII, 1": Core(TranscoderParameters("utf-32le", "ascii", 1), alone="window"),

    "Latin-1 to UTF-8, 1": Core(TranscoderParameters("latin-1", "utf-8", 1), alone_records="window"),
    "Latin-1 to UTF-8, 1, add": Core(TranscoderParameters("latin-1", "utf-8", 1, bom="add"), records="window"),
    "Latin-1 to UTF-8, 2": Core(TranscoderParameters("latin-1", "utf-8", 2), records="packing"),
    "Latin-1 to ASCII, 2": Core(TranscoderParameters("latin-1", "ascii", 2), records="window"),
    "ASCII checked, 1": Core(TranscoderParameters("ascii", None, 1), records="window"),
    "ASCII to UTF-8, 1": Core(TranscoderParameters("ascii", "utf-8", 1), alone_records="window"),
    "ASCII to Latin-1, 1": Core(TranscoderParameters("ascii", "latin-1", 1), alone_records="window"),
}

SLOW, RECORDS = [pytest.mark.slow], [pytest.mark.slow, pytest.mark.records]
WITH_MUTANTS = {"quick": [], "slow": SLOW, "records": RECORDS}
ALONE = {"alone": SLOW, "alone_records": RECORDS}


def cases(marks: dict[str, list[pytest.MarkDecorator]]) -> list[Any]:
    """A case for each part that the matrix has in these columns, with their marks."""
    return [
        pytest.param(core.parameters, part, id=f"{name}: {part}", marks=mark)
        for name, core in MATRIX.items() for column, mark in marks.items() for part in getattr(core, column).split()
    ]


def failed(records: Iterable[EngineRun]) -> list[str]:
    return [f"{r.part}: {r.mutant or 'as delivered'}: {r.outcome.verdict}" for r in records if not r.good]


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("parameters", "part"), cases(ALONE))
def test_a_part_is_proven(parameters: TranscoderParameters, part: str, engine: Engine) -> None:
    records = list(run(parameters, engine, mutants=False, seconds=300, parts=[part]))
    assert [(record.part, record.mutant) for record in records] == [(part, None)]
    assert not failed(records)


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("parameters", "part"), cases(WITH_MUTANTS))
def test_a_part_is_proven_and_broken_ones_are_refuted(
    parameters: TranscoderParameters, part: str, engine: Engine, part_of: PartOf,
) -> None:
    records = list(run(parameters, engine, seconds=300, parts=[part]))
    assert not failed(records)
    mutants = part_of(parameters, part).mutants
    assert mutants
    assert [record.mutant for record in records] == [None, *(mutant.title for mutant in mutants)]


Refuted = Callable[[TranscoderParameters, str, set[str]], set[str | None]]


@pytest.fixture
def refuted(engine: Engine, part_of: PartOf) -> Refuted:
    """The refuted ones of a part's mutants. Only the mutants ``tried`` are run."""
    def found(parameters: TranscoderParameters, part: str, tried: set[str]) -> set[str | None]:
        left = Outcome("undecided", "", None, 0)
        titles = {None, *(mutant.title for mutant in part_of(parameters, part).mutants)}
        records = run(parameters, engine, seconds=300, parts=[part], known=dict.fromkeys(titles - tried, left))
        return {record.mutant for record in records if record.good}
    return found


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [ValidatorParameters(1), DecoderParameters(1)], ids=repr)
def test_a_row_is_pushed_for_a_beat_that_was_counted(
    parameters: TranscoderParameters, tmp_path: Path, engine: Engine, part_of: PartOf,
) -> None:
    push = part_of(parameters, "packing").miter(None).parameters["PUSH_DELAY"]
    sound = part_of(parameters, "border").miter(None)
    assert sound.parameters["LATER"] < push
    late = replace(sound, parameters={**sound.parameters, "LATER": push + 1})
    assert engine.refute(engine.graph(late, engine.comparison(late), tmp_path), 60).verdict == "refuted"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_what_breaks_between_the_ports_is_refuted(refuted: Refuted) -> None:
    parameters = ValidatorParameters(1, "compact", report="flag")
    tried = {"surrogates are accepted", "history is not cleared at a packet's end", "a beat that waits is lost",
             "a beat comes twice when the pipeline stops", "last is dropped", "nothing comes out", "nothing is taken",
             "nothing is flushed"}
    assert refuted(parameters, "whole", tried) == tried


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(1), ValidatorParameters(1, "compact", **{**PORTED, "report_port": "only"}),
    ValidatorParameters(4, user=1, records=0x0A, count=("bytes", "records")), DecoderParameters(2, packing="sparse"),
    TranscoderParameters("utf-16be", "utf-32be", 4), TranscoderParameters("utf-32", "utf-16", 1),
    TranscoderParameters("utf-16be", None, 2), ValidatorParameters(128),
], ids=repr)
def test_the_ports_of_any_core_are_wires_of_its_streams(parameters: TranscoderParameters, engine: Engine) -> None:
    assert not failed(run(parameters, engine, mutants=False, parts=["wrapper"]))


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("part", ["packing", "reset"])
def test_too_little_time_is_not_a_proof(part: str, engine: Engine) -> None:
    (record,) = run(ValidatorParameters(lanes=1), engine, mutants=False, parts=[part], seconds=0.01)
    assert record.outcome.verdict == "undecided"
    assert not record.good


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.needs("berkeley-abc")
def test_the_last_beat_of_a_packet_may_be_full_where_it_has_256_bytes(refuted: Refuted) -> None:
    tried = {"history is not cleared at a packet's end"}
    assert refuted(TranscoderParameters("utf-16le", None, 128), "window", tried) == tried
