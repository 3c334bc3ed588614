"""What the parts of a proof are cut from: the cores, and the Verilog, that users get."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from runewire_model import (
    DecoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
)
from runewire_model.errors import ParameterError
from runewire_model.report import Sidebands
from runewire_proofs import Proof, proofs
from runewire_proofs.delivered import delivered
from runewire_proofs.parts.wrapper import IN, OUT, cut
from runewire_rtl.verilog import for_synthesis, top_name, verilog_text

PORTED = DecoderParameters(2, report="kind", report_port="beside", user=1, id=2, dest=3)
"""A core with every port."""


def test_the_ports_that_are_proven_are_those_of_users() -> None:
    whole = delivered(PORTED).partition("endmodule")[0].replace("module dut", f"module {top_name(PORTED)}")
    opened = cut(PORTED).rtlil.partition("endmodule")[0]
    inside = re.compile(r"^ *(input|output|\.)[^,]*\b(in|out)_\w+.*\n", re.MULTILINE)
    assert len(inside.findall(opened)) == 2 * (len(IN) + len(OUT) - 1)
    assert re.sub(r",(?=\s*(//.*)?\n *\))", "", inside.sub("", opened)).split() == whole.split()


def test_only_the_smallest_cores_are_proven_from_port_to_port() -> None:
    def whole(parameters: TranscoderParameters) -> bool:
        return "whole" in [proof.name for proof in proofs(parameters)]

    assert whole(ValidatorParameters(1, "compact"))
    assert whole(DecoderParameters(1, errors="drop", bom="strip", pipeline="compact", report="none"))
    assert whole(ValidatorParameters(4, "compact"))
    assert whole(TranscoderParameters("utf-16le", "utf-8", 1, pipeline="compact"))
    for other in (ValidatorParameters(1), ValidatorParameters(8, "compact"), ValidatorParameters(1, "compact", user=1),
                  DecoderParameters(2, pipeline="compact"), DecoderParameters(1, packing="sparse", pipeline="compact"),
                  DecoderParameters(1, bom="add", pipeline="compact"), TranscoderParameters("utf-8", "utf-16le", 1),
                  SanitizerParameters(1, pipeline="compact")):
        assert not whole(other)


def test_a_core_and_the_packer_before_it_are_proven_separately() -> None:
    both, packer, core = (
        [proof.name for proof in proofs(each)]
        for each in (DecoderParameters(1, null_bytes="anywhere"), parameters("packer", lanes=1), DecoderParameters(1)))
    together = ["reset", "wrapper", "printing"]
    assert both == [*(f"packer_{name}" for name in packer if name not in together),
                    *(name for name in core if name not in together), "connection", *together]


def test_flows_have_proofs_of_what_joins_segments() -> None:
    def names(core: TranscoderParameters) -> list[str]:
        return [proof.name for proof in proofs(core)]

    every = ["extra_beats", "text_end", "contexts", "rotation", "text_error", "printing"]
    assert names(DecoderParameters(1, flows=2, id=1)) == every
    assert names(DecoderParameters(4, flows=2, id=1, pipeline="compact")) == every
    assert names(ValidatorParameters(1, flows=1, report="none")) == ["extra_beats", "text_end", "rotation", "printing"]
    assert {*names(DecoderParameters(1, flows=2, id=1, bom="add"))} == {*every, "text_mark"}
    ordered = TranscoderParameters("utf-16", None, 1, sidebands=Sidebands(flows=2, id=1))
    assert {*names(ordered)} == {*every, "text_order"}
    assert {*names(DecoderParameters(1, flows=2, id=1, replace_runs=True))} == {*every, "text_run"}
    assert {*names(ValidatorParameters(1, flows=2, id=1, records=0x0A))} == {*every, "text_record"}
    reported = ValidatorParameters(1, flows=2, id=1, records=0x0A, record_report=True)
    assert {*names(reported)} == {*every, "text_record", "turn_state"}
    with pytest.raises(ParameterError, match=r"^flows has proofs yet up to 16, got decoder"):
        proofs(DecoderParameters(1, flows=17, id=5))


def test_a_core_with_flows_is_proven_with_the_packer_before_it() -> None:
    def names(core: TranscoderParameters) -> list[str]:
        return [proof.name for proof in proofs(core)]

    packer = ["packer_window", "packer_packing", "packer_border", "packer_buffer"]
    core = DecoderParameters(1, flows=2, id=1)
    whole = replace(core, sidebands=replace(core.sidebands, null_bytes="anywhere"))
    assert names(whole) == [*packer, *names(core)[:-1], "connection", "packed_beats", "printing"]
    line = DecoderParameters(1, flows=1, pipeline="compact", null_bytes="anywhere")
    assert [name for name in names(line) if "packer" not in name] == ["byte_line", "connection", "printing"]


def test_the_way_from_a_packer_to_segments_has_a_skid_buffer_unless_all_registers_wait(
    part_of: Callable[[TranscoderParameters, str], Proof],
) -> None:
    found = [part_of(ValidatorParameters(1, pipeline, flows=2, id=1, null_bytes="anywhere"), "packed_beats")
             for pipeline in ("fast", "compact")]
    assert [proof.miter(None).parameters["SKID"] for proof in found] == [1, 0]
    assert len(found[0].mutants) == len(found[1].mutants) + 3


def test_a_byte_line_is_proven_in_place_of_the_rotation() -> None:
    core = DecoderParameters(1, flows=1, pipeline="compact")
    assert [proof.name for proof in proofs(core)] == ["byte_line", "printing"]


def test_splitters_and_filters_have_proofs_of_their_own_parts() -> None:
    def names(**options: Any) -> list[str]:
        return [proof.name for proof in proofs(parameters(**options))]

    assert names(core="splitter", lanes=1) == ["finding", "splitting"]
    assert names(core="filter", lanes=1, rejects=True) == ["filtering"]
    with pytest.raises(ParameterError, match=r"^a filter has proofs only with rejects, got filter"):
        names(core="filter", lanes=1)
    with pytest.raises(ParameterError, match=r"^split has no proofs yet: prove the splitter and the core, each alone"):
        names(core="validator", lanes=1, split=0x0A)


def test_what_is_proven_from_port_to_port_is_the_verilog_of_users(
    part_of: Callable[[TranscoderParameters, str], Proof],
) -> None:
    parameters = ValidatorParameters(1, "compact")
    proof = part_of(parameters, "whole")
    text = for_synthesis(verilog_text(parameters))
    lines = text.replace(f"module {top_name(parameters)} (", "module dut (").splitlines()
    assert proof.miter(None).dut.splitlines() == [line for line in lines if not line.strip().startswith("//")]
    unreported = part_of(ValidatorParameters(1, "compact", report="none"), "whole")
    (silent,) = (mutant for mutant in proof.mutants if mutant.title == "the report is dropped")
    with silent.broken(), pytest.raises(LookupError, match="no port is called m_axis_tuser"):
        unreported.miter(None)
