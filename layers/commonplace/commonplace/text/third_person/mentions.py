"""Choose the words that refer to the user in a sentence, and find words that only resemble the first person."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from commonplace.text.foundation.english import (
    everyday_verbs,
    is_adjective,
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
from commonplace.text.third_person.tokens import Kind, Token, carries_verb, phrases_by_first_word, stands_as_verb

NO_ANTECEDENT, SINGULAR, PLURAL = 0, 1, 2


def antecedent_rank(sentence: Sequence[Token], at: int) -> int:
    """Return `SINGULAR` or `PLURAL` if a later "they" could refer to the word at `at`, and otherwise `NO_ANTECEDENT`."""
    token = sentence[at]
    if not token.is_word or token.low in table("times.plural") or token.low in table("times.names"):
        return NO_ANTECEDENT
    word = token.low.removesuffix("'s")
    if word in table("people.plural"):
        return PLURAL
    if word in table("people.singular") or word in table("people.pronouns"):
        return SINGULAR
    if is_plural(word) and not _is_s_verb(sentence, at):
        return PLURAL
    return SINGULAR if _is_other_name(sentence, at) else NO_ANTECEDENT


def _is_s_verb(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a word that ends in "s" is a verb whose subject is the person before it, rather than a plural."""
    before = sentence[at - 1].low if at else ""
    return is_s_form(sentence[at].low) and before in table("function.nominatives") | table("people.singular")


def _is_other_name(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at` is a person's name rather than that of a place or language."""
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
    """Return whether the word at `at` is a finite verb with a subject other than the speaker."""
    token = sentence[at]
    before = sentence[at - 1] if at else None
    if token.low in table("auxiliaries.others") or token.low in ("were", "weren't"):
        return True
    if "'" in token.low:
        return carries_verb(sentence, at)
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
    """Return whether the word follows a possessive and a noun, like the verb in "my dog barks"."""
    return at > 1 and sentence[at - 2].low in ("my", "our") and is_noun(sentence[at - 1].low)


_CLOSING = frozenset((".", ",", "(", ")", ";", "!", "?"))
_PHRASE_REACH = 5


def shield(sentence: Sequence[Token]) -> None:
    """Mark the tokens that only resemble pronouns as fixed. The sentence is changed in place."""
    shouted = is_shouted(sentence)
    for at, token in enumerate(sentence):
        if not token.is_word:
            continue
        length = _phrase_length(sentence, at, "numerals.cries") or (
            0 if shouted or not token.capital else _phrase_length(sentence, at, "numerals.titles")
        )
        for part in sentence[at : at + length]:
            part.kind = Kind.FIXED
        if token.low == "i":
            fixed = _is_numeral(sentence, at) or _is_variable(sentence, at) or _is_letter(sentence, at)
        elif token.low == "mine" and _is_noun(sentence, at):
            fixed = True
        else:
            capitals = token.text in table("speaker.capitals")
            fixed = not shouted and (capitals or _is_title(sentence, at) or _is_country(sentence, at))
        if fixed:
            token.kind = Kind.FIXED


def is_shouted(sentence: Sequence[Token]) -> bool:
    """Return whether the whole sentence is in capitals."""
    words = [token.text for token in sentence if token.is_word and token.text.isalpha()]
    return len(words) > 2 and all(word.isupper() for word in words)


def _phrase_length(sentence: Sequence[Token], at: int, name: str) -> int:
    """Return the number of tokens in a table's longest phrase at `at`, or 0. A title needs two capitals."""
    for phrase in phrases_by_first_word(name).get(sentence[at].low, ()):
        if [token.low for token in sentence[at : at + len(phrase)]] != phrase:
            continue
        end = at + len(phrase)
        if phrase[-1] == "my" and end < len(sentence) and sentence[end].is_word:
            continue
        capitals = sum(token.capital for token in sentence[at : at + len(phrase)])
        if name == "numerals.cries" or capitals > 1:
            return len(phrase)
    return 0


def _is_numeral(sentence: Sequence[Token], at: int) -> bool:
    """Return whether an "I" is a Roman numeral ("World War I", "I. Introduction")."""
    before = sentence[at - 1] if at else None
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    if before is None:
        # an enumeration, as in "I. Introduction"
        return after is not None and after.text == "." and at + 2 < len(sentence) and sentence[at + 2].capital
    if not before.is_word or sentence[at].text != "I":
        return False
    if before.text == "War" and at > 1 and sentence[at - 2].low == "world":
        return True
    if before.low in table("numerals.nouns"):
        return after is None or not _speaks(after, counted=before.capital)
    if before.capital and before.low in table("numerals.reigning"):
        return after is None or not _speaks(after, counted=True)
    return False


def _is_letter(sentence: Sequence[Token], at: int) -> bool:
    """Return whether an "I" is just a letter ("Avenue I", "an I in art") and can't be the subject of the next word."""
    if not at or sentence[at].text != "I" or stands_as_verb(sentence, at + 1):
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if before.low in ("a", "an"):
        return True
    bare = after is None or after.text in _CLOSING or after.low in table("function.prepositions")
    return bare and before.is_word and before.capital and at > 1 and before.low not in table("times.names")


def _is_noun(sentence: Sequence[Token], at: int) -> bool:
    """Return whether "mine" is part of a noun phrase that began before it ("a coal mine", "near the old mine")."""
    for start in range(at - 1, max(-1, at - _PHRASE_REACH), -1):
        word = sentence[start].low
        if word in table("function.determiners"):
            return word not in table("function.pronominal") or start < at - 1
        verb = is_past(word) or is_auxiliary(word) or is_s_form(word)
        if not sentence[start].is_word or verb or word in table("function.prepositions"):
            return False
        if not (is_noun(word) or is_adjective(word)) or word in table("people.singular") or is_plural(word):
            return False
    return False


def _speaks(after: Token, counted: bool) -> bool:
    """Return whether the word after "I" is a verb with the speaker as subject, or an adverb before one."""
    if not after.is_word:
        return False
    if counted and (is_past(after.low) or after.low in table("numerals.verbs")):
        return False
    verb = is_auxiliary(after.low) or is_past(after.low) or after.low in table("adverbs.single")
    common = everyday_verbs() | table("verbs.claims")
    return verb or (is_base(after.low) and after.low in common)


def _is_variable(sentence: Sequence[Token], at: int) -> bool:
    """Return whether an "i" is a variable ("i = 0", "for i in")."""
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    before = sentence[at - 1].low if at else ""
    return after in ("=", "<", ">", "+", "[") or before in ("=", "[") or (before == "for" and after == "in")


def _is_country(sentence: Sequence[Token], at: int) -> bool:
    """Return whether "us" means the United States ("the us", "us citizens")."""
    if sentence[at].low != "us":
        return False
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    return (at > 0 and sentence[at - 1].low == "the") or after in table("numerals.american")


def _is_title(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a capitalized pronoun is next to another capital, as in a title ("Despicable Me")."""
    token = sentence[at]
    if token.low not in table("speaker.forms") or not token.capital or at == 0:
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if not before.is_word:
        return False
    return (before.capital and at > 1) or (after is not None and after.is_word and after.capital)


_SERIES_REACH = 12
USER = "the user"
UNKNOWN_GROUP = "the user and others"


def is_oblique(word: str) -> bool:
    """Return whether a word is in the first person but never the subject ("me", "our", "mine", "myself")."""
    return word in table("speaker.oblique")


def is_coordinated(before: Sequence[Token]) -> bool:
    """Return whether the tokens before "I" form a plural subject together with it ("You and", "Rose and")."""
    if len(before) != 2 or before[1].low not in table("function.joiners") or not before[0].is_word:
        return False
    return before[0].low == "you" or (before[0].capital and is_known(before[0].low))


def is_in_series(sentence: Sequence[Token], at: int) -> bool:
    """Return whether an "I" is in a series like "I cook, I clean and I iron", after a comma and before "and I"."""
    if not at or sentence[at - 1].text != ",":
        return False
    return any(
        sentence[index].low == "and" and sentence[index + 1].low == "i"
        for index in range(at + 1, min(len(sentence) - 1, at + _SERIES_REACH))
    )


def is_wished(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the verb after the "I" at `at` is a subjunctive, which has no s ("she suggested that I write")."""
    verb = at - 2 if at and sentence[at - 1].low == "that" else at - 1
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    return verb >= 0 and sentence[verb].low in table("verbs.subjunctive") and is_base(after)


def is_inverted(before: Sequence[Token]) -> bool:
    """Return whether the verb of "I" precedes it ("so do", "never have"). The verb in "if you can" has its own subject."""
    if not before or not before[-1].is_word:
        return False
    if len(before) == 1 and before[0].low in ("were", "weren't"):
        return True
    if not is_auxiliary(before[-1].low):
        return False
    return not (len(before) > 1 and before[-2].low in table("function.nominatives") | {"they", "the user"})


@dataclass(slots=True)
class Companions:
    """The people to whom "we" refers in a text, once they are known ("the user and their wife").

    `needed` is True if a sentence mentions them before they are known.
    """

    phrase: str = UNKNOWN_GROUP
    needed: bool = False


@dataclass(slots=True)
class Mention:
    """How one sentence refers to the user. `named` is True after "the user", and `antecedent` ranks the words since then."""

    companions: Companions
    named: bool = False
    accompanied: bool = False
    antecedent: int = field(default=NO_ANTECEDENT)

    def _name(self) -> None:
        """Record that the sentence now says "the user"."""
        self.named, self.antecedent = True, NO_ANTECEDENT

    def subject(self, alone: bool) -> tuple[str, bool]:
        """Return the words for "I", and whether they take a plural verb."""
        if alone and self.named and not self.accompanied and self.antecedent == NO_ANTECEDENT:
            return "they", True
        self._name()
        return USER, False

    def group(self, plain: str) -> str:
        """Return the words for "we" or "us". `plain` is the pronoun, "they" or "them"."""
        if self.named and (self.accompanied or self.antecedent != PLURAL):
            self.accompanied = True
            return plain
        self._name()
        self.accompanied = True
        self.companions.needed |= self.companions.phrase == UNKNOWN_GROUP
        return self.companions.phrase

    def instead_of(self, pronoun: str, own_clause: bool) -> str:
        """Return the replacement for a word like "me". `own_clause` is True if the user is the subject of the clause."""
        if pronoun in ("my", "our"):
            return self._possessive(own_clause, shared=pronoun == "our")
        if pronoun in ("mine", "ours"):
            return "theirs" if self._possessive(own_clause=False, shared=False) == "their" else f"{USER}'s"
        if pronoun == "us":
            return self.group("them")
        if pronoun != "me" and self.named:
            return "themselves"
        if self.named and not self.accompanied and self.antecedent == NO_ANTECEDENT:
            return "them"
        self._name()
        return USER

    def part(self, before: Sequence[str], opening: bool) -> str:
        """Return the replacement for an "us" after "of" or "between". `before` contains the two words before "us".

        If the group is unknown, "us" is kept ("there are five of us"). If `opening` is true, "between us" begins the sentence
        and includes the assistant.
        """
        unnamed = not self.named and self.companions.phrase == UNKNOWN_GROUP
        if before[-1] == "of" and before[0] in table("function.partitive"):
            return "us" if unnamed else "them"
        if before[-1] == "between" and unnamed and opening:
            self.joined()
            return f"you and {USER}"
        return self.group("them")

    def record(self, token: Token, before: Sequence[str], antecedent: int) -> None:
        """Record a word, which may be an antecedent of "they" or identify the people in "we" ("with my girlfriend")."""
        if before == ["with", "my"] and token.low in table("people.singular"):
            self.companions.phrase = f"{USER} and their {token.text}"
        self.antecedent = max(self.antecedent, antecedent)

    def joined(self) -> None:
        """Record that the user was mentioned with someone else ("you and the user"), so that "they" would mean both."""
        self.named, self.antecedent = True, PLURAL

    def _possessive(self, own_clause: bool, shared: bool) -> str:
        """Return "their" if it is unambiguous, and otherwise "the user's"."""
        unclear = self.antecedent == PLURAL if shared or self.accompanied else self.antecedent != NO_ANTECEDENT
        if self.named and (own_clause or not unclear):
            return "their"
        self._name()
        return f"{USER}'s"
