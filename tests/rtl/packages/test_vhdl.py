"""The VHDL wrapper in GHDL, against a stub of the core's entity; the core itself is Verilog."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import Generated, describe

STUB = """\
library ieee;
use ieee.std_logic_1164.all;
entity {top} is
  port ({ports});
end entity;
architecture stub of {top} is
begin
  {does}
end architecture;
"""
CORES: list[dict[str, Any]] = [
    {"core": "decoder", "lanes": 2},
    {"core": "validator", "lanes": 1, "report": "flag"},  # ports of a single bit
    {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3, "id": 2, "dest": 1,
     "report_port": "beside"},
]


def stub(params: TranscoderParameters, does: str = "", lacks: str = "") -> str:
    """An entity with the ports that the JSON description has, but one."""
    description = describe(params)
    ports = []
    for port in description["ports"]:
        shape = "std_logic" if port["width"] == 1 else f"std_logic_vector({port['width'] - 1} downto 0)"
        if port["name"] != lacks:
            ports.append(f"{port['name']} : {'in' if port['direction'] == 'input' else 'out'} {shape}")
    return STUB.format(top=description["top"], ports="; ".join(ports), does=does)


def ghdl(folder: Path, *arguments: object) -> str:
    """What GHDL prints; it must succeed."""
    done = subprocess.run(["ghdl", *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.needs("ghdl")
@pytest.mark.parametrize("standard", ["93c", "08"])
@pytest.mark.parametrize("options", CORES, ids=lambda options: options["core"])
def test_ghdl_elaborates_it_around_the_core(options: dict[str, Any], standard: str, tmp_path: Path,
                                            packaged: Callable[..., Generated]) -> None:
    made = packaged("vhdl", **options)
    (tmp_path / "stub.vhd").write_text(stub(TranscoderParameters.of(options)))
    assert ghdl(tmp_path, "-a", f"--std={standard}", "stub.vhd", made.packaged[0]) == ""
    # Unbound components are a warning, which would be said here.
    assert ghdl(tmp_path, "--elab-run", f"--std={standard}", f"{made.top}_vhdl", "--stop-time=1ns") == ""


@pytest.mark.needs("ghdl")
@pytest.mark.parametrize("lanes", [1, 4])
def test_an_open_tkeep_is_all_ones(lanes: int, tmp_path: Path, packaged: Callable[..., Generated]) -> None:
    """Of the entity and of the component."""
    params = TranscoderParameters.of({"core": "validator", "lanes": lanes})
    made = packaged("vhdl", core="validator", lanes=lanes)
    (tmp_path / "stub.vhd").write_text(stub(params, does="m_axis_tkeep <= s_axis_tkeep;"))
    shape = "std_logic" if lanes == 1 else f"std_logic_vector({lanes - 1} downto 0)"
    ones = "'1'" if lanes == 1 else f'"{"1" * lanes}"'
    links = ", ".join(f"{port['name']} => " + ("open" if port["direction"] == "output" else "'1'" if port["width"] == 1
                                              else "(others => '1')")
                      for port in describe(params)["ports"] if not port["name"].endswith("_tkeep"))
    (tmp_path / "bench.vhd").write_text(f"""\
library ieee;
use ieee.std_logic_1164.all;
entity bench is
end entity;
architecture bench of bench is
  signal of_entity, of_component : {shape};
begin
  entity_core : entity work.{made.top}_vhdl port map ({links}, m_axis_tkeep => of_entity);
  component_core : work.{made.top}_pkg.{made.top} port map ({links}, m_axis_tkeep => of_component);
  process begin
    wait for 1 ns;
    assert of_entity = {ones} and of_component = {ones} severity failure;
    wait;
  end process;
end architecture;
""")
    ghdl(tmp_path, "-a", "stub.vhd", made.packaged[0], "bench.vhd")
    ghdl(tmp_path, "--elab-run", "bench")


@pytest.mark.needs("ghdl")
def test_a_core_of_other_ports_is_refused(tmp_path: Path, packaged: Callable[..., Generated]) -> None:
    made = packaged("vhdl", **CORES[0])
    (tmp_path / "stub.vhd").write_text(stub(TranscoderParameters.of(CORES[0]), lacks="m_axis_tuser"))
    ghdl(tmp_path, "-a", "stub.vhd", made.packaged[0])
    with pytest.raises(AssertionError, match="m_axis_tuser"):
        ghdl(tmp_path, "--elab-run", f"{made.top}_vhdl", "--stop-time=1ns")


@pytest.mark.needs("ghdl")
def test_ports_of_the_wrapper_are_those_of_the_core(tmp_path: Path, packaged: Callable[..., Generated]) -> None:
    """The stub gives its data back; a bench looks for it at the wrapper."""
    params = TranscoderParameters.of({"core": "validator", "lanes": 2})
    made = packaged("vhdl", core="validator", lanes=2)
    (tmp_path / "stub.vhd").write_text(stub(params, does="m_axis_tdata <= s_axis_tdata; m_axis_tlast <= s_axis_tlast;"))
    (tmp_path / "bench.vhd").write_text(f"""\
library ieee;
use ieee.std_logic_1164.all;
entity bench is
end entity;
architecture bench of bench is
  signal data : std_logic_vector(15 downto 0);
  signal last : std_logic;
begin
  core : entity work.{made.top}_vhdl port map (
    aclk => '0', aresetn => '1', s_axis_tdata => x"C3A9", s_axis_tkeep => "11", s_axis_tvalid => '1',
    s_axis_tready => open, s_axis_tlast => '1', m_axis_tdata => data, m_axis_tkeep => open, m_axis_tvalid => open,
    m_axis_tready => '1', m_axis_tlast => last, m_axis_tuser => open);
  process begin
    wait for 1 ns;
    assert data = x"C3A9" and last = '1' severity failure;
    wait;
  end process;
end architecture;
""")
    ghdl(tmp_path, "-a", "stub.vhd", made.packaged[0], "bench.vhd")
    ghdl(tmp_path, "--elab-run", "bench")
