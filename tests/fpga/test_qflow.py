"""qflow: its technologies, reports and calls. The real program runs in tests/app/test_synth.py."""

import shutil
from pathlib import Path

import pytest
from runewire_fpga.qflow import OSU018, Technology, find_qflow, place_and_route, slowest_path, technology_of
from runewire_jobs.cache import Store
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_model import ParameterError

FOLDER = Path(__file__).parent
"""The folder of a small layout and its cells, which test_layouts.py explains."""
TIMING = """\
Number of paths analyzed:  166

Top 20 maximum delay paths:
Path DFFPOSX1_2/CLK to output pin m_axis_tvalid delay 2100 ps
      2.0 ps       aclk_bF_buf9: CLKBUF1_1/Y -> DFFPOSX1_2/CLK
   2100.0 ps      m_axis_tvalid:   BUFX2_2/Y -> m_axis_tvalid

Path DFFPOSX1_65/CLK to DFFPOSX1_99/D delay 2017.77 ps
      2.0 ps  aclk_bF_buf9:   CLKBUF1_1/Y -> DFFPOSX1_65/CLK
    234.8 ps     _0525__0_: DFFPOSX1_65/Q ->  NAND2X1_57/B
   1811.8 ps        _0007_:  NAND2X1_57/Y -> DFFPOSX1_99/D

   clock skew at destination = 24.0588
   setup at destination = 181.904

Path DFFPOSX1_65/CLK to DFFPOSX1_81/D delay 1779.62 ps
      2.0 ps  aclk_bF_buf9:   CLKBUF1_1/Y -> DFFPOSX1_65/CLK
   1578.6 ps     _0525__0_: DFFPOSX1_65/Q -> DFFPOSX1_81/D

   clock skew at destination = 13.2951
   setup at destination = 176.641

Computed maximum clock frequency (zero margin) = 495.597 MHz
-----------------------------------------

Top 20 minimum delay paths:
Path DFFPOSX1_49/CLK to DFFPOSX1_50/D delay 142.5 ps
      4.5 ps     aclk_bF_buf2:   CLKBUF1_8/Y -> DFFPOSX1_49/CLK
    142.5 ps           _0__3_: DFFPOSX1_49/Q -> DFFPOSX1_50/D

"""


def qflow(folder: Path, monkeypatch: pytest.MonkeyPatch, route: str) -> None:
    """A program qflow whose result is the small layout, with that log of the router, and which lists its calls."""
    (folder / "sta.log").write_text(TIMING)
    (folder / "route.log").write_text(route)
    program = folder / "qflow"
    program.write_text(f"""#!/bin/sh
test "$1" = --version && echo && echo "Qflow version 1.3 revision 17" && exit
echo "$@" >> {folder}/calls
test -f source/core.v -a -f tech/$6/$6.sh || exit 1
mkdir log && cp {folder}/route.log log/ && cp {folder}/sta.log log/post_sta.log && cp {FOLDER}/small.def layout/core.def
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The library of a technology."""
    folder = tmp_path / "tech" / "osu018"
    folder.mkdir(parents=True)
    settings = "set leffile=cells.lef\nset libertyfile=cells.lib ;# gates\nset fillcell=FILL\t;#\n"
    (folder / "osu018.sh").write_text(settings)
    shutil.copy(FOLDER / "small.lef", folder / "cells.lef")
    (folder / "cells.lib").write_text("library (cells) {}")
    return folder / "cells.lib"


def test_the_slowest_path_is_the_first_between_registers() -> None:
    assert slowest_path(TIMING) == (2017.77, ("DFFPOSX1", "NAND2X1", "DFFPOSX1"))


def test_a_report_without_a_path_between_registers_is_an_error() -> None:
    """vesta ends without a report and without an error where it cannot read a netlist."""
    before, _, after = TIMING.partition("Path DFFPOSX1_65")
    with pytest.raises(ToolError, match=r"^qflow failed: vesta reported no path between registers$"):
        slowest_path(before + after[after.index("\nComputed"):])


def test_a_technology_is_the_folder_of_its_library(library: Path) -> None:
    folder = library.parent
    assert technology_of(library) == Technology("osu018", folder, library, folder / "cells.lef", "FILL")


def test_a_library_of_no_technology_is_an_error(library: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as error:
        technology_of(tmp_path / "mine.lib")
    assert str(error.value) == ("liberty with --place must be a library of a technology of qflow, such as "
                                f"{OSU018}, got '{tmp_path}/mine.lib'")
    with pytest.raises(ParameterError) as error:
        technology_of(library.parent / "slow.lib")
    assert str(error.value) == (f"liberty with --place must be {library}, the library that qflow uses, got "
                                f"'{library.parent}/slow.lib'")


def test_debian_s_package_is_named_where_its_technology_is_missing(monkeypatch: pytest.MonkeyPatch,
                                                                   tmp_path: Path) -> None:
    monkeypatch.setattr("runewire_fpga.qflow.OSU018", tmp_path / "osu018" / "osu018_stdcells.lib")
    with pytest.raises(MissingToolError, match=r"^the technology osu018 is missing: apt-get install qflow-tech-osu018"):
        technology_of(tmp_path / "osu018" / "osu018_stdcells.lib")


def test_debian_s_packages_are_named_where_qflow_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"^qflow is missing: apt-get install qflow qflow-tech-osu018$"):
        find_qflow()


def test_a_netlist_is_placed_once(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qflow(tmp_path, monkeypatch, "Failed to route net _0119_\nFinal: No failed routes!\nRouter script ended\n")
    store, steps = Store(tmp_path / "store"), list[str]()
    routed = [place_and_route("module core; endmodule\n", "NAND2X1", technology_of(library), store=store,
                              watch=steps.append) for _ in range(2)]
    assert routed[0] == routed[1]
    assert steps == ["place and route"]
    assert (tmp_path / "calls").read_text().startswith("synthesize place route backanno -T osu018 -p /")
    assert (tmp_path / "calls").read_text().count("\n") == 1
    assert routed[0].to_json() == {
        "technology": "osu018", "width_um": 16, "height_um": 26, "cells": 2, "kge": 0.01, "wire_um": 17,
        "period_ps": 2018, "path": ["DFFPOSX1", "NAND2X1", "DFFPOSX1"]}
    assert routed[0].gates == pytest.approx(5)
    assert routed[0].version == "1.3.17"


@pytest.mark.parametrize(("route", "message"), [
    ("Final: Failed net routes: 3\n", "Failed net routes: 3"), ("", "the cells were not placed")])
def test_a_layout_that_is_not_complete_is_an_error(route: str, message: str, library: Path, tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    qflow(tmp_path, monkeypatch, route)
    with pytest.raises(ToolError, match=f"^qflow failed: {message}$"):
        place_and_route("", "NAND2X1", technology_of(library), store=Store(tmp_path / "store"))
