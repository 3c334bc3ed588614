"""Inputs of the model's tests: edge bytes, and packets of characters, intact and damaged."""

import codecs

import pytest
from hypothesis import strategies as st

EDGE_OCTETS = bytes.fromhex(
    "00 41 7F 80 8F 90 9F A0 BF C0 C1 C2 DF E0 E1 EC ED EE EF F0 F1 F3 F4 F5 F7 F8 FF")
"""Both ends of every range in the grammar and their neighbours outside."""


@pytest.fixture(scope="session")
def edge_octets() -> bytes:
    return EDGE_OCTETS


@pytest.fixture(scope="session")
def packets() -> st.SearchStrategy[bytes]:
    character = st.characters(exclude_categories=["Cs"]).map(lambda c: c.encode("utf-8"))
    broken_off = character.filter(lambda c: len(c) > 1).map(lambda c: c[:-1])
    edges = st.binary(min_size=1, max_size=4) | st.lists(st.sampled_from(EDGE_OCTETS), max_size=6).map(bytes)
    mark = st.just(codecs.BOM_UTF8)
    return st.lists(character | broken_off | edges | mark, max_size=20).map(b"".join)
