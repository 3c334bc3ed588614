"""Port map: a TOML file that says which ports of a core carry the text, the decoded text and the report.

A signal is written as ``valid``, ``!reset_n`` (active low), ``flags[3]`` or ``flags[7:4]``.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

ENCODINGS = {"utf-8": 1, "utf-16le": 2, "utf-16be": 2, "utf-32le": 4, "utf-32be": 4}
"""Encodings of a core's input and output, and the bytes of a unit."""
CONVENTIONS = ("simdutf", "subpart", "grammar")
NAMED_KINDS = {
    "simdutf": {"HEADER_BITS": 1, "TOO_SHORT": 2, "TOO_LONG": 3, "OVERLONG": 4, "TOO_LARGE": 5, "SURROGATE": 6},
    "subpart": {"invalid-start": 1, "invalid-continuation": 2, "unexpected-end": 3},
    "grammar": {"invalid-start": 1, "invalid-continuation": 2, "unexpected-end": 3},
}
"""The kinds of errors of each convention, with the numbers that a core uses unless its port map has others."""


class PortMapError(Exception):
    """A port map that cannot be used: one line for the user."""


class Signal(NamedTuple):
    """A port, or the bits ``high`` to ``low`` of it (None: all its bits). ``inverted``: active low."""

    port: str
    high: int | None = None
    low: int = 0
    inverted: bool = False


CLOCK = Signal("clk")


@dataclass(frozen=True, kw_only=True)
class Core:
    """``top``: name of the module. ``sources``: its files. ``reset_cycles``: clock cycles that reset is active.
    ``patience``: cycles without an answer after which a packet counts as unanswered. ``settle``: for cores that do not
    say when an answer is complete, the cycles from a packet's last beat until it is. ``constants``: values of other
    inputs. ``parameters``: of the module."""

    top: str
    sources: tuple[Path, ...]
    encoding: str = "utf-8"
    clock: Signal = CLOCK
    reset: Signal | None = None
    reset_cycles: int = 4
    patience: int = 2000
    settle: int | None = None
    constants: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Input:
    """The stream to the core. ``keep``: a bit for each byte, or for each group of bytes if its
    bits are written. ``empty``: how many bytes of a last beat do not count, as
    in Avalon streams. ``first``: high on a packet's first beat. ``order``: where a beat's first byte is."""

    data: Signal
    valid: Signal
    bytes: int = 1
    ready: Signal | None = None
    last: Signal | None = None
    first: Signal | None = None
    keep: Signal | None = None
    empty: Signal | None = None
    order: str = "little"


@dataclass(frozen=True, kw_only=True)
class Output:
    """The stream from the core. ``errors``: what replaces an ill-formed part: U+FFFD ("replace"), nothing ("drop"),
    a byte in hex ("3F"), or the part itself ("pass"). ``bom``: "keep" or "strip"."""

    data: Signal
    valid: Signal
    bytes: int = 1
    encoding: str = "utf-8"
    ready: Signal | None = None
    last: Signal | None = None
    keep: Signal | None = None
    empty: Signal | None = None
    order: str = "little"
    errors: str = "replace"
    bom: str = "keep"


@dataclass(frozen=True, kw_only=True)
class Report:
    """The verdict: ``error`` is high for ill-formed text. ``valid``: high when it is there; without, it is read with
    the output's last beat, or `Core.settle` cycles after the input's. ``kind``, ``offset``: of the first error, by
    ``convention``."""

    error: Signal
    valid: Signal | None = None
    ready: Signal | None = None
    kind: Signal | None = None
    offset: Signal | None = None
    convention: str = "simdutf"
    kinds: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PortMap:
    """The tables of a port map; ``output`` or ``report`` may be missing, not both."""

    core: Core
    input: Input
    output: Output | None
    report: Report | None

    @property
    def framed(self) -> bool:
        """Whether the core has an input for a packet's end; otherwise the bench resets it before each packet."""
        return self.input.last is not None

    @property
    def report_with_output(self) -> bool:
        """Whether the report is read with the output's last beat."""
        return (self.report is not None and self.report.valid is None and self.core.settle is None
                and self.output is not None and self.output.last is not None)

    @property
    def settles(self) -> bool:
        """Whether an answer is complete a fixed number of cycles after the packet's last input beat."""
        return self.core.settle is not None

    @property
    def back_to_back(self) -> bool:
        """Whether packets can follow each other without pauses: the end of each answer shows."""
        return self.framed and not self.settles


def read(path: Path) -> PortMap:
    """The port map of a TOML file. Raises PortMapError."""
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PortMapError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    tables: dict[str, Any] = {"core": Core, "input": Input, "output": Output, "report": Report}
    unknown = text.keys() - tables.keys()
    if unknown:
        raise PortMapError(f"{path}: no table [{min(unknown)}], there are {', '.join(f'[{name}]' for name in tables)}")
    for needed in ("core", "input"):
        if needed not in text:
            raise PortMapError(f"{path}: the table [{needed}] is missing")
    made: list[Any] = [_table(path, name, kind, text[name]) if name in text else None for name, kind in tables.items()]
    port_map = PortMap(*made)
    missing = [source for source in port_map.core.sources if not source.is_file()]
    if missing:
        raise PortMapError(f"{path}: the source {missing[0]} is not there")
    if wrong := _contradiction(port_map):
        raise PortMapError(f"{path}: {wrong}")
    return port_map


def _table(path: Path, name: str, kind: Any, values: Any) -> Any:
    """One table, its values checked by type."""
    known, made = {each.name: each for each in fields(kind)}, {}
    if not isinstance(values, dict):
        raise PortMapError(f"{path}: [{name}] must be a table")
    for key, value in values.items():
        where = f"{path}: {name}.{key}"
        if key not in known:
            raise PortMapError(f"{where} is unknown; [{name}] has {', '.join(known)}")
        made[key] = _value(where, known[key].type, value, path.parent)
    for key, each in known.items():
        if each.default is MISSING and each.default_factory is MISSING and key not in made:
            raise PortMapError(f"{path}: {name}.{key} is missing")
    return kind(**made)


def _value(where: str, kind: Any, value: Any, folder: Path) -> Any:
    if kind in (int, int | None):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise PortMapError(f"{where} must be a number, got {value!r}")
        return value
    if kind == Mapping[str, int]:
        if not isinstance(value, dict) or not all(isinstance(each, int) for each in value.values()):
            raise PortMapError(f"{where} must be a table of numbers, got {value!r}")
        return value
    if kind == tuple[Path, ...]:
        if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
            raise PortMapError(f"{where} must be a list of files, got {value!r}")
        return tuple(folder / each for each in value)
    if not isinstance(value, str):
        raise PortMapError(f"{where} must be text, got {value!r}")
    return value if kind is str else _signal(where, value)


def _signal(where: str, text: str) -> Signal:
    match = re.fullmatch(r"(!?)\s*([A-Za-z_]\w*)(?:\[(\d+)(?::(\d+))?\])?", text.strip())
    if match is None:
        raise PortMapError(f"{where} must be a port such as valid, !reset_n, flags[3] or flags[7:4], got {text!r}")
    inverted, port, high, low = match.groups()
    top = None if high is None else int(high)
    bottom = int(low if low is not None else high or 0)
    if top is not None and bottom > top:
        raise PortMapError(f"{where}: the bits are written from high to low, got {text!r}")
    return Signal(port, top, bottom, bool(inverted))


def _contradiction(port_map: PortMap) -> str:
    """What does not fit together, "" if nothing."""
    core, source, sink, report = port_map.core, port_map.input, port_map.output, port_map.report
    choices = [("core.encoding", core.encoding, (*ENCODINGS,)), ("input.order", source.order, ("little", "big"))]
    if sink is not None:
        choices += [("output.encoding", sink.encoding, (*ENCODINGS,)), ("output.order", sink.order, ("little", "big")),
                    ("output.bom", sink.bom, ("keep", "strip"))]
        if sink.errors not in ("replace", "drop", "pass") and not re.fullmatch(r"[0-7][0-9A-Fa-f]", sink.errors):
            return f'output.errors must be "replace", "drop", "pass" or a byte from 00 to 7F, got {sink.errors!r}'
        if sink.bytes < 1:
            return "output.bytes must be 1 or more, got 0"
    for name, stream in (("input", source), ("output", sink)):
        keep = stream.keep if stream is not None else None
        if stream is not None and keep is not None and keep.high is not None \
                and stream.bytes % (keep.high - keep.low + 1):
            return f"{name}.keep has {keep.high - keep.low + 1} bits: they must divide the {stream.bytes} bytes evenly"
    if report is not None:
        choices.append(("report.convention", report.convention, CONVENTIONS))
    for name, got, allowed in choices:
        if got not in allowed:
            return f"{name} must be one of {', '.join(allowed)}, got {got!r}"
    if sink is None and report is None:
        return "[report] or [output] is missing: the core's answer"
    if source.bytes < 1 or source.bytes % ENCODINGS[core.encoding]:
        return f"input.bytes must be a multiple of {ENCODINGS[core.encoding]} for {core.encoding}, got {source.bytes}"
    if source.bytes > 1 and source.keep is None and source.empty is None:
        return "input.keep or input.empty is missing: it says how many bytes of a last beat count"
    if not port_map.framed and core.reset is None:
        return "input.last is missing: then the bench resets the core before each packet and needs core.reset"
    if not port_map.framed and not port_map.settles:
        return "input.last is missing: then core.settle must say after how many cycles an answer is complete"
    ends = port_map.report_with_output or (report is not None and report.valid is not None)
    if not port_map.settles and sink is not None and sink.last is None:
        return "output.last is missing: without it core.settle must say after how many cycles an answer is complete"
    if not port_map.settles and report is not None and not ends:
        return "report.valid is missing: without it core.settle must say after how many cycles the report is there"
    if report is not None:
        for name, signal in (("kind", report.kind), ("offset", report.offset)):
            if signal is not None and signal.high is None:
                return f"report.{name} needs its bits, such as {signal.port}[7:0]"
        unknown = report.kinds.keys() - NAMED_KINDS[report.convention].keys()
        if unknown:
            return f"report.kinds has {min(unknown)!r}; {report.convention} has " \
                   f"{', '.join(NAMED_KINDS[report.convention])}"
    return ""
