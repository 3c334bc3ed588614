"""Weak cores fail, with their mistakes named: the kit's example with a line changed, one for each trap."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model.conformance import document

Try = Callable[..., Any]
MISSED_START = "wire start = left == 0 && in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4);"
READY = "assign in_ready = go && !cut;"
POINT = "cut || start || open ? 21'h0FFFD"
SOME = "out_some  <= cut || !in_none || left != 0;"


def starts(condition: str) -> dict[str, str]:
    """The core with another condition for a byte that no character starts with."""
    return {MISSED_START: f"wire start = left == 0 && ({condition});"}


def swallows(octets: str) -> dict[str, str]:
    """The core that swallows such a byte where it cuts a character short."""
    return {READY: f"assign in_ready = go && (!cut || (!in_last && {octets}));"}


WEAK = {
    "row-ends": {"in_byte == 8'hE0 ? 8'hA0": "in_byte == 8'hE0 ? 8'hA1"},
    "ascii": starts("in_byte == 8'h7F || in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4)"),
    "null": starts("in_byte == 8'h00 || in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4)"),
    "noncharacters": {POINT: "cut || start || open || made[15:1] == 15'h7FFF ? 21'h0FFFD"},
    "replacement-character": {"error  <= seen": "error  <= seen || made == 21'h0FFFD"},
    "byte-order-mark": {SOME: "out_some <= !in_none && !(place == 2 && made == 21'h0FEFF) || cut;"},
    "character-borders": {"wire cont  = ": "wire cont  = place[5:0] != 0 && "},
    "overlong-2": {"in_byte < 8'hC2 ||": "in_byte < 8'hC0 ||", "in_byte >= 8'hC2 ? 2'd1": "in_byte >= 8'hC0 ? 2'd1"},
    "overlong-3": {"in_byte == 8'hE0 ? 8'hA0": "in_byte == 8'hE0 ? 8'h80"},
    "overlong-4": {"in_byte == 8'hF0 ? 8'h90": "in_byte == 8'hF0 ? 8'h80"},
    "surrogates": {"in_byte == 8'hED ? 8'h9F": "in_byte == 8'hED ? 8'hBF"},
    "above-10FFFF": {"in_byte == 8'hF4 ? 8'h8F": "in_byte == 8'hF4 ? 8'hBF"},
    "F5-to-F7": {"in_byte > 8'hF4": "in_byte > 8'hF7", "in_byte >= 8'hF5 ? 2'd0": "in_byte >= 8'hF8 ? 2'd0"},
    "F8-to-FF": {"in_byte > 8'hF4": "in_byte > 8'hF4 && in_byte < 8'hFE"},
    "lone-continuation": {SOME: "out_some <= cut || !in_none && !(start && in_byte < 8'hC0) || left != 0;"},
    "extra-continuation": {"in_byte < 8'hC2 ||": "in_byte < 8'hC2 && place < 2 ||"},
    "truncated-at-end": {"wire open  = in_last && next != 0;": "wire open  = 1'b0;"},
    "truncated-by-ascii": swallows("in_byte < 8'h80"),
    "truncated-by-lead": swallows("in_byte >= 8'hC2 && in_byte < 8'hF5"),
    "truncated-by-invalid": swallows("in_byte == 8'hFF"),
    "maximal-subpart": {SOME: "out_some <= cut || !in_none && !(start && seen) || left != 0;"},
    "lone-lead": swallows("in_byte == 8'h20"),
    "first-error": {"if (!seen && now) begin": "if (now) begin"},
    "empty": {"in_valid && (cut": "in_valid && !in_none && (cut"},
    "packet-lengths": {SOME: "out_some <= cut || !in_none && place != 16'd64 || left != 0;"},
    "packet-border": {"left  <= 2'd0;\n                        place": "place"},
    "lane-borders": starts("in_byte >= 8'h80 && (in_byte < 8'hC2 || in_byte > 8'hF4) && place != 37"),
    "mixed": {"in_byte == 8'hE0 ? 8'hA0": "in_byte == 8'hE0 ? 8'h80"},
    "back-to-back": {"if (rst) begin": "if (rst || !in_valid) seen <= 1'b0;\n        if (rst) begin",
                     "seen  <= 1'b0;\n                    end": "end"},
    "pauses": {"!out_valid || out_ready;": "1'b1;"},
}
"""For each trap a change of the example core that it finds."""


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.parametrize("trap", WEAK)
def test_each_trap_finds_a_weak_core(trap: str, example: Callable[..., Path], tried: Try) -> None:
    run = tried(example("byte_decoder", WEAK[trap]))
    assert run.status == 1, run.said
    assert trap in run.failed
    assert len(run.failed) <= len(WEAK) / 2, "the change breaks more than the trap's subject"


def test_each_trap_has_a_weak_core() -> None:
    assert {trap["name"] for trap in document("utf-8")["traps"]} | {"back-to-back", "pauses"} == {*WEAK}


@pytest.mark.icarus
def test_a_core_that_is_weak_in_several_ways_is_told_each(example: Callable[..., Path], tried: Try) -> None:
    """It takes overlong forms of three bytes and surrogates for characters, and loses a cut text's state."""
    mistakes = ("overlong-3", "surrogates", "packet-border")
    run = tried(example("byte_decoder", {old: new for each in mistakes for old, new in WEAK[each].items()}))
    assert run.status == 1
    assert run.failed >= {*mistakes}
    assert not run.failed & {"row-ends", "overlong-2", "overlong-4", "above-10FFFF", "truncated-by-ascii", "pauses"}
    assert "first overlong-3/E0-80-80\n        bytes    E08080\n        expected ill-formed" in run.said


@pytest.mark.icarus
def test_an_answer_that_never_comes_is_a_failure(example: Callable[..., Path], tried: Try) -> None:
    changes = {"done <= in_valid && in_last;": "done <= 1'b0;", 'reset = "rst"': 'reset = "rst"\npatience = 50'}
    run = tried(example("byte_validator", changes))
    assert run.status == 1
    assert run.failed >= {"row-ends", "ascii", "mixed"}
    assert "no report" in run.said
