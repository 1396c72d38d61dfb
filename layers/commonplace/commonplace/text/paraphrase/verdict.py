"""The one question: do two texts say the same, and in what do they differ if so?"""

import functools
import re
import unicodedata
from collections.abc import Sequence

from commonplace.text.paraphrase.agreement import agrees
from commonplace.text.paraphrase.alignment import SAME, Alignment, aligned, fused
from commonplace.text.paraphrase.language import UNSEGMENTED, language, language_of
from commonplace.text.paraphrase.movement import BY, MOVED, active, with_moves
from commonplace.text.paraphrase.normalisation import joined, words_of
from commonplace.text.paraphrase.parsing import Statement, Token, Tokens, read
from commonplace.text.paraphrase.tokenization import Word, plain
from commonplace.text.paraphrase.word_order import orders

_LEFT_OUT = re.compile(r"[\s。、，．.,!！「」『』・]+")
_SPEAKER = re.compile(r"^(?:私|僕|ぼく|俺|わたし)(?:は|が)")
_POLITE_END = re.compile(r"(?:です|だ)?[よねわ]*$")
_KATAKANA = re.compile(r"[\u30a1-\u30f6]")
_FROM_HIRAGANA = ord("ァ") - ord("ぁ")
_WHOLE = re.compile(r"[\u30a1-\u30fa\u30fc\u3400-\u9fff]")
_PARTICLES = "はがをに"

_SAME_WORDS = "the same words"
_OTHER_WORDS = "the same in other words"
_OTHER_ORDER = "the same words in another order"
_SMALL_WORDS = "the same but for small words"
_ALIKE = (SAME, MOVED)
_MOST_CHANGED = 4
_LONG, _LEAST_SHARED = 12, 0.4


def alike(one: str, other: str) -> bool:
    """Whether two plain texts agree, hiragana or katakana, but for one particle that one leaves out behind a noun."""
    shorter, longer = sorted((_core(one), _core(other)), key=len)
    ours, theirs = _hiragana(shorter), _hiragana(longer)
    if ours == theirs:
        return True
    return len(theirs) == len(ours) + 1 and any(
        char in _PARTICLES and ours == theirs[: at + 1] + theirs[at + 2 :] and _WHOLE.match(longer[at])
        for at, char in enumerate(longer[1:])
    )


def _core(text: str) -> str:
    """What must agree: everything but spaces, stops, "I" at the start and a polite or chatty end."""
    spelled = unicodedata.normalize("NFKC", text).lower()
    return _POLITE_END.sub("", _SPEAKER.sub("", _LEFT_OUT.sub("", spelled)))


def _hiragana(text: str) -> str:
    return _KATAKANA.sub(lambda match: chr(ord(match[0]) - _FROM_HIRAGANA), text)


def same_statement(first: str, second: str) -> str | None:
    """Why two memories of one user may be merged, in words; None where they may not.

    The answer is None or not whichever text comes first.
    """
    one, other = sorted((plain(first), plain(second)))
    if one == other:
        return _SAME_WORDS
    name = language_of(one, other)
    if name == UNSEGMENTED:
        return _SAME_WORDS if alike(one, other) else None
    if _strangers(one, other):
        return None
    reason = _judged(statements(one, name), statements(other, name)) or _acted(one, other, name)
    return _OTHER_WORDS if reason == _SAME_WORDS and _bare_words(one) != _bare_words(other) else reason


def _judged(lefts: tuple[Statement, ...], rights: tuple[Statement, ...]) -> str | None:
    """Compares them word by word, then phrase by phrase."""
    left, right = lefts[0], rights[0]
    one_and_many = left.number and right.number and left.number.isdisjoint(right.number)
    if left.question != right.question or one_and_many or not left.tokens or _far_apart(left, right):
        return None
    reason = _compared(left, right)
    if reason is None and len(lefts) + len(rights) > len((left, right)):
        reason = _compared(lefts[-1], rights[-1])
    return reason


def _acted(one: str, other: str, name: str) -> str | None:
    """The same of a text in the passive and one in the active."""
    ours, theirs = turned(one, name), turned(other, name)
    if bool(ours) == bool(theirs):
        return None
    reason = _judged(ours or statements(one, name), theirs or statements(other, name))
    return _OTHER_WORDS if reason == _SAME_WORDS else reason


def _strangers(one: str, other: str) -> bool:
    """Whether two longer texts share so few words that reading them is not worth the time."""
    ours, theirs = _bare_words(one), _bare_words(other)
    longer = max(len(ours), len(theirs))
    return longer >= _LONG and len(ours & theirs) < _LEAST_SHARED * longer


@functools.lru_cache(maxsize=512)
def _bare_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _compared(left: Statement, right: Statement) -> str | None:
    for number, (ours, theirs) in enumerate(orders(left, right)):
        reason = _reason(ours, theirs, left, right)
        if reason is not None:
            return _OTHER_ORDER if number and reason in (_SAME_WORDS, _SMALL_WORDS) else reason
    return None


def _far_apart(left: Statement, right: Statement) -> bool:
    ours, theirs = set(left.texts), set(right.texts)
    shared = len(ours & theirs)
    return max(len(ours), len(theirs)) - shared > max(_MOST_CHANGED, shared)


def _reason(ours: Tokens, theirs: Tokens, left: Statement, right: Statement) -> str | None:
    own = left.language
    ours, theirs = fused(ours, theirs)
    found = aligned(ours, theirs, own.name)
    if found is None:
        return None
    moved = with_moves(found, ours, theirs, own)
    return _told(moved, ours, theirs, left.small == right.small) if agrees(moved, ours, theirs, own) else None


def _told(found: Alignment, ours: Tokens, theirs: Tokens, small_alike: bool) -> str:
    changed = [_pair(ours[match.left], theirs[match.right]) for match in found.matches if match.kind not in _ALIKE]
    extra = [*(ours[at] for at in found.only_left), *(theirs[at] for at in found.only_right)]
    told = [*changed, *(_quoted(token) for token in extra)]
    if told:
        return "the same but for " + ", ".join(told)
    return _SAME_WORDS if small_alike else _SMALL_WORDS


def _pair(ours: Token, theirs: Token) -> str:
    return f"{_quoted(ours)} / {_quoted(theirs)}"


def _quoted(token: Token) -> str:
    return f"'{token.text.replace('_', ' ')}'"


@functools.lru_cache(maxsize=512)
def statements(text: str, language_name: str) -> tuple[Statement, ...]:
    """Reads a plain text in a language: as single words, then, if it has any, with its synonymous phrases as one word each.

    A language without tables keeps every word.
    """
    return _read(_words(text, language_name), text, language_name)


@functools.lru_cache(maxsize=512)
def _words(text: str, language_name: str) -> Sequence[Word]:
    return words_of(text, language(language_name))


@functools.lru_cache(maxsize=512)
def turned(text: str, language_name: str) -> tuple[Statement, ...]:
    """The same of a text in the passive, read in the active; nothing of any other."""
    own = language(language_name)
    words = active(_words(text, language_name), own) if f" {BY} " in text else None
    return () if words is None else _read(words, text, language_name)


def _read(words: Sequence[Word], text: str, language_name: str) -> tuple[Statement, ...]:
    own = language(language_name)
    question = "?" in text or "¿" in text
    phrased = joined(words, own)
    versions = [words] if phrased == list(words) else [words, phrased]
    return tuple(read(version, own, question=question) for version in versions)
