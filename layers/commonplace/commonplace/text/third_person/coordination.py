"""Whether a word after "and", "but" or a comma is a further verb of the same subject, or only another noun."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from commonplace.text.foundation.english import (
    agreed,
    everyday_verbs,
    is_adjective,
    is_auxiliary,
    is_base,
    is_modal,
    is_noun,
    is_participle,
    is_past,
    table,
)
from commonplace.text.third_person.openings import adverb_length, stands_as_verb
from commonplace.text.third_person.tokens import Token

_MOSTLY = 0.7


class Subject(Enum):
    NOBODY = "nobody"
    USER = "user"
    OTHER = "other"


@dataclass(slots=True)
class Predicate:
    """The last verb of the subject: where it stands, whether it is past, and whether a bare infinitive hangs on it."""

    verb: str = ""
    at: int = -1
    past: bool = False
    bare: bool = False


def finite_form(sentence: Sequence[Token], at: int, word: str, plural: bool, before: Predicate) -> tuple[str, Predicate]:
    """The third-person form of the verb `word` at `at`, which follows the predicate `before`, and its own predicate."""
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    text, past = agreed(word, plural), is_past(word) or word in ("was", "had", "did")
    if word in table("verbs.same_form") and _is_past_here(sentence, at, before):
        text, past = word, True
    if word == "ain't" and is_participle(following):
        text = "haven't" if plural else "hasn't"
    does = word == "do" and (is_base(following) or following == "not")
    return text, Predicate(word, at, past, bare=is_modal(word) or word.endswith("n't") or does)


def is_link(token: Token) -> bool:
    return token.low in table("function.conjunctions") or token.low in (",", "then")


def continues(sentence: Sequence[Token], at: int, link: str, predicate: Predicate) -> bool:
    """True if the word at `at`, after `link` and adverbs, is a finite verb of the same subject as `predicate`."""
    word = sentence[at].low
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if following in ("i", "we") and is_auxiliary(word):
        return False
    if word == "am":
        return True
    if sentence[at].capital and not is_titled(sentence):
        return False
    if not (is_base(word) or is_auxiliary(word)):
        return False
    if link == "," and word in ("can", "will", "might", "must", "may", "like"):
        return False
    if link in ("and", "but") and sentence[at - 1].low in table("bare.frequency") and word in everyday_verbs():
        return True
    if predicate.bare and link != "but" and not _breaks_infinitive(word, predicate):
        return False
    if link == "," and not _in_list(sentence, at):
        return False
    if is_auxiliary(word) and word not in ("do", "have"):
        return word not in ("was", "were") or link != ","
    if word in table("verbs.same_form") and (predicate.past or word in table("verbs.same_form_past")):
        return False
    return _is_verb_here(sentence, at, link, predicate)


def is_titled(sentence: Sequence[Token]) -> bool:
    """True where every word has a capital, so that none is a name for having one: "I Love Rust And Write It"."""
    words = [token for token in sentence if token.is_word and token.low not in table("function.joiners")]
    return sum(token.capital for token in words) > len(words) * _MOSTLY


def _breaks_infinitive(word: str, predicate: Predicate) -> bool:
    """'I like to cook and have two cats': a state does not depend on "to cook"."""
    return word in table("verbs.states") and predicate.verb not in table("verbs.desires")


def _in_list(sentence: Sequence[Token], at: int) -> bool:
    """After a mere comma: a list of predicates that "and" closes, not a request to the assistant."""
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if following in ("me", "us"):
        return False
    if sentence[at].low not in table("verbs.requests"):
        return True
    return any(
        token.low in ("and", "or", "then") and stands_as_verb(sentence, index + 1)
        for index, token in enumerate(sentence[at : at + 20], at)
    )


def _is_verb_here(sentence: Sequence[Token], at: int, link: str, predicate: Predicate) -> bool:
    word = sentence[at].low
    if not is_noun(word) and not (is_adjective(word) and word not in ("live", "own", "like")):
        return True
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    if following is not None and (following.low in table("auxiliaries.others") or is_modal(following.low)):
        return False
    adverb = sentence[at - 1].low
    seldom = adverb in table("adverbs.seldom") and word not in table("verbs.compounding")
    if not is_link(sentence[at - 1]) and (link != "," or seldom) and word in everyday_verbs():
        # "and rarely drink", ", seldom fly": a noun is less likely after an adverb
        return True
    # "I sing, dance and paint": the verb before the link has no object
    if predicate.at >= 0 and all(is_link(token) or not token.is_word for token in sentence[predicate.at + 1 : at]):
        return True
    if following is None or not following.is_word or is_link(following):
        return False
    if word in table("verbs.intransitive") | table("verbs.compounding"):
        return _completes(sentence, at + 1) or following.low in table("times.plural")
    if word in table("verbs.transitive") | table("verbs.states"):
        return following.low != "of" and not is_auxiliary(following.low)
    return following.low in ("it", "them", "my", "the", "a", "an", "him", "her", "this", "our", "their")


def _completes(sentence: Sequence[Token], at: int) -> bool:
    """True for what follows a verb without an object, and seldom a noun: 'at', 'late', 'every', 'twice'."""
    word = sentence[at].low
    if word in table("function.prepositions"):
        return word != "of"
    adverb = adverb_length(sentence, at) > 0 or word in table("adverbs.after_verb")
    return adverb or word in table("function.determiners") or word.isdigit()


def opens_infinitive(sentence: Sequence[Token], at: int) -> bool:
    """True for the "to" of 'to swim', False for the one of 'to bed', 'to music', 'listen to rock'."""
    if at + 1 >= len(sentence):
        return False
    to = at + 1 + adverb_length(sentence, at + 1)
    following = sentence[to] if to < len(sentence) else None
    before = sentence[at - 1].low if at else ""
    if following is None or not (is_base(following.low) or following.low == "be") or before in table("verbs.to_nouns"):
        return False
    if before not in table("verbs.motion"):
        return True
    place = is_noun(following.low) and following.low not in table("verbs.transitive") | table("verbs.intransitive")
    return not (place or following.capital or following.low in table("verbs.places"))


def _is_past_here(sentence: Sequence[Token], at: int, predicate: Predicate) -> bool:
    """For a verb whose past looks like its present ("I read"): what the rest of the sentence says."""
    word = sentence[at].low
    if word in table("verbs.same_form_past") or predicate.past:
        return True
    for index in range(at + 1, min(len(sentence), at + 25)):
        token = sentence[index]
        before = sentence[index - 1].low
        if token.low in table("times.past_cues"):
            return True
        if before in ("in", "since") and token.low.isdigit() and len(token.low) == 4:
            return True
    return False
