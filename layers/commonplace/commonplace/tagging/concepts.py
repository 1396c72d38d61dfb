"""The concepts of a text: its noun phrases and names, as it writes them."""

from commonplace.tagging.folding import fold
from commonplace.tagging.phrases import Phrase, is_proper, names_in, phrases_of, unspaced_nouns
from commonplace.tagging.tokens import Reading, read

_LONGEST = 4


def concepts_of(text: str, limit: int = 8) -> list[str]:
    """Up to `limit` concepts of one to four words; names and longer ones first, names alone keep their capitals."""
    reading = read(text)
    found: dict[str, tuple[int, str]] = {}
    for phrase in phrases_of(reading):
        for part in _parted(phrase, reading.language):
            concept = _written(part, reading)
            rank = -2 if len(part) > 1 else -1 if names_in(part) else 0
            found.setdefault(fold(concept), (rank, concept))
    for noun in unspaced_nouns(reading.runs, reading.language):
        found.setdefault(fold(noun), (-1, noun))
    ordered = sorted(found.values(), key=lambda ranked: ranked[0])
    return [concept for _, concept in ordered[:limit]]


def _parted(phrase: Phrase, language: str) -> list[Phrase]:
    """A name at the end of other words is a concept of its own (`wife | Elena`)."""
    names = [] if language == "de" else names_in(phrase)
    ends = bool(names) and names[-1][-1] is phrase[-1] and len(names[-1]) < len(phrase)
    split = len(phrase) - len(names[-1]) if ends else len(phrase)
    return [part[-_LONGEST:] for part in (phrase[:split], phrase[split:]) if part]


def _written(phrase: Phrase, reading: Reading) -> str:
    named = {id(word) for name in names_in(phrase) for word in name}
    parts: list[str] = []
    for at, word in enumerate(phrase):
        kept = id(word) in named or is_proper(word) or reading.language == "de"
        parts += [("-" if word.hyphened else " ") if at else "", word.text if kept else word.text.lower()]
    return "".join(parts)
