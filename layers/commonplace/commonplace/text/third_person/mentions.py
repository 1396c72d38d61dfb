"""What the user is called at each place of a sentence, and who else is in it: rivals for the word "they"."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from commonplace.text.foundation.english import (
    everyday_verbs,
    is_auxiliary,
    is_base,
    is_everyday_s_form,
    is_known,
    is_modal,
    is_noun,
    is_past,
    is_plural,
    is_s_form,
    table,
)
from commonplace.text.third_person.tokens import Token

_SERIES_REACH = 12
NO_RIVAL, ONE_PERSON, SEVERAL = 0, 1, 2

USER = "the user"
USER_AND_OTHERS = "the user and others"


def is_oblique(word: str) -> bool:
    """True for a first person that is no subject: "me", "our", "mine", "myself"."""
    return word in table("speaker.oblique")


def rival_rank(sentence: Sequence[Token], at: int) -> int:
    """How strongly this word could be meant by a later "they": not at all, as one person, as several."""
    token = sentence[at]
    if not token.is_word or token.low in table("times.plural") or token.low in table("times.names"):
        return NO_RIVAL
    word = token.low.removesuffix("'s")
    if word in table("people.plural"):
        return SEVERAL
    if word in table("people.singular") or word in table("people.pronouns"):
        return ONE_PERSON
    if is_plural(word) and not _stands_as_verb(sentence, at):
        return SEVERAL
    return ONE_PERSON if _is_other_name(sentence, at) else NO_RIVAL


def _stands_as_verb(sentence: Sequence[Token], at: int) -> bool:
    before = sentence[at - 1].low if at else ""
    return is_s_form(sentence[at].low) and before in table("function.nominatives") | table("people.singular")


def _is_other_name(sentence: Sequence[Token], at: int) -> bool:
    token = sentence[at]
    if at == 0 or not token.capital or token.text.isupper() or not token.text.isalpha():
        return False
    if token.low.endswith(("ish", "ese", "ian")) or token.low in table("function.determiners"):
        return False
    before = sentence[at - 1]
    if before.capital and at > 1:
        return False
    place = before.low in table("function.place_prepositions")
    moved = before.low == "to" and at > 1 and sentence[at - 2].low in table("verbs.motion")
    introduced = before.low in table("people.introduced") | {"-", ":"}
    return before.is_word and not (place or moved or introduced)


def takes_over(sentence: Sequence[Token], at: int) -> bool:
    """True if this word is the finite verb of a subject that is not the speaker."""
    token = sentence[at]
    before = sentence[at - 1] if at else None
    if token.low in table("auxiliaries.others") or token.low in ("were", "weren't"):
        return True
    if "'" in token.low and token.low.partition("'")[0] in table("function.nominatives"):
        return not token.low.endswith("n't")
    if before is None or not before.is_word:
        return False
    if is_modal(token.low):
        return True
    person = before.low in table("function.nominatives") or before.low in table("people.singular")
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if before.capital and at > 1 and is_everyday_s_form(token.low) and following in table("function.determiners"):
        # "that Tom cleans the house", not "Japanese films"
        return True
    if is_s_form(token.low) and not (is_plural(token.low) and is_noun(before.low) and not person):
        return person or not is_plural(token.low) or _follows_possessed(sentence, at)
    if is_past(token.low):
        return person and before.low not in ("it", "this", "that")
    if before.low in ("people", "they", "who", "you") and is_base(token.low):
        return True
    plural = before.low in ("they", "you", "who", "that", "which", "we") or is_plural(before.low)
    return plural and is_base(token.low) and (not is_noun(token.low) or token.low in everyday_verbs())


def _follows_possessed(sentence: Sequence[Token], at: int) -> bool:
    """'my dog barks': the s-form of a verb right after a possessive and one noun."""
    return at > 1 and sentence[at - 2].low in ("my", "our") and is_noun(sentence[at - 1].low)


def opens_inner_clause(sentence: Sequence[Token], at: int) -> bool:
    """True for "that", "because" and the like."""
    return sentence[at].low in table("function.subordinators")


def is_coordinated(before: Sequence[Token]) -> bool:
    """For the tokens before "I": 'You and', 'Rose and' make a plural subject with it."""
    if len(before) != 2 or before[1].low not in table("function.joiners") or not before[0].is_word:
        return False
    return before[0].low == "you" or (before[0].capital and is_known(before[0].low))


def is_in_series(sentence: Sequence[Token], at: int) -> bool:
    """For the second "I" of 'I cook, I clean and I iron': a comma before it, "and I" to come."""
    if not at or sentence[at - 1].text != ",":
        return False
    return any(
        sentence[index].low == "and" and sentence[index + 1].low == "i"
        for index in range(at + 1, min(len(sentence) - 1, at + _SERIES_REACH))
    )


def is_wished(sentence: Sequence[Token], at: int) -> bool:
    """'she suggested that I write': the verb after the "I" at `at` is a subjunctive and does not agree."""
    verb = at - 2 if at and sentence[at - 1].low == "that" else at - 1
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    return verb >= 0 and sentence[verb].low in table("verbs.subjunctive") and is_base(after)


def is_inverted(before: Sequence[Token]) -> bool:
    """For the tokens before "I": 'so do', 'never have', but not 'if you can' whose verb has its subject."""
    if not before or not before[-1].is_word:
        return False
    if len(before) == 1 and before[0].low in ("were", "weren't"):
        return True
    if not is_auxiliary(before[-1].low):
        return False
    return not (len(before) > 1 and before[-2].low in table("function.nominatives") | {"they", "the user"})


@dataclass(slots=True)
class Company:
    """Those whom "we" means, once the text has told ("the user and their wife"); lives as long as the text."""

    phrase: str = USER_AND_OTHERS


@dataclass(slots=True)
class Mention:
    """State of one sentence: whether the user was named, and who has come up since."""

    company: Company
    named: bool = False
    accompanied: bool = False
    rival: int = field(default=NO_RIVAL)

    def _name(self) -> None:
        self.named, self.rival = True, NO_RIVAL

    def subject(self, alone: bool) -> tuple[str, bool]:
        """The words for "I", and whether they take a plural verb."""
        if alone and self.named and not self.accompanied and self.rival == NO_RIVAL:
            return "they", True
        self._name()
        return USER, False

    def group(self, plain: str) -> str:
        """The words for "we" ("they") and "us" ("them"); `plain` is the pronoun."""
        if self.named and (self.accompanied or self.rival != SEVERAL):
            self.accompanied = True
            return plain
        self._name()
        self.accompanied = True
        return self.company.phrase

    def instead_of(self, pronoun: str, own_clause: bool) -> str:
        """The words for one of `speaker.oblique`. `own_clause`: the user is the subject of the verb at hand."""
        if pronoun in ("my", "our"):
            return self._possessive(own_clause, shared=pronoun == "our")
        if pronoun in ("mine", "ours"):
            return "theirs" if self._possessive(own_clause=False, shared=False) == "their" else f"{USER}'s"
        if pronoun == "us":
            return self.group("them")
        return self._object() if pronoun == "me" or not self.named else "themselves"

    def _object(self) -> str:
        if self.named and not self.accompanied and self.rival == NO_RIVAL:
            return "them"
        self._name()
        return USER

    def _possessive(self, own_clause: bool, shared: bool) -> str:
        unclear = self.rival == SEVERAL if shared or self.accompanied else self.rival != NO_RIVAL
        if self.named and (own_clause or not unclear):
            return "their"
        self._name()
        return f"{USER}'s"
