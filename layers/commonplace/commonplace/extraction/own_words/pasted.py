"""Pasted text: what is announced ("here's the article:", "my friend wrote:") or to be worked on ("translate this:")."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.own_words.view import HIDDEN, Span, paragraphs_of

_COLON_OR_LINE = re.compile(r"[:：]|\S[^\S\n]*\n")
_SOMETHING = re.compile(r"\S")


def find_pasted(view: str) -> Iterator[Span]:
    """A document goes on to the end of the message, what a person said to the end of its paragraph.

    After an "end of quote" words are own again, and so is a last paragraph that speaks of what was pasted ("what do you
    think?"). Where that paragraph wants something done with "the above", what is above is pasted.
    """
    *above, last = paragraphs_of(view)
    speaks = bool(above) and bool(cue("speaks_of_pasted").match(view, last.start))
    if above and cue("asks_about_above").match(view, last.start):
        yield Span(0, above[-1].end)
    for start in _announced(view, "document"):
        ended = cue("end_of_pasted").search(view, start)
        yield Span(start, ended.end() if ended else above[-1].end if speaks and start < last.start else len(view))
        break
    for start in _announced(view, "said"):
        blank = view.find("\n\n", start)
        yield Span(start, blank if blank >= 0 else len(view))


def _announced(view: str, name: str) -> Iterator[int]:
    """Where text begins that is announced and not hidden yet. Without a colon or a second line nothing is announced."""
    if not _COLON_OR_LINE.search(view):
        return
    for announcement in cue(name).finditer(view):
        begins = _SOMETHING.search(view, announcement.end())
        if begins and begins[0] != HIDDEN:
            yield begins.start()
