"""The language of a short text, and the frame that holds a text which is not English, or only partly."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonplace.text.third_person.tokens import Token

ENGLISH = "en"
_LETTER_WEIGHT = 0.3
# For a word that English shares, or that only the dictionary knows
_HALF = 0.5
_SCRIPTS = (
    ("ja", r"[぀-ヿ]"),
    ("ko", r"[가-힣]"),
    ("zh", r"[一-鿿]"),
    ("el", r"[Ͱ-Ͽ]"),
    ("uk", r"[іїєґІЇЄҐ]"),
    ("ru", r"[А-яЁё]"),
    ("he", r"[א-ת]"),
    ("fa", r"[پچژگ]"),
    ("ar", r"[ء-ي]"),
    ("hi", r"[अ-ह]"),
    ("th", r"[ก-ฮ]"),
)
_UNKNOWN = "other"
# Names with small words in them ("Rio de la Plata"), behind another word
_PARTICLES = "de|del|la|las|los|el|da|do|dos|das|di|della|du|des|le|les|van|von|der|den"
_NAMES = rf"(?<=\w )[A-ZÀ-Þ]\w{{0,40}}(?: (?:{_PARTICLES})){{1,3}} [A-ZÀ-Þ]\w{{0,40}}"


@dataclass(frozen=True, slots=True)
class Language:
    """`words`: those that show it; `telling`: those of them that are what a statement is about."""

    code: str
    frame: tuple[str, str]
    words: frozenset[str]
    telling: frozenset[str]
    letters: frozenset[str]
    speaker: frozenset[str]


@cache
def languages() -> dict[str, Language]:
    rows = tomllib.loads(files(__package__).joinpath("languages.toml").read_text(encoding="utf-8"))
    return {
        code: Language(
            code,
            (row.get("frame", "").partition("…")[0], row.get("frame", "").partition("…")[2]),
            frozenset(f"{row.get('words', '')} {row.get('telling', '')}".split()),
            frozenset(row.get("telling", "").split()),
            frozenset(row.get("letters", "")),
            frozenset(row.get("speaker", "").split()),
        )
        for code, row in rows.items()
    }


@cache
def owners() -> dict[str, tuple[str, ...]]:
    """word -> the languages that have it in their list."""
    found: dict[str, tuple[str, ...]] = {}
    for language in languages().values():
        for word in language.words:
            found[word] = (*found.get(word, ()), language.code)
    return found


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def language_of(text: str) -> str:
    """Code of the language, `en` where nothing speaks against it, `other` for a foreign script without a frame."""
    if text.isascii():
        return _latin_language(text)
    latin = len(_pattern(r"[A-Za-zÀ-ɏ]").findall(text))
    foreign = sum(1 for char in text if char.isalpha() and ord(char) > 0x24F and not "Ḁ" <= char <= "ỿ")
    # A character of these scripts carries more than a Latin letter
    if foreign * 3 > latin:
        return next((code for code, script in _SCRIPTS if _pattern(script).search(text)), _UNKNOWN)
    return _latin_language(text)


def _latin_language(text: str) -> str:
    """First English or not, by every word; then which, by the words that few languages share."""
    english, foreign = 0.0, 0.0
    scores: Counter[str] = Counter()
    words = list(_words(text))
    if all(word.isascii() and (word not in owners() or ENGLISH in owners()[word]) for word in words):
        return ENGLISH
    for word in words:
        owning = owners().get(word, ())
        others = [code for code in owning if code != ENGLISH]
        scores.update({code: 1 / len(others) ** 2 for code in others})
        if len(word) == 1 and word.isascii() and word != "i":
            # It may be a variable or a list mark
            continue
        spoken = ENGLISH in owning or (len(word) > 2 and is_english(word))
        english += 0 if not spoken else 1.0 if owning == (ENGLISH,) else _HALF
        foreign += 0 if not others else _HALF if spoken else 1.0
        if not word.isascii() and not owning:
            by_letters = _by_letters(word)
            foreign += _HALF if by_letters else 0
            scores.update(dict.fromkeys(by_letters, _LETTER_WEIGHT))
    return ENGLISH if english >= foreign else max(scores, key=lambda code: scores[code])


def _words(text: str) -> Iterator[str]:
    """Lower-case words; "j'ai" counts as "j'" and "ai", and a capital inside the text is a name."""
    shouted = text.isupper()
    text = _pattern(_NAMES).sub(" ", text)
    for match in _pattern(r"(?<![\w'’])[^\W\d_]+(?:['’][^\W\d_]+)?(?!\w)").finditer(text):
        word = match.group().replace("’", "'")
        if match.start() and word[0].isupper() and not shouted:
            continue
        head, apostrophe, tail = word.lower().partition("'")
        if not apostrophe or word.lower() in owners():
            yield word.lower()
        elif len(tail) > 1:
            yield from (head + apostrophe, tail)


def is_english(word: str) -> bool:
    from commonplace.text.third_person.verbs import is_ing_form, is_known, is_past, is_plural, is_s_form  # its room needs us

    return is_known(word) or is_past(word) or is_plural(word) or is_s_form(word) or is_ing_form(word)


def _by_letters(word: str) -> list[str]:
    letters = {char for char in word if not char.isascii()}
    return [language.code for language in languages().values() if letters <= language.letters and letters]


def framed(text: str, code: str) -> str:
    """The text, word for word, as what the user says, in the language of that code."""
    known = languages()
    before, after = (known[code] if code in known else known[_UNKNOWN]).frame
    return f"{before}{text}{after}"


def is_framed(text: str) -> bool:
    """True for a text that `framed` has made."""
    frames = (language.frame for language in languages().values() if language.frame[0])
    return any(text.startswith(before) and text.endswith(after) for before, after in frames)


_CLEAR_LENGTH = 3


def foreign_part(tokens: "Sequence[Token]") -> str | None:
    """Code of a language other than English in which the text says "I" outside its quotations, or None."""
    for at, token in enumerate(tokens):
        if not token.is_word or (token.capital and at and tokens[at - 1].is_word):
            # A capital inside a sentence begins a name or a title
            continue
        head, apostrophe, tail = token.low.partition("'")
        around = [tail] if apostrophe else [tokens[near].low for near in (at - 1, at + 1) if 0 <= near < len(tokens)]
        for language in languages().values():
            if head + apostrophe in language.speaker and _speaks_too(head + apostrophe, around, language.code):
                return language.code
    return None


def _speaks_too(speaker: str, around: Sequence[str], code: str) -> bool:
    """True if a word beside the pronoun is of that language too; 'soy' and 'yo' need one that English lacks."""
    ambiguous = is_english(speaker) or len(speaker) < _CLEAR_LENGTH
    owning = [owners().get(word, ()) for word in around if word != speaker]
    return any(code in codes and not (ambiguous and ENGLISH in codes) for codes in owning)
