from collections.abc import Callable
from dataclasses import replace

import pytest
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.findings import headline, not_measured, number, sentences, size, tally, without_clock
from runewire_benchmark.quantities import duels, match, socket
from runewire_benchmark.run import Comparison, Missing
from runewire_model import TranscoderParameters
from runewire_model.transcoder import PACKINGS, widths

Make = Callable[..., Comparison]
MakeEntry = Callable[..., Entry]
WITHOUT = " (libsimdutf not measured)"


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (0.00001, "1e-05"), (0.0123, "0.012"), (0.5, "0.50"), (1.254, "1.25"), (20, "20"),
    (20.04, "20"), (23.68, "23.7"), (99.94, "99.9"), (123.4, "123"),
])
def test_numbers_are_read_in_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_break_even_is_the_narrowest_core_that_is_faster(usual: Comparison) -> None:
    found = {duel.case.text: duel for duel in duels(usual, "decode", None)}
    assert found["ascii"].break_even is None
    widths = {text: duel.break_even.entry.lanes for text, duel in found.items() if duel.break_even}
    assert widths == {"greek": 4, "emoji": 8}
    assert found["greek"].software.peer == "CPython strict"
    assert found["greek"].ratio == pytest.approx(6.08)
    damaged = {duel.case.text: duel.break_even for duel in duels(usual, "decode", 64)}
    assert {text: figure.entry.lanes for text, figure in damaged.items() if figure} \
        == {"ascii": 8, "greek": 2, "emoji": 2}


def test_as_fast_is_not_faster(make_comparison: Make, make_entry: MakeEntry) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (2.0, None, None)})},
                            [make_entry("decoder", 8, 250.0), make_entry("decoder", 16, 250.0)])
    (duel,) = duels(found, "decode", None)
    assert duel.break_even is not None
    assert duel.break_even.entry.lanes == 16
    one = match(found, "decode")
    assert one is not None
    assert one.narrowest is not None
    assert one.narrowest.lanes == 16


def test_headline_counts_the_texts(usual: Comparison) -> None:
    assert headline(usual) == "Decoding UTF-8: hardware wins on 2 of 3 texts, from 4 to 8 lanes up" + WITHOUT


def test_headline_is_about_the_fastest_software(make_comparison: Make, make_entry: MakeEntry) -> None:
    slow, fast = ({"a": (rate, None, None), "b": (rate, None, None)} for rate in (1.0, 5.0))
    cores = [make_entry("decoder", lanes, 250.0) for lanes in (4, 8, 16, 32)]
    found = make_comparison({"CPython strict": ("decode", slow), "simdutf UTF-16": ("decode", fast)}, cores)
    assert headline(found) == "Decoding UTF-8: hardware wins on 2 of 2 texts, from 32 lanes up"
    narrow = make_comparison({"CPython strict": ("decode", slow), "simdutf UTF-16": ("decode", fast)}, cores[:3])
    assert headline(narrow) == "Decoding UTF-8: software on this machine beats every core on ecp5-85k"


def test_what_the_fastest_software_does_otherwise_is_noted(make_comparison: Make) -> None:
    rates = {"a": (5.0, None, None), "b": (2.0, None, None)}
    found = make_comparison({"slow": ("decode", dict.fromkeys("ab", (1.0, None, None))),
                             "simdutf UTF-16": ("decode", rates)}, [])
    peers = tuple(replace(peer, note="writes UTF-16") for peer in found.peers)
    assert sentences(replace(found, peers=peers), "decode")[1:] == ["Note: simdutf UTF-16 writes UTF-16."]


def test_what_is_published_of_a_check_stands_next_to_what_was_measured(make_comparison: Make) -> None:
    found = make_comparison({"simdutf check utf-16le": ("check utf-16le", {"a": (99.0, None, None)})}, [])
    assert sentences(found, "check utf-16le")[-1] == (
        "simdutf is published to move 130 GB/s (simdutf's pull request 873, AVX-512, characters of one unit; 23.5 GB/s "
        "with surrogate pairs).")


@pytest.mark.parametrize(("count", "text"), [(12, "12 bytes"), (1 << 16, "64 KiB"), (1 << 26, "64 MiB"),
                                             (11_700, "11.4 KiB")])
def test_sizes_are_read_in_their_unit(count: int, text: str) -> None:
    assert size(count) == text


def test_what_was_not_there_is_named_by_what_brings_it(make_comparison: Make) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (9, None, None)})}, [])
    missing = (Missing("one", "install it"), Missing("two", "ask"), Missing("three", "install it"))
    assert not_measured(replace(found, missing=missing)) == [
        "Not measured: one and three (install it).", "Not measured: two (ask)."]


def test_first_paragraph_says_when_by_how_much_and_when_not(usual: Comparison) -> None:
    assert sentences(usual, "decode") == [
        "Decoding to code points: the fastest program, CPython strict, moves **1.50 GB/s of UTF-8** on one "
        "thread on the median text (1.00 on greek to 20 on ascii).",
        "On ecp5-85k (modelled) **8 lanes** pass it, and the 16-lane sparse decoder moves **4.05 times** as "
        "much on the median text.",
        "All 96 cores of a socket (modelled) move 144 GB/s.",
        "With an error every 64 bytes the fastest program that reads on, CPython replace, moves 0.70 GB/s, "
        "and hardware does not slow down: **8.69 times** as much.",
        "Hardware does not win on ascii, CPython strict 20 GB/s against 6.08 of the fastest core.",
    ]


def test_where_hardware_wins_and_loses_is_told_by_job(make_comparison: Make, make_entry: MakeEntry) -> None:
    clean = {"a": (1.0, None, None), "b": (3.0, None, None)}
    pair = replace(make_entry("validator", 32, 370.0), parameters=TranscoderParameters("utf-16le", None, 32),
                   stand_in="64-lane validator")
    found = make_comparison(
        {"CPython": ("decode", clean), "polars": ("validate", {"a": (99.0, None, None), "b": (99.0, None, None)}),
         "numpy": ("check utf-16le", clean)},
        [make_entry("decoder", 8, 300.0), make_entry("validator", 64, 300.0), pair])
    said = tally(found)
    assert said[0] == (
        "Against the fastest software for each job, on one thread and the median text, hardware **wins** at 1 of 3 "
        "jobs and **loses** at 2 (Checking only; Checking UTF-16LE).")
    assert said[1] == "Of the 1 jobs that it wins, it loses on b at 1."
    assert said[2].endswith("moves more than the one core at 3 of them.")
    text = " ".join(sentences(found, "check utf-16le"))
    assert "No core in the datasheet for ecp5-85k keeps up on the median text: the fastest, the 32-lane" in text
    assert "‡ Its clock is that of the 64-lane validator" in text
    assert text.startswith("Checking UTF-16LE: simdutf, not measured here, is published to move **130 GB/s of "
                           "UTF-16LE** (simdutf's pull request 873")
    assert "23.5 GB/s with surrogate pairs); the fastest program here, numpy, moves 2.00." in text
    assert "moves **0.091 times** as much" in text
    assert socket(1e6) == 1e6  # caches are faster than memory


def test_widest_core_and_undisturbed_software_are_said_so(usual: Comparison) -> None:
    text = " ".join(sentences(usual, "validate"))
    assert "**64 lanes**, the widest in the datasheet: the 64-lane validator moves **1.58 times** as much" in text
    assert "Hardware does not win on ascii" in text
    assert "Damaged text is no slower for either." in text


def test_software_that_no_core_reaches_is_said_so(make_comparison: Make, make_entry: MakeEntry) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (9, None, None), "b": (12, None, None)})},
                            [make_entry("decoder", 8, 370.0)])
    assert headline(found) == "Decoding UTF-8: software on this machine beats every core on ecp5-85k" + WITHOUT
    text = " ".join(sentences(found, "decode"))
    assert "No core in the datasheet for ecp5-85k keeps up on the median text" in text
    assert "the 8-lane dense decoder, moves **0.28 times** as much" in text
    assert "pass it" not in text


def test_one_text_is_called_by_its_name(make_comparison: Make, make_entry: MakeEntry) -> None:
    found = make_comparison({"CPython strict": ("decode", {"my.log": (1, None, None)})},
                            [make_entry("decoder", 1, 370.0), make_entry("decoder", 4, 370.0)])
    assert headline(found) == "Decoding UTF-8: hardware wins on my.log from 4 lanes up" + WITHOUT
    assert "median" not in " ".join(sentences(found, "decode"))


def test_one_lane_is_one_lane(make_comparison: Make, make_entry: MakeEntry) -> None:
    rates = {"a": (0.1, None, None), "b": (0.1, None, None)}
    found = make_comparison({"CPython strict": ("decode", rates)}, [make_entry("decoder", 1, 370.0)])
    assert headline(found) == "Decoding UTF-8: hardware wins on 2 of 2 texts, from 1 lane up" + WITHOUT


def test_without_a_datasheet_software_stands_alone(make_comparison: Make) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (9, None, None)})}, [])
    assert headline(found) == "UTF-8 in software on this machine" + WITHOUT
    assert len(sentences(found, "decode")) == 1
    assert without_clock(found) == [
        "The datasheet has no placed and routed core for ecp5-85k; `runewire sweep` adds it."]


def test_widths_without_a_clock_are_named(usual: Comparison) -> None:
    assert without_clock(usual) == [
        "Not shown, as they have no measured clock on ecp5-85k (lanes): validator 2, 4, 16, 32, 128, 256; "
        "dense decoder 32, 64; sparse decoder 1, 2, 4, 8, 32, 64; encoder 2, 8, 16. `runewire sweep` "
        "measures them."]


def test_with_every_width_nothing_is_missing(make_comparison: Make, make_entry: MakeEntry) -> None:
    cores = [
        *(make_entry("validator", lanes, 300.0) for lanes in widths("validator")),
        *(make_entry("decoder", lanes, 300.0, packing) for packing in PACKINGS for lanes in widths("decoder")),
        *(make_entry("encoder", lanes, 300.0) for lanes in widths("encoder")),
    ]
    assert without_clock(make_comparison({"CPython strict": ("decode", {"a": (9, None, None)})}, cores)) == []
