"""Statements without their subject: "Moved to Oslo in 2019.", "Allergic to nuts", "Love jazz"."""

from collections.abc import Sequence

from commonplace.text.foundation.english import (
    is_auxiliary,
    is_base,
    is_ing_form,
    is_participle,
    is_past,
    is_s_form,
    mapping,
    table,
)
from commonplace.text.third_person.openings import adverb_length
from commonplace.text.third_person.tokens import Kind, Token


def missing_subject(tokens: Sequence[Token]) -> list[str]:
    """The words that the statement lacks at its start: ["I"], ["I", "am"], ... or none if it lacks nothing for sure."""
    start = next((at for at, token in enumerate(tokens) if token.kind is not Kind.MARK), len(tokens))
    lows = [token.low for token in tokens[start:]]
    if len(lows) < 2 or not tokens[start].is_word:
        return []
    skipped = adverb_length(tokens, start) if lows[0] in table("bare.adverbs") else 0
    first, rest = lows[skipped], lows[skipped + 1 :]
    if not rest or first in ("the", "a", "i") or (lows[0], first) == ("just", "like") or rest[:2] == ["the", "user"]:
        return []
    for lacks in (_lacks_am, _lacks_was, _lacks_have):
        if words := lacks(first, rest):
            return words
    habitual = bool(skipped) and lows[0] in table("bare.frequency")
    return ["I"] if _lacks_i(first, rest, habitual) and not _is_noun_phrase(rest) else []


def _lacks_am(first: str, rest: Sequence[str]) -> list[str]:
    if first in table("bare.is"):
        standing = first in table("bare.standing") and rest[0] == ","
        good = standing or rest[0] in table("bare.is_before") or first in ("allergic", "originally", "lactose")
        return ["I", "am"] if good and not _has_finite(rest) and (first, rest[0]) != ("based", "on") else []
    if (first, rest[0]) == ("going", "to"):
        return ["I", "am"]
    if first in table("bare.doing") and is_ing_form(first):
        return ["I", "am"] if not _has_finite(rest) else []
    if (first, rest[0]) == ("not", "a") or (first in ("big", "huge") and rest[0] == "fan"):
        return (["I", "am"] if first == "not" else ["I", "am", "a"]) if not _has_finite(rest) else []
    return []


def _lacks_was(first: str, rest: Sequence[str]) -> list[str]:
    return ["I", "was"] if first in table("bare.was") and rest[0] in table("bare.was_before") else []


def _lacks_have(first: str, rest: Sequence[str]) -> list[str]:
    if first == "been":
        # "Been a busy week" lacks "it"
        return [] if rest[0] in table("function.determiners") else ["I", "have"]
    if first != "never":
        return []
    verb = next((word for word in rest if word not in table("adverbs.single")), "")
    if verb in ("been", "had", "tried") or (is_participle(verb) and not is_past(verb)):
        return ["I", "have"]
    return ["I"] if is_past(verb) else []


def _lacks_i(first: str, rest: Sequence[str], habitual: bool) -> bool:
    following = rest[0]
    if following in table("bare.subjects"):
        return first in table("bare.think") and following in ("i", "we")
    if first in table("bare.modals"):
        return _is_own_modal(first, rest)
    if first in table("bare.negative"):
        verb = " ".join(rest[1:2]) if first == "do" and following == "not" else following
        stative = table("bare.likes") | table("bare.consume") | table("bare.think")
        return verb in stative and not (first == "do" and following != "not")
    if first in table("bare.likes"):
        return first == "live" or following not in ("is", "was", "for", "has", "me", "you", "and", ",")
    if first in mapping("bare.live_with"):
        return following in mapping("bare.live_with")[first]
    if first in table("bare.consume"):
        return _is_consumption(first, rest)
    if first in table("bare.think"):
        return following in ("i", "i'm", "i'll", "i'd", "my", "we", "i've", "im")
    if habitual and first in table("verbs.intransitive") | table("verbs.transitive") | table("bare.consume"):
        return True
    return first in table("bare.past") and following not in ("by", "it", ".", "!", ",") and not first.endswith("ing")


def _is_own_modal(first: str, rest: Sequence[str]) -> bool:
    following, after = rest[0], rest[1] if len(rest) > 1 else ""
    if following == "be":
        return first == "will" and (after in table("bare.will_be") or is_ing_form(after))
    if first in ("can", "will", "would", "could", "should", "must", "might"):
        return is_base(following) or following in ("have", "not") or following in table("adverbs.single")
    if first in ("haven't", "won't", "can't", "couldn't", "wouldn't", "didn't") and following in ("i", "you", "we"):
        return False
    return following not in (".", "!", ",")


def _is_consumption(first: str, rest: Sequence[str]) -> bool:
    if first == "have":
        wished = table("bare.wished")
        return not (rest[0] == "a" and len(rest) > 1 and rest[1] in wished) and rest[0] not in wished
    if first == "wear":
        return rest[0] not in ("your", "the")
    return first == "drive" and rest[0] in ("a", "to", "an")


def _is_noun_phrase(rest: Sequence[str]) -> bool:
    """'Love letters are nice', 'Used cars were cheap': a verb follows that has no other subject."""
    subjects = table("function.nominatives") | table("function.subordinators") | {"i", "i'm", "my", "we"}
    for at, word in enumerate(rest[:5]):
        if word in subjects or word in table("function.determiners"):
            return False
        if at and (word in table("auxiliaries.others") or (is_s_form(word) and is_auxiliary(word))):
            return True
    return False


def _has_finite(rest: Sequence[str]) -> bool:
    """'Learning Spanish is fun' has its verb already."""
    subjects = table("function.subordinators") | {"i", "i'm", "and", "but", ","}
    for word in rest:
        if word in subjects:
            return False
        if word in table("auxiliaries.others") or word in table("auxiliaries.modals"):
            return True
    return False
