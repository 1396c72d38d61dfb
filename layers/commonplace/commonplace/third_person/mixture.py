"""English texts with a statement in another language in them: "Ich heiße Jörg and I love cats"."""

from collections.abc import Sequence

from .languages import ENGLISH, is_english, languages, owners
from .tokens import Token

_CLEAR_LENGTH = 3


def foreign_part(tokens: Sequence[Token]) -> str | None:
    """Code of a language other than English in which the text says "I" outside its quotations, or None."""
    for at, token in enumerate(tokens):
        if not token.is_word or (token.capital and at and tokens[at - 1].is_word):
            # A capital inside a sentence begins a name or a title
            continue
        head, apostrophe, tail = token.low.partition("'")
        around = [tail] if apostrophe else [tokens[near].low for near in (at - 1, at + 1) if 0 <= near < len(tokens)]
        for language in languages().values():
            if head + apostrophe in language.speaker and _speaks_too(head + apostrophe, around, language.code):
                return language.code
    return None


def _speaks_too(speaker: str, around: Sequence[str], code: str) -> bool:
    """True if a word beside the pronoun is of that language too; 'soy' and 'yo' need one that English lacks."""
    ambiguous = is_english(speaker) or len(speaker) < _CLEAR_LENGTH
    owning = [owners().get(word, ()) for word in around if word != speaker]
    return any(code in codes and not (ambiguous and ENGLISH in codes) for codes in owning)
