"""A filter's rejected records: the hardware's against the golden model's, in the order of both."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from runewire_model import ErrorKind, FirstError, TranscoderParameters
from runewire_model.filtering import Reject
from runewire_model.report import Sidebands

from .results import RejectedRecord
from .sidebands import SentSidebands
from .wire_format import Packet


class RejectEnd(NamedTuple):
    """The fields of ``m_rejects_tuser`` on a record's last beat. ``error``: None for one that is only too long."""

    error: FirstError | None
    record: int
    long: bool


def reject_end(sidebands: Sidebands, tuser: int) -> RejectEnd:
    """The fields of ``tuser``. Raises ValueError for a kind that no core sends."""
    kind, offset, record, long = (tuser >> field.lsb & (1 << field.width) - 1 for field in sidebands.reject_end)
    return RejectEnd(FirstError(ErrorKind(kind), offset) if kind else None, record, bool(long))


def rejected_record(sidebands: Sidebands, reject: Reject, sent: SentSidebands) -> RejectedRecord:
    """The packet that must come out for a record of the model. ``sent``: the values sent with its input packet."""
    return RejectedRecord(reject.data, reject.tuser(sidebands), sent.id, sent.dest)


class RejectComparison:
    """The rejected records of a run against the model's. ``on_reject`` is called with each from the hardware."""

    def __init__(self, parameters: TranscoderParameters,
                 on_reject: Callable[[RejectedRecord], None] | None = None) -> None:
        self._parameters = parameters
        self._on_reject = on_reject
        self._expected: deque[tuple[int, RejectedRecord]] = deque()
        self._early: deque[RejectedRecord] = deque()
        self.difference: tuple[int, str] | None = None
        """The first difference, with its packet's number."""

    @property
    def waiting(self) -> bool:
        """Whether records are still to come, of the hardware or of the model."""
        return self.difference is None and bool(self._expected or self._early)

    def expect(self, number: int, packet: Packet, sent: SentSidebands) -> None:
        """Packet ``number`` is sent."""
        sidebands = self._parameters.sidebands
        if sidebands.rejects:
            self._expected += [(number, rejected_record(sidebands, each, sent))
                               for each in self._parameters.rejects(bytes(packet))]

    def take(self, rejects: deque[RejectedRecord]) -> None:
        """The hardware's next records, which are removed. A packet's may come before the packet before it ends."""
        while rejects:
            self._early.append(rejects.popleft())
            if self._on_reject is not None:
                self._on_reject(self._early[-1])
        while self._early and self._expected and self.difference is None:
            got = self._early.popleft()
            number, model = self._expected.popleft()
            if got != model:
                self.difference = number, self._words(got, model)

    def finish(self) -> tuple[int, str] | None:
        """The first difference of a run that has ended; None without one."""
        if self.difference is not None:
            return self.difference
        if self._expected:
            number, model = self._expected[0]
            return number, f"rejects: hardware nothing, model {model.data.hex()}"
        return (0, f"rejects: hardware {self._early[0].data.hex()}, model nothing") if self._early else None

    def _words(self, got: RejectedRecord, model: RejectedRecord) -> str:
        if got.data != model.data:
            return f"rejects: hardware {got.data.hex()}, model {model.data.hex()}"
        if got.tuser == model.tuser:
            tags = (f"{each.tid:#x} {each.tdest:#x}" for each in (got, model))
            return "rejects, tid and tdest: hardware {}, model {}".format(*tags)
        return f"rejects, tuser of {got.data.hex()}: hardware {got.tuser:#x}, model {model.tuser:#x}"
