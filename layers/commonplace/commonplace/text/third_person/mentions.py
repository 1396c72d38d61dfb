"""What the user is called at each place of a sentence: who else is in it, and which words only look like the first person."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

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
from commonplace.text.third_person.tokens import Kind, Token, carries_verb, stands_as_verb

NO_RIVAL, ONE_PERSON, SEVERAL = 0, 1, 2


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
    """'my dog barks': the s-form of a verb right after a possessive and one noun."""
    return at > 1 and sentence[at - 2].low in ("my", "our") and is_noun(sentence[at - 1].low)


_CLOSING = frozenset((".", ",", "(", ")", ";", "!", "?"))
_PHRASE_REACH = 5


@cache
def _phrases(name: str) -> dict[str, list[tuple[str, ...]]]:
    """first word -> the phrases that begin with it, the longest first."""
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(table(name), key=len, reverse=True):
        parts = tuple(phrase.replace(",", " ,").split())
        phrases.setdefault(parts[0], []).append(parts)
    return phrases


def shield(sentence: Sequence[Token]) -> None:
    """Turns the tokens of one sentence that are no pronouns into fixed ones, in place."""
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
    """True if the whole sentence is in capitals."""
    words = [token.text for token in sentence if token.is_word and token.text.isalpha()]
    return len(words) > 2 and all(word.isupper() for word in words)


def _phrase_length(sentence: Sequence[Token], at: int, name: str) -> int:
    for phrase in _phrases(name).get(sentence[at].low, ()):
        if tuple(token.low for token in sentence[at : at + len(phrase)]) != phrase:
            continue
        end = at + len(phrase)
        if phrase[-1] == "my" and end < len(sentence) and sentence[end].is_word:
            continue
        capitals = sum(token.capital for token in sentence[at : at + len(phrase)])
        if name == "numerals.cries" or capitals > 1:
            return len(phrase)
    return 0


def _is_numeral(sentence: Sequence[Token], at: int) -> bool:
    before = sentence[at - 1] if at else None
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    if before is None:
        # An enumeration: "I. Introduction"
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
    """'An I (incomplete) in art', 'Avenue I', 'Terminal I and gate 4': no verb of the speaker can follow."""
    if not at or sentence[at].text != "I" or stands_as_verb(sentence, at + 1):
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if before.low in ("a", "an"):
        return True
    bare = after is None or after.text in _CLOSING or after.low in table("function.prepositions")
    return bare and before.is_word and before.capital and at > 1 and before.low not in table("times.names")


def _is_noun(sentence: Sequence[Token], at: int) -> bool:
    """'A coal mine', 'near the old mine', 'mine workers': a noun phrase has begun before it, or goes on behind it."""
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
    """True if the word after "I" is a verb of the speaker, or leads to one."""
    if not after.is_word:
        return False
    if counted and (is_past(after.low) or after.low in table("numerals.verbs")):
        return False
    verb = is_auxiliary(after.low) or is_past(after.low) or after.low in table("adverbs.single")
    common = everyday_verbs() | table("verbs.claims")
    return verb or (is_base(after.low) and after.low in common)


def _is_variable(sentence: Sequence[Token], at: int) -> bool:
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    before = sentence[at - 1].low if at else ""
    return after in ("=", "<", ">", "+", "[") or before in ("=", "[") or (before == "for" and after == "in")


def _is_country(sentence: Sequence[Token], at: int) -> bool:
    """The pronoun's letters in lower case for the United States: "the us", "us citizens"."""
    if sentence[at].low != "us":
        return False
    after = sentence[at + 1].low if at + 1 < len(sentence) else ""
    return (at > 0 and sentence[at - 1].low == "the") or after in table("numerals.american")


def _is_title(sentence: Sequence[Token], at: int) -> bool:
    """A capital inside a sentence, beside another one: "Despicable Me", "He loves My Fair Lady"."""
    token = sentence[at]
    if token.low not in table("speaker.forms") or not token.capital or at == 0:
        return False
    before, after = sentence[at - 1], sentence[at + 1] if at + 1 < len(sentence) else None
    if not before.is_word:
        return False
    return (before.capital and at > 1) or (after is not None and after.is_word and after.capital)


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
