"""What a search may look for beside its own words."""

from collections.abc import Sequence
from itertools import pairwise

from commonplace.tagging.inflection import singular
from commonplace.tagging.tables import alias_groups, function_words
from commonplace.tagging.tokens import spoken
from commonplace.tagging.topics import hits, lexicon, run_hits

_ALIASES_A_WORD = 2
_SHIPPED = ("de", "fr", "es")


def expansions(words: Sequence[str]) -> list[str]:
    """The topics of the words and other names of them, best first, none of them among the words.

    `words`: those of a query as the analyzer gives them. A topic is the tag that a memory about it would carry.
    """
    asked = set(words)
    found = [*_topics(words), *_aliases(words)]
    return [name for name in dict.fromkeys(found) if not asked.issuperset(name.split("-"))]


def _topics(words: Sequence[str]) -> list[str]:
    """Topics of the words; another language is asked for a word that no English trigger takes."""
    text = spoken(list(words))
    english = hits(text, lexicon("en"), "en")
    taken = {at for hit in english for at in range(hit.start, hit.end)}
    rest = [word for at, word in enumerate(text) if at not in taken and word.key not in function_words("en")]
    named = [hit.topic for hit in english]
    for language in _SHIPPED if rest else ():
        named += [hit.topic for hit in hits(rest, lexicon(language), language)]
    runs = [word for word in words if not word.isascii()]
    for language in ("ja", "zh") if runs else ():
        named += [hit.topic for hit in run_hits(runs, lexicon(language))]
    return named


def _aliases(words: Sequence[str]) -> list[str]:
    """Names from the shipped table for single words and for two in a row."""
    found: list[str] = []
    single = [word for word in words if word not in function_words("en")]
    for name in (*map("-".join, pairwise(words)), *single):
        groups = alias_groups()
        members = groups.get(name) or groups.get(singular(name)) or ()
        others = [member for member in members if member != name and singular(name) != member]
        found += others[:_ALIASES_A_WORD]
    return found
