"""``runewire generate``."""

import json
from pathlib import Path

import pytest


@pytest.mark.parametrize(("arguments", "parameters"), [
    (["validator"], {"lanes": 8}),
    (["decoder", "--lanes", 2, "--errors", "drop", "--bom", "strip", "--packing", "sparse"],
     {"lanes": 2, "errors": "drop", "bom": "strip", "packing": "sparse"}),
    (["encoder", "--lanes", 1, "--pipeline", "compact"], {"lanes": 1, "pipeline": "compact"}),
    (["transcoder", "--from", "utf-16be", "--to", "latin-1", "--lanes", 1, "--errors", "drop"],
     {"lanes": 1, "errors": "drop"}),
    (["transcoder", "--from", "utf-16", "--to", "utf-16le", "--lanes", 1, "--bom", "add"], {"lanes": 1, "bom": "add"}),
    (["sanitizer", "--lanes", 1, "--replacement", "3F"], {"lanes": 1, "replacement": 0x3F, "packing": "dense"}),
])
def test_writes_verilog_description_and_template(arguments: list[object], parameters: dict[str, object],
                                                 tmp_path: Path, runewire) -> None:
    folder = tmp_path / "made" / "here"
    outcome = runewire("generate", *arguments, "-o", folder)
    assert (outcome.status, outcome.err) == (0, "")
    [description] = folder.glob("*.json")
    told = json.loads(description.read_text())
    assert told["core"] == arguments[0]
    assert told["parameters"] == {**told["parameters"], **parameters}
    names = {f"{told['top']}.v", f"{told['top']}.json", f"{told['top']}.veo"}
    assert {path.name for path in folder.iterdir()} == names
    assert sorted(outcome.out.split()) == sorted(str(folder / name) for name in names)
    assert f"module {told['top']}" in (folder / f"{told['top']}.v").read_text()


@pytest.mark.parametrize(("arguments", "told"), [
    (["transcoder", "--from", "utf-8", "--to", "latin-1"], {"core": "transcoder", "from": "utf-8", "to": "latin-1"}),
    (["validator", "--encoding", "ascii"], {"core": "transcoder", "from": "ascii", "to": None}),
    (["validator", "--encoding", "utf-16"], {"core": "transcoder", "from": "utf-16", "to": None}),
    (["validator", "--encoding", "utf-8"], {"core": "validator"}),
    (["transcoder", "--from", "utf-8", "--to", "utf-32le"], {"core": "decoder"}),
])
def test_a_core_of_any_encodings(arguments: list[str], told: dict[str, str | None], tmp_path: Path, runewire) -> None:
    outcome = runewire("generate", *arguments, "--lanes", 1, "-o", tmp_path)
    assert (outcome.status, outcome.err) == (0, "")
    [description] = tmp_path.glob("*.json")
    said = json.loads(description.read_text())
    assert {name: said[name] for name in ("core", "from", "to") if name in said} == told


def test_packages_are_written_beside_the_core(tmp_path: Path, runewire) -> None:
    outcome = runewire("generate", "validator", "--lanes", 1, "--package", "c", "--package", "bender", "--package", "c",
                       "-o", tmp_path)
    assert (outcome.status, outcome.err) == (0, "")
    top = "runewire_validator_x1"
    names = [f"{top}.v", f"{top}.json", f"{top}.veo", f"{top}.h", "Bender.yml", f"{top}_tb.sv"]
    assert outcome.out.split() == [str(tmp_path / name) for name in names]
    assert {path.name for path in tmp_path.iterdir()} == {*names}


def test_registers_have_initial_values_or_not(tmp_path: Path, runewire) -> None:
    texts, told = {}, {}
    for value in ("yes", "no", None):
        folder = tmp_path / str(value)
        given = [] if value is None else ["--initial-values", value]
        outcome = runewire("generate", "validator", "--lanes", 1, "--pipeline", "compact", *given, "-o", folder)
        assert (outcome.status, outcome.err) == (0, "")
        [verilog], [description] = folder.glob("*.v"), folder.glob("*.json")
        texts[value], told[value] = verilog.read_text(), json.loads(description.read_text())
    assert texts[None] == texts["yes"] != texts["no"]
    assert "no initial values" in texts["no"]
    assert [told[value].pop("initial_values") for value in ("yes", "no", None)] == [True, False, True]
    assert told["yes"] == told["no"] == told[None], "name and all else are the same"


def test_the_same_bytes_again(tmp_path: Path, runewire) -> None:
    for name in ("a", "b"):
        runewire("generate", "validator", "--lanes", 1, "-o", tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_files_are_readable_by_all_that_the_umask_allows(tmp_path: Path, runewire) -> None:
    runewire("generate", "validator", "--lanes", 1, "-o", tmp_path)
    probe = tmp_path / "probe"
    probe.touch()
    assert {path.stat().st_mode for path in tmp_path.iterdir()} == {probe.stat().st_mode}


@pytest.mark.parametrize(("arguments", "message"), [
    (["decoder", "--lanes", 3], "--lanes must be a power of two from 1 to 64, got 3"),
    (["decoder", "--lanes", "x"], "Invalid value for '--lanes': 'x' is no whole number"),
    (["decoder", "--errors", "strict"], "--errors must be one of replace, drop, got 'strict'"),
    (["validator", "--bom", "keep"],
     "the validator has no option --bom: the decoder, sanitizer and transcoder have it"),
    (["sanitizer", "--replacement", "?"], "'?' is no byte in hex: write 3F"),
    (["sanitizer", "--replacement", "80"], "--replacement must be a byte from 00 to 7F in hex, got 80"),
    (["sanitizer", "--packing", "sparse"], "has no option --packing, it has --lanes, --errors, --replacement, --bom, "
     "--pipeline, --family, --reject-nul, --replace-runs; with --errors drop or --replacement 3F it has --packing too"),
    (["decode"],
     "CORE must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, got 'decode': "
     "did you mean 'decoder'?"),
    (["transcoder"], "the transcoder needs --from and --to, each one of utf-8, utf-16le"),
    (["transcoder", "--from", "utf-8"], "the transcoder needs --from and --to"),
    (["transcoder", "--from", "utf-8", "--to", "utf-7"], "--to must be one of utf-8, utf-16le"),
    (["transcoder", "--from", "utf-8", "--to", "utf-8", "--encoding", "ascii"],
     "the transcoder has no option --encoding, it has --from and --to"),
    (["decoder", "--to", "utf-8"], "the decoder has no option --to: the transcoder has it"),
    (["validator", "--from", "utf-8"], "the validator has no option --from: did you mean --encoding utf-8?"),
    (["encoder", "--encoding", "utf-8"], "the encoder has no option --encoding: the validator has it"),
    (["validator", "--encoding", "utf-7"], "--encoding must be one of utf-8, utf-16le"),
    (["validator", "--package", "zip"],
     "--package must be one of fusesoc, vivado, c, formal, vhdl, ipxact, litex, quartus, bender, sdc, "
     "assertions, got 'zip'"),
    (["validator", "--encoding", "utf-16le", "--bom", "strip"], "has no option --bom, it has --lanes, --pipeline"),
    (["sanitizer", "--replacement", "A"], "'A' is no byte in hex: write 41, or 0A for the number"),
    (["validator", "--records", "85"], "--records must be a byte from 00 to 7F in hex, got 85"),
    (["validator", "--count", "records"], "--count records needs --records, such as --records 0A"),
    (["validator", "--count", "code_points"], "got 'code_points': did you mean 'code-points'?"),
    (["sanitizer", "--record-report"], "--record-report needs --records, such as --records 0A"),
    (["sanitizer", "--lanes", "32"], "--lanes must be a power of two from 1 to 16, got 32: with --errors drop or "
                                     "--replacement 3F up to 64"),
    (["validator", "--from", "utf-16le"], "the validator has no option --from: did you mean --encoding utf-16le?"),
    (["validator", "--package", "vivdo"], "got 'vivdo': did you mean 'vivado'?"),
    (["validator", "--package", "c,vivdo"], "got 'vivdo': did you mean 'vivado'?"),
    (["transcoder", "--from", "utf-8", "--to", "utf-16l"], "got 'utf-16l': did you mean 'utf-16le'?"),
    (["validator", "--report", "none", "--report-port", "only"],
     "--report-port only needs a report or counters, got --report none"),
    (["validator", "--offset-bits", 8], "--offset-bits must be a number from 16 to 64, got 8"),
    (["encoder", "--replacement", "3F"], "has no option --replacement: the sanitizer and transcoder have it"),
    (["validator", "--initial-values", "maybe"], "--initial-values must be one of yes, no, got 'maybe'"),
    ([], "give a CORE, such as decoder, or --from-description FILE"),
    (["--lanes", "2"], "--lanes goes with a CORE"),
    (["decoder", "--bom", "both"], "--bom must be one of keep, strip, add, got 'both'"),
    (["transcoder", "--from", "utf-16", "--to", "ascii", "--bom", "add"],
     "--bom of UTF-16 to ASCII must be one of keep, strip, got 'add'"),
    (["transcoder", "--from", "utf-8", "--to", "utf-64"],
     "utf-8, utf-16le, utf-16be, utf-16, utf-32le, utf-32be, utf-32, latin-1, ascii, got 'utf-64'"),
])
def test_bad_input_is_one_line(arguments: list[object], message: str, tmp_path: Path, runewire) -> None:
    outcome = runewire("generate", *arguments, "-o", tmp_path / "out")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("runewire: ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_folders_place(tmp_path: Path, runewire) -> None:
    (tmp_path / "taken").touch()
    outcome = runewire("generate", "validator", "--lanes", 1, "-o", tmp_path / "taken")
    assert (outcome.status, outcome.err) == (2, f"runewire: cannot write to the folder {tmp_path / 'taken'}: "
                                              f"{tmp_path / 'taken'} is no folder\n")


def test_the_output_is_needed(runewire) -> None:
    outcome = runewire("generate", "validator")
    assert (outcome.status, outcome.err) == (2, "runewire: Missing option '-o' / '--output'.\n")


@pytest.mark.parametrize(("arguments", "found"), [
    (["transcoder", "--from", "UTF8", "--to", "Utf_16le", "--lanes", 1], "runewire_transcoder_utf8_to_utf16le_x1"),
    (["validator", "--encoding", "LATIN_1", "--lanes", 1], "runewire_transcoder_latin1_to_itself_x1"),
    (["validator", "--lanes", 1, "--count", "code-points, bytes"], "runewire_validator_x1_count_cp_bytes"),
    (["validator", "--lanes", 1, "--records", "0x0a"], "runewire_validator_x1_records_0A"),
])
def test_values_as_people_write_them(arguments: list[object], found: str, tmp_path: Path, runewire) -> None:
    outcome = runewire("generate", *arguments, "-o", tmp_path)
    assert (outcome.status, outcome.err) == (0, "")
    assert (tmp_path / f"{found}.v").exists()


def test_packages_in_a_list(tmp_path: Path, runewire) -> None:
    for name, given in (("a", ["--package", "fusesoc, sdc"]), ("b", ["--package", "fusesoc", "--package", "sdc,"])):
        outcome = runewire("generate", "validator", "--lanes", 1, *given, "-o", tmp_path / name)
        assert (outcome.status, outcome.err) == (0, "")
        names = {path.suffix for path in (tmp_path / name).iterdir()}
        assert names == {".v", ".json", ".veo", ".sdc", ".core", ".sv"}


def test_json_has_the_files_and_the_description(tmp_path: Path, runewire) -> None:
    outcome = runewire("generate", "validator", "--lanes", 1, "--package", "c", "-o", tmp_path, "--json")
    assert (outcome.status, outcome.err) == (0, "")
    told = json.loads(outcome.out)
    assert {*told} == {"files", "description"}
    assert {Path(path) for path in told["files"]} == {*tmp_path.iterdir()}
    assert told["description"] == json.loads((tmp_path / "runewire_validator_x1.json").read_text())


@pytest.fixture
def description(tmp_path: Path, runewire) -> Path:
    """The description of a small core."""
    runewire("generate", "validator", "--lanes", 1, "-o", tmp_path / "made")
    return tmp_path / "made" / "runewire_validator_x1.json"


@pytest.mark.parametrize("arguments", [
    ["validator", "--lanes", 1, "--records", "0A", "--count", "bytes,bad-records", "--user", 2],
    ["validator", "--lanes", 1, "--encoding", "utf-16", "--family", "generic"],
    ["transcoder", "--from", "utf-8", "--to", "latin-1", "--lanes", 1, "--replacement", "1A"],
    ["validator", "--lanes", 1, "--pipeline", "compact", "--initial-values", "no"],
    ["sanitizer", "--lanes", 1, "--errors", "drop", "--pipeline", "compact", "--package", "c,sdc"],
])
def test_a_description_makes_the_same_bytes_again(arguments: list[object], tmp_path: Path, runewire) -> None:
    runewire("generate", *arguments, "-o", tmp_path / "a")
    [described] = (tmp_path / "a").glob("*.json")
    packages = arguments[-2:] if "--package" in arguments else []
    outcome = runewire("generate", "--from-description", described, *packages, "-o", tmp_path / "b")
    assert (outcome.status, outcome.err) == (0, "")
    assert {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()} \
        == {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}


@pytest.mark.parametrize(("changes", "message"), [
    ({"version": "0.1.0"}, "was written by runewire 0.1.0, and this is "),
    ({"latency_cycles": 1},
     "was changed, or describes another design than this version's: it differs in latency_cycles"),
    ({"ports": [], "more": 1}, "it differs in ports, more"), ({"initial_values": "no"}, "differs in initial_values"),
    ({"parameters": {"lanes": 3}}, "describes no core that runewire"),
    ({"parameters": {"wide": 3}}, "the validator has no option 'wide'"),
    ({"parameters": [1]}, "is no description of a core, such as the .json next to a core's .v"),
    ({"core": "parser"}, "describes no core that runewire"),
])
def test_a_description_of_other_files_is_refused(changes: dict[str, object], message: str, description: Path,
                                                 tmp_path: Path, runewire) -> None:
    description.write_text(json.dumps({**json.loads(description.read_text()), **changes}))
    outcome = runewire("generate", "--from-description", description, "-o", tmp_path / "out")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"runewire: {description} ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_description_of_another_version_names_the_command_for_this(description: Path, tmp_path: Path,
                                                                     runewire) -> None:
    description.write_text(description.read_text().replace('"version": "', '"version": "1'))
    outcome = runewire("generate", "--from-description", description, "-o", tmp_path / "out")
    assert outcome.err.endswith(
        ": its files would differ. To write them: runewire generate validator --lanes 1 -o DIR\n")


@pytest.mark.parametrize("content", ["", "[]", "{}", "text", "[" * 100_000, "\0"])
def test_a_file_that_is_no_description(content: str, tmp_path: Path, runewire) -> None:
    (tmp_path / "file").write_text(content)
    outcome = runewire("generate", "--from-description", tmp_path / "file", "-o", tmp_path / "out")
    message = f"{tmp_path / 'file'} is no description of a core, such as the .json next to a core's .v"
    assert (outcome.status, outcome.out, outcome.err) == (2, "", f"runewire: {message}\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (["validator"], "give a CORE or --from-description, not both"), (["--lanes", 1], "--lanes goes with a CORE"),
    (["--records", "0A"], "--records goes with a CORE"),
    (["--initial-values", "yes"], "give --initial-values or --from-description, not both")])
def test_a_description_has_all_options(arguments: list[object], message: str, description: Path, tmp_path: Path,
                                       runewire) -> None:
    outcome = runewire("generate", *arguments, "--from-description", description, "-o", tmp_path / "out")
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
