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
    (["decoder", "--lanes", 3], "lanes must be a power of two from 1 to 64, got 3"),
    (["decoder", "--lanes", "x"], "Invalid value for '--lanes': 'x' is no whole number"),
    (["decoder", "--errors", "strict"], "errors must be one of replace, drop, got 'strict'"),
    (["validator", "--bom", "keep"], "the validator has no option 'bom', it has lanes, pipeline"),
    (["sanitizer", "--replacement", "?"], "'?' is no byte in hex, such as 0A"),
    (["sanitizer", "--replacement", "80"], "replacement must be a number from 0 to 127, got 128"),
    (["sanitizer", "--packing", "sparse"], "the sanitizer, 8 lanes has no option 'packing', it has lanes, errors, "
                                           "replacement, bom, pipeline"),
    (["decode"], "core must be one of validator, decoder, encoder, sanitizer, transcoder, got 'decode'"),
    (["transcoder"], "the transcoder needs --from and --to, each one of utf-8, utf-16le"),
    (["transcoder", "--from", "utf-8"], "the transcoder needs --from and --to"),
    (["transcoder", "--from", "utf-8", "--to", "utf-7"], "target must be one of utf-8, utf-16le"),
    (["transcoder", "--from", "utf-8", "--to", "utf-8", "--encoding", "ascii"],
     "the transcoder has no option 'encoding', it has from and to"),
    (["decoder", "--to", "utf-8"], "the decoder has no option 'to': the transcoder has it"),
    (["validator", "--from", "utf-8"], "the validator has no option 'from': the transcoder has it"),
    (["encoder", "--encoding", "utf-8"], "the encoder has no option 'encoding': the validator has it"),
    (["validator", "--encoding", "utf-7"], "source must be one of utf-8, utf-16le"),
    (["validator", "--package", "zip"],
     "package must be one of fusesoc, vivado, c, formal, vhdl, ipxact, litex, quartus, bender, sdc, got 'zip'"),
    (["validator", "--initial-values", "maybe"], "--initial-values must be one of yes, no, got 'maybe'"),
    (["validator", "--encoding", "utf-16le", "--bom", "strip"], "has no option 'bom', it has lanes, pipeline"),
    (["decoder", "--bom", "both"], "bom must be one of keep, strip, add, got 'both'"),
    (["transcoder", "--from", "utf-16", "--to", "ascii", "--bom", "add"],
     "bom of UTF-16 to ASCII must be one of keep, strip, got 'add'"),
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
