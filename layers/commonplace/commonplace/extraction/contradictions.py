"""Which sentence of what is remembered a new one leaves untrue: another value, a correction, an end."""

import functools
import re

from commonplace.extraction.attributes import Attribute, attribute_of
from commonplace.extraction.corrections import is_correction, over, replaced_value, stands_alone
from commonplace.extraction.figures import figures_of, is_calendar_word
from commonplace.extraction.stems import shared, stems_of
from commonplace.extraction.wordings import says, wording
from commonplace.third_person.languages import ENGLISH, is_english, language_of

CHANGED, CORRECTED, OVER = "another value of the same", "it was corrected", "it is over"
_THE_USER = frozenset({"the user"})
_FIRST = re.compile(
    r"\W*(?:\w+ ){0,2}?(?:i|i'm|i've|im|ive|we|we're|we've|my|our|ich|wir|je|j'\w+|nous|yo|eu|io|ik|wij)\b", re.IGNORECASE
)
_CAPITAL = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][\w-]+")
_GENERAL = frozenset(
    "job working anymore any longer july june last week month year back still new good bad big first look thing lot way put"
    " came come told tell take took made daughter son mum mom dad wife husband start end plan date day hour minut".split()
)
_TWO, _SHORT, _LEAST, _NAME = 2, 3, 3, 5
_HALF, _MOSTLY = 0.5, 0.67
_OPENING, _CLOSE = 45, 22


def contradicts(new: str, old: str, *, corrects: bool, context: str = "", same_talk: bool = False) -> str | None:
    """Why the sentence `new` leaves `old` untrue, None if it doesn't: another value of what has one at a time, or its end.

    `corrects`: its words say that something earlier was wrong or is over; without them only a changed value counts.
    `context`: the whole of what was said with it; `same_talk`: `old` was said a few messages before.
    """
    if says("additional", new) or _differ(_subject(new), _subject(old)):
        return None
    ours, theirs = attribute_of(new), attribute_of(old)
    if ours and theirs and ours.replaces(theirs):
        return CHANGED
    if ours and theirs and ours.is_of_another(theirs):
        return None
    if not corrects:
        return None
    if _names_old_value(new, old) or _same_thing(ours, theirs) or _conflicts(new, old, context or new, same_talk):
        return CORRECTED
    return OVER if _ends(new, old) else None


def _names_old_value(new: str, old: str) -> bool:
    pair = replaced_value(new)
    if pair is None:
        return False
    gone, instead, known = stems_of(pair[0]), stems_of(pair[1]), stems_of(old)
    if not gone or not gone <= known or instead <= known:
        return False
    rest = stems_of(new) - gone - instead
    telling = any(len(stem) >= _NAME and not is_english(stem) for stem in gone)
    return stands_alone(new) or telling or bool(rest & known) or len(known - gone) <= _SHORT


def _ends(new: str, old: str) -> bool:
    """What is over is what the old sentence tells: all of it, most of it, or the name in it."""
    stems, known = stems_of(over(new)) - _GENERAL, stems_of(old)
    common = shared(stems, known, begins=True)
    if over(old) or not common:
        return False
    named = any(len(stem) >= _NAME and not is_english(stem) for stem in common)
    return len(common) >= (_HALF if named else _MOSTLY) * len(stems)


def _conflicts(new: str, old: str, context: str, same_talk: bool) -> bool:
    """Other figures of the same matter, or nearly all of its words again, in a sentence that says that something changed."""
    if not is_correction(new):
        return False
    ours, theirs = figures_of(new), figures_of(old)
    matter = stems_of(old) - theirs - _GENERAL
    common = {stem for stem in shared(matter, stems_of(context)) if len(stem) >= _LEAST or not stem.isascii()}
    english = language_of(old) == ENGLISH
    named = any(len(stem) >= _NAME or (english and not is_english(stem)) for stem in common)
    same_month = same_talk and any(map(is_calendar_word, ours & theirs))
    if ours - theirs and theirs - ours and (named or same_month or len(common) >= _TWO):
        return True
    strangers = _names(new) - _names(old) and _names(old) - _names(new)
    return not strangers and len(common) >= _TWO and len(common) >= _MOSTLY * len(matter)


def _names(text: str) -> frozenset[str]:
    """The words with a capital inside a sentence: two that differ are two people, or two things."""
    return frozenset(word.casefold() for word in _CAPITAL.findall(text))


def _same_thing(ours: Attribute | None, theirs: Attribute | None) -> bool:
    """The same thing named shorter or longer: "the deadline" for "the grant deadline"."""
    if ours is None or theirs is None or ours.name != theirs.name or ours.kind != theirs.kind or not ours.topic:
        return False
    related = ours.topic <= theirs.topic or theirs.topic <= ours.topic
    return related and ours.value.casefold() != theirs.value.casefold()


@functools.lru_cache(maxsize=4096)
def _subject(sentence: str) -> frozenset[str] | None:
    """Whom it is about: the user, the words that name somebody of theirs, None where its words don't tell."""
    opening = sentence[:_OPENING].replace("’", "'").lstrip()
    found = wording("household").match(opening) or wording("outsider").search(opening[:_CLOSE])
    if found and attribute_of(sentence) is None:
        return stems_of(found[0])
    return _THE_USER if _FIRST.match(opening) else None


def _differ(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    return one is not None and other is not None and one.isdisjoint(other)
