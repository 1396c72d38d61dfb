"""Find the parts of a user's message that are the user's own words. All other text is foreign and never becomes a memory.

The finders run one after another, and each hides the foreign text that it finds. Role-play may span several messages.
"""

from collections.abc import Callable, Iterable

from commonplace.extraction.own_words.code import find_code, find_logs
from commonplace.extraction.own_words.forwarded import find_chats, find_mail, find_pasted
from commonplace.extraction.own_words.masking import HIDDEN, TextSpan, cue_pattern, lines_of, visible_spans, with_hidden
from commonplace.extraction.own_words.quotations import find_fences, find_marked, find_markup, find_quotations
from commonplace.extraction.own_words.structured_data import find_data

_STOPS = "\n.!?。！？"

Spans = tuple[tuple[int, int], ...]
# Explicit markup is found first, because a cue inside a code fence isn't a cue.
_FINDERS: tuple[Callable[[str], Iterable[TextSpan]], ...] = (
    find_fences, find_marked, find_mail, find_logs, find_data, find_code, find_chats, find_markup, find_quotations,
    find_pasted,
)  # fmt: skip


def find_role_play(view: str, continues: bool) -> tuple[list[TextSpan], bool]:
    """Return the spans of role-play, and whether it continues after the text. `continues` is True if it began earlier."""
    played: list[TextSpan] = []
    at: int | None = 0 if continues else _find_sentence_start(view, 0)
    while at is not None:
        ends = cue_pattern("role_play_ends").search(view, at)
        if ends is None:
            return [*played, TextSpan(at, len(view))], True
        played.append(TextSpan(at, ends.end()))
        at = _find_sentence_start(view, ends.end())
    return played, False


def _find_sentence_start(view: str, at: int) -> int | None:
    """Return the start of the sentence that begins role-play, or None."""
    begins = cue_pattern("role_play").search(view, at)
    if begins is None:
        return None
    return max(at, *(view.rfind(stop, at, begins.start() + 1) + 1 for stop in _STOPS))


def own_spans(text: str, role_play: bool = False) -> tuple[Spans, bool]:
    """Return the spans (start, end) of the user's own words in a message, and whether role-play continues after it.

    `role_play` is True if role-play began in an earlier message. The running time is linear in the text's length.
    """
    view = text.replace(HIDDEN, "\ufffd").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    for find in _FINDERS:
        view = with_hidden(view, find(view))
    played, continues = find_role_play(view, role_play)
    return tuple((start, end) for start, end in visible_spans(with_hidden(view, played))), continues


def has_lines_of_code(text: str) -> bool:
    """Return whether a text contains a line of code. A name or formula within a sentence doesn't count."""
    covered = [*find_fences(text), *find_code(text)]
    quoted = [
        (line.start + len(line.text) - len(line.text.lstrip()), line.start + len(line.text.rstrip()))
        for line in lines_of(text)
        if line.text.strip()
    ]
    return any(span.start <= start and end <= span.end for span in covered for start, end in quoted)
