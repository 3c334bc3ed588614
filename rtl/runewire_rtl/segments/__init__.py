"""Texts in segments: bytes and state carried from a flow's packet to its next."""
