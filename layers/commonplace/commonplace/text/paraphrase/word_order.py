"""Other orders in which the words of a statement say the same. Who did it to whom stays in its place in all of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from commonplace.text.paraphrase.language import Language, Words
from commonplace.text.paraphrase.parsing import AND, COMMA, OR, STOP, Statement, Token, Tokens

_PAIRS = frozenset({AND, COMMA, OR})
_MOST_NUMBERS = 1
_TIMES, _AGO = "times-", "ago"


def orders(left: Statement, right: Statement) -> Iterator[tuple[Tokens, Tokens]]:
    """Both statements as they stand, then in each arrangement that may bring their words into one order."""
    yield left.tokens, right.tokens
    ours, theirs = _opening_last(left), _opening_last(right)
    if (ours, theirs) != (left.tokens, right.tokens):
        yield ours, theirs
    if Counter(left.texts) != Counter(right.texts):
        return
    yield _paired_alike(ours, theirs, left.language.words["describing"]), theirs
    if turned := _turned(right):
        yield left.tokens, turned
    elif turned := _turned(left):
        yield turned, right.tokens


def _opening_last(statement: Statement) -> Tokens:
    """The time or place a statement opens with moved behind it, and such phrases at its end in one order."""
    tokens = statement.tokens
    times = statement.language.words["time_words"]
    end = 0
    if tokens and tokens[0].text in times:
        end = 1
    elif opening := _opening_time(tokens, statement.language):
        end = opening
    elif tokens and tokens[0].marker:
        end = next((at for at, token in enumerate(tokens) if token.marker != tokens[0].marker), 0)
    if 0 < end < len(tokens):
        tokens = (*tokens[end:], *tokens[:end])
    return _tail_sorted(tokens, times)


def _opening_time(tokens: Tokens, own: Language) -> int:
    """How many words a statement opens with that say how often or when: "3 times weekly", "every Sunday", "2 years ago"."""
    end, times = 0, own.words["times"]
    while (
        end < len(tokens)
        and not tokens[end].marker
        and (tokens[end].text in own.words["counting"] or tokens[end].text[0].isdigit())
    ):
        end += 1
    last = tokens[end] if end < len(tokens) else None
    if last is None or last.marker or not (last.text in times or last.text.startswith(_TIMES)):
        return 0
    end += 1
    return end + (end < len(tokens) and tokens[end].text == _AGO)


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
    markers = [phrase[0].marker for phrase in phrases]
    if len(set(markers)) < len(markers) or any(token.joined for token in tokens[start:]):
        return tokens  # "at home on Mondays and in town on Fridays": each belongs to the one before
    phrases.sort(key=lambda phrase: (phrase[0].marker, phrase[0].text))
    return (*tokens[:start], *(token for phrase in phrases for token in phrase))


def _paired_alike(left: Tokens, right: Tokens, describing: Words) -> Tokens:
    """The left words in the order of the right ones, where only what `and`, `or` or a comma joins has changed places."""
    if sum(token.text[0].isdigit() for token in left) > _MOST_NUMBERS:
        return left  # "Tom and Ana are 5 and 7"
    start, stop = 0, 0
    while start < len(left) and left[start].text == right[start].text:
        start += 1
    while stop < len(left) - start and left[-1 - stop].text == right[-1 - stop].text:
        stop += 1
    # One word further back too: in "le thé et le café" both parts begin alike.
    for first in (start, start - 1) if start else (start,):
        middle = slice(first, len(left) - stop)
        ours, theirs = left[middle], right[middle]
        if is_described(left, first, describing) or (first and not ends(left, len(left) - stop - 1)):
            continue
        if _swapped(ours, theirs) or (_listed(ours) and _listed(theirs)):
            return (*left[:first], *_like(ours, theirs), *left[len(left) - stop :])
    return left


def is_described(tokens: Tokens, first: int, describing: Words) -> bool:
    """Whether a list begins behind a word that may tell of its first member only: "black tea and coffee"."""
    if not 0 < first < len(tokens):
        return False
    before = tokens[first - 1]
    return before.text in describing or (before.capital and tokens[first].small)


def ends(tokens: Tokens, at: int) -> bool:
    """Whether nothing goes on behind a word: not so for "Ben" in "Tom saw Anna and Ben saw Eva"."""
    return at + 1 == len(tokens) or bool(tokens[at + 1].marker) or tokens[at + 1].link == STOP


def _like(ours: Sequence[Token], theirs: Sequence[Token]) -> list[Token]:
    """Our words in their order, linked as theirs are."""
    free = list(ours)
    found = []
    for token in theirs:
        own = next(own for own in free if own.text == token.text)
        free.remove(own)
        found.append(replace(own, link=token.link, marker=ours[0].marker))
    return found


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


def _turned(statement: Statement) -> Tokens:
    """Turns "Dr. Weber is my dentist" into "my dentist is Dr. Weber"; empty where the two sides may not change places."""
    at, tokens = statement.copula, statement.tokens
    head, tail = tokens[:at], tokens[at:]
    definite = any(side and side[0].definite for side in (head, tail))
    if at < 1 or not tail or not definite or any(token.marker or token.joined for token in tokens):
        return ()
    return (*(replace(token, predicate=False) for token in tail), *head)
