"""Mail in a message: forwarded, answered, with headers, as a letter; and signatures."""

from collections.abc import Iterator

from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.own_words.view import Line, Span, lines_of

_BETWEEN_HEADERS = 3


def find_mail(view: str) -> Iterator[Span]:
    """From headers, a mark of forwarding or an "On … wrote:" to the end; a letter from salutation to name; signatures."""
    lines = lines_of(view)
    start = min((place for place in (_headers(lines), _announced(lines)) if place is not None), default=None)
    if start is not None:
        yield Span(start, len(view))
    yield from _letter(lines)
    yield from _signatures(lines, view)


def _headers(lines: list[Line]) -> int | None:
    """Where a header with an address stands, or two different ones close together."""
    last: tuple[int, Line, str] | None = None
    for at, line in enumerate(lines):
        header = cue("mail_header").match(line.text.strip(" *"))
        if header is None:
            continue
        if cue("mail_address").search(line.text):
            return line.start
        if last and at - last[0] <= _BETWEEN_HEADERS and header[0].lower() != last[2]:
            return last[1].start
        last = (at, line, header[0].lower())
    return None


def _announced(lines: list[Line]) -> int | None:
    return next((line.start for line in lines if cue("mail_begins").match(line.text.strip(" *_"))), None)


def _letter(lines: list[Line]) -> Iterator[Span]:
    """A letter has both a salutation and a complimentary close; one to the assistant is no letter."""
    opened: Line | None = None
    for at, line in enumerate(lines):
        text = line.text.strip()
        if opened is None and cue("salutation").fullmatch(text) and not cue("assistant").search(text):
            opened = line
        elif opened and cue("close").fullmatch(text):
            name = next((below for below in lines[at + 1 : at + 3] if below.text.strip()), line)
            yield Span(opened.start, (name if len(name.text) < 60 else line).end)
            opened = None


def _signatures(lines: list[Line], view: str) -> Iterator[Span]:
    for line in lines:
        if line.text.rstrip() == "--" and line.start:
            yield Span(line.start, len(view))
            return
        if cue("device").match(line.text.strip()):
            yield Span(line.start, line.end)
