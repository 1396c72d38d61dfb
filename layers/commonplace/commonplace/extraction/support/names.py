"""The names in a text: what has a capital where no sentence asks for one, and words made of letters and figures."""

import re
import unicodedata
from collections.abc import Iterator

from commonplace.extraction.support.words import no_names, numbers_of
from commonplace.third_person.languages import is_english

_WORD = re.compile(r"[^\W_]+(?:[.'’+#&-][^\W_]+)*[+#]*")
_ENDS = re.compile(r"[.!?:…。！？\n]\s*$|^\W*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_KATAKANA = re.compile(r"(?<![ァ-ヺー])(?!ユーザー?(?![ァ-ヺー]))[ァ-ヺー]{2,}")
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_LEAST_STEM, _MOST_ENDING = 4, 3
# German gives every noun a capital: behind one of these it is a noun, as it is with one of these endings.
_BEFORE_NOUN = re.compile(
    r"\d\s$|\b(?:der|die|das|den|dem|des|(?:k?ein|mein|dein|sein|ihr|unser|jed|dies|viel|all)(?:e[nmrs]?)?|zum|zur|im|beim|als|am|ans|ins)\s(?:[a-zäöü]\w*\s){0,2}$"
)
_NOUN = re.compile(r"\w{3,}(?:ung|heit|keit|schaft|ion|tät|ismus|nis|tum|chen|erei|in|innen|er)(?:en|s|n)?$")


def unsupported_name(content: str, pool: str, code: str) -> str | None:
    """The first name of the content that no word of the pool is, whatever its ending; None if there is none."""
    known = {_plain(word) for word in _WORD.findall(pool)}
    stems: dict[str, list[str]] = {}
    for word in known:
        stems.setdefault(word[:_LEAST_STEM], []).append(word)
    together = _together(content)
    for name in _names(content, code):
        plain = _plain(name)
        parts = re.split(r"[.'’&-]", plain)
        if not (
            plain in known
            or any(_alike(plain, other) for other in stems.get(plain[:_LEAST_STEM], ()))
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
        if not named or word[0].isdigit() or _UNSPACED.search(word) or _plain(word) in no_names(code):
            continue
        before = content[max(0, match.start() - 60) : match.start()]
        if _ENDS.search(before[-3:] if before else "") and not _is_name_at_start(word, code):
            continue
        if code == "de" and (_BEFORE_NOUN.search(before) or _NOUN.fullmatch(word) or _counted(before)):
            continue
        yield word


def _counted(before: str) -> bool:
    return before.casefold().rpartition(" ")[0].rpartition(" ")[2] in numbers_of("de")


def _is_name_at_start(word: str, code: str) -> bool:
    """At the start of a sentence every word has a capital: there a name is what English has no word for."""
    return code == "en" and word.isascii() and not is_english(_plain(word))


def _plain(word: str) -> str:
    return _POSSESSIVE.sub("", unicodedata.normalize("NFKC", word).casefold())


def _alike(one: str, other: str) -> bool:
    """ "Italian" and "Italians", "Postgres" and "PostgreSQL", "Germany" and "German"."""
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter[: max(_LEAST_STEM, len(shorter) - 1)]) and len(longer) - len(shorter) <= _MOST_ENDING


def _together(content: str) -> list[tuple[str, list[str]]]:
    """Names of several words by their initials and in one: "New York City" is "nyc", "VS Code" is "vscode"."""
    runs = re.findall(r"[^\W\d_][\w'’]*(?:\s[^\W\d_][\w'’]*)+", content)
    found = []
    for run in runs:
        words = [word for word in run.split() if word[0].isupper()]
        for size in range(2, min(5, len(words)) + 1):
            for at in range(len(words) - size + 1):
                part = [_plain(word) for word in words[at : at + size]]
                found += [("".join(word[0] for word in part), part), ("".join(part), part)]
    return found
