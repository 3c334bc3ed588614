"""Joints: a part counts on no more than it says, and what it counts on follows from assertions that are proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .conditions import Assumed, Inputs
from .opened import SEEN, Joint, Opened

BITS = Mapping[str, int]


def _wires(prefix: str, named: BITS, kind: str = "wire") -> list[str]:
    return [f"{kind} [{width - 1}:0] {prefix}{name}" for name, width in named.items()]


def _part(part: Opened, free: Mapping[str, str]) -> str:
    """The part's comparison; ``free``: expressions of its free inputs, by default inputs of the joint."""
    joined = [".clk(clk)"]
    joined += [f".{name}({free.get(name, f'r_{name}')})" for name in part.ports["input"]]
    joined += [f".{name}({name})" for name in part.ports["output"]]
    joined += [f".\\core.{name} (core_{name})" for named in part.core.values() for name in named
               if f"\\core.{name}\n" in part.harness]
    return f"    part part ({', '.join(joined)});\n"


def _holds(index: int, assumed: Assumed) -> str:
    """An instance of the condition, whose ``broken`` is ``off`` and the number."""
    settings = ", ".join(f".{name}({value})" for name, value in assumed.settings.items())
    ports = ", ".join(f".{name}({value})" for name, value in assumed.ports.items())
    return f"    {assumed.condition} #({settings}) condition{index} (.clk(clk), {ports}, .broken(off{index}));\n"


def _so_far(conditions: Sequence[Assumed], more: Sequence[str]) -> str:
    """``ok``: all conditions hold, and all signals of ``more`` are zero, up to now."""
    stated = [each for each in conditions if each.ports]
    text = "".join(f"    wire off{index};\n" + _holds(index, each) for index, each in enumerate(stated))
    off = " || ".join([*(f"off{index}" for index in range(len(stated))), *(f"(|{name})" for name in more), "1'b0"])
    return (f"{text}    reg held = 1;\n    wire ok = held && !({off});\n"
            "    always @(posedge clk) held <= ok;\n")


def no_stronger(part: Opened, inputs: Inputs, only: str | None = None) -> tuple[Joint, list[str]]:
    """Any signals for which all conditions hold come to the part's design as they are: it counts on no more. The joint,
    and the signals that it looks at; ``only``: just this one.

    Where a part shows what goes into its pipeline, that is what is looked at.
    """
    gets = {name: width for name, width in part.core["input"].items()
            if name not in inputs.devices and f"\\core.{name}\n" in part.harness}
    free = {name: f"x_{name}" for name in part.ports["input"] if name in gets} | dict(inputs.free)
    # Expressions of inputs that this comparison does not have.
    free = {name: value for name, value in free.items() if name in part.ports["input"]}
    own = {name: f"r_{name}" for name in part.ports["input"] if name not in free}
    looked = [name for name in gets if only in (None, name)]
    lines = ["module joint (", "    " + ",\n    ".join([
        "input wire clk", *_wires("x_", gets | dict(inputs.extra), "input wire"),
        *_wires("r_", {name: part.ports["input"][name] for name in own}, "input wire"),
        *_wires("core_", part.core["output"], "input wire"),
        *(f"output wire differs_{name}" for name in looked)]), ");"]
    lines += [f"    {line};" for line in (*_wires("core_", part.core["input"]), *_wires("", part.ports["output"]),
                                          *_wires(SEEN, part.shown))]
    text = "\n".join(lines) + "\n" + _part(part, free)
    if part.shown:
        text += f"    dut inside (.clk(clk), .rst(1'b0), {', '.join(_ports_of(part))});\n"
    text += inputs.says + _so_far(inputs.assumed, [name for name in inputs.own if name in part.ports["output"]])
    for name in looked:
        seen = f"{SEEN}{name}" if name in part.shown else f"core_{name}"
        when = inputs.only_when.get(name, "1'b1")
        text += f"    assign differs_{name} = ok && ({when}) && {seen} != ({inputs.given.get(name, f'x_{name}')});\n"
    designs = [part.harness, *([part.miter.dut] if part.shown else [])]
    return Joint(text + "endmodule\n", designs), looked


def _ports_of(part: Opened) -> list[str]:
    """Connections of a design that shows what it gets."""
    return [*(f".{name}(core_{name})" for name in part.core["input"]),
            *(f".{SEEN}{name}({SEEN}{name})" for name in part.shown)]


def follows(part: Opened, by: Sequence[str], wanted: Sequence[Assumed], given: Sequence[Assumed] = (),
            says: str = "") -> Joint:
    """While no assertion of ``by`` is violated, whatever the part's design does, each condition that is ``wanted``
    holds; conditions that are ``given`` hold too. ``says``: Verilog before these."""
    lines = ["module joint (", "    " + ",\n    ".join([
        "input wire clk", *_wires("r_", part.ports["input"], "input wire"),
        *_wires("core_", part.core["output"], "input wire"), "output wire broken"]), ");"]
    lines += [f"    {line};" for line in (*_wires("core_", part.core["input"]), *_wires("", part.ports["output"]))]
    text = "\n".join(lines) + "\n" + _part(part, {}) + says + _so_far(given, by)
    text += "".join(f"    wire off{100 + index};\n" + _holds(100 + index, each) for index, each in enumerate(wanted))
    off = " || ".join(f"off{100 + index}" for index in range(len(wanted)))
    return Joint(f"{text}    assign broken = ok && ({off});\nendmodule\n", [part.harness])
