"""What the user is called at each place of a sentence: "the user" first, "they" while nobody else could be meant."""

from dataclasses import dataclass, field

from .others import NO_RIVAL, SEVERAL

PRONOUNS = frozenset(("me", "us", "my", "our", "mine", "ours", "myself", "ourselves"))
USER = "the user"
USER_AND_OTHERS = "the user and others"


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
        """The words for one of PRONOUNS. `own_clause`: the user is the subject of the verb at hand."""
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
