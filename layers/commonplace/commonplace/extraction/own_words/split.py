"""One message, split: each finder hides what it knows to be foreign, and what nobody hid are own words."""

from collections.abc import Callable, Iterable

from commonplace.extraction.own_words.chats import find_chats
from commonplace.extraction.own_words.code import find_code
from commonplace.extraction.own_words.data import find_data
from commonplace.extraction.own_words.logs import find_logs
from commonplace.extraction.own_words.mail import find_mail
from commonplace.extraction.own_words.markup import find_fences, find_markup
from commonplace.extraction.own_words.pasted import find_pasted
from commonplace.extraction.own_words.quotations import find_quotations
from commonplace.extraction.own_words.role_play import find_role_play
from commonplace.extraction.own_words.view import HIDDEN, Span, hidden, visible

Spans = tuple[tuple[int, int], ...]
# What marks itself comes before what its wording tells: a cue inside a fence is no cue.
_FINDERS: tuple[Callable[[str], Iterable[Span]], ...] = (
    find_fences, find_mail, find_logs, find_data, find_code, find_chats, find_markup, find_quotations, find_pasted,
)  # fmt: skip


def own_spans(text: str, role_play: bool = False) -> tuple[Spans, bool]:
    """The spans (start, end) of a user's message that are own words, in order and apart; and whether role-play goes on.

    `role_play`: whether the messages before it left one going. An ordinary message is one span. The time is linear in
    the length of the text.
    """
    view = text.replace(HIDDEN, "\ufffd").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    for find in _FINDERS:
        view = hidden(view, find(view))
    played, goes_on = find_role_play(view, role_play)
    return tuple((start, end) for start, end in visible(hidden(view, played))), goes_on
