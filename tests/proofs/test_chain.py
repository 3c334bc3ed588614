"""The chain of a core's parts: nothing is assumed that nobody proves, and a missing or stronger line is found."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from runewire.cli import main
from runewire.commands import prove
from runewire_model import TranscoderParameters, parameters
from runewire_model.report import Sidebands
from runewire_proofs import Engine, Link, chain, proofs
from runewire_proofs.chain import walk
from runewire_proofs.miter import Change, Miter
from runewire_proofs.proof import Facts, Proof

pytestmark = pytest.mark.needs("berkeley-abc")
COMPACT = parameters("validator", lanes=1, pipeline="compact", id=1)
FLOWS = parameters("validator", lanes=1, flows=2, id=1)


def changed(proof: Proof, changes: Sequence[Change]) -> Proof:
    """A part whose comparison says something else."""
    def miter(facts: Facts) -> Miter:
        sound = proof.miter(facts)
        return replace(sound, changes=[*sound.changes, *changes])
    return replace(proof, miter=miter)


@pytest.fixture
def lazy(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Any:
    """Gaps in the chain of some parts of a core, with changes to their comparisons, one after another."""
    def found(core: TranscoderParameters, only: str, **changes: Sequence[Change]) -> Iterator[str]:
        parts = [changed(proof, changes.get(proof.name, ())) for proof in proofs(core)
                 if proof.name in (*only.split(), "wrapper")]
        monkeypatch.setattr(walk, "proofs", lambda _: parts)
        return (link.text for link in chain(core, engine) if link.gap)
    return found


@pytest.fixture
def gaps(lazy: Any) -> Any:
    """All of them."""
    def found(*core: Any, **changes: Sequence[Change]) -> list[str]:
        return list(lazy(*core, **changes))
    return found


@pytest.mark.slow
def test_a_stronger_assumption_is_found(gaps: Any) -> None:
    assert gaps(COMPACT, "skid") == []
    (gap,) = gaps(COMPACT, "skid", skid=[("skid.v", ".advance(advance)", ".advance(advance || !open)")])
    assert gap == "skid: it assumes more of advance than it says, so nobody proves it: this is refuted"


def test_the_skid_buffer_at_the_output_assumes_nothing(gaps: Any) -> None:
    core = parameters("validator", lanes=64, family="gowin-5a")
    assert gaps(core, "output_skid") == []
    (gap,) = gaps(core, "output_skid", output_skid=[("output_skid.v", ".ready(ready)", ".ready(ready || !valid)")])
    assert gap == "output_skid: it assumes more of ready than it says, so nobody proves it: this is refuted"


@pytest.mark.slow
def test_an_assumption_that_nobody_proves_is_found(gaps: Any) -> None:
    (gap,) = gaps(COMPACT, "placement counters window skid")
    assert gap.startswith("window: while a compact pipeline waits, none of its registers changes: nobody proves it")
    (gap,) = gaps(COMPACT, "window waiting skid", waiting=[
        ("waiting.v", "output wire            bad_moved", "output wire            bad_motion"),
        ("waiting.v", ".moved(bad_moved)", ".moved(bad_motion)")])
    assert gap.endswith("none of its registers changes: waiting has no assertion bad_moved any more")


@pytest.mark.slow
def test_an_assertion_that_is_removed_is_found(gaps: Any) -> None:
    core = TranscoderParameters("ascii", "latin-1", 1)
    assert gaps(core, "window border") == []
    (gap,) = gaps(core, "window border", window=[
        ("window.v", "assign bad_present = (!IN_PLACE", "assign bad_present = 0 && (!IN_PLACE")])
    assert gap == ("border: without a beat no item is present: it does not follow from window (bad_beat, bad_present): "
                   "this is refuted")


@pytest.mark.slow
@pytest.mark.parametrize(("part", "file", "old", "new", "said"), [
    ("border", "buffer_contract.v", "assign broken =", "assign broken = 0 &&", "buffer: rows are pushed in turns"),
    ("packing", "packing.v", ".marks(marks), .mark_enable", ".marks(marks & {2*LANES{go}}), .mark_enable",
     "packing: it assumes more of marks"),
    ("window", "window.v", ".i_data(units)", ".i_data(units & {8*UNIT*LANES{valid}})",
     "window: it assumes more of i_data"),
])
def test_a_line_that_is_changed_is_found(part: str, file: str, old: str, new: str, said: str, gaps: Any) -> None:
    core = parameters("validator", lanes=2, id=1)
    assumes = said.partition(":")[0]
    found = gaps(core, f"window {assumes} {part}", **{part: [(file, old, new)]})
    assert [gap for gap in found if gap.startswith(said)], found


@pytest.fixture
def first_gap(monkeypatch: pytest.MonkeyPatch, lazy: Any) -> Any:
    """The first gap in what one part assumes that begins so; the ``others`` are there to prove it."""
    def found(
        core: TranscoderParameters, part: str, others: str, said: str = "", **changes: Sequence[Change],
    ) -> str | None:
        for other in others.split():
            monkeypatch.setitem(walk.COMPLETE, other, "its own assumptions are not looked at")
        every = lazy(core, f"{part} {others}", **changes)
        return next((gap for gap in every if gap.startswith(f"{part}: {said}")), None)
    return found


def removed(part: str, name: str) -> dict[str, Sequence[Change]]:
    """A part whose comparison no longer has an assertion."""
    return {part: [(f"{part}.v", f"assign {name} =", f"assign {name} = 0; wire [63:0] no_{name} =")]}


@pytest.mark.slow
@pytest.mark.parametrize(("part", "name", "assumes", "said"), [
    ("extra_beats", "bad_extra", "text_end", "extra beats follow a packet's last beat"),
    ("extra_beats", "bad_beat", "contexts", "all beats of a packet have the same tid and tdest"),
    ("text_end", "bad_first", "contexts", "a packet's first beat says so, and no other"),
    ("extra_beats", "bad_final", "rotation", "a packet has the beat before it and the extra beats that it needs"),
    ("text_end", "bad_more", "rotation", "extra beats have the *more* of their packet"),
    ("text_end", "bad_end", "rotation", "the bytes that are sent end at one place"),
    ("rotation", "bad_flow", "text_error", "all beats of a packet have the same tid and tdest"),
    ("rotation", "bad_keep", "text_error", "a beat has bytes from byte 0 on, and only a packet's last"),
])
def test_an_assertion_about_segments_that_is_removed_is_found(
    part: str, name: str, assumes: str, said: str, first_gap: Any,
) -> None:
    others = {"text_end": "extra_beats", "contexts": "extra_beats text_end", "text_error": "rotation"}
    gap = first_gap(FLOWS, assumes, others.get(assumes, "extra_beats text_end"), said, **removed(part, name))
    assert ": it does not follow from" in gap
    assert gap.endswith("this is refuted")


@pytest.mark.slow
@pytest.mark.parametrize(("part", "old", "new", "signal"), [
    ("extra_beats", ".i_user(user)", ".i_user(user && !last)", "i_user"),
    ("text_end", ".i_data(data)", ".i_data(data & {8*LANES{valid}})", "i_data"),
    ("contexts", ".of_beats_after(after_beat)", ".of_beats_after(after_beat & {WIDTH{go}})", "of_beats_after"),
    ("rotation", ".history(history)", ".history(into == 0 ? 0 : history)", "history"),
    ("text_error", ".more(more)", ".more(more && last)", "more"),
])
def test_a_stronger_assumption_about_segments_is_found(
    part: str, old: str, new: str, signal: str, first_gap: Any,
) -> None:
    gap = first_gap(FLOWS, part, "", **{part: [(f"{part}.v", old, new)]})
    assert gap == f"{part}: it assumes more of {signal} than it says, so nobody proves it: this is refuted"


@pytest.mark.slow
def test_a_part_that_holds_of_full_beats_alone_is_found(first_gap: Any) -> None:
    core = parameters("decoder", lanes=1, flows=2, id=1)
    gap = first_gap(core, "text_error", "rotation", text_error=[
        ("text_error.v", "sum(packet, here)", "sum(packet, last ? here : LANES)")])
    assert gap == "text_error: it is proven of full beats alone; of beats that lack any bytes this is refuted"


@pytest.mark.slow
def test_a_part_of_segments_that_is_missing_is_found(first_gap: Any) -> None:
    gap = first_gap(FLOWS, "text_end", "")
    assert gap.endswith(": nobody proves it, as this core has no part extra_beats")


@pytest.mark.slow
def test_what_changes_between_the_parts_of_a_splitter_is_found(first_gap: Any) -> None:
    core = parameters("splitter", lanes=2)
    gap = first_gap(core, "splitting", "finding", **removed("finding", "bad_full"))
    assert gap.startswith("splitting: each beat has the numbers of its rows that follow from its bytes: it does not")
    gap = first_gap(core, "splitting", "finding", splitting=[
        ("splitting.v", ".tells(f_tells)", ".tells(f_tells && go)")])
    assert gap == "splitting: it assumes more of tells than it says, so nobody proves it: this is refuted"


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    # A minute of processor time each.
    pytest.param(parameters("decoder", lanes=1, flows=2, id=1, bom="add"), marks=pytest.mark.records),
    pytest.param(TranscoderParameters("utf-16", "utf-8", 1, sidebands=Sidebands(flows=2, id=1)),
                 marks=pytest.mark.records),
    pytest.param(parameters("validator", lanes=1, flows=2, id=1, records=10, record_report=True),
                 marks=pytest.mark.records),
    parameters("decoder", lanes=1, flows=1, pipeline="compact"),
    parameters("splitter", lanes=2),
], ids=str)
def test_the_chain_says_what_is_simulated(core: TranscoderParameters, engine: Engine) -> None:
    links = list(chain(core, engine))
    assert [link.text for link in links if link.gap] == []
    simulated = [link.text for link in links if link.simulated]
    assert all("not proven: " in text for text in simulated)
    assert [text for text in simulated if "at s_axis" in text]
    assert simulated[-1].endswith("reset and ports")


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    parameters("validator", lanes=2), parameters("decoder", lanes=2, pipeline="compact", dest=1, count=["code-points"]),
    *(pytest.param(core, marks=pytest.mark.records) for core in (
        parameters("decoder", lanes=2, id=2, user=1, count=["bytes"]), parameters("encoder", lanes=2),
        parameters("validator", lanes=2, records=10, report_port="beside"),
        parameters("decoder", lanes=1, null_bytes="anywhere", id=1))),
    parameters("decoder", lanes=1, early=True, bom="add"),
    parameters("sanitizer", lanes=2, errors="drop", pipeline="compact"),
    parameters("validator", lanes=1, pipeline="compact", null_bytes="anywhere", id=1),
    parameters("packer", lanes=2, user=1, id=1),
], ids=str)
def test_the_chain_has_no_gap(core: TranscoderParameters, engine: Engine) -> None:
    links = list(chain(core, engine))
    assert len(links) > 9
    assert [link.text for link in links if link.gap] == []


def test_the_command_prints_the_chain(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    core = ["prove", "validator", "--lanes", "1", "--pipeline", "compact", "--id", "1", "--chain"]
    links = [Link("skid assumes nothing of open"), Link("window: nobody proves it", gap=True)]
    monkeypatch.setattr(prove, "chain", lambda *_: iter(links[:1]))
    assert main(core) == 0
    core_name, _, said = capsys.readouterr().out.removeprefix("skid assumes nothing of open\n").partition(": ")
    assert core_name == str(COMPACT)
    assert said.startswith("the chain has no gap.")
    monkeypatch.setattr(prove, "chain", lambda *_: iter([*links[:1], Link("  simulated", simulated=True)]))
    assert main(core) == 0
    assert ": the chain has no gap, but 1 line with what is not proven. The same" in capsys.readouterr().out
    monkeypatch.setattr(prove, "chain", lambda *_: iter(links))
    assert main(core) == 1
    assert capsys.readouterr().out.endswith(f"window: nobody proves it\n{COMPACT}: 1 gap in the chain\n")


@pytest.mark.parametrize(("words", "said"), [
    (["--chain"], "--chain needs a CORE, as in: runewire prove decoder --lanes 2 --chain"),
    (["validator", "--lanes", "1", "--chain", "--part", "skid"],
     "--chain proves no part of a core, so it does not go with --part"),
    (["filter", "--lanes", "1", "--rejects", "--chain"], "the parts of filter, 1 lane, rejects yes do not join"),
])
def test_what_the_chain_is_not_for(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *words]) != 0
    assert said in " ".join(capsys.readouterr().err.split())
