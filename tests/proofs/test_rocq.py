"""The specification in Rocq: checked, without assumptions, and the same as the serial specifications and the model.

`make proofs-spec` runs this file. The tables that are compared are the theorems' own, as Rocq prints them.
"""

import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from runewire_model import ENCODINGS
from runewire_rtl import yowasp

pytestmark = [pytest.mark.slow, pytest.mark.needs("coq"), pytest.mark.xdist_group("rocq")]

ROOT = Path(__file__).parents[2] / "proofs"
SOURCES = ("Scalar", "Items", "Decoding", "Tactics", "Utf8", "Utf16", "Utf32", "Print")
"""The files of ``proofs/rocq``, each after those that it reads."""
BITS = {"utf-8": 8, "utf-16": 16, "utf-32": 32}
REPLACEMENT = 0xFFFD


def checked(folder: Path, names: Sequence[str] = SOURCES) -> subprocess.CompletedProcess[str]:
    """Rocq's answer to the last of these files in ``folder``, or to the first one that it refuses."""
    for name in names:
        said = subprocess.run(["coqc", "-q", "-Q", folder, "Runewire", folder / f"{name}.v"], cwd=folder,
                              capture_output=True, text=True, check=False)
        if said.returncode:
            break
    return said


@pytest.fixture(scope="session")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checked files."""
    folder = tmp_path_factory.mktemp("rocq")
    for name in SOURCES:
        shutil.copy(ROOT / "rocq" / f"{name}.v", folder)
    said = checked(folder)
    assert said.returncode == 0, said.stderr
    (folder / "printed").write_text(said.stdout)
    return folder


class Row(NamedTuple):
    """A row of a table; ``next`` is None where a scalar is complete."""

    state: str
    low: int
    high: int
    base: int
    next: str | None


@dataclass(frozen=True)
class Table:
    """An automaton as in `Decoding.v`: `decode` follows `feed` and `finish` there."""

    radix: int
    rows: tuple[Row, ...]

    @property
    def start(self) -> str:
        return self.rows[0].state

    def row(self, state: str, unit: int) -> Row | None:
        for row in self.rows:
            if row.state == state and row.low <= unit <= row.high:
                return row
        return None

    def decode(self, units: Sequence[int]) -> Iterator[tuple[int | None, int]]:
        """The scalar values, None for an ill-formed subpart, each with its number of units."""
        state, value, held = self.start, 0, 0
        for unit in units:
            row = self.row(state, unit)
            if row is None and held:
                yield None, held
                state, value, held = self.start, 0, 0
                row = self.row(state, unit)
            if row is None:
                yield None, 1
                continue
            value, held = self.radix * value + unit - row.base, held + 1
            if row.next is None:
                yield value, held
                state, value, held = self.start, 0, 0
            else:
                state = row.next
        if held:
            yield None, held


@pytest.fixture(scope="session")
def tables(proven: Path) -> dict[str, Table]:
    """The tables that Rocq printed, by encoding form."""
    text = " ".join((proven / "printed").read_text().split())
    found = {}
    for name, radix, rows in re.findall(r'"([^"]*)"%string, (\d+), \[(.*?)\]', text):
        parts = re.findall(r"\((?:\w+\.)?(\w+), (\d+), (\d+), (\d+), (?:Some (?:\w+\.)?(\w+)|None)\)", rows)
        assert len(parts) == rows.count("(")
        found[name] = Table(int(radix), tuple(
            Row(state, int(low), int(high), int(base), following or None)
            for state, low, high, base, following in parts))
    assert found.keys() == BITS.keys()
    return found


def test_nothing_is_assumed_and_nothing_is_left_out(proven: Path) -> None:
    text = "".join((proven / f"{name}.v").read_text() for name in SOURCES)
    asked = text.count("Print Assumptions")
    assert (proven / "printed").read_text().count("Closed under the global context") == asked == 7
    assert re.findall(r"\b(Admitted|admit|Axiom|Parameter|Abort|Unset|bypass_check)\b", text) == []


# Comparison with the golden model.

EDGES = {
    "utf-8": range(0x100), "utf-16": range(0x10000),
    "utf-32": sorted({0, 0x7F, 0xFEFF, 0xFFFD, 0x10FFFF, 0x110000, 0xFFFFFFFF, *range(0xD7F0, 0xE010),
                      *(1 << bit for bit in range(32)), *(0x10FFFF ^ 1 << bit for bit in range(32))}),
}
"""All units of an encoding form; of UTF-32 those at the edges of the ranges, and with one bit more or less."""


def beginnings(table: Table) -> list[list[int]]:
    """Units that lead to each state, through the first and the last unit of each row on the way."""
    found: list[tuple[str, list[int]]] = [(table.start, [])]
    for state, units in found:
        found += [(row.next, [*units, edge]) for row in table.rows if row.state == state and row.next is not None
                  for edge in {row.low, row.high}]
    assert {state for state, _ in found} == {row.state for row in table.rows}
    return [units for _, units in found]


def texts(name: str, table: Table) -> Iterator[list[int]]:
    """In every state every unit, alone and with another after it."""
    after = [[], [0x41], [0x80]] if name == "utf-8" else [[]]
    for start in beginnings(table):
        yield from ([*start, unit, *more] for unit, more in product(EDGES[name], after))


def disagreements(name: str, table: Table) -> Iterator[str]:
    """Texts that the golden model decodes to something else, or in which it finds another first error."""
    for encoding in (one for one in ENCODINGS.values() if one.name in (name, f"{name}le", f"{name}be")):
        # Each text alone for its first error; all of them at once, with a letter between, for what is decoded.
        for text in random.Random(7).sample([*texts(name, table)], 3000) if name == "utf-16" else texts(name, table):
            items, packet = [*table.decode(text)], encoding.pack(text)
            before = 0
            for scalar, size in items:
                if scalar is None:
                    break
                before += size
            error = encoding.first_error(packet)
            if (None if error is None else error.offset) != (before if before < len(text) else None):
                yield f"{encoding.name}: the first error of {packet.hex(' ')}"
        whole = [unit for text in texts(name, table) for unit in (*text, 0x41)]
        wanted = [REPLACEMENT if scalar is None else scalar for scalar, _ in table.decode(whole)]
        if encoding.decode(encoding.pack(whole)) != wanted:
            yield f"{encoding.name}: what is decoded"


@pytest.mark.parametrize("name", BITS)
def test_the_golden_model_decodes_as_the_automaton(name: str, tables: dict[str, Table]) -> None:
    assert next(disagreements(name, tables[name]), None) is None


@pytest.mark.parametrize("name", BITS)
def test_every_scalar_is_decoded_as_the_golden_model_encodes_it(name: str, tables: dict[str, Table]) -> None:
    encoding = ENCODINGS[name if name in ENCODINGS else f"{name}le"]
    scalars = [*range(0xD800), *range(0xE000, 0x110000)]
    units = encoding.unpack(encoding.encode(scalars))
    assert [scalar for scalar, _ in tables[name].decode(units)] == scalars


# Comparison with the serial specifications in Verilog.

STEP = """
module table_step (input [{top}:0] state, input [20:0] value, input [{unit}:0] u,
                   output reg hit, output reg [{top}:0] next, output reg whole, output reg [20:0] after);
    always @* begin
        {{hit, next, whole, after}} = 0;
{rows}
    end
endmodule
"""
SERIAL = """
module miter (input clk, input last, input [{unit}:0] u, input keep, input [{unit}:0] look, input follows, output ok);
    localparam OFFSET = 4;
    wire present, found, sound;
    wire [20:0] scalar;
    wire [21:0] ahead;
    source #(.LANES(1), .OFFSET(OFFSET)) dut (.clk(clk), .go(1'b1), .last(last), .units(u), .keep({{{bytes}{{keep}}}}),
        .next(look), .follows({{{bytes}{{follows}}}}), .present(present), .scalars(scalar), .found(found),
        .sound(sound), .ahead(ahead));
    reg [{top}:0] state = 0;
    reg [20:0] value = 0;
    reg ill = 0;
{reading}
    wire ill_now = ill || ends && !whole;
    always @(posedge clk) {{state, value, ill}} <= last ? 0 : {{after, value_after, ill_now}};

    // Each beat is what the beat before it announced.
    reg begun = 0, expects = 0, off = 0;
    reg [{unit}:0] expected = 0;
    wire off_now = off || !keep && !last || last && follows
        || begun && (keep != expects || keep && u != expected);
    always @(posedge clk) {{begun, expects, expected, off}} <= {{!last, follows, look, off_now}};
    assign ok = off_now || present == ends && (!ends || scalar == scalar_now) && sound == (ends && !ill_now)
        && found == ill_now && ahead[21] == (follows && after != 0 && goes_on)
        && (!ahead[21] || ahead[20:0] == value_ahead);
endmodule
"""
BYTE = """
module miter (input [2:0] state, input [20:0] value, input [7:0] u, input keep, input [7:0] look, input follows,
              input [1:0] place, output ok);
    wire present, ill;
    wire [2:0] wants;
    wire [20:0] scalar, verilog_value;
    utf8_grammar_byte dut (.keep(keep), .b(u), .follows(follows), .look(look), .wanted(state), .wants(wants),
        .value(value), .value_after(verilog_value), .place(place), .present(present), .scalar(scalar), .ill(ill));
{reading}
    assign ok = present == ends && ill == (ends && !whole) && (!ends || scalar == scalar_now)
        && (!keep || wants == after && (!good || verilog_value == value_after));
endmodule
"""
READING = """
    // The unit in the present state, and at the start if it does not fit there.
    wire fits, begins, whole_here, whole_first, goes_on;
    wire [{top}:0] next_here, next_first;
    wire [20:0] value_here, value_first, value_ahead;
    table_step here (state, state == 0 ? 21'd0 : value, u, fits, next_here, whole_here, value_here);
    table_step first ({zero}, 21'd0, u, begins, next_first, whole_first, value_first);
    wire good = fits || begins;
    wire whole = fits ? whole_here : whole_first;
    wire [{top}:0] after = !keep ? state : fits ? next_here : next_first;
    wire [20:0] value_after = !keep ? value : fits ? value_here : value_first;
    table_step more (after, value_after, look, goes_on, , , value_ahead);
    wire ends = keep && !(follows && after != 0 && goes_on);
    wire [20:0] scalar_now = whole ? value_after : 21'hFFFD;
"""


def step_of(table: Table, bits: int, states: dict[str, int]) -> tuple[str, dict[str, object]]:
    """The table as a module of Verilog, and what its harness has to be filled with."""
    top = max(1, max(states.values()).bit_length()) - 1
    shift = table.radix.bit_length() - 1
    assert table.radix == 1 << shift
    rows = "\n".join(
        f"        if (state == {states[row.state]} && u >= {bits}'d{row.low} && u <= {bits}'d{row.high}) begin\n"
        f"            {{hit, next, whole}} = {{1'b1, {top + 1}'d{states[row.next or table.start]}, "
        f"1'b{int(row.next is None)}}};\n"
        f"            after = (value << {shift}) + u - {row.base};\n        end"
        for row in table.rows)
    filled: dict[str, object] = {"top": top, "unit": bits - 1, "bytes": max(1, bits // 8), "zero": f"{top + 1}'d0"}
    return STEP.format(rows=rows, **filled), filled


def same_as_verilog(table: Table, name: str, harness: str, folder: Path) -> bool:
    """Whether Yosys proves the table the same as the serial specification, in all states and for all units."""
    source = (ROOT / "runewire_proofs" / "spec" / "encodings" / f"{name.replace('-', '')}_source.v").read_text()
    # Yosys from PyPI sees no folder below /tmp but the one that it runs in.
    (folder / "source.v").write_text(source)
    named = re.search(r"localparam \[2:0\] (CHAR = 0.*?);", source, re.DOTALL)
    states = {state: int(number) for state, number in re.findall(r"(\w+) = (\d)", named[1])} if named else {
        state: number for number, state in enumerate(dict.fromkeys(row.state for row in table.rows))}
    module, filled = step_of(table, BITS[name], states)
    reading = READING.format(**filled)
    (folder / "miter.v").write_text(module + harness.format(reading=reading, **filled))
    (folder / "script.ys").write_text(
        "read_verilog source.v miter.v\nhierarchy -top miter\nproc\nflatten\nopt\nmemory_map\nopt\n"
        f"sat -verify -prove ok 1 {'' if harness is BYTE else '-tempinduct -set-init-zero'} -show-inputs miter\n")
    done = subprocess.run([*yowasp.command("yosys"), "-q", "script.ys"], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode and "proof did fail" not in done.stdout + done.stderr:
        raise AssertionError(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 0


HARNESSES = [("utf-8", "BYTE"), ("utf-16", "SERIAL"), ("utf-32", "SERIAL")]


@pytest.mark.parametrize(("name", "harness"), HARNESSES)
def test_the_serial_specification_is_the_automaton(
    name: str, harness: str, tables: dict[str, Table], tmp_path: Path,
) -> None:
    assert same_as_verilog(tables[name], name, globals()[harness], tmp_path)


# What all this finds.

FAULTS = [
    ("utf-8", "CHAR", 0xC2, {"low": 0xC1}), ("utf-8", "AFTER_ED", 0x80, {"high": 0xBF}),
    ("utf-8", "AFTER_F4", 0x80, {"high": 0x90}), ("utf-8", "TAIL3", 0x80, {"next": "TAIL1"}),
    ("utf-16", "CHAR", 0xD800, {"base": 0xD800}), ("utf-16", "LOW", 0xDC00, {"high": 0xDFFE}),
    ("utf-32", "CHAR", 0, {"high": 0xD800}), ("utf-32", "CHAR", 0xE000, {"high": 0x10FFFE}),
]
"""A row by its encoding form, state and first unit, and what is wrong in it."""


@pytest.mark.parametrize(("name", "state", "low", "wrong"), FAULTS)
def test_a_wrong_row_is_found_by_the_proof_and_by_both_comparisons(
    name: str, state: str, low: int, wrong: dict[str, object], proven: Path, tables: dict[str, Table], tmp_path: Path,
) -> None:
    table = tables[name]
    (row,) = (each for each in table.rows if (each.state, each.low) == (state, low))
    broken = row._replace(**wrong)  # type: ignore[arg-type]
    changed = replace(table, rows=tuple(broken if each is row else each for each in table.rows))
    harness = dict(HARNESSES)[name]
    assert not same_as_verilog(changed, name, globals()[harness], tmp_path)
    assert next(disagreements(name, changed), None) is not None

    folder = shutil.copytree(proven, tmp_path / "rocq")
    file = folder / f"{name.replace('-', '').capitalize()}.v"
    line = re.compile(rf"Row {state} +0x0*{low:X} .*?(?=;|\].)|Row {state} +{hex(low)} .*?(?=;|\].)")
    following = "None" if broken.next is None else f"(Some {broken.next})"
    text, count = line.subn(f"Row {state} {broken.low} {broken.high} {broken.base} {following}", file.read_text())
    assert count == 1
    file.write_text(text)
    said = checked(folder, [file.stem])
    assert said.returncode != 0
    assert re.search(r"\bError:", said.stderr)
    assert "Syntax error" not in said.stderr
