"""Convert a sentence from the first person to the third, including the verbs after "and" and "but"."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from commonplace.text.foundation.english import (
    agreed,
    everyday_verbs,
    is_adjective,
    is_auxiliary,
    is_base,
    is_finite,
    is_modal,
    is_noun,
    is_participle,
    is_past,
    is_unheard_of,
    table,
)
from commonplace.text.third_person import mentions
from commonplace.text.third_person.mentions import Companions, Mention, is_oblique, is_shouted
from commonplace.text.third_person.tokens import (
    Token,
    adverb_length,
    aside_length,
    cased,
    missing_auxiliary,
    stands_alone,
    stands_as_verb,
)

_MOSTLY = 0.7


class Subject(Enum):
    NOBODY = "nobody"
    USER = "user"
    OTHER = "other"


@dataclass(slots=True)
class Predicate:
    """The subject's last verb, at position `at`. `bare` is True if the verb takes a bare infinitive."""

    verb: str = ""
    at: int = -1
    past: bool = False
    bare: bool = False


def finite_form(sentence: Sequence[Token], at: int, word: str, plural: bool, before: Predicate) -> tuple[str, Predicate]:
    """Return the third-person form of the verb `word` at `at`, and its predicate. `before` is the previous predicate."""
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    text, past = agreed(word, plural), is_past(word) or word in ("was", "had", "did")
    if word in table("verbs.same_form") and _is_past_form(sentence, at, before):
        text, past = word, True
    if word == "ain't" and is_participle(following):
        text = "haven't" if plural else "hasn't"
    does = word == "do" and (is_base(following) or following == "not")
    return text, Predicate(word, at, past, bare=is_modal(word) or word.endswith("n't") or does)


def is_link(token: Token) -> bool:
    """Return whether a token joins two predicates, like "and" or a comma."""
    return token.low in table("function.conjunctions") or token.low in (",", "then")


def continues(sentence: Sequence[Token], at: int, link: str, predicate: Predicate) -> bool:
    """Return whether the word at `at`, after `link` and adverbs, is a finite verb with the same subject as `predicate`."""
    word = sentence[at].low
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if following in ("i", "we") and is_auxiliary(word):
        return False
    if word == "am":
        return True
    if sentence[at].capital and not is_titled(sentence):
        return False
    if not (is_base(word) or is_auxiliary(word)):
        return False
    if link == "," and word in ("can", "will", "might", "must", "may", "like"):
        return False
    if link in ("and", "but") and sentence[at - 1].low in table("bare.frequency") and word in everyday_verbs():
        return True
    if predicate.bare and link != "but" and not _breaks_infinitive(word, predicate):
        return False
    if link == "," and not _in_list(sentence, at):
        return False
    if is_auxiliary(word) and word not in ("do", "have"):
        return word not in ("was", "were") or link != ","
    if word in table("verbs.same_form") and (predicate.past or word in table("verbs.same_form_past")):
        return False
    return _is_verb(sentence, at, link, predicate)


def is_titled(sentence: Sequence[Token]) -> bool:
    """Return whether most words are capitalized ("I Love Rust And Write It"). Then a capital doesn't indicate a name."""
    words = [token for token in sentence if token.is_word and token.low not in table("function.joiners")]
    return sum(token.capital for token in words) > len(words) * _MOSTLY


def _breaks_infinitive(word: str, predicate: Predicate) -> bool:
    """Return whether a verb of state begins a new predicate after an infinitive ("I like to cook and have two cats")."""
    return word in table("verbs.states") and predicate.verb not in table("verbs.desires")


def _in_list(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the verb after a comma is in a list that ends with "and" rather than a request to the assistant."""
    following = sentence[at + 1].low if at + 1 < len(sentence) else ""
    if following in ("me", "us"):
        return False
    if sentence[at].low not in table("verbs.requests"):
        return True
    return any(
        token.low in ("and", "or", "then") and stands_as_verb(sentence, index + 1)
        for index, token in enumerate(sentence[at : at + 20], at)
    )


def _is_verb(sentence: Sequence[Token], at: int, link: str, predicate: Predicate) -> bool:
    """Return whether a word that may also be a noun is a verb, judging by its neighbours."""
    word = sentence[at].low
    if not is_noun(word) and not (is_adjective(word) and word not in ("live", "own", "like")):
        return True
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    if following is not None and (following.low in table("auxiliaries.others") or is_modal(following.low)):
        return False
    adverb = sentence[at - 1].low
    seldom = adverb in table("adverbs.seldom") and word not in table("verbs.compounding")
    if not is_link(sentence[at - 1]) and (link != "," or seldom) and word in everyday_verbs():
        # a noun is less likely after an adverb, as in "and rarely drink" and ", seldom fly"
        return True
    # the verb before the link has no object, as in "I sing, dance and paint"
    if predicate.at >= 0 and all(is_link(token) or not token.is_word for token in sentence[predicate.at + 1 : at]):
        return True
    if following is None or not following.is_word or is_link(following):
        return False
    if word in table("verbs.intransitive") | table("verbs.compounding"):
        return _completes(sentence, at + 1) or following.low in table("times.plural")
    if word in table("verbs.transitive") | table("verbs.states"):
        return following.low != "of" and not is_auxiliary(following.low)
    return following.low in ("it", "them", "my", "the", "a", "an", "him", "her", "this", "our", "their")


def _completes(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word usually follows a verb without an object rather than a noun ("at", "late", "every")."""
    word = sentence[at].low
    if word in table("function.prepositions"):
        return word != "of"
    adverb = adverb_length(sentence, at) > 0 or word in table("adverbs.after_verb")
    return adverb or word in table("function.determiners") or word.isdigit()


def opens_infinitive(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a "to" begins an infinitive ("to swim", but not "to bed" or "listen to rock")."""
    if at + 1 >= len(sentence):
        return False
    to = at + 1 + adverb_length(sentence, at + 1)
    following = sentence[to] if to < len(sentence) else None
    before = sentence[at - 1].low if at else ""
    if following is None or not (is_base(following.low) or following.low == "be") or before in table("verbs.to_nouns"):
        return False
    if before not in table("verbs.motion"):
        return True
    place = is_noun(following.low) and following.low not in table("verbs.transitive") | table("verbs.intransitive")
    return not (place or following.capital or following.low in table("verbs.places"))


def _is_past_form(sentence: Sequence[Token], at: int, predicate: Predicate) -> bool:
    """Return whether a verb like "read" is a past form, judging by the rest of the sentence."""
    word = sentence[at].low
    if word in table("verbs.same_form_past") or predicate.past:
        return True
    for index in range(at + 1, min(len(sentence), at + 25)):
        token = sentence[index]
        before = sentence[index - 1].low
        if token.low in table("times.past_cues"):
            return True
        if before in ("in", "since") and token.low.isdigit() and len(token.low) == 4:
            return True
    return False


class Rewriting:
    """A rewriting pass over a sentence whose contractions are spelled out and whose companions follow "I".

    `link` is the "and" or comma that was just read. `expected` is True until the verb of "I" has been read. `inner` is True
    after a clause has begun inside the user's clause. `main` is False if the user's clause is inside another person's clause.
    In a `request`, a verb after a link may belong to the user or be another request ("when I ask, and keep it short"). The
    result of the pass is then `unsure`.
    """

    def __init__(self, sentence: list[Token], companions: Companions, request: bool = False) -> None:
        self.sentence = sentence
        self.request = request
        self.unsure = False
        self.at = 0
        self.rewritten: list[Token] = []
        self.mention = Mention(companions)
        self.shouted = is_shouted(sentence)
        self.subject = Subject.NOBODY
        self.plural = False
        self.main = True
        self.inner = False
        self.expected = False
        self.link = ""
        self.predicate = Predicate()

    def run(self) -> list[Token]:
        """Return the rewritten tokens."""
        while self.at < len(self.sentence):
            token = self.sentence[self.at]
            if self.expected and (aside := self._aside_length(token)):
                self._pass(aside)
            else:
                (self._word if token.is_word else self._mark)(token)
            self.at += 1
        return self.rewritten

    def _aside_length(self, token: Token) -> int:
        """Return the number of tokens that separate "I" from its verb, starting here."""
        if is_oblique(token.low) or (token.low == "better" and is_base(self._following())):
            return 0
        return aside_length(self.sentence, self.at)

    def _pass(self, count: int) -> None:
        """Emit the next `count` tokens, and change only first-person words like "my"."""
        for token in self.sentence[self.at : self.at + count]:
            self._emit(token, self._replacement(token.low) if is_oblique(token.low) else None)
        self.at += count - 1

    def _following(self) -> str:
        return self.sentence[self.at + 1].low if self.at + 1 < len(self.sentence) else ""

    def _before(self) -> list[str]:
        return [other.low for other in self.sentence[max(0, self.at - 2) : self.at]]

    def _follows_subject(self) -> bool:
        """Return whether the last word is a subject or "to", so that "mine" is a verb."""
        return bool(self.rewritten) and self.rewritten[-1].low in ("they", "you", "who", "to", "people")

    def _emit(self, token: Token, text: str | None = None) -> None:
        """Append a token to the result. If `text` is given, it replaces the text of the token."""
        if text is not None and text != token.low:
            token = replace(token, text=text.upper() if self.shouted else text, joined=0)
        self.rewritten.append(token)

    def _mark(self, token: Token) -> None:
        self.expected = False
        if token.text in (";", ":") and self.subject is Subject.USER:
            self.inner = False
        self.link = "," if token.text == "," else ""
        self._emit(token)

    def _word(self, token: Token) -> None:
        if token.low in ("i", "we"):
            self._subject(token)
        elif is_oblique(token.low) and not (token.low == "mine" and (self.expected or self._follows_subject())):
            self._oblique(token)
        elif self.expected:
            self._expected_verb(token)
        elif is_link(token):
            self.link = token.low
            self._emit(token)
        elif self.link:
            self._after_link(token)
        else:
            self._observe(token)

    def _oblique(self, token: Token) -> None:
        """Emit the replacement of a word like "me" or "our"."""
        before = self._before()
        if token.low == "us" and before[-1:] in (["of"], ["between"]):
            self._emit(token, self.mention.part(before, opening=self.at <= len(before)))
        else:
            self._emit(token, self._replacement(token.low))
            if token.low == "me" and before and before[-1] in table("function.joiners"):
                self.mention.joined()
        self.link = ""

    def _replacement(self, low: str) -> str:
        return self.mention.instead_of(low, own_clause=self.subject is Subject.USER and not self.inner)

    def _subject(self, token: Token) -> None:
        """Emit the replacement of "I" or "we", or nothing if the subject is the same as before."""
        before = self.rewritten[-1] if self.rewritten else None
        self.link = ""
        self.expected = True
        if self._repeats_subject(before, token):
            return
        self.main = not self.inner and self.subject is not Subject.OTHER
        if token.low == "we":
            phrase, plural = self.mention.group("they"), True
        else:
            phrase, plural = self.mention.subject(alone=not token.joined)
        coordinated = self.subject is Subject.NOBODY and mentions.is_coordinated(self.rewritten)
        self.plural = plural or coordinated or (token.low == "i" and mentions.is_wished(self.sentence, self.at))
        inverted = self.predicate.at != self.at - 1 and mentions.is_inverted(self.rewritten)
        if inverted and before is not None:
            self.rewritten[-1] = replace(before, text=cased(before, agreed(before.low, self.plural or token.joined > 0)))
        self._emit(token, phrase)
        self.subject, self.inner, self.expected = Subject.USER, False, not inverted
        self.predicate = Predicate(bare=inverted)
        if token.joined:
            self._companions(token.joined)

    def _repeats_subject(self, before: Token | None, token: Token) -> bool:
        """Return whether the subject can be left out. "And I love" becomes "and loves" after "the user is 43"."""
        linked = before is not None and before.low in ("and", "but", "&", "n")
        if not (linked or mentions.is_in_series(self.sentence, self.at)) or self.subject is not Subject.USER:
            return False
        # without a subject, "sure they like it and love it" and "his boss says the user is late and works" would be unclear
        same = self.main and (self.mention.accompanied if token.low == "we" else not self.plural)
        verb = stands_as_verb(self.sentence, self.at + 1) and not stands_alone(self.sentence, self.at + 1)
        return same and verb and not token.joined and self.predicate.at >= 0

    def _companions(self, count: int) -> None:
        """Emit the companions of the subject. "I and my wife" becomes "the user and their wife", a plural."""
        start = len(self.rewritten) - 1
        for _ in range(count):
            self.at += 1
            token = self.sentence[self.at]
            self._emit(token, self._replacement(token.low) if is_oblique(token.low) else None)
        self.mention.accompanied, self.plural = True, True
        text = "".join(token.gap + token.text for token in self.rewritten[start:]).strip()
        self.mention.companions.phrase = text[:1].lower() + text[1:]

    def _expected_verb(self, token: Token) -> None:
        """Emit the word after "I". Adds an auxiliary if the verb is missing ("I allergic")."""
        if token.low == "better" and is_base(self._following()):
            self._emit(token, "had better")
            self.predicate, self.expected = Predicate("better", self.at, bare=True), False
        elif is_finite(token.low) or token.low in table("auxiliaries.unchanged") or is_unheard_of(token.text):
            self._verb(token)
        elif auxiliary := missing_auxiliary(token.low, self._following()):
            self._verb(Token(" ", auxiliary))
            self._observe(token)
        else:
            self.expected = False
            self._observe(token)

    def _verb(self, token: Token) -> None:
        """Emit a finite verb that the user is the subject of, in the form that agrees."""
        text, self.predicate = finite_form(self.sentence, self.at, token.low, self.plural, self.predicate)
        self._emit(token, cased(token, text))
        self.expected, self.link, self.inner = False, "", False

    def _after_link(self, token: Token) -> None:
        """Emit a word after "and" or a comma, which may be another verb with the user as its subject."""
        if count := adverb_length(self.sentence, self.at):
            if token.low == "not":
                # no finite verb follows, as in "but not dive"
                self.link = ""
            self._pass(count)
        elif self.subject is Subject.USER and continues(self.sentence, self.at, self.link, self.predicate):
            self.unsure = self.unsure or self.request
            self._verb(token)
        else:
            if is_past(token.low) and self.subject is Subject.USER:
                self.predicate = Predicate(token.low, self.at, past=True)
            self.link = ""
            self._observe(token)

    def _observe(self, token: Token) -> None:
        """Emit an unchanged word, and record its effect on later words."""
        if token.low in table("function.subordinators"):  # "that", "because"
            self.inner = True
        elif token.low == "to" and opens_infinitive(self.sentence, self.at):
            self.predicate.bare = True
        elif self.predicate.verb in table("verbs.causative") and self.subject is Subject.USER and is_base(token.low):
            self.predicate.bare = self.predicate.bare or mentions.antecedent_rank(self.sentence, self.at - 1) > 0
        elif mentions.takes_over(self.sentence, self.at):
            self.subject, self.inner = Subject.OTHER, True
        self.mention.record(token, self._before(), mentions.antecedent_rank(self.sentence, self.at))
        self._emit(token)
