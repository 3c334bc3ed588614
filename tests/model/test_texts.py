import hashlib
import itertools
import re

import pytest
from runewire_model import texts
from runewire_model.errors import ParameterError

# Least and most, in percent of the characters, of one, two, three and four bytes.
SHARES = {
    "ascii":      ((100, 100), (0, 0), (0, 0), (0, 0)),
    "latin":      ((90, 97), (3, 9), (0.2, 1), (0, 0)),
    "cyrillic":   ((16, 23), (76, 83), (0.2, 1), (0, 0)),
    "arabic":     ((17, 24), (76, 83), (0, 0), (0, 0)),
    "devanagari": ((16, 23), (0, 0), (77, 84), (0, 0)),
    "chinese":    ((3, 7), (0, 0), (93, 97), (0, 0)),
    "japanese":   ((3, 8), (0, 0), (92, 97), (0, 0)),
    "korean":     ((26, 33), (0, 0), (67, 74), (0, 0)),
    "emoji":      ((9, 15), (0, 0), (15, 21), (66, 74)),
    "mixed":      ((33, 46), (18, 31), (26, 38), (1, 5)),
}


def shares_by_character(text: str) -> list[float]:
    lengths = [len(character.encode()) for character in text]
    return [100 * lengths.count(length) / len(lengths) for length in (1, 2, 3, 4)]


def test_every_script_has_its_bounds() -> None:
    assert tuple(SHARES) == texts.SCRIPTS


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("script", SHARES)
def test_characters_have_the_lengths_of_their_script(script: str, seed: int) -> None:
    text = texts.generate(script, 100_000, seed)
    shares = shares_by_character(text.decode())
    for share, (least, most) in zip(shares, SHARES[script], strict=True):
        assert least <= share <= most
    assert [100 * share for share in texts.length_shares(text)] == pytest.approx(shares)


@pytest.mark.parametrize("script", texts.SCRIPTS)
@pytest.mark.parametrize("size", [*range(9), 63, 1500, 70_001])
def test_any_size_is_exact_and_well_formed(script: str, size: int) -> None:
    text = texts.generate(script, size)
    assert len(text) == size
    decoded = text.decode()
    assert len(decoded) - len(decoded.rstrip(" ")) <= 4  # three of padding, one of its own


@pytest.mark.parametrize("script", texts.SCRIPTS)
def test_seed_decides_the_text(script: str) -> None:
    text = texts.generate(script, 5000, seed=7)
    assert texts.generate(script, 5000, seed=7) == text
    assert texts.generate(script, 5000, seed=8) != text


def test_texts_are_the_same_on_every_machine() -> None:
    everything = b"".join(texts.generate(script, 20_000, seed=3) for script in texts.SCRIPTS)
    damaged = texts.damage(everything, 1 / 64, seed=3)
    assert hashlib.sha256(everything).hexdigest()[:16] == "21fc1b9df9f352f7"
    assert hashlib.sha256(damaged).hexdigest()[:16] == "c6af3dda567cf2df"


def test_long_text_does_not_repeat_itself_in_step() -> None:
    text = texts.generate("ascii", 400_000)
    assert text[:2000] not in text[1:]


def test_mixed_text_has_every_script_of_it() -> None:
    text = texts.generate("mixed", 100_000).decode()
    for letter in "aéд\u0627क中の한😀":
        kind = {"中": r"[\u4e00-\u9fa5]", "한": r"[\uac00-\ud7a3]", "😀": r"[\U0001f300-\U0001faff]"}
        assert re.search(kind.get(letter, letter), text), letter


@pytest.mark.parametrize("script", texts.SCRIPTS)
@pytest.mark.parametrize("spacing", [64, 1024])
def test_damage_makes_as_many_errors_as_asked(script: str, spacing: int) -> None:
    text = texts.generate(script, 65_536)
    damaged = texts.damage(text, 1 / spacing)
    assert len(damaged) == len(text)
    changed = [site for site, (old, new) in enumerate(zip(text, damaged, strict=True)) if old != new]
    assert len(changed) == len(text) // spacing
    assert max(b - a for a, b in itertools.pairwise(changed)) < 2 * spacing
    replaced = damaged.decode(errors="replace").count("\ufffd")
    assert len(changed) <= replaced <= 3 * len(changed)


@pytest.mark.parametrize("script", ["ascii", "chinese", "emoji"])
@pytest.mark.parametrize("seed", range(40))
def test_one_damaged_byte_is_always_an_error(script: str, seed: int) -> None:
    text = texts.generate(script, 100, seed)
    with pytest.raises(UnicodeDecodeError):
        texts.damage(text, 1 / 100, seed).decode()


@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_dense_damage_never_mends_itself(rate: float) -> None:
    text = texts.generate("cyrillic", 3000)
    damaged = texts.damage(text, rate)
    for site in range(0, 3000, 12):
        assert "\ufffd" in damaged[site : site + 12].decode(errors="replace")


def test_damage_depends_on_its_seed_alone() -> None:
    text = texts.generate("japanese", 10_000)
    assert texts.damage(text, 0.01, 1) == texts.damage(text, 0.01, 1) != texts.damage(text, 0.01, 2)
    assert texts.damage(text, 0) == text
    assert texts.damage(b"", 0.5) == b""


def test_length_shares_of_nothing_are_zero() -> None:
    assert texts.length_shares(b"") == (0, 0, 0, 0)


@pytest.mark.parametrize("call", [
    lambda: texts.generate("klingon", 10),
    lambda: texts.generate("ascii", -1),
    lambda: texts.damage(b"abc", 1.5),
    lambda: texts.damage(b"abc", -0.1),
])
def test_wrong_arguments_are_named(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ParameterError, match=r"klingon.*ascii, latin|-1 bytes|not 1\.5|not -0\.1"):
        call()
