"""One spelling for what the speaker's verb can look like: "I'm", "im", "i am" all become two words; the word tables."""

from collections.abc import Sequence

from commonplace.text.foundation.english import (
    is_auxiliary,
    is_base,
    is_ing_form,
    is_participle,
    is_past,
    mapping,
    table,
    with_apostrophe,
)
from commonplace.text.third_person.tokens import Kind, Token


def spelled_out(sentence: Sequence[Token]) -> list[Token]:
    """The sentence with the first person's contractions and usual typos as separate, well spelled words."""
    spelled: list[Token] = []
    for at, token in enumerate(sentence):
        following = [other for other in sentence[at + 1 : at + 4] if other.is_word]
        before = spelled[-1] if spelled else None
        spelled += _parts(token, before, following) if token.is_word else [token]
    return spelled


def _parts(token: Token, before: Token | None, following: Sequence[Token]) -> list[Token]:
    if token.low in ("im", "ive", "iam", "id", "ill", "wed") and not _can_be_subject(token, before, following):
        return [token]
    if token.low in ("i'd", "id", "we'd"):
        pronoun = "we" if token.low[0] == "w" else "I"
        return _words(token, (pronoun, "had" if _means_had(following) else "would"))
    if token.low == "ill":
        return _words(token, ("I", "will"))
    if split := mapping("speaker.contractions").get(token.low):
        return _words(token, split)
    speaks = before is not None and (before.low in ("i", "we") or before.low in table("adverbs.single"))
    if token.low == "m" and before is not None and before.low == "i":
        return [Token(token.gap, "am")]
    if token.low in mapping("speaker.spoken"):
        return _colloquial(token, before)
    if speaks and token.low != with_apostrophe(token.low):
        return [Token(token.gap, with_apostrophe(token.low))]
    if token.low == "use" and speaks and before is not None and before.low == "i" and _is_infinitive(following):
        return [Token(token.gap, "used")]
    return [token]


def _words(token: Token, texts: Sequence[str]) -> list[Token]:
    return [Token(token.gap if at == 0 else " ", text) for at, text in enumerate(texts)]


def _colloquial(token: Token, before: Token | None) -> list[Token]:
    """'I gonna' has lost its "am", 'I have gotta' its "got"."""
    if token.low == "gotta" and before is not None and before.low in ("have", "'ve"):
        return _words(token, ("got", "to"))
    if token.low in ("gonna", "tryna") and before is not None and before.low == "i":
        return _words(token, ("am", *mapping("speaker.spoken")[token.low]))
    return _words(token, mapping("speaker.spoken")[token.low])


def _is_infinitive(following: Sequence[Token]) -> bool:
    return len(following) > 1 and following[0].low == "to" and is_base(following[1].low)


def _can_be_subject(token: Token, before: Token | None, following: Sequence[Token]) -> bool:
    """Tells 'id love to' from 'my id', 'ill be late' from 'he is ill', and 'im 43' from 'the IM'."""
    if before is not None and (before.low in table("function.determiners") or before.low in ("is", "was", "are", "be")):
        return False
    if token.low in ("im", "ive", "iam"):
        return True
    word = _first_content(following)
    if token.low == "id" and before is not None and before.kind is Kind.FIXED:
        return False
    return word is not None and (is_base(word) or word in ("be", "been", "better") or _means_had(following))


def _first_content(following: Sequence[Token]) -> str | None:
    return next((token.low for token in following if token.low not in table("adverbs.single") - {"better"}), None)


def _means_had(following: Sequence[Token]) -> bool:
    """'I'd been' and 'I'd better' are "had"; 'I'd love' is "would"; 'I'd already come' is told by its adverb."""
    word = _first_content(following)
    if word is None or word in table("speaker.would_first") or following[0].low in ("rather", "not"):
        return False
    if word in ("better", "been"):
        return True
    adverb = following[0].low in table("speaker.had_adverbs")
    if word in table("verbs.same_form_base"):
        return adverb and following[0].low != "always"
    return is_participle(word)


def cased(token: Token, text: str) -> str:
    """The text in place of the token's, in capitals where the token is."""
    shouted = len(token.text) > 1 and token.text.isupper()
    return token.text if text == token.low else text.upper() if shouted else text


def missing_auxiliary(word: str, after: str) -> str | None:
    """What "I" needs before a word that cannot be its verb: 'I allergic' -> "am", 'I born' -> "was"."""
    if word == "born":
        return "was"
    if is_base(word) or is_past(word) or is_auxiliary(word):
        return None
    if word in table("bare.is") and word not in ("originally", "able"):
        return "am"
    return "am" if is_ing_form(word) and word not in ("being", "having") and after != "," else None
