"""What the user is called at each place of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from commonplace.text.foundation.english import is_auxiliary, is_base, is_known, table
from commonplace.text.third_person.rivals import NO_RIVAL, SEVERAL
from commonplace.text.third_person.tokens import Token

_SERIES_REACH = 12
USER = "the user"
USER_AND_OTHERS = "the user and others"


def is_oblique(word: str) -> bool:
    """True for a first person that is no subject: "me", "our", "mine", "myself"."""
    return word in table("speaker.oblique")


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
    """Those whom "we" means, once the text has told ("the user and their wife"); lives as long as the text.

    `needed`: a sentence had to name them before it was told who they are.
    """

    phrase: str = USER_AND_OTHERS
    needed: bool = False


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
        self.company.needed |= self.company.phrase == USER_AND_OTHERS
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

    def part(self, before: Sequence[str], opening: bool) -> str:
        """The words for the "us" behind "of" or "between"; `before`: the two words before it.

        A group that nobody has named keeps its "us" ('there are five of us'); `opening`: 'between us' opens the
        sentence and takes the assistant into confidence.
        """
        unnamed = not self.named and self.company.phrase == USER_AND_OTHERS
        if before[-1] == "of" and before[0] in table("function.partitive"):
            return "us" if unnamed else "them"
        if before[-1] == "between" and unnamed and opening:
            self.joined()
            return f"you and {USER}"
        return self.group("them")

    def met(self, token: Token, before: Sequence[str], rival: int) -> None:
        """Takes note of another word: a rival for "they", or company ("with my girlfriend": whom "we" means)."""
        if before == ["with", "my"] and token.low in table("people.singular"):
            self.company.phrase = f"{USER} and their {token.text}"
        self.rival = max(self.rival, rival)

    def joined(self) -> None:
        """The user was named together with somebody ("between you and the user"): "they" would mean both."""
        self.named, self.rival = True, SEVERAL

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
