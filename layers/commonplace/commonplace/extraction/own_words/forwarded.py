"""Find text by other people, such as forwarded mail and chats, and pasted text that the user announces."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.masking import HIDDEN, TextLine, TextSpan, cue_pattern, lines_of, paragraphs_of

_CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_STAMPED = re.compile(
    rf"""\s*(?:
      (?:\[(?:{_DATE},?\s)?{_CLOCK}\] | \(?{_DATE},?\s{_CLOCK}\)?\s?[-–]
        | {_CLOCK}\s[-–]?\s?(?:<[^<>\n]{{1,30}}>|(?=[^\W\d_][\w\ ]{{0,30}}:)))\s?\S
    | <[@+]?\w[\w-]{{0,30}}>\s\S
    | [^\W\d_][\w\ .]{{0,30}}\s[\[(]?(?:{_DATE},?\s|today\ at\s|yesterday\ at\s)?{_CLOCK}[\])]?\s?:?$
    )""",
    re.VERBOSE,
)
_LABELLED = re.compile(
    r"\s*(?:[-*•]\s|\*\*)?([^\W\d_][\w'’.-]{0,24}(?: [^\W\d_][\w'’.-]{0,24}){0,2})(?:\*\*)?\s?[:：](?:\*\*)?\s?(?=\S)(.*)"
)

_BETWEEN_HEADERS = 3
_COLON_OR_LINE = re.compile(r"[:：]|\S[^\S\n]*\n")
_SOMETHING = re.compile(r"\S")


def find_chats(view: str) -> Iterator[TextSpan]:
    """Yield lines with timestamps, lines from a play, runs of lines with speakers, and lines labelled by a program."""
    lines = lines_of(view)
    stamped = False
    for line in lines:
        begins = bool(_STAMPED.match(line.text)) or _is_script(line.text)
        stamped = bool(line.text.strip()) and (stamped or begins)
        if stamped or cue_pattern("program_says").match(line.text):
            yield TextSpan(line.start, line.end)
    yield from _find_labelled_chats(lines)


def _is_script(text: str) -> bool:
    """Return whether a line is from a play ("HAMLET: ...")."""
    name = text.partition(":")[0].partition("(")[0].strip()
    return bool(cue_pattern("script").match(text)) and not cue_pattern("no_speaker").fullmatch(name)


def _find_labelled_chats(lines: list[TextLine]) -> Iterator[TextSpan]:
    """Yield chats, which are runs of at least two labelled lines, with the blank and continuation lines between them."""
    run: list[TextLine] = []
    chat: list[tuple[str, str]] = []
    for line in [*lines, TextLine(0, 0, "")]:
        label = _LABELLED.match(line.text)
        if label and not cue_pattern("no_speaker").fullmatch(label[1]):
            run.append(line)
            chat.append((label[1].casefold(), label[2]))
        elif line.end and (not line.text.strip() or (run and run[-1].text.strip())):
            run.append(line)
        else:
            yield from _find_chat_span(run, chat)
            run, chat = [], []
    yield from _find_chat_span(run, chat)


def _find_chat_span(run: list[TextLine], lines: list[tuple[str, str]]) -> Iterator[TextSpan]:
    """Yield the span of a run from its first to its last labelled line, if `lines` (speaker and words) are a chat."""
    if not _is_chat(lines):
        return
    labelled = [line for line in run if _LABELLED.match(line.text)]
    yield TextSpan(labelled[0].start, labelled[-1].end)


def _is_chat(lines: list[tuple[str, str]]) -> bool:
    """Return whether labelled lines are a chat. In a list by the user, each label occurs only once ("Monday: gym")."""
    speakers = {speaker for speaker, _ in lines}
    if len(lines) < 2:
        return False
    if any(cue_pattern("talker").fullmatch(speaker) for speaker in speakers):
        return True
    turns = sum(1 for _, words in lines if cue_pattern("talk").search(words))
    return 1 < len(speakers) < len(lines) or (len(speakers) > 1 and turns > 0 and turns * 2 >= len(lines))


def find_mail(view: str) -> Iterator[TextSpan]:
    """Yield quoted mail, from its headers or "On … wrote:" to the end of the text, as well as letters and signatures."""
    lines = lines_of(view)
    announced = next((line.start for line in lines if cue_pattern("mail_begins").match(line.text.strip(" *_"))), None)
    starts = [place for place in (_find_header(lines), announced) if place is not None]
    if starts:
        yield TextSpan(min(starts), len(view))
    yield from _find_letters(lines)
    yield from _find_signatures(lines, view)


def _find_header(lines: list[TextLine]) -> int | None:
    """Return the start of a mail header, or None. Headers without an address count only if two are close together."""
    last: tuple[int, TextLine, str] | None = None
    for at, line in enumerate(lines):
        header = cue_pattern("mail_header").match(line.text.strip(" *"))
        if header is None:
            continue
        if cue_pattern("mail_address").search(line.text):
            return line.start
        if last and at - last[0] <= _BETWEEN_HEADERS and header[0].lower() != last[2]:
            return last[1].start
        last = (at, line, header[0].lower())
    return None


def _find_letters(lines: list[TextLine]) -> Iterator[TextSpan]:
    """Yield letters, from the salutation to the complimentary close. A message to the assistant is not a letter."""
    opened: TextLine | None = None
    for at, line in enumerate(lines):
        text = line.text.strip()
        if opened is None and cue_pattern("salutation").fullmatch(text) and not cue_pattern("assistant").search(text):
            opened = line
        elif opened and cue_pattern("close").fullmatch(text):
            name = next((below for below in lines[at + 1 : at + 3] if below.text.strip()), line)
            yield TextSpan(opened.start, (name if len(name.text) < 60 else line).end)
            opened = None


def _find_signatures(lines: list[TextLine], view: str) -> Iterator[TextSpan]:
    """Yield the text from a line "--" to the end, and lines like "Sent from my phone"."""
    for line in lines:
        if line.text.rstrip() == "--" and line.start:
            yield TextSpan(line.start, len(view))
            return
        if cue_pattern("device").match(line.text.strip()):
            yield TextSpan(line.start, line.end)


def find_pasted(view: str) -> Iterator[TextSpan]:
    """Yield announced documents up to the end of the message, and announced speech up to the end of its paragraph.

    Words after "end of quote" are the user's own, and so is a last paragraph about the text ("what do you think?"). If the
    last paragraph asks about "the above", the paragraphs above are pasted text.
    """
    *above, last = paragraphs_of(view)
    speaks = bool(above) and bool(cue_pattern("speaks_of_pasted").match(view, last.start))
    if above and cue_pattern("asks_about_above").match(view, last.start):
        yield TextSpan(0, above[-1].end)
    for start in _find_announced(view, "document"):
        ended = cue_pattern("end_of_pasted").search(view, start)
        yield TextSpan(start, ended.end() if ended else above[-1].end if speaks and start < last.start else len(view))
        break
    for start in _find_announced(view, "said"):
        blank = view.find("\n\n", start)
        yield TextSpan(start, blank if blank >= 0 else len(view))


def _find_announced(view: str, name: str) -> Iterator[int]:
    """Yield the start of the text after each announcement, unless it is hidden. Announcements need a colon or two lines."""
    if not _COLON_OR_LINE.search(view):
        return
    for announcement in cue_pattern(name).finditer(view):
        begins = _SOMETHING.search(view, announcement.end())
        if begins and begins[0] != HIDDEN:
            yield begins.start()
