"""Generated texts for measurements: one per script, from a seed, at any size.

The texts are not quotations and have no meaning. They resemble real text in what a UTF-8 core or a SIMD routine
notices: the lengths of characters and their order, which follow from the word lengths, spaces, digits and punctuation
of the script.

Share of the characters that are one, two, three and four bytes long, in percent, to within a few percent:

| script     | 1   | 2  | 3  | 4  |
|------------|-----|----|----|----|
| ascii      | 100 |    |    |    |
| latin      | 94  | 5  | 1  |    |
| cyrillic   | 19  | 81 |    |    |
| arabic     | 20  | 80 |    |    |
| devanagari | 19  |    | 81 |    |
| chinese    | 5   |    | 95 |    |
| japanese   | 5   |    | 95 |    |
| korean     | 30  |    | 70 |    |
| emoji      | 12  |    | 18 | 70 |
| mixed      | 40  | 24 | 33 | 3  |
"""

import random
from collections.abc import Callable
from itertools import accumulate

from .errors import ParameterError

_LINES = 384  # distinct lines a script has; a longer text draws them again, in another order

_Line = Callable[[random.Random], str]


def _weights(count: int) -> list[float]:
    """Cumulative weights of `count` letters or words, commonest first, by Zipf's law."""
    return list(accumulate(1 / (rank + 10) for rank in range(count)))


def _words(rng: random.Random, letters: str, lengths: range, count: int = 300) -> list[str]:
    falling = _weights(len(letters))
    return ["".join(rng.choices(letters, cum_weights=falling, k=rng.choice(lengths))) for _ in range(count)]


def _prose(letters: str, lengths: range, stops: str, rare: str = "") -> Callable[[random.Random], _Line]:
    """Lines of words and spaces. Each line is a few clauses; `stops`: its full stops; `rare`: characters of asides."""

    def prepare(rng: random.Random) -> _Line:
        words = _words(rng, letters, lengths)
        falling = _weights(len(words))

        def line(rng: random.Random) -> str:
            clauses = []
            for _ in range(rng.randint(1, 4)):
                clause = rng.choices(words, cum_weights=falling, k=rng.randint(3, 9))
                if rng.random() < 0.15:
                    clause.append(str(rng.randint(2, 2050)))
                if rare and rng.random() < 0.3:
                    clause.append(rng.choice(rare))
                clauses.append(" ".join(clause) + rng.choice(stops))
            return " ".join(clauses) + "\n"

        return line

    return prepare


def _log(rng: random.Random) -> _Line:
    modules = _words(rng, "etaoinshrdlcumwfgypbvk", range(4, 10), 40)

    def line(rng: random.Random) -> str:
        date = f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        clock = f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.uniform(0, 59.999):06.3f}"
        level = rng.choice(("INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"))
        fields = " ".join(f"{rng.choice(modules)}={rng.randrange(1 << 20)}" for _ in range(rng.randint(1, 4)))
        source = f"{rng.choice(modules)}[{rng.randrange(32768)}]"
        return f"{date}T{clock}Z {level} {source}: {fields} id={rng.getrandbits(48):012x}\n"

    return line


def _chinese(rng: random.Random) -> _Line:
    ideographs = [chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(1500)]
    falling = _weights(len(ideographs))

    def line(rng: random.Random) -> str:
        clauses = []
        for _ in range(rng.randint(2, 7)):
            clause = "".join(rng.choices(ideographs, cum_weights=falling, k=rng.randint(4, 16)))
            if rng.random() < 0.1:
                clause += f"{rng.randint(1, 2026)}年"
            clauses.append(clause + rng.choice("\uff0c\uff0c\uff0c、。。\uff1b\uff01\uff1f"))
        return "".join(clauses) + "\n"

    return line


def _japanese(rng: random.Random) -> _Line:
    kanji = [chr(rng.randint(0x4E00, 0x9FA5)) for _ in range(800)]
    falling = _weights(len(kanji))
    hiragana = "いのしてたんにとかなうるをはがらりでまさもくれっきあすこそだえつよみちめわせどおばけ"
    katakana = "ーンスルトクイラリアドシッグレテムジタフプバコマロ"

    def line(rng: random.Random) -> str:
        phrases = []
        for _ in range(rng.randint(4, 14)):
            if rng.random() < 0.15:
                phrase = "".join(rng.choices(katakana, k=rng.randint(2, 6)))
            elif rng.random() < 0.06:
                phrase = str(rng.randint(1, 2026))
            else:
                phrase = "".join(rng.choices(kanji, cum_weights=falling, k=rng.randint(1, 3)))
            phrase += "".join(rng.choices(hiragana, k=rng.randint(1, 4)))
            phrases.append(phrase + rng.choice(("", "", "、")))
        return "".join(phrases) + "。\n"

    return line


def _korean(rng: random.Random) -> _Line:
    # A syllable is U+AC00 + (lead * 21 + vowel) * 28 + tail (Unicode 3.12); half have no tail.
    tails = (0, 0, 0, 0, 1, 4, 4, 8, 16, 17, 21)
    syllables = [
        0xAC00 + (rng.randrange(19) * 21 + rng.randrange(21)) * 28 + rng.choice(tails) for _ in range(400)
    ]
    return _prose("".join(map(chr, syllables)), range(2, 5), "...,?")(rng)


def _emoji(rng: random.Random) -> _Line:
    faces = [chr(point) for point in range(0x1F600, 0x1F650)]
    things = [chr(point) for start, end in ((0x1F300, 0x1F321), (0x1F400, 0x1F43F), (0x1F680, 0x1F6C6))
              for point in range(start, end)]
    hands = [chr(point) for point in (0x1F44B, 0x1F44D, 0x1F44F, 0x1F64C, 0x1F64F, 0x1F4AA)]
    tones = [chr(point) for point in range(0x1F3FB, 0x1F400)]
    people = [chr(point) for point in (0x1F468, 0x1F469, 0x1F9D1, 0x1F467, 0x1F466)]
    symbols = "\u2764\u2600\u2728\u26a1\u2705\u2b50\u2615"
    joiner, selector = "\u200d", "\ufe0f"

    def line(rng: random.Random) -> str:
        parts = []
        for _ in range(rng.randint(5, 25)):
            kind = rng.random()
            if kind < 0.45:
                parts.append(rng.choice(faces) * rng.choice((1, 1, 1, 2, 3)))
            elif kind < 0.65:
                parts.append(rng.choice(things))
            elif kind < 0.75:
                parts.append(rng.choice(hands) + rng.choice(tones))
            elif kind < 0.85:
                parts.append(rng.choice(symbols) + selector)
            elif kind < 0.92:
                parts.append(joiner.join(rng.choices(people, k=rng.randint(2, 4))))
            else:
                parts.append(rng.choice((" ", " ", " ok ", " !")))
        return "".join(parts) + "\n"

    return line


_PREPARE: dict[str, Callable[[random.Random], _Line]] = {
    "ascii": _log,
    "latin": _prose("esaintrulodmcpvgfhbqjxyzkw" * 4 + "éàçüäñößèęłčřšíóáê", range(1, 11), ".,,;?", "«»–“”’"),
    "cyrillic": _prose("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёії", range(1, 11), ".,,;?", "—«»№"),
    "arabic": _prose("اليمنوترعبدهسقفكةحجشصأخذطضىثغزؤئظء", range(2, 8), "..،،؟"),
    "devanagari": _prose("ारकेनीससिह्तमंपलियबोदुजवगथशचटखैूभधड़ञणईआछझफठघऔ", range(2, 9), "।।,,?"),
    "chinese": _chinese,
    "japanese": _japanese,
    "korean": _korean,
    "emoji": _emoji,
}

SCRIPTS: tuple[str, ...] = (*_PREPARE, "mixed")
"""Names of the texts: nine scripts, and `mixed`, whose lines alternate between all of them."""


def _lines(script: str, seed: int) -> list[bytes]:
    if script == "mixed":
        share = _LINES // len(_PREPARE)
        return [line for name in _PREPARE for line in _lines(name, seed)[:share]]
    rng = random.Random(f"{script}/{seed}")
    line = _PREPARE[script](rng)
    return [line(rng).encode() for _ in range(_LINES)]


def generate(script: str, size: int, seed: int = 0) -> bytes:
    """`size` bytes of well-formed UTF-8 in `script` (one of `SCRIPTS`), the same for the same seed.

    The text is cut before the first character that would exceed `size`. At most three spaces fill the rest. A hundred
    megabytes take about a second. Raises ParameterError for an unknown script or a negative size.
    """
    if script not in SCRIPTS:
        raise ParameterError(f"no built-in text {script!r}; there are {', '.join(SCRIPTS)}")
    if size < 0:
        raise ParameterError(f"a text cannot have {size} bytes")
    lines = _lines(script, seed)
    rng = random.Random(f"{script}/{seed}/order")
    chosen: list[bytes] = []
    length = 0
    while length < size:
        more = rng.choices(lines, k=len(lines))
        chosen += more
        length += sum(map(len, more))
    text = b"".join(chosen)
    end = min(size, length)
    while end < length and end > 0 and 0x80 <= text[end] < 0xC0:
        end -= 1
    return text[:end] + b" " * (size - end)


def damage(text: bytes, errors_per_byte: float, seed: int = 0) -> bytes:
    """`text` with round(len(text) * errors_per_byte) bytes overwritten, evenly spread. Its length does not change.

    Each damaged byte makes the text ill-formed there. It is a byte that UTF-8 never has (C0, C1, F5 to FF).
    Or a continuation byte replaces an ASCII character, or a `?` replaces one byte of a longer character.

    The input should be well-formed. Raises ParameterError unless the rate is from 0 to 1.
    """
    if not 0 <= errors_per_byte <= 1:
        raise ParameterError(f"errors per byte must be from 0 to 1, not {errors_per_byte}")
    count = round(len(text) * errors_per_byte)
    rng = random.Random(f"damage/{seed}")
    never = (0xC0, 0xC1, *range(0xF5, 0x100))
    result = bytearray(text)
    last = -4
    for index in range(count):
        low, high = index * len(text) // count, (index + 1) * len(text) // count
        site = low + int(rng.random() * (high - low))
        how = rng.random()
        # Within a character's length of the previous damage, only a byte that UTF-8 never has is sure to be an error.
        if how < 0.4 or site - last < 4:
            result[site] = never[int(rng.random() * len(never))]
        elif text[site] >= 0x80:
            result[site] = 0x3F
        else:
            result[site] = 0x80 | int(rng.random() * 64)
        last = site
    return bytes(result)


_LENGTH = bytes(1 if byte < 0x80 else 0 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
                for byte in range(256))


def length_shares(text: bytes) -> tuple[float, float, float, float]:
    """Shares (0 to 1) of one-, two-, three- and four-byte characters in well-formed UTF-8."""
    lengths = text.translate(_LENGTH)
    counts = [lengths.count(length) for length in (1, 2, 3, 4)]
    total = sum(counts) or 1
    return counts[0] / total, counts[1] / total, counts[2] / total, counts[3] / total
