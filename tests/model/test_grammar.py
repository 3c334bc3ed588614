"""The grammar as data against RFC 3629 section 4, and the patterns derived from it."""

from itertools import product

import pytest
from runewire_model.encodings.utf8 import grammar


def spelled(rule: grammar.Rule) -> str:
    """The rule in the RFC's notation, without its shorthand for repetitions."""
    def octets(ends: grammar.Octets) -> str:
        low, high = ends
        return "UTF8-tail" if ends == grammar.UTF8_TAIL else f"%x{low:02X}" + f"-{high:02X}" * (high > low)
    return " / ".join(" ".join(map(octets, sequence)) for sequence in rule)


@pytest.mark.parametrize(("rule", "text"), [
    (grammar.UTF8_1, "%x00-7F"),
    (grammar.UTF8_2, "%xC2-DF UTF8-tail"),
    (grammar.UTF8_3, "%xE0 %xA0-BF UTF8-tail / %xE1-EC UTF8-tail UTF8-tail / "
                     "%xED %x80-9F UTF8-tail / %xEE-EF UTF8-tail UTF8-tail"),
    (grammar.UTF8_4, "%xF0 %x90-BF UTF8-tail UTF8-tail / %xF1-F3 UTF8-tail UTF8-tail UTF8-tail / "
                     "%xF4 %x80-8F UTF8-tail UTF8-tail"),
])
def test_rules_are_those_of_the_rfc(rule: grammar.Rule, text: str) -> None:
    assert spelled(rule) == text
    assert grammar.UTF8_TAIL == (0x80, 0xBF)


def test_prefixes_are_proper_and_longest_first() -> None:
    assert grammar.prefixes(grammar.UTF8_1) == ()
    assert [len(prefix) for prefix in grammar.prefixes(grammar.UTF8_4)] == [3, 2, 1] * 3


def test_a_step_always_gets_on(edge_octets: bytes) -> None:
    for octets in map(bytes, product(edge_octets, repeat=3)):
        assert grammar.RUN.match(octets), octets.hex(" ")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_broken_off_at_the_end_is_what_more_bytes_can_complete(edge_octets: bytes, length: int) -> None:
    def completes(octets: bytes) -> bool:
        rest = range(0x80, 0xC0, 0x10)
        return any(grammar.WELL_FORMED.fullmatch(octets + bytes(more))
                   for count in (1, 2, 3) for more in product(rest, repeat=count))

    for octets in map(bytes, product(edge_octets, repeat=length)):
        last = max((offset for offset, octet in enumerate(octets) if not 0x80 <= octet < 0xC0), default=0)
        found = grammar.BROKEN_OFF_AT_END.search(octets)
        assert (found is not None) == completes(octets[last:]), octets.hex(" ")
        assert found is None or found.start() == last
