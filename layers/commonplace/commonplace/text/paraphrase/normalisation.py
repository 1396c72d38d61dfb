"""The words of a text, ready to be compared: contractions spelled out, numbers in one spelling, phrases replaced."""

import functools
from collections.abc import Sequence

from commonplace.text.paraphrase.language import Language, Phrases, american, language
from commonplace.text.paraphrase.morphology import ING, PAST, lemmas, readings
from commonplace.text.paraphrase.tokenization import Word, counted, dated, scanned

_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "'d"}
_SPEAKER = "i"
_LONGEST = 6


def words_of(text: str, own: Language) -> list[Word]:
    """The words of a plain text in order."""
    spelled = [part for word in scanned(text) for part in _spelled_out(word, own)]
    numbered = dated(list(counted(spelled, own)), own)
    return _without_been(_rewritten(_about_the_user(_without_opener(numbered, own), own), own.phrases), own)


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
        return [head, "is"] if head in own.words["before_is"] else [head]
    return [head, _ENDINGS[tail]] if tail in _ENDINGS else [text.replace("'", "")]


def _without_opener(words: list[Word], own: Language) -> list[Word]:
    free = own.words["free_openers"]
    while words:
        for opener, _ in own.openers.get(words[0].text, ()):
            rest = words[len(opener) :]
            if rest and _begins(words, opener) and (len(opener) > 1 or opener[0] in free or rest[0].pause):
                words = [rest[0]._replace(pause=""), *rest[1:]]
                break
        else:
            return words
    return words


def _about_the_user(words: list[Word], own: Language) -> list[Word]:
    """A note that leaves out whom it is about, or says "user", with "I": "Lives in Oslo"."""
    if words and (words[0].text in own.words["bare_verbs"] or (own.name == "english" and _told_in_past(words, own))):
        return [Word(_SPEAKER), *words]
    return [Word(_SPEAKER), *words[1:]] if own.name == "english" and words and words[0].text == "user" else words


def _told_in_past(words: list[Word], own: Language) -> bool:
    """Whether it begins with a past form that is no participle, as far as the next word tells: "Moved to Oslo"."""
    behind = words[1].text if len(words) > 1 else "by"
    forms = {form for _, form in readings(words[0].text)[1:]}
    if forms != {PAST} or behind in own.words["behind_participle"]:
        return False
    # "Visited Rome", not "Mohamed Morsi"
    return not words[1:2] or not words[1].capital or any(lemma in own.synonyms for lemma in lemmas(words[0].text))


def _begins(words: Sequence[Word], phrase: tuple[str, ...]) -> bool:
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


def _without_been(words: list[Word], own: Language) -> list[Word]:
    """The words with "have been living" as "have living", so that it can stand for "have lived"."""
    texts = [word.text for word in words]
    lasting = [
        at
        for at in range(1, len(words) - 1)
        if texts[at] == "been"
        and texts[at - 1] in own.words["having"]
        and any(form == ING for _, form in readings(texts[at + 1]))
    ]
    return [word for at, word in enumerate(words) if at not in lasting]


def joined(words: Sequence[Word], own: Language) -> list[Word]:
    """Phrases that have synonyms as one word, its parts between `_` as they stand."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        length = _phrase_length(words[at : at + _LONGEST], own)
        text = "_".join(word.text for word in words[at : at + length])
        found.append(words[at] if length == 1 else words[at]._replace(text=text))
        at += length
    return found


def _phrase_length(window: Sequence[Word], own: Language) -> int:
    for phrase in _phrases_from(window[0].text, own.name):
        last = window[len(phrase) - 1].text if len(phrase) <= len(window) else ""
        ending = phrase[-1] == last or (own.name == "english" and phrase[-1] in lemmas(last))
        if ending and _begins(window[1:], phrase[1:-1]) and not any(word.pause for word in window[1 : len(phrase)]):
            return len(phrase)
    return 1


@functools.lru_cache(maxsize=4096)
def _phrases_from(word: str, language_name: str) -> tuple[tuple[str, ...], ...]:
    """The phrases that may begin with a form of a word, longest first for each of its lemmas."""
    firsts = lemmas(word) if language_name == "english" else (word,)
    return tuple(phrase for first in firsts for phrase, _ in language(language_name).synonym_phrases.get(first, ()))
