"""Load the word tables (`nouns.toml`, `words.toml`, `expressions.toml`) on first use, and find nouns for secrets."""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from commonplace.domain.loading import loaded_once
from commonplace.text.foundation.characters import bare_in_place
from commonplace.text.foundation.expressions import Expressions, table_of
from commonplace.text.redaction.view import View

_NUMBER = re.compile(r"[1-9]\d{2}[ -]?\d{3}(?![\d-])")
_BEFORE, _AFTER, _NEAR = 70, 50, 80
_SAFE_WORD = re.compile(r"safe[\s_-]?words?")
_WORD = re.compile(r"[a-z0-9ß]+")
_CLASSES_IN_ORDER = (
    "recovery_phrase", "security_answer", "one_time_code", "card_code", "ssn", "private_key", "api_key", "token",
    "pin", "code", "password", "pass", "bare_key", "plain_code",
)  # fmt: skip
_EXPRESSIONS = Expressions(__package__)
expression, compiled = _EXPRESSIONS.expression, _EXPRESSIONS.compiled


def is_postal(text: str, start: int, end: int) -> bool:
    """Return whether the word from `start` to `end` in the folded `text` means a postal code and not a PIN."""
    match = compiled("postal.beside").match(text, end)
    number = _NUMBER.match(text, match.end() if match else end)
    if not number:
        return compiled("postal.asked").match(text, end) is not None
    near = text[max(0, start - _BEFORE) : number.end() + _AFTER]
    if compiled("postal.of_things").search(near):
        return False
    return text.startswith("pincode", start) or compiled("postal.of_places").search(near) is not None


def is_played(text: str, start: int, end: int) -> bool:
    """Return whether the noun from `start` to `end` in the folded `text` is the safe word in a game or a joke."""
    if not _SAFE_WORD.fullmatch(text, start, end):
        return False
    return not compiled("safe_words.guards").search(text, max(0, start - _NEAR), end + _NEAR)


def misspellings(word: str) -> set[str]:
    """Return a word's misspellings with one letter omitted, doubled or swapped with the next. The first letter is kept."""
    places = range(1, len(word))
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in places[:-1]}
    return swapped | {word[:at] + word[at + 1 :] for at in places} | {word[: at + 1] + word[at:] for at in places}


class Noun(NamedTuple):
    """An occurrence of a noun for a secret. `kind` is the kind of secret, and `value` is the kind of value it accepts."""

    start: int
    end: int
    name: str
    kind: str
    value: str


_load_table = partial(table_of, __package__)


@loaded_once
def words(*names: str) -> frozenset[str]:
    """Return the words in the named tables of `words.toml` as one set. "own", "of" and "places" are tables in `nouns.toml`.

    Only single letters keep their accents, because "è" is a verb and "e" is not."""
    tables = [_load_table("words.toml").get(name) or _load_table("nouns.toml")[name]["words"] for name in names]
    return frozenset(word if len(word) == 1 else bare_in_place(word) for table in tables for word in table)


def either(names: list[str]) -> str:
    """Return a regular expression that matches any of the names. A space in a name also matches "-" and "_"."""
    ordered = sorted((bare_in_place(name) for name in names), key=len, reverse=True)
    return "|".join(re.escape(name).replace(r"\ ", r"[\s_-]{1,2}") for name in ordered)


def any_of(*names: str) -> str:
    """Return a regular expression that matches any word in the named tables."""
    return either(sorted(words(*names)))


@cache
def _build_slot_patterns() -> dict[str, str]:
    table = _load_table("nouns.toml")
    plain = [[word for word in table[name]["words"] if not word.endswith("'")] for name in ("of", "own")]
    return {
        "{place}": f"(?:{either(table['places']['words'])})(?:'s)?",
        "{codes}": f"(?:{either(table['codes']['words'])})",
        "{of} ": rf"(?:(?:{either(plain[0])})\s{{1,2}}|d'|de\sl'|d?all'|dell')",
        "{any} ": r"[^\n]{0,60}?[\s:?]",
        # An article and up to two more words, as in "the code for Ana's front door".
        "{own}": rf"(?:l'|(?:{either(plain[1])})\s)?(?:[a-z'ß]{{2,15}}\s){{0,2}}?",
    }


def _build_phrase_pattern(phrase: str) -> str:
    """Return the regular expression for a phrase, with slots like `{place}` filled. Spaces also match "-" and "_"."""
    parts = re.split(r"(\{place\}|\{codes\}|\{of\} |\{own\}|\{any\} )", bare_in_place(phrase))
    return "".join(_build_slot_patterns().get(part) or re.escape(part).replace(r"\ ", r"[\s_-]{1,2}") for part in parts)


@loaded_once
def _compile_noun_pattern() -> re.Pattern[str]:
    table = _load_table("nouns.toml")["noun"]
    groups = []
    for name in _CLASSES_IN_ORDER:
        phrases = sorted(table[name]["phrases"], key=len, reverse=True)
        groups.append(f"(?P<{name}>{'|'.join(map(_build_phrase_pattern, phrases))})")
    return re.compile(rf"(?:{'|'.join(groups)})(?![a-z0-9])")


@loaded_once
def _list_first_words() -> frozenset[str]:
    """Return the first words of all phrases. The slow pattern for all phrases is tried only at these words."""
    table = _load_table("nouns.toml")
    phrases = [phrase for row in table["noun"].values() for phrase in row["phrases"]]
    phrases += table["places"]["words"] + table["codes"]["words"]
    return frozenset(match[0] for phrase in phrases if (match := _WORD.match(bare_in_place(phrase))))


@loaded_once
def _list_misspellings() -> frozenset[str]:
    return frozenset(wrong for word in words("misspelt") for wrong in misspellings(word)) - words("misspelt")


@cache
def _compile_ending_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the pattern for the ends of compounds (the "code" in "Türcode"), and the class of noun for each ending."""
    rows = _load_table("nouns.toml")["noun"].items()
    owner = {bare_in_place(end): name for name, row in rows for end in row.get("endings", ())}
    return re.compile(rf"(?:{either(list(owner))})s?(?![a-z0-9])"), owner


@cache
def _compile_harmless_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns for the words before and after "code" that make it public, as in "error code"."""
    table = _load_table("nouns.toml")
    before, after = either(table["harmless_codes"]["words"]), either(table["harmless_after"]["words"])
    return re.compile(rf"(?<![a-z0-9])(?:{before})[\s_-]?$"), re.compile(rf"[\s_-](?:{after})(?![a-z0-9])")


def nouns(view: View) -> Iterator[Noun]:
    """Yield the nouns for secrets in order, without public codes ("error code"), postal codes and safe words in games."""
    text = view.folded
    by_end = {end: (start, end, name) for start, end, name in _find_noun_phrases(text)}
    pattern, owner = _compile_ending_pattern()
    table = _load_table("nouns.toml")["noun"]
    for match in pattern.finditer(text):
        name = owner.get(match[0]) or owner[match[0].removesuffix("s")]
        # "Sperrbildschirm-Code" is more specific than the "Code" in it.
        if match.end() not in by_end or by_end[match.end()][2] == "plain_code":
            by_end[match.end()] = (match.start(), match.end(), name)
    for start, end, name in sorted(by_end.values()):
        if name in ("code", "plain_code", "one_time_code") and _is_public_code(text, start, end):
            continue
        if (name == "pin" and is_postal(text, start, end)) or (name == "password" and is_played(text, start, end)):
            continue
        yield Noun(start, end, name, table[name].get("kind", name), table[name]["value"])


def _find_noun_phrases(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, end and class of each noun phrase. A misspelt noun has the class "password"."""
    done = 0
    for word in _WORD.finditer(text):
        if word.start() < done:
            continue
        if word[0] in _list_first_words() and (match := _compile_noun_pattern().match(text, word.start())):
            done = match.end()
            yield match.start(), match.end(), str(match.lastgroup)
        elif word[0] in _list_misspellings():
            yield word.start(), word.end(), "password"


def _is_public_code(text: str, start: int, end: int) -> bool:
    before, after = _compile_harmless_patterns()
    return bool(before.search(text, max(0, start - 24), start) or after.match(text, end))


@cache
def number_words() -> re.Pattern[str]:
    """Return the pattern for a number in words, including German compounds ("siebenundvierzig") and hyphens."""
    number = either(list(words("number")))
    # The quantifier is possessive, because "uno" is also "un" and "o", so a long token would be tried in many ways.
    return re.compile(rf"(?:{number})(?:(?:-|und|-et-)?(?:{number}))*+")
