"""The grammar of UTF-8, RFC 3629 section 4, and regular expressions derived from it.

The rules are written as in the RFC (and in Unicode Table 3-7). A rule is a list of alternatives; an alternative is one
range of octets per byte. Everything else in this module is derived from the rules.

    UTF8-octets = *( UTF8-char )
    UTF8-char   = UTF8-1 / UTF8-2 / UTF8-3 / UTF8-4
    UTF8-1      = %x00-7F
    UTF8-2      = %xC2-DF UTF8-tail
    UTF8-3      = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) /
                  %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
    UTF8-4      = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) /
                  %xF4 %x80-8F 2( UTF8-tail )
    UTF8-tail   = %x80-BF
"""

import re

Octets = tuple[int, int]
"""A range of octets, both ends included."""
Rule = tuple[tuple[Octets, ...], ...]
"""Alternatives, each a range for every byte of the sequence."""

UTF8_TAIL: Octets = (0x80, 0xBF)

UTF8_1: Rule = (
    ((0x00, 0x7F),),
)
UTF8_2: Rule = (
    ((0xC2, 0xDF), UTF8_TAIL),
)
UTF8_3: Rule = (
    ((0xE0, 0xE0), (0xA0, 0xBF), UTF8_TAIL),
    ((0xE1, 0xEC), UTF8_TAIL, UTF8_TAIL),
    ((0xED, 0xED), (0x80, 0x9F), UTF8_TAIL),
    ((0xEE, 0xEF), UTF8_TAIL, UTF8_TAIL),
)
UTF8_4: Rule = (
    ((0xF0, 0xF0), (0x90, 0xBF), UTF8_TAIL, UTF8_TAIL),
    ((0xF1, 0xF3), UTF8_TAIL, UTF8_TAIL, UTF8_TAIL),
    ((0xF4, 0xF4), (0x80, 0x8F), UTF8_TAIL, UTF8_TAIL),
)
UTF8_CHAR: tuple[Rule, ...] = (UTF8_1, UTF8_2, UTF8_3, UTF8_4)


def pattern(rule: Rule) -> bytes:
    """The rule as a regular expression over bytes, without capturing groups."""
    alternatives = (b"".join(b"[\\x%02x-\\x%02x]" % octets for octets in sequence) for sequence in rule)
    return b"(?:%b)" % b"|".join(alternatives)


def prefixes(rule: Rule) -> Rule:
    """The beginnings of the rule's sequences, one byte at least and not the whole, the longest first."""
    return tuple(sequence[:length] for sequence in rule for length in range(len(sequence) - 1, 0, -1))


_BROKEN_OFF: Rule = prefixes(UTF8_3) + prefixes(UTF8_4) + prefixes(UTF8_2)

WELL_FORMED = re.compile(b"(?:%b)*+" % b"|".join(b"%b++" % pattern(rule) for rule in UTF8_CHAR))
"""UTF8-octets: matches the longest well-formed beginning. Possessive, as no two rules share a first octet."""

MAXIMAL_SUBPART = re.compile(b"%b|[\\x80-\\xff]" % pattern(_BROKEN_OFF))
"""The maximal subpart that one U+FFFD replaces if no UTF8-char matches (Unicode chapter 3): the longest beginning of a
well-formed sequence, otherwise a single byte."""

RUN = re.compile(b"|".join([*(b"(%b+)" % pattern(rule) for rule in UTF8_CHAR),
                            b"(%b)" % MAXIMAL_SUBPART.pattern]))
"""One step over any bytes: group n holds a run of well-formed n-byte sequences, group 5 a maximal subpart."""

BROKEN_OFF_AT_END = re.compile(b"%b\\Z" % pattern(_BROKEN_OFF))
"""Search it in the last three bytes: a sequence that more input could still make well-formed."""
