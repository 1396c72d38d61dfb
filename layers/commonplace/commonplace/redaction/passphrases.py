"""Passphrases that are sentences: "purple elephants dance at midnight" goes on where other values end."""

import re

from commonplace.redaction.reading import Spans
from commonplace.redaction.tokens import Token, tokens
from commonplace.redaction.view import View
from commonplace.redaction.vocabulary import Noun, words

_NOUN = re.compile(r"ph?rase")
_SIGN = re.compile(r"\s?[:=]\s")
_FEWEST, _MOST_WORDS = 4, 8
_WITHIN = frozenset({"and", "with", "under", "over", "by", "bajo", "con", "sobre", "y", "unter", "uber", "mit", "und",
                     "im", "sous", "sur", "dans", "avec", "et"})  # fmt: skip


def whole_sentence(view: View, noun: Noun, found: Spans) -> Spans:
    """`found`, the value of `noun`, to the end of its sentence where it is a passphrase in plain words."""
    if noun.kind != "password" or not _NOUN.search(view.folded, noun.start, noun.end):
        return found
    if found:
        start, at = found[0]
        said = view.text[start:at]
        goes_on = " " in said and said.replace(" ", "").isalpha() and view.text[at : at + 1] == " "
        end = _end(tokens(view, at)) if goes_on else None
        return [(start, end)] if end else found
    # "passphrase: the quiet river bends twice", not "passphrase: the longer the better"
    sign = _SIGN.match(view.text, noun.end)
    parts = tokens(view, sign.end()) if sign else []
    if len(parts) < _FEWEST or parts[0].word not in words("article"):
        return []
    end = _end(parts)
    judged = any(part.word in words("remark", "unit", "about") for part in parts)
    return [(parts[0].start, end)] if end and not judged else []


def _end(parts: list[Token]) -> int | None:
    for place, part in enumerate(parts[:_MOST_WORDS]):
        joins = part.word in words("of", "article", "own") or part.word in _WITHIN
        if not part.text.replace("'", "").isalpha() or (part.word in words("function", "link") and not joins):
            return None
        if part.ends or place + 1 == len(parts):
            return part.end
    return None
