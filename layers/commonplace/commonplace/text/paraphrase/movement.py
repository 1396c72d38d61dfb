"""The same words in other places: "playing golf on a course", "on a course playing golf"; passive as active."""

from collections.abc import Sequence

from commonplace.text.paraphrase.alignment import UNCHANGED, Alignment, Match
from commonplace.text.paraphrase.language import Language, Words
from commonplace.text.paraphrase.morphology import PAST, lemmas, readings
from commonplace.text.paraphrase.parsing import AND, STOP, Tokens
from commonplace.text.paraphrase.tokenization import Word
from commonplace.text.paraphrase.word_order import ends, is_described

BY = "by"
_WAS, _IS = frozenset({"was", "were"}), frozenset({"is", "are"})
_LONGEST_AGENT = 4
_OBJECTS = {"me": "i", "him": "he", "her": "she", "us": "we", "them": "they"}
_SUBJECTS = {subject: object_ for object_, subject in _OBJECTS.items()}
MOVED = "moved"


def active(words: Sequence[Word], own: Language) -> list[Word] | None:
    """The words with who did it in front; None where nothing is said to be done by somebody."""
    texts = [word.text for word in words]
    by = texts.index(BY) if BY in texts else 0
    if by < len("a was done".split()) - 1 or texts[by - 2] not in _WAS | _IS or not _is_participle(texts[by - 1]):
        return None
    if any(word.pause for word in words[1 : by + 1]):
        return None
    end = next((at for at in range(by + 1, len(words)) if _ends_agent(words[at], own)), len(words))
    agent, done, rest = words[by + 1 : end], words[: by - 2], words[end:]
    if not 0 < len(agent) <= _LONGEST_AGENT:
        return None
    subject = [word._replace(text=_OBJECTS.get(word.text, word.text)) if len(agent) == 1 else word for word in agent]
    objects = [word._replace(text=_SUBJECTS.get(word.text, word.text)) if len(done) == 1 else word for word in done]
    verb = words[by - 1]
    if texts[by - 2] in _IS:
        last = subject[-1].text
        verb = verb._replace(text=_present(verb.text, many=last in own.words["many"] or last.endswith("s")))
    return [*subject, verb, *objects, *rest]


def _is_participle(text: str) -> bool:
    return any(form == PAST for _, form in readings(text))


def _ends_agent(word: Word, own: Language) -> bool:
    return bool(word.pause) or any(word.text in own.words[key] for key in ("markers", "pairing", "contrasting", "times"))


def _present(participle: str, *, many: bool) -> str:
    lemma = max((lemma for lemma, form in readings(participle) if form == PAST), key=_is_known)
    return lemma if many else f"{lemma}s"


def _is_known(lemma: str) -> bool:
    return lemma in lemmas(f"{lemma}s") and lemma.endswith("e")


def with_moves(found: Alignment, left: Tokens, right: Tokens, own: Language) -> Alignment:
    """The alignment with words left over on both sides matched, where their new place does not change who did what."""
    free = list(found.only_right)
    moved: list[Match] = []
    for at in found.only_left:
        there = next((there for there in free if left[at].text == right[there].text), None)
        if there is not None:
            free.remove(there)
            moved.append(Match(at, there, MOVED, UNCHANGED))
    every = [*found.matches, *moved]
    if not moved or not all(_harmless(one, other, left, right, own) for one in moved for other in every):
        return found
    taken = {match.left for match in moved}
    return Alignment(
        matches=tuple(sorted(every, key=lambda match: match.left)),
        only_left=tuple(at for at in found.only_left if at not in taken),
        only_right=tuple(free),
    )


def _harmless(one: Match, other: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    """Whether two words may change places: in a list, before one noun, as a compound, or in a phrase of time or place."""
    if (one.left < other.left) == (one.right < other.right):
        return True
    if _compound(one, other, left, right, own.words["compounding"]):
        return True
    ours = min(one.left, other.left), max(one.left, other.left)
    theirs = min(one.right, other.right), max(one.right, other.right)
    if _listed(left, *ours, own.words["describing"]) and _listed(right, *theirs, own.words["describing"]):
        return True
    if (
        _described(left, *ours, own)
        and _described(right, *theirs, own)
        and left[ours[1] + 1].text == right[theirs[1] + 1].text
    ):
        return True
    if left[one.left].marker == left[other.left].marker and left[one.left].phrase != left[other.left].phrase:
        return False  # "Vue in front and Go behind": two phrases of one kind
    return any(_in_adjunct(match, left, right, own) for match in (one, other)) and not (
        _new_clause(left, *ours) or _new_clause(right, *theirs)
    )


def _listed(tokens: Tokens, first: int, last: int, describing: Words) -> bool:
    """Whether two words are single members of one list behind one marker."""
    between = tokens[first + 1 : last + 1]
    if is_described(tokens, first, describing):
        return False
    return all(token.joined and token.phrase == tokens[last].phrase for token in between) and (
        tokens[first].marker == tokens[last].marker and ends(tokens, last)
    )


def _described(tokens: Tokens, first: int, last: int, own: Language) -> bool:
    """Whether two words in a row describe the noun behind them: "a small white dog"."""
    if last != first + 1 or last + 1 >= len(tokens):
        return False
    return any(token.text in own.words["describing"] for token in tokens[first : last + 1]) and (
        tokens[first].phrase == tokens[last].phrase == tokens[last + 1].phrase and not tokens[last + 1].joined
    )


def _new_clause(tokens: Tokens, first: int, last: int) -> bool:
    """Whether something else is told between two words: "runs before lunch *and swims*"."""
    return any(token.link in (AND, STOP) for token in tokens[first + 1 : last + 1])


def _in_adjunct(match: Match, left: Tokens, right: Tokens, own: Language) -> bool:
    ours, theirs = left[match.left], right[match.right]
    if ours.marker != theirs.marker or ours.marker not in own.words["adjuncts"]:
        return False
    return _words_of_phrase(left, ours.phrase) == _words_of_phrase(right, theirs.phrase)


def _words_of_phrase(tokens: Tokens, phrase: int) -> list[str]:
    return [token.text for token in tokens if token.phrase == phrase]


def _compound(one: Match, other: Match, left: Tokens, right: Tokens, compounding: Words) -> bool:
    """True for "University of Bristol", "Bristol University"; not for "a school in a park", "a park in a school"."""
    if abs(one.left - other.left) > 1 or abs(one.right - other.right) > 1:
        return False
    for noun, head in ((one, other), (other, one)):
        markers = [(left[noun.left].marker, left[head.left].marker), (right[noun.right].marker, right[head.right].marker)]
        if markers[0][1] == markers[1][1] and sorted(own == its for own, its in markers) == [False, True]:
            return all(own == its or own in compounding for own, its in markers)
    return False
