"""Who proves what a part assumes: the assertions of another part, by name, and the same condition at its outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .assumed import WRITES, Assumed
from .opened import Opened


@dataclass(frozen=True)
class Proven:
    """The condition at the outputs of a part. ``by``: the part's assertions that it follows from; none if the part's
    design itself is looked at. ``given``: conditions of that part that it rests on. ``says``: as in `Inputs`."""

    wanted: Sequence[Assumed]
    by: Sequence[str]
    given: Sequence[Assumed] = ()
    says: str = ""


def late(name: str, value: str, width: int, cycles: int) -> str:
    """Verilog of a signal ``name`` that is the value some cycles later."""
    return (f"    wire [{width - 1}:0] {name};\n    delay #(.WIDTH({width}), .CYCLES({cycles})) of_{name} "
            f"(.clk(clk), .in({value}), .out({name}));\n")


def _last_is_beat(window: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("last_is_beat", {"go": "core_item_valid", "last": "core_item_last"})], ["bad_beat"])


def _items_with_beat(window: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("items_with_beat", {"go": "core_item_valid", "present": "core_present"}, assumed.settings)],
                  ["bad_beat", "bad_present"])


def _last_places(window: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("last_places", {"present": "core_present"}, assumed.settings)], ["bad_beat", "bad_present"])


def _report_at_end(window: Opened, assumed: Assumed) -> Proven:
    told = window.miter.parameters.get("AMOUNT", 0) + window.miter.parameters["USER"]
    by = [name for name in ("bad_beat", "bad_report_beat", "bad_error", "bad_kind", "bad_offset", "bad_user")
          if name in window.ports["output"]]
    ports = {"go": "core_report_valid", "last": "core_report_last", "report": "core_report" if told else "1'b0"}
    return Proven([Assumed("report_at_end", ports, {"WIDTH": window.core["output"]["report"]})], by)


def _report_of_counters(counters: Opened, assumed: Assumed) -> Proven:
    """Counters are a part of the report, and zero at any other time."""
    numbers = counters.miter.parameters
    wanted = Assumed("report_at_end", {"go": "late_beat[1]", "last": "late_beat[0]", "report": "core_numbers"},
                     {"WIDTH": numbers["WIDTH"] * numbers["COUNTERS"]})
    return Proven([wanted], ["bad_number"], says=late("late_beat", "{core_go, core_go_last}", 2, numbers["DELAY"]))


def _one_tag(window: Opened, assumed: Assumed) -> Proven:
    numbers, width = window.miter.parameters, window.core["output"]["tags"]
    item, tag = numbers["ITEM_DELAY"], numbers["TAG_DELAY"]
    last = max(item, tag)
    given = Assumed("one_tag", {"go": "core_i_valid", "last": "core_i_last", "tag": "core_i_tags"}, {"WIDTH": width})
    wanted = Assumed("one_tag", {"go": "late_beat[1]", "last": "late_beat[0]", "tag": "late_tags"}, {"WIDTH": width})
    return Proven([wanted], ["bad_beat", "bad_tags"], [given],
                  late("late_beat", "{core_item_valid, core_item_last}", 2, last - item)
                  + late("late_tags", "core_tags", width, last - tag))


def _zero_if_absent(window: Opened, assumed: Assumed) -> Proven:
    lanes = window.core["output"]["present"]
    return Proven([Assumed("zero_if_absent", {"present": "core_present", "data": "core_data"},
                           {"LANES": lanes, "WIDTH": window.core["output"]["data"] // lanes})], [])


def _border(border: Opened, assumed: Assumed) -> Proven:
    numbers = border.miter.parameters
    groups = -(-numbers["LANES"] // numbers["GROUP"])
    wanted = Assumed("border", {"took": "late_go", **{name: f"core_{name}" for name in WRITES}},
                     {**{name: numbers[name] for name in ("LANES", "ROW", "WRITTEN")}, "GROUPS": groups})
    return Proven([wanted], ["bad_border"], says=late("late_go", "core_go", 1, numbers["LATER"]))


def _placed(placement: Opened, assumed: Assumed) -> Proven:
    """The flags, and the item of any one lane."""
    numbers = placement.miter.parameters
    lanes, size = numbers["LANES"], (numbers["LANES"] - 1).bit_length() + 2
    every = {"filled": 1, "ends": 1, "kept": lanes, "there": lanes, "wrapped": lanes, "lane": size}
    says = (f"    wire [{size - 1}:0] count; reg [{size - 1}:0] after; integer n;\n"
            f"    always @* begin after = count; for (n = 0; n < {lanes}; n = n + 1)"
            " after = after + (core_go && core_present[n]); end\n"
            + "".join(f"    wire [{bits - 1}:0] want_{name};\n" for name, bits in every.items())
            + f"    assign want_lane = r_choice % {lanes};\n"
            f"    placed #(.LANES({lanes})) numbered (.clk(clk), .go(core_go), .go_last(core_go_last), .advance(1'b1), "
            ".after(after), .count(count), .filled(want_filled), .ends(want_ends), .kept(want_kept), "
            ".there(want_there), .wrapped(want_wrapped));\n"
            + "".join(late(f"due_{name}", f"want_{name}", bits, numbers["STAGES"]) for name, bits in every.items()))
    # A core has no flag of the last lane: it has an item where the row is full.
    wanted = Assumed("as_placed", {
        "filled": "{core_filled, due_filled}", "ends": "{core_ends, due_ends}",
        "kept": "{core_kept, due_kept}", "there": "{core_there, due_there}", "wrapped": "{core_wrapped, due_wrapped}",
        "lane": "due_lane"}, {"LANES": lanes, "LANE": size})
    return Proven([wanted], [name for name in placement.ports["output"] if name != "bad_lemma"], says=says)


SUPPLIERS: dict[str, Sequence[tuple[str, Callable[[Opened, Assumed], Proven]]]] = {
    "last_is_beat": [("window", _last_is_beat)],
    "items_with_beat": [("window", _items_with_beat)],
    "last_places": [("window", _last_places)],
    "report_at_end": [("window", _report_at_end), ("counters", _report_of_counters)],
    "one_tag": [("window", _one_tag)],
    "zero_if_absent": [("window", _zero_if_absent)],
    "border": [("border", _border)],
    "placed": [("placement", _placed)],
}
"""Parts that prove a condition together; part `counters` only where a core has counters."""

BY_NAME: dict[str, tuple[str, Sequence[str]]] = {
    "stall": ("waiting", ["bad_moved"]),
    "in_order": ("skid", ["bad_ready", "bad_valid", "bad_data"]),
}
"""Conditions that are the assertions of another part, word for word."""

PASSED_ON: dict[str, Sequence[str]] = {
    "whole_beats": ["bad_valid", "bad_last", "bad_keep", "bad_data"],
    "one_tag": ["bad_valid", "bad_last", "bad_tags"],
}
"""Conditions of the core's user, and the assertions of part `wrapper` that pass them on."""
