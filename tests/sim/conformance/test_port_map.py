"""Port maps: what is read, and one line for each mistake."""

from pathlib import Path

import pytest
from runewire_sim.conformance.port_map import PortMapError, Signal, read

CORE = '[core]\ntop = "core"\nsources = ["core.v"]\nreset = "!rst_n"\n'
INPUT = '[input]\ndata = "d"\nvalid = "v"\nlast = "l"\n'
REPORT = '[report]\nvalid = "done"\nerror = "bad"\n'
OUTPUT = '[output]\ndata = "q[20:0]"\nbytes = 4\nencoding = "utf-32le"\nvalid = "qv"\nlast = "ql"\n'


def written(folder: Path, text: str) -> Path:
    (folder / "core.v").touch()
    (folder / "map.toml").write_text(text)
    return folder / "map.toml"


def test_signals_are_ports_bits_and_active_low_ones(tmp_path: Path) -> None:
    found = read(written(tmp_path, CORE + INPUT + OUTPUT + '[report]\nerror = "flags[3]"\n'))
    assert found.core.reset == Signal("rst_n", inverted=True)
    assert found.output is not None
    assert found.output.data == Signal("q", 20, 0)
    assert found.report is not None
    assert found.report.error == Signal("flags", 3, 3)
    assert found.core.sources == (tmp_path / "core.v",)


@pytest.mark.parametrize(("text", "framed", "with_output", "back_to_back"), [
    (CORE + INPUT + REPORT, True, False, True),
    (CORE + INPUT + OUTPUT, True, False, True),
    (CORE + INPUT + OUTPUT + '[report]\nerror = "bad"\n', True, True, True),
    (CORE + INPUT + OUTPUT + REPORT, True, False, True),
    (CORE + "settle = 2\n" + INPUT + '[report]\nerror = "bad"\n', True, False, False),
    (CORE + "settle = 2\n" + INPUT.replace('last = "l"\n', "") + '[report]\nerror = "bad"\n', False, False, False),
])
def test_how_an_answer_ends(text: str, framed: bool, with_output: bool, back_to_back: bool, tmp_path: Path) -> None:
    found = read(written(tmp_path, text))
    assert (found.framed, found.report_with_output, found.back_to_back) == (framed, with_output, back_to_back)


@pytest.mark.parametrize(("text", "message"), [
    ("[core", "cannot read"),
    (INPUT + REPORT, r"the table \[core\] is missing"),
    (CORE + INPUT + "[verdict]\n", r"no table \[verdict\], there are \[core\], \[input\], \[output\], \[report\]"),
    (CORE + INPUT, r"\[report\] or \[output\] is missing"),
    (CORE.replace("core.v", "other.v") + INPUT + REPORT, "the source .*other.v is not there"),
    (CORE + INPUT.replace("data", "date") + REPORT, "input.date is unknown; .input. has data, valid"),
    (CORE + INPUT.replace('valid = "v"\n', "") + REPORT, "input.valid is missing"),
    (CORE + INPUT.replace('"v"', '"a && b"') + REPORT, "input.valid must be a port such as .*, got 'a && b'"),
    (CORE + INPUT.replace('"v"', '"v[0:3]"') + REPORT, "the bits are written from high to low"),
    (CORE + INPUT.replace('"v"', "1") + REPORT, "input.valid must be text, got 1"),
    (CORE + 'patience = "long"\n' + INPUT + REPORT, "core.patience must be a number, got 'long'"),
    (CORE + INPUT + "bytes = 8\n" + REPORT, "input.keep or input.empty is missing"),
    (CORE + 'encoding = "utf-16le"\n' + INPUT + REPORT, "input.bytes must be a multiple of 2 for utf-16le, got 1"),
    (CORE + 'encoding = "latin-1"\n' + INPUT + REPORT, "core.encoding must be one of utf-8, .*, got 'latin-1'"),
    (CORE + INPUT + OUTPUT + 'errors = "FF"\n', 'output.errors must be "replace", .*, got \'FF\''),
    (CORE + INPUT + OUTPUT + 'keep = "k[2:0]"\n', "output.keep has 3 bits: they must divide the 4 bytes evenly"),
    (CORE + INPUT + REPORT + 'kind = "kind"\n', r"report.kind needs its bits, such as kind\[7:0\]"),
    (CORE + INPUT + REPORT + 'convention = "rust"\n', "report.convention must be one of simdutf, subpart, grammar"),
    (CORE + INPUT + REPORT + "kinds = {overlong = 1}\n", "report.kinds has 'overlong'; simdutf has HEADER_BITS"),
    (CORE + INPUT + REPORT.replace('valid = "done"\n', ""), "report.valid is missing: without it core.settle"),
    (CORE + INPUT + OUTPUT.replace('last = "ql"\n', ""), "output.last is missing: without it core.settle"),
    (CORE + INPUT.replace('last = "l"\n', "") + REPORT, "input.last is missing: then core.settle must say"),
    (CORE.replace('reset = "!rst_n"\n', "") + INPUT.replace('last = "l"\n', "") + REPORT,
     "input.last is missing: then the bench resets the core"),
    (CORE + "constants = 1\n" + INPUT + REPORT, "core.constants must be a table of numbers, got 1"),
    (CORE.replace('["core.v"]', '"core.v"') + INPUT + REPORT, "core.sources must be a list of files, got 'core.v'"),
])
def test_a_mistake_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(PortMapError, match=message) as error:
        read(written(tmp_path, text))
    assert "\n" not in str(error.value)
