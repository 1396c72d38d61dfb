"""Who is said to have told something: "Police say 13 died", "13 died, police said", "13 died: police"."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from commonplace.duplicates.scanner import Word
from commonplace.duplicates.tables import Language

_SAID, _ACCORDING, _THAT = "said", "according-to", "that"
_LONGEST_SOURCE, _LONGEST_HEAD, _LONGEST_TAIL = 10, 3, 4
_SHORTEST_TOLD = 3
_WHERE_TOLD = frozenset({"in", "on", "at", "to", "by"})


_QUOTED = re.compile(r"[\"\u201c\u201d][^\"\u201c\u201d]*(?:[\"\u201c\u201d]|$)")
_OPENS = re.compile(r"^[^\"\u201c\u201d]*\"(?=\s|$)")
_WORD = re.compile(r"[^\W\d_]+")


class Told(NamedTuple):
    """A text in two: the words that name its source and say that it told, and the words of what it told."""

    source: Sequence[Word]
    words: Sequence[Word]
    heading: bool = False
    """Whether the source is rather a heading, of which nobody knows that it tells: "Nevada: 2 dead"."""

    @property
    def fronted(self) -> list[Word]:
        """All of it in one order: the source said what it said."""
        return [*self.source, Word(_SAID), *self.words]


def told(words: Sequence[Word], own: Language) -> Told | None:
    """What a text tells and who is its source, or None where it names none, or says that he did not tell."""
    found = _in_front(words, own) or _behind(words, own)
    if found is None or len(found.words) < _SHORTEST_TOLD or not 0 < len(found.source) <= _LONGEST_SOURCE:
        return None
    turning = own.words["guards"] | {"who", "will", "would", "what"}
    if any(word.text in turning for word in found.source):
        return None
    return Told(_unpaused(found.source), _unpaused(found.words), found.heading)


def speaks_for_others(text: str, own: Language) -> bool:
    """Whether it says "I" or "you" in quotation marks only, a mark that only closes counted too: 'We left," Anna said'."""
    outside = _QUOTED.sub(" ", _OPENS.sub(" ", text) if text.count('"') % 2 else text)
    return outside != text and own.words["personal"].isdisjoint(_WORD.findall(outside.lower()))


def _in_front(words: Sequence[Word], own: Language) -> Told | None:
    """The source first: "police say (that)", "according to the police,", "Russia:"."""
    saying = own.words["saying"]
    for at, word in enumerate(words[: _LONGEST_SOURCE + 1]):
        if at and ":" in word.pause:
            known = own.words["sources"] | own.words["nations"]
            heading = not any(word.text in known for word in words[:at])
            return Told(words[:at], words[at:], heading) if at <= _LONGEST_HEAD else None
        if word.pause and at:
            return Told(words[1:at], words[at:]) if words[0].text == _ACCORDING else None
        if word.text in saying and at:
            begins = at + 1 + (words[at + 1 : at + 2] == [Word(_THAT, small=True)])
            return Told(words[:at], words[begins:])
    return None


def _behind(words: Sequence[Word], own: Language) -> Told | None:
    """The source last: ", police said on Monday", ", said the police", "according to the police", ": police"."""
    start = max((at for at, word in enumerate(words) if word.pause or word.text == _ACCORDING), default=0)
    if not start:
        return None
    tail, rest = words[start:], words[:start]
    texts = [word.text for word in tail]
    if texts[0] == _ACCORDING:
        return Told(tail[1:], rest)
    if ":" in tail[0].pause:
        source = len(tail) <= _LONGEST_TAIL and any(text in own.words["sources"] for text in texts)
        return Told(tail, rest) if source else None
    if "," not in tail[0].pause:
        return None
    at = next((at for at, text in enumerate(texts) if text in own.words["saying"]), -1)
    if at == 0:
        return Told(tail[1:], rest)
    return Told(tail[:at], rest) if at > 0 and _only_where(texts[at + 1 :], own) else None


def _only_where(texts: Sequence[str], own: Language) -> bool:
    """Whether nothing follows but when, where or to whom it was told: "on Monday", "in a statement"."""
    return not texts or texts[0] in _WHERE_TOLD or any(text in own.words["times"] for text in texts)


def _unpaused(words: Sequence[Word]) -> list[Word]:
    return [words[0]._replace(pause=""), *words[1:]]
