"""Write `docs/internals/languages.md`: what works in which language, from the word tables. `--check` only compares."""

import sys
from collections.abc import Callable, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from commonplace.adapters import universal_encoder
from commonplace.extraction import patterns
from commonplace.extraction.grounding import evidence, polarity
from commonplace.extraction.own_words.masking import cues
from commonplace.text import redaction, third_person
from commonplace.text.foundation import intent_cues, tokenizer
from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.languages import ENGLISH, Language, languages
from commonplace.text.tagging import tables
from commonplace.text.time_ranges.language import LANGUAGES as IN_TIMES

PAGE = Path(__file__).parents[1] / "docs" / "internals" / "languages.md"
YES, NO = "✓", ""
INTRO = """# What works in which language

`python -m benchmarks.language_table` makes this page from the word tables. An empty cell means that the feature does
nothing in that language, and the text stays unchanged.
"""


CLASSIFIER = """Type, category and importance come from a classifier that was trained on English, with cue words of other
languages. [Its figures](../../benchmarks/RESULTS.md) are for English.
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


def _embedded(language: Language) -> str:
    if language.code not in universal_encoder.LANGUAGES:
        return "e5" if language.words else NO
    return "both" if language.words or language.code == "ja" else "USE"


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
    return "meaning" if _embedded(language) else "words"


def _listed(codes: Callable[[], object]) -> Callable[[Language], str]:
    def cell(language: Language) -> str:
        found = codes()
        assert isinstance(found, Mapping | tuple)
        return YES if language.code in found else NO

    return cell


COLUMNS: Mapping[str, tuple[Callable[[Language], str], str]] = {
    "known": (_known_by, "the language is recognized by its function `words`, or only by its `script`"),
    "search": (_searched, "the index contains English `stems`, whole `words`, or `pairs` of characters"),
    "embed": (_embedded, "`both` encoders were trained on the language, or only `USE` or `e5`"),
    "person": (
        _third_person,
        "statements in the first person are `rewritten` in the third, or `quoted` in a sentence about the user",
    ),
    "secrets": (
        _listed(lambda: redaction.LANGUAGES),
        "words that announce a secret are known. Keys and card numbers are recognized in any language",
    ),
    "times": (_listed(lambda: IN_TIMES), "time ranges in queries are understood, and relative dates become absolute"),
    "dates": (_listed(calendars), "the names of months and weekdays are recognized"),
    "quotes": (_listed(cues), "quotations, pasted texts and forwarded mails are recognized"),
    "rules": (
        _listed(lambda: patterns.LANGUAGES),
        "the rules of a nightly run recognize doubts, requests, changes and reports",
    ),
    "erase": (_forgetting, "requests to forget are carried out, or only `reported`"),
    "proof": (
        _grounding,
        "a memory has only numbers, dates, negations and names that the user said, or this holds only for `names`",
    ),
    "tags": (_tags, "the `topics` of a text are recognized, or only the `words` that must not become tags"),
    "same": (_paraphrases, "a repeated statement is recognized by its `meaning`, or only by its `words`"),
    "intent": (_listed(lambda: intent_cues.LANGUAGES), "a query that asks for advice or gives an instruction is recognized"),
}


def page() -> str:
    """Return the page: a row for each language, equal neighbours in one row, and the meaning of the columns."""
    known = languages().values()
    cells = [(language.name, [cell(language) for cell, _ in COLUMNS.values()]) for language in known]
    grouped = [([name for name, _ in group], row) for row, group in groupby(cells, key=itemgetter(1))]
    rows = [[", ".join(names[at : at + 5]), *row] for names, row in grouped for at in range(0, len(names), 5)]
    head = ["", *COLUMNS]
    lines = [_line(head), "|" + "---|" * len(head), *map(_line, rows)]
    meanings = [f"- **{name}**: {meaning}." for name, (_, meaning) in COLUMNS.items()]
    return "\n".join([INTRO, *lines, "", *meanings, "", CLASSIFIER])


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("docs/internals/languages.md is not what the word tables give: run python -m benchmarks.language_table")
    else:
        PAGE.write_text(page(), encoding="utf-8")
