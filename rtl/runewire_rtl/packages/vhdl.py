"""VHDL: a package that declares the core as a component, and an entity around it. The entity's ports are vectors or
``std_logic``.

The core itself is Verilog: mixed-language simulators and synthesisers bind the component to it by name. An open
`s_axis_tkeep` is all ones.
"""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..ports import KEEP, Port, ports
from ..verilog import top_name
from .base import Package, title


def wrapper(parameters: TranscoderParameters) -> str:
    """The text of the package ``…_pkg``, with the component, and of the entity ``…_vhdl``, which instantiates it."""
    top, table = top_name(parameters), ports(parameters)
    longest = max(len(port.name) for port in table)
    links = ",\n".join(f"      {port.name:<{longest}} => {port.name}" for port in table)
    return f"""\
-- {top}: {title(parameters)}.
-- SPDX-License-Identifier: Apache-2.0

library ieee;
use ieee.std_logic_1164.all;

package {top}_pkg is
  component {top} is
{_ports(table, 4)}
  end component;
end package;

library ieee;
use ieee.std_logic_1164.all;
use work.{top}_pkg.all;

entity {top}_vhdl is
{_ports(table, 2)}
end entity;

architecture wrapper of {top}_vhdl is
begin
  core : {top}
    port map (
{links}
    );
end architecture;
"""


def _ports(table: list[Port], indent: int) -> str:
    space, longest = " " * indent, max(len(port.name) for port in table)
    lines = []
    for port in table:
        shape = "std_logic" if port.width == 1 else f"std_logic_vector({port.width - 1} downto 0)"
        if port.name == KEEP:
            shape += " := '1'" if port.width == 1 else " := (others => '1')"
        mode = "in " if port.direction == "input" else "out"
        end = ";" if port is not table[-1] else " "
        lines.append(f"{space}  {port.name:<{longest}} : {mode} {shape}{end} -- {port.text}")
    return "\n".join([f"{space}port (", *lines, f"{space});"])


PACKAGE = Package("VHDL: a component package, and an entity around the core",
                  lambda parameters: {f"{top_name(parameters)}.vhd": wrapper(parameters)})
