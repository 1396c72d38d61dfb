"""Which sentence of what is remembered a new one leaves untrue: another value, a correction, an end."""

import re

from commonplace import analyzer
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.clauses import sentences
from commonplace.extraction.corrections import over
from commonplace.extraction.frames import has_another_end
from commonplace.extraction.old_values import GENERAL, HALF, MOSTLY, conflicts, denies_value, names_old_value, no_words
from commonplace.extraction.stems import names_of, shared, stems_of
from commonplace.extraction.subjects import are_of_others, other_way_round
from commonplace.extraction.wordings import says
from commonplace.third_person.languages import ENGLISH, language_of

CHANGED, CORRECTED, OVER = "another value of the same", "it was corrected", "it is over"
_NOT = re.compile(
    r"\b(?:not|never|no|nicht|nie|niemals|kein\w*|pas|jamais|nunca|não|non|niet|geen|(?:is|are|was|were|do|does|did|ca|wo|have|has)n'?t)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:–—.!。、]| (?:but|sondern|sino|aber|mais) ")
_STRESS = frozenset(
    analyzer.terms("turns out actually really at all anymore after any more longer doch mehr überhaupt ya más plus")
)


def contradicts(new: str, old: str, *, corrects: bool, context: str = "", same_talk: bool = False) -> str | None:
    """Why the sentence `new` leaves `old` untrue, None if it doesn't: another value of what has one at a time, or its end.

    `corrects`: its words say that something earlier was wrong or is over; without them only a changed value counts.
    `context`: the whole of what was said with it; `same_talk`: `old` was said a few messages before.
    """
    if says("additional", new) or are_of_others(new, old) or other_way_round(new, old):
        return None
    ours, theirs, bygone = attribute_of(new), attribute_of(old), bool(over(old)) or says("bygone", old)
    bygone = bygone or (theirs is not None and theirs.past)
    if ours and theirs and (ours.is_of_another(theirs) or not ours.measures_as(theirs)):
        return None
    if not bygone and ((ours and theirs and ours.replaces(theirs)) or has_another_end(new, old)):
        return CHANGED
    if _denies(new, old) or denies_value(new, old, context or new):
        return CORRECTED
    if not corrects:
        return None
    if names_old_value(new, old):
        return CORRECTED
    if not bygone and (_same_thing(new, old) or conflicts(new, old, context or new, same_talk)):
        return CORRECTED
    return OVER if _ends(new, old) else None


def contradicted(new: str, old: str, *, corrects: bool) -> list[str]:
    """The sentences of an old text that one of a new text leaves untrue; `corrects` as in `contradicts`."""
    ours = [one.text for one in sentences(new)]
    theirs = [one.text for one in sentences(old)]
    return [one for one in theirs if any(contradicts(other, one, corrects=corrects) for other in ours)]


def _denies(new: str, old: str) -> bool:
    """The same words but for a negation that only one of them has."""
    theirs = stems_of(_NOT.sub(" ", old))
    for clause in _CLAUSE.split(new.replace("’", "'")):
        ours = stems_of(_NOT.sub(" ", clause)) - _STRESS
        if theirs and ours == theirs and bool(_NOT.search(clause)) != bool(_NOT.search(old.replace("’", "'"))):
            return True
    return False


def _ends(new: str, old: str) -> bool:
    """What is over is what the old sentence tells: all of it, most of it, or the name in it."""
    stems, known = stems_of(over(new)) - GENERAL, stems_of(old)
    common = shared(stems, known, begins=True)
    if over(old) or not common:
        return False
    english = language_of(old) == ENGLISH
    if english and names_of(over(new)) - names_of(old):
        return False
    named = english and bool(shared(stems, no_words(old), begins=True))
    return len(common) >= (HALF if named else MOSTLY) * len(stems)


def _same_thing(new: str, old: str) -> bool:
    """The same thing named shorter or longer: "the deadline" for "the grant deadline", but not "my flight" for "Ann's"."""
    ours, theirs = attribute_of(new), attribute_of(old)
    if ours is None or theirs is None or ours.name != theirs.name or ours.kind != theirs.kind or not ours.topic:
        return False
    related = ours.topic <= theirs.topic or theirs.topic <= ours.topic
    related = related and not (ours.topic ^ theirs.topic) & (no_words(new) | no_words(old))
    return related and ours.value.casefold() != theirs.value.casefold()
