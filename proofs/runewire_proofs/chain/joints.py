"""Joints: a part counts on no more than it says, and what it counts on follows from assertions that are proven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from .assumed import Assumed, Inputs
from .looks import LOOKS, Look
from .opened import SEEN, Joint, Opened

BITS = Mapping[str, int]


def _wires(prefix: str, named: BITS, kind: str = "wire") -> list[str]:
    return [f"{kind} [{width - 1}:0] {prefix}{name}" for name, width in named.items()]


def _part(part: Opened, free: Mapping[str, str]) -> str:
    """The part's comparison; ``free``: expressions of its free inputs, by default inputs of the joint."""
    joined = [".clk(clk)"] if part.clocked else []
    joined += [f".{name}({free.get(name, f'r_{name}')})" for name in part.ports["input"]]
    joined += [f".{name}({name})" for name in part.ports["output"]]
    joined += [f".\\core.{name} (core_{name})" for named in part.core.values() for name in named
               if name in part.joined]
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

    Where a part shows what goes into its pipeline, this is compared.
    """
    gets = {name: width for name, width in part.core["input"].items()
            if name not in inputs.devices and name in part.joined}
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


def shown_by_design(part: Opened, wanted: Sequence[Assumed], says: str = "") -> Joint:
    """Whatever comes to the part's design, each condition that is ``wanted`` holds at its outputs. ``says``: Verilog
    before these."""
    head, text = _designs(part, ["design"], "core_")
    text += "".join(f"    assign core_{port} = x_{port};\n" for port in part.core["input"]) + says
    text += "".join(f"    wire off{100 + index};\n" + _holds(100 + index, each) for index, each in enumerate(wanted))
    off = " || ".join(f"off{100 + index}" for index in range(len(wanted)))
    return Joint(f"{head}{text}    assign broken = {off};\nendmodule\n", [part.miter.dut])


def _designs(
    part: Opened, names: Sequence[str], prefix: str = "", extra: BITS = MappingProxyType({}),
) -> tuple[str, str]:
    """The head of a joint with free inputs for the part's design, and ``extra`` ones, whose output is ``broken``; and
    the design, once for each name: its ports are signals that begin with the ``prefix`` or with the name."""
    gets, gives = part.core["input"], part.core["output"]
    head = "module joint (\n    " + ",\n    ".join([
        "input wire clk", *_wires("x_", gets | dict(extra), "input wire"), "input wire [63:0] noise",
        "output wire broken"]) + ");\n"
    text = ""
    for name in names:
        before = prefix or f"{name}_"
        text += "".join(f"    {line};\n" for line in _wires(before, gets | gives))
        joined = ", ".join(f".\\{port} ({before}{port})" for port in (*gets, *gives))
        text += f"    dut {name} (.clk(clk), .rst(1'b0), {joined});\n"
    return head, text


def without_effect(part: Opened, inputs: Inputs, signal: str) -> Joint:
    """Two designs of the part that get the same, but for ``signal`` in cycles in which it does not count, show the same
    wherever the part's comparison looks. Conditions hold at the inputs if these say so (`Inputs.among`)."""
    head, text = _designs(part, ["one", "two"], extra=inputs.extra)
    width = part.core["input"][signal]
    when = inputs.only_when[signal].replace("core_", "one_")
    text += inputs.says.replace("core_", "one_")
    for port in part.core["input"]:
        if port != signal:
            value = inputs.given.get(port, f"x_{port}")
            text += f"    assign one_{port} = {value}, two_{port} = {value};\n"
    text += (f"    wire [{width - 1}:0] other = x_{signal} ^ {{{-(-width // 64)}{{noise}}}};\n"
             f"    assign one_{signal} = x_{signal}, two_{signal} = ({when}) ? x_{signal} : other;\n")
    looks = [each for each in _looks(part) if each.value[1:].partition("[")[0] in part.joined]
    last = max(delay for each in looks for delay in (each.delay, each.gate_delay))
    among = [replace(each, ports={name: value.replace("core_", "one_") for name, value in each.ports.items()})
             for each in inputs.assumed if inputs.among]
    text += _so_far(among, [])
    off = ["1'b0"]
    for index, each in enumerate(looks):
        parts = [("one", each.value, each.width, each.delay), ("two", each.value, each.width, each.delay),
                 ("gate", each.gate, 1, each.gate_delay)]
        for name, value, bits, delay in parts:
            source = value.replace("@", "two_" if name == "two" else "one_")
            text += (f"    wire [{bits - 1}:0] {name}{index};\n    delay #(.WIDTH({bits}), .CYCLES({last - delay})) "
                     f"{name}_late{index} (.clk(clk), .in({source}), .out({name}{index}));\n")
        off.append(f"(gate{index} && one{index} != two{index})")
    return Joint(f"{head}{text}    assign broken = ok && ({' || '.join(off)});\nendmodule\n", [part.miter.dut])


def _looks(part: Opened) -> list[Look]:
    """Where the part's comparison looks at its design."""
    gives, numbers = part.core["output"], part.miter.parameters
    if part.miter.harness in LOOKS:
        return LOOKS[part.miter.harness](part)
    gates = _GATES.get(part.miter.harness)
    if gates is not None:
        return [Look(f"@{name}", width, gate=gates.get(name, "1'b1")) for name, width in gives.items()
                if not name.startswith(SEEN)]
    delay = {name.partition("_")[0]: number for name, number in numbers.items() if name.endswith("DELAY")}
    item, report = delay["ITEM"], delay["REPORT"]
    found = [Look(f"@{name}", 1, delay[name.partition("_")[0].upper()])
             for name in ("item_valid", "item_last", "report_valid", "report_last")]
    found += [Look(f"@{name}", gives[name], item, "@item_valid", item) for name in ("present", "data")]
    found.append(Look("@report", gives["report"], report, "@report_valid", report))
    found += [Look(f"@{name}", gives[name], delay[which], "@item_valid", item)
              for name, which in (("marks", "MARK"), ("tags", "TAG")) if which in delay and name in gives]
    counters = numbers.get("COUNTERS", 0)
    each = gives["flags"] // counters if counters else 0
    return found + [Look(f"@flags[{each * index} +: {each}]", each, numbers["FLAG_DELAYS"] >> 8 * index & 255,
                          "@item_valid", item) for index in range(counters)]


_ROWS = dict.fromkeys(("out_last", "out_keep", "out_data", "out_report", "out_tag", "out_marks"), "@offer")
_GATES: dict[str, dict[str, str]] = {
    "packing": {"metadata_data": "@metadata_enable"}, "rows": _ROWS, "row": _ROWS,
}
"""Outputs that count only while another signal is set."""
