"""A scoreboard for cocotb benches: packets that leave a core against the golden model's results."""

from collections import deque
from dataclasses import replace

from cocotb.triggers import Event
from runewire_model import PacketResult, TranscoderParameters
from runewire_model.splitting import record_packets

from ..axi_stream import OutputReader, RejectReader, StreamBeat, kept_bytes
from ..differences import early_difference, end_difference
from ..golden import Golden
from ..rejects import RejectComparison
from ..results import Chunk, PacketEnd, RejectedRecord
from ..sidebands import SentSidebands


class Scoreboard:
    """Compares the packets that leave a core with the golden model's results for those that entered.

    `enter`, `leave`, `tell`, `tell_record` and `reject` are callbacks for the monitors of ``s_axis``, ``m_axis``,
    ``m_report``, ``m_records`` and ``m_rejects``. ``errors`` lists the packets that differ, ``results`` has those that
    agree; both grow as the simulation goes.
    """

    def __init__(self, parameters: TranscoderParameters) -> None:
        self._parameters = parameters
        self._sidebands = parameters.sidebands
        self._width_in = parameters.input_bytes
        self._output = OutputReader(parameters.output_bytes, self._sidebands)
        self._entering = bytearray()
        self._waiting: deque[tuple[bytes, SentSidebands]] = deque()
        self._left: deque[Chunk] = deque()
        self._reports: deque[int] = deque()
        self._entered = 0
        # Beats of the record report that must come, and that have come before their packet had entered.
        self._expected: deque[int] = deque()
        self._recorded: deque[int] = deque()
        self._rejects = RejectComparison(parameters)
        self._reject = RejectReader(parameters)
        self._settled = Event()
        self._settled.set()
        self.errors: list[str] = []
        self.results: list[PacketResult] = []

    def enter(self, beat: StreamBeat) -> None:
        """An input beat moved."""
        self._settled.clear()
        self._entering += kept_bytes(beat, self._width_in)
        if beat.last:
            sent = SentSidebands(beat.user, beat.id, beat.dest)
            packet = bytes(self._entering)
            self._waiting += [(packet, sent)] if not self._parameters.splits else [
                (record.data, sent.of(record)) for record in record_packets(packet, self._sidebands)]
            self._entering.clear()
            if self._sidebands.record_report:
                records = self._parameters.compute(packet).bad_records
                self._expected += (self._sidebands.pack_record(self._entered, record) for record in records)
                self._entered += 1
                self._match_records()
            self._rejects.expect(len(self.results), packet, sent)
            self._match()
            self._pair()

    def leave(self, beat: StreamBeat) -> None:
        """An output beat moved."""
        self.errors += self._output.add(beat)
        if not beat.last:
            return
        output, flags = self._output.take()
        chunk = Chunk(output, PacketEnd(self._output.tuser, 0, 0, 0, 0, tid=beat.id, tdest=beat.dest,
                                        unflagged=self._output.end()), flags)
        self._left.append(chunk)
        self._pair()

    def tell(self, beat: StreamBeat) -> None:
        """A beat of the report port moved."""
        if len(self._reports) == len(self._left):
            self.errors.append(f"a report came of a packet that has not left: {beat.data:#x}")
            return
        self._reports.append(beat.data)
        self._pair()

    def tell_record(self, beat: StreamBeat) -> None:
        """A beat of the record report moved."""
        self._recorded.append(beat.data)
        self._match_records()
        self._settle()

    def _match_records(self) -> None:
        while self._expected and self._recorded:
            expected, got = self._expected.popleft(), self._recorded.popleft()
            if expected != got:
                self.errors.append(f"record report: hardware {got:#x}, model {expected:#x}")

    def reject(self, beat: StreamBeat) -> None:
        """A beat of the rejected records moved."""
        if (record := self._reject.take(beat)) is not None:
            self._match(record)

    def _match(self, *came: RejectedRecord) -> None:
        """Compare the rejected records that came with those expected. One may come before its packet has entered."""
        before = self._rejects.difference
        self._rejects.take(deque(came))
        if before is None and self._rejects.difference is not None:
            self.errors.append(self._rejects.difference[1])
        self._settle()

    def _pair(self) -> None:
        """Compare the packets that have left with those that entered. Behind a splitter a record leaves before the
        rest of its packet has entered."""
        reported = self._sidebands.report_port != "none"
        while self._waiting and self._left and (self._reports or not reported):
            self._compare(*self._waiting.popleft(), self._left.popleft(), self._reports.popleft() if reported else None)
        while len(self._left) > len(self._waiting) and not (self._parameters.splits and self._entering):
            self.errors.append(f"a packet came out that nobody sent: {self._left.pop().output.hex()}")
        self._settle()

    def _compare(self, packet: bytes, sent: SentSidebands, chunk: Chunk, report: int | None) -> None:
        assert chunk.end is not None
        end = replace(chunk.end, report=report)
        golden = Golden(self._parameters.behind, packet)
        output = b"".join(golden.output())
        wrong = None
        if chunk.output != output:
            wrong = f"hardware {chunk.output.hex()}, model {output.hex()}"
        elif chunk.marks != golden.marks:
            wrong = f"marks of records: hardware {chunk.marks.hex()}, model {golden.marks.hex()}"
        wrong = wrong or end_difference(self._sidebands, golden, sent, end) \
            or early_difference(self._parameters, packet, sent, end)
        if wrong is not None:
            self.errors.append(f"packet {packet.hex() or 'without bytes'}: {wrong}")
        else:
            decoded = end.told(self._sidebands)
            self.results.append(PacketResult(output, decoded.error, decoded.counts,
                                             (*chunk.records, *end.tail_records(self._sidebands))))

    def _settle(self) -> None:
        if not any((self._waiting, self._entering, self._left, self._expected, self._recorded, self._rejects.waiting)):
            self._settled.set()

    def forget(self) -> None:
        """A reset: no packet inside ever leaves."""
        self._entering.clear()
        self._output.reset()
        self._waiting.clear()
        self._left.clear()
        self._reports.clear()
        self._entered = 0
        self._expected.clear()
        self._recorded.clear()
        self._rejects = RejectComparison(self._parameters)
        self._reject.reset()
        self._settled.set()

    async def settled(self) -> None:
        """Wait until every packet that entered has left."""
        await self._settled.wait()
