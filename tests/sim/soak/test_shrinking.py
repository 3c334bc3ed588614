"""Shrinking: what remains of packets that fail."""

from itertools import pairwise

from runewire_model import ENCODINGS
from runewire_sim.soak import shrink


def test_shrinking_finds_the_two_packets_and_the_byte_that_matter() -> None:
    tried = 0

    def fails(packets: list[bytes]) -> bool:
        nonlocal tried
        tried += 1
        return any(not before and b"\xFF" in after for before, after in pairwise(packets))

    packets = [bytes([n % 256] * (n % 7)) for n in range(900)]
    packets[500:502] = [b"", b"xyz\xFFxyz"]
    assert shrink(packets, fails, ENCODINGS["utf-8"]) == [b"", b"\xFF"]
    assert tried < 200


def test_shrinking_keeps_an_encoders_scalars_whole() -> None:
    def fails(packets: list[bytes]) -> bool:
        assert all(len(packet) % 4 == 0 for packet in packets)
        return any(len(packet) >= 8 and b"\x00\xD8\x00\x00" in packet for packet in packets)

    assert shrink([b"b\0\0\0" * 5 + b"\x00\xD8\x00\x00" + b"c\0\0\0" * 5], fails, ENCODINGS["utf-32le"]) == [
        b"\x00\xD8\x00\x00a\0\0\0"]
