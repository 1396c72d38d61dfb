"""Where one sentence ends and the next begins."""

from collections.abc import Iterator

from commonplace.text.third_person.tokens import Kind, Token

_STOPS = frozenset(".!?。！？…")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st jr sr vs etc approx no nr vol fig inc ltd co dept est al ca jan feb mar apr jun jul aug sep "
    "sept oct nov dec".split()
)


def sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    """The tokens of each sentence with its final marks. A line break ends a sentence too."""
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if current and "\n" in token.gap:
            yield current
            current = []
        current.append(token)
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and (following.gap or _is_glued(current, following)) and _ends(current, following):
            yield current
            current = []
    if current:
        yield current


def _ends(current: list[Token], following: Token) -> bool:
    last = current[-1]
    if last.kind is Kind.FIXED:
        # 'He said "I quit." My boss …': the stop stands inside the quotation
        quoted = len(last.text) > 2 and last.text[-2] in _STOPS and not last.text[-1].isalnum()
        return quoted and following.capital
    if last.kind is Kind.WORD:
        return False
    if len(last.text) > 1 and last.text[0] == ".":
        return following.capital or following.low == "i"
    if last.text not in _STOPS:
        return _is_closing_mark(current)
    return not (last.text == "." and _is_abbreviated(current, following))


def _is_glued(current: list[Token], following: Token) -> bool:
    """'I like tea.I hate coffee': the blank was forgotten."""
    return len(current) > 1 and following.capital and current[-1].text in _STOPS and current[-2].text.islower()


def _is_closing_mark(current: list[Token]) -> bool:
    """A bracket or an emoji right after the stop belongs to the sentence that it closes."""
    return len(current) > 1 and current[-2].text in _STOPS and current[-1].text in ")]\"'”’"


def _is_abbreviated(current: list[Token], following: Token) -> bool:
    if len(current) < 2 or current[-1].gap:
        return False
    word = current[-2]
    if word.low in _ABBREVIATIONS:
        return word.low != "etc" or not following.capital
    initial = len(word.text) == 1 and word.capital and word.text != "I"
    return initial and following.capital and following.text != "I"
