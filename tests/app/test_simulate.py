"""``runewire simulate``."""

import json
import re
from pathlib import Path
from struct import pack

import pytest
from runewire_model import DecoderParameters
from runewire_sim import VerilogDesign
from runewire_sim.stimuli import random_packets

TEXT = "Grüße, 世界! 😀\n"


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text(TEXT, encoding="utf-8")
    return path


def summary(out: str) -> dict[str, str]:
    """The lines of a summary by their names, which two spaces or more end."""
    return dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())


def test_a_text_through_the_decoder(text: Path, tmp_path: Path, runewire, simulator: str) -> None:
    output = tmp_path / "output"
    outcome = runewire("simulate", "decoder", text, "--lanes", 2, "--output", output, "--simulator", simulator)
    assert (outcome.status, outcome.err) == (0, "")
    told = summary(outcome.out)
    assert told["packets"] == "1"
    assert told["bytes in"] == str(len(TEXT.encode()))
    assert told["code points"] == str(len(TEXT))
    assert told["first error"] == "none, the input is well-formed"
    assert told["result"] == "hardware and model agree"
    assert told["cycles"].endswith("bytes per cycle")
    assert output.read_bytes() == TEXT.encode("utf-32-le")


def test_a_text_through_the_encoder(tmp_path: Path, runewire, simulator: str) -> None:
    source, output = tmp_path / "scalars", tmp_path / "output"
    source.write_bytes(TEXT.encode("utf-32-le"))
    outcome = runewire("simulate", "encoder", source, "--lanes", 1, "--output", output, "--stall", 0.3,
                       "--simulator", simulator)
    assert outcome.status == 0
    assert summary(outcome.out)["code points"] == str(len(TEXT))
    assert output.read_text(encoding="utf-8") == TEXT


def test_ill_formed_text_is_reported_and_agrees(tmp_path: Path, runewire) -> None:
    source = tmp_path / "text"
    source.write_bytes(b"abc\xED\xA0\x80")
    outcome = runewire("simulate", "validator", source, "--lanes", 2)
    assert outcome.status == 0
    assert summary(outcome.out)["first error"] == "SURROGATE at byte 3"


def test_packets_and_results(tmp_path: Path, runewire, simulator: str) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("E282AC\n\nc3 41 42\r\nf09f98\n")
    outcome = runewire("simulate", "decoder", "--lanes", 2, "--packets", packets, "--results", results,
                       "--simulator", simulator)
    assert outcome.status == 0
    assert [json.loads(line) for line in results.read_text().splitlines()] == [
        {"output": "ac200000", "error": None},
        {"output": "", "error": None},
        {"output": "fdff00004100000042000000", "error": {"kind": "TOO_SHORT", "offset": 0}},
        {"output": "fdff0000", "error": {"kind": "TOO_SHORT", "offset": 0}},
    ]
    assert summary(outcome.out)["first error"] == "TOO_SHORT at byte 0 of packet 2; 2 packets flagged"


def test_records_and_counts_of_each_result(tmp_path: Path, runewire, simulator: str) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("610a620a\n\n0ae2820a63\nf09f98800a\n")
    counters = "code-points,utf16-units,replacements,bytes,records,bad-records"
    outcome = runewire("simulate", "validator", "--lanes", 2, "--packets", packets, "--results", results,
                       "--records", "0A", "--count", counters, "--simulator", simulator)
    assert outcome.status == 0
    told = [json.loads(line) for line in results.read_text().splitlines()]
    assert [line["records"] for line in told] == [[False, False], [], [False, True, False], [False]]
    names = [name.replace("-", "_") for name in counters.split(",")]
    assert [list(line["counts"].items()) for line in told] == [list(zip(names, counts, strict=True)) for counts in (
        (4, 4, 0, 4, 2, 0), (0, 0, 0, 0, 0, 0), (4, 4, 1, 5, 3, 1), (2, 3, 0, 5, 1, 0))]
    assert told[2]["error"] == {"kind": "TOO_SHORT", "offset": 1}
    assert summary(outcome.out)["records"] == "6, 1 ill-formed"


def test_a_result_has_a_last_record_without_delimiter(tmp_path: Path, runewire) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("410AFF0A42\n410AFF\nFF0A\n")
    assert runewire("simulate", "sanitizer", "--lanes", 2, "--packets", packets, "--results", results,
                    "--records", "0A", "--simulator", "amaranth").status == 0
    told = [json.loads(line) for line in results.read_text().splitlines()]
    assert [line["records"] for line in told] == [[False, True, False], [False, True], [True]]
    assert told[1]["output"] == "410aefbfbd"


def test_a_result_has_the_ill_formed_records(tmp_path: Path, runewire) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("610a620a\n\n0ae2820a63ff0a\nff\n")
    assert runewire("simulate", "validator", "--lanes", 2, "--packets", packets, "--results", results,
                    "--records", "0A", "--record-report", "--simulator", "amaranth").status == 0
    told = [json.loads(line)["bad_records"] for line in results.read_text().splitlines()]
    assert told == [[], [], [{"record": 1, "kind": "TOO_SHORT", "offset": 0},
                             {"record": 2, "kind": "HEADER_BITS", "offset": 1}],
                    [{"record": 0, "kind": "HEADER_BITS", "offset": 0}]]


@pytest.mark.parametrize(("options", "lines"), [
    (["--report", "none"], [{}, {}]),
    (["--report", "flag"], [{"bad": False}, {"bad": True}]),
    (["--report", "kind"], [{"error": None}, {"error": {"kind": "HEADER_BITS"}}]),
    (["--report", "none", "--count", "bytes"], [{"counts": {"bytes": 1}}, {"counts": {"bytes": 2}}]),
    # The simulation sends the first packet marked as bad.
    (["--user", 4, "--report-port", "only"], [
        {"error": None, "bad": True}, {"error": {"kind": "HEADER_BITS", "offset": 1}, "bad": True}]),
])
def test_a_result_says_what_the_report_says(options: list[str], lines: list[dict], tmp_path: Path, runewire) -> None:
    packets = tmp_path / "packets"
    packets.write_text("61\n61FF\n")
    outcome = runewire("simulate", "validator", "--lanes", 1, "--packets", packets, "--results", "-", *options)
    assert outcome.status == 0
    found = [json.loads(line) for line in outcome.out.splitlines()]
    assert [line.pop("output") for line in found] == ["61", "61ff"]
    assert found == lines


def test_results_on_standard_output_stand_alone(tmp_path: Path, runewire) -> None:
    packets = tmp_path / "packets"
    packets.write_text("41\n42")
    outcome = runewire("simulate", "validator", "--lanes", 1, "--packets", packets, "--results", "-")
    assert [json.loads(line)["output"] for line in outcome.out.splitlines()] == ["41", "42"]
    assert summary(outcome.err)["result"] == "hardware and model agree"


def test_the_encoders_errors_count_scalars(tmp_path: Path, runewire) -> None:
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text(pack("<3I", 0x41, 0x42, 0xDFFF).hex() + "\n")
    outcome = runewire("simulate", "encoder", "--lanes", 2, "--packets", packets, "--results", results)
    assert json.loads(results.read_text()) == {"output": "4142efbfbd", "error": {"kind": "SURROGATE", "offset": 2}}
    assert summary(outcome.out)["first error"] == "SURROGATE at scalar 2"


def test_an_empty_file_is_an_empty_packet(tmp_path: Path, runewire) -> None:
    (tmp_path / "empty").touch()
    outcome = runewire("simulate", "decoder", "--lanes", 1, tmp_path / "empty")
    assert outcome.status == 0
    assert summary(outcome.out)["packets"] == "1"


def test_an_empty_packet_file_has_no_packets(tmp_path: Path, runewire) -> None:
    (tmp_path / "empty").touch()
    outcome = runewire("simulate", "decoder", "--lanes", 1, "--packets", tmp_path / "empty", "--results", "-")
    assert (outcome.status, outcome.out) == (0, "")


def test_standard_input(spawn) -> None:
    process = spawn("simulate", "validator", "--lanes", "1", "-", stdin=-1)
    out, err = process.communicate(b"abc")
    assert (process.returncode, err) == (0, b"")
    assert summary(out.decode())["bytes in"] == "3"


def test_the_same_seed_gives_the_same_run(text: Path, runewire) -> None:
    text.write_text(TEXT * 50)
    cycles = [summary(runewire("simulate", "validator", "--lanes", 1, text, "--stall", 0.5, "--seed", seed).out)
              ["cycles"] for seed in (1, 1, 2)]
    assert cycles[0] == cycles[1] != cycles[2]


def test_waves(text: Path, tmp_path: Path, runewire) -> None:
    outcome = runewire("simulate", "validator", "--lanes", 1, text, "--waves", tmp_path / "waves.vcd")
    assert outcome.status == 0
    assert "m_axis_tdata" in (tmp_path / "waves.vcd").read_text()


def test_hardware_that_differs_ends_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runewire) -> None:
    """A validator instead of a decoder with the same ports: its bytes are taken for scalars."""
    faulty = Path(__file__).parents[1] / "sim" / "faulty.v"
    monkeypatch.setattr("runewire_sim.generated", lambda parameters: VerilogDesign(parameters, "faulty", faulty))
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("6F6B\n424242\n6F6B\n")
    outcome = runewire("simulate", "validator", "--lanes", 2, "--packets", packets, "--results", results)
    assert outcome.status == 1
    told = summary(outcome.out)
    assert told["result"] == "hardware and model DIFFER in 1 of 3 packets"
    assert told["first difference"] == "packet 1, byte 0: hardware 40 42 40, model 42 42 42"
    assert [json.loads(line)["output"] for line in results.read_text().splitlines()] == ["6f6b", "404240", "6f6b"]


def test_a_broken_rule_ends_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runewire) -> None:
    faulty = Path(__file__).parents[1] / "sim" / "faulty.v"
    monkeypatch.setattr("runewire_sim.generated", lambda parameters: VerilogDesign(parameters, "faulty", faulty))
    (tmp_path / "text").write_text("SSS")
    outcome = runewire("simulate", "validator", "--lanes", 2, tmp_path / "text")
    assert outcome.status == 1
    told = summary(outcome.out)
    assert "an unkept lane is not zero" in told["protocol error"]
    assert told["result"] == "hardware and model agree, but the hardware BREAKS the protocol"


def first_error_offset(packet: bytes) -> int | None:
    """Where CPython's strict decoder stops."""
    try:
        packet.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


@pytest.mark.parametrize("count", [1000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.records])])
def test_many_packets_agree_with_model_and_cpython(count: int, tmp_path: Path, runewire) -> None:
    packets = list(random_packets(DecoderParameters(lanes=8), count, seed=20))
    source, results = tmp_path / "packets", tmp_path / "results"
    source.write_text("".join(f"{packet.hex()}\n" for packet in packets))
    outcome = runewire("simulate", "decoder", "--packets", source, "--results", results, "--stall", 0.1)
    assert outcome.status == 0, outcome.out
    told = summary(outcome.out)
    assert told["packets"] == f"{count:,}"
    with results.open() as stream:
        for packet, line in zip(packets, stream, strict=True):
            result = json.loads(line)
            assert bytes.fromhex(result["output"]).decode("utf-32-le") == packet.decode(errors="replace")
            assert (result["error"] or {}).get("offset") == first_error_offset(packet)


@pytest.mark.parametrize(("content", "message"), [
    ("41\n4", "packets:2: an odd number of hex digits, 1"),
    ("\n\n4G", "packets:3: 'G' is no hex digit"),
    ("4 1", "packets:1: a space splits a byte"),
    ("é", "packets:1: 'Ã' is no hex digit"),
])
def test_a_packet_file_that_is_no_hex(content: str, message: str, tmp_path: Path, runewire) -> None:
    packets = tmp_path / "packets"
    packets.write_text(content, encoding="utf-8")
    outcome = runewire("simulate", "validator", "--lanes", 1, "--packets", packets, "--results", tmp_path / "results")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"runewire: {tmp_path}/{message}\n"
    assert list(tmp_path.iterdir()) == [packets]


@pytest.mark.parametrize(("arguments", "message"), [
    (["validator"], "give the input as FILE (- for standard input) or with --packets, one of the two"),
    (["validator", "{text}", "--packets", "{text}"], "one of the two"),
    (["validator", "{folder}/none"], "cannot read {folder}/none: No such file or directory"),
    (["validator", "{folder}"], "cannot read {folder}: Is a directory"),
    (["validator", "{text}", "--simulator", "vcs"],
     "--simulator must be one of verilator, icarus, amaranth, got 'vcs'"),
    (["validator", "{text}", "--stall", "1"], "the probability of a stall must be from 0 to 0.99, got 1.0"),
    (["validator", "{text}", "--stall", "often"], "Invalid value for '--stall': 'often' is no number"),
    (["validator", "{text}", "--seed", "1.5"], "Invalid value for '--seed': '1.5' is no whole number"),
    (["validator", "{text}", "--waves", "{folder}/w.txt"], "waves are written as .vcd or .fst, got 'w.txt'"),
    (["validator", "{text}", "--output", "{folder}"], "cannot write {folder}: it is a folder"),
    (["validator", "{text}", "--output", "{folder}/none/x"], "cannot write {folder}/none/x: No such file or directory"),
    (["validator", "{text}", "--output", "/dev/full"], "cannot write /dev/full: No space left on device"),
    (["validator", "{text}", "--output", "-", "--results", "-"], "cannot both go to standard output"),
    (["validator", "{text}", "--records", "0A0"], "Invalid value for '--records': '0A0' is no byte in hex, such as 0A"),
    (["validator", "{text}", "--records", "80"], "--records must be a byte from 00 to 7F in hex, got 80"),
    (["validator", "{text}", "--count", "bytes,lines"], "got 'lines'"),
    (["validator", "{text}", "--count", "records"], "--count records needs --records, such as --records 0A"),
    (["decoder", "{text}", "--record-report"], "--record-report needs --records, such as --records 0A"),
    (["validator", "{text}", "--user", "65"], "--user must be a number from 0 to 64, got 65"),
    (["decoder", "{text}", "--lanes", "3"], "--lanes must be a power of two from 1 to 64, got 3"),
    (["--nonsense"], "No such option: --nonsense"),
])
def test_bad_input_is_one_line(arguments: list[str], message: str, text: Path, runewire) -> None:
    folder = text.parent
    names = {"text": str(text), "folder": str(folder)}
    outcome = runewire("simulate", *(argument.format(**names) for argument in arguments))
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("runewire: ")
    assert message.format(**names) in outcome.err
    assert outcome.err.count("\n") == 1
    assert list(folder.iterdir()) == [text]


def test_an_encoder_packet_that_ends_amid_a_scalar(tmp_path: Path, runewire) -> None:
    packets = tmp_path / "packets"
    packets.write_text("41000000\n4100\n")
    outcome = runewire("simulate", "encoder", "--lanes", 1, "--packets", packets)
    assert outcome.status == 0
    assert "TOO_SHORT at scalar 0 of packet 1" in outcome.out


def test_a_core_named_in_another_way(text: Path, runewire) -> None:
    outcome = runewire("simulate", "parser", text)
    assert outcome.status == 2
    assert ("CORE must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, "
            "got 'parser'") in outcome.err


@pytest.mark.parametrize(("arguments", "packet", "output", "error"), [
    (["transcoder", "--from", "utf-8", "--to", "utf-16le"], "€😀".encode() + b"\xFF", "€😀\uFFFD".encode("utf-16le"),
     {"kind": "HEADER_BITS", "offset": 7}),
    (["transcoder", "--from", "utf-16le", "--to", "latin-1"], "aé€".encode("utf-16le"), b"a\xE9?",
     {"kind": "TOO_LARGE", "offset": 2}),
    (["validator", "--encoding", "utf-16be"], b"\0\x41\xD8\0", b"\0\x41\xD8\0", {"kind": "SURROGATE", "offset": 1}),
    (["transcoder", "--from", "utf-16", "--to", "utf-16", "--bom", "add"], b"\xFF\xFEA\0\0\xD8",
     "\uFEFFA\uFFFD".encode("utf-16be"), {"kind": "SURROGATE", "offset": 2}),
])
def test_packets_of_any_encoding(
    arguments: list[str], packet: bytes, output: bytes, error: dict[str, object], tmp_path: Path, runewire
) -> None:
    (tmp_path / "in").write_bytes(packet)
    outcome = runewire("simulate", *arguments, "--lanes", 1, tmp_path / "in", "--results", tmp_path / "out")
    assert (outcome.status, outcome.err) == (0, "")
    assert json.loads((tmp_path / "out").read_text()) == {"output": output.hex(), "error": error}
    unit = "byte" if "utf-8" in arguments else "unit"
    assert f"{error['kind']} at {unit} {error['offset']}" in outcome.out


def test_null_bytes_at_random_places(text: Path, tmp_path: Path, runewire) -> None:
    output = tmp_path / "output"
    outcome = runewire("simulate", "packer", text, "--lanes", 2, "--holes", 0.3, "--stall", 0.2, "--output", output,
                       "--simulator", "amaranth")
    assert (outcome.status, outcome.err) == (0, "")
    assert {*summary(outcome.out)} == {"core", "packets", "bytes in", "cycles", "simulated", "result"}
    assert output.read_bytes() == text.read_bytes()


def test_null_bytes_need_a_core_that_takes_them(text: Path, runewire) -> None:
    outcome = runewire("simulate", "decoder", text, "--lanes", 2, "--holes", 0.3)
    assert outcome.status == 2
    assert outcome.err == ("runewire: --holes goes with the packer and --null-bytes anywhere, got decoder, 2 lanes\n")
    outcome = runewire("simulate", "packer", text, "--holes", 1)
    assert outcome.status == 2
    assert "the probability of a null byte must be from 0 to 0.99, got 1.0" in outcome.err


def test_segments_of_flows_and_results(tmp_path: Path, runewire, simulator: str) -> None:
    """The euro sign of flow 3 is cut after its second byte, with another flow's text in between."""
    packets, results = tmp_path / "packets", tmp_path / "results"
    packets.write_text("3:61e282+\n1:ff\n3:ac 63+\n3:\n")
    core = ("decoder", "--lanes", 2, "--flows", 4, "--id", 2, "--user", 1)
    outcome = runewire("simulate", *core, "--packets", packets, "--results", results, "--simulator", simulator)
    assert (outcome.status, outcome.err) == (0, "")
    assert summary(outcome.out)["result"] == "hardware and model agree"
    error = {"kind": "HEADER_BITS", "offset": 0}
    found = [json.loads(line) for line in results.read_text().splitlines()]
    assert [(each["output"], each["flow"], each["more"], each["error"]) for each in found] == [
        ("61000000", 3, True, None), ("fdff0000", 1, False, error), ("ac20000063000000", 3, True, None),
        ("", 3, False, None)]


def test_one_flow_needs_no_number(tmp_path: Path, text: Path, runewire) -> None:
    packets, output = tmp_path / "packets", tmp_path / "output"
    packets.write_text("e282+\nac\n0:61\n")
    outcome = runewire("simulate", "decoder", "--lanes", 1, "--flows", 1, "--packets", packets, "--output", output)
    assert (outcome.status, outcome.err) == (0, "")
    assert output.read_bytes() == "€a".encode("utf-32-le")
    outcome = runewire("simulate", "decoder", text, "--lanes", 1, "--flows", 1, "--output", output)
    assert output.read_bytes() == TEXT.encode("utf-32-le")


@pytest.mark.parametrize(("line", "options", "message"), [
    ("3:e282", (), "a segment needs a core with --flows, got '3:e282'"),
    ("e282+", (), "a segment needs a core with --flows, got 'e282+'"),
    ("e282+", ("--flows", 4, "--id", 2), "--flows 4 needs the flow before the bytes, such as 0:e282+"),
    ("4:e282+", ("--flows", 4, "--id", 2), "the flow must be below 4, as --flows is 4, got 4"),
    ("x:e282", ("--flows", 4, "--id", 2), "a flow is a number, got 'x'"),
    ("1:e28", ("--flows", 4, "--id", 2), "an odd number of hex digits, 3"),
    ("1:e2++", ("--flows", 4, "--id", 2), "'+' is no hex digit"),
])
def test_a_line_that_is_no_segment(
    line: str, options: tuple[object, ...], message: str, tmp_path: Path, runewire,
) -> None:
    packets = tmp_path / "packets"
    packets.write_text(f"{line}\n")
    outcome = runewire("simulate", "decoder", "--lanes", 2, *options, "--packets", packets, "--simulator", "amaranth")
    assert outcome.status == 2
    assert outcome.err.startswith(f"runewire: {packets}:1: {message}")
