"""Place and route with nextpnr: from a netlist to Fmax and the critical path."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runewire_jobs.errors import TimeLimitError, ToolError

from .synthesis import Netlist
from .targets import DeviceFamily, Target
from .tools import Tools, find


@dataclass(frozen=True)
class CriticalPath:
    """The slowest path from register to register, in the design's own names.

    Attributes
    ----------
    start : net from the first register
    end : last register
    nets : nets between them
    logic_ns, routing_ns : delay in nanoseconds; clock-to-output and set-up count as logic
    """

    start: str
    end: str
    nets: tuple[str, ...]
    logic_ns: float
    routing_ns: float


@dataclass(frozen=True)
class Placement:
    """One run of place and route: seed, fastest clock in MHz, critical path.

    ``limited``: `DeviceFamily.limit_s` ended a first run, so this one has the options of large cores.
    """

    seed: int
    fmax_mhz: float
    critical_path: CriticalPath
    limited: bool = False


def constraints(target: Target) -> str:
    """Text of the file of pin constraints; empty if the device needs none."""
    return "".join(target.family.pin.format(port=port, pin=pin) + "\n" for port, pin in target.pins.items())


def arguments(target: Target, speed: str, netlist: Netlist, *, plain: bool = False, large: bool = False) -> list[str]:
    """Arguments of nextpnr for ``netlist``, without the netlist's file, the seed and the report.

    ``plain``: leave out all that it can do without, except the requested clock. ``large``: place and route any core
    like a large one.
    """
    family = target.family
    pins = [family.pin_option.format(file="pins.txt")] if target.pins else []
    # Without --timing-allow-fail, nextpnr fails if a seed misses the requested clock.
    clock = ["--freq", str(target.frequency), "--timing-allow-fail"]
    area = family.area(netlist.cells)
    placer = family.large if large or _is_large(netlist, family) else family.for_clock
    roomy = family.roomy if target.surely_fits(area) else ()
    for_clock = () if plain else (*placer, *roomy)
    return [*target.arguments[speed], *family.options, *for_clock, *pins, *clock]


def _is_large(netlist: Netlist, family: DeviceFamily) -> bool:
    # A record has the cells of the core alone, so they decide.
    cells = netlist.cells if netlist.core is None else netlist.core
    return bool(family.large) and family.area(cells).luts > family.large_luts


def place(netlist: Netlist, target: Target, speed: str, seed: int, tools: Tools | None = None, *,
          plain: bool = False) -> Placement:
    """Place and route ``netlist`` with `arguments`. If the family's limit ends the run, do it again like a large core.

    Raises ToolError, also for a netlist that does not fit.
    """
    family = target.family
    assert family.nextpnr is not None, f"{target.name} is for area only"
    limit = None if plain or _is_large(netlist, family) else family.limit_s
    with tempfile.TemporaryDirectory(prefix="runewire-place-") as room:
        directory = Path(room)
        (directory / "netlist.json").write_bytes(gzip.decompress(netlist.json))
        (directory / "pins.txt").write_text(constraints(target), encoding="ascii")
        files = ["--json", "netlist.json", "--report", "report.json"]

        def run(*, large: bool, limit_s: int | None) -> None:
            (tools or Tools()).run(find(family.nextpnr), [
                *arguments(target, speed, netlist, plain=plain, large=large), *files, "--seed", str(seed),
            ], directory, limit_s)

        limited = False
        try:
            run(large=False, limit_s=limit)
        except TimeLimitError:
            limited = True
            run(large=True, limit_s=None)
        return replace(read_report(json.loads((directory / "report.json").read_text()), seed), limited=limited)


def read_report(report: Mapping[str, Any], seed: int) -> Placement:
    """Fmax and the critical path from nextpnr's report.

    Raises ToolError unless exactly one clock has a path from register to register.
    """
    paths = [path for path in report["critical_paths"]
             if path["from"] == path["to"] and path["from"].startswith("posedge ")]
    if len(paths) != 1:
        raise ToolError(f"nextpnr reports {len(paths)} clocks with a path from register to register, not one")
    clock = paths[0]["from"].removeprefix("posedge ")
    return Placement(seed, round(report["fmax"][clock]["achieved"], 2), _path(paths[0]["path"]))


def _path(steps: Sequence[Mapping[str, Any]]) -> CriticalPath:
    routed = [step for step in steps if step["type"] == "routing"]
    routing = sum(step["delay"] for step in routed)
    start, end = routed[0]["net"], _signal(routed[-1]["to"]["cell"])
    between = dict.fromkeys(_signal(step["net"]) for step in routed[1:])
    return CriticalPath(
        start=start,
        end=end,
        nets=tuple(net for net in between if net not in (start, _signal(start), end)),
        logic_ns=round(sum(step["delay"] for step in steps) - routing, 3),
        routing_ns=round(routing, 3),
    )


_PRIMITIVE = (r"LUT\d|PFUMX|L6MUX21|CCU2[CD]?|TRELLIS_\w+?|SB_\w+?|WIDEFN9|FD1P3\w\w|DPR16X4|DP16KD?|DP8KC|DFF\w*?|ALU"
              r"|RAM16SDP4|MUX2_LUT\d|INV|CC_\w+?|FD[RS]E|RAM(?:32|64)\w+?|RAMB\w+?|CARRY4|MUXF\d|SRL16E")


def _signal(name: str) -> str:
    """The design's signal that a cell or net of the netlist is named after.

    Yosys names a cell without a name after a neighbour that has one: ``core.row_TRELLIS_FF_Q_1_DI_LUT4_Z``.
    """
    return re.split(rf"_(?:{_PRIMITIVE})_[A-Z]+\d*(?:_|$)|\$(?=[A-Za-z])", name)[0] or name
