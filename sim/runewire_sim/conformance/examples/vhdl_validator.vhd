-- UTF-8 validator, a byte per cycle: `bad` is right in the cycle in which `done` is high.
-- SPDX-License-Identifier: CC0-1.0

library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity vhdl_validator is
    port (
        clk      : in  std_logic;
        rst      : in  std_logic;
        in_byte  : in  std_logic_vector(7 downto 0);
        in_valid : in  std_logic;
        in_last  : in  std_logic;
        done     : out std_logic;
        bad      : out std_logic
    );
end entity;

architecture rtl of vhdl_validator is
    signal left      : integer range 0 to 3;          -- continuation bytes that must follow
    signal low, high : unsigned(7 downto 0);          -- and the range of the next one
    signal seen      : boolean;                       -- an error in this packet
begin
    process (clk)
        variable byte  : unsigned(7 downto 0);
        variable wrong : boolean;
        variable then_left : integer range 0 to 3;
    begin
        if rising_edge(clk) then
            done <= in_valid and in_last;
            if in_valid = '1' then
                byte := unsigned(in_byte);
                if left /= 0 then
                    wrong     := byte < low or byte > high;
                    then_left := left - 1;
                else
                    wrong := byte >= x"80" and (byte < x"C2" or byte > x"F4");
                    if byte >= x"F0" then
                        then_left := 3;
                    elsif byte >= x"E0" then
                        then_left := 2;
                    elsif byte >= x"C2" then
                        then_left := 1;
                    else
                        then_left := 0;
                    end if;
                end if;
                bad <= '0';
                if seen or wrong or then_left /= 0 then
                    bad <= '1';
                end if;
                low  <= x"80";
                high <= x"BF";
                if left = 0 then
                    case byte is
                        when x"E0"  => low  <= x"A0";
                        when x"ED"  => high <= x"9F";
                        when x"F0"  => low  <= x"90";
                        when x"F4"  => high <= x"8F";
                        when others => null;
                    end case;
                end if;
                left <= then_left;
                seen <= seen or wrong;
            end if;
            if rst = '1' or (in_valid and in_last) = '1' then
                left <= 0;
                seen <= false;
            end if;
        end if;
    end process;
end architecture;
