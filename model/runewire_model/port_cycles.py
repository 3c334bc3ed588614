"""The cycle model of a port with two registers, for reports and rejected records.

The hardware is `runewire_rtl.report.report_port`.
"""


class Port:
    """A port with two registers: one beat is at the port, one more may wait.

    ``room``: a beat may enter. ``offered``, ``taken``: of each beat, the first cycle at the port and the cycle of its
    handshake.
    """

    def __init__(self) -> None:
        self.offered: list[int] = []
        self.taken: list[int] = []
        self._rows = 0

    @property
    def room(self) -> bool:
        return self._rows < 2

    def step(self, cycle: int, take: bool, pauses: bool) -> None:
        """``take``: a beat enters. ``pauses``: the sink pauses."""
        leaves = self._rows > 0 and not pauses
        if leaves:
            self.taken.append(cycle)
        before = self._rows - leaves
        self._rows = before + take
        if self._rows and (leaves or not before):
            self.offered.append(cycle + 1)
