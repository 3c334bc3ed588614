import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.run import Comparison, Missing
from runewire_benchmark.table import headings, provenance, render, rows
from runewire_model import TranscoderParameters


def shown(comparison: Comparison, width: int) -> str:
    paper = io.StringIO()
    Console(file=paper, width=width, markup=False, highlight=False).print(render(comparison))
    return paper.getvalue()


def test_rows_hold_medians_extremes_damage_and_packets(usual: Comparison) -> None:
    cells = {name: values for name, values, _ in rows(usual, "decode")}
    assert headings(usual) == ["clean", "min", "max", "1/KiB", "1/64 B", "1500 B", "IQR"]
    assert cells["CPython replace"] == ["1.40", "0.90", "19", "1.20", "0.70", "1.40", "10 %"]
    assert cells["CPython strict"] == ["1.50", "1.00", "20", "–", "–", "1.50", "10 %"]
    assert cells["8-lane dense, 370 MHz"] == ["2.96"] * 6 + [""]
    assert "16-lane sparse, 380 MHz" in cells


def test_cores_and_the_socket_are_marked_as_modelled(usual: Comparison) -> None:
    for job in ("decode", "validate", "encode"):
        found = {name: modelled for name, _, modelled in rows(usual, job)}
        assert found == {name: "lane" in name or name.startswith("socket: ") for name in found}
        assert list(found.values()).count(True) > 1


def test_a_socket_is_all_its_cores_as_far_as_memory_goes(usual: Comparison) -> None:
    decode, validate = ({name: cells for name, cells, _ in rows(usual, job)} for job in ("decode", "validate"))
    assert decode["socket: CPython strict"] == ["144", "96", "461", "–", "–", "144", ""]
    assert validate["socket: polars"][:3] == ["461"] * 3


def test_published_software_has_a_socket_too(
    make_comparison: Callable[..., Comparison], make_entry: Callable[..., Entry],
) -> None:
    core = replace(make_entry("validator", 32, 370.0), parameters=TranscoderParameters("utf-32le", None, 32))
    found = make_comparison({"numpy": ("check utf-32le", {"a": (4.0, None, None)})}, [core])
    assert "socket: simdutf †" in [name for name, _, _ in rows(found, "check utf-32le")]


@pytest.mark.parametrize("width", [80, 120])
def test_table_fits_a_terminal_without_loss(usual: Comparison, width: int) -> None:
    lines = shown(usual, width).splitlines()
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert "…" not in text
    for name in ("golden model", "CPython replace", "polars", "16-lane sparse, 380 MHz", "64-lane, 370 MHz"):
        assert any(line.strip().startswith(name) for line in lines), name
    assert "modelled" in text


def test_one_text_has_no_extremes(make_comparison: Callable[..., Comparison]) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a": (9, None, None)})}, [])
    assert headings(found) == ["clean", "1/KiB", "1/64 B", "1500 B", "IQR"]
    assert rows(found, "decode") == [("CPython strict", ["9.00", "–", "–", "9.00", "10 %"], False)]


def test_ill_formed_text_is_not_called_clean(make_comparison: Callable[..., Comparison]) -> None:
    found = make_comparison({"CPython replace": ("decode", {"a": (9, 9, 9)})}, [], ill_formed=("a",))
    assert headings(found)[0] == "as it is"


def test_what_is_missing_and_the_machine_are_named(make_comparison: Callable[..., Comparison]) -> None:
    found = make_comparison({"CPython strict": ("decode", {"a[b]": (9, None, None)})}, [])
    found = Comparison(**{**vars(found), "missing": (Missing("polars", "pip install polars"),)})
    text = shown(found, 200)
    assert "Not measured: polars (pip install polars)" in text
    assert "Fast Processor 9000, 8 CPUs" in text
    assert "`runewire sweep`" in text


def test_provenance_names_tools_once(usual: Comparison) -> None:
    assert provenance(usual).count("yosys 0.70") == 1
    assert "nextpnr-ecp5 0.11" in provenance(usual)
    assert "polars 1.0" in provenance(usual)
