"""Whether a sentence asks for a secret, or speaks of one so that the next may give it."""

import re
from typing import NamedTuple

from commonplace.redaction import japanese
from commonplace.redaction.tokens import tokens
from commonplace.redaction.view import View
from commonplace.redaction.vocabulary import Noun, nouns, words

_NETWORK = re.compile(
    r"(?:what'?s|what is|cual es|wie ist|was ist|c'est quoi|quel est) (?:the|your|ur|el|das|le)"
    r" ?(?:wi-?fi|wlan|internet)\W*$"
)
_WORDS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_OPEN_ENDS = ("", "is", "are", "es", "ist", "est", "lautet")
_CHANGES = ("chang", "reset", "updat", "cambi", "geander")
_SHORT, _BEFORE, _AFTER = 6, 60, 30


class Question(NamedTuple):
    """What a sentence leads one to expect: a secret of this kind, said in words too if `in_words`.

    `pointed`: only where the answer begins by pointing back ("it's ..."), since nothing was asked.
    """

    kind: str
    value: str
    in_words: bool
    pointed: bool
    japanese: bool = False


def question_of(sentence: View) -> Question | None:
    """What `sentence` asks for or speaks of, None for nothing secret."""
    kind = japanese.asked(sentence.folded)
    if kind:
        return Question(kind, "words", True, False, japanese=True)
    named = list(nouns(sentence))
    if not named:
        return Question("password", "words", False, False) if _NETWORK.search(sentence.folded) else None
    parts = tokens(sentence, 0, 60)
    if any(part.word in words("about") for part in parts if part.start < named[0].start):
        return None
    said = [part.word for part in parts]
    return next((found for noun in reversed(named) if (found := _about(sentence, noun, said))), None)


def _about(sentence: View, noun: Noun, said: list[str]) -> Question | None:
    if _is_general(sentence, noun):
        return None
    mark = "?" in sentence.text[noun.end :]
    open_end = sentence.folded[noun.end :].strip(" \t\n\"'?!:=.…") in _OPEN_ENDS
    near = sentence.folded[max(0, noun.start - _BEFORE) : noun.start], sentence.folded[noun.end : noun.end + _AFTER]
    asks = not words("ask").isdisjoint(_WORDS.findall(" ".join(near)))
    if not asks and not ((open_end or mark) and len(set(said)) <= _SHORT and said[0] not in words("auxiliary")):
        return Question(noun.kind, noun.value, False, True)
    pointed = not mark and not open_end and words("ask").isdisjoint(said[:4])
    in_words = noun.value in ("words", "code") and not any(word.startswith(_CHANGES) for word in said)
    return Question(noun.kind, noun.value, in_words, pointed)


def _is_general(sentence: View, noun: Noun) -> bool:
    # "what is a PIN?", "which password manager?", "what's the key to success?"
    following = tokens(sentence, noun.end, 1)
    leading = set(re.findall(r"[a-z'ß]+", sentence.folded[max(0, noun.start - _BEFORE) : noun.start])[-2:])
    if noun.name == "bare_key" or (following and following[0].word in words("compound")) or leading & words("general"):
        return True
    return sentence.folded[noun.start : noun.end] == "pass" and not leading & words("own")
