"""Reader of binary AIGER 1.0 files, and a writer of graphs.

Source: A. Biere, "The AIGER And-Inverter Graph (AIG) Format", version 20071012.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Graph:
    """An and-inverter graph with registers, all 0 in the first cycle.

    Signals are literals: twice the number of a variable, plus 1 if inverted; 0 is false. Variables are numbered from 1:
    first ``inputs``, then registers, then gates. ``following``: each register's next value; ``outputs``: each is a way
    to be wrong; ``gates``: the two literals of each, of lower variables.
    """

    inputs: int
    following: Sequence[int]
    outputs: Sequence[int]
    gates: Sequence[tuple[int, int]]

    @property
    def first_register(self) -> int:
        """Variable of the first register."""
        return 1 + self.inputs

    @property
    def first_gate(self) -> int:
        """Variable of the first gate."""
        return self.first_register + len(self.following)

    @property
    def variables(self) -> int:
        """Number of variables, with the constant 0."""
        return self.first_gate + len(self.gates)

    def behind(self, signals: Iterable[int]) -> set[int]:
        """Variables on which the signals depend, through registers too, with their own."""
        found: set[int] = set()
        work = [signal >> 1 for signal in signals]
        while work:
            variable = work.pop()
            if variable in found:
                continue
            found.add(variable)
            if variable >= self.first_gate:
                work += [signal >> 1 for signal in self.gates[variable - self.first_gate]]
            elif variable >= self.first_register:
                work.append(self.following[variable - self.first_register] >> 1)
        return found

    @classmethod
    def read(cls, path: Path) -> Graph:
        """The graph in the file. Raises ValueError for another format, and for registers that do not start at 0."""
        data = path.read_bytes()
        end = data.index(b"\n")
        words = data[:end].split()
        if len(words) != 6 or words[0] != b"aig":
            raise ValueError(f"{path.name} is no binary AIGER file of version 1.0")
        most, inputs, registers, outputs, gates = map(int, words[1:])
        if most != inputs + registers + gates:
            raise ValueError(f"{path.name} has variables without a place")
        *lines, rest = data[end + 1:].split(b"\n", registers + outputs)
        if any(len(line.split()) != 1 for line in lines):
            raise ValueError(f"{path.name} has registers that do not start at 0")
        numbers = [int(line) for line in lines]
        found: list[tuple[int, int]] = []
        place = 0
        for gate in range(1 + inputs + registers, 1 + most):
            high, place = _number(rest, place)
            low, place = _number(rest, place)
            found.append((2 * gate - high, 2 * gate - high - low))
        return cls(inputs, numbers[:registers], numbers[registers:], found)

    def write(self, path: Path) -> None:
        """Write the graph as a binary AIGER file."""
        words = [self.variables - 1, self.inputs, len(self.following), len(self.outputs), len(self.gates)]
        text = [f"aig {' '.join(map(str, words))}", *map(str, [*self.following, *self.outputs]), ""]
        data = bytearray("\n".join(text).encode())
        for gate, pair in enumerate(self.gates, self.first_gate):
            low, high = sorted(pair)
            data += _bytes(2 * gate - high) + _bytes(high - low)
        path.write_bytes(data)


def _number(data: bytes, place: int) -> tuple[int, int]:
    """The number that begins at a place, seven bits a byte, and the place after it."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7


def _bytes(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
