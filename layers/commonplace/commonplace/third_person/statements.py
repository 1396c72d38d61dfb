"""An English text, sentence by sentence."""

from dataclasses import replace

from .bare import missing_subject
from .clauses import Turning
from .company import speaker_first
from .languages import ENGLISH, language_of
from .mention import Company
from .mood import is_left_alone
from .openings import asks_politely, filler_length, reminder_length, speaks
from .proper import shield
from .sentences import sentences
from .spelling import spelled_out
from .tokens import Kind, Token, joined_text


def turned(tokens: list[Token]) -> str:
    """The English text in the third person; a sentence that is no statement of the speaker stays as it is."""
    company = Company()
    result: list[Token] = []
    parts = list(sentences(tokens))
    for at, sentence in enumerate(parts):
        result += _sentence(sentence, company, is_first=not result, is_last=at == len(parts) - 1)
    if result:
        result[0] = replace(result[0], gap="")
    return joined_text(result)


def _sentence(tokens: list[Token], company: Company, is_first: bool, is_last: bool) -> list[Token]:
    shield(tokens)
    start = filler_length(tokens) if is_first else 0
    if start == len(tokens):
        return tokens if is_last else []
    statement = tokens[start:]
    reminder = reminder_length(statement)
    polite = reminder and asks_politely(statement)
    statement = spelled_out(statement[reminder:])
    lacking = missing_subject(statement)
    if not lacking and (not any(speaks(token) for token in statement) or _is_foreign(tokens)):
        return tokens
    statement = _with_subject(statement, lacking)
    if not reminder and (not lacking or any(token.text == "?" for token in statement)) and is_left_alone(statement):
        return tokens
    if polite and statement[-1].text == "?":
        statement[-1] = replace(statement[-1], text=".")
    return _turned(statement, company, gap=tokens[0].gap)


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


def _turned(statement: list[Token], company: Company, gap: str) -> list[Token]:
    result = Turning(speaker_first(statement), company).run()
    at = next((at for at, token in enumerate(result) if token.kind is not Kind.MARK), 0)
    first = result[at]
    if first.is_word and first.text[:1].islower() and first.text.replace(" ", "").replace("'", "").isalpha():
        result[at] = replace(first, text=first.text[:1].upper() + first.text[1:])
    result[0] = replace(result[0], gap=gap)
    return result
