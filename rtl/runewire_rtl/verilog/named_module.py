"""Names of the signals of a module, from its description where it has some."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..pipeline.stages import MARKER
from .netlist import Instance, Module, Wire
from .verilog_text import legal, natural
from .words import FIRST, Bits, Cell


@dataclass(frozen=True)
class OuterPort:
    """A port in the Verilog: ``inside`` and ``outside`` are its bits there."""

    name: str
    output: bool
    inside: Bits
    outside: Bits


@dataclass(eq=False)
class Net:
    """A declared name. ``made``: the bits with a driver of this name."""

    name: str
    bits: Bits
    kind: str
    attributes: dict[str, int | str] = field(default_factory=dict)
    made: set[int] = field(default_factory=set)


class NamedModule:
    """Names the signals of a module."""

    def __init__(self, module: Module, alive: set[int], initial_values: bool) -> None:
        self.module = module
        self.alive = alive
        self.initial_values = initial_values
        self.ports: list[OuterPort] = []
        self.nets: dict[str, Net] = {}
        self.where: dict[int, tuple[str, int]] = {}
        """The net and index of each named bit."""
        self.known: dict[str, Wire] = {}
        """Wires that nets may be named after, by the resulting name."""
        self._called: dict[str, str] = {}
        for wire in sorted(module.wires.values(), key=lambda wire: ("$" in wire.name, natural(wire.name))):
            if self._worth_a_name(wire):
                # Amaranth distinguishes wires of one name by a number.
                name = self._called[wire.name] = self.free(legal(wire.name.partition("$")[0]))
                self.known[name] = wire
        self._by_bit: dict[int, list[tuple[str, int]]] = defaultdict(list)
        for name, wire in self.known.items():
            for index, bit in enumerate(wire.bits):
                self._by_bit[bit].append((name, index))
        self.initial = {bit: value for register in module.registers
                        for bit, value in zip(register.q, register.initial, strict=True)}
        self.driven = self.initial.keys() | module.maker.keys()
        """Bits that the module drives."""
        self.writers: Mapping[Module, NamedModule] = {}
        """All modules of the design; given before anything is named."""

    def _worth_a_name(self, wire: Wire) -> bool:
        """Whether nets may be named after a wire: it has a name of its own, and a driver for each of its bits."""
        return ("." not in wire.name and not wire.name.startswith(("port$", MARKER))
                and min(wire.bits, default=0) >= FIRST
                and len(set(wire.bits)) == len(wire.bits) and not self.alive.isdisjoint(wire.bits))

    # Names.

    def free(self, name: str) -> str:
        """The name, followed by a number if it is already in use."""
        found, number = name, 1
        while found in self.nets or found in self.known:
            number += 1
            found = f"{name}_{number}"
        return found

    def call(self, name: str) -> str:
        """The name of a port, unless Amaranth has none for it."""
        return self._called.get(name) or self.free(legal(name.partition("$")[0]))

    def declare(self, name: str, bits: Bits, kind: str) -> Net:
        wire = self.known.get(name)
        net = self.nets[name] = Net(name, bits, kind, wire.attributes if wire else {})
        return net

    def _best(self, word: Bits) -> str | None:
        """The wire that equals the word; for a register of several parts, a wire that contains it."""
        found = [name for name, index in self._by_bit.get(word[0], ())
                 if self.known[name].bits[index : index + len(word)] == word]

        def rank(name: str) -> tuple[object, ...]:
            wire = self.known[name]
            return len(wire.bits), not wire.attributes, not wire.direction, "$" in wire.name, natural(name)

        return min(found, key=rank, default=None)

    def _exact(self, word: Bits) -> str | None:
        best = self._best(word)
        return best if best is not None and self.known[best].bits == word else None

    def bind(self, name: str, bits: Bits, kind: str) -> None:
        """Name the bits, which this module drives, after a net."""
        net = self.nets.get(name) or self.declare(name, bits, kind)
        net.kind = f"output {kind}" if net.kind.startswith("output") else kind
        net.made.update(bits)
        first = net.bits.index(bits[0])
        self.where.update((bit, (name, first + index)) for index, bit in enumerate(bits))

    def name_ports(self, around: NamedModule | None, instance: Instance | None) -> None:
        """Choose the ports: the used ones. A port without a name from Amaranth is named as inside, or as in the module
        around."""
        if instance is None or around is None:
            self.ports = [OuterPort(self.call(wire.name), wire.direction == "output", wire.bits, ())
                          for wire in self.module.ports()]
        else:
            self.ports = [OuterPort(name, True, *ends) for name, *ends in self.outputs(instance)]
            for name, inside, outside in self._inputs(instance, around):
                self.ports.append(OuterPort(self._unlike(name, inside), False, inside, outside))
            self.ports.sort(key=lambda port: (port.name not in ("clk", "rst"), port.output, natural(port.name)))
        for port in self.ports:
            if port.output:
                continue
            self.declare(port.name, port.inside, "input wire").made.update(port.inside)
            self.where.update((bit, (port.name, index)) for index, bit in enumerate(port.inside))
        for port in self.ports:
            if port.output:
                self.declare(port.name, port.inside, "output wire")

    def _unlike(self, name: str, bits: Bits) -> str:
        """The name, followed by a number if another port or a wire of other bits is called so."""
        taken = {port.name for port in self.ports}
        taken |= {known for known, wire in self.known.items() if set(wire.bits).isdisjoint(bits)}
        found, number = name, 1
        while found in taken:
            number += 1
            found = f"{name}_{number}"
        return found

    def outputs(self, instance: Instance) -> list[tuple[str, Bits, Bits]]:
        """The used outputs, each with its name and its bits inside and outside."""
        found = []
        loose: dict[int, int] = {}
        for port in instance.ports:
            if port.output and not self.alive.isdisjoint(port.outside):
                if "$" in port.name:
                    loose.update(zip(port.inside, port.outside, strict=True))
                else:
                    found.append((self.call(port.name), port.inside, port.outside))
        found += self._tied(loose)
        for inner in self.module.instances:
            for name, _, inside in self.writers[inner.module].outputs(inner):
                if loose.keys() >= set(inside):
                    found.append((self.free(f"{legal(inner.name)}_{name}"), inside,
                                  tuple(loose.pop(bit) for bit in inside)))
        return found + [(self._named_bit(bit), (bit,), (outer,)) for bit, outer in loose.items()]

    def _named_bit(self, bit: int) -> str:
        """Name of a bit that is only part of a wire: the wire's name and the bit's index."""
        places = [(legal(wire.name.partition("$")[0]), wire.bits.index(bit)) for wire in self.module.wires.values()
                  if bit in wire.bits and "." not in wire.name and not wire.name.startswith(("port$", MARKER))]
        name, index = min(places, key=lambda place: natural(place[0]), default=("signal", bit))
        return f"{name}_bit{index}"

    def _tied(self, loose: dict[int, int]) -> Iterator[tuple[str, Bits, Bits]]:
        """Bits of ports without a name from Amaranth that form a wire, named after that wire."""
        for name, wire in sorted(self.known.items(), key=lambda each: (
                -len(each[1].bits), bool(re.search(r"\$|__", each[1].name)), natural(each[0]))):
            if all(bit in loose for bit in wire.bits):
                yield name, wire.bits, tuple(loose.pop(bit) for bit in wire.bits)

    def _inputs(self, instance: Instance, around: NamedModule) -> Iterator[tuple[str, Bits, Bits]]:
        """The used inputs. One without a name inside is named as in the module around."""
        loose: dict[int, int] = {}
        for port in instance.ports:
            if not port.output and not self.alive.isdisjoint(port.inside):
                if "$" in port.name or "__" in port.name:
                    loose.update((bit, outer) for bit, outer in zip(port.inside, port.outside, strict=True)
                                 if bit in self.alive)
                else:
                    yield self.call(port.name), port.inside, port.outside
        yield from self._tied(loose)
        nets: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for bit, outer in loose.items():
            name, index = around.where.get(outer, ("signal", bit))
            nets[name].append((index, bit, outer))
        for name, bits in nets.items():
            indices, inside, outside = zip(*sorted(bits), strict=True)
            part = name in around.nets and len(inside) < len(around.nets[name].bits)
            yield f"{name}_from{indices[0]}" if part else name, inside, outside

    def name_words(self) -> None:
        """Name the words that registers, memories, instances and cells drive."""
        module, alive = self.module, self.alive
        for register in module.registers:
            if not alive.isdisjoint(register.q):
                name = self._best(register.q)
                assert name is not None, f"a register of module {module.name} has no name"
                if name not in self.nets:
                    self.declare(name, self.known[name].bits, "reg")
                self.bind(name, register.q, "reg")
        for memory in module.memories:
            if not alive.isdisjoint(memory.read_data):
                self.bind(self.free(f"{legal(memory.name)}_read"), memory.read_data, "wire")
        outputs = [(instance, name, word) for instance in module.instances
                   for name, _, word in self.writers[instance.module].outputs(instance)]
        often = Counter(label for _, label, _ in outputs)
        for instance, label, word in outputs:
            name = label if label in self.known and self.known[label].bits == word else self._exact(word)
            if name is None or (often[label] > 1 and not self.known[name].direction):
                name = self.free(f"{legal(instance.name)}_{label}" if often[label] > 1 else label)
            self.bind(name, word, "wire")
        for cell in module.cells:
            if not alive.isdisjoint(cell.result) and (name := self._exact(cell.result)) is not None:
                self.bind(name, cell.result, "wire")
        self._name_joined()

    def _name_joined(self) -> None:
        """Name the wires that several cells drive together, if none of these cells depends on another."""
        joined: dict[int, Bits] = {}
        for name, wire in sorted(self.known.items(), key=lambda each: (-len(each[1].bits), natural(each[0]))):
            if any(bit in self.where or bit not in self.module.maker or bit not in self.alive for bit in wire.bits):
                continue
            makers = list(dict.fromkeys(self.module.maker[bit] for bit in wire.bits))
            if sum((cell.result for cell in makers), ()) == wire.bits and not self._reaches(makers, wire.bits, joined):
                self.bind(name, wire.bits, "wire")
                joined.update(dict.fromkeys(wire.bits, wire.bits))

    def _reaches(self, cells: Sequence[Cell], goal: Bits, joined: dict[int, Bits]) -> bool:
        """Whether the operands of the cells depend on the goal; joined bits depend on everything that any of them
        does."""
        pending = [bit for cell in cells for operand in cell.operands for bit in operand]
        seen: set[int] = set()
        while pending:
            bit = pending.pop()
            if bit in goal:
                return True
            if bit not in seen:
                seen.add(bit)
                pending += joined.get(bit, ())
                if (cell := self.module.maker.get(bit)) is not None:
                    pending += [each for operand in cell.operands for each in operand]
        return False
