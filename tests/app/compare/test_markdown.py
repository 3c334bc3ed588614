from collections.abc import Callable

from runewire.compare.markdown import summary
from runewire.compare.run import Comparison
from runewire.compare.verdict import sentences


def test_table_holds_clean_and_damaged_text(usual: Comparison) -> None:
    lines = summary(usual).splitlines()
    assert [line for line in lines if line.startswith("|")] == [
        "| text | fastest software, GB/s | lanes that pass it | fastest core, GB/s | times as fast |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| ascii | 20 / 2.00 | none / 8 | 6.08 | 0.30 / 3.04 |",
        "| greek | 1.00 / 0.50 | 4 / 2 | 6.08 | 6.08 / 12.2 |",
        "| emoji | 1.50 / 0.70 | 8 / 2 | 6.08 | 4.05 / 8.69 |",
    ]


def test_every_job_the_machine_and_the_kind_of_figure_are_named(usual: Comparison) -> None:
    text = summary(usual)
    for job in ("decode", "validate", "encode"):
        assert f"- {' '.join(sentences(usual, job))}\n" in text  # type: ignore[arg-type]
    assert "- Not shown, as they have no measured clock" in text
    assert "hardware is modelled" in text
    assert "Fast Processor 9000" in text


def test_software_alone_has_no_columns_for_hardware(make_comparison: Callable[..., Comparison]) -> None:
    text = summary(make_comparison({"CPython replace": ("decode", {"a": (9, 8, None)})}, []))
    assert "| text | fastest software, GB/s |\n| --- | ---: |\n| a | 9.00 / – |\n" in text
    assert "- The datasheet has no placed and routed core" in text
    assert "modelled" not in text
