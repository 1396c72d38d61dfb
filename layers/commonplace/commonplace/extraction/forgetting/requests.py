"""Find forget requests in a message. Text that merely resembles a request erases nothing."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from commonplace.extraction.clauses import Clause, clauses
from commonplace.extraction.days import Utterance
from commonplace.extraction.forgetting.matching import is_about, mentions, names_something
from commonplace.extraction.patterns import compiled, has_wording, wording_pattern
from commonplace.text.foundation.characters import straight

_PAUSE = re.compile(r"[,;:–—.!?]|、|。")
_MARKS = " .!?,;:–—、。：\"'"
_FEW_WORDS = 2


@dataclass(frozen=True)
class ForgetRequest:
    """A clause that asks to forget `target`, which may be "". The request ends at the offset `end` in the message.

    `meant` is True if the request is about stored memories rather than the text of a draft or a recipe.
    """

    clause: Clause
    target: str
    end: int
    meant: bool

    @property
    def can_be_served(self) -> bool:
        """Whether the request is about stored memories and says what to forget."""
        return self.meant and names_something(self.target)


def forget_target(text: str) -> str | None:
    """Return the words that a text asks to forget. They may be "". Return None if the text isn't a forget request."""
    phrase = _find_forget_phrase(text)
    return None if phrase is None else phrase.target


def addresses_the_memory(text: str) -> bool:
    """Return whether a text's wording alone makes it clear that stored memories should be forgotten."""
    phrase = _find_forget_phrase(text)
    return phrase is not None and _is_explicit(text, phrase)


def forget_requests(utterance: Utterance, before: Utterance | None) -> list[ForgetRequest]:
    """Return the forget requests in a message. `before` is the previous message, which shows the conversation's subject."""
    message_clauses, requests = clauses(utterance), list[ForgetRequest]()
    phrases = [_find_forget_phrase(clause.text) for clause in message_clauses]
    others = (clause for clause, phrase in zip(message_clauses, phrases, strict=True) if phrase is None)
    alone = all(len(clause.text.split()) <= _FEW_WORDS for clause in others)
    for at, (clause, phrase) in enumerate(zip(message_clauses, phrases, strict=True)):
        if phrase is None:
            continue
        back = at > 0 and not names_something(phrase.target) and has_wording("points_back", clause.text)
        targets = [clause.text for clause in _find_antecedents(message_clauses[:at])] if back else [phrase.target]
        why = " ".join(each.text for each in message_clauses[at : at + 2])
        meant = back or utterance.explicit or _is_explicit(clause.text, phrase) or has_wording("kept_private", why)
        meant = meant or _is_whole_request(clause, phrase, utterance, before, alone)
        requests += [ForgetRequest(clause, target, clause.start + phrase.end, meant) for target in targets]
    return requests


def _find_antecedents(earlier: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the last clause. If it contains a pronoun, continue with the clause before it, and so on."""
    for clause in reversed(earlier):
        yield clause
        if not has_wording("pronoun", clause.text):
            return


def without_forget_requests(utterance: Utterance, requests: Sequence[ForgetRequest]) -> Utterance:
    """Return the message without its forget requests and without the clauses that explain or refer to a request."""
    gone = list(_find_spans_to_drop(utterance, requests))
    left = (piece for span in utterance.own for piece in _subtract_spans(span, gone))
    return replace(utterance, own=tuple(left)) if gone else utterance


@dataclass(frozen=True)
class _Phrase:
    target: str
    phrase: str
    end: int


def _find_forget_phrase(text: str) -> _Phrase | None:
    """Return the words that a clause asks to forget, and the end of the request, or None if the clause isn't a request."""
    plain = straight(text)
    unstored = wording_pattern("unstored").search(plain)
    if unstored:
        after, target_before = plain[unstored.end() :].strip(_MARKS), plain[: unstored.start()].strip(_MARKS)
        target = after if names_something(after) else target_before
        return _Phrase("" if compiled("requests.pointing").fullmatch(target) else target, unstored[0], len(plain))
    if has_wording("no_forgetting", plain) or has_wording("for_a_moment", plain):
        return None
    before, behind = wording_pattern("forget").search(plain), wording_pattern("forget_behind").search(plain)
    if before:
        first = _PAUSE.split(plain[before.end() :])[0]
        if names_something(first):
            return _Phrase(first.strip(_MARKS), before[0], before.end() + len(first))
        return _Phrase(plain[: before.start()].strip(_MARKS), before[0], len(plain))
    if behind:
        return _Phrase(plain[: behind.start()].strip(_MARKS), behind[0], len(plain))
    unread = wording_pattern("forget_unread").search(plain)
    return _Phrase("", unread[0], len(plain)) if unread else None


def _is_explicit(text: str, phrase: _Phrase) -> bool:
    """Return whether a request mentions the assistant's memory, or facts about the user."""
    asking = text[: phrase.end]
    if has_wording("unstored", phrase.phrase) or has_wording("of_memory", asking):
        return True
    return has_wording("of_the_user", asking) and not has_wording("deletes", phrase.phrase)


def _is_whole_request(clause: Clause, phrase: _Phrase, utterance: Utterance, before: Utterance | None, alone: bool) -> bool:
    """Return whether a clause asks for nothing else ("Forget my cat.") and the previous message had a different subject."""
    following = utterance.text[clause.end :].lstrip(" ")[:1].strip(".!?\n")
    goes_on = utterance.text[clause.start + phrase.end : clause.end] + following
    if has_wording("deletes", phrase.phrase) or not compiled("requests.courtesy").fullmatch(goes_on):
        return False
    if before is not None and is_about(phrase.target, before.text):
        return False
    return alone or compiled("requests.mine").match(phrase.target) is not None


def _find_spans_to_drop(utterance: Utterance, requests: Sequence[ForgetRequest]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the requests, and the spans of the clauses that explain or refer to a request."""
    served = [request for request in requests if request.can_be_served]
    yield from ((request.clause.start, request.end) for request in requests)
    ends, leaning = {request.clause.end for request in served}, False
    explained = {end for end in ends if not has_wording("another_matter", utterance.text[end:].lstrip(_MARKS))}
    for before, clause in pairwise((Clause("", 0, 0), *clauses(utterance))):
        leaning = before.end in explained or (leaning and has_wording("pronoun", clause.text))
        leaning = leaning or any(mentions(request.target, clause.text) for request in served)
        if leaning:
            yield clause.start, clause.end


def _subtract_spans(span: tuple[int, int], gone: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start, end = span
    for first, last in sorted(gone):
        if first < end and start < last:
            if start < first:
                yield start, first
            start = max(start, last)
    if start < end:
        yield start, end
