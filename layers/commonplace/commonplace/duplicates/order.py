"""Other orders in which the words of a statement say the same. Who did it to whom stays in its place in all of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from commonplace.duplicates.statement import AND, COMMA, OR, Statement, Token

Tokens = tuple[Token, ...]
_PAIRS = frozenset({AND, COMMA, OR})
_MOST_NUMBERS = 1


def orders(left: Statement, right: Statement) -> Iterator[tuple[Tokens, Tokens]]:
    """Both statements as they stand, then in each arrangement that may bring their words into one order."""
    yield left.tokens, right.tokens
    if Counter(token.text for token in left.tokens) != Counter(token.text for token in right.tokens):
        ours, theirs = _opening_last(left), _opening_last(right)
        if (ours, theirs) != (left.tokens, right.tokens):
            yield ours, theirs
        return
    ours, theirs = _opening_last(left), _opening_last(right)
    yield ours, theirs
    yield _paired_alike(ours, theirs), theirs
    turned = _turned(right)
    if turned:
        yield left.tokens, turned


def _opening_last(statement: Statement) -> Tokens:
    """The time or place a statement opens with moved behind it, and such phrases at its end in one order."""
    tokens = statement.tokens
    times = statement.language.words["time_words"]
    end = 0
    if tokens and tokens[0].text in times:
        end = 1
    elif tokens and tokens[0].marker:
        end = next((at for at, token in enumerate(tokens) if token.marker != tokens[0].marker), 0)
    if 0 < end < len(tokens):
        tokens = (*tokens[end:], *tokens[:end])
    return _tail_sorted(tokens, times)


def _tail_sorted(tokens: Tokens, times: frozenset[str]) -> Tokens:
    start = len(tokens)
    while start and (tokens[start - 1].marker or tokens[start - 1].text in times):
        start -= 1
    phrases: list[list[Token]] = []
    for token in tokens[start:]:
        if phrases and phrases[-1][-1].marker == token.marker:
            phrases[-1].append(token)
        else:
            phrases.append([token])
    phrases.sort(key=lambda phrase: (phrase[0].marker, phrase[0].text))
    return (*tokens[:start], *(token for phrase in phrases for token in phrase))


def _paired_alike(left: Tokens, right: Tokens) -> Tokens:
    """The left words in the order of the right ones, where only what `and`, `or` or a comma joins has changed places."""
    if sum(token.text[0].isdigit() for token in left) > _MOST_NUMBERS:
        return left  # "Tom and Ana are 5 and 7"
    start, stop = 0, 0
    while start < len(left) and left[start].text == right[start].text:
        start += 1
    while stop < len(left) - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    ours, theirs = left[start : len(left) - stop], right[start : len(right) - stop]
    if not (_listed(ours) and _listed(theirs)) and not _swapped(ours, theirs):
        return left
    links = [token.link for token in right[start : len(right) - stop]]
    moved = [
        replace(token, link=link, marker=ours[0].marker)
        for token, link in zip(_sorted_like(ours, theirs), links, strict=True)
    ]
    return (*left[:start], *moved, *left[len(left) - stop :])


def _listed(tokens: Sequence[Token]) -> bool:
    """Single words in a row, each joined to the one before: "tea, coffee and milk"."""
    return len(tokens) > 1 and all(token.link in _PAIRS for token in tokens[1:]) and _one_marker(tokens)


def _swapped(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Two joined parts of one length, each kept as it is: "black dogs and white cats"."""
    half = len(ours) // 2
    return (
        len(ours) == 2 * half > 0
        and [token.text for token in ours[half:]] == [token.text for token in theirs[:half]]
        and [token.text for token in ours[:half]] == [token.text for token in theirs[half:]]
        and ours[half].link in _PAIRS
        and theirs[half].link in _PAIRS
        and _one_marker(ours)
        and _one_marker(theirs)
    )


def _one_marker(tokens: Sequence[Token]) -> bool:
    return len({token.marker for token in tokens}) == 1 or not any(token.marker for token in tokens[1:])


def _sorted_like(ours: Sequence[Token], theirs: Sequence[Token]) -> list[Token]:
    left = list(ours)
    found = []
    for token in theirs:
        at = next(at for at, own in enumerate(left) if own.text == token.text)
        found.append(left.pop(at))
    return found


def _turned(statement: Statement) -> Tokens:
    """ "Dr. Weber is my dentist" as "my dentist is Dr. Weber"; empty where the two sides may not change places."""
    at, tokens = statement.copula, statement.tokens
    head, tail = tokens[:at], tokens[at:]
    definite = any(side and side[0].definite for side in (head, tail))
    if at < 1 or not tail or not definite or any(token.marker or token.link for token in tokens):
        return ()
    return (*(replace(token, predicate=False) for token in tail), *head)

