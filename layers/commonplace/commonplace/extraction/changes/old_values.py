"""Whether a sentence contradicts an old one by naming its value as gone, or by other figures for the same subject."""

from commonplace.extraction.changes.corrections import denied_days, is_correction, lacks_subject, replaced_value
from commonplace.extraction.changes.figure_replacement import figures_of, plain_figures
from commonplace.extraction.content_words import names_of, shared_stems, stems_of
from commonplace.extraction.patterns import compiled, word_list, word_stems
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.languages import ENGLISH, language_of

_TWO, _SHORT, _LEAST, _NAME = 2, 3, 3, 5
_HALF, _MANY, _MOSTLY, _SHARED = 0.5, 0.6, 0.67, 0.3


def names_old_value(new: str, old: str) -> bool:
    """Whether a sentence names both the old value and the one that replaces it ("not X but Y")."""
    pair = replaced_value(new)
    if pair is None:
        return False
    said, known = stems_of(new), stems_of(old)
    gone, instead = (stems_of(value) or said & {*tokenizer.terms(value)} for value in pair)  # "MAS" alone is Spanish
    if not gone or not gone <= known or instead <= known:
        return False
    rest = said - gone - instead
    if lacks_subject(new) or rest & known:
        return True
    if any(is_calendar_word(stem) or stem[:1].isdigit() for stem in gone):
        return False  # many things are on a Monday
    return len(known - gone) <= _SHORT or any(len(stem) >= _NAME and not is_english(stem) for stem in gone)


def denies_value(new: str, old: str, context: str) -> bool:
    """Whether a sentence says that the old day no longer holds, for the same subject or month, and tells another."""
    gone_days = denied_days(new)
    if not gone_days:
        return False
    known, told = plain_figures(old), frozenset(plain_figures(context))
    for value in gone_days:
        gone = frozenset(plain_figures(value))
        if not gone or not gone <= frozenset(known) or not told - gone or any(known.count(one) > 1 for one in gone):
            continue
        same_month = any(one.isdigit() for one in gone) and any(map(is_calendar_word, (told - gone) & frozenset(known)))
        parts = [part for part in compiled("clauses.part_end").split(old) if gone <= frozenset(plain_figures(part))]
        matters = [matter for part in (*parts, old) if (matter := _subject_words(part))]
        if same_month or any(_shares(matter, context) for matter in matters):
            return True
    return False


def _shares(matter: frozenset[str], context: str) -> bool:
    """Whether a context shares at least a good part of some subject words."""
    common = [stem for stem in shared_stems(matter, stems_of(context)) if len(stem) > _LEAST or not stem.isascii()]
    return len(common) >= _SHARED * len(matter) and bool(common)


def conflicts(new: str, old: str, context: str, same_talk: bool) -> bool:
    """Whether a sentence that says that something changed conflicts with the old one, or with that part of it, between
    commas, that tells figures."""
    if not is_correction(new):
        return False
    dated = [part for part in compiled("clauses.part_end").split(old) if figures_of(part)]
    parts = dated if len(dated) == 1 and len(_subject_words(dated[0])) >= _TWO else []
    return any(_conflicts(new, one, context, same_talk) for one in (old, *parts))


def _conflicts(new: str, old: str, context: str, same_talk: bool) -> bool:
    """Whether both have other figures for the same subject, or nearly all words in common."""
    ours, theirs = figures_of(new), figures_of(old)
    matter = _subject_words(old)
    common = {stem for stem in shared_stems(matter, stems_of(context)) if len(stem) >= _LEAST or not stem.isascii()}
    english = language_of(old) == ENGLISH
    here, there = (frozenset(tokenizer.words(text)) for text in (new, old))
    strangers = names_of(new) - there and names_of(old) - here
    if strangers or not common:
        return False
    named = bool(common & unknown_words(old)) if english else any(len(stem) >= _NAME for stem in common)
    same_month = same_talk and any(map(is_calendar_word, ours & theirs))
    share = len(common) / len(matter)
    if ours - theirs and theirs - ours:
        nothing_else = (
            len(ours - theirs) == 1
            and not (_subject_words(new) - word_stems("change") | matter & unknown_words(old)) - common
        )
        many = len(common) >= _TWO and share >= _MANY
        return many or (named and share >= _HALF) or same_month or nothing_else
    return len(common) >= _TWO and share >= _MOSTLY


def _subject_words(text: str) -> frozenset[str]:
    """The stems of what a text is about, without times and counts."""
    rest = stems_of(text) - figures_of(text) - word_list("general")
    return frozenset(stem for stem in rest if not is_calendar_word(stem))


def unknown_words(text: str) -> frozenset[str]:
    """The stems of words that are not English: mostly names."""
    return frozenset(stem for word in tokenizer.words(text) if not is_english(word) for stem in tokenizer.terms(word))
