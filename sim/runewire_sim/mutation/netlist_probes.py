"""A netlist with probes for equivalence checks: ports instead of memories, outputs that show registers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from runewire_rtl.buffer.read_controller import BANKS
from runewire_rtl.pipeline.register_roles import ACCEPTED, ANNOUNCE, CLEAR, CREDIT, DRAIN, LEADER, OCCUPANCY, said
from runewire_rtl.reset_sequencer import PHASE

ROLES = (
    CLEAR, said(CREDIT, "level"), *(said(OCCUPANCY, LEADER, bank, "level") for bank in range(BANKS)),
    said(DRAIN, "phases"),
)
"""Roles that the registers of a core must declare."""
TOGETHER = (said(DRAIN, "phases"),)
"""Roles that the registers of a compact core must declare, or of one with several buffers: behind a packer or a
splitter, a filter, with a record report. There two registers have the role of each counter, so hints leave counters
out."""
SET = 3
"""Cycles after a reset until all replicas of the flag that clears registers are set."""
CLEARS = SET + 1
"""Cycles after a reset until the registers that a replica clears are clear."""
FOLLOWS = CLEARS + 2
"""Cycles after a reset until registers without a clear, which follow cleared ones, have their values."""
WIRE = re.compile(r"((?:^  attribute .*\n)*)^  wire (?:width (\d+) )?(?:\S+ )*\\(\S+)$", re.MULTILINE)
MEMORY = re.compile(r"(?:^  attribute .*\n)*^  cell \$mem_v2 .*\n(?:    .*\n)*  end\n", re.MULTILINE)


@dataclass(frozen=True)
class ProbedNetlist:
    """``rtlil``: module ``dut`` with further ports. ``taps``, ``inside``: the harness's files taps.vh and inside.vh.

    These connect the ports, and state which of their values are wrong, and which probably never occur.
    """

    rtlil: str
    taps: str
    inside: str


@dataclass(frozen=True)
class NamedWire:
    """A named wire of ``width`` bits; ``role``: the declared purpose of its register, "" without one."""

    name: str
    width: int
    role: str


def declared(rtlil: str) -> Iterator[NamedWire]:
    """The named wires of a module."""
    for attributes, width, name in WIRE.findall(rtlil):
        role = re.search(r'^  attribute \\role "(.*)"$', attributes, re.MULTILINE)
        yield NamedWire(name, int(width or 1), role[1] if role else "")


class RegisterProbes:
    """Names of the registers in the harness; index [0] is the sound core, [1] the mutant."""

    def __init__(self, registers: Sequence[NamedWire]) -> None:
        self.all = {f"register{number}": register for number, register in enumerate(registers)}

    def of(self, role: str) -> list[str]:
        """The registers with a role. Raises LookupError for none, or for several of a role without replicas."""
        found = {tap: register.name for tap, register in self.all.items() if register.role == role}
        if not found or (len(found) > 1 and role != CLEAR):
            raise LookupError(f"hints need {'one register' if role != CLEAR else 'registers'} of the role {role}: "
                              f"there are {sorted(found.values())}")
        return list(found)

    def one(self, *role: object) -> str:
        return self.of(said(*role))[0]


def opened(rtlil: str, roles: Sequence[str] = ROLES) -> ProbedNetlist:
    """A core, as module ``dut``, with ports instead of its memories, and outputs that show its registers.

    A memory returns the same arbitrary words to sound core and mutant. So both must write the same words to the same
    rows, and read the same rows, in every cycle outside reset. Raises LookupError if a hint needs a role that no
    register declares, or several, or if no register declares one of ``roles``.
    """
    driven = "\n".join(re.findall(r"^    connect \\Q (.*)$", rtlil, re.MULTILINE))
    named = {*re.findall(r"\\(\S+)", driven)}
    # A mutated output of a register has another name, but still its role.
    taps = RegisterProbes([wire for wire in declared(rtlil) if wire.name in named or wire.role])
    for role in roles:
        taps.of(role)
    ports: list[str] = []
    wires: list[str] = []
    bad: list[str] = []
    links: list[str] = []

    def port(name: str, width: int, kind: str, signal: str) -> None:
        drive = f"\\{name} {signal}" if kind == "output" else f"{signal} \\{name}"
        ports.append(f"  wire width {width} {kind} {1000 + len(ports)} \\{name}\n  connect {drive}\n")
        # Both sides read the same.
        sides = " [0:1]" if kind == "output" else ""
        wires.append(f"{'' if sides else '(* anyseq *) '}wire [{width - 1}:0] {name}{sides};")
        links.append(f".{name}({name}{'[side]' if sides else ''})")

    def outside(memory: re.Match[str]) -> str:
        number = len(bad) // 4
        signals = dict(re.findall(r"^    connect \\(\S+) (.*)$", memory[0], re.MULTILINE))
        width, index = map(int, re.findall(r"parameter \\(?:WIDTH|ABITS) (\d+)$", memory[0], re.MULTILINE))
        for kind, pin, size in (
            ("enable", "WR_EN", width), ("to", "WR_ADDR", index), ("word", "WR_DATA", width),
            ("from", "RD_ADDR", index),
        ):
            port(f"{kind}{number}", size, "output", signals[pin])
        port(f"read{number}", width, "input", signals["RD_DATA"])
        enable, to, word, source = (f"{kind}{number}" for kind in ("enable", "to", "word", "from"))
        bad.extend([
            f"{enable}[0] != {enable}[1]",
            f"|{enable}[0] && {to}[0] != {to}[1]",
            f"|({enable}[0] & ({word}[0] ^ {word}[1]))",
            f"{source}[0] != {source}[1]",
        ])
        return ""

    text = MEMORY.sub(outside, rtlil)
    for tap, register in taps.all.items():
        port(tap, register.width, "output", f"\\{register.name}")
    hints = list(_hints(taps, levels=said(CREDIT, "level") in roles))
    body = [*wires, f"wire settled = open || late[{FOLLOWS}];"]
    zero = "1'b0"
    outputs = {"bad_memory": [f"open && running && ({term})" for term in bad], "hint": [term for _, term in hints]}
    for name, terms in outputs.items():
        body.append(f"assign {name} = {{{', '.join(terms) or zero}}};")
    defined = (f"`define TAPS {', '.join(['', *links])}\n`define MEMORIES {max(1, len(bad))}\n"
               f"`define HINTS {max(1, sum(width for width, _ in hints))}\n")
    end = "end\n"
    return ProbedNetlist(f"{text.removesuffix(end)}{''.join(ports)}{end}", defined, "\n".join(body) + "\n")


def _hints(taps: RegisterProbes, levels: bool) -> Iterator[tuple[int, str]]:
    """Conditions in Verilog that probably never hold, with their widths; once proven, they help with the rest.

    ``levels``: also of counters in unary.
    """
    for tap, register in taps.all.items():
        width = register.width
        # That they differ, but in the first cycles after a reset, or until the core is open.
        for when in ("settled", "open"):
            yield width, f"{{{width}{{{when}}}}} & ({tap}[0] ^ {tap}[1])"
        if width <= 2:
            # That they are not 0 in reset, or so many cycles later, as they follow others.
            for side, cycles in product(range(2), range(FOLLOWS)):
                yield width, f"{{{width}{{late[{cycles + 1}]}}}} & {tap}[{side}]"
        if register.role == CLEAR:
            # That they are not set while the core runs empty.
            for side in range(2):
                yield 1, f"late[{SET}] & ~late[RESET-{PHASE - 1}] & ~{tap}[{side}]"
    for tap, register in taps.all.items():
        if register.role != said(DRAIN, "phases"):
            continue
        # That a drain is not as far as the cycles that have passed.
        count, ends = taps.one(DRAIN, "count"), taps.one(DRAIN, "ends")
        phases = f"({{{register.width}{{1'b1}}}} << (elapsed - 1) / {PHASE})"
        for side in range(2):
            yield 1, f"!open && {count}[{side}] != (elapsed - 1) % {PHASE}"
            yield 1, f"{ends}[{side}] != ({count}[{side}] == {PHASE - 1})"
            yield 1, f"{tap}[{side}] != {phases}"
    for tap, register in taps.all.items():
        counter, _, part = register.role.rpartition(".")
        if not levels or part != "level":
            continue
        width = register.width
        # That a counter in unary differs near to what it counts, by any distance: bits far above it may.
        for distance in range(1, width):
            yield width, f"(({tap}[0] ^ {tap}[1]) >> {distance}) & {tap}[0]"
            yield width, f"({tap}[0] ^ {tap}[1]) & (~{tap}[0] >> {distance})"
        kind, _, which = counter.partition(".")
        for side in range(2):
            level, less = f"{tap}[{side}]", f"{taps.one(counter, 'less')}[{side}]"
            # That it has a gap, or counts below zero; and what goes before that in the registers that make it count.
            yield width, f"({level} >> 1) & ~{level}"
            yield 1, f"settled & {less} & ~{level}[0]"
            if kind == OCCUPANCY:
                announce = f"{taps.one(ANNOUNCE, which)}[{side}]"
                yield 1, f"settled & {less} & ~{announce}"
                yield 1, f"late[{CLEARS}] & {level}[0]"
            elif kind == CREDIT:
                accepted = f"{taps.one(ACCEPTED)}[{side}]"
                yield 1, f"settled & {accepted} & ~{level}[0]"
                yield 1, f"settled & {accepted} & {less} & ~{level}[1]"
                yield 1, f"settled & {less} & {taps.one(CREDIT, 'twice')}[{side}]"
