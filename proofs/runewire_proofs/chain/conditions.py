"""What the parts assume of each other: each condition at the inputs of the part that assumes it.

`segments` has the parts of a core with flows.
"""

from __future__ import annotations

from dataclasses import replace

from runewire_model import TranscoderParameters

from ..miter import Miter
from .assumed import WRITES, Assumed, Inputs, Ports
from .segments import INPUTS as OF_SEGMENTS
from .splitters import INPUTS as OF_SPLITTERS


def inputs(miter: Miter, parameters: TranscoderParameters) -> Inputs | None:
    """The inputs of the part with that comparison; None if it is about a core from port to port."""
    made = (_INPUTS | OF_SEGMENTS | OF_SPLITTERS).get(miter.harness)
    if made is None:
        return None
    waits = parameters.pipeline == "compact"
    absent = {"items_with_beat": parameters.in_place, "report_at_end": parameters.sidebands.early,
              "zero_if_absent": parameters.target is not None, "stall": not waits, "in_order": not waits}
    found = made(miter)
    return replace(found, assumed=[each for each in found.assumed if not absent.get(each.condition)])


PIPELINE = (Assumed("stall"), Assumed("in_order"))
"""Of the parts of a pipeline that never waits."""


def _window(miter: Miter) -> Inputs:
    size = miter.parameters["LANES"] * miter.parameters.get("UNIT", 1)
    wide = 9 if size > 255 else 8
    beats = Assumed("whole_beats", {"go": "x_i_valid", "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": size})
    return Inputs([beats, *PIPELINE], {
        "valid": "x_i_valid", "last": "x_i_last", "count": "number", "units": "x_i_data", "user": "x_i_user",
        "tags": "x_i_tags",
    }, only_when={"i_keep": "x_i_valid"}, says=(
        f"    reg [{wide - 1}:0] number; integer n;\n"
        f"    always @* begin number = 0; for (n = 0; n < {size}; n = n + 1) number = number + x_i_keep[n]; end\n"))


def _octets(miter: Miter) -> Inputs:
    return Inputs([*PIPELINE], {"valid": "x_i_valid", "last": "x_i_last", "keep": "x_i_keep", "bytes": "x_i_data",
                       "user": "x_i_user", "tags": "x_i_tags"})


def _items(miter: Miter) -> list[Assumed]:
    """Conditions of the items of a beat."""
    numbers = miter.parameters
    lanes = numbers["LANES"]
    return [
        Assumed("items_with_beat", {"go": "x_go", "present": "x_present"}, {"LANES": lanes}),
        *([Assumed("last_places", {"present": "x_present"},
                   {"LANES": lanes, "SLOTS": numbers["SLOTS"], "USED": numbers["USED"]})]
          if numbers.get("SLOTS", 1) > 1 else [])]


def _tags(miter: Miter, go: str) -> tuple[list[Assumed], Ports, Ports]:
    """Conditions of a packet's tags, in which cycles these count, and what they are where a core has none."""
    if not miter.parameters.get("TAGS"):
        return [], {}, {"tag": "1'b0"}
    return [Assumed("one_tag", {"go": go, "last": "x_go_last", "tag": "x_tag"})], {"tag": go}, {}


def _report(miter: Miter) -> list[Assumed]:
    return [Assumed("report_at_end", {"go": "x_go", "last": "x_go_last", "report": "x_report"},
                    {"WIDTH": miter.parameters["WIDTH"]})]


def _packing(miter: Miter) -> Inputs:
    tags, when, given = _tags(miter, "x_go")
    return Inputs([*_items(miter), *_report(miter), *tags], only_when=when, given=given,
                  devices=frozenset({"choice"}))


def _before_buffer(miter: Miter) -> Inputs:
    return Inputs([*_items(miter), *_report(miter)])


def _rows(miter: Miter) -> Inputs:
    numbers = miter.parameters
    tags, when, given = _tags(miter, "x_go && core_advance")
    clean = Assumed("zero_if_absent", {"present": "x_present", "data": "x_data"},
                    {name: numbers[name] for name in ("LANES", "WIDTH")})
    return Inputs([*_items(miter), clean, *tags], only_when=when, given=given,
                  own=["bad_advance"])


def _placement(miter: Miter) -> Inputs:
    return Inputs([*_items(miter), Assumed("stall")], devices=frozenset({"choice"}))


ROW = ("filled", "ends", "kept", "there", "wrapped", "items")
"""What comes to the register of a compact core's output row."""


def _row(miter: Miter) -> Inputs:
    """What comes is as `placed` has it, for any number of items."""
    lanes, width, stages = (miter.parameters[name] for name in ("LANES", "WIDTH", "STAGES"))
    tags, when, given = _tags(miter, "x_go && core_advance")
    size = (lanes - 1).bit_length() + 2
    widths = {"filled": 1, "ends": 1, "kept": lanes, "there": lanes, "wrapped": lanes, "items": lanes * width}
    every = f"[{sum(widths.values()) - 1}:0]"
    lines = [
        f"wire [{size - 1}:0] count, after = count + (!x_go ? 0 : x_beat_items > {lanes} ? {lanes} : x_beat_items);",
        *(f"wire [{bits - 1}:0] now_{name}, late_{name};" for name, bits in widths.items()),
        f"wire [{lanes - 1}:0] kept;",
        f"placed #(.LANES({lanes})) numbered (.clk(clk), .go(x_go), .go_last(x_go_last), .advance(core_advance), "
        ".after(after), .count(count), .filled(now_filled), .ends(now_ends), .kept(kept), .there(now_there), "
        ".wrapped(now_wrapped));",
        "assign now_kept = now_ends ? kept : x_any_kept, now_items = x_data;",
        f"reg {every} line [0:{stages}]; integer n;",
        f"always @* line[0] = {{{', '.join(f'now_{name}' for name in widths)}}};",
        f"initial for (n = 1; n <= {stages}; n = n + 1) line[n] = 0;",
        *(f"always @(posedge clk) if (core_advance) line[{n}] <= line[{n - 1}];" for n in range(1, stages + 1)),
        f"assign {{{', '.join(f'late_{name}' for name in widths)}}} = line[{stages}];",
    ]
    return Inputs(
        [Assumed("placed"), *tags], {"beat_items": "x_beat_items", "data": "x_data", "any_kept": "x_any_kept"},
        only_when=when, given={**given, **{name: f"late_{name}" for name in ROW}},
        extra={"beat_items": size, "data": lanes * width, "any_kept": lanes}, own=["bad_advance"],
        says="".join(f"    {line}\n" for line in lines))


def _counters(miter: Miter) -> Inputs:
    last = Assumed("last_is_beat", {"go": "x_go", "last": "x_go_last"})
    return Inputs([last, Assumed("stall")], {"last": "x_go_last"})


def _buffer(miter: Miter) -> Inputs:
    numbers = miter.parameters
    # What is taken and pushed goes into both in one way: so the engine finds that they count alike.
    border = Assumed("border", {"took": "took", **{name: f"x_{name}" for name in WRITES}, "push": "turned",
                                "pushes": "pushes"}, {
        **{name: numbers[name] for name in ("LANES", "ROW", "WRITTEN")},
        "GROUPS": -(-numbers["LANES"] // numbers["GROUP"])})
    kinds = ("lane", "keep", "metadata", "mark")
    return Inputs(
        [border, Assumed("taken_if_accepted", {"took": "x_took", "accept": "core_accept"})],
        {"offer": "x_took", "may_push": "x_may_push", "may_return": "x_returned", "ready": "x_ready",
         **{f"{kind}_{raw}": f"x_{kind}_{port}" for kind in kinds
            for raw, port in (("write", "enable"), ("to", "row"), ("data", "data"))}},
        given={"accepted": "took_before", "push": "turned"}, extra={"took": 1, "may_push": 1},
        devices=frozenset({"watch", "free"}),
        says=f"    wire [{numbers['ROW'] + 1}:0] pushes;\n    wire took = x_took && core_accept;\n"
             "    wire [1:0] turned = {2{x_may_push}} & 2'b01 << pushes[0];\n"
             "    reg took_before = 0;\n    always @(posedge clk) took_before <= took;\n")


def _report_port(miter: Miter) -> Inputs:
    return Inputs([], {"valid": "x_row_valid", "ready": "x_o_ready"})


def _skid(miter: Miter) -> Inputs:
    return Inputs([], {"valid": "x_i_valid", "data": "x_i_data"})


def _output_skid(miter: Miter) -> Inputs:
    return Inputs([])


def _waiting(miter: Miter) -> Inputs:
    return Inputs([], {"valid": "x_i_valid", "last": "x_i_last", "rest": "x_i_rest", "ready": "x_o_ready"})


def _connection(miter: Miter) -> Inputs:
    return Inputs([])


_INPUTS = {
    "window": _window, "window_ahead": _window, "window_mark": _window, "window_octets": _octets, "packing": _packing,
    "before_buffer": _before_buffer, "rows": _rows, "placement": _placement, "row": _row, "counters": _counters,
    "buffer": _buffer, "output_skid": _output_skid, "report_port": _report_port,
    "skid": _skid, "waiting": _waiting, "connection": _connection,
}
