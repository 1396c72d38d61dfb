"""Find quoted speech, and foreign text that is marked by fences, tags or quoted lines."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.masking import TextSpan, cue_pattern, lines_of
from commonplace.extraction.patterns import compiled, word_list
from commonplace.text.foundation.characters import has_kana_or_han

_FENCE = re.compile(r'`{3,}|^[^\S\n]{0,8}~{3,}|"{3,}|\'{3,}', re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,400})\1(?!`)")
# `uv` or `snake_case` in a sentence is a name, but `rm -rf .` is code.
_NAME = re.compile(r"[\w.+#@/-]{1,40}")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]{0,30})(?:\s[^<>]{0,500})?/?>")
_FORMATTING = frozenset("b i u s em strong small sup sub br hr span mark kbd del ins".split())
_CONTAINERS = frozenset(
    """html head body div p pre code script style table ul ol li article section blockquote form svg xml system document
    documents instruction instructions context memory prompt tool tool_result tool_output function_result function_results
    user assistant message data webpage web_page website page search_result search_results result results email attachment
    quote source content external untrusted""".split()
)
_QUOTING = re.compile(r"\s{0,8}(?:>(?!\s?[-_.]?>|=)|＞)")

_CLOSING = {
    '"': '"', "“": "”“", "„": "“”", "”": "”", "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'",
}  # fmt: skip
_OPENING = re.compile(r"""(?<![\w\ue000])["'‘“”„«»‹](?=[^\s,.;:!?)])|["“„«](?=\s[^\n]{3,80}\s»)|[「『]""")
_REACH = 4_000
_SINGLE_REACH = 400
_VERB_BEFORE, _VERB_AFTER = 40, 30
# The maximum length of a quoted phrase or title that may belong to the user's own sentence, in words or letters.
_FEW_WORDS, _TITLE_WORDS, _FEW_LETTERS = 5, 12, 16


def find_fences(view: str) -> Iterator[TextSpan]:
    """Yield fenced blocks, text in triple quotes, and HTML comments. An unclosed block extends to the end."""
    yield from _find_comments(view)
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(view):
        if opened is None:
            opened = fence
            continue
        mark, first = fence[0].strip(), opened[0].strip()
        if mark[0] == first[0] and len(mark) >= len(first) and not view[fence.end() : fence.end() + 1].isalnum():
            yield TextSpan(opened.start(), fence.end())
            opened = None
    if opened:
        yield TextSpan(opened.start(), len(view))


def find_marked(view: str) -> Iterator[TextSpan]:
    """Yield text labelled as foreign ("[Web page]", "Tool output:"), up to an end marker or the end of the message."""
    behind = 0
    for label in cue_pattern("marked").finditer(view):
        if label.start() >= behind:
            ended = cue_pattern("end_of_pasted").search(view, label.end())
            behind = ended.end() if ended else len(view)
            yield TextSpan(label.start(), behind)


def is_marked_as_foreign(text: str) -> bool:
    """Return whether a label marks part of the text as foreign. Then the text isn't a request by the user."""
    return cue_pattern("marked").search(text) is not None


def find_markup(view: str) -> Iterator[TextSpan]:
    """Yield tags with their contents, inline code, and quoted lines."""
    yield from _find_tags(view)
    yield from (TextSpan(*code.span()) for code in _INLINE.finditer(view) if not _NAME.fullmatch(code[2].strip()))
    yield from (TextSpan(line.start, line.end) for line in lines_of(view) if _QUOTING.match(line.text))


def _find_comments(view: str) -> Iterator[TextSpan]:
    at = view.find("<!--")
    while at >= 0:
        closed = view.find("-->", at + 4)
        end = closed + 3 if closed >= 0 else len(view)
        yield TextSpan(at, end)
        at = view.find("<!--", end)


def _find_tags(view: str) -> Iterator[TextSpan]:
    """Yield tags, elements with their contents, and unclosed containers up to the next blank line or the end."""
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(view):
        yield TextSpan(*tag.span())
        name = tag[2].lower()
        if name in _FORMATTING or tag[0].endswith("/>"):
            continue
        if not tag[1]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            yield TextSpan(opened.pop(name), tag.end())
    for name, start in opened.items():
        if name in _CONTAINERS:
            blank = view.find("\n\n", start)
            yield TextSpan(start, blank if blank >= 0 else len(view))


def find_quotations(view: str) -> Iterator[TextSpan]:
    """Yield foreign quotations, including the quotation marks."""
    at = 0
    while opening := _OPENING.search(view, at):
        end = _find_end(view, opening.start())
        if end and _is_foreign(view, opening.start(), end):
            yield TextSpan(opening.start(), end)
        at = end or opening.end()


def _find_end(view: str, start: int) -> int:
    """Return the end of the quotation that begins at `start`, or 0. An unclosed quotation may end with its paragraph."""
    mark = view[start]
    if mark in "'‘":
        return _find_single_end(view, start)
    limit = min(len(view), start + _REACH)
    ends = [end for closing in _CLOSING[mark] if (end := view.find(closing, start + 1, limit)) > 0]
    if mark == '"':
        ends = [end for end in ends if not view[end - 1 : end].isspace() and not view[end + 1 : end + 2].isalnum()]
    if ends:
        return min(ends) + 1
    first = start == 0 or view[start - 1] == "\n"
    if not first and mark in '"”»':
        return 0
    paragraph = view.find("\n\n", start)
    return paragraph if paragraph >= 0 else len(view)


def _find_single_end(view: str, start: int) -> int:
    """Return the end of the text in single quotes, or 0 if there is none. Apostrophes don't count as quotation marks."""
    if compiled("quotations.elision").match(view, start):
        return 0
    for end in range(start + 2, min(len(view), start + _SINGLE_REACH)):
        if view[end] == "\n":
            return 0
        if view[end] in "'’" and not view[end - 1].isspace() and not view[end + 1 : end + 2].isalnum():
            return end + 1
    return 0


def _is_foreign(view: str, start: int, end: int) -> bool:
    """Return whether quoted words are someone else's. Titles and short phrases count as the user's own words."""
    text = view[start + 1 : end - 1].strip()
    words = text.split()
    if has_kana_or_han(text):
        few, longest = len(text) <= 4, len(text) <= _FEW_LETTERS
    else:
        is_title = all(word[:1].isupper() or word[:1].isdigit() or word.lower() in word_list("in_titles") for word in words)
        few, longest = len(words) < 3, len(words) <= (_TITLE_WORDS if is_title else _FEW_WORDS)
    fills_line = view[max(0, start - 1) : start] in ("", "\n") and view[end : end + 1] in ("", "\n")
    return not longest or (not few and (fills_line or _is_speech(view, start, end)))


def _is_speech(view: str, start: int, end: int) -> bool:
    """Return whether a wording like "she said" is just before or after the quotation."""
    before = view[max(0, start - _VERB_BEFORE) : start].rpartition("\n")[2]
    return bool(cue_pattern("said_before").search(before) or cue_pattern("said_after").match(view[end : end + _VERB_AFTER]))
