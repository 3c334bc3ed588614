"""Code coverage: complete for narrow cores except for unreachable points, and correct about the points seen."""

from pathlib import Path

import pytest
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters
from runewire_rtl import parameters
from runewire_sim import VerilogDesign, code_coverage, generated
from runewire_sim.code_coverage import CodeCoverage, CodeRecord, CoveragePoint, Reason, cover_code
from runewire_sim.coverage import Coverage
from runewire_sim.scoreboard import compare
from runewire_sim.stalls import Stalls

TINY = parameters("validator", lanes=1, pipeline="compact", offset_bits=16)
FAULTY = VerilogDesign(ValidatorParameters(lanes=2), "faulty", Path(__file__).parent / "faulty.v")
VERILOG = """\
module top (
    input wire a
);
    always @(posedge a) if (a) begin end
endmodule
"""


def counts(*points: tuple[str, str, str, str, str, int]) -> str:
    """Verilator's record of points: kind, line, column, comment, instance, count."""
    return "# SystemC::Coverage-3\n" + "".join(
        f"C '\1f\2design.v\1l\2{line}\1n\2{column}\1t\2{kind[2:]}\1page\2{kind}/top\1o\2{comment}\1h\2{instance}' "
        f"{count}\n" for kind, line, column, comment, instance, count in points)


@pytest.fixture
def top(tmp_path: Path) -> VerilogDesign:
    (tmp_path / "top.v").write_text(VERILOG)
    return VerilogDesign(TINY, "top", tmp_path / "top.v")


@pytest.mark.parametrize("core", [
    pytest.param(TINY, id="compact"),
    pytest.param(parameters("validator", lanes=4, offset_bits=16), marks=pytest.mark.slow, id="validator"),
    pytest.param(parameters("encoder", lanes=2, offset_bits=16), marks=[pytest.mark.slow, pytest.mark.records],
                 id="encoder"),
])
def test_all_is_seen_that_can_be(core: TranscoderParameters) -> None:
    functional, code, wrong = cover_code(core)
    assert wrong is None
    assert functional.holes == []
    assert (list(map(str, code.holes)), list(map(str, code.refuted))) == ([], [])
    assert {point.kind for point in code.seen} == {"line", "branch", "toggle"}
    # Every bit of every port, in both directions.
    assert {point.what for point in code.seen if not point.instance and "m_axis_tuser[19]" in point.what} == {
        "m_axis_tuser[19] 0->1", "m_axis_tuser[19] 1->0"}


def test_a_single_packet_leaves_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    def cover(parameters, seed, design, play):
        with play(design, [b"aaa"], Stalls()) as run:
            assert compare(parameters, [b"aaa"], run).agree
        return Coverage(parameters), None

    monkeypatch.setattr(code_coverage, "cover", cover)
    monkeypatch.setattr(code_coverage, "_more", lambda parameters, seed: [])
    _, code, wrong = cover_code(TINY)
    assert wrong is None
    text = generated(TINY).verilog.read_text().splitlines()
    names = {point.name: point for point in code.holes}
    assert {"m_axis_tdata[7] 0->1", "m_axis_tuser[0] 1->0", "core.report: error_seen 0->1"} <= set(names)
    assert "m_axis_tdata[0] 0->1" not in names
    assert {point.kind for point in code.holes} == {"branch", "toggle"}
    hole = names["core.report: error_seen 0->1"]
    assert "error_seen" in text[hole.line - 1]


def test_without_long_packets_high_bits_are_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_coverage, "FAR_BITS", 12)
    _, code, _ = cover_code(TINY)
    assert {"m_axis_tuser[19] 0->1", "core.report: number_beyond 0->1"} <= {point.name for point in code.holes}


def test_a_wrong_core_is_told() -> None:
    _, code, wrong = cover_code(ValidatorParameters(lanes=2), design=FAULTY)
    assert wrong is not None
    assert code.file == "faulty.v"


def test_points_are_read_and_added_up(top: VerilogDesign) -> None:
    code = CodeCoverage(top)
    for seen in (0, 2):
        code.add(counts(("v_toggle", "2", "16", "a:0->1", "TOP.top", 1),
                        ("v_toggle", "2", "16", "a:1->0", "TOP.top", 0),
                        ("v_branch", "4", "25", "if", "TOP.top.x.y", seen),
                        ("v_branch", "4", "26", "else", "TOP.top.x.y", 0)))
    assert {str(point): count for point, count in code.seen.items()} == {
        "line 2:16, toggle, a 0->1": 2, "line 2:16, toggle, a 1->0": 0,
        "line 4:25, branch, x.y: if of if (a) begin end": 2, "line 4:26, branch, x.y: else of if (a) begin end": 0}
    assert [point.what for point in code.holes] == ["else of if (a) begin end", "a 1->0"]


def test_a_reason_excuses_what_is_not_seen_and_is_refuted_by_what_is(
    top: VerilogDesign, monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = [Reason((str(TINY),), ("a",), "it is tied"), Reason(("another core",), ("b",), "it is tied too")]
    monkeypatch.setattr(code_coverage, "reasons", lambda: kept)
    code = CodeCoverage(top)
    code.add(counts(*(("v_toggle", "2", "16", f"{name}:{change}", "TOP.top", seen)
                      for name in "ab" for change, seen in (("0->1", 0), ("1->0", int(name == "a"))))))
    assert [point.what for point in code.holes] == ["b 0->1", "b 1->0"]
    assert [point.what for point in code.refuted] == ["a 1->0"]
    record = CodeRecord.begin(TINY, 7, code)
    assert CodeRecord.of(record.json()) == record
    assert (record.points, record.seen) == ({"toggle": 4}, {"toggle": 1})
    assert record.unreachable == {"it is tied": ["a 0->1"]}
    assert record.holes == ["line 2:16, toggle, b 0->1", "line 2:16, toggle, b 1->0"]


@pytest.mark.parametrize(("pattern", "what", "covered"), [
    ("x[3]", "x[3] 0->1", True), ("x[3] 1->0", "x[3] 0->1", False), ("x[{3..11}]", "x[10] 1->0", True),
    ("x[{3..11}]", "x[12] 1->0", False), ("x*", "xyz 0->1", True), ("x", "xy 0->1", False), ("x.", "xy 0->1", False),
])
def test_patterns_of_reasons(pattern: str, what: str, covered: bool) -> None:
    assert Reason(("*",), (pattern,), "").covers(CoveragePoint("toggle", 1, 1, "", what)) is covered
    assert Reason(("*",), (f"core: {pattern}",), "").covers(CoveragePoint("toggle", 1, 1, "core", what)) is covered


@pytest.mark.parametrize("core", [
    ValidatorParameters(8), DecoderParameters(4), EncoderParameters(2),
    TranscoderParameters("latin-1", "ascii", 2), TranscoderParameters("utf-16", "utf-8", 1),
], ids=str)
def test_far_packets_have_an_error_behind_all_else(core: TranscoderParameters, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_coverage, "FAR_BITS", 6)
    errors = [core.compute(packet).error for packet in code_coverage._far(core)]
    assert [error.offset for error in errors if error] == [
        *(1 << bit for bit in range(6)), *[64] * code_coverage.ROWS]
