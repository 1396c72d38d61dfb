"""The words of a text, ready to be compared: contractions spelled out, numbers in one spelling, phrases replaced."""

from collections.abc import Iterator
from dataclasses import replace

from commonplace.duplicates.inflection import lemmas
from commonplace.duplicates.scanner import CURRENCIES, Word, scanned
from commonplace.duplicates.tables import Language, Phrases

_IS_AFTER = frozenset("he she it that there what who here where".split())
_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "'d"}
_FREE_OPENERS = frozenset("and but so also".split())


def words_of(text: str, language: Language, *, phrases: bool) -> list[Word]:
    """The words of a plain text in order; with `phrases`, one that has synonyms is one word, joined by `_`."""
    spelled = [part for word in scanned(text) for part in _spelled_out(word, language)]
    counted = list(_counted(spelled, language))
    rewritten = _rewritten(_without_opener(counted, language), language.phrases)
    return _joined(rewritten, language) if phrases else rewritten


def _spelled_out(word: Word, language: Language) -> list[Word]:
    if "'" not in word.text and word.text not in language.contractions:
        return [word]
    first, *others = _parts(word.text, language)
    return [replace(word, text=first), *map(Word, others)]


def _parts(text: str, language: Language) -> list[str]:
    if text in language.contractions:
        return language.contractions[text].split() or [""]
    head, _, tail = text.partition("'")
    if language.name == "french":
        return [head + "'", tail]
    if language.name != "english":
        return [text]
    if text.endswith("n't"):
        return [text.removesuffix("n't"), "not"]
    if tail == "s":
        return [head, "is"] if head in _IS_AFTER else [head]
    return [head, _ENDINGS[tail]] if tail in _ENDINGS else [text.replace("'", "")]


def _counted(words: list[Word], language: Language) -> Iterator[Word]:
    """Number words as digits, `fifty-seven` as 57, a currency sign behind its number, `6 am` apart from `I am`."""
    signs = frozenset(CURRENCIES.values())
    before = Word("")
    skip = False
    for word, following in zip(words, [*words[1:], Word("")], strict=True):
        if skip or not word.text:
            skip = False
            continue
        number = language.numbers.get(word.text, word.text)
        ones = language.numbers.get(following.text, "") if not following.pause else ""
        if word.text in signs and following.text[:1].isdigit():
            yield replace(following, pause=word.pause)
            yield replace(word, pause="")
            skip = True
        elif number != word.text and len(number) > 1 and number.endswith("0") and number != "10" and len(ones) == 1:
            yield replace(word, text=number[0] + ones)
            skip = True
        elif number == "am" and before.text[-1:].isdigit():
            yield replace(word, text="a.m.")
        else:
            yield replace(word, text=number)
        before = word


def _without_opener(words: list[Word], language: Language) -> list[Word]:
    while words:
        for opener, _ in language.openers.get(words[0].text, ()):
            rest = words[len(opener) :]
            if rest and _begins(words, opener) and (len(opener) > 1 or opener[0] in _FREE_OPENERS or rest[0].pause):
                words = [replace(rest[0], pause=""), *rest[1:]]
                break
        else:
            return words
    return words


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
                filled[:1] = [replace(window[0], text=part.text) for part in filled[:1]]
                ahead[-len(phrase) :] = filled[::-1]
                break
        else:
            found.append(ahead.pop())
    return found


_LONGEST = 6


def _joined(words: list[Word], language: Language) -> list[Word]:
    """Phrases that have synonyms as one word, with the ending that their first or last word has."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        length = _phrase_length(words[at : at + _LONGEST], language)
        text = "_".join(word.text for word in words[at : at + length])
        found.append(words[at] if length == 1 else replace(words[at], text=text))
        at += length
    return found


def _phrase_length(window: list[Word], language: Language) -> int:
    english = language.name == "english"
    for first in lemmas(window[0].text) if english else (window[0].text,):
        for phrase, _ in language.synonym_phrases.get(first, ()):
            last = window[len(phrase) - 1].text if len(phrase) <= len(window) else ""
            ending = phrase[-1] in lemmas(last) if english else phrase[-1] == last
            if ending and _begins(window[1:], phrase[1:-1]) and not any(word.pause for word in window[1 : len(phrase)]):
                return len(phrase)
    return 1
