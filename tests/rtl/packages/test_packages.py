"""Properties of every package."""

from pathlib import Path
from typing import Any

import pytest
from runewire_model import ParameterError
from runewire_rtl import generate, parameters, top_name
from runewire_rtl.packages import PACKAGES, chosen
from runewire_rtl.packages.base import buses


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_s_files_are_ascii_and_the_same_again(name: str, everything: dict[str, Any]) -> None:
    params = parameters(**everything)
    files = PACKAGES[name].files(params)
    assert bool(files) != bool(PACKAGES[name].checks(params))
    assert all(text.isascii() and text.endswith("\n") and not text.endswith("\n\n") for text in files.values())
    assert not [line for text in files.values() for line in text.splitlines() if line != line.rstrip()]
    assert PACKAGES[name].files(params) == files


@pytest.mark.parametrize("name", PACKAGES)
def test_files_of_two_cores_do_not_meet(name: str) -> None:
    one, other = ({*PACKAGES[name].files(parameters(core, lanes=1))} for core in ("validator", "encoder"))
    assert one & other == ({"Bender.yml"} if name == "bender" else set())


def test_without_a_package_nothing_is_added(tmp_path: Path) -> None:
    params = parameters("validator", lanes=1)
    plain = generate(params, tmp_path / "plain")
    same = [name for name in PACKAGES if name not in ("vivado", "assertions")]
    made = generate(params, tmp_path / "all", packages=chosen(same))
    assert {path.name for path in (tmp_path / "plain").iterdir()} == {path.name for path in plain.paths}
    for path in plain.paths:
        assert path.read_bytes() == (made.verilog.parent / path.name).read_bytes()
    assert sorted(made.verilog.parent.iterdir()) == sorted(made.paths)


def test_a_name_twice_is_one_package() -> None:
    assert chosen(["fusesoc", "fusesoc"]) == [PACKAGES["fusesoc"]]


def test_an_unknown_name_is_an_error_that_says_which_there_are() -> None:
    with pytest.raises(ParameterError, match=r"package must be one of fusesoc, .*got 'zip'|package must be .*'zip'"):
        chosen(["fusesoc", "zip"])


def test_buses_are_those_of_the_ports(everything: dict[str, Any]) -> None:
    found = {bus.name: (bus.slave, list(bus.signals)) for bus in buses(parameters(**everything))}
    assert found == {
        "s_axis": (True, ["tdata", "tkeep", "tvalid", "tready", "tlast", "tuser", "tid", "tdest"]),
        "m_axis": (False, ["tdata", "tkeep", "tvalid", "tready", "tlast", "tuser", "tid", "tdest"]),
        "m_report": (False, ["tdata", "tvalid", "tready"]),
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_every_file_names_the_core(name: str, everything: dict[str, Any]) -> None:
    params = parameters(**everything)
    assert all(top_name(params) in text for text in PACKAGES[name].files(params).values())


@pytest.mark.parametrize("name", PACKAGES)
def test_every_file_names_its_licence(name: str, everything: dict[str, Any]) -> None:
    for file, text in PACKAGES[name].files(parameters(**everything)).items():
        line = "license: Apache-2.0" if file.endswith(".core") else "SPDX-License-Identifier: Apache-2.0"
        assert line in text, file
