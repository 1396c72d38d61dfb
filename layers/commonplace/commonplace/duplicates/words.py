"""The words of a text, ready to be compared: contractions spelled out, numbers in one spelling, phrases replaced."""

import functools
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from commonplace.duplicates.inflection import PAST, lemmas, readings
from commonplace.duplicates.scanner import CURRENCIES, Word, scanned
from commonplace.duplicates.spelling import american
from commonplace.duplicates.tables import Language, Phrases, language

_IS_AFTER = frozenset("he she it that there what who here where".split())
_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "'d"}
_EXCESSIVELY = "too-much"  # "too old"; "me too" adds nothing
_FREE_OPENERS = frozenset("and but so also".split())
_SPEAKER = "i"
_LONGEST = 6
_BEHIND_PARTICIPLE = frozenset("by is are was were".split())
_HALVES: Mapping[tuple[str, ...], str] = {
    ("in", "the", "morning"): "a.m.",
    ("in", "the", "afternoon"): "pm",
    ("in", "the", "evening"): "pm",
}
_MOST_DAYS = 31


def words_of(text: str, own: Language) -> list[Word]:
    """The words of a plain text in order."""
    spelled = [part for word in scanned(text) for part in _spelled_out(word, own)]
    counted = _dated(list(_counted(spelled, own)), own)
    return _rewritten(_about_the_user(_without_opener(counted, own), own), own.phrases)


def _spelled_out(word: Word, own: Language) -> list[Word]:
    if "'" not in word.text and word.text not in own.contractions:
        return [word._replace(text=american(word.text))] if own.name == "english" else [word]
    first, *others = _parts(word.text, own)
    return [word._replace(text=first), *map(Word, others)]


def _parts(text: str, own: Language) -> list[str]:
    if text in own.contractions:
        return own.contractions[text].split() or [""]
    head, _, tail = text.partition("'")
    if own.name == "french":
        return [head + "'", tail]
    if own.name != "english":
        return [text]
    if text.endswith("n't"):
        return [text.removesuffix("n't"), "not"]
    if text == "user's":
        return ["my"]
    if tail == "s":
        return [head, "is"] if head in _IS_AFTER else [head]
    return [head, _ENDINGS[tail]] if tail in _ENDINGS else [text.replace("'", "")]


def _counted(words: list[Word], own: Language) -> Iterator[Word]:
    """Number words as digits, `fifty-seven` as 57, a currency sign behind its number, `6 am` apart from `I am`."""
    signs = frozenset(CURRENCIES.values())
    before = Word("")
    skip = False
    for word, following in zip_longest(words, words[1:], fillvalue=Word("")):
        if skip or not word.text:
            skip = False
            continue
        number = own.numbers.get(word.text, word.text)
        ones = own.numbers.get(following.text, "") if not following.pause else ""
        if word.text in signs and following.text[:1].isdigit():
            yield following._replace(pause=word.pause)
            yield word._replace(pause="")
            skip = True
        elif number != word.text and len(number) > 1 and number.endswith("0") and number != "10" and len(ones) == 1:
            yield word._replace(text=number[0] + ones)
            skip = True
        elif number == "am" and before.text[-1:].isdigit():
            yield word._replace(text="a.m.")
        elif number == "too" and following.text and not following.pause:
            yield word._replace(text=_EXCESSIVELY)
        else:
            yield word._replace(text=number) if number != word.text else word
        before = word


def _dated(words: list[Word], own: Language) -> list[Word]:
    """Dates as `may 12`, times as `10 a.m.`: "12 May", "the 12th of May", "ten in the morning"."""
    found: list[Word] = []
    for word in words:
        text = word.text
        day = found[-2] if len(found) > 1 and found[-1].text == "of" else found[-1] if found else Word("")
        if text in own.words["months"] and _is_day(day.text) and not word.pause:
            found[-1 if found[-1] is day else -2 :] = [word._replace(pause=day.pause), Word(_cardinal(day.text))]
        elif found and found[-1].text in own.words["months"] and _is_day(text) and not word.pause:
            found.append(word._replace(text=_cardinal(text)))
        else:
            found.append(word)
        half = _HALVES.get((*(part.text for part in found[-3:]),)) if len(found) > len("day") else None
        if half and found[-4].text.isdigit():
            found[-3:] = [Word(half)]
    return found


def _is_day(text: str) -> bool:
    number = _cardinal(text)
    return number.isdigit() and 1 <= int(number) <= _MOST_DAYS


def _cardinal(text: str) -> str:
    return text[:-2] if text[:1].isdigit() and text[-2:] in ("st", "nd", "rd", "th") else text


def _without_opener(words: list[Word], own: Language) -> list[Word]:
    while words:
        for opener, _ in own.openers.get(words[0].text, ()):
            rest = words[len(opener) :]
            if rest and _begins(words, opener) and (len(opener) > 1 or opener[0] in _FREE_OPENERS or rest[0].pause):
                words = [rest[0]._replace(pause=""), *rest[1:]]
                break
        else:
            return words
    return words


def _about_the_user(words: list[Word], own: Language) -> list[Word]:
    """A note that leaves out whom it is about, or says "user", with "I": "Lives in Oslo"."""
    if words and (words[0].text in own.words["bare_verbs"] or (own.name == "english" and _told_in_past(words))):
        return [Word(_SPEAKER), *words]
    return [Word(_SPEAKER), *words[1:]] if own.name == "english" and words and words[0].text == "user" else words


def _told_in_past(words: list[Word]) -> bool:
    """Whether it begins with a past form that is no participle, as far as the next word tells: "Moved to Oslo"."""
    behind = words[1].text if len(words) > 1 else "by"
    forms = {form for _, form in readings(words[0].text)[1:]}
    return forms == {PAST} and behind not in _BEHIND_PARTICIPLE


def _begins(words: list[Word], phrase: tuple[str, ...]) -> bool:
    """Whether the words begin with a phrase said in one breath."""
    return (
        len(words) >= len(phrase)
        and all(part in ("*", word.text) for word, part in zip(words, phrase, strict=False))
        and not any(word.pause for word in words[1 : len(phrase)])
    )


def _rewritten(words: list[Word], phrases: Phrases) -> list[Word]:
    found: list[Word] = []
    ahead = words[::-1]
    while ahead:
        rows = phrases.get(ahead[-1].text, ())
        window = ahead[: -_LONGEST - 1 : -1] if rows else []
        for phrase, instead in rows:
            if _begins(window, phrase):
                slot = window[phrase.index("*")].text if "*" in phrase else ""
                filled = [Word(part.replace("*", slot)) for part in instead]
                filled[:1] = [window[0]._replace(text=part.text) for part in filled[:1]]
                ahead[-len(phrase) :] = filled[::-1]
                break
        else:
            found.append(ahead.pop())
    return found


def joined(words: list[Word], own: Language) -> list[Word]:
    """Phrases that have synonyms as one word, its parts between `_` as they stand."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        length = _phrase_length(words[at : at + _LONGEST], own)
        text = "_".join(word.text for word in words[at : at + length])
        found.append(words[at] if length == 1 else words[at]._replace(text=text))
        at += length
    return found


def _phrase_length(window: list[Word], own: Language) -> int:
    for phrase in _phrases_from(window[0].text, own.name):
        last = window[len(phrase) - 1].text if len(phrase) <= len(window) else ""
        ending = phrase[-1] == last or (own.name == "english" and phrase[-1] in lemmas(last))
        if ending and _begins(window[1:], phrase[1:-1]) and not any(word.pause for word in window[1 : len(phrase)]):
            return len(phrase)
    return 1


@functools.lru_cache(maxsize=16384)
def _phrases_from(word: str, language_name: str) -> tuple[tuple[str, ...], ...]:
    """The phrases that may begin with a form of a word, longest first for each of its lemmas."""
    firsts = lemmas(word) if language_name == "english" else (word,)
    return tuple(phrase for first in firsts for phrase, _ in language(language_name).synonym_phrases.get(first, ()))
