"""Which sentence of what is remembered a new one leaves untrue: another value, a correction, an end."""

import functools
import re

from commonplace import analyzer
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.clauses import sentences
from commonplace.extraction.corrections import is_correction, over, replaced_value, stands_alone
from commonplace.extraction.figures import figures_of, is_calendar_word
from commonplace.extraction.frames import has_another_end
from commonplace.extraction.stems import names_of, shared, stems_of
from commonplace.extraction.wordings import says, wording
from commonplace.third_person.languages import ENGLISH, is_english, language_of

CHANGED, CORRECTED, OVER = "another value of the same", "it was corrected", "it is over"
_THE_USER = frozenset({"the user"})
_FIRST = re.compile(
    r"\W*(?:\w+ ){0,2}?(?P<who>(?:i|i'm|i've|im|ive|we|we're|we've|my|our|ich|wir|je|j'\w+|nous|yo|eu|io|ik|wij)\b|私|僕|俺)",
    re.IGNORECASE,
)
_UNSPACED = re.compile(r"[\u3041-\u30ff]")
_WORD = re.compile(r"[^\W_]+")
_NOT = re.compile(
    r"\b(?:not|never|no|nicht|nie|niemals|kein\w*|pas|jamais|nunca|não|non|niet|geen|(?:is|are|was|were|do|does|did|ca|wo|have|has)n'?t)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:–—.!。、]| (?:but|sondern|sino|aber|mais) ")
_STRESS = frozenset(
    analyzer.terms("turns out actually really at all anymore after any more longer doch mehr überhaupt ya más plus")
)
_GENERAL = frozenset(
    "job working anymore any longer july june last week month year back still new good bad big first look thing lot way put"
    " came come told tell take took made daughter son mum mom dad wife husband start end plan date day hour minut".split()
)
_CHANGE = frozenset(
    analyzer.terms(
        "move moved push pushed postponed slipped went gone up down raised rises rose dropped changed shifted bumped delayed"
    )
)
_TWO, _SHORT, _LEAST, _NAME = 2, 3, 3, 5
_HALF, _MANY, _MOSTLY = 0.5, 0.6, 0.67
_OPENING, _CLOSE, _LEAD = 45, 22, 12


def contradicts(new: str, old: str, *, corrects: bool, context: str = "", same_talk: bool = False) -> str | None:
    """Why the sentence `new` leaves `old` untrue, None if it doesn't: another value of what has one at a time, or its end.

    `corrects`: its words say that something earlier was wrong or is over; without them only a changed value counts.
    `context`: the whole of what was said with it; `same_talk`: `old` was said a few messages before.
    """
    if says("additional", new) or _differ(_subject(new), _subject(old)) or _other_way_round(new, old):
        return None
    ours, theirs, bygone = attribute_of(new), attribute_of(old), bool(over(old)) or says("bygone", old)
    bygone = bygone or (theirs is not None and theirs.past)
    if ours and theirs and (ours.is_of_another(theirs) or not ours.measures_as(theirs)):
        return None
    if not bygone and ((ours and theirs and ours.replaces(theirs)) or has_another_end(new, old)):
        return CHANGED
    if _denies(new, old):
        return CORRECTED
    if not corrects:
        return None
    if _names_old_value(new, old):
        return CORRECTED
    if not bygone and (_same_thing(new, old) or _conflicts(new, old, context or new, same_talk)):
        return CORRECTED
    return OVER if _ends(new, old) else None


def contradicted(new: str, old: str, *, corrects: bool) -> list[str]:
    """The sentences of an old text that one of a new text leaves untrue; `corrects` as in `contradicts`."""
    ours = [one.text for one in sentences(new)]
    theirs = [one.text for one in sentences(old)]
    return [one for one in theirs if any(contradicts(other, one, corrects=corrects) for other in ours)]


def _names_old_value(new: str, old: str) -> bool:
    pair = replaced_value(new)
    if pair is None:
        return False
    said, known = stems_of(new), stems_of(old)
    gone, instead = (stems_of(value) or said & {*analyzer.terms(value)} for value in pair)  # "MAS" alone is Spanish
    if not gone or not gone <= known or instead <= known:
        return False
    rest = said - gone - instead
    telling = any(len(stem) >= _NAME and not is_english(stem) for stem in gone)
    return stands_alone(new) or telling or bool(rest & known) or len(known - gone) <= _SHORT


def _denies(new: str, old: str) -> bool:
    """The same words but for a negation that only one of them has."""
    theirs = stems_of(_NOT.sub(" ", old))
    for clause in _CLAUSE.split(new.replace("’", "'")):
        ours = stems_of(_NOT.sub(" ", clause)) - _STRESS
        if theirs and ours == theirs and bool(_NOT.search(clause)) != bool(_NOT.search(old.replace("’", "'"))):
            return True
    return False


def _other_way_round(new: str, old: str) -> bool:
    """Whether somebody whom one tells of is the one who tells in the other: "I owe Ben", "Ben owes me"."""
    return any(_FIRST.match(one) and _opening_word(other) in names_of(one) for one, other in ((new, old), (old, new)))


def _opening_word(text: str) -> str:
    found = _WORD.search(text)
    return found[0].casefold() if found else ""


def _ends(new: str, old: str) -> bool:
    """What is over is what the old sentence tells: all of it, most of it, or the name in it."""
    stems, known = stems_of(over(new)) - _GENERAL, stems_of(old)
    common = shared(stems, known, begins=True)
    if over(old) or not common:
        return False
    english = language_of(old) == ENGLISH
    if english and names_of(over(new)) - names_of(old):
        return False
    named = english and bool(shared(stems, _no_words(old), begins=True))
    return len(common) >= (_HALF if named else _MOSTLY) * len(stems)


def _conflicts(new: str, old: str, context: str, same_talk: bool) -> bool:
    """Other figures of the same matter, or nearly all of its words again, in a sentence that says that something changed."""
    if not is_correction(new):
        return False
    ours, theirs = figures_of(new), figures_of(old)
    matter = _matter(old)
    common = {stem for stem in shared(matter, stems_of(context)) if len(stem) >= _LEAST or not stem.isascii()}
    english = language_of(old) == ENGLISH
    here, there = (frozenset(analyzer.words(text)) for text in (new, old))
    strangers = names_of(new) - there and names_of(old) - here
    if strangers or not common:
        return False
    named = bool(common & _no_words(old)) if english else any(len(stem) >= _NAME for stem in common)
    same_month = same_talk and any(map(is_calendar_word, ours & theirs))
    share = len(common) / len(matter)
    if ours - theirs and theirs - ours:
        nothing_else = len(ours - theirs) == 1 and not (_matter(new) - _CHANGE | matter & _no_words(old)) - common
        many = len(common) >= _TWO and share >= _MANY
        return many or (named and share >= _HALF) or same_month or nothing_else
    return len(common) >= _TWO and share >= _MOSTLY


def _matter(text: str) -> frozenset[str]:
    """What it is about, without when and how many."""
    rest = stems_of(text) - figures_of(text) - _GENERAL
    return frozenset(stem for stem in rest if not is_calendar_word(stem))


def _no_words(text: str) -> frozenset[str]:
    """The stems of what is no English word: a name, mostly."""
    return frozenset(stem for word in analyzer.words(text) if not is_english(word) for stem in analyzer.terms(word))


def _same_thing(new: str, old: str) -> bool:
    """The same thing named shorter or longer: "the deadline" for "the grant deadline", but not "my flight" for "Ann's"."""
    ours, theirs = attribute_of(new), attribute_of(old)
    if ours is None or theirs is None or ours.name != theirs.name or ours.kind != theirs.kind or not ours.topic:
        return False
    related = ours.topic <= theirs.topic or theirs.topic <= ours.topic
    related = related and not (ours.topic ^ theirs.topic) & (_no_words(new) | _no_words(old))
    return related and ours.value.casefold() != theirs.value.casefold()


@functools.lru_cache(maxsize=4096)
def _subject(sentence: str) -> frozenset[str] | None:
    """Whom it is about: the user, the words that name somebody of theirs, None where its words don't tell."""
    opening = sentence[:_OPENING].replace("’", "'").lstrip()
    user = _FIRST.match(opening)
    found = wording("household").search(opening) or wording("outsider").search(opening[:_CLOSE])
    if found and found.start() <= (user.start("who") if user else _LEAD):
        return stems_of(found[0])
    unspaced = _UNSPACED.search(sentence)  # there whoever speaks is not named
    return _THE_USER if user or unspaced else None


def _differ(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    return one is not None and other is not None and one.isdisjoint(other)
