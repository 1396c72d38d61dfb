"""Split a text into tokens, and recognize the parts of a statement.

Tokens are words that may change, punctuation marks, and spans that are kept byte for byte. Contractions are spelled out.
Openings such as "oh btw," precede a statement and aren't part of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache

from commonplace.text.foundation.english import (
    is_adjective,
    is_auxiliary,
    is_base,
    is_describing,
    is_everyday_s_form,
    is_finite,
    is_ing_form,
    is_noun,
    is_participle,
    is_past,
    is_plural,
    mapping,
    table,
    with_apostrophe,
)
from commonplace.text.foundation.numbers import cardinals
from commonplace.text.foundation.sentences import abbreviations

_APOSTROPHES = str.maketrans("’`´ʼ＇", "'''''")
_CLOSING = {
    '"': '"', "“": '”“"', "„": '“”"', "«": "»", "»": "«", "‹": "›", "「": "」", "『": "』", "‘": "’", "'": "'",
}  # fmt: skip
_SINGLE_QUOTE_REACH = 400

# Every quantifier that could be tried again from the next character is bounded, so that reading takes linear time.
_TOKEN = r"""
  (?P<space>\s+)
| (?P<fixed>
    ```[\s\S]{0,4000}?```
  | \[(?:redacted(?::\w{1,40})?|erased)\]
  | (?<![^\W_])`[^`\n]{1,400}`
  | (?:https?://|www\.)[^\s<>"”»]{1,2000}(?<![.,;:!?)'’\]])
  | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}
  | (?:(?<=\s)|^)(?:~|\.{1,2})?/[\w.-]{1,100}(?:/[\w.-]{0,100}){0,40}(?<![.])
  | [A-Za-z]:\\[^\s"]{1,300}
  | (?<!\w)[@\#]\w{1,100}
  | (?<!\w)(?:[A-Za-z]\.){2,8}
  | [\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.[a-z][a-z0-9]{1,4}(?:/[\w./?=&%\#-]{0,500}(?<![.?]))?(?![\w'’])
  | (?<!\w)(?:[A-Z]{1,8}[&+/]I|I[&+/][A-Z]{1,8})(?!\w)
  | :[a-z0-9_+-]{1,40}:
  )
| (?P<word>[^\W_]+(?:['’`´ʼ＇-][^\W_]+)*)
| (?P<mark>\.{2,}|--+|[\s\S])
"""

_STOPS = frozenset(".!?。！？…")
_ABBREVIATIONS = ("titles", "beside_names", "companies", "months", "in_texts", "citations", "numbers")


class Kind(Enum):
    WORD = "word"
    MARK = "mark"
    FIXED = "fixed"
    SAID = "said"


@dataclass(slots=True)
class Token:
    """A token of a text. `gap` is the white space before it. `low` is `text` in lower case with straight apostrophes.

    `joined` is the number of tokens after an "I" that refer to the speaker's companions (3 in "I and my wife").
    """

    gap: str
    text: str
    kind: Kind = Kind.WORD
    joined: int = 0
    low: str = field(init=False)

    def __post_init__(self) -> None:
        self.low = self.text.lower().translate(_APOSTROPHES)

    @property
    def is_word(self) -> bool:
        return self.kind is Kind.WORD

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


@cache
def _token_pattern() -> re.Pattern[str]:
    return re.compile(_TOKEN, re.VERBOSE)


def joined_text(tokens: list[Token]) -> str:
    return "".join(token.gap + token.text for token in tokens)


def read(text: str) -> list[Token]:
    """Return the tokens in a text, in order. `joined_text` restores the text from them, except for white space at the end."""
    pattern, tokens, gap, at = _token_pattern(), [], "", 0
    unclosed: set[str] = set()
    while at < len(text):
        end = _quote_end(text, at, unclosed)
        if end:
            tokens.append(Token(gap, text[at:end], Kind.FIXED))
            gap, at = "", end
            continue
        match = pattern.match(text, at)
        assert match is not None  # the last alternative matches any character
        at = match.end()
        if match.lastgroup == "space":
            gap += match.group()
            continue
        tokens.append(Token(gap, match.group(), Kind(match.lastgroup)))
        gap = ""
    return tokens


def _quote_end(text: str, at: int, unclosed: set[str]) -> int:
    """Return the end of the quotation that begins at `at`, or 0. `unclosed` collects the marks that are never closed."""
    mark = text[at]
    if mark not in _CLOSING or mark in unclosed:
        return 0
    before = text[at - 1] if at else " "
    if mark in "\"'" and not (before.isspace() or before in "([{—–-:,;=/…"):
        return 0
    if mark in "'‘":
        return _single_quote_end(text, at, _CLOSING[mark])
    ends = [end for closing in _CLOSING[mark] if (end := text.find(closing, at + 1)) > 0]
    if not ends:
        unclosed.add(mark)
        return 0
    return min(ends) + 1


def _single_quote_end(text: str, at: int, closing: str) -> int:
    """Return the end of a single-quoted text, or 0. A closing mark follows no space and precedes no letter or digit."""
    opening = text[at : at + 7].lower().translate(_APOSTROPHES)
    if text[at + 1 : at + 2].isdigit() or opening.startswith(tuple(table("speaker.elisions"))):
        return 0
    end = text.find(closing, at + 2, at + _SINGLE_QUOTE_REACH)
    while end > 0:
        after = text[end + 1 : end + 2]
        if not text[end - 1].isspace() and not after.isalnum():
            return end + 1
        end = text.find(closing, end + 1, at + _SINGLE_QUOTE_REACH)
    return 0


def sentence_tokens(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each sentence with its final marks. A line break also ends a sentence.

    `foundation.sentences` is not used, because this function must return every token, treat quotations as single tokens, and
    split "tea.I" into two sentences.
    """
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if current and "\n" in token.gap:
            yield current
            current = []
        current.append(token)
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is not None and (following.gap or _is_glued(current, following)) and _ends_sentence(current, following):
            yield current
            current = []
    if current:
        yield current


def _ends_sentence(current: list[Token], following: Token) -> bool:
    """Return whether a sentence ends before the token `following`."""
    last = current[-1]
    if last.kind is Kind.FIXED:
        # the stop is inside the quotation, as in 'He said "I quit." My boss …'
        quoted = len(last.text) > 2 and last.text[-2] in _STOPS and not last.text[-1].isalnum()
        return quoted and following.capital
    if last.kind is Kind.WORD:
        return False
    if len(last.text) > 1 and last.text[0] == ".":
        return following.capital or following.low == "i"
    if last.text not in _STOPS:
        return len(current) > 1 and current[-2].text in _STOPS and current[-1].text in ")]\"'”’"
    return not (last.text == "." and _is_abbreviated(current, following))


def _is_glued(current: list[Token], following: Token) -> bool:
    """Return whether the space after a sentence is missing ("I like tea.I hate coffee")."""
    return len(current) > 1 and following.capital and current[-1].text in _STOPS and current[-2].text.islower()


def _is_abbreviated(current: list[Token], following: Token) -> bool:
    """Return whether the final full stop belongs to an abbreviation or initial."""
    if len(current) < 2 or current[-1].gap:
        return False
    word = current[-2]
    if word.low in abbreviations(*_ABBREVIATIONS):
        return word.low != "etc" or not following.capital
    initial = len(word.text) == 1 and word.capital and word.text != "I"
    return initial and following.capital and following.text != "I"


def spelled_out(sentence: Sequence[Token]) -> list[Token]:
    """Return the sentence with first-person contractions and common typos spelled out as separate, correct words."""
    spelled: list[Token] = []
    for at, token in enumerate(sentence):
        following = [other for other in sentence[at + 1 : at + 4] if other.is_word]
        before = spelled[-1] if spelled else None
        spelled += _spell_out(token, before, following) if token.is_word else [token]
    return spelled


def _spell_out(token: Token, before: Token | None, following: Sequence[Token]) -> list[Token]:
    """Return the correct words for a token, or the token itself."""
    if token.low in ("im", "ive", "iam", "id", "ill", "wed") and not _can_be_subject(token, before, following):
        return [token]
    if token.low in ("i'd", "id", "we'd"):
        pronoun = "we" if token.low[0] == "w" else "I"
        return _replace_token(token, (pronoun, "had" if _means_had(following) else "would"))
    if token.low == "ill":
        return _replace_token(token, ("I", "will"))
    if split := mapping("speaker.contractions").get(token.low):
        return _replace_token(token, split)
    speaks = before is not None and (before.low in ("i", "we") or before.low in table("adverbs.single"))
    if token.low == "m" and before is not None and before.low == "i":
        return [Token(token.gap, "am")]
    if token.low in mapping("speaker.spoken"):
        return _spell_out_colloquial(token, before)
    if speaks and token.low != with_apostrophe(token.low):
        return [Token(token.gap, with_apostrophe(token.low))]
    if token.low == "use" and speaks and before is not None and before.low == "i" and _is_infinitive(following):
        return [Token(token.gap, "used")]
    return [token]


def _replace_token(token: Token, texts: Sequence[str]) -> list[Token]:
    """Return one token for each text, to replace `token`."""
    return [Token(token.gap if at == 0 else " ", text) for at, text in enumerate(texts)]


def _spell_out_colloquial(token: Token, before: Token | None) -> list[Token]:
    """Return the words for "gonna" or "gotta". "I gonna" gets the missing "am", and "gotta" after "have" becomes "got to"."""
    if token.low == "gotta" and before is not None and before.low in ("have", "'ve"):
        return _replace_token(token, ("got", "to"))
    if token.low in ("gonna", "tryna") and before is not None and before.low == "i":
        return _replace_token(token, ("am", *mapping("speaker.spoken")[token.low]))
    return _replace_token(token, mapping("speaker.spoken")[token.low])


def _is_infinitive(following: Sequence[Token]) -> bool:
    return len(following) > 1 and following[0].low == "to" and is_base(following[1].low)


def _can_be_subject(token: Token, before: Token | None, following: Sequence[Token]) -> bool:
    """Return whether "id", "ill" or "im" contains "I" ("id love to"), unlike the words in "my id" and "he is ill"."""
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
    """Return whether "I'd" means "I had", as in "I'd been" or "I'd already come", rather than "I would", as in "I'd love"."""
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
    """Return the replacement for a token's text, in capitals if the token is in capitals."""
    shouted = len(token.text) > 1 and token.text.isupper()
    return token.text if text == token.low else text.upper() if shouted else text


def missing_auxiliary(word: str, after: str) -> str | None:
    """Return the auxiliary that is missing between "I" and a word ("am" in "I allergic", "was" in "I born"), or None."""
    if word == "born":
        return "was"
    if is_base(word) or is_past(word) or is_auxiliary(word):
        return None
    if word in table("bare.is") and word not in ("originally", "able"):
        return "am"
    return "am" if is_ing_form(word) and word not in ("being", "having") and after != "," else None


_PARENTHESIS_REACH = 9
_PHRASE_REACH = 6

_PAUSES = frozenset((",", "!", "...", "…", "—", "–", "-", ":", ".", "--"))
_VERB_REACH = 8


def adverb_length(sentence: Sequence[Token], at: int) -> int:
    """Return the number of tokens in the adverbial at `at`, such as 1 for "really" or 4 for "every now and then", or 0."""
    if at >= len(sentence) or not sentence[at].is_word:
        return 0
    if sentence[at].low.isdigit() and at + 1 < len(sentence) and sentence[at + 1].text == "%":
        return 2
    for length in (5, 4, 3, 2):
        if " ".join(token.low for token in sentence[at : at + length]) in table("adverbs.phrases"):
            return length
    word = sentence[at].low
    if word in table("adverbs.single"):
        return 1
    adverb = word.endswith("ly") and len(word) > 4 and word.isalpha()
    return 1 if adverb and not (is_base(word) or is_noun(word) or is_adjective(word)) else 0


def aside_length(sentence: Sequence[Token], at: int) -> int:
    """Return the number of tokens from `at` that separate "I" from its verb, or 0."""
    if at >= len(sentence):
        return 0
    if not sentence[at].is_word:
        return _parenthesis_length(sentence, at)
    return adverb_length(sentence, at) or _role_length(sentence, at)


def _parenthesis_length(sentence: Sequence[Token], at: int) -> int:
    """Return the number of tokens in a parenthesis (in brackets, commas or dashes) before a verb, or 0."""
    opening = sentence[at].text
    if opening not in (",", "(", "-", "–", "—"):
        return 0
    closing = ")" if opening == "(" else opening
    for end in range(at + 1, min(len(sentence), at + _PARENTHESIS_REACH)):
        if sentence[end].text == closing:
            return end + 1 - at if stands_as_verb(sentence, end + 1) else 0
    return 0


def _role_length(sentence: Sequence[Token], at: int) -> int:
    """Return the number of tokens that describe a role before a verb ("as a nurse", "as the oldest child"), or 0."""
    if sentence[at].low != "as" or at + 1 >= len(sentence):
        return 0
    noun = at + 2 if sentence[at + 1].low in table("function.determiners") else at + 1
    reach = range(noun + 1, min(len(sentence), at + _PHRASE_REACH))
    return next((end - at for end in reach if stands_as_verb(sentence, end)), 0)


def stands_as_verb(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at`, or the first word after adverbs there, may be a verb with the speaker as subject."""
    at += adverb_length(sentence, at)
    return is_finite(sentence[at].low if at < len(sentence) else "")


def stands_alone(sentence: Sequence[Token], at: int) -> bool:
    """Return whether an auxiliary is a whole predicate and therefore needs its subject ("but I did.")."""
    after = sentence[at + 1] if at + 1 < len(sentence) else None
    return is_auxiliary(sentence[at].low) and (after is None or not after.is_word)


@cache
def phrases_by_first_word(name: str) -> dict[str, list[list[str]]]:
    """Map first words to the phrases in a table that begin with them, longest first, as lists of words and commas."""
    phrases: dict[str, list[list[str]]] = {}
    for phrase in sorted(table(name), key=len, reverse=True):
        parts = phrase.replace(",", " ,").split()
        phrases.setdefault(parts[0], []).append(parts)
    return phrases


def _matched(tokens: Sequence[Token], at: int, name: str) -> int:
    """Return the number of tokens in a table's longest phrase that begins at `at`, or 0."""
    if at >= len(tokens):
        return 0
    for phrase in phrases_by_first_word(name).get(tokens[at].low, ()):
        if [token.low for token in tokens[at : at + len(phrase)]] == phrase:
            return len(phrase)
    return 0


def speaks(token: Token) -> bool:
    """Return whether a token is a first-person word."""
    return token.is_word and token.low in table("speaker.signs")


def filler_length(tokens: Sequence[Token]) -> int:
    """Return the number of opening tokens that can be dropped, such as 3 for "so yeah," and for "hi Claude!"."""
    at = 0
    while step := _filler_step(tokens, at):
        at += step
    return at


def _filler_step(tokens: Sequence[Token], at: int) -> int:
    """Return the number of tokens in the filler at `at`, including pauses and the assistant's name, or 0."""
    length = _matched(tokens, at, "openings.fillers")
    if not length:
        return 0
    end = at + length
    glued = _matched(tokens, at, "openings.glued") == length
    if end < len(tokens) and tokens[end].text in _PAUSES:
        return _past_pauses(tokens, end) - at
    greeted = _matched(tokens, at, "openings.greetings") == length
    if greeted and end + 1 < len(tokens) and tokens[end].is_word and tokens[end + 1].text in (",", "!", "."):
        return 0 if speaks(tokens[end]) else _past_pauses(tokens, end + 1) - at
    following = tokens[end] if end < len(tokens) else None
    if glued and following is not None and (speaks(following) or _matched(tokens, end, "openings.fillers")):
        return length
    return 0


def _past_pauses(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind is Kind.MARK and not tokens[at].text.isalnum():
        at += 1
    return at


def reminder_length(tokens: Sequence[Token]) -> int:
    """Return the number of tokens in a request like "remember that", or 0 unless a statement by the speaker follows."""
    length = _matched(tokens, 0, "openings.reminders") or _matched(tokens, 0, "openings.polite")
    if not length:
        return 0
    at = length
    if at < len(tokens) and tokens[at].low == "that":
        at += 1
        return at if any(speaks(token) for token in tokens[at:]) and _has_verb(tokens, at) else 0
    if at < len(tokens) and tokens[at].text in (":", ",", "-", "—", "–"):
        at += 1
    if at < len(tokens) and speaks(tokens[at]) and tokens[at].low not in ("me", "us") and _has_verb(tokens, at):
        return at
    return 0


def asks_politely(tokens: Sequence[Token]) -> bool:
    return bool(_matched(tokens, 0, "openings.polite"))


def _has_verb(tokens: Sequence[Token], at: int) -> bool:
    """Return whether the words contain a verb ("my birthday is in May") and aren't just an object ("my birthday")."""
    if tokens[at].low in ("i", "we") or "'" in tokens[at].low or tokens[at].low in ("im", "ive", "iam"):
        return True
    finite = table("auxiliaries.others")
    return any(
        is_auxiliary(token.low) or token.low in finite or is_everyday_s_form(token.low) or speaks(token)
        for token in tokens[at + 1 : at + _VERB_REACH]
    )


def carries_verb(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at` ends with a contracted verb other than a negation."""
    head, mark, tail = sentence[at].low.rpartition("'")
    if not mark or not sentence[at].is_word or tail not in table("auxiliaries.clipped"):
        return False
    if tail != "s" or head in table("people.contracting"):
        return True
    if at + 1 >= len(sentence) or not sentence[at + 1].is_word or head in table("people.degrees"):
        return False
    if sentence[at + 1].capital and _ends_phrase(sentence, at + 2):
        # "My name's Tom and I ...", "my colleague's Polish". In "my wife's Toyota and I", a thing isn't a companion either
        return True
    return _is_predicate(sentence, at + 1)


def _is_predicate(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at` shows that the "'s" before it is a verb ("a vet", "in Rome", "been", "old", "70")."""
    word = sentence[at].low
    if word in table("function.determiners") or word in table("function.prepositions") or is_auxiliary(word):
        return True
    if word in table("people.singular") or word in table("people.plural"):
        return False
    if adverb_length(sentence, at) and not is_adjective(word):
        return True
    if is_ing_form(word):
        return not (is_noun(word) and _ends_phrase(sentence, at + 1))
    counted = word.isdigit() or word in cardinals("en")
    is_state = counted or word in table("bare.is") or word in table("people.states") or is_participle(word)
    return (is_state or is_describing(word)) and not _is_noun_at(sentence, at + 1)


def _ends_phrase(sentence: Sequence[Token], at: int) -> bool:
    """Return whether a phrase ends before `at`, because no object can follow ("my mother's cooking | is great")."""
    if at >= len(sentence) or not sentence[at].is_word:
        return True
    word = sentence[at].low
    return word in table("function.conjunctions") or is_auxiliary(word) or word in table("auxiliaries.others")


def _is_noun_at(sentence: Sequence[Token], at: int) -> bool:
    """Return whether the word at `at`, or the first word after adjectives there ("old red car"), is a noun."""
    while at < len(sentence) and sentence[at].is_word and is_adjective(sentence[at].low) and not is_noun(sentence[at].low):
        at += 1
    if at >= len(sentence) or not sentence[at].is_word:
        return False
    word = sentence[at].low
    grammar = ("function.prepositions", "function.conjunctions", "function.determiners", "function.subordinators")
    if any(word in table(name) for name in grammar) or word in table("times.plural"):
        return False
    return is_noun(word) or is_plural(word) or sentence[at].capital
