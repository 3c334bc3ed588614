from collections.abc import Callable
from dataclasses import replace

from runewire_benchmark.datasheet import Entry
from runewire_benchmark.findings import exceptions, tally
from runewire_benchmark.markdown import details, summary
from runewire_benchmark.run import Comparison, Missing
from runewire_model import TranscoderParameters


def test_the_first_page_has_one_table_of_jobs(usual: Comparison) -> None:
    assert [line for line in summary(usual).splitlines() if line.startswith("|")] == [
        "| job | fastest software | software, GB/s of UTF-8 (checks: of input) | lanes that pass it | fastest core "
        "| core, GB/s of UTF-8 (checks: of input) | times as fast |",
        "| --- | --- | ---: | ---: | --- | ---: | ---: |",
        "| Decoding to code points | CPython strict | 1.50 | 8 | 16 lanes | 6.08 | 4.05 |",
        "| Checking only | polars | 15 | 64 | 64 lanes | 23.7 | 1.58 |",
        "| Encoding | CPython | 1.40 | 4 | 4 lanes | 1.48 | 1.06 |",
    ]
    assert " ".join(tally(usual)) in summary(usual)
    assert "cores are modelled" in summary(usual)
    assert "Measured on Fast Processor 9000, without libsimdutf." in summary(usual)


def test_the_other_page_has_what_the_first_leaves_out(usual: Comparison) -> None:
    text = details(replace(usual, missing=(Missing("polars", "pip install polars"),)))
    assert "| text | Decoding to code points | Checking only | Encoding |" in text
    assert "| emoji | 8 / 2 | 64 | 4 |" in text
    assert "| Decoding to code points | CPython strict | 1.50 | 1.00 (greek) | 20 (ascii) | 0.70 (CPython replace) " \
           "| 8.69 | 144 |" in text
    assert "| greek | 1.00 (CPython strict) / 0.50 (CPython replace) | 4 / 2 | 6.08 | 6.08 / 12.2 |" in text
    assert f"- Decoding to code points: {' '.join(exceptions(usual, 'decode'))}\n" in text
    assert "Not shown, as they have no measured clock" in text
    assert "Not measured: polars (pip install polars)." in text
    assert "Fast Processor 9000" in text


def test_what_stands_in_and_what_is_published_is_marked(
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry],
) -> None:
    rates = {"a": (4.0, None, None)}
    core = replace(make_entry("validator", 32, 370.0), parameters=TranscoderParameters("utf-16le", None, 32),
                   stand_in="64-lane validator")
    lines = summary(make_comparison({"numpy": ("check utf-16le", rates)}, [core])).splitlines()
    assert "| Checking UTF-16LE | simdutf † | 130 | none | 32 lanes ‡ | 11.8 | 0.091 |" in lines
    assert any(line.startswith("‡ Not placed and routed yet") for line in lines)
    assert any(line.startswith("† Checking UTF-16LE: published (") for line in lines)
    measured = summary(make_comparison({"simdutf check utf-16le": ("check utf-16le", rates)}, [core]))
    assert "| Checking UTF-16LE | simdutf | 4.00 | 32 | 32 lanes ‡ |" in measured
    assert "†" not in measured


def test_software_alone_has_no_columns_for_hardware(make_comparison: Callable[..., Comparison]) -> None:
    found = make_comparison({"CPython replace": ("decode", {"a": (9, 8, None)})}, [])
    assert "| text | fastest software, GB/s of UTF-8 |\n| --- | ---: |\n| a | 9.00 (CPython replace) / – |\n" \
        in details(found)
    assert "The datasheet has no placed and routed core" in summary(found)
    assert "modelled" not in summary(found) + details(found)
