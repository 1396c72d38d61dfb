"""Hostile texts of any length, and every reader of text: what `test_growth` times."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime

from commonplace.adapters.word_averages import WordAverages
from commonplace.contract.validate import check, redacted_value
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.imports import Turn
from commonplace.domain.requests import StoreRequest
from commonplace.domain.strict_json import read_json
from commonplace.extraction.absolute_dates import with_dates
from commonplace.extraction.changes.contradictions import contradicts
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.grounding.evidence import evidence_span, unsupported
from commonplace.extraction.own_words import has_lines_of_code, own_spans
from commonplace.extraction.patterns import is_instruction_to_reader
from commonplace.extraction.rules import RulesReader
from commonplace.extraction.worthiness import judge
from commonplace.llm.partial_json import items_of
from commonplace.memories.enrich import enrich
from commonplace.nightly.given_interactions import turns_of
from commonplace.pages.page import escape, unescape
from commonplace.pages.reading import CLOSING, OPENING, parse
from commonplace.retrieval.query import parse_query
from commonplace.text.paraphrase.pair_features import must_differ
from commonplace.text.paraphrase.repeats import is_repeat
from commonplace.text.redaction import redact
from commonplace.text.tagging import tags_of
from commonplace.text.third_person import to_third_person
from tests.unit.extraction.memory_view import InMemoryView, memory

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
WORDS = WordAverages()


def _read_night(text: str) -> None:
    own = own_spans(text)[0]
    said = Utterance("talk", 1, "user", text, NOW, own)
    asked = Utterance("talk", 0, "assistant", "Where do you live?", NOW)
    RulesReader(WORDS).read(Day(NOW.date(), (asked, said)), InMemoryView([memory("The user lives in Porto.")]))


def _read_page(text: str) -> None:
    parse("MEMORY.md", f"{OPENING}\nowner: x\n-->\n# Memory\n- {text}\n{CLOSING}\n")


def _read_argument(text: str) -> None:
    with suppress(CommonplaceError):
        check(StoreRequest, {"text": text})


def _read_under_key(text: str) -> None:
    with suppress(CommonplaceError):
        redacted_value(text, "gate_code")


def _read_json_text(text: str) -> None:
    with suppress(CommonplaceError):
        read_json(text)


READERS: dict[str, Callable[[str], object]] = {
    "redaction": redact,
    "redaction of an answer": lambda text: redact(text, "What is the wifi password?"),
    "redaction behind it": lambda text: redact("it's hunter2", text),
    "redaction under a key": _read_under_key,
    "third person": to_third_person,
    "third person of a speaker": lambda text: to_third_person(text, "Ana"),
    "tags": tags_of,
    "enrichment": lambda text: enrich(text, WORDS, WORDS, {}),
    "query": lambda text: parse_query(text, NOW),
    "repeat": lambda text: is_repeat(text, f"too {text}"),
    "pair": lambda text: must_differ(text, f"{text} too"),
    "own words": own_spans,
    "lines of code": has_lines_of_code,
    "instruction to the reader": is_instruction_to_reader,
    "worth": lambda text: judge(text, WORDS),
    "dates of a message": lambda text: with_dates(text, NOW),
    "contradiction": lambda text: contradicts(text, f"{text} too", corrects=False),
    "evidence": lambda text: evidence_span(
        text[len(text) // 2 :], Utterance("talk", 0, "user", text, NOW, ((0, len(text)),))
    ),
    "support": lambda text: unsupported(text, f"{text} too", [], NOW.date()),
    "a night": _read_night,
    "a page": _read_page,
    "a page's header": lambda text: parse("MEMORY.md", text),
    "markdown": lambda text: unescape(escape(text)),
    "transcript": turns_of,
    "arguments": _read_argument,
    "imported turn": lambda text: check(Turn, {"session_id": "s", "position": 1, "speaker": "Ana", "text": text}),
    "json": _read_json_text,
    "a model's answer": lambda text: items_of(text, "items", cut=True),
}

_CHARACTERS = " \n\t\r" + "a" + "A" + "7" + "_-.,:;!?/\\|=+*#@&%$~^<>()[]{}\"'`" + "éßжあ漢한ก" + "\u200b\u0301“„«‘’🙂。、「"
_UNITS = (
    "a ", "A ", "7 ", "- ", "a.", "a. ", "A. ", "Dr. ", "a, ", "a,", "a-", "a_", "a:", "a: ", "a=", "a=a ", "a@", "a@a.", "a/", "a'", "I'", "1.",
    "1. ", "1, ", "12-", "12:", "12/", "4471 ", "4 4 ", "a1 ", "aB", "aB1!", "A_", "A_A=", "?!", "? ", " ?", "a? ", "a\n", "a\n\n", "- a\n",
    "  \n", "\t\n", " \r", ">\n", "> a\n", "# a\n", "a:\n", "a: b\n", "|a|\n", "a,b\n", "  a: b\n", "```\n", "~~~ ", '"""', "<!--", " <!--", "-->",
    "<a>", "<a ", "</a>", "<a><", "<p>a</p>", "[a](", "[[", "{{", "((", "{\"", "{\"a\":", "[{\"", "[1,", "()", "[]", "{}", "\"a\" ", "'a' ", "“a” ",
    "„a“ ", "«a» ", "\"a ", " 'a", "「a」", "**a** ", "`a` ", "``a", "\\n", "\\\"", "&lt;", "&#1;", "://", "http://a.", "http://a:a@", "www.a.",
    "user: a\n", "User: ", "**User:** ", "and ", "I ", "my ", "is ", "it's ", "that ", "not ", "of the ", "the ", "I am ", "I like ", "Ana ", "Ana and ",
    "My sister ", "password ", "password: ", "password is ", "the code ", "pin ", "key=", "token=", "-p ", "--password ", "user ", "login: a / ",
    "remember that ", "forget that ", "from ", "since ", "between ", "last ", "on Monday ", "in March ", "2024 ", "3 March ", "1/2/", "and Monday ",
    "Passwort ", "und ", "ich ", "am ", "mot de passe ", "et ", "je ", "le ", "contraseña ", "y ", "de ", "senha ", "wachtwoord ", "hasło ",
    "パスワード", "パスワードは", "の", "は", "です。", "月曜日", "3月", "eins", "uno", "four ", "vier", "zweiund", "wifi: ", "wifi ",
    "card ", "4111 ", "cvv ", "AKIA", "eyJ", "-----BEGIN ", "MII", "DE89 ", "0x", "abandon ", "No, ", "I mean ", "actually ", "instead of ",
    "[redacted:password] ", "[redacted:", "\ue000", "\ufb03", "\ufdfa", "e\u0301", "SELECT ", "def a(", "On 1 May a wrote:\n", "From: a\n", "a) ", "(a ",
    "starts with ", "ends with ", "question ", "answer ", "codes:\n", "a;b;\n", "x" * 40 + " ", "word " * 9 + ". ",
)  # fmt: skip


def hostile_texts(length: int) -> Iterator[tuple[str, str]]:
    """The name of each hostile text, and the text, about `length` characters long."""
    for unit in (*_CHARACTERS, *_UNITS):
        body = (unit * (length // len(unit) + 1))[:length]
        yield f"{unit!r} again and again", body
    for unit in (" ", "\n", "a", "7", "(", "-", "a "):
        body = unit * (length // len(unit))
        for before, after in (("x", "x"), ("my password is ", "!"), ("{", "}"), ("the code: ", ""), ("> ", "\n\n<!-- x")):
            yield f"{before!r}, {unit!r} again and again, {after!r}", before + body + after
    half = length // 2
    for opening, closing in ("()", "[]", "{}", "<>", "“”", "«»", "「」"):
        yield f"{opening}{closing} nested", opening * half + closing * half
    yield "a key given twice", json.dumps({str(number): 0 for number in range(length // 8)})[:-1] + ', "0": 1}'
    yield (
        "the last key given twice",
        "{" + ", ".join(f'"{number}": 0' for number in [*range(length // 8), length // 8 - 1]) + "}",
    )
    yield "words of every length", " ".join("a" * (number % 60 + 1) for number in range(length // 31))
    yield "words that differ", " ".join(f"w{number}x" for number in range(length // 7))
    yield "lines that differ", "\n".join(f"{number}: it was {number}" for number in range(length // 16))
    yield "sentences that differ", " ".join(f"I like {number} cats." for number in range(length // 17))
