"""Each feature has a test of the hardware, and tests that name a feature are found."""

import ast

import pytest
from runewire_pages.part import ROOT
from runewire_pages.test_plan import ANY, features, named, names_by_test, plan


@pytest.mark.parametrize("feature", features(), ids=" ".join)
def test_each_feature_has_a_test_of_the_hardware(feature: tuple[str, str]) -> None:
    assert {"Verilog", "simulated"} & plan()[feature].keys(), f"no test in tests/rtl or tests/sim names {feature}"


def test_every_option_of_a_core_is_a_feature() -> None:
    options = {option for option, _ in features()}
    assert {"core", "from", "lanes", "bom", "report-port", "count", "records", "null-bytes", "package"} <= options
    assert ("bom", "strip") in features()
    assert ("bom", "keep") not in features()
    assert ("records", ANY) in features()


@pytest.mark.parametrize(("source", "names"), [
    ("parameters('decoder', bom='strip')", {("core", "decoder"), ("bom", "strip")}),
    ("{'report_port': 'only'}", {("report-port", "only")}),
    ("runewire('generate', '--null-bytes', 'anywhere')", {("null-bytes", "anywhere")}),
    ("'runewire generate decoder --family ice40'", {("family", "ice40")}),
    ("f(count=('bytes', 'records'))", {("count", "bytes"), ("count", "records")}),
    ("f(records=0x0A)", {("records", ANY)}),
    ("f(user=width)", {("user", ANY)}),
    ("f(initial_values=False)", {("initial-values", "no")}),
    ("TranscoderParameters('utf-8', 'latin-1', 4)", {("from", "utf-8"), ("to", "latin-1")}),
    ("TranscoderParameters('utf-16', None, 4)", {("from", "utf-16"), ("encoding", "utf-16")}),
    ("[TranscoderParameters(source, None, 1) for source in ENCODINGS]", {("encoding", "utf-32be")}),
    ("SanitizerParameters(4)", {("core", "sanitizer")}),
    ("[f(pipeline) for pipeline in PIPELINES]", {("pipeline", "compact"), ("pipeline", "balanced")}),
    ("packaged('sdc')", {("package", "sdc")}),
    ("[each for each in pairs()]", {("from", "utf-32be"), ("encoding", "ascii")}),
])
def test_what_a_test_names(source: str, names: set[tuple[str, str]]) -> None:
    found = {*named(ast.parse(source))}
    assert names <= found
    assert ("bom", "add") not in found


def test_a_test_names_what_its_constants_and_fixtures_name() -> None:
    found = names_by_test(ROOT / "tests" / "rtl" / "packages" / "test_packages.py")
    assert ("report-port", "beside") in found["test_every_file_names_the_core"]  # by the fixture in conftest.py
    assert ("report-port", "beside") not in found["test_a_name_twice_is_one_package"]
