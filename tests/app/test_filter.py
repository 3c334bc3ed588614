"""The filter in the command: results with a line for each rejected record, files, and the commands that refuse it."""

import json
import re
from pathlib import Path

import pytest
from runewire_model import parameters
from runewire_rtl import describe
from runewire_rtl.packages.c import header


def test_results_have_a_line_for_each_rejected_record(tmp_path: Path, runewire) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("610a\n61ff0a62\n\n6162636465660a61\n")
    done = runewire("simulate", "filter", "--lanes", 1, "--longest", 4, "--rejects", "--packets", packets,
                    "--results", results)
    assert (done.status, done.err) == (0, "")
    assert "rejected   2 records" in done.out.splitlines()
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    assert [line for line in lines if "output" in line] == [
        {"output": "610a", "counts": {"rejected": 0}}, {"output": "62", "counts": {"rejected": 1}},
        {"output": "", "counts": {"rejected": 0}}, {"output": "61", "counts": {"rejected": 1}}]
    assert [line for line in lines if "rejected" in line] == [
        {"rejected": "61ff0a", "packet": 1, "record": 0, "error": {"kind": "HEADER_BITS", "offset": 1}, "long": False},
        {"rejected": "6162636465660a", "packet": 3, "record": 0, "error": None, "long": True}]


def test_the_sink_of_rejects_may_be_the_slow_one(tmp_path: Path, runewire) -> None:
    packets = tmp_path / "packets"
    packets.write_text("ff0a\n" * 40)
    cycles = []
    for pauses in ((), ("--side-stall", 0.9)):
        done = runewire("simulate", "filter", "--lanes", 1, "--longest", 4, "--rejects", "--packets", packets, *pauses)
        assert (done.status, done.err) == (0, "")
        cycles.append(int(re.search(r"^cycles +(\d+)", done.out, re.MULTILINE)[1]))
    assert cycles[0] + 300 < cycles[1]
    done = runewire("simulate", "decoder", "--packets", packets, "--side-stall", 0.9)
    assert (done.status, done.err) == (
        2, "runewire: --side-stall goes with --rejects and --record-report, got decoder, 8 lanes\n")


@pytest.mark.parametrize(("command", "message"), [
    ("prove", "a filter has proofs only with --rejects, got filter, 1 lane"),
])
def test_commands_that_refuse_a_filter(command: str, message: str, runewire) -> None:
    done = runewire(command, "filter", "--lanes", 1)
    assert (done.status, done.err) == (2, f"runewire: {message}\n")


def test_description_and_header_have_the_rejects() -> None:
    core = parameters("filter", lanes=1, longest=64, rejects=True, id=2)
    fields = {"kind": {"lsb": 0, "width": 3}, "offset": {"lsb": 3, "width": 32}, "record": {"lsb": 35, "width": 32},
              "long": {"lsb": 67, "width": 1}}
    found = describe(core)
    assert found["rejects"] == {"width": 68, "fields": fields}
    assert {port["name"]: port["width"] for port in found["ports"] if port["name"].startswith("m_rejects")} == {
        "m_rejects_tdata": 8, "m_rejects_tkeep": 1, "m_rejects_tvalid": 1, "m_rejects_tready": 1, "m_rejects_tlast": 1,
        "m_rejects_tuser": 68, "m_rejects_tid": 2}
    text = header(core)
    for name in fields:
        assert f"_rejects_{name}(const uint8_t *rejects)" in text
    assert "_tuser_rejected(const uint8_t *tuser)" in text
    assert "rejects" not in describe(parameters("filter", lanes=1, longest=64))
