"""Passive to active: "the book was written by Anna" as "Anna wrote the book"."""

from collections.abc import Sequence

from commonplace.duplicates.language import Language
from commonplace.duplicates.morphology import PAST, lemmas, readings
from commonplace.duplicates.tokenization import Word

BY = "by"
_WAS, _IS = frozenset({"was", "were"}), frozenset({"is", "are"})
_LONGEST_AGENT = 4
_OBJECTS = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
_SUBJECTS = {subject: object_ for object_, subject in _OBJECTS.items()}


def active(words: Sequence[Word], own: Language) -> list[Word] | None:
    """The words with who did it in front; None where nothing is said to be done by somebody."""
    texts = [word.text for word in words]
    by = texts.index(BY) if BY in texts else 0
    if by < len("a was done".split()) - 1 or texts[by - 2] not in _WAS | _IS or not _is_participle(texts[by - 1]):
        return None
    if any(word.pause for word in words[1 : by + 1]):
        return None
    end = next((at for at in range(by + 1, len(words)) if _ends_agent(words[at], own)), len(words))
    agent, done, rest = words[by + 1 : end], words[: by - 2], words[end:]
    if not 0 < len(agent) <= _LONGEST_AGENT:
        return None
    subject = [word._replace(text=_OBJECTS.get(word.text, word.text)) if len(agent) == 1 else word for word in agent]
    objects = [word._replace(text=_SUBJECTS.get(word.text, word.text)) if len(done) == 1 else word for word in done]
    verb = words[by - 1]
    if texts[by - 2] in _IS:
        last = subject[-1].text
        verb = verb._replace(text=_present(verb.text, many=last in own.words["many"] or last.endswith("s")))
    return [*subject, verb, *objects, *rest]


def _is_participle(text: str) -> bool:
    return any(form == PAST for _, form in readings(text))


def _ends_agent(word: Word, own: Language) -> bool:
    return bool(word.pause) or any(word.text in own.words[key] for key in ("markers", "pairing", "contrasting", "times"))


def _present(participle: str, *, many: bool) -> str:
    lemma = max((lemma for lemma, form in readings(participle) if form == PAST), key=_is_known)
    return lemma if many else f"{lemma}s"


def _is_known(lemma: str) -> bool:
    return lemma in lemmas(f"{lemma}s") and lemma.endswith("e")
