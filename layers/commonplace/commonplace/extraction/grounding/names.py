"""The names in a text: by capitals, and in unspaced scripts by the words beside them."""

import re
import unicodedata
from collections.abc import Iterator
from unicodedata import normalize

from commonplace.extraction.grounding.polarity import no_names
from commonplace.extraction.patterns import compiled
from commonplace.text.foundation.characters import HAN, has_kana_or_han
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.numbers import numbers_of

LANGUAGES_WITHOUT_CAPITALS = ("ja", "zh", "ko")
"""In which a name is told by the words that it stands beside."""
_SCRIPT = re.compile(rf"[{HAN}々ぁ-ゖ가-힣]")
_OF_A_PLACE = re.compile(r"^.*[都道府県](?=.{2})|(?<=..)[都道府県市区町村]$")

_WORD = re.compile(r"[^\W_]+(?:[.'’+#&-][^\W_]+)*[+#]*")
_ENDS = re.compile(r"[.!?:…。！？\n]\s*$|^\W*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_RUN = re.compile(r"[^\W\d_][\w'’]*+(?:\s[^\W\d_][\w'’]*+)*+")  # words behind one another; a single one too, for speed
_KATAKANA = re.compile(r"(?<![ァ-ヺー])(?!ユーザー?(?![ァ-ヺー]))[ァ-ヺー]{2,}")
_LEAST_STEM, _MOST_ENDING = 4, 3


def unsupported_unspaced(content: str, pool: str, code: str) -> str | None:
    """The first name in unspaced script that the pool lacks; None if it has all."""
    normalized_pool = normalize("NFKC", pool)
    if code not in LANGUAGES_WITHOUT_CAPITALS or not _SCRIPT.search(normalized_pool):
        return None
    named = _named(compiled(f"names.{code}"), normalize("NFKC", content))
    return next((name for name in named if name not in normalized_pool), None)


def _named(names: re.Pattern[str], content: str) -> Iterator[str]:
    """The names without the larger place and the kind of place: 「大阪府豊中市」 is 豊中."""
    for match in names.finditer(content):
        name = next(filter(None, match.groups()))
        if not compiled("names.common").search(name):
            yield _OF_A_PLACE.sub("", name)


def unsupported_name(content: str, pool: str, code: str) -> str | None:
    """The first name of the content that the pool lacks in any form; None if it has all."""
    known = {_plain(word) for word in _WORD.findall(pool)}
    stems: dict[str, list[str]] = {}
    for word in known:
        stems.setdefault(word[:_LEAST_STEM], []).append(word)
    together = _multi_word_names(content)
    for name in _names(content, code):
        plain = _plain(name)
        parts = re.split(r"[.'’&-]", plain)
        if not (
            plain in known
            or any(_are_forms_of_one(plain, other) for other in stems.get(plain[:_LEAST_STEM], ()))
            or any(plain in words and told in known for told, words in together)
            or all(part in known for part in parts)
        ):
            return name
    folded = unicodedata.normalize("NFKC", pool)
    return next((run for run in _KATAKANA.findall(unicodedata.normalize("NFKC", content)) if run not in folded), None)


def _names(content: str, code: str) -> Iterator[str]:
    for match in _WORD.finditer(content):
        word = match[0]
        named = any(map(str.isupper, word)) or any(map(str.isdigit, word))
        if not named or word[0].isdigit() or has_kana_or_han(word) or _plain(word) in no_names(code):
            continue
        before = content[max(0, match.start() - 60) : match.start()]
        if _ENDS.search(before[-3:] if before else "") and not _is_name_at_start(word, code):
            continue
        if code == "de" and (
            compiled("names.before_noun").search(before) or compiled("names.noun").fullmatch(word) or _counted(before)
        ):
            continue
        yield word


def _counted(before: str) -> bool:
    return before.casefold().rpartition(" ")[0].rpartition(" ")[2] in numbers_of("de")


def _is_name_at_start(word: str, code: str) -> bool:
    """Whether the first word of a sentence, always capitalized, is a name: English has no such word."""
    return code == "en" and word.isascii() and not is_english(_plain(word))


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word).casefold())


def _are_forms_of_one(one: str, other: str) -> bool:
    """Whether two words are forms of one name: "Italian" and "Italians", "Germany" and "German"."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter[: max(_LEAST_STEM, len(shorter) - 1)]) and len(longer) - len(shorter) <= _MOST_ENDING


def _multi_word_names(content: str) -> list[tuple[str, list[str]]]:
    """Names of several words as initials and as one word: "New York City" is "nyc", "VS Code" is "vscode"."""
    found = []
    for run in _RUN.findall(content):
        words = [word for word in run.split() if word[0].isupper()]
        for size in range(2, min(5, len(words)) + 1):
            for at in range(len(words) - size + 1):
                part = [_plain(word) for word in words[at : at + size]]
                found += [("".join(word[0] for word in part), part), ("".join(part), part)]
    return found
