"""The judging, on answers that need no simulator: right ones pass, and each change of an expected answer is found."""

from pathlib import Path
from typing import Any

import pytest
from runewire_model import ENCODINGS
from runewire_model.conformance import document
from runewire_model.conformance.vectors import vector
from runewire_sim.conformance.answers import Answer, Reported, ResultsError, read_answers
from runewire_sim.conformance.judge import judged, sendable
from runewire_sim.conformance.page import page
from runewire_sim.conformance.port_map import NAMED_KINDS, Core, Input, Output, PortMap, Report, Signal

EVERY = document("utf-8")
ANY = Signal("any", 7, 0)


def port_map(convention: str = "simdutf", keep: Signal | None = ANY, **output: Any) -> PortMap:
    return PortMap(Core(top="core", sources=(Path("core.v"),)), Input(data=ANY, valid=ANY, last=ANY, keep=keep),
                   Output(data=ANY, valid=ANY, last=ANY, **output),
                   Report(error=ANY, valid=ANY, kind=ANY, offset=ANY, convention=convention))


def right(each: dict[str, Any], convention: str = "simdutf") -> Answer:
    """The answer of a core with UTF-8 out."""
    reported = Reported(False, 7, 7)
    if each["first_error"]:
        error = each["first_error"][convention]
        reported = Reported(True, NAMED_KINDS[convention][error["kind"]], error["offset"])
    return Answer([*bytes.fromhex(each["output"])], 1, [reported])


def failed(vectors: list[dict[str, Any]], answers: list[dict[int, Answer]], ports: PortMap | None = None,
           ) -> dict[str, set[str]]:
    """For each trap that fails its levels."""
    outcomes = judged(ports or port_map(), {**EVERY, "vectors": vectors}, answers)
    return {outcome.name: {*outcome.wrong} for outcome in outcomes if not outcome.passed}


@pytest.mark.parametrize("convention", NAMED_KINDS)
def test_right_answers_pass(convention: str) -> None:
    answers = {number: right(each, convention) for number, each in enumerate(EVERY["vectors"])}
    assert failed(EVERY["vectors"], [answers, answers, answers], port_map(convention)) == {}


@pytest.mark.parametrize("trap", [trap["name"] for trap in EVERY["traps"]])
def test_a_wrong_answer_fails_its_trap_and_no_other(trap: str) -> None:
    vectors = [*{each["trap"]: each for each in EVERY["vectors"]}.values()]
    answers = {at: right(each) for at, each in enumerate(vectors)}
    assert failed(vectors, [answers]) == {}
    [number] = [number for number, each in enumerate(vectors) if each["trap"] == trap]
    good = vectors[number]["well_formed"]
    answers[number] = Answer([*answers[number].output, 0x21], 1, [Reported(good, 0, 0)])
    levels = {"verdict", "replacement"} | ({"report"} if not good else set())
    assert failed(vectors, [answers]) == {trap: levels}


ILL = [{"id": "surrogates/x", "trap": "surrogates", **vector(ENCODINGS["utf-8"], b"A\xED\xA0\x80B")}]


@pytest.mark.parametrize(("answer", "levels"), [
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, [Reported(True, 6, 1)]), set()),
    (Answer([0x41, *b"\xEF\xBF\xBD", 0x42], 1, [Reported(True, 6, 1)]), {"replacement"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, None], 1, [Reported(True, 6, 1)]), {"replacement"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 2, [Reported(True, 6, 1)]), {"replacement"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 0, [Reported(True, 6, 1)], complete=False), {"replacement"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, [Reported(True, 4, 1)]), {"report"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, [Reported(True, 6, 0)]), {"report"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, [Reported(True, None, 1)]), {"report"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, [Reported(None, 6, 1)]), {"verdict", "report"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, []), {"verdict", "report"}),
    (Answer([0x41, *b"\xEF\xBF\xBD" * 3, 0x42], 1, 2 * [Reported(True, 6, 1)]), {"verdict", "report"}),
])
def test_what_counts_at_each_level(answer: Answer, levels: set[str]) -> None:
    assert failed(ILL, [{0: answer}]).get("surrogates", set()) == levels


@pytest.mark.parametrize(("output", "octets"), [
    ({"errors": "drop"}, b"AB"), ({"errors": "3F"}, b"A???B"), ({"errors": "pass"}, b"A\xED\xA0\x80B"),
    ({"encoding": "utf-16be"}, "A\uFFFD\uFFFD\uFFFDB".encode("utf-16-be")),
    ({"encoding": "utf-32le"}, "A\uFFFD\uFFFD\uFFFDB".encode("utf-32-le"))])
def test_outputs_of_other_kinds(output: dict[str, str], octets: bytes) -> None:
    right_one = Answer([*octets], 1, [Reported(True, 6, 1)])
    assert failed(ILL, [{0: right_one}], port_map(**output)) == {}
    assert failed(ILL, [{0: right_one}]) == {"surrogates": {"replacement"}}


def test_a_mark_may_be_stripped() -> None:
    vectors = [{"id": "byte-order-mark/x", "trap": "byte-order-mark", **vector(ENCODINGS["utf-8"], packet)}
               for packet in (b"\xEF\xBB\xBFA", b"A\xEF\xBB\xBF")]
    stripped = {at: Answer([*text], 1, [Reported(False, 0, 0)]) for at, text in enumerate((b"A", b"A\xEF\xBB\xBF"))}
    assert failed(vectors, [stripped], port_map(bom="strip")) == {}
    assert failed(vectors, [stripped]) == {"byte-order-mark": {"replacement"}}


def test_later_passes_are_compared_with_the_first() -> None:
    good = right(ILL[0])
    assert failed(ILL, [{0: good}, {0: good}, {0: good}]) == {}
    assert failed(ILL, [{0: good}, {0: good}, {}]) == {"pauses": {"replacement"}}
    assert failed(ILL, [{0: good}, {0: Answer(good.output, 1, [Reported(True, 6, 2)])}, {0: good}]) == {
        "back-to-back": {"replacement"}}
    assert failed(ILL, [{0: good}, {0: good, 1: Answer([0x21])}, {0: good}]) == {"back-to-back": {"replacement"}}


def test_a_packet_that_was_not_sent_is_no_pass() -> None:
    assert failed(ILL, [{}]) == {"surrogates": {"verdict", "replacement", "report"}}


def test_an_empty_packet_needs_keep_bits() -> None:
    numbers = [number for number, each in enumerate(EVERY["vectors"]) if not each["bytes"]]
    assert len(numbers) == 1
    assert {*range(len(EVERY["vectors"]))} - {*sendable(port_map(keep=None), EVERY["vectors"])} == {*numbers}
    assert sendable(port_map(), EVERY["vectors"]) == [*range(len(EVERY["vectors"]))]
    answers = {number: right(each) for number, each in enumerate(EVERY["vectors"])}
    [empty] = [outcome for outcome in judged(port_map(keep=None), EVERY, [answers]) if outcome.name == "empty"]
    assert empty.counts == {}


def test_results_are_read_as_benches_write_them() -> None:
    lines = ["o 0 5 00c3a9xx 0111 0", "o 0 5 000000bd 0001 1", "r 0 5 1 00000006 0000000000000002", "e 0 5",
             "r 0 6 x 0000000x 0000000000000000", "t 0 7", "end"]
    [answers] = read_answers(lines, 1)
    assert answers == {5: Answer([None, 0xA9, 0xC3, 0xBD], 1, [Reported(True, 6, 2)]),
                       6: Answer(reports=[Reported(None, None, 0)]), 7: Answer(complete=False)}
    with pytest.raises(ResultsError, match="ended early"):
        read_answers(lines[:-1], 1)
    with pytest.raises(ResultsError, match="a line that no bench writes: 'x 1'"):
        read_answers(["x 1"], 1)


def test_the_page_names_each_failed_trap_with_its_first_vector() -> None:
    document = {**EVERY, "vectors": ILL}
    good = judged(port_map(), document, [{0: right(ILL[0])}])
    bad = judged(port_map(), document, [{0: Answer([*b"<A>"], 1, [Reported(False, 0, 0)])}])
    assert "passes all 1 traps that were tried" in page(port_map(), document, good)
    shown = page(port_map(), document, bad)
    assert "fails 1 of 1 traps" in shown
    for text in ('<h3 id="surrogates">', "41 ED A0 80 42", "SURROGATE at 1", "a text that is well-formed", "3C 41 3E",
                 '<td class="mark none">'):
        assert text in shown, text
