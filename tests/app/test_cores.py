"""``runewire.core``: the same options, files and results as the command's."""

import doctest
import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import runewire
from amaranth.lib import wiring
from runewire.cores import Answer, Core, PackageName, SimulatorName
from runewire.keywords import CoreName, CoreOptions
from runewire.options import CORE, SIDEBANDS
from runewire_model import ENCODINGS, ParameterError, __version__
from runewire_model.port_options import port_options
from runewire_model.report import COUNTERS, NULL_BYTES, REPORT_PORTS, REPORTS
from runewire_model.transcoder import BOMS, CORES, ERRORS, FAMILIES, PACKINGS, PIPELINES, TRANSCODER
from runewire_rtl.packages import PACKAGES
from runewire_sim import SIMULATORS, VerilogDesign

NAMES = ", ".join((*CORES, TRANSCODER))
FAULTY = Path(__file__).parents[1] / "sim" / "faulty.v"
SAMPLE = "é€😀".encode() + b"\n\xC3" + b"abc\nde"


def test_the_keywords_are_the_options_of_the_command() -> None:
    assert list(CoreOptions.__annotations__) == [*CORE, *SIDEBANDS]


@pytest.mark.parametrize(("option", "values"), [
    *((name, ENCODINGS) for name in ("from_", "to", "encoding")), ("errors", ERRORS), ("bom", BOMS),
    ("packing", PACKINGS), ("pipeline", PIPELINES), ("family", FAMILIES), ("report", REPORTS),
    ("report_port", REPORT_PORTS), ("null_bytes", NULL_BYTES)])
def test_an_editor_has_the_values_that_there_are(option: str, values: Any) -> None:
    assert get_args(get_type_hints(CoreOptions)[option]) == tuple(values)


def test_an_editor_has_the_names_that_there_are() -> None:
    [counters] = get_args(get_type_hints(CoreOptions)["count"])
    assert get_args(counters) == tuple(COUNTERS)
    assert get_args(CoreName) == (*CORES, TRANSCODER)
    assert get_args(PackageName) == tuple(PACKAGES)
    assert get_args(SimulatorName) == tuple(SIMULATORS)
    assert runewire.encodings() == tuple(ENCODINGS)
    assert runewire.__version__ == __version__
    assert {*runewire.__all__} <= {*dir(runewire)}


@pytest.mark.parametrize("module", ["runewire", "runewire.cores"])
def test_examples_give_what_they_show(module: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(module), extraglobs={"runewire": runewire})
    assert tried > 0
    assert failed == 0


def test_choosing_and_asking_imports_no_amaranth() -> None:
    code = "import runewire, sys; runewire.core('decoder').answer(b'a'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:] = {sys.path}; {code}"],
                          capture_output=True, text=True, check=True)
    assert not {"amaranth", "typer", "rich", "runewire_rtl", "runewire_sim"} & {*done.stdout.split()}


@pytest.mark.parametrize(("name", "options", "words", "initial_values"), [
    ("decoder", {"lanes": 1, "errors": "drop", "count": ("code-points", "bytes")},
     ["decoder", "--lanes", "1", "--errors", "drop", "--count", "code-points,bytes"], True),
    ("validator", {"lanes": 1, "records": 0x0A, "pipeline": "compact"},
     ["validator", "--lanes", "1", "--records", "0A", "--pipeline", "compact"], False),
    ("transcoder", {"from_": "utf-16le", "to": "latin-1", "lanes": 1},
     ["transcoder", "--from", "utf-16le", "--to", "latin-1", "--lanes", "1"], True),
])
def test_it_writes_what_the_command_writes(name: CoreName, options: CoreOptions, words: list[str], initial_values: bool,
                                           tmp_path: Path, runewire: Callable[..., Any]) -> None:
    core = sys.modules["runewire"].core(name, **options)
    made = core.write(tmp_path / "python", ("vivado", "c"), initial_values=initial_values)
    off = [] if initial_values else ["--initial-values", "no"]
    outcome = runewire("generate", *words, "--package", "vivado,c", *off, "-o", tmp_path / "command")
    assert outcome.status == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "python").iterdir()}
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "command").iterdir()}
    assert {path.name for path in made.paths} == {*written}
    description = core.description(initial_values=initial_values)
    assert json.loads(made.description.read_text()) == json.loads(json.dumps(description))
    assert (core.top, core.latency) == (description["top"], description["latency_cycles"])


@pytest.mark.parametrize("initial_values", [True, False])
def test_the_text_is_the_file_s(initial_values: bool, tmp_path: Path) -> None:
    core = runewire.core("validator", lanes=1, pipeline="compact")
    written = core.write(tmp_path, initial_values=initial_values)
    assert written.verilog.read_text() == core.verilog(initial_values=initial_values)


def test_the_core_for_amaranth_is_new_each_time() -> None:
    core = runewire.core("validator", lanes=2)
    first, second = core.component(), core.component()
    assert isinstance(first, wiring.Component)
    assert first is not second
    assert {"i", "o"} <= {*first.signature.members}


@pytest.mark.parametrize(("core", "packet", "answer"), [
    (runewire.core("decoder", count=("code-points",)), b"a\xE2\x82b",
     Answer("a\uFFFDb".encode("utf-32le"), (0x61, 0xFFFD, 0x62), True, "TOO_SHORT", 1, {"code_points": 3})),
    (runewire.core("validator", records=0x0A), b"a\nb\xFF",
     Answer(b"a\nb\xFF", (0x61, 0x0A, 0x62, 0xFF), True, "HEADER_BITS", 3, {}, (False, True))),
    (runewire.core("validator", encoding="utf-16", report="kind"), b"\xFE\xFF\xD8\x00",
     Answer(b"\xFE\xFF\xD8\x00", (0xFEFF, 0xD800), True, "SURROGATE", None)),
    (runewire.core("transcoder", from_="utf-8", to="utf-16be", report="flag"), "😀".encode() + b"\xFF",
     Answer("😀\uFFFD".encode("utf-16be"), (0xD83D, 0xDE00, 0xFFFD), True, None, None)),
    (runewire.core("sanitizer", report="none"), b"\xFF",
     Answer("\uFFFD".encode(), (0xEF, 0xBF, 0xBD), False, None, None)),
    (runewire.core("packer"), b"\xFF\0", Answer(b"\xFF\0", (0xFF, 0), False, None, None)),
    (runewire.core("encoder"), "é".encode("utf-32le"), Answer("é".encode(), (0xC3, 0xA9), False, None, None)),
])
def test_the_answer_of_the_model(core: Core, packet: bytes, answer: Answer) -> None:
    assert core.answer(packet) == answer


@pytest.mark.parametrize(("core", "simulator"), [
    (runewire.core("validator", lanes=2), "verilator"),
    (runewire.core("validator", lanes=1, records=0x0A, count=("bad-records", "bytes"), report_port="only"), "amaranth"),
    (runewire.core("decoder", lanes=1, report="kind"), "amaranth"),
    (runewire.core("transcoder", from_="utf-8", to="utf-16le", lanes=1, report="flag"), "amaranth"),
])
def test_the_hardware_answers_what_the_model_answers(core: Core, simulator: Any) -> None:
    packets = [SAMPLE, b"", b"\xED\xA0\x80", b"ok"]
    found = core.simulate(packets, simulator=simulator, stall=0.3, seed=2)
    assert found.answers == tuple(core.answer(packet) for packet in packets)
    assert (found.agree, found.difference) == (True, None)
    assert found.cycles > len(SAMPLE) // core.parameters.lanes


def test_the_command_simulates_the_same(tmp_path: Path, runewire: Callable[..., Any]) -> None:
    (tmp_path / "text").write_bytes(SAMPLE)
    outcome = runewire("simulate", "validator", tmp_path / "text", "--lanes", 1, "--stall", 0.4, "--seed", 3,
                       "--simulator", "amaranth")
    found = sys.modules["runewire"].core("validator", lanes=1).simulate([SAMPLE], stall=0.4, seed=3,
                                                                        simulator="amaranth")
    assert f" {found.cycles} " in outcome.out.replace(",", " ")


def test_null_bytes_reach_the_hardware() -> None:
    packer = runewire.core("packer", lanes=2)
    full, thin = (packer.simulate([SAMPLE], holes=holes, simulator="amaranth") for holes in (0.0, 0.7))
    assert (full.agree, thin.agree) == (True, True)
    assert thin.answers == full.answers
    assert thin.cycles > full.cycles + len(SAMPLE) // 2


def test_a_difference_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runewire_sim.generated", lambda parameters: VerilogDesign(parameters, "faulty", FAULTY))
    found = runewire.core("validator", lanes=2).simulate([b"ok", b"D", b"ok"])
    assert not found.agree
    assert found.difference is not None


@pytest.mark.parametrize(("call", "message"), [
    (lambda: runewire.core("decode"), f"core must be one of {NAMES}, got 'decode': did you mean 'decoder'?"),
    (lambda: runewire.core(8), f"core must be one of {NAMES}, got 8"),
    (lambda: runewire.core("transcoder", to="utf-8"), "the transcoder needs from_ and to, each one of utf-8, utf-16le, "
     "utf-16be, utf-16, utf-32le, utf-32be, utf-32, latin-1, ascii"),
    (lambda: runewire.core("transcoder", from_="utf-7", to="utf-8"), "from_ must be one of utf-8, utf-16le, utf-16be, "
     "utf-16, utf-32le, utf-32be, utf-32, latin-1, ascii, got 'utf-7': did you mean 'utf-8'?"),
    (lambda: runewire.core("transcoder", from_=8, to="utf-8"), "from_ must be one of utf-8, utf-16le, utf-16be, "
     "utf-16, utf-32le, utf-32be, utf-32, latin-1, ascii, got 8"),
    (lambda: runewire.core("decoder", from_="utf-8"), "the decoder has no option from_: the transcoder has it"),
    (lambda: runewire.core("decoder", lanes="8"), "lanes must be a power of two from 1 to 64, got '8'"),
    (lambda: runewire.core("decoder", lane=8), "the decoder has no option 'lane', it has lanes, errors, bom, packing, "
     f"pipeline, family, reject_nul, replace_runs, and for its ports {', '.join(port_options('decoder'))}: did you "
     "mean 'lanes'?"),
    (lambda: runewire.core("validator", records="0A"), "records must be a number, such as records=0x0A, got str '0A'"),
    (lambda: runewire.core("sanitizer", replacement=b"?"),
     "replacement must be a number, such as replacement=0x0A, got bytes b'?'"),
    (lambda: runewire.core("validator", count=5), "count must be a sequence of names, such as ('bytes',), got int 5"),
    (lambda: runewire.core("validator", user=1.5), "user must be a number from 0 to 64, got 1.5"),
    (lambda: runewire.core("validator").write("x", "vivado"),
     "packages must be a sequence of names, such as ('vivado',), got str 'vivado'"),
    (lambda: runewire.core("validator").write("x", ("vivdo",)), f"packages must be one of {', '.join(PACKAGES)}, got "
     "'vivdo': did you mean 'vivado'?"),
    (lambda: runewire.core("validator").simulate([b""], simulator="verilog"),
     "simulator must be one of verilator, icarus, amaranth, got 'verilog': did you mean 'verilator'?"),
    (lambda: runewire.core("validator", lanes=1).simulate([b""], holes=0.5),
     "holes goes with the packer and null_bytes='anywhere', got validator, 1 lane"),
])
def test_a_wrong_value_is_one_line_with_the_keyword_s_name(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize(("call", "message"), [
    (lambda: runewire.core("validator").answer("é"), "packet must be bytes, got str 'é'"),
    (lambda: runewire.core("validator").simulate([b"", "é"]), r"packets[1] must be bytes, got str 'é'"),
    (lambda: runewire.core("validator").simulate(b"ab"), "packets must be a list of bytes, got bytes b'ab'"),
    (lambda: runewire.core("validator").write(5), "directory must be a path, got int 5"),
])
def test_a_wrong_type_is_one_line(call: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


def test_a_missing_attribute_is_one() -> None:
    with pytest.raises(AttributeError, match=r"^module 'runewire' has no attribute 'cor'$"):
        _ = runewire.cor
