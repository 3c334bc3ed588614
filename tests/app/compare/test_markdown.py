from collections.abc import Callable
from dataclasses import replace

from runewire.compare.markdown import job_sentences, summary
from runewire.compare.run import Comparison
from runewire.compare.verdict import sentences, tally
from runewire.datasheet import Entry
from runewire_model import TranscoderParameters


def test_table_holds_clean_and_damaged_text(usual: Comparison) -> None:
    lines = summary(usual).splitlines()
    assert [line for line in lines if line.startswith("|")] == [
        "| job | fastest software | GB/s | lanes that pass it | fastest core | GB/s | times as fast | 96 cores, GB/s |",
        "| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |",
        "| Decoding to code points | CPython strict | 1.50 | 8 | 16 lanes | 6.08 | 4.05 | 144 |",
        "| Checking only | polars | 15 | 64 | 64 lanes | 23.7 | 1.58 | 461 |",
        "| Encoding | CPython | 1.40 | 4 | 4 lanes | 1.48 | 1.06 | 134 |",
        "| text | fastest software, GB/s | lanes that pass it | fastest core, GB/s | times as fast |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| ascii | 20 / 2.00 | none / 8 | 6.08 | 0.30 / 3.04 |",
        "| greek | 1.00 / 0.50 | 4 / 2 | 6.08 | 6.08 / 12.2 |",
        "| emoji | 1.50 / 0.70 | 8 / 2 | 6.08 | 4.05 / 8.69 |",
    ]


def test_every_job_the_machine_and_the_kind_of_figure_are_named(usual: Comparison) -> None:
    text = summary(usual)
    assert f"- {' '.join(sentences(usual, 'decode'))}\n" in text
    assert job_sentences(usual).splitlines() == [
        f"- {' '.join(sentences(usual, job))}" for job in ("decode", "validate", "encode")]
    assert tally(usual)[0] in text
    assert "- Not shown, as they have no measured clock" in text
    assert "hardware is modelled" in text
    assert "Fast Processor 9000" in text


def test_what_stands_in_and_what_is_published_is_marked(
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry],
) -> None:
    rates = {"a": (4.0, None, None)}
    core = replace(make_entry("validator", 32, 370.0), parameters=TranscoderParameters("utf-16le", None, 32),
                   stand_in="64-lane validator")
    lines = summary(make_comparison({"numpy": ("check utf-16le", rates)}, [core])).splitlines()
    assert "| Checking UTF-16LE | simdutf † | 130 | none | 32 lanes ‡ | 11.8 | 0.091 | 461 |" in lines
    assert any(line.startswith("‡ Not placed and routed yet") for line in lines)
    assert any(line.startswith("† Checking UTF-16LE: published (") for line in lines)
    measured = summary(make_comparison({"libsimdutf": ("check utf-16le", rates)}, [core]))
    assert "| Checking UTF-16LE | libsimdutf | 4.00 | 32 | 32 lanes ‡ |" in measured
    assert "†" not in measured


def test_software_alone_has_no_columns_for_hardware(make_comparison: Callable[..., Comparison]) -> None:
    text = summary(make_comparison({"CPython replace": ("decode", {"a": (9, 8, None)})}, []))
    assert "| text | fastest software, GB/s |\n| --- | ---: |\n| a | 9.00 / – |\n" in text
    assert "- The datasheet has no placed and routed core" in text
    assert "modelled" not in text
