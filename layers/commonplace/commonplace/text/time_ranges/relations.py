"""Times told by another: "the week of 9 March", "the first Monday in June", "between 9 and 11 this morning"."""

from collections.abc import Iterator, Sequence
from itertools import product

from commonplace.text.foundation.characters import straight
from commonplace.text.time_ranges import TimePhrase
from commonplace.text.time_ranges.language import Joint, Language, phrases_of

# How far the words of a joint may reach from its times, in characters.
REACH = 40


def related(query: str, language: Language, phrases: Sequence[TimePhrase]) -> Iterator[TimePhrase]:
    """Each phrase with the relations that stand beside it, as a phrase of its own with the slots of both.

    Whether they make sense together ("the first Monday of yesterday" does not) is seen when they are resolved.
    """
    for phrase, relation in product(phrases, language.relations):
        if _takes(relation, phrase):
            before = relation.before.search(query, max(0, phrase.start - REACH), phrase.start)
            after = relation.after.match(query, phrase.end) if before else None
            if not before or not after or not _ends(query, after.end()):
                continue
            slots = meanings(language.code, {**before.groupdict(), **after.groupdict()})
            if slots and not slots.keys() & phrase.slots.keys():
                yield TimePhrase(before.start(), after.end(), {**phrase.slots, **slots}, True)


def _takes(relation: Joint, phrase: TimePhrase) -> bool:
    slots = phrase.slots.keys()
    return not slots & {"length", "day_number"} and (not relation.of or bool(slots & relation.of))


def edges(query: str, joint: Joint, first: TimePhrase, last: TimePhrase) -> tuple[int, int] | None:
    """From where to where a joint and the times that it joins reach; None if it doesn't stand around them."""
    before = joint.before.search(query, max(0, first.start - REACH), first.start)
    after = joint.after.match(query, last.end) if before else None
    if not before or not after or (after.end() == last.end and not _ends(query, last.end)):
        return None
    return before.start(), after.end()


def meanings(code: str, filled: dict[str, str | None]) -> dict[str, str]:
    """What the words in the slots of a match mean; without the slots that it did not fill."""
    return {slot: _meaning(code, slot, text) for slot, text in filled.items() if text is not None}


def _meaning(code: str, slot: str, text: str) -> str:
    plain = " ".join(straight(text.casefold()).split())
    return phrases_of(code, slot).get(plain, text)


def _ends(query: str, end: int) -> bool:
    """ "Before March-madness": a phrase that only a joint makes a time ends like any other word."""
    return query[end : end + 1] != "-"
