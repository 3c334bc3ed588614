"""Proofs of the narrow cores, and that a proof fails where a core does."""

import importlib.util
import json
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.report import COUNTERS, REPORT_PORTS, REPORTS, Sidebands
from runewire_model.transcoder import BOMS, ERRORS, FAMILIES, PACKINGS, PIPELINES, TRANSCODER, widths
from runewire_proofs import (
    CORES,
    FAMILY,
    KEPT,
    OPTIONS,
    Design,
    Engine,
    Entry,
    Ledger,
    Outcome,
    Record,
    design,
    design_of,
    designs,
    proofs,
    run,
)
from runewire_proofs.cuts import IN, OUT, delivered, wrapper
from runewire_proofs.engines import Miter
from runewire_proofs.mutants import buffer_mutants, packing_mutants, window_mutants
from runewire_rtl.verilog import top_name, verilog_text

ALONE = [
    (DecoderParameters(lanes=1, packing="sparse", errors="drop", bom="strip"), ["window", "packing"]),
    (DecoderParameters(lanes=8), ["packing"]), (DecoderParameters(lanes=2), ["buffer"]),
    (EncoderParameters(lanes=2, errors="drop"), ["window"]),
    (EncoderParameters(lanes=4), ["packing"]),
    *((TranscoderParameters(*pair, 1), ["window"]) for pair in (("utf-16", "utf-8"), ("utf-32le", "ascii"))),
    (TranscoderParameters("utf-16le", "utf-8", 1), ["packing"]),
    (ValidatorParameters(1, "compact"), ["whole"]),
    *(pytest.param(TranscoderParameters(*pair, 1), ["window"], marks=pytest.mark.records) for pair in (
        ("utf-32le", "utf-16be"), ("ascii", "utf-8"), ("latin-1", "utf-8"), ("utf-16be", None), ("utf-32", "utf-16"),
        ("ascii", "latin-1"))),
    pytest.param(SanitizerParameters(1, "drop", packing="sparse", count=COUNTERS[:4], user=2, id=1), ["window"],
                 marks=pytest.mark.records),
]
"""Parts that are proven without their mutants, beside those that are proven with them."""

MARKED: dict[str, Any] = {"report": "none", "records": 0x0A, "count": ("utf16-units", "bad-records")}
PORTED: dict[str, Any] = {"report": "kind", "report_port": "beside", "user": 1, "id": 2, "dest": 3}
WITH_MUTANTS = [
    (ValidatorParameters(lanes=2), "window"), (ValidatorParameters(lanes=4), "packing"),
    (DecoderParameters(lanes=2), "window"), (DecoderParameters(lanes=4), "window"),
    (DecoderParameters(lanes=2), "packing"), (DecoderParameters(lanes=4), "packing"),
    (DecoderParameters(lanes=2), "buffer"), (DecoderParameters(lanes=1), "border"),
    (ValidatorParameters(lanes=16), "border"), (EncoderParameters(lanes=1), "border"),
    *((DecoderParameters(lanes), "border") for lanes in (8, 16)),
    (ValidatorParameters(lanes=1, **MARKED), "border"),
    (DecoderParameters(lanes=2, packing="sparse"), "window"), (DecoderParameters(lanes=2, packing="sparse"), "packing"),
    (EncoderParameters(lanes=1), "window"), (EncoderParameters(lanes=2), "window"),
    (EncoderParameters(lanes=1), "packing"),
    *((TranscoderParameters(*pair), "window") for pair in (
        ("utf-16le", "utf-8", 1), ("utf-16le", "utf-16le", 2, "drop", "strip"), ("utf-16be", "latin-1", 2),
        ("utf-8", "latin-1", 2), ("utf-8", "latin-1", 1, "drop"), ("latin-1", "ascii", 2), ("utf-8", "utf-16le", 1),
        ("utf-8", "utf-16be", 2, "drop", "strip"), ("utf-16le", None, 1), ("utf-16le", None, 2), ("ascii", None, 1),
        ("utf-16", None, 1), ("utf-32", None, 1), ("utf-16", "utf-16", 2, "drop", "strip"),
        ("utf-32", "utf-16le", 2, "drop"), ("utf-8", "utf-16", 1, "replace", "add"),
        ("latin-1", "utf-8", 1, "replace", "add"), ("utf-16be", "utf-8", 2, "drop", "strip"))),
    *((TranscoderParameters(*pair), "packing") for pair in (
        ("utf-16le", "utf-8", 1), ("utf-16le", "utf-8", 2), ("latin-1", "utf-8", 2), ("utf-8", "utf-16le", 4))),
    *((ValidatorParameters(lanes=1, **MARKED), part) for part in ("window", "packing", "counters")),
    (SanitizerParameters(1, replacement=0x3F, bom="strip"), "window"), (SanitizerParameters(2, "drop"), "window"),
    (SanitizerParameters(4, replacement=0x1A), "window"), (SanitizerParameters(1, "drop"), "reset"),
    (ValidatorParameters(lanes=1, **PORTED), "report_port"), (DecoderParameters(lanes=2, **PORTED), "packing"),
    (ValidatorParameters(lanes=2, **MARKED), "counters"),
    (ValidatorParameters(lanes=1), "reset"), (ValidatorParameters(lanes=2), "reset"),
    (DecoderParameters(lanes=1), "reset"), (EncoderParameters(lanes=1), "reset"),
    *((ValidatorParameters(1, "compact"), part) for part in ("window", "rows", "skid", "waiting", "reset")),
    (DecoderParameters(1, pipeline="compact"), "rows"), (DecoderParameters(2, pipeline="compact"), "waiting"),
    *((kind(lanes, pipeline="compact"), part) for kind, lanes in ((DecoderParameters, 8), (EncoderParameters, 2))
      for part in ("placement", "row")),
    (DecoderParameters(1, pipeline="compact"), "reset"),
    (ValidatorParameters(lanes=1, pipeline="compact", **MARKED), "window"),
    (EncoderParameters(1, pipeline="compact"), "window"), (EncoderParameters(1, pipeline="compact"), "rows"),
    (ValidatorParameters(lanes=1, **PORTED), "wrapper"), (ValidatorParameters(lanes=2, **MARKED), "wrapper"),
    (ValidatorParameters(lanes=1, records=0x0A, user=2), "wrapper"), (DecoderParameters(lanes=2, **PORTED), "wrapper"),
    (TranscoderParameters("utf-16be", "utf-32be", 2), "wrapper"), (EncoderParameters(1, pipeline="compact"), "wrapper"),
]
QUICK = [*((ValidatorParameters(1, "compact"), part) for part in ("rows", "skid", "waiting")),
         (ValidatorParameters(lanes=4), "packing"), (DecoderParameters(lanes=1), "border"),
         (ValidatorParameters(lanes=1, **PORTED), "report_port"), (ValidatorParameters(lanes=1, **PORTED), "wrapper")]
"""Parts that are proven anew in the quick tests, and their mutants refuted."""
LONG = [
    *((DecoderParameters(lanes=4), part) for part in ("window", "packing")),
    *((DecoderParameters(lanes=2), part) for part in ("window", "packing")),
    *((DecoderParameters(lanes=2, **PORTED), part) for part in ("packing", "wrapper")),
    (DecoderParameters(lanes=2, packing="sparse"), "window"), (DecoderParameters(lanes=2), "buffer"),
    *((DecoderParameters(lanes), "border") for lanes in (8, 16)), (EncoderParameters(lanes=1), "border"),
    (DecoderParameters(1, pipeline="compact"), "reset"), (EncoderParameters(1, pipeline="compact"), "rows"),
    *((DecoderParameters(lanes=8, pipeline="compact"), part) for part in ("placement", "row")),
    *((EncoderParameters(lanes), "window") for lanes in (1, 2)), (EncoderParameters(lanes=1), "packing"),
    (EncoderParameters(lanes=1, pipeline="compact"), "window"),
    *((ValidatorParameters(lanes=1, **MARKED), part) for part in ("window", "packing", "border")),
    *((ValidatorParameters(1, "compact", **ports), "window") for ports in (MARKED, {})),
    *((ValidatorParameters(lanes=2), part) for part in ("window", "reset")),
    *((ValidatorParameters(lanes=2, **MARKED), part) for part in ("counters", "wrapper")),
    *((kind(lanes=1), "reset") for kind in (ValidatorParameters, DecoderParameters, EncoderParameters)),
]
"""Parts that take twenty seconds and more, and are run with the records: each part of some core is among the others, or
among those that are proven without their mutants."""


RECORD = Path(__file__).parents[2] / "docs" / "proofs.json"


def marks(parameters: TranscoderParameters, part: str) -> list[pytest.MarkDecorator]:
    """Transcoders and sanitizers take many minutes together: all but one are run with the records."""
    if (parameters, part) in QUICK:
        return []
    other = parameters.core in (TRANSCODER, "sanitizer") and parameters != TranscoderParameters("utf-16le", None, 1)
    return [pytest.mark.slow, *([pytest.mark.records] if other or (parameters, part) in LONG else [])]


def failed(records: list[Record]) -> list[str]:
    return [f"{r.part}: {r.mutant or 'as delivered'}: {r.outcome.verdict}" for r in records if not r.good]


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("parameters", "parts"), ALONE, ids=repr)
def test_a_core_is_proven(parameters: TranscoderParameters, parts: list[str]) -> None:
    records = list(run(parameters, Engine.find(), mutants=False, seconds=300, parts=parts))
    assert [record.part for record in records] == parts
    assert not failed(records)


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("parameters", "part"), [
    pytest.param(*case, marks=marks(*case)) for case in WITH_MUTANTS], ids=repr)
def test_a_part_is_proven_and_broken_ones_are_refuted(parameters: TranscoderParameters, part: str) -> None:
    records = list(run(parameters, Engine.find(), seconds=300, parts=[part]))
    assert not failed(records)
    (proof,) = (proof for proof in proofs(parameters) if proof.name == part)
    assert proof.mutants
    assert [record.mutant for record in records] == [None, *(mutant.title for mutant in proof.mutants)]


def refuted_of(parameters: TranscoderParameters, part: str, tried: set[str], seconds: float) -> set[str | None]:
    """Those of a part's mutants that are refuted, of which only these are tried."""
    (proof,) = (proof for proof in proofs(parameters) if proof.name == part)
    left = Outcome("undecided", "", None, 0)
    known = {title: left for title in (None, *(mutant.title for mutant in proof.mutants)) if title not in tried}
    records = run(parameters, Engine.find(), seconds=seconds, parts=[part], known=known)
    return {record.mutant for record in records if record.good}


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [ValidatorParameters(1), DecoderParameters(1)], ids=repr)
def test_a_row_is_pushed_for_a_beat_that_was_counted(parameters: TranscoderParameters, tmp_path: Path) -> None:
    parts, engine = {proof.name: proof for proof in proofs(parameters)}, Engine.find()
    push = parts["packing"].miter(None).parameters["PUSH_DELAY"]
    sound = parts["border"].miter(None)
    assert sound.parameters["LATER"] < push
    late = replace(sound, parameters={**sound.parameters, "LATER": push + 1})
    assert engine.refute(engine.graph(late, engine.comparison(late), tmp_path), 60).verdict == "refuted"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
def test_what_breaks_between_the_ports_is_refuted() -> None:
    parameters = ValidatorParameters(1, "compact", report="flag")
    tried = {"surrogates are accepted", "history is not cleared at a packet's end", "a beat that waits is lost",
             "a beat comes twice when the pipeline stops", "last is dropped", "nothing comes out", "nothing is taken",
             "nothing is flushed"}
    assert refuted_of(parameters, "whole", tried, 300) == tried


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("parameters", [
    ValidatorParameters(1), ValidatorParameters(1, "compact", **{**PORTED, "report_port": "only"}),
    ValidatorParameters(4, user=1, records=0x0A, count=("bytes", "records")), DecoderParameters(2, packing="sparse"),
    TranscoderParameters("utf-16be", "utf-32be", 4), TranscoderParameters("utf-32", "utf-16", 1),
    TranscoderParameters("utf-16be", None, 2), ValidatorParameters(128),
], ids=repr)
def test_the_ports_of_any_core_are_wires_of_its_streams(parameters: TranscoderParameters) -> None:
    assert not failed(list(run(parameters, Engine.find(), mutants=False, parts=["wrapper"])))


def test_the_ports_that_are_proven_are_those_of_users() -> None:
    parameters = DecoderParameters(2, **PORTED)
    whole = delivered(parameters).partition("endmodule")[0].replace("module dut", f"module {top_name(parameters)}")
    opened = wrapper(parameters).rtlil.partition("endmodule")[0]
    inside = re.compile(r"^ *(input|output|\.)[^,]*\b(in|out)_\w+.*\n", re.MULTILINE)
    assert len(inside.findall(opened)) == 2 * (len(IN) + len(OUT) - 1)
    assert re.sub(r",(?=\s*(//.*)?\n *\))", "", inside.sub("", opened)).split() == whole.split()


def test_only_the_smallest_cores_are_proven_from_port_to_port() -> None:
    def whole(parameters: TranscoderParameters) -> bool:
        return "whole" in [proof.name for proof in proofs(parameters)]

    assert whole(ValidatorParameters(1, "compact"))
    assert whole(DecoderParameters(1, errors="drop", bom="strip", pipeline="compact", report="none"))
    for other in (ValidatorParameters(1), ValidatorParameters(2, "compact"), ValidatorParameters(1, "compact", user=1),
                  DecoderParameters(1, packing="sparse", pipeline="compact"),
                  DecoderParameters(1, bom="add", pipeline="compact"), TranscoderParameters("utf-8", "utf-16le", 1)):
        assert not whole(other)


def test_what_is_proven_from_port_to_port_is_the_verilog_of_users() -> None:
    parameters = ValidatorParameters(1, "compact")
    (proof,) = (proof for proof in proofs(parameters) if proof.name == "whole")
    lines = verilog_text(parameters).replace(f"module {top_name(parameters)} (", "module dut (").splitlines()
    assert proof.miter(None).dut.splitlines() == [line for line in lines if not line.strip().startswith("//")]
    (unreported,) = (
        proof for proof in proofs(ValidatorParameters(1, "compact", report="none")) if proof.name == "whole")
    (silent,) = (mutant for mutant in proof.mutants if mutant.title == "the report is dropped")
    with silent.broken(), pytest.raises(LookupError, match="no port is called m_axis_tuser"):
        unreported.miter(None)


@pytest.mark.needs("berkeley-abc")
def test_a_record_says_what_ran() -> None:
    (record,) = run(ValidatorParameters(lanes=1), Engine.find(), mutants=False, parts=["packing"])
    assert (record.part, record.mutant, record.good) == ("packing", None, True)
    assert record.outcome.verdict == "proven"
    assert record.outcome.seconds > 0
    assert "dprove" in record.outcome.engine
    assert record.design == proofs(ValidatorParameters(lanes=1))[1].miter(None).digest
    assert record.design != proofs(ValidatorParameters(lanes=2))[1].miter(None).digest


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("part", ["packing", "reset"])
def test_too_little_time_is_not_a_proof(part: str) -> None:
    (record,) = run(ValidatorParameters(lanes=1), Engine.find(), mutants=False, parts=[part], seconds=0.01)
    assert record.outcome.verdict == "undecided"
    assert not record.good


@pytest.mark.needs("berkeley-abc")
def test_what_is_not_proven_is_looked_at_cycle_by_cycle(tmp_path: Path) -> None:
    engine, (_, proof, *_) = Engine.find(), proofs(ValidatorParameters(lanes=1))
    sound = proof.miter(None)
    undecided = engine.prove(engine.graph(sound, engine.comparison(sound), tmp_path), "strash", [], 10)
    assert undecided.verdict == "undecided"
    assert undecided.depth is not None
    assert undecided.depth > 20
    (mutant,) = (mutant for mutant in proof.mutants if mutant.title == "every row is pushed as the first")
    broken = replace(proof.miter(sound.parameters), edits=mutant.edits)
    graph = engine.graph(broken, engine.comparison(broken), tmp_path)
    assert engine.prove(graph, "strash", [], 10).verdict == "refuted"


def engine_that(tmp_path: Path, does: str) -> Engine:
    """An engine that is this shell script."""
    abc = tmp_path / "abc"
    abc.write_text(f"#!/bin/sh\n{does}")
    abc.chmod(0o755)
    return Engine([], str(abc), "")


@pytest.mark.parametrize(("does", "verdict"), [
    ("sleep 0.5", "proven"), ("i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done", "undecided"),
])
def test_an_engine_is_given_processor_time(tmp_path: Path, does: str, verdict: str) -> None:
    engine = engine_that(tmp_path, f"{does}\necho 'Status = 1'\n")
    assert engine.decide(tmp_path / "miter.aig", "", ["prove"], 0.2).verdict == verdict


WRITES_TOO = """\
case "$2" in
    *fold*) printf 'aig 1 1 0 2 0\\n2\\n2\\n' > sm01.aig;;
    *'&w cone.aig'*) printf 'aig 1 1 0 1 0\\n2\\n' > cone.aig;;
    *) file=${2#&r }; grep -q '^aig 1 1 0 2 0' "${file%%;*}" && echo 'Status = 1'; echo > sm01.aig;;
esac
"""
"""An engine that leaves two outputs open, and decides each from the file that says so, which it then writes anew."""


def test_what_one_output_leaves_is_not_taken_for_the_next(tmp_path: Path) -> None:
    outcome = engine_that(tmp_path, WRITES_TOO).prove(tmp_path / "miter.aig", "dprove -u", ["dprove"], 10)
    assert (outcome.verdict, outcome.engine) == ("proven", "dprove -u; dprove")


SLOW = """\
case "$2" in
    *'-O 1 '*'-T 30;'*) echo 'Status = 0'; echo 'CEX: Po =   0  Frame =  30';;
esac
"""
"""An engine that finds what is wrong with the second output alone, in more than three seconds."""


def test_what_a_short_look_does_not_find_a_longer_one_does(tmp_path: Path) -> None:
    graph = tmp_path / "miter.aig"
    graph.write_text("aig 2 0 1 2 1\n")
    outcome = engine_that(tmp_path, SLOW).refute(graph, 10)
    assert (outcome.verdict, outcome.depth) == ("refuted", 30)


@pytest.mark.slow
@pytest.mark.records
@pytest.mark.needs("berkeley-abc")
def test_the_last_beat_of_a_packet_may_be_full_where_it_has_256_bytes() -> None:
    tried = {"history is not cleared at a packet's end"}
    assert refuted_of(TranscoderParameters("utf-16le", None, 128), "window", tried, 100) == tried


@pytest.mark.parametrize(("parameters", "titles"), [
    (ValidatorParameters(lanes=8), {"surrogates are accepted", "overlong forms after E0 are accepted",
                                    "overlong forms after F0 are accepted", "F5 to F7 are accepted",
                                    "history is not cleared at a packet's end", "the last lane's keep is ignored",
                                    "the offset is off by one in the second beat"}),
    (DecoderParameters(lanes=8), {"one replacement too many at a beat's end",
                                  "a stall loses the row behind the one that waits"}),
])
def test_every_rule_has_its_mutant(parameters: TranscoderParameters, titles: set[str]) -> None:
    named = [mutant.title for mutant in (*window_mutants(parameters), *packing_mutants(parameters), *buffer_mutants())]
    assert titles <= set(named)
    assert len(named) == len(set(named))


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
        *(("count", counter) for counter in COUNTERS),
        *((name, there) for name in ("records", "user", "id", "dest") for there in (False, True)),
    }


def test_the_record_is_of_every_way_to_arrange_a_core_and_to_treat_text() -> None:
    assert len({*KEPT}) == len(KEPT)
    for name, values in (("bom", BOMS), ("pipeline", PIPELINES), ("family", FAMILIES), ("errors", ERRORS),
                         ("packing", PACKINGS)):
        assert {getattr(parameters, name) for parameters in KEPT} == {*values}
    for core in ("validator", "decoder", "encoder"):
        assert {each.lanes for each in CORES if each.core == core} == {*widths(core)}


def test_the_record_is_of_every_pair_of_encodings_and_of_each_alone() -> None:
    usual = {(core.source, core.target) for core in KEPT if core == TranscoderParameters(core.source, core.target, 1)}
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


def test_the_kept_proofs_are_whole() -> None:
    """Those of another design are marked in the page, which `tests/test_docs.py` compares with the records."""
    page = (RECORD.parent / "proofs.md").read_text(encoding="utf-8")
    undecided = []
    for (parameters, part), entry in Ledger.of(RECORD.read_text(encoding="utf-8")).entries.items():
        assert parameters in KEPT
        if entry.sound.verdict == "undecided":
            undecided.append((parameters, part))
        else:
            assert entry.good, (parameters, part)
    assert page.count("**undecided**,") == len(undecided)
    proven = re.findall(r"\| proven, [^|;]*; (\d+) of (\d+)", page)
    assert len(proven) > 1000
    assert all(refuted == mutants for refuted, mutants in proven)


def test_a_ledger_comes_back_as_it_was_kept() -> None:
    parameters, outcome = ValidatorParameters(lanes=2), Outcome("proven", "dprove", None, 1.5)
    ledger = Ledger()
    entry = ledger.enter(parameters, "ABC", [
        Record("window", "abc", None, outcome), Record("window", "abc", "broken", Outcome("refuted", "sim3", 3, 0.1)),
    ])
    assert entry.good
    assert (entry.refuted, entry.seconds) == (1, 1.6)
    assert Ledger.of(ledger.json()).entries == ledger.entries
    assert Ledger.of(Ledger().json()).entries == {}
    undecided = ledger.enter(parameters, "ABC", [
        Record("window", "abc", None, outcome), Record("window", "abc", "broken", Outcome("undecided", "sim3", 3, 0.1)),
    ])
    assert not undecided.good
    assert Ledger.of(ledger.json()).entries == {(parameters, "window"): undecided}
    former = ledger.json().replace('["proven", "dprove", null, 1.5]', json.dumps(asdict(outcome)))
    for other in ('[{"part": "window"}]', former):
        with pytest.raises(ValueError, match="no record of proofs"):
            Ledger.of(other)


def test_a_record_settles_its_design_for_every_core_and_nothing_else() -> None:
    titles = ("rows do not move on", "a credit is lost")
    design = Design("packing", "abc", titles)
    sound = Record("packing", "abc", None, Outcome("proven", "dprove", None, 1.5))
    refuted = [Record("packing", "abc", title, Outcome("refuted", "sim3", 3, 0.1)) for title in titles]

    def settled(*records: Record, by: Design = design) -> bool:
        ledger = Ledger()
        ledger.enter(ValidatorParameters(lanes=1), "ABC", list(records))
        return ledger.settled(by) is not None

    assert settled(sound, *refuted)
    assert not settled(sound, *refuted, by=replace(design, part="border"))
    assert not settled(sound, *refuted, by=replace(design, digest="abd"))
    assert not settled(sound, *refuted, by=replace(design, mutants=(*titles, "a new one")))
    assert not settled(sound, *refuted, by=replace(design, mutants=titles[:1]))
    assert not settled(sound, *refuted[1:])
    for verdict in ("undecided", "refuted"):
        assert not settled(replace(sound, outcome=Outcome(verdict, "dprove", None, 1.5)), *refuted)
    alive = replace(refuted[0], outcome=Outcome("undecided", "bmc3", None, 9.0))
    assert not settled(sound, alive, *refuted[1:])


def test_a_record_of_some_mutants_is_of_its_design() -> None:
    outcome = Outcome("refuted", "sim3", 3, 0.1)
    design = Design("packing", "abc", ("rows do not move on", "a credit is lost"))

    def is_of(*titles: str, of: Design = design) -> bool:
        mutants = dict.fromkeys(titles, outcome)
        return Entry(ValidatorParameters(lanes=1), "packing", "abc", "1", "ABC", outcome, mutants).is_of(of)

    assert is_of(*design.mutants)
    assert is_of(design.mutants[0])
    assert not is_of(*design.mutants, of=replace(design, digest="abd"))
    assert not is_of(*design.mutants, of=replace(design, part="border"))
    assert not is_of(design.mutants[0], "a mutant that is gone")


def test_what_a_run_is_of_is_the_same_of_cores_that_share_it() -> None:
    validator, encoder = designs(ValidatorParameters(lanes=1)), designs(EncoderParameters(lanes=2))
    assert validator["buffer"] == encoder["buffer"]
    assert validator["buffer"].mutants == tuple(mutant.title for mutant in buffer_mutants())
    assert validator["packing"].digest != encoder["packing"].digest


@pytest.mark.parametrize(("target", "same"), [("latin-1", True), (None, False)])
def test_the_order_of_bytes_is_the_wrappers_but_where_units_are_passed_on(target: str | None, same: bool) -> None:
    little, big = (designs(TranscoderParameters(source, target, 1)) for source in ("utf-16le", "utf-16be"))
    assert (little["window"] == big["window"]) == same
    assert little["wrapper"] != big["wrapper"]


def test_what_a_run_is_of_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path))
    built = []
    parameters = ValidatorParameters(lanes=1)
    buffer = next(proof for proof in proofs(parameters) if proof.name == "buffer")

    def miter(facts: dict[str, int] | None) -> Miter:
        built.append(facts)
        return buffer.miter(facts)

    watched = replace(buffer, miter=miter)
    found = design_of(parameters, watched)
    assert design_of(parameters, watched) == found
    assert built == [None]
    assert found == Design("buffer", buffer.miter(None).digest, tuple(each.title for each in buffer.mutants))
    for anew in (replace(parameters, lanes=2), replace(parameters, sidebands=Sidebands("flag"))):
        design_of(anew, watched)
    design_of(parameters, replace(watched, name="border"))
    monkeypatch.setattr(design, "sources", lambda: "other ones")
    design_of(parameters, watched)
    assert built == [None] * 5


def test_a_mutant_without_a_target_is_refused(tmp_path: Path) -> None:
    parameters = DecoderParameters(lanes=2)
    sound = proofs(parameters)[1].miter(None)
    with pytest.raises(LookupError, match="no register is called gone"):
        Engine([], "", "").graph(replace(sound, edits=[("gone", 0)]), "", tmp_path)
    (mutant,) = (mutant for mutant in packing_mutants(parameters) if mutant.title == "rows do not move on")
    with pytest.raises(LookupError, match="no step is called row_moves"), mutant.broken():
        pass


def test_a_missing_engine_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    with pytest.raises(MissingToolError, match="apt-get install berkeley-abc"):
        Engine.find()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingToolError, match=r"^proofs need Yosys: pip install 'runewire\[synth\]'$"):
        Engine.find()


@pytest.mark.parametrize(("said", "reason"), [
    ("Warning: wide\nERROR: Module `\\dut' not found!\nat exit", r"ERROR: Module `\\dut' not found!"),
    ("19: 0x8a5a8b - sort_worker\nCaused by:\n    wasm trap: call stack exhausted\n\n",
     "wasm trap: call stack exhausted"),
])
def test_what_ended_yosys_is_said_in_a_line(tmp_path: Path, said: str, reason: str) -> None:
    engine = Engine((sys.executable, "-c", f"import sys; sys.exit({said!r})"), "abc", "no version")
    with pytest.raises(ToolError, match=rf"^Yosys failed on window: {reason}$"):
        engine.script(tmp_path, [], "window")
