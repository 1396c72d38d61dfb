"""What a query asks for."""

from datetime import date

import pytest

from commonplace.retrieval.query import Query, parse_query
from tests.conftest import NOON


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("which database did we choose", "find"),
        ("remind me what I have to do on Friday", "remind"),
        ("what appointments do I have", "remind"),
        ("welche Termine habe ich", "remind"),
        ("show me something similar to the ledger project", "show_similar"),
        ("anything like that recipe?", "show_similar"),
    ],
)
def test_the_intent_is_read(text: str, intent: str) -> None:
    assert parse_query(text, NOON).intent == intent


@pytest.mark.parametrize(
    "text",
    [
        "what do you know about me?", "What do you remember about me", "tell me about myself", "who am I?",
        "was weißt du über mich?", "que sais-tu de moi ?", "¿qué sabes de mí?", "私について何を知っていますか",
        "show all memories", "list everything", "*", "???",
    ],
)  # fmt: skip
def test_a_query_that_names_nothing_is_general(text: str) -> None:
    assert parse_query(text, NOON).general


@pytest.mark.parametrize(
    "text",
    [
        "what do you know about my dog", "who is Ana", "what did I do yesterday", "寿司", "jazz", "Who am I married to?",
        "Who am I meeting on Friday?", "Was hast du von mir gelernt?", "Wer bin ich für Anna?",
        "What do I do?", "what do you know about the user's job?", "what do you know about me and my dog?", "what is it",
    ],
)  # fmt: skip
def test_a_query_that_names_something_is_not(text: str) -> None:
    assert not parse_query(text, NOON).general


@pytest.mark.parametrize("text", ["coffee", "garden-invoices", "Work_Projects", "coffee order", "寿司"])
def test_a_few_content_words_may_be_a_label(text: str) -> None:
    assert parse_query(text, NOON).question.label


@pytest.mark.parametrize(
    "text", ["my coffee", "where is the garden", "coffee order of the whole garden", "*", "¿Dónde vivo?"]
)
def test_a_question_is_no_label(text: str) -> None:
    assert not parse_query(text, NOON).question.label


def test_the_days_that_are_named_become_a_span() -> None:
    query = parse_query("what did I do last week", NOON)
    (span,) = query.question.spans
    assert (span.first, span.last) == (date(2026, 5, 11).toordinal(), date(2026, 5, 17).toordinal())


def test_an_open_range_is_an_open_span() -> None:
    (span,) = parse_query("what did I do before 2023", NOON).question.spans
    assert (span.first, span.last) == (float("-inf"), date(2022, 12, 31).toordinal())


def held(text: str, *there: str) -> Query:
    """The query where memories hold the terms that are there, and no others."""
    query = parse_query(text, NOON)
    return query.with_known_expansions([float(term in there) for term in query.question.terms])


def test_expansions_stand_in_memories_and_weigh_less() -> None:
    query = held("which js libraries do I use", "javascript")
    assert query.expansions == {"javascript": "js"}
    weights = dict(zip(query.question.terms, query.question.weights, strict=True))
    assert 0 < weights["javascript"] < weights["js"] == 1.0


def test_an_expansion_that_no_memory_holds_whole_weighs_nothing() -> None:
    query = held("which js libraries do I use")
    assert query.expansions == {}
    assert not any(weight for weight in query.question.weights if weight < 1)
    assert held("what about my mortgage", "home", "loan").expansions == {"home-loan": "mortgage"}
    assert held("what about my mortgage", "home").expansions == {}


def test_six_expansions_at_the_most() -> None:
    query = parse_query("js ts k8s ml ai db aws gcp", NOON)
    assert len(query.expansions) > 6
    known = query.with_known_expansions([1.0] * len(query.question.terms)).expansions
    assert list(known.items()) == list(query.expansions.items())[:6]


def test_a_general_query_is_not_widened() -> None:
    assert parse_query("what do you know about me?", NOON).expansions == {}


def test_a_question_for_advice_is_seen() -> None:
    assert parse_query("what restaurant would you recommend?", NOON).question.advice
    assert not parse_query("where do I live?", NOON).question.advice


def test_a_query_names_its_own_terms_without_expansions() -> None:
    query = parse_query("which js libraries do I use", NOON)
    assert "javascript" in query.question.terms
    assert query.named == {"js", "librari", "use"}


@pytest.mark.parametrize(
    "text",
    ["Is Priya still my boss?", "Where do I live now?", "Wohne ich noch in Kiel?", "J'habite encore à Lyon ?", "まだ横浜？"],
)
def test_a_query_that_asks_what_is_true_now_names_no_older_value(text: str) -> None:
    assert parse_query(text, NOON).named == frozenset()
