"""Rewrite first-person statements in the third person, with rules instead of a model.

Only English text is rewritten. Text in another language, or partly in one ("Ich heiße Jörg and I love cats"), is quoted in a
frame in that language ("La persona usuaria dice: «…»"), because a half-correct rewriting is worse than a quotation.

The user
    The first mention in every sentence is "the user", so that each sentence stands alone. Later mentions in the
    sentence are "they", "them", "their" and "themselves", with plural verbs, as long as nobody else could be meant. After
    another person, a name or a plural noun, "the user" and "the user's" are used again. The word "their" is kept
    even then if the user is the subject of the same clause ("The user loves their wife and their kids").
    A second "I" after "and" or "but" is omitted if the subject is the same ("The user is 43 and loves jazz").
We
    "My wife and I" becomes "the user and their wife". A later "we" becomes "they" in the same sentence, and "the user and
    their wife" in the next sentence. A sentence is quoted if its "we" or "us" means unknown people ('The user said: "We have
    twins."'). The word "our" becomes "the user's" or "their".
You
    The words "you" and "your" are kept, because they refer to the assistant, which will read the text.
Left alone
    Questions and statements in the third person stay unchanged. Quotations, code, links, addresses, handles, file names, and
    every "I" that is a number, a letter or part of a name ("World War I", "Avenue I", "I-95") are kept byte for byte. A
    request to the assistant remains a request, but mentions the user ("Always answer the user in French"). It is unchanged if
    the subject of a verb is unclear ("when I ask, and keep it short").
    A request to remember ("remember that I ...") is reduced to its statement. A statement without a subject gets one ("Moved
    to Oslo" becomes "The user moved to Oslo") only if it can hardly be a request.
    Greetings and fillers before the first statement ("oh btw", "hey!") are dropped.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile

from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.expressions import read_table
from commonplace.text.foundation.languages import ENGLISH, UNKNOWN, language_of, languages, owners
from commonplace.text.third_person.statements import rewritten
from commonplace.text.third_person.tokens import Token, read

__all__ = ["to_third_person"]

_CLEAR_LENGTH = 3
_NEARBY = 3
_THE_USER = re.compile(r"\bthe user\b", re.IGNORECASE)


def to_third_person(text: str, speaker: str | None = None) -> str:
    """Return the text in the third person, in its own language, without leading and trailing white space.

    `speaker` is the name of a speaker other than the user, and replaces "the user". The function is deterministic, runs
    in linear time, and never raises. A text without letters or digits is returned unchanged, and so is a text that would
    become empty.
    """
    stripped = text.strip()
    is_framed = any(stripped.startswith(before) and stripped.endswith(after) for before, after in frames().values())
    if is_framed or not any(char.isalnum() for char in stripped):
        return text
    code = language_of(stripped)
    tokens = read(stripped)
    if code == ENGLISH:
        code = _find_foreign_code(tokens) or ENGLISH
    if code != ENGLISH:
        before, after = frames().get(code, frames()[UNKNOWN])
        return f"{before}{stripped}{after}" if speaker is None else f"{speaker}: {stripped}"
    rewritten_text = rewritten(tokens)
    if speaker is not None and not _THE_USER.search(stripped):
        rewritten_text = _THE_USER.sub(lambda _: speaker, rewritten_text)
    return rewritten_text or text


@cache
def frames() -> Mapping[str, tuple[str, str]]:
    """Map each language to the words before and after a quoted text. The entry `other` is for all other languages."""
    rows = read_table(__package__, "frames.toml")
    return {code: (frame.partition("…")[0], frame.partition("…")[2]) for code, frame in rows.items()}


def _find_foreign_code(tokens: Sequence[Token]) -> str | None:
    """Return the language of a foreign "I" outside quotations, or `UNKNOWN` for a clause like "Me encanta pizza", or None."""
    for at, token in enumerate(tokens):
        if not token.is_word or (token.capital and at and tokens[at - 1].is_word):
            # A capital inside a sentence begins a name or a title
            continue
        head, apostrophe, tail = token.low.partition("'")
        before = [tokens[at - 1].low] if at and tokens[at - 1].is_word else []
        after = takewhile(lambda other: other.is_word, tokens[at + 1 : at + _NEARBY])
        around = [tail, *before, *(other.low for other in after)]
        for language in languages().values():
            if head + apostrophe in language.speaker and _is_confirmed(head + apostrophe, around, language.code):
                return language.code
        if _opens_foreign(tokens, at):
            return UNKNOWN
    return None


def _opens_foreign(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a foreign clause like "Me encanta pizza" begins here, with "me" and a word that English lacks."""
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if tokens[at].low != "me" or (at and tokens[at - 1].is_word) or following is None or not following.is_word:
        return False
    english = is_english(following.low) or ENGLISH in owners().get(following.low, ())
    return following.text.islower() and len(following.text) > 1 and following.text.isalpha() and not english


def _is_confirmed(speaker: str, around: Sequence[str], code: str) -> bool:
    """Return whether a word near a pronoun is in the same language and, if the pronoun is ambiguous, is not English."""
    ambiguous = is_english(speaker) or len(speaker) < _CLEAR_LENGTH
    owning = [owners().get(word, ()) for word in around if word != speaker]
    return any(code in codes and not (ambiguous and ENGLISH in codes) for codes in owning)
