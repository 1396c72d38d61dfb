"""Writes `docs/languages.md`, what works in which language, from the tables; `--check` tells whether it is up to date."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from commonplace.extraction import patterns
from commonplace.extraction.grounding import evidence, polarity
from commonplace.extraction.own_words.masking import cues
from commonplace.text import redaction, third_person
from commonplace.text.foundation import intent_cues, tokenizer
from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.languages import ENGLISH, Language, languages
from commonplace.text.paraphrase.language import TABLED, UNSEGMENTED, language_of
from commonplace.text.tagging import tables
from commonplace.text.time_ranges.language import LANGUAGES as IN_TIMES

PAGE = Path(__file__).parents[1] / "docs" / "languages.md"
YES, NO = "yes", ""
INTRO = """# What works in which language

Made from the word tables by `python -m benchmarks.language_table`; an empty cell: it does nothing in that language,
and the text is kept as it was said.
"""


CLASSIFIER = """Type, category and importance come from a classifier trained on English, with cue words of others too;
[its figures](../benchmarks/RESULTS.md) are those of English. Vectors are those of an English model.
"""


def _known_by(language: Language) -> str:
    return "words" if language.words else "script"


def _written_without_blanks(language: Language) -> bool:
    """Whether the tokenizer cuts three letters of its script into pairs."""
    return len(tokenizer.words(_letters(language))) > 1


def _letters(language: Language) -> str:
    """Three of its script; nothing for a language that is known by its words."""
    return language.script[-2:-1] * 3


def _searched(language: Language) -> str:
    if language.code == ENGLISH:
        return "stems"
    return "pairs" if _written_without_blanks(language) else "words"


def _third_person(language: Language) -> str:
    return "rewritten" if language.code == ENGLISH else "quoted" if language.code in third_person.frames() else NO


def _forgetting(language: Language) -> str:
    if language.code in patterns.LANGUAGES:
        return YES
    return "reported" if language.code in patterns.FORGETTING_ONLY_REPORTED else NO


def _grounding(language: Language) -> str:
    if language.code in polarity.tables():
        return YES
    return "names" if language.code in evidence.LANGUAGES_WITHOUT_CAPITALS else NO


def _tags(language: Language) -> str:
    if tables.has_topics(language.code):
        return "topics"
    return "words" if language.code in tables.LANGUAGES else NO


def _paraphrases(language: Language) -> str:
    if language.name.lower() in TABLED:
        return "forms"
    return "signs" if language_of(_letters(language)) == UNSEGMENTED else "words"


def _listed(codes: Callable[[], object]) -> Callable[[Language], str]:
    def cell(language: Language) -> str:
        found = codes()
        assert isinstance(found, Mapping | tuple)
        return YES if language.code in found else NO

    return cell


COLUMNS: Mapping[str, tuple[Callable[[Language], str], str]] = {
    "known": (_known_by, "how a text in it is recognised: by its function words, or by its script alone"),
    "search": (_searched, "how the index has its words: English stems, whole words, or pairs of characters"),
    "3rd person": (_third_person, 'what becomes of "I": rewritten, or the text as it is, quoted in a sentence'),
    "secrets": (_listed(lambda: redaction.LANGUAGES), "the words that announce a secret; a key or a card shows anywhere"),
    "times": (_listed(lambda: IN_TIMES), "a time range is read from a query, and a relative date made absolute"),
    "dates": (_listed(calendars), "names of months and weekdays"),
    "quotes": (_listed(cues), "what announces a quotation, a pasted text or a forwarded mail"),
    "rules": (_listed(lambda: patterns.LANGUAGES), "what the reading by rules goes by: doubts, wishes, changes, reports"),
    "forget": (_forgetting, "requests to forget: carried out, or only reported"),
    "evidence": (_grounding, "a sentence is held against what was said: numbers, dates, no, names; or names alone"),
    "tags": (_tags, "topics are known, or only which words are no tags"),
    "same": (_paraphrases, "two sentences say the same: by forms and synonyms, word by word, or sign by sign"),
    "intent": (_listed(lambda: intent_cues.LANGUAGES), "a query wants advice, a text is an instruction"),
}


def page() -> str:
    """The page: a row for each language, and what each column means."""
    known = languages().values()
    rows = [[language.name, *(cell(language) for cell, _ in COLUMNS.values())] for language in known]
    head = ["", *COLUMNS]
    lines = [_line(head), "|" + "---|" * len(head), *map(_line, rows)]
    meanings = [f"- **{name}**: {meaning}." for name, (_, meaning) in COLUMNS.items()]
    return "\n".join([INTRO, *lines, "", *meanings, "", CLASSIFIER])


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("docs/languages.md is not what the word tables give: run python -m benchmarks.language_table")
    else:
        PAGE.write_text(page(), encoding="utf-8")
