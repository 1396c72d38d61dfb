"""Tags as Claude gives them, made into tags as they are kept."""

import re
import unicodedata
from collections.abc import Iterable

_MOST_TAGS = 8
_MOST_WORDS = 3
_LONGEST = 40
_LONGEST_UNSPACED = 14
_OPENING = " \t\n\"'`“”‘’«»()[]{}<>#¡¿「『・"
_CLOSING = " \t\n\"'`“”‘’«»()[]{}<>.,;:!?。、，；：！？」』・"
_NO_TAGS = frozenset({"misc", "other", "user", "the-user", "usuario", "ユーザー"})
# Full stops within words are no sentences: node.js, 3.5.
_STOP = re.compile(r"[.!?,;:]\s|[。！？，；：]|\[redacted:")
_SUBJECT = re.compile(r"(?:the user(?:'s)?|i|i'm|he|she|they|we)\s|the-user")
# Japanese and Chinese write sentences without spaces; a particle after a word or a verb's ending gives them away.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PARTICLE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff][はがを]|(?:です|ます|ました|ません)$")


def clean_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Up to 8 lower-case tokens without spaces, each once, in order; what is a sentence or no word is left out."""
    tags = dict.fromkeys(tag for tag in map(_token, given) if tag and tag not in _NO_TAGS)
    return tuple(tags)[:_MOST_TAGS]


def _token(given: str) -> str:
    tag = unicodedata.normalize("NFKC", given).casefold()
    if _STOP.search(given.rstrip(_CLOSING)) or _SUBJECT.match(tag):
        return ""
    tag = "-".join(tag.lstrip(_OPENING).rstrip(_CLOSING).split())
    written = any(char.isalnum() for char in tag) and all(unicodedata.category(char) != "Cc" for char in tag)
    return tag if written and not _sentence(tag) else ""


def _sentence(tag: str) -> bool:
    if _UNSPACED.search(tag):
        return len(tag) > _LONGEST_UNSPACED or _PARTICLE.search(tag) is not None
    return len(tag) > _LONGEST or len(re.split(r"[-_]+", tag)) > _MOST_WORDS
