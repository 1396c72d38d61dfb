"""List the known languages, and detect the language of a short text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.expressions import read_table

ENGLISH = "en"
_LETTER_WEIGHT = 0.3
# The weight of a word that English shares with another language, or that only the English dictionary contains.
_HALF = 0.5
UNKNOWN = "other"
# Names that contain these function words ("Rio de la Plata") are skipped.
_PARTICLES = "de|del|la|las|los|el|da|do|dos|das|di|della|du|des|le|les|van|von|der|den"
_NAMES = rf"(?<=\w )[A-ZÀ-Þ]\w{{0,40}}(?: (?:{_PARTICLES})){{1,3}} [A-ZÀ-Þ]\w{{0,40}}"


@dataclass(frozen=True, slots=True)
class Language:
    """A known language. `name` is in English. `script` matches its characters, and `letters` are its letters beyond a to z.

    `words` identify the language. `telling` contains words that can be the subject of a statement. `speaker` contains
    first-person words that reveal the language inside an English text.
    """

    code: str
    name: str
    script: str
    words: frozenset[str]
    telling: frozenset[str]
    letters: frozenset[str]
    speaker: frozenset[str]


@cache
def languages() -> Mapping[str, Language]:
    """Return every known language, by its code (ISO 639-1)."""
    rows = read_table(__package__, "languages.toml")
    return {
        code: Language(
            code,
            row["name"],
            row.get("script", ""),
            frozenset(f"{row.get('words', '')} {row.get('telling', '')}".split()),
            frozenset(row.get("telling", "").split()),
            frozenset(row.get("letters", "")),
            frozenset(row.get("speaker", "").split()),
        )
        for code, row in rows.items()
    }


@cache
def owners() -> Mapping[str, tuple[str, ...]]:
    """Map each listed word to the codes of the languages whose lists contain it."""
    codes: dict[str, tuple[str, ...]] = {}
    for language in languages().values():
        for word in language.words:
            codes[word] = (*codes.get(word, ()), language.code)
    return codes


@cache
def _compile_cached(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@lru_cache(maxsize=512)  # because a request often looks up the same text several times
def language_of(text: str) -> str:
    """Return the language code of a text. The default is `en`, and the code for unknown scripts is `other`."""
    if text.isascii():
        return _detect_latin_language(text)
    latin = len(_compile_cached(r"[A-Za-zÀ-ɏ]").findall(text))
    foreign = sum(1 for char in text if char.isalpha() and ord(char) > 0x24F and not "Ḁ" <= char <= "ỿ")
    # A non-Latin character counts as much as three Latin letters
    if foreign * 3 > latin:
        written = (language for language in languages().values() if language.script)
        return next((language.code for language in written if _compile_cached(language.script).search(text)), UNKNOWN)
    return _detect_latin_language(text)


def _detect_latin_language(text: str) -> str:
    """Return `en` if English words prevail. Otherwise, return the language that most words indicate."""
    english, foreign = 0.0, 0.0
    scores: Counter[str] = Counter()
    words = list(_find_words(text))
    if all(word.isascii() and (word not in owners() or ENGLISH in owners()[word]) for word in words):
        return ENGLISH
    if len(words) > 1 and text[:1].isupper() and not text.isupper() and ENGLISH in owners().get(words[1], ()):
        words = words[1:]  # the first word may be a name, as in "Dan is away", which is not Dutch
    for word in words:
        owning = owners().get(word, ())
        foreign_codes = [code for code in owning if code != ENGLISH]
        scores.update({code: 1 / len(foreign_codes) ** 2 for code in foreign_codes})
        if len(word) == 1 and word.isascii() and word != "i":
            # A single letter may be a variable or a list marker.
            continue
        spoken = ENGLISH in owning or (len(word) > 2 and is_english(word))
        english += 0 if not spoken else 1.0 if owning == (ENGLISH,) else _HALF
        foreign += 0 if not foreign_codes else _HALF if spoken else 1.0
        if not word.isascii() and not owning:
            letters = {char for char in word if not char.isascii()}
            by_letters = [language.code for language in languages().values() if letters <= language.letters]
            foreign += _HALF if by_letters else 0
            scores.update(dict.fromkeys(by_letters, _LETTER_WEIGHT))
    return ENGLISH if english >= foreign else max(scores, key=lambda code: scores[code])


def _find_words(text: str) -> Iterator[str]:
    """Yield the words in lower case. "j'ai" becomes "j'" and "ai". Capitalized words inside the text are skipped as names."""
    shouted = text.isupper()
    text = _compile_cached(_NAMES).sub(" ", text)
    for match in _compile_cached(r"(?<![\w'’])[^\W\d_]+(?:['’][^\W\d_]+)?(?!\w)").finditer(text):
        word = straight(match.group())
        if match.start() and word[0].isupper() and not shouted:
            continue
        head, apostrophe, tail = word.lower().partition("'")
        if not apostrophe or word.lower() in owners():
            yield word.lower()
        elif len(tail) > 1:
            yield from (head + apostrophe, tail)
