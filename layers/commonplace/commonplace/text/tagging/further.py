"""What else a text says, for one whose topics and phrases are few: wider topics, plainer words."""

from collections.abc import Iterator, Sequence
from functools import cache

from commonplace.text.foundation.english import is_noun
from commonplace.text.tagging.names import forms, singular
from commonplace.text.tagging.phrases import LONGEST_WORD, stopped_of
from commonplace.text.tagging.tables import describing_words, function_words, listed
from commonplace.text.tagging.tokens import Reading, Word
from commonplace.text.tagging.topics import lexicon


def further_tags(reading: Reading, topics: Sequence[str]) -> Iterator[str]:
    """Further tags of a text, the best first; `topics`: those that it has."""
    yield from (ancestor for topic in topics for ancestor in _ancestors(topic))
    if reading.language == "en":
        yield from (singular(word.key) for at, word in enumerate(reading.words) if _is_common_noun(reading.words, at))
        yield from (word.key for word in reading.words if word.key in listed("nouns.states"))
    stopped = stopped_of(reading)
    words = (word.key for word in reading.words if word.key not in stopped and word.key.isalpha())
    yield from (key for key in words if 2 < len(key) <= LONGEST_WORD and not key.endswith("ly"))
    if reading.language == "en":
        yield from (deed for word in reading.words if (deed := _deed(word.key)))


def _ancestors(topic: str) -> Iterator[str]:
    while parent := lexicon("en").parents.get(topic):
        yield parent
        topic = parent


@cache
def _irregular_deeds() -> dict[str, str]:
    pairs = (pair.partition("=") for pair in listed("nouns.irregular_deeds"))
    return {past: base for past, _, base in pairs}


def _deed(word: str) -> str | None:
    """The base form of a verb that tells something ("drove": `drive`)."""
    bases = (_irregular_deeds().get(word, word), *forms(word, "en"))
    return next((base for base in bases if base in listed("nouns.deeds")), None)


def _is_common_noun(words: Sequence[Word], at: int) -> bool:
    """'The lift is broken', 'a deal': a word that is a verb elsewhere, behind a determiner."""
    word, before = words[at], words[at - 1] if at else None
    if before is None or word.parted or before.key not in listed("nouns.determiners"):
        return False
    plain = word.key in describing_words() or word.key in function_words("en") or word.key in listed("nouns.weak")
    return not plain and is_noun(singular(word.key))
