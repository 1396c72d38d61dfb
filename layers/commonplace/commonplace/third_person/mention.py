"""What the user is called at each place of a sentence: "the user" first, "they" while nobody else could be meant."""

from dataclasses import dataclass, field

from .others import NO_RIVAL, SEVERAL

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

    def object(self) -> str:
        if self.named and not self.accompanied and self.rival == NO_RIVAL:
            return "them"
        self._name()
        return USER

    def possessive(self, own_clause: bool, shared: bool) -> str:
        """The words for "my", or "our" if shared. `own_clause`: the user is the subject of the verb at hand."""
        unclear = self.rival == SEVERAL if shared or self.accompanied else self.rival != NO_RIVAL
        if self.named and (own_clause or not unclear):
            return "their"
        self._name()
        return f"{USER}'s"

    def possession(self) -> str:
        """The words for "mine" and "ours"."""
        return "theirs" if self.possessive(own_clause=False, shared=False) == "their" else f"{USER}'s"
