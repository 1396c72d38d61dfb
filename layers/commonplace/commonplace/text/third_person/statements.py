"""An English text, sentence by sentence: statements and requests are turned; questions stay as they are."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from commonplace.text.foundation.english import is_base, is_everyday_s_form, is_ing_form, table
from commonplace.text.foundation.languages import ENGLISH, language_of
from commonplace.text.third_person.bare import missing_subject
from commonplace.text.third_person.clauses import Turning
from commonplace.text.third_person.company import speaker_first
from commonplace.text.third_person.mentions import Company
from commonplace.text.third_person.openings import asks_politely, filler_length, reminder_length, speaks
from commonplace.text.third_person.proper import shield
from commonplace.text.third_person.spelling import spelled_out
from commonplace.text.third_person.tokens import Kind, Token, joined_text, sentence_tokens

_QUESTION_REACH = 7
_STATEMENT_REACH = 40


def is_question(tokens: Sequence[Token]) -> bool:
    """True for a question, which stays as it is. `tokens` is one sentence without its fillers."""
    words = [token for token in tokens if token.is_word]
    if not words or words[0] is not _first(tokens):
        return False
    if any(token.text == "?" for token in tokens[-3:]):
        return not (_has_tag(tokens) or _starts_as_statement(tokens))
    return not _concludes(tokens) and _starts_as_question(words)


def _first(tokens: Sequence[Token]) -> Token | None:
    """The first token behind a bullet or a bracket."""
    return next((token for token in tokens if token.kind is not Kind.MARK), None)


def _has_tag(tokens: Sequence[Token]) -> bool:
    """', right?' or ', don't I?' at the end of a statement."""
    commas = [at for at, token in enumerate(tokens) if token.text == ","]
    if not commas or not commas[-1]:
        return False
    tail = [token.low for token in tokens[commas[-1] + 1 :] if token.is_word]
    question = _starts_as_question([token for token in tokens if token.is_word])
    if len(tail) == 1:
        return tail[0] in table("questions.tags") and not question
    return len(tail) in (2, 3) and tail[0] in table("auxiliaries.questioning") and tail[1] in ("i", "we", "you", "it")


def _starts_as_statement(tokens: Sequence[Token]) -> bool:
    """'I'm vegan, what can I eat?': a statement before the comma."""
    if not speaks(tokens[0]) or tokens[0].low in ("me", "us"):
        return False
    return any(
        _asks_back(tokens, at) or (token.text in (",", ";", "—", "-") and _starts_as_question(_words_after(tokens, at)))
        for at, token in enumerate(tokens[:_STATEMENT_REACH])
        if at > 1
    )


def _asks_back(tokens: Sequence[Token], at: int) -> bool:
    """'... how about you?', '... what is yours?', '... do you?' at the end of a statement without a comma."""
    return " ".join(token.low for token in tokens[at : at + 2]) in table("questions.asking_back")


def _words_after(tokens: Sequence[Token], at: int) -> list[Token]:
    words = [token for token in tokens[at + 1 : at + 1 + _STATEMENT_REACH] if token.is_word]
    return words[1:] if words and words[0].low in ("so", "and", "but") else words


def _starts_as_question(words: Sequence[Token]) -> bool:
    if len(words) < 2:
        return False
    first, second = words[0].low, words[1].low
    if first in table("auxiliaries.questioning"):
        if first == "had":
            return False
        pronoun = second in table("function.nominatives") or second in ("i", "we")
        return pronoun or (second in table("function.possessed") and first not in ("have", "do", "can"))
    if first not in table("function.question_words"):
        return False
    if second == "to":
        return True
    if second in table("auxiliaries.questioning") or "'" in first or first in ("whats", "wheres", "whos"):
        return second != "i" and not (first == "which" and second in ("is", "was"))
    return any(
        words[at].low in table("auxiliaries.questioning") and words[at + 1].low in ("i", "you", "we", "my", "he", "she")
        for at in range(1, min(len(words) - 1, _QUESTION_REACH))
        if not any(word.low in ("i", "we", "my") for word in words[1:at])
    )


def _concludes(tokens: Sequence[Token]) -> bool:
    """'Should I ever move, I would ...': a condition and not a question."""
    if tokens[0].low not in ("should", "were") or tokens[1].low not in ("i", "we", "my"):
        return False
    return any(
        token.text == "," and after.low in ("i", "we") and verb.low in table("auxiliaries.modals")
        for token, after, verb in zip(tokens, tokens[1:], tokens[2:], strict=False)
    )


def _is_request(tokens: Sequence[Token]) -> bool:
    at = next((at for at, token in enumerate(tokens) if token.kind is not Kind.MARK), 0)
    lows = [token.low for token in tokens[at : at + 5]] + [""] * 5
    if lows[0] in table("imperative.before"):
        lows = lows[1:]
    if [token.low for token in tokens[at : at + 2]] == ["so", "do"]:
        return False
    if lows[0] in table("imperative.never_statement"):
        return True
    if lows[0] in ("don't", "dont") or (lows[0] == "do" and lows[1] == "not"):
        return True
    if lows[0] in table("imperative.never_request") or lows[1] in ("i", "we"):
        return False
    return is_base(lows[0]) and not _is_subject(lows)


def _is_subject(lows: Sequence[str]) -> bool:
    """'Book club meets on my street', 'Work is hard', 'Rose and I': a noun after all."""
    finite = table("auxiliaries.others") | table("auxiliaries.modals") | {"had", "and", ",", "'s", "or", ":"}
    if lows[1] in finite or lows[1] == "" or is_ing_form(lows[0]):
        return True
    determined = lows[1] in table("function.determiners") or lows[1] in table("function.prepositions")
    return (
        not determined
        and lows[1] not in ("me", "us", "you")
        and (lows[2] in finite - {"and", ",", "or", ":"} or is_everyday_s_form(lows[2]))
    )


def turned(tokens: list[Token]) -> str:
    """The English text in the third person; a sentence that is no statement of the speaker stays as it is."""
    company = Company()
    result: list[Token] = []
    parts = list(sentence_tokens(tokens))
    for at, sentence in enumerate(parts):
        result += _sentence(sentence, company, is_first=not result, is_last=at == len(parts) - 1)
    if result:
        result[0] = replace(result[0], gap="")
    return joined_text(list(_quoted(result)))


def _quoted(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens, with a frame around each run of sentences that keep their own words."""
    for said, run in groupby(tokens, lambda token: token.kind is Kind.SAID):
        parts = list(run)
        if said:
            text = joined_text(parts).strip()
            text = f"«{text}»" if '"' in text else f'"{text}"'
            parts = [Token(parts[0].gap, f"The user said: {text}", Kind.SAID)]
        yield from parts


def _sentence(tokens: list[Token], company: Company, is_first: bool, is_last: bool) -> list[Token]:
    shield(tokens)
    start = filler_length(tokens) if is_first else 0
    if start == len(tokens):
        return tokens if is_last else []
    statement = tokens[start:]
    reminder = reminder_length(statement)
    polite = reminder and asks_politely(statement)
    said = joined_text(statement[reminder:]).strip()
    statement = spelled_out(statement[reminder:])
    lacking = missing_subject(statement)
    if not lacking and (not any(speaks(token) for token in statement) or _is_foreign(tokens)):
        return tokens
    statement = _with_subject(statement, lacking)
    if not reminder and (not lacking or any(token.text == "?" for token in statement)) and is_question(statement):
        return tokens
    if polite and statement[-1].text == "?":
        statement[-1] = replace(statement[-1], text=".")
    request = not lacking and not reminder and _is_request(statement)
    company.needed = False
    result = _turned(statement, company, tokens[0].gap, request)
    return [Token(tokens[0].gap, said, Kind.SAID)] if company.needed else result or tokens


def _is_foreign(sentence: list[Token]) -> bool:
    return language_of(joined_text(sentence)) != ENGLISH


def _with_subject(statement: list[Token], lacking: list[str]) -> list[Token]:
    if not lacking:
        return statement
    at = next(at for at, token in enumerate(statement) if token.kind is not Kind.MARK)
    first = statement[at]
    added = [Token(first.gap if index == 0 else " ", word) for index, word in enumerate(lacking)]
    lowered = first.text if first.text.isupper() else first.text[:1].lower() + first.text[1:]
    return [*statement[:at], *added, replace(first, gap=" ", text=lowered), *statement[at + 1 :]]


def _turned(statement: list[Token], company: Company, gap: str, request: bool) -> list[Token]:
    """The sentence in the third person; empty if its verbs cannot be told apart for sure."""
    # "Feed the cat and I will pay you": what comes before is what the request is about
    turning = Turning(statement if request else speaker_first(statement), company, request)
    result = turning.run()
    if turning.unsure:
        return []
    at = next((at for at, token in enumerate(result) if token.kind is not Kind.MARK), 0)
    first = result[at]
    if first.is_word and first.text[:1].islower() and first.text.replace(" ", "").replace("'", "").isalpha():
        result[at] = replace(first, text=first.text[:1].upper() + first.text[1:])
    result[0] = replace(result[0], gap=gap)
    return result
