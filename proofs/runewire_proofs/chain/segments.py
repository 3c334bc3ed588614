"""What the parts of a core with flows assume of their inputs."""

from __future__ import annotations

from collections.abc import Callable

from ..miter import Miter
from .assumed import ANY, CARRIED, SENT, TAKEN, Assumed, Inputs, Ports
from .widened import is_widened

STALL = Assumed("stall")


def number_of(name: str, bits: str, size: int) -> str:
    """Verilog of ``name``: how many of the ``bits`` are set."""
    width = size.bit_length()
    return (f"    reg [{width - 1}:0] {name}; integer of_{name};\n    always @* begin {name} = 0; "
            f"for (of_{name} = 0; of_{name} < {size}; of_{name} = of_{name} + 1) "
            f"{name} = {name} + (({bits}) >> of_{name} & 1'b1); end\n")


def byte_places(size: int, miter: Miter) -> list[int]:
    """Where each of ``size`` bytes is in its beat: big-endian units have their first byte last."""
    unit = miter.parameters["UNIT"]
    return [at - at % unit + unit - 1 - at % unit if miter.parameters["BIG"] else at for at in range(size)]


def own_beats(marks: bool, before: str) -> str:
    """Verilog of ``own``: a beat of a packet, in a part that puts the beats of marks before packets itself; and
    ``is_mark``. ``before``: the prefix of the beats' signals."""
    valid, last, extra = (f"{before}i_{name}" for name in ("valid", "last", "extra"))
    return (f"    reg inside = 0, marked = 0;\n"
            f"    wire is_mark = {int(marks)} && !{extra} && !inside && !marked;\n"
            f"    wire own = {valid} && !{extra} && !is_mark;\n"
            f"    always @(posedge clk) if ({valid} && !{extra}) begin\n"
            f"        marked <= is_mark;\n        if (!is_mark) inside <= !{last};\n    end\n")


def _extra_beats(miter: Miter) -> Inputs:
    size = miter.parameters["SIZE"]
    own = "x_i_valid && core_o_valid && !core_o_extra && !core_o_mark"
    beats = Assumed("whole_beats", {"go": own, "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": size}, "packed")
    return Inputs([beats], _beat_names("x_i_"), only_when={"i_keep": own},
                  own=["bad_valid", "bad_extra", "bad_mark"], says=number_of("number", "x_i_keep", size))


def _packed_beats(miter: Miter) -> Inputs:
    size = miter.parameters["SIZE"] if "SIZE" in miter.parameters else (
        miter.parameters["LANES"] * miter.parameters["UNIT"])
    beats = Assumed("whole_beats", {"go": "x_i_valid", "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": size})
    return Inputs([beats], _beat_names("x_i_"), only_when={"i_keep": "x_i_valid"},
                  says=number_of("number", "x_i_keep", size))


def _beat_names(before: str) -> dict[str, str]:
    return {"count": "number", "ready": "x_o_ready",
            **{name: f"{before}{name}" for name in ("valid", "last", "data", "user", "id")}}


def _text_end(miter: Miter) -> Inputs:
    numbers = miter.parameters
    size = numbers["LANES"]
    octets = ", ".join(f"x_i_data[{8 * place} +: 8]" for place in reversed(byte_places(size, miter)))
    return Inputs(
        [Assumed("whole_beats", {"go": "own", "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": size}, TAKEN),
         Assumed("extra_after_last", {"go": "x_i_valid", "last": "x_i_last", "extra": "x_i_extra",
                                      "mark": "is_mark"}, place=TAKEN), STALL],
        {"valid": "x_i_valid", "last": "x_i_last", "extra": "x_i_extra", "count": "number", "bytes": f"{{{octets}}}",
         "user": "x_i_user", "tags": "x_i_tags"},
        only_when={"i_keep": "own", "i_last": "x_i_valid", "i_extra": "x_i_valid"}, among=True,
        says=own_beats(bool(numbers["MARKS"]), "x_") + number_of("number", "x_i_keep", size))


def _rotation(miter: Miter) -> Inputs:
    """At a packet's last beat the number of bytes that wait follows from the flags of the bytes that leave."""
    numbers = miter.parameters
    size, most = numbers["SIZE"], numbers["MOST"]
    beat = "(x_valid && !x_mark)"
    count = {"SIZE": size, "MOST": most}
    conditions = [
        Assumed("framed", {**{name: f"x_{name}" for name in ("last", "extra", "finish", "mark", "kept")},
                           "go": "x_valid"}, {**count, "MARKS": numbers["MARKS"]}, CARRIED),
        Assumed("first_says_so", {"go": "x_valid", "last": "x_last", "between": "x_extra || x_mark",
                                  "first": "x_first"}, {"IDLE": 1}, CARRIED),
        _of_packet("x_valid", "opens", "x_id", 1, "id", "all beats of a packet, with those before and after it, have "
                   "the same tid"),
        _of_packet("x_valid && (x_last || x_extra)", "x_last", "x_user", 1, "user",
                   "extra beats have the *more* of their packet"),
        _of_packet(beat, "x_first", "{x_into, x_begun, x_order}", 5, "moves",
                   "all beats of a packet have the same carried bytes, *begun* and byte order"),
        Assumed("sent_to_end", {"go": "x_valid && !x_extra && !x_mark", "last": "x_last", "first": "x_first",
                                "kept": "x_kept", "into": "x_into", "sent": "x_sent"}, count, CARRIED),
        *([Assumed("adds_before", {"go": "x_valid", "mark": "x_mark", "adds": "x_adds"}, place=CARRIED)]
          if numbers["MARKS"] else []), STALL]
    there = ["last", "extra", "finish", "user", "id", "mark", "adds"]
    return Inputs(
        conditions, {"count": "x_kept", "out": "out", "free": "x_sent"},
        only_when={**dict.fromkeys(there, "x_valid"), **dict.fromkeys(("into", "begun", "order"), beat)},
        given={} if numbers["MARKS"] else {"mark": "1'b0", "adds": "1'b0"},
        extra={"kept": size.bit_length()}, among=True,
        says=number_of("sends", "x_sent", size + 2 * most)
        + f"    wire [7:0] out8 = {most} + x_into + x_kept - sends;\n    wire [1:0] out = out8;\n"
        "    reg went_on = 0;\n    wire opens = !x_extra && !went_on;\n"
        "    always @(posedge clk) if (x_valid) went_on <= x_extra ? 1'b0 : !x_last;\n")


def _of_packet(go: str, opens: str, value: str, width: int, place: str, words: str) -> Assumed:
    return Assumed("of_packet", {"go": go, "opens": opens, "value": value}, {"WIDTH": width}, place, words)


def _byte_line(miter: Miter) -> Inputs:
    user = miter.parameters["USER"]
    return Inputs(
        [Assumed("whole_beats", {"go": "x_i_valid", "last": "x_i_last", "keep": "x_i_keep"}, {"BYTES": 1}),
         Assumed("stays", {"go": "x_i_valid", "ready": "core_i_ready",
                           "word": "{x_i_last, x_i_keep, x_i_data, x_i_user}"}, {"WIDTH": 10 + user}, "line"), STALL],
        {name: f"x_i_{name}" for name in ("valid", "last", "keep", "data", "user")},
        only_when={"i_keep": "x_i_valid"}, own=["bad_ready"], among=True)


def _contexts(miter: Miter) -> Inputs:
    beat = "x_go && !x_go_between"
    return Inputs(
        [Assumed("between_packets", {"go": "x_go", "last": "x_go_last", "between": "x_go_between"}, place=TAKEN),
         Assumed("first_says_so", {"go": "x_go", "last": "x_go_last", "between": "x_go_between", "first": "x_first"},
                 {"IDLE": 1}, CARRIED),
         Assumed("one_tag", {"go": beat, "last": "x_go_last", "tag": "x_go_flow"},
                 {"WIDTH": miter.parameters["BITS"]}, TAKEN), STALL],
        {"go": "x_go", "last": "x_go_last", "flow": "x_go_flow", "idle": "x_go_between",
         "after_beat": "x_of_beats_after", "after_packet": "x_of_packets_after"},
        only_when=dict.fromkeys(("go_last", "go_flow", "go_between"), "x_go"), among=True)


def _text_mark(miter: Miter) -> Inputs:
    return Inputs(
        [Assumed("mark_before", {"go": "x_go", "last": "x_go_last", "mark": "x_mark"}, place=TAKEN),
         *([Assumed("one_tag", {"go": "x_go && (x_mark || inside)", "last": "x_go_last", "tag": "x_flow"}, {},
                    "marked")] if miter.parameters["MANY"] else []), STALL],
        {"go": "x_go", "last": "x_go_last", "extra": "!x_mark", "flow": "x_flow", "more": "x_more"},
        only_when=dict.fromkeys(("go_last", "mark", "flow"), "x_go"), among=True,
        given={} if miter.parameters["MANY"] else {"flow": "1'b0"},
        says="    reg inside = 0;\n    always @(posedge clk) if (x_go) inside <= (x_mark || inside) && !x_go_last;\n")


def _flow_of_packet(miter: Miter) -> tuple[list[Assumed], Ports, Ports]:
    """Conditions of a packet's flow, in which cycles it counts, and what it is in a core with a single flow."""
    if not miter.parameters["MANY"]:
        return [], {}, {"flow": "1'b0"}
    return [Assumed("one_tag", {"go": "x_go", "last": "x_go_last", "tag": "x_flow"}, {}, SENT)], {"flow": "x_go"}, {}


def _whole(miter: Miter, keep: str) -> Assumed:
    """Whether a beat that is not its packet's last may lack bytes, depends on the comparison."""
    size = {"BYTES": miter.parameters["LANES"]}
    if is_widened(miter):
        return Assumed("whole_beats", {"go": "x_go", "last": "1'b1", "keep": keep}, size, ANY,
                       "a beat has bytes from byte 0 on")
    return Assumed("whole_beats", {"go": "x_go", "last": "x_go_last", "keep": keep}, size, SENT)


def _text_order(miter: Miter) -> Inputs:
    size = miter.parameters["LANES"]
    return Inputs(
        [_whole(miter, "x_whole"),
         Assumed("one_tag", {"go": "x_go", "last": "x_go_last", "tag": "x_order"}, {"WIDTH": 2}, "order",
                 "all beats of a packet have the byte order of its text so far"),
         Assumed("little_if_begun", {"go": "x_go", "order": "x_order"}, place="order"), STALL],
        {"go": "x_go", "last": "x_go_last", "count": "number", "lacks": "1'b0", "units": "x_units",
         "order": "x_order"},
        only_when=dict.fromkeys(("go_last", "whole", "order"), "x_go"), among=True,
        says=number_of("number", "x_whole", size))


def _text_run(miter: Miter) -> Inputs:
    one, when, given = _flow_of_packet(miter)
    return Inputs(
        [*one, Assumed("among", {"go": "1'b1", "some": "x_whole", "all": "x_every"},
                             {"LANES": miter.parameters["LANES"]}, SENT), STALL],
        {"go": "x_go", "last": "x_go_last", "flow": "x_flow", "more": "x_more", "ends": "x_every",
         "sound": "x_whole"}, only_when={**when, "go_last": "x_go"}, given=given, among=True)


def _text_record(miter: Miter) -> Inputs:
    one, when, given = _flow_of_packet(miter)
    size = miter.parameters["LANES"]
    return Inputs(
        [_whole(miter, "x_keep"), *one,
         Assumed("record_lanes", {name: f"x_{name}" for name in ("keep", "ends", "any_end", "rest")}, {"LANES": size},
                 SENT), STALL],
        {"go": "x_go", "last": "x_go_last", "flow": "x_flow", "more": "x_more", "count": "number",
         "delimiter": "x_ends", "wrong": f"{{{size}{{x_rest}}}}"},
        only_when={**when, **dict.fromkeys(("go_last", "keep", "ends", "any_end", "rest"), "x_go")}, given=given,
        among=True, says=number_of("number", "x_keep", size))


def _text_error(miter: Miter) -> Inputs:
    one, when, given = _flow_of_packet(miter)
    numbers = miter.parameters
    size, offset = numbers["LANES"], numbers["OFFSET"]
    return Inputs(
        [_whole(miter, "x_keep"), *one,
         Assumed("early_report", {"go": "x_go", "last": "x_go_last", "report": "x_report"},
                 {"WIDTH": 4 + offset, "EARLY": numbers["EARLY"]}, SENT),
         Assumed("report_of_error", {"report": "x_report"}, {"WIDTH": 4 + offset}, SENT), STALL],
        {"go": "x_go", "last": "x_go_last", "flow": "x_flow", "more": "x_more", "count": "number",
         "error": "x_report[0]", "kind": "x_report[3:1]", "offset": f"x_report[{3 + offset}:4]"},
        only_when={**when, "go_last": "x_go", "keep": "x_go"}, given=given, among=True,
        says=number_of("number", "x_keep", size))


def _turn_state(miter: Miter) -> Inputs:
    turn = "x_turn"
    many = miter.parameters["MANY"]
    return Inputs(
        [Assumed("turns_of_packet", {name: f"x_{name}" for name in ("turn", "begins", "ends")}, place="turns"),
         *([Assumed("of_packet", {"go": turn, "opens": "x_begins", "value": "x_flow"},
                    {"WIDTH": miter.parameters["BITS"]}, "turns", "all turns of a packet have the same tid")]
           if many else []), STALL],
        {"turn": turn, "last_turn": "1'b1", "last": "x_ends", "flow": "x_flow", "when": "x_when", "after": "x_after"},
        only_when={"flow": turn}, among=True,
        given={} if many else {"flow": "1'b0"})


INPUTS: dict[str, Callable[[Miter], Inputs]] = {
    "extra_beats": _extra_beats, "packed_beats": _packed_beats, "text_end": _text_end, "rotation": _rotation,
    "byte_line": _byte_line, "contexts": _contexts, "text_mark": _text_mark, "text_order": _text_order,
    "text_run": _text_run, "text_record": _text_record, "text_error": _text_error, "turn_state": _turn_state,
}
"""By the harness of a part."""
