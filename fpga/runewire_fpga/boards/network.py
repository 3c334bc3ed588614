"""Settings of a board with Ethernet."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address

ADDRESS = IPv4Address("192.168.1.50")
"""Default address of a networked board."""
MOST_FLOWS = 1024
"""Most flows of a board."""


@dataclass(frozen=True)
class Network:
    """Address of a board, and what it does with datagrams.

    Attributes
    ----------
    ip : address
    flows : None if each datagram is a complete text; else datagrams are segments, and the flow is the low bits of the
        sender's port: a power of two from 2 to `MOST_FLOWS`
    filter : a datagram is lines; those that are ill-formed come back to a port of their own

    Raises `ValueError` for other numbers of flows, and for both flows and filter.
    """

    ip: IPv4Address = ADDRESS
    flows: int | None = None
    filter: bool = False

    def __post_init__(self) -> None:
        if self.flows is None:
            return
        if not 2 <= self.flows <= MOST_FLOWS or self.flows & (self.flows - 1):
            raise ValueError(f"a board's flows must be a power of two from 2 to {MOST_FLOWS}, got {self.flows}")
        if self.filter:
            raise ValueError("a board with the filter has no flows: lines do not continue in another datagram")

    @property
    def flow_bits(self) -> int:
        """Bits of a sender's port that are the number of its flow."""
        return 0 if self.flows is None else self.flows.bit_length() - 1
