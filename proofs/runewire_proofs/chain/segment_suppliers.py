"""Who proves what the parts of a core with flows assume."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .assumed import ANY, CARRIED, SENT, TAKEN, Assumed
from .opened import ALSO, Opened
from .segments import number_of, own_beats
from .suppliers import Proven, late

GO = "core_o_valid && r_ready"
"""A beat is taken, in the parts `extra_beats` and `packed_beats`."""
FRAME = ["bad_valid", "bad_beat", "bad_extra", "bad_mark"]

AFTER = "the queue and the input stage lead it on"
"""Between the rotation and the core after it."""


@dataclass(frozen=True)
class Supply:
    """Who proves a condition: parts together, by name, and what each proves. ``TAKEN`` as a name: the part that the
    beats that are taken come from. ``before``: a condition of the core's input that this rests on. ``simulated``: what
    is left, which no part proves."""

    by: Sequence[tuple[str, Callable[[Opened, Assumed], Proven]]] = ()
    before: str = ""
    simulated: str = ""


def _mark(part: Opened) -> str:
    return "core_o_mark" if part.miter.parameters["MARKS"] else "1'b0"


def _size(part: Opened) -> int:
    return part.core["output"]["o_keep"]


def _own(part: Opened) -> str:
    return f"core_o_valid && !core_o_extra && !{_mark(part)}"


def _offered_whole(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("whole_beats", {"go": _own(part), "last": "core_o_last", "keep": "core_o_keep"},
                           assumed.settings)], FRAME)


def _taken_whole(part: Opened, assumed: Assumed) -> Proven:
    ports = {"go": f"{GO} && {_own(part)}", "last": "core_o_last", "keep": "core_o_keep"}
    return Proven([Assumed("whole_beats", ports, assumed.settings)], FRAME)


def _taken(part: Opened, assumed: Assumed) -> Proven:
    """Where the beats of a packet are."""
    mark = _mark(part)
    ports = {"go": GO, "last": "core_o_last", "extra": "core_o_extra", "mark": mark, "finish": "core_o_final",
             "kept": "kept", "between": f"core_o_extra || {mark}"}
    return Proven([Assumed(assumed.condition, {name: ports[name] for name in assumed.ports}, assumed.settings)],
                  [*FRAME, *(["bad_final"] if assumed.condition == "framed" else [])],
                  says=number_of("kept", "core_o_keep", _size(part)))


def _given_tag(part: Opened) -> list[Assumed]:
    given = [Assumed("one_tag", {"go": "core_i_valid && core_i_ready", "last": "core_i_last", "tag": "core_i_id"})]
    if part.miter.parameters["MARKS"]:
        given.append(Assumed("stays", {"go": "core_i_valid", "ready": "core_i_ready", "word": "core_i_id"}))
    return given


def _taken_tag(part: Opened, assumed: Assumed) -> Proven:
    """The flow of a packet's own beats, or of the beat before it too."""
    go = f"{GO} && !core_o_extra" if assumed.place != TAKEN else f"{GO} && {_own(part)}"
    return Proven([Assumed("one_tag", {"go": go, "last": "core_o_last", "tag": "core_o_id"})],
                  [*FRAME, "bad_ready"], _given_tag(part))


def _later(part: Opened, **values: str) -> str:
    """Verilog of signals of the beats that are taken, by the time at which part `text_end` shows what belongs to
    them."""
    numbers = part.miter.parameters
    return (own_beats(bool(numbers["MARKS"]), "core_") + number_of("number", "core_i_keep", numbers["LANES"])
            + "".join(late(name, value, numbers["LANES"].bit_length() if value == "number" else 1, numbers["DELAY"])
                      for name, value in values.items()))


def _first(part: Opened, assumed: Assumed) -> Proven:
    ports = {"go": "now", "last": "now_last", "between": "now_mark", "first": "core_first"}
    return Proven([Assumed("first_says_so", ports)], ["bad_first"], says=_later(
        part, now="core_i_valid && !core_i_extra", now_last="core_i_last", now_mark="is_mark"))


def _extra_not_first(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("among", {"go": "1'b1", "some": "core_first", "all": "now"})], [],
                  says=_later(part, now="core_i_valid && !core_i_extra"))


def _moves(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("of_packet", {"go": "now", "opens": "core_first",
                                         "value": "{core_into, core_begun, core_order}"}, assumed.settings)], [],
                  says=_later(part, now="core_i_valid && !is_mark"))


def _flow_of_extra(part: Opened, assumed: Assumed) -> Proven:
    name = f"{ALSO}id"
    width = part.core["output"].get(name, 0)
    return Proven([Assumed("of_packet", {"go": "now", "opens": "!now_extra",
                                         "value": f"core_{name}" if width else "1'b0"}, {"WIDTH": width or 1})], [],
                  says=_later(part, now="core_i_valid", now_extra="core_i_extra"))


def _more(part: Opened, assumed: Assumed) -> Proven:
    top = part.core["output"]["user"] - 1
    return Proven([Assumed("of_packet", {"go": "now", "opens": "now_last", "value": f"core_user[{top}]"})],
                  ["bad_more"], says=_later(part, now="core_i_valid && (core_i_extra || own && core_i_last)",
                                            now_last="own && core_i_last"))


def _sent(part: Opened, assumed: Assumed) -> Proven:
    ports = {"go": "now", "last": "now_last", "first": "core_first", "kept": "now_kept", "into": "core_into",
             "sent": "core_sent"}
    return Proven([Assumed("sent_to_end", ports, assumed.settings)], ["bad_into", "bad_end", "bad_first"],
                  says=_later(part, now="own", now_last="core_i_last", now_kept="number"))


def _adds(part: Opened, assumed: Assumed) -> Proven:
    """Of any flow: it is the one that is watched."""
    numbers = part.miter.parameters
    of_flow = "(core_flow == watched)" if numbers["MANY"] else "1'b1"
    return Proven([Assumed("adds_before", {"go": "now", "mark": "now_mark", "adds": "core_adds"})], ["bad_adds"], says=(
        "    reg chosen = 0, choice = 0; wire watched = chosen ? choice : r_watch;\n"
        "    always @(posedge clk) {chosen, choice} <= {1'b1, watched};\n"
        + late("now", f"core_go && {of_flow}", 1, numbers["DELAY"])
        + late("now_mark", "core_mark", 1, numbers["DELAY"])))


def _little(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("little_if_begun", {"go": "now", "order": "core_order"})], ["bad_order"],
                  says=_later(part, now="own"))


def _little_sent(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("little_if_begun", {"go": f"core_o_valid && !{_mark(part)}", "order": "core_o_order"})],
                  ["bad_valid", "bad_flags"],
                  [Assumed("little_if_begun", {"go": "core_valid && !core_mark", "order": "core_order"})])


def _flow_sent(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("one_tag", {"go": "core_o_valid", "last": "core_o_last", "tag": "core_o_id"})],
                  ["bad_valid", "bad_last", "bad_flow"])


def _order_sent(part: Opened, assumed: Assumed) -> Proven:
    return Proven([Assumed("one_tag", {"go": f"core_o_valid && !{_mark(part)}", "last": "core_o_last",
                                       "tag": "core_o_order"}, {"WIDTH": 2})], ["bad_valid", "bad_last", "bad_flags"])


def _whole_sent(part: Opened, assumed: Assumed) -> Proven:
    """Bytes of beats that the rotation sends."""
    return Proven([Assumed("whole_beats", {"go": "core_o_valid", "last": "core_o_last", "keep": "core_o_keep"},
                           {"BYTES": part.miter.parameters["SIZE"]})], ["bad_valid", "bad_keep", "bad_last"])


def _from_lane_0(part: Opened, assumed: Assumed) -> Proven:
    go = f"core_o_valid && !{_mark(part)}"
    return Proven([Assumed("whole_beats", {"go": go, "last": "1'b1", "keep": "core_o_keep"},
                           {"BYTES": part.miter.parameters["SIZE"]})], ["bad_valid", "bad_keep"])


SUPPLIED: dict[tuple[str, str], Supply] = {
    ("stall", ""): Supply(simulated="a core with flows has no part waiting"),
    ("whole_beats", "packed"): Supply([("packed_beats", _offered_whole)]),
    ("whole_beats", TAKEN): Supply([(TAKEN, _taken_whole)]),
    ("extra_after_last", TAKEN): Supply([(TAKEN, _taken)]),
    ("between_packets", TAKEN): Supply([(TAKEN, _taken)]),
    ("mark_before", TAKEN): Supply([(TAKEN, _taken)]),
    ("framed", CARRIED): Supply([(TAKEN, _taken)]),
    ("first_says_so", CARRIED): Supply([("text_end", _first), ("text_end", _extra_not_first)]),
    ("of_packet", "id"): Supply([("text_end", _flow_of_extra), (TAKEN, _taken_tag)], "one_tag"),
    ("of_packet", "user"): Supply([("text_end", _more)]),
    ("of_packet", "moves"): Supply([("text_end", _moves)]),
    ("sent_to_end", CARRIED): Supply([("text_end", _sent)]),
    ("adds_before", CARRIED): Supply([("text_mark", _adds)]),
    ("one_tag", TAKEN): Supply([(TAKEN, _taken_tag)], "one_tag"),
    ("one_tag", "marked"): Supply([(TAKEN, _taken_tag)], "one_tag"),
    ("one_tag", SENT): Supply([("rotation", _flow_sent)], simulated=AFTER),
    ("one_tag", "order"): Supply([("rotation", _order_sent)], simulated=AFTER),
    ("little_if_begun", "order"): Supply([("text_end", _little), ("rotation", _little_sent)], simulated=AFTER),
    ("whole_beats", SENT): Supply([("rotation", _whole_sent)], simulated=AFTER),
    ("whole_beats", ANY): Supply([("rotation", _from_lane_0)], simulated=AFTER),
    ("among", SENT): Supply(simulated="the front end"),
    ("early_report", SENT): Supply(simulated="the front end"),
    ("report_of_error", SENT): Supply(simulated="the front end"),
    ("record_lanes", SENT): Supply(simulated="the record flags"),
    ("turns_of_packet", "turns"): Supply(simulated="the record report"),
    ("of_packet", "turns"): Supply(simulated="the record report"),
    ("stays", "line"): Supply(simulated="the skid buffer"),
}
"""By condition and place."""
