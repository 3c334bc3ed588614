"""What the parts of a splitter assume of their inputs, and who proves it: both have the numbers of `beat_fields.v`."""

from __future__ import annotations

from ..miter import Miter
from .assumed import Assumed, Inputs
from .opened import Opened
from .segment_suppliers import Supply
from .segments import number_of
from .suppliers import Proven, late

FIELDS = ("marks", "rows", "full", "begun", "start", "end_of", "tells")


def _finding(miter: Miter) -> Inputs:
    size = miter.parameters["LANES"]
    return Inputs(
        [Assumed("whole_beats", {"go": "x_i_valid", "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": size})],
        {"valid": "x_i_valid", "last": "x_i_last", "bytes": "x_i_data", "count": "number"},
        only_when={"i_keep": "x_i_valid"}, among=True,
        says=number_of("number", "x_i_keep", size))


def _sizes(miter: Miter) -> dict[str, int]:
    """Bits of each field."""
    numbers = miter.parameters
    lanes, bits = numbers["LANES"], max(1, numbers["BITS"])
    return {"marks": (2 + numbers["BITS"]) * lanes, "rows": numbers["ROWS"], "full": 1, "begun": 1, "start": bits,
            "end_of": bits, "tells": 1}


def _of_beat(miter: Miter, comes: str, octets: str, number: str, last: str) -> str:
    """Verilog of the numbers of a beat, ``its_…``."""
    numbers = miter.parameters
    settings = ", ".join(f".{name}({numbers[name]})" for name in (
        "LANES", "BITS", "ROWS", "KEEPS", "EMPTY", "DELIMITER"))
    return ("".join(f"    wire [{width - 1}:0] its_{name};\n" for name, width in _sizes(miter).items())
            + f"    beat_fields #({settings}) of_beat (.clk(clk), .comes({comes}), .bytes({octets}), "
            f".number({number}), .last({last}), {', '.join(f'.{name}(its_{name})' for name in FIELDS)});\n")


def _number(miter: Miter) -> int:
    """Bits of a number of bytes in `beat_fields.v`."""
    return (2 * int(miter.parameters["LANES"])).bit_length() + 2


def _splitting(miter: Miter) -> Inputs:
    """A beat and its numbers are shown from the cycle after it comes until it leaves."""
    lanes, sizes = miter.parameters["LANES"], _sizes(miter)
    given = {"row_valid": "shown", "data": "now", "one": "f_one", "two": "f_two", "some": "f_some",
             "coming_rows": "its_rows", "coming_one": "its_rows < 2", "coming_two": "its_rows == 2",
             **{"end" if name == "end_of" else name: f"f_{name}" for name in FIELDS}}
    lines = [
        f"wire [{_number(miter) - 1}:0] least = inside && x_count == 0 ? 1 : x_count, "
        f"number = !x_last || least > {lanes} ? {lanes} : least;",
        "reg inside = 0, shown = 0, has_bytes = 0, f_one = 0, f_two = 0, f_some = 0;",
        f"reg [{8 * lanes - 1}:0] now = 0;",
        *(f"reg [{width - 1}:0] f_{name} = 0;" for name, width in sizes.items()),
        "wire free = !shown || core_ready;",
        "always @(posedge clk) if (free) begin",
        "    shown <= x_comes;",
        "    if (x_comes) begin",
        "        {now, inside, has_bytes} <= {x_bytes, !x_last, number != 0};",
        "        {f_one, f_two, f_some} <= {its_rows < 2, its_rows == 2, its_rows != 0};",
        *(f"        f_{name} <= its_{name};" for name in sizes),
        "    end",
        "end",
    ]
    return Inputs(
        [Assumed("fields")],
        {"comes": "x_comes", "bytes": "x_bytes", "count": "x_count", "last": "x_last"},
        only_when={"end": "has_bytes"}, given=given, among=True,
        extra={"comes": 1, "bytes": 8 * lanes, "count": lanes.bit_length(), "last": 1},
        says=_of_beat(miter, "free && x_comes", "x_bytes", "number", "x_last")
        + "".join(f"    {line}\n" for line in lines))


INPUTS = {"finding": _finding, "splitting": _splitting}
"""By the harness of a part."""


def _fields(finding: Opened, assumed: Assumed) -> Proven:
    """The numbers that leave the finder follow from the beat's bytes, by `beat_fields.v`."""
    miter = finding.miter
    lanes, delay = miter.parameters["LANES"], miter.parameters["DELAY"]
    bits, sizes = _number(miter), _sizes(miter)
    wide = [name for name in FIELDS if miter.parameters["BITS"] or name not in ("start", "end_of")]
    says = number_of("kept", "core_i_keep", lanes) + "".join(f"    {line}\n" for line in (
        "reg waits = 0, held_last = 0;", f"reg [{8 * lanes - 1}:0] waiting = 0;",
        f"reg [{bits - 1}:0] held_number = 0;",
        "wire leaves = waits && (held_last || core_i_valid);",
        "wire is_last = held_last || core_i_last && kept == 0;",
        "always @(posedge clk) begin",
        "    waits <= core_i_valid || waits && !held_last;",
        f"    if (core_i_valid) {{waiting, held_number, held_last}} <= {{core_i_data, {{{bits}{{1'b0}}}} | kept, "
        "core_i_last};",
        "end",
    )) + _of_beat(miter, "leaves", "waiting", "held_number", "is_last")
    says += late("due", "leaves", 1, delay) + late("due_last", "is_last", 1, delay)
    says += late("due_bytes", "held_number != 0", 1, delay)
    says += "".join(late(f"due_{name}", f"its_{name}", width, delay) for name, width in sizes.items())
    counts = f"{{{sizes['end_of']}{{due_bytes}}}}"
    ports, dues = {"end_of": f"core_o_end & {counts}"}, {"end_of": f"due_end_of & {counts}"}
    word = ["core_o_last", "core_o_one", "core_o_two", "core_o_some",
            *(ports.get(name, f"core_o_{name}") for name in wide)]
    due = ["due_last", "due_rows < 2", "due_rows == 2", "due_rows != 0",
           *(dues.get(name, f"due_{name}") for name in wide)]
    width = 4 + sum(sizes[name] for name in wide)
    wanted = Assumed("equal", {"go": "core_o_valid", "value": f"{{{', '.join(word)}}}",
                               "due": f"{{{', '.join(due)}}}"}, {"WIDTH": width})
    alone = Assumed("empty_alone", {"go": "core_o_valid", "last": "core_o_last", "some": "due_bytes"})
    return Proven([wanted, alone], [name for name in finding.ports["output"] if name != "bad_bytes"], says=says)


SUPPLIED = {("fields", ""): Supply([("finding", _fields)], simulated="the buffer leads them on")}
"""By condition and place."""
