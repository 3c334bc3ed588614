"""AXI4-Stream in Python, for cocotb benches and Amaranth's simulator: beats, source, rules, packets, and a player.

`harness/` has the same in C++, for speed and as a second implementation.
"""

from .beats import OutputReader, StreamBeat, kept_bytes, packet_beats
from .player import DRAIN_CYCLES, RESET_CYCLES, START_CYCLES, Player
from .rejects import RejectReader
from .rules import StreamRules
from .source import StreamSource
from .tracker import GAP_BEATS, PacketTracker

__all__ = [
    "DRAIN_CYCLES", "GAP_BEATS", "RESET_CYCLES", "START_CYCLES", "OutputReader", "PacketTracker", "Player",
    "RejectReader", "StreamBeat", "StreamRules", "StreamSource", "kept_bytes", "packet_beats",
]
