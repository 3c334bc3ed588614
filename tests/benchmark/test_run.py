import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from runewire_benchmark.callers import InPython, each
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.inputs import Case, SampleText
from runewire_benchmark.peer_registry import python_peers
from runewire_benchmark.peers import Peer
from runewire_benchmark.run import Comparison, Disagreement, best_cores, compare, measure_large
from runewire_benchmark.tasks import TASKS
from runewire_model import TranscoderParameters, parameters
from runewire_model.texts import damage, generate

GREEK = SampleText("greek", generate("cyrillic", 4000), True)


PYTHON = {peer.name: peer for peer in python_peers()}


def stub(job: str, answer: Callable[[bytes], int], name: str = "stub", package: str = "") -> Peer:
    """A peer with prepared answers, available if the package is."""
    return Peer(name, InPython(each(answer), package), job, "yes")


def test_every_case_is_measured_by_the_peers_that_suit_it() -> None:
    peers = [PYTHON["golden model"], PYTHON["CPython strict"], PYTHON["CPython replace"], PYTHON["CPython encode"]]
    found = compare([GREEK], peers, [], "ecp5-85k", 3)
    measured: dict[str, set[Case]] = {}
    for figure in found.software:
        measured.setdefault(figure.peer, set()).add(figure.case)
        assert 0 < figure.low <= figure.median <= figure.high
        assert figure.repeats >= 3
    every = {Case("greek", spacing, packet) for spacing in (None, 1024, 64) for packet in (None, 1500)}
    clean = {case for case in every if case.spacing is None}
    assert measured == {"golden model": every, "CPython strict": clean, "CPython replace": every,
                        "CPython encode": clean}
    assert found.hardware == ()


def test_ill_formed_file_is_for_those_that_read_on() -> None:
    text = SampleText("latin1", b"caf\xe9 " * 300, False)
    found = compare([text], [PYTHON["golden model"], PYTHON["CPython strict"], PYTHON["CPython replace"]], [], "x", 3)
    assert {figure.peer for figure in found.software} == {"golden model", "CPython replace"}


def test_hardware_is_beats_times_clock(make_entry: Callable[..., Entry]) -> None:
    text = SampleText("greek", "ж".encode() * 1500, True)
    entries = [
        make_entry("decoder", 64, 250.0), make_entry("validator", 8, 370.0), make_entry("encoder", 16, 200.0),
    ]
    found = compare([text], [PYTHON["golden model"]], entries, "ecp5-85k", 3)
    rates = {
        (f.entry.core, f.case.spacing, f.case.packet_bytes): f.gigabytes_per_second for f in found.hardware
    }
    # 1500 bytes are 24 beats of 64, 188 of 8; 750 scalars are 47 beats of 16, 1500 of them 94.
    assert rates["decoder", None, 1500] == pytest.approx(3000 / 48 * 0.250)
    assert rates["decoder", None, None] == pytest.approx(3000 / 47 * 0.250)
    assert rates["decoder", 64, 1500] == rates["decoder", None, 1500]
    assert rates["validator", None, None] == pytest.approx(8 * 0.370)
    assert rates["encoder", None, None] == pytest.approx(3000 / 94 * 0.200)
    assert rates["encoder", None, 1500] == pytest.approx(1500 / 47 * 0.200)
    assert ("encoder", 64, None) not in rates


def test_only_the_target_and_of_each_core_the_best_clock_is_shown(make_entry: Callable[..., Entry]) -> None:
    entries = [
        make_entry("decoder", 8, 300.0), make_entry("decoder", 8, 350.0), make_entry("validator", 8, 370.0),
    ]
    found = compare([GREEK], [PYTHON["golden model"]], entries, "ecp5-85k", 3).entries
    found = [entry for entry in found if not entry.stand_in]
    assert [(entry.core, entry.clock_mhz) for entry in found] == [("decoder", 350.0), ("validator", 370.0)]
    assert compare([GREEK], [PYTHON["golden model"]], entries, "ice40-hx8k", 3).entries == []


def test_a_pair_without_a_row_has_the_clock_of_a_core_of_its_size(make_entry: Callable[..., Entry]) -> None:
    entries = [make_entry("decoder", 32, 250.0, "dense"), make_entry("decoder", 8, 300.0, "sparse"),
               make_entry("validator", 64, 370.0), make_entry("encoder", 4, 320.0)]

    def cores(job: str, entries: list[Entry]) -> dict[tuple[int, str | None], tuple[float, str]]:
        return {(entry.lanes, entry.packing): (entry.clock_mhz, entry.stand_in)
                for entry in TASKS[job].cores(entries)}

    assert cores("utf-8 to utf-16le", entries) == {
        (32, "dense"): (250.0, "32-lane dense decoder"), (8, "sparse"): (300.0, "8-lane sparse decoder")}
    # Two places a unit; four, as in the encoder; the same number of bytes.
    assert cores("latin-1 to utf-8", entries) == {(16, None): (250.0, "32-lane dense decoder")}
    assert cores("utf-16le to utf-8", entries) == {(4, None): (320.0, "4-lane encoder")}
    assert cores("check utf-16le", entries) == {(32, None): (370.0, "64-lane validator")}
    assert cores("check utf-32le", entries) == {(16, None): (370.0, "64-lane validator")}
    own = replace(make_entry("validator", 8, 400.0), parameters=TranscoderParameters("utf-16le", None, 8))
    assert cores("check utf-16le", [*entries, own]) == {(8, None): (400.0, "")}


def test_each_source_is_read_in_its_encoding_and_counted_in_utf8_or_that(make_entry: Callable[..., Entry]) -> None:
    given: dict[str, list[bytes]] = {}

    def seen(job: str) -> Peer:
        def bind(packets: Sequence[bytes]) -> Callable[[], int]:
            given[job] = list(packets)
            right = TASKS[job].answer(packets)
            return lambda: right

        return Peer(job, InPython(bind), job, "yes")

    jobs = ("utf-16le to utf-8", "latin-1 to utf-8", "check utf-32le")
    text = SampleText("latin", "naïve ".encode() * 300, True)
    entries = [make_entry("encoder", 16, 200.0), make_entry("validator", 64, 200.0), make_entry("decoder", 32, 200.0)]
    found = compare([text], [seen(job) for job in jobs], entries, "ecp5-85k", 3)
    unpaired = b"".join(given["utf-16le to utf-8"]).decode("utf-16-le", "surrogatepass")
    assert unpaired.encode("utf-8", "surrogateescape") == damage(text.data, 1 / 64)
    assert b"".join(given["latin-1 to utf-8"]).decode("latin-1") == text.data.decode()
    clean = {(job, None) for job in jobs}
    assert {(figure.job, figure.case.spacing) for figure in found.software} \
        == {*clean, ("utf-16le to utf-8", 1024), ("utf-16le to utf-8", 64)}
    rates = {figure.job: figure.gigabytes_per_second for figure in found.hardware
             if figure.case == Case("latin", None, None)}
    # 1800 characters, 2100 bytes of UTF-8; 113 beats of 16.
    assert rates["utf-16le to utf-8"] == pytest.approx(2100 / 113 * 0.2)
    assert rates["latin-1 to utf-8"] == pytest.approx(2100 / 113 * 0.2)
    assert rates["check utf-32le"] == pytest.approx(7200 / 113 * 0.2)


def test_a_text_that_latin_1_lacks_is_left_out() -> None:
    found = compare([GREEK], [PYTHON["CPython latin-1 to utf-8"], PYTHON["CPython utf-16le to utf-8"]], [], "x", 3)
    assert {figure.job for figure in found.software} == {"utf-16le to utf-8"}


def test_peer_that_is_not_there_is_named_with_its_remedy() -> None:
    found = compare([GREEK], [PYTHON["golden model"], stub("validate", len, "polars", "no_such_package")], [], "x", 3)
    assert [(missing.name, missing.remedy) for missing in found.missing] \
        == [("polars", "pip install 'runewire[compare]'")]
    assert [peer.name for peer in found.peers] == ["golden model"]


@pytest.mark.parametrize(("job", "answer", "message"), [
    ("decode", lambda buffer: 7 if buffer else 0, r"stub finds greek to be 7 code points, it is \d+"),
    ("validate", lambda buffer: 0, "stub finds greek to be ill-formed, it is well-formed"),
    ("validate", lambda buffer: 1, "stub finds greek with an error every 1024 bytes to be well-formed"),
    ("encode", lambda buffer: 1, "stub finds greek to be 1 bytes, it is 4000 bytes"),
])
def test_wrong_answer_is_no_measurement(job: str, answer: Callable[[bytes], int], message: str) -> None:
    with pytest.raises(Disagreement, match=message):
        compare([GREEK], [PYTHON["golden model"], stub(job, answer)], [], "x", 3)


def test_a_core_with_options_is_not_compared(make_entry: Callable[..., Entry]) -> None:
    usual = make_entry("validator", 8, 300)
    flag = replace(usual, parameters=parameters("validator", lanes=8, report="flag"), clock_mhz=370)
    assert best_cores([flag, usual], usual.target) == [usual]


def test_a_core_whose_job_no_software_is_asked_for_is_not_compared(make_entry: Callable[..., Entry]) -> None:
    usual = make_entry("validator", 8, 300)
    other = replace(usual, parameters=parameters("sanitizer", lanes=8))
    assert best_cores([other, usual], usual.target) == [usual]


def test_progress_names_the_texts_in_turn() -> None:
    seen: list[str] = []
    short = SampleText("short", b"abc", True)
    compare([GREEK, short], [PYTHON["golden model"]], [], "x", 3, seen.append)
    assert seen == ["greek", "short"]


def test_json_says_what_was_found(usual: Comparison) -> None:
    found = json.loads(json.dumps(usual.as_json()))
    assert found["machine"]["cpu"] == "Fast Processor 9000"
    assert [text["name"] for text in found["texts"]] == ["ascii", "greek", "emoji"]
    software = [f for f in found["software"] if f["peer"] == "polars" and f["text"] == "greek"]
    assert {(f["spacing"], f["packet_bytes"], f["gigabytes_per_second"]) for f in software} \
        == {(spacing, packet, 15) for spacing in (None, 1024, 64) for packet in (None, 1500)}
    assert software[0]["low_quartile"] < 15 < software[0]["high_quartile"]
    sparse = next(f for f in found["hardware"] if f["packing"] == "sparse")
    assert (sparse["lanes"], sparse["clock_mhz"], sparse["modelled"]) == (16, 380, True)
    assert sparse["gigabytes_per_second"] == pytest.approx(6.08)
    assert {entry["core"] for entry in found["datasheet"]} == {"decoder", "validator", "encoder"}


def test_json_holds_the_whole_comparison(usual: Comparison) -> None:
    assert Comparison.from_json(json.loads(json.dumps(usual.as_json()))) == usual


def test_long_texts_are_for_the_fastest_of_each_job() -> None:
    """A program that is the fastest on some text, but no longer on all."""
    rates = {"golden model": 1.0, "CPython strict": 3.0, "CPython replace": 2.0, "CPython utf-16le to utf-8": 1.0}
    peers = [PYTHON[name] for name in rates]
    found = compare([GREEK], peers, [], "x", 3)
    found = replace(found, software=tuple(replace(figure, median=rates[figure.peer]) for figure in found.software))
    large = measure_large(found, [SampleText("greek", GREEK.data * 3, True)], peers, 3)
    assert large.bytes == 12_000
    assert {(figure.peer, figure.case) for figure in large.software} == {
        ("CPython strict", Case("greek", None, None)), ("CPython utf-16le to utf-8", Case("greek", None, None))}
    assert Comparison.from_json(json.loads(json.dumps(replace(found, large=large).as_json()))) \
        == replace(found, large=large)
