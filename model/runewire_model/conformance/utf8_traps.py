"""The traps of UTF-8."""

from collections.abc import Iterator
from random import Random

from ..byte_order_mark import UTF8_MARK
from ..encodings.utf8 import Utf8
from ..encodings.utf8.encoder import encode
from .trap import PACKET_BORDER, Trap, by_bytes, offsets

RFC = "RFC 3629, section "
TABLE_37 = "Unicode, Table 3-7"
SUBPARTS = "Unicode, chapter 3, U+FFFD Substitution of Maximal Subparts; WHATWG Encoding, UTF-8 decoder"
KUHN = "Kuhn's decoder stress test, section "

ENDS_OF_ROWS = (0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF,
                0x40000, 0xFFFFF, 0x100000, 0x10FFFF)
"""The first and the last code point of each row of Table 3-7."""
NONCHARACTERS = (*range(0xFDD0, 0xFDF0), *(plane << 16 | low for plane in range(17) for low in (0xFFFE, 0xFFFF)))
PREFIXES = ("C2", "DF", "E0", "E0 A0", "E1", "E1 80", "E2 82", "EC BF", "ED", "ED 9F", "EE 80", "EF", "EF BF", "F0",
            "F0 90", "F0 90 80", "F1", "F1 80", "F1 80 80", "F3 BF BF", "F4", "F4 8F", "F4 8F BF")
"""Beginnings of characters, of every row of Table 3-7."""
NARROW = ("E0 80", "E0 9F", "ED A0", "ED BF", "F0 80", "F0 8F", "F4 90", "F4 BF")
"""Two bytes of which the second is a continuation byte, but not after this lead."""
AT_EACH_LANE = {
    "overlong": "C0 80", "lone": "80", "surrogate": "ED A0 80", "truncated": "E2 82 41", "large": "F4 90 80 80",
    "cut": "F0 9F 98"}
"""Errors that are tried in each lane, by their names."""


def utf8_traps() -> Iterator[Trap]:
    """All traps of UTF-8, the simple ones first."""
    yield from _well_formed()
    yield from _wrong_values()
    yield from _wrong_structure()
    yield from _packets()


def _well_formed() -> Iterator[Trap]:
    yield Trap(
        "row-ends", "first and last code point of each row of the grammar",
        "A range in the decoder is one too small.", f"{TABLE_37}; {KUHN}2.1 to 2.3",
        by_bytes(*(encode([scalar]) for scalar in ENDS_OF_ROWS), encode(ENDS_OF_ROWS)))
    yield Trap(
        "ascii", "each ASCII byte", "Control characters are refused or removed.", f"{RFC}3",
        by_bytes(*(bytes(range(start, start + 16)) for start in range(0, 128, 16))))
    yield Trap(
        "null", "U+0000 in the text", "U+0000 ends the text, as in C, or is refused.", f"{RFC}3",
        by_bytes("00", "41 00 42", "00 00 00", "C3 A9 00 E2 82 AC"))
    yield Trap(
        "noncharacters", "noncharacters, which are well-formed",
        "U+FFFE, U+FFFF and the like are refused.", f"Unicode Corrigendum 9; {KUHN}5.3",
        by_bytes(*(encode([scalar]) for scalar in NONCHARACTERS)))
    yield Trap(
        "replacement-character", "U+FFFD in the text", "U+FFFD of the input is taken for an error.", TABLE_37,
        by_bytes("EF BF BD", "41 EF BF BD 42", "EF BF BD EF BF BD"))
    yield Trap(
        "byte-order-mark", "U+FEFF at the start, in the middle, twice",
        "The mark disappears where it is text, or is refused.", f"{RFC}6",
        by_bytes(UTF8_MARK, UTF8_MARK + b"A", b"A" + UTF8_MARK + b"B", 2 * UTF8_MARK, UTF8_MARK + b"\xC3\xA9"))
    runs = {f"{name}-after-{before}": b"a" * before + 70 * encode([scalar])
            for name, scalar in (("two-bytes", 0xE9), ("three-bytes", 0x20AC), ("four-bytes", 0x1F600))
            for before in range(4)}
    yield Trap(
        "character-borders", "characters that begin in each lane and cross each border of beats",
        "A character that two beats share is torn.", TABLE_37, runs)


def _wrong_values() -> Iterator[Trap]:
    yield Trap(
        "overlong-2", "overlong forms of two bytes",
        "C0 80 passes as U+0000, C0 AF as a slash: filters before the decoder are avoided.",
        f"{RFC}10; {KUHN}4.1 to 4.3; CVE-2000-0884",
        by_bytes("C0 80", "C0 AF", "C0 BF", "C0", "C1 80", "C1 BF", "41 C0 80 42"))
    yield Trap(
        "overlong-3", "overlong forms of three bytes",
        "The second byte after E0 is not checked against A0.", f"{RFC}3; {TABLE_37}; {KUHN}4.1 to 4.3",
        by_bytes("E0 80 80", "E0 80 AF", "E0 81 BF", "E0 9F BF", "41 E0 82 80 42"))
    yield Trap(
        "overlong-4", "overlong forms of four bytes",
        "The second byte after F0 is not checked against 90.", f"{RFC}3; {TABLE_37}; {KUHN}4.1 to 4.3",
        by_bytes("F0 80 80 80", "F0 80 80 AF", "F0 80 81 BF", "F0 8F BF BF", "41 F0 82 82 AC 42"))
    yield Trap(
        "surrogates", "surrogates, alone and in pairs",
        "UTF-16 that was coded unit by unit (CESU-8) passes.", f"{RFC}3; Unicode D92; {KUHN}5.1, 5.2",
        by_bytes("ED A0 80", "ED AD BF", "ED AE 80", "ED AF BF", "ED B0 80", "ED BE 80", "ED BF BF",
                 *(f"{high} {low}" for high in ("ED A0 80", "ED AD BF", "ED AE 80", "ED AF BF")
                   for low in ("ED B0 80", "ED BF BF")), "ED A0 BD ED B8 80", "41 ED A0 80 42"))
    yield Trap(
        "above-10FFFF", "code points above U+10FFFF after F4",
        "The second byte after F4 is not checked against 8F.", f"{RFC}3; {TABLE_37}",
        by_bytes("F4 90 80 80", "F4 90 80 BF", "F4 A0 80 80", "F4 BF BF BF", "41 F4 90 80 80 42"))
    yield Trap(
        "F5-to-F7", "lead bytes F5 to F7",
        "Header bits 11110 are enough for a lead byte.", f"{RFC}1; {TABLE_37}",
        by_bytes("F5 80 80 80", "F5", "F6 80 80 80", "F7 BF BF BF", "F7 BF BF", "F5 80", "41 F5 8F BF BF 42"))
    yield Trap(
        "F8-to-FF", "bytes F8 to FF, and the forms of five and six bytes that UTF-8 had until 2003",
        "The old definition of UTF-8 is built in.", f"{RFC}1; {KUHN}2.1 to 2.2, 3.5",
        by_bytes("F8", "FB", "FC", "FD", "FE", "FF", "FE FE FF FF", "F8 88 80 80 80", "FB BF BF BF BF",
                 "FC 84 80 80 80 80", "FD BF BF BF BF BF", "F8 80 80 80 AF", "FC 80 80 80 80 AF", "F8 80 80 80",
                 "FB BF BF BF", "FC 80 80 80 80", "FD BF BF BF BF", "F8 87 BF BF BF", "FC 83 BF BF BF BF",
                 "F8 80 80 80 80", "FC 80 80 80 80 80", "41 FF 42"))


def _wrong_structure() -> Iterator[Trap]:
    every = bytes(range(0x80, 0xC0))
    yield Trap(
        "lone-continuation", "continuation bytes without a lead byte",
        "They are skipped without a word, or each run counts once.", f"{SUBPARTS}; {KUHN}3.1",
        {**by_bytes("80", "BF", "80 BF", "80 BF 80", "80 BF 80 BF", "80 BF 80 BF 80", "80 BF 80 BF 80 BF",
                    "80 BF 80 BF 80 BF 80", "41 80 42", "80 41"),
         "each": every})
    yield Trap(
        "extra-continuation", "one continuation byte too many",
        "After a character the decoder accepts more continuation bytes.", f"{RFC}4",
        by_bytes("C3 A9 A9", "E2 82 AC AC", "F0 9F 98 80 80", "41 80", "E2 82 AC 80 41", "F4 8F BF BF BF"))
    alone = {f"{prefix.replace(' ', '-')}": bytes.fromhex(prefix) for prefix in PREFIXES}
    later = {f"after-text-{name}": b"ab\xC3\xA9" + packet for name, packet in alone.items()}
    yield Trap(
        "truncated-at-end", "a character that the end of the text cuts short",
        "The rest is forgotten, and the text passes.", f"{RFC}4; {SUBPARTS}", {**alone, **later})
    for name, title, after, mistake in (
            ("truncated-by-ascii", "a character that an ASCII byte cuts short", "41 42",
             "The ASCII byte is swallowed: a quote or an angle bracket disappears (CVE-2009-4142)."),
            ("truncated-by-lead", "a character that the lead byte of the next one cuts short", "C3 A9",
             "The next character is swallowed or torn."),
            ("truncated-by-invalid", "a character that a byte cuts short which is never in UTF-8", "FF 41",
             "The byte and the character before it count as one error.")):
        yield Trap(name, title, mistake, f"{SUBPARTS}; {KUHN}3.3",
                   by_bytes(*(f"{prefix} {after}" for prefix in PREFIXES)))
    yield Trap(
        "maximal-subpart", "the number of U+FFFD for one ill-formed sequence",
        "One for each byte, or one for the sequence: the standards have one for each maximal subpart.", SUBPARTS,
        by_bytes(*(f"{narrow} {rest}".strip() for narrow in NARROW for rest in ("", "80", "80 80", "41")),
                 "C0 AF E0 80 BF F0 81 82 41", "ED A0 80 ED BF BF ED AF 41", "F4 91 92 93 FF 41 80 BF 42",
                 "E1 80 E2 F0 91 92 F1 BF 41", "61 F1 80 80 E1 80 C2 62 80 63 80 BF 64",
                 "C0 E0 80 F0 80 80 F8 80 80 80 FC 80 80 80 80 DF EF BF F7 BF BF FB BF BF BF FD BF BF BF BF"))
    leads = {f"leads-{start:02X}": b"".join(bytes((lead, 0x20)) for lead in range(start, end + 1))
             for start, end in ((0xC0, 0xDF), (0xE0, 0xEF), (0xF0, 0xF7), (0xF8, 0xFB), (0xFC, 0xFD), (0xFE, 0xFF))}
    yield Trap("lone-lead", "each lead byte, followed by a space",
               "A space disappears, or a lead byte is missing in a table.", f"{KUHN}3.2", leads)
    yield Trap(
        "first-error", "several errors in one text",
        "The last one is reported, or kind and offset are of different errors.",
        "simdutf, validate_utf8_with_errors",
        by_bytes("41 FF 80", "80 FF C0 80", "C0 80 ED A0 80", "41 42 ED A0 80 F8 C0 80", "F4 90 80 80 80 FF",
                 "E2 82 C0 80", "C3 A9 E2 82 ED A0 80 41 FF", b"a" * 9 + b"\xE2\x82" + b"b" * 80 + b"\xFF",
                 b"a" * 70 + b"\xF8" + b"b" * 70 + b"\xC0\x80"))


def _packets() -> Iterator[Trap]:
    yield Trap("empty", "a packet without bytes", "It hangs, or merges with its neighbour.", "AXI4-Stream, null bytes",
               {"empty": b""})
    lengths = [*range(1, 67), 127, 128, 129, 255, 256, 257]
    yield Trap(
        "packet-lengths", "texts of each length, well-formed",
        "Bytes of the last beat that are not kept are decoded too.", "AXI4-Stream, TKEEP",
        {**{f"ascii-{size}": b"x" * size for size in lengths},
         **{f"ends-in-a-character-{size}": b"x" * (size - 1) + b"\xC3\xA9" for size in lengths}})
    yield Trap(
        PACKET_BORDER, "a text after one that was cut short or ill-formed",
        "State outlives its packet: a cut character is completed by the next packet, or its error is reported there.",
        "WHATWG Encoding, end of queue",
        {"bad-FF": b"\xFF", "good-after-FF": b"A", "bad-80": b"\x80", "good-after-80": b"\xC3\xA9",
         "bad-overlong": b"ab\xC0\x80", "bad-after-overlong": b"abcd\xFF", "good": b"\xE2\x82\xAC"})
    yield Trap(
        "lane-borders", "errors in each lane, and across each border of beats",
        "A lane, mostly the first or the last, lacks a check, or the offset is wrong there.", RFC + "4",
        {f"{name}-at-{offset}": b"a" * offset + bytes.fromhex(error)
         for name, error in AT_EACH_LANE.items() for offset in offsets()})
    yield Trap("mixed", "random bytes from the edges of all classes", "A combination that no other trap has.",
               f"{TABLE_37}; {SUBPARTS}", {f"{number}": packet for number, packet in enumerate(_mixed())})


def _mixed() -> Iterator[bytes]:
    """Packets of up to 40 edge bytes, and of characters among them; the same in every release of Python."""
    random = Random("runewire conformance")
    pieces = [bytes((edge,)) for edge in Utf8.edges] + [encode([scalar]) for scalar in ENDS_OF_ROWS]
    for size in range(1, 41):
        for _ in range(2):
            yield b"".join(pieces[int(random.random() * len(pieces))] for _ in range(size))
