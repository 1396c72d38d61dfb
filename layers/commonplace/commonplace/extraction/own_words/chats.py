"""Chat logs that were forwarded: lines with who said them."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.cues import cue
from commonplace.extraction.own_words.view import Line, Span, lines_of

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


def find_chats(view: str) -> Iterator[Span]:
    """Stamped lines and those of a play, up to a blank line; runs of labelled lines that talk; a program's labels."""
    lines = lines_of(view)
    stamped = False
    for line in lines:
        begins = bool(_STAMPED.match(line.text)) or _is_script(line.text)
        stamped = bool(line.text.strip()) and (stamped or begins)
        if stamped or cue("program_says").match(line.text):
            yield Span(line.start, line.end)
    yield from _talks(lines)


def _is_script(text: str) -> bool:
    """Whether it is a line of a play: a name in capitals, and what that person says."""
    name = text.partition(":")[0].partition("(")[0].strip()
    return bool(cue("script").match(text)) and not cue("no_speaker").fullmatch(name)


def _talks(lines: list[Line]) -> Iterator[Span]:
    """Two labelled lines or more, blank ones between them or not; what goes on in the next line belongs to it."""
    run: list[Line] = []
    said: list[tuple[str, str]] = []
    for line in [*lines, Line(0, 0, "")]:
        label = _LABELLED.match(line.text)
        if label and not cue("no_speaker").fullmatch(label[1]):
            run.append(line)
            said.append((label[1].casefold(), label[2]))
        elif line.end and (not line.text.strip() or (run and run[-1].text.strip())):
            run.append(line)
        else:
            yield from _talk(run, said)
            run, said = [], []
    yield from _talk(run, said)


def _talk(run: list[Line], said: list[tuple[str, str]]) -> Iterator[Span]:
    if not _is_talk(said):
        return
    labelled = [line for line in run if _LABELLED.match(line.text)]
    yield Span(labelled[0].start, labelled[-1].end)


def _is_talk(said: list[tuple[str, str]]) -> bool:
    """Whether people answer each other: a list of one's own has labels too ("Monday: gym"), but each once, and no talk."""
    speakers = {speaker for speaker, _ in said}
    if len(said) < 2:
        return False
    if any(cue("talker").fullmatch(speaker) for speaker in speakers):
        return True
    talks = sum(1 for _, words in said if cue("talk").search(words))
    return 1 < len(speakers) < len(said) or (len(speakers) > 1 and talks > 0 and talks * 2 >= len(said))
