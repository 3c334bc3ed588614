"""Where the comparison of a part of a core with flows looks at its design."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .opened import Opened
from .segments import byte_places


class Look(NamedTuple):
    """An output of a design, ``@`` before its name, that counts while ``gate``: each so many cycles after step 0."""

    value: str
    width: int
    delay: int = 0
    gate: str = "1'b1"
    gate_delay: int = 0


def _gated(gates: dict[str, str], usual: str) -> Callable[[Opened], list[Look]]:
    """Outputs that all count in the cycle in which they come, while a gate of theirs is set."""
    return lambda part: [Look(f"@{name}", width, gate=gates.get(name, usual))
                         for name, width in part.core["output"].items()]


def _delayed(gates: dict[str, str], delay: str = "DELAY") -> Callable[[Opened], list[Look]]:
    """Outputs that come some cycles after the inputs that their gates are about."""
    return lambda part: [Look(f"@{name}", width, part.miter.parameters[delay if name != "tail" else "TAIL"],
                              gates[name]) for name, width in part.core["output"].items() if name in gates]


def _of_bytes(part: Opened) -> list[Look]:
    """What the rotation sends: bytes count where they are kept."""
    size = part.miter.parameters["SIZE"]
    text, gates = "@o_valid && !@o_mark", {"o_valid": "1'b1", "dropped": "1'b1", "o_user": "@o_valid && @o_last"}
    gates |= dict.fromkeys(("o_keep", "o_begun", "o_order"), text)
    found = [Look(f"@{name}", width, gate=gates.get(name, "@o_valid"))
             for name, width in part.core["output"].items() if name != "o_data"]
    return found + [Look(f"@o_data[{8 * place} +: 8]", 8, gate=f"{text} && @o_keep[{at}]")
                    for at, place in enumerate(byte_places(size, part.miter))]


def _of_units(part: Opened) -> list[Look]:
    """Units in order count in each lane that is kept."""
    numbers = part.miter.parameters
    bits = 8 * numbers["UNIT"]
    return [Look(f"@turned[{bits * lane} +: {bits}]", bits, numbers["DELAY"], f"x_go && number > {lane}")
            for lane in range(numbers["LANES"])]


def _of_rows(part: Opened) -> list[Look]:
    """The rows of a splitter: bytes count where they are kept."""
    gates = {"o_valid": "1'b1", "takes": "1'b1", "ready": "1'b1", "has_row": "@takes", "ends": "@takes"}
    found = [Look(f"@{name}", width, gate=gates.get(name, "@o_valid"))
             for name, width in part.core["output"].items() if name != "o_data"]
    return found + [Look(f"@o_data[{8 * lane} +: 8]", 8, gate=f"@o_valid && @o_keep[{lane}]")
                    for lane in range(part.miter.parameters["LANES"])]


def _of_report(part: Opened) -> list[Look]:
    """The error of each beat if it comes early, otherwise of a packet's last; the rest of the report with that."""
    numbers, last = part.miter.parameters, "x_go && x_go_last"
    width = part.core["output"]["told"]
    return [Look("@told[0]", 1, numbers["DELAY"], "x_go" if numbers["EARLY"] else last),
            Look(f"@told[{width - 1}:1]", width - 1, numbers["DELAY"], last)]


OWN = "@o_valid && !@o_extra && !@o_mark"
_TAKEN = _gated({"i_ready": "1'b1", "o_valid": "1'b1", "o_data": OWN, "o_keep": OWN, "o_user": OWN,
                 "o_id": "@o_valid && !@o_extra"}, "@o_valid")
_BEATS, _PACKETS = "@of_beats_valid && !@of_beats_between", "@of_packets_valid && @of_packets_last"
LOOKS: dict[str, Callable[[Opened], list[Look]]] = {
    "extra_beats": _TAKEN, "packed_beats": _TAKEN, "rotation": _of_bytes, "text_order": _of_units,
    "text_end": _delayed({
        "first": "x_i_valid && !x_i_extra", "extra": "x_i_valid && x_i_extra", "history": "own && !inside",
        "sent": "own && x_i_last", "user": "x_i_valid && (x_i_extra || own && x_i_last)",
        **dict.fromkeys(("into", "begun", "order"), "own")}),
    "byte_line": _gated({"i_ready": "1'b1", "o_valid": "1'b1", "o_data": "@o_valid && !@o_last",
                         "o_user": "@o_valid && @o_last"}, "@o_valid"),
    "contexts": _gated({
        "of_beats_valid": "1'b1", "of_packets_valid": "1'b1", "of_beats_between": "@of_beats_valid",
        "of_beats_flow": _BEATS, "of_beats_before": _BEATS, "of_packets_last": "@of_packets_valid",
        "of_packets_flow": _PACKETS, "of_packets_before": _PACKETS}, "1'b0"),
    "text_mark": _delayed({"adds": "x_go"}), "text_run": _delayed({"before": "x_go"}),
    "text_error": _of_report, "text_record": _delayed({"bad": "x_go", "tail": "x_go"}),
    "finding": _gated({"o_valid": "1'b1"}, "@o_valid"), "splitting": _of_rows,
    "turn_state": _gated({"valid": "1'b1", "of_flow": "@valid", "before": "@valid"}, "1'b0"),
}
"""By the harness of a part."""
