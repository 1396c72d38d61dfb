"""Find the sentence of a memory that a new sentence contradicts with another value, a correction, or an end."""

import functools
import re
from typing import NamedTuple

from commonplace.extraction.changes.attributes import Attribute, attribute_of
from commonplace.extraction.changes.corrections import denied_days, ended_matter, is_correction, lacks_subject, replaced_value
from commonplace.extraction.changes.figure_replacement import figures_of, plain_figures
from commonplace.extraction.changes.subjects import have_different_subjects, swaps_roles
from commonplace.extraction.clauses import sentences
from commonplace.extraction.content_words import names_of, shared_stems, stems_of
from commonplace.extraction.patterns import compiled, has_wording, word_list, word_stems, wording_pattern
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.characters import HIRAGANA, straight
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.languages import ENGLISH, language_of

_WORD = re.compile(r"[^\W_][\w'’-]*")
_LEAST, _LONGEST_END = 2, 6
CHANGED, CORRECTED, OVER = "another value of the same", "it was corrected", "it is over"
_OF_A_LIFE = ("residence", "home_of", "employer", "role")
_JOINS = re.compile(rf"[{HIRAGANA}].|.[{HIRAGANA}]")  # two characters, one of which is Hiragana and therefore grammar
_TWO, _SHORT, _LEAST_OLD, _NAME = 2, 3, 3, 5
_HALF, _MANY, _MOSTLY, _SHARED = 0.5, 0.6, 0.67, 0.3


class _Claim(NamedTuple):
    """A claim in a text. `stems` omits negations. `denied` is True if it is negated. `limits` contains words like "only"."""

    stems: frozenset[str]
    denied: bool
    limits: frozenset[str]


def has_another_end(new: str, old: str) -> bool:
    """Return whether `new` begins with the same words as `old` but ends differently, and contains a word like "now"."""
    now, of_the_user = compiled("contradictions.now"), compiled("contradictions.user").match(new)
    if not (now.search(new) and of_the_user) or compiled("contradictions.may_be_many").match(new):
        return False
    ours, theirs = _WORD.findall(now.sub("", new)), _WORD.findall(now.sub("", old))
    pairs = enumerate(zip(ours, theirs, strict=False))
    same = next((at for at, (own, other) in pairs if own.casefold() != other.casefold()), 0)
    ends = ours[same:], theirs[same:]
    if any(end[0].casefold() in word_list("small") or len(end) > _LONGEST_END for end in ends if end) or not all(ends):
        return False
    in_a_name = same > 1 and ours[same - 1][0].isupper() and all(end[0][0].isupper() for end in ends)
    shared = " ".join(ours[:same])
    return not in_a_name and (len(stems_of(shared)) >= _LEAST or bool(names_of(shared)))


def contradicts(new: str, old: str, *, corrects: bool, context: str = "", nearby: bool = False) -> str | None:
    """Return the reason that the sentence `new` makes the sentence `old` untrue, or None if it doesn't.

    `corrects` is True if `new` says that something earlier was wrong or has ended. Otherwise, only a changed value or an
    explicit denial counts. `context` contains `new`. `nearby` is True if both are from the same conversation.
    """
    if has_wording("additional", new) or have_different_subjects(new, old) or swaps_roles(new, old):
        return None
    ours = attribute_of(new)
    theirs = attribute_of(old) if ours else None  # searched only if needed, because the search is slow
    if ours and theirs and (ours.is_of_another(theirs) or not ours.measures_as(theirs)):
        return None
    changed = ours and theirs and ours.replaces(theirs) and _is_current(new, ours)
    if (changed or has_another_end(new, old)) and not _is_bygone(old):
        return CHANGED
    if _denies(new, old) or denies_value(new, old, context or new):
        return CORRECTED
    if not corrects or (has_wording("called_off", new) and has_wording("regular", old)):
        return None
    if names_old_value(new, old) or (_has_same_attribute(new, old) and not _is_bygone(old)):
        return CORRECTED
    gone = _find_ended_stems(new)
    if gone - shared_stems(gone, stems_of(old), begins=True):
        return None
    if not _is_bygone(old) and conflicts(new, old, context or new, nearby):
        return CORRECTED
    return OVER if gone and not ended_matter(old) else None


def _is_bygone(old: str) -> bool:
    """Return whether a sentence is about the past and no longer true."""
    attribute = attribute_of(old)
    return bool(ended_matter(old)) or has_wording("bygone", old) or (attribute is not None and attribute.past)


def contradicted(new: str, old: str, *, corrects: bool) -> list[str]:
    """Return the sentences in an old text that a new text makes untrue. `corrects` is passed to `contradicts`."""
    ours = [sentence.text for sentence in sentences(new)]
    theirs = [sentence.text for sentence in sentences(old)]
    return [sentence for sentence in theirs if any(contradicts(other, sentence, corrects=corrects) for other in ours)]


def _is_current(new: str, ours: Attribute) -> bool:
    """Return whether a sentence states a current value rather than a past or possible one."""
    if ours.past and has_wording("long_ago", new):
        return False
    if ours.name not in _OF_A_LIFE:
        return True
    # Leave out an announcement before the value ("I wanted to tell you") and a remark after it ("because I wanted to").
    start = max(straight(new).find(ours.value), 0)
    announcement = compiled("contradictions.telling").match(new[:start])
    aside = compiled("contradictions.aside").search(new, start + len(ours.value))
    statement = new[announcement.end() if announcement else 0 : aside.start() if aside else None]
    return not (ours.past or has_wording("not_yet", statement) or has_wording("weak", statement))


def _denies(new: str, old: str) -> bool:
    """Return whether a clause in `new` has the same words as `old`, and only one of the two is negated."""
    theirs = _build_claim(old)
    return bool(theirs.stems) and any(
        ours.stems - word_stems("stress") == theirs.stems and ours.denied != theirs.denied and ours.limits <= theirs.limits
        for ours in _split_claims(new)
    )


@functools.lru_cache(maxsize=1024)
def _split_claims(text: str) -> tuple[_Claim, ...]:
    """Return the claims that a text makes, one per clause."""
    return tuple(map(_build_claim, compiled("contradictions.clause").split(straight(text))))


@functools.lru_cache(maxsize=1024)
def _build_claim(text: str) -> _Claim:
    negation = compiled("contradictions.not")
    limits = frozenset(match[0].casefold() for match in wording_pattern("limited").finditer(text))
    return _Claim(stems_of(negation.sub(" ", text)), negation.search(straight(text)) is not None, limits)


def _find_ended_stems(new: str) -> frozenset[str]:
    """Return the stems for the thing that has ended, including times and places ("no coffee in the evening")."""
    matter = ended_matter(new) or ended_matter(new, "ended_of_somebody")
    return (
        frozenset(stem for stem in stems_of(compiled("contradictions.why").split(matter)[0]) if not _JOINS.search(stem))
        - word_list("general")
        - word_stems("stress")
    )


def _has_same_attribute(new: str, old: str) -> bool:
    """Return whether both sentences give the same attribute different values. One may shorten the topic of the other.

    "The deadline" may mean "the grant deadline". A topic with an additional name is a different topic.
    """
    ours, theirs = attribute_of(new), attribute_of(old)
    if ours is None or theirs is None or ours.name != theirs.name or ours.kind != theirs.kind or not ours.topic:
        return False
    related = ours.topic <= theirs.topic or theirs.topic <= ours.topic
    related = related and not (ours.topic ^ theirs.topic) & (unknown_words(new) | unknown_words(old))
    return related and ours.value.casefold() != theirs.value.casefold()


def names_old_value(new: str, old: str) -> bool:
    """Return whether a sentence replaces a value in the old sentence ("not X but Y")."""
    pair = replaced_value(new)
    if pair is None:
        return False
    spoken, known = stems_of(new), stems_of(old)
    gone, instead = (stems_of(value) or spoken & {*tokenizer.terms(value)} for value in pair)  # "MAS" alone is Spanish
    if not gone or not gone <= known or instead <= known:
        return False
    other_stems = spoken - gone - instead
    if lacks_subject(new) or other_stems & known:
        return True
    if any(is_calendar_word(stem) or stem[:1].isdigit() for stem in gone):
        return False  # a weekday or a number doesn't identify the old sentence
    return len(known - gone) <= _SHORT or any(len(stem) >= _NAME and not is_english(stem) for stem in gone)


def denies_value(new: str, old: str, context: str) -> bool:
    """Return whether a sentence says that the day in the old sentence no longer applies, and gives a different day.

    Both sentences must have the same subject or month.
    """
    gone_days = denied_days(new)
    if not gone_days:
        return False
    known, new_figures = plain_figures(old), frozenset(plain_figures(context))
    for value in gone_days:
        gone = frozenset(plain_figures(value))
        if (
            not gone
            or not gone <= frozenset(known)
            or not new_figures - gone
            or any(known.count(figure) > 1 for figure in gone)
        ):
            continue
        shared = (new_figures - gone) & frozenset(known)
        same_month = any(figure.isdigit() for figure in gone) and any(map(is_calendar_word, shared))
        parts = [part for part in compiled("clauses.part_end").split(old) if gone <= frozenset(plain_figures(part))]
        matters = [matter for part in (*parts, old) if (matter := _find_subject_stems(part))]
        if same_month or any(_has_common_subject(matter, context) for matter in matters):
            return True
    return False


def _has_common_subject(matter: frozenset[str], context: str) -> bool:
    """Return whether a context contains at least 30% of the subject stems `matter`."""
    common = [stem for stem in shared_stems(matter, stems_of(context)) if len(stem) > _LEAST_OLD or not stem.isascii()]
    return len(common) >= _SHARED * len(matter) and bool(common)


def conflicts(new: str, old: str, context: str, nearby: bool) -> bool:
    """Return whether a correction conflicts with the old sentence, or with its only part that has figures."""
    if not is_correction(new):
        return False
    dated = [part for part in compiled("clauses.part_end").split(old) if figures_of(part)]
    parts = dated if len(dated) == 1 and len(_find_subject_stems(dated[0])) >= _TWO else []
    return any(_has_conflict(new, part, context, nearby) for part in (old, *parts))


def _has_conflict(new: str, old: str, context: str, nearby: bool) -> bool:
    """Return whether the texts have different figures for the same subject, or nearly all words in common."""
    ours, theirs = figures_of(new), figures_of(old)
    matter = _find_subject_stems(old)
    common = {stem for stem in shared_stems(matter, stems_of(context)) if len(stem) >= _LEAST_OLD or not stem.isascii()}
    english = language_of(old) == ENGLISH
    new_words, old_words = (frozenset(tokenizer.words(text)) for text in (new, old))
    strangers = names_of(new) - old_words and names_of(old) - new_words
    if strangers or not common:
        return False
    named = bool(common & unknown_words(old)) if english else any(len(stem) >= _NAME for stem in common)
    same_month = nearby and any(map(is_calendar_word, ours & theirs))
    share = len(common) / len(matter)
    if ours - theirs and theirs - ours:
        further = (_find_subject_stems(new) - word_stems("change") | matter & unknown_words(old)) - common
        nothing_else = len(ours - theirs) == 1 and not further
        many = len(common) >= _TWO and share >= _MANY
        return many or (named and share >= _HALF) or same_month or nothing_else
    return len(common) >= _TWO and share >= _MOSTLY


def _find_subject_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's subject, without times and counts."""
    subject = stems_of(text) - figures_of(text) - word_list("general")
    return frozenset(stem for stem in subject if not is_calendar_word(stem))


def unknown_words(text: str) -> frozenset[str]:
    """Return the stems of the non-English words, most of which are names."""
    return frozenset(stem for word in tokenizer.words(text) if not is_english(word) for stem in tokenizer.terms(word))
