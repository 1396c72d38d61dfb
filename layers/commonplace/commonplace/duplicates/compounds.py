"""Words that one text writes together and the other apart: "trash can", "trashcan"."""

from collections.abc import Collection
from dataclasses import replace

from commonplace.duplicates.order import Tokens


def fused(left: Tokens, right: Tokens) -> tuple[Tokens, Tokens]:
    """Both statements with every two words in a row as one where the other statement has them as one."""
    return _fused(left, {token.text for token in right}), _fused(right, {token.text for token in left})


def _fused(tokens: Tokens, whole: Collection[str]) -> Tokens:
    joints = [
        at for at in range(len(tokens) - 1) if tokens[at].text + tokens[at + 1].text in whole and not tokens[at + 1].joined
    ]
    if not joints:
        return tokens
    found = list(tokens)
    for at in reversed(joints):
        found[at : at + 2] = [replace(found[at], text=found[at].text + found[at + 1].text)]
    return tuple(found)
