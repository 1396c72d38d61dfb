"""Role-play: from the sentence that begins it to the wording that ends it, over as many messages as that takes."""

from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.own_words.view import Span

_STOPS = "\n.!?。！？"


def find_role_play(view: str, goes_on: bool) -> tuple[list[Span], bool]:
    """The stretches played, and whether it goes on after this message. `goes_on`: whether it did before it."""
    played: list[Span] = []
    at: int | None = 0 if goes_on else _begun(view, 0)
    while at is not None:
        ends = cue("role_play_ends").search(view, at)
        if ends is None:
            return [*played, Span(at, len(view))], True
        played.append(Span(at, ends.end()))
        at = _begun(view, ends.end())
    return played, False


def _begun(view: str, at: int) -> int | None:
    """Where the sentence begins that starts one."""
    begins = cue("role_play").search(view, at)
    if begins is None:
        return None
    return max(at, *(view.rfind(stop, at, begins.start() + 1) + 1 for stop in _STOPS))
