"""What marks itself as foreign: fences, inline code, HTML comments and tags, lines that quote."""

import re
from collections.abc import Iterator

from commonplace.extraction.own_words.view import Span, lines_of

_FENCE = re.compile(r'`{3,}|^[^\S\n]{0,8}~{3,}|"{3,}|\'{3,}', re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,400})\1(?!`)")
# `uv` or `snake_case` in a sentence is a name; `rm -rf .` is code.
_NAME = re.compile(r"[\w.+#@/-]{1,40}")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]{0,30})(?:\s[^<>]{0,500})?/?>")
_FORMATTING = frozenset("b i u s em strong small sup sub br hr span mark kbd del ins".split())
_CONTAINERS = frozenset(
    """html head body div p pre code script style table ul ol li article section blockquote form svg xml system document
    documents instruction instructions context memory prompt tool tool_result user assistant message data""".split()
)
_QUOTING = re.compile(r"\s{0,8}(?:>(?!\s?[-_.]?>|=)|＞)")


def find_fences(view: str) -> Iterator[Span]:
    """Fenced blocks, text in triple quotes, HTML comments; one that nobody closed goes to the end."""
    yield from _comments(view)
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(view):
        if opened is None:
            opened = fence
        elif _closes(fence, opened, view):
            yield Span(opened.start(), fence.end())
            opened = None
    if opened:
        yield Span(opened.start(), len(view))


def _closes(fence: re.Match[str], opened: re.Match[str], view: str) -> bool:
    mark, first = fence[0].strip(), opened[0].strip()
    return mark[0] == first[0] and len(mark) >= len(first) and not view[fence.end() : fence.end() + 1].isalnum()


def find_markup(view: str) -> Iterator[Span]:
    """Tags with what they enclose, inline code, quoted lines."""
    yield from _tags(view)
    yield from (Span(*code.span()) for code in _INLINE.finditer(view) if not _NAME.fullmatch(code[2].strip()))
    yield from (Span(line.start, line.end) for line in lines_of(view) if _QUOTING.match(line.text))


def _comments(view: str) -> Iterator[Span]:
    at = view.find("<!--")
    while at >= 0:
        closed = view.find("-->", at + 4)
        end = closed + 3 if closed >= 0 else len(view)
        yield Span(at, end)
        at = view.find("<!--", end)


def _tags(view: str) -> Iterator[Span]:
    opened: dict[str, int] = {}
    for tag in _TAG.finditer(view):
        yield Span(*tag.span())
        name = tag[2].lower()
        if name in _FORMATTING or tag[0].endswith("/>"):
            continue
        if not tag[1]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            yield Span(opened.pop(name), tag.end())
    for name, start in opened.items():
        if name in _CONTAINERS:
            blank = view.find("\n\n", start)
            yield Span(start, blank if blank >= 0 else len(view))
