"""`memory_normalize` with a model: its text passes the check for invented names and numbers."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.requests import NormalizeRequest
from commonplace.domain.results import NormalizeResult
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Normalized
from commonplace.use_cases.normalize import normalize_statement

NOW = datetime(2026, 5, 20, 12, 0, tzinfo=UTC)
TEXT = "We're off to my sister's in Leeds on Friday, the two of us."


class Reader:
    """A model that answers with a given text."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def read(self, *_: object) -> Normalized:
        return Normalized(self.answer, "biographical", ("family", "travel", "weekend"))


def normalized(answer: str, context: str | None = None) -> NormalizeResult:
    ports = SimpleNamespace(reader=Reader(answer), words=WordAverages(), embedder=SentenceEncoder())
    return normalize_statement(NormalizeRequest(text=TEXT, context=context), Caller("ana", NOW), cast("Ports", ports))


def notes(found: NormalizeResult) -> tuple[str | None, str | None]:
    assert found.notes is not None
    return found.notes.method, found.notes.degraded


def test_a_text_with_nothing_invented_is_used() -> None:
    found = normalized("The user is going to their sister's in Leeds on Friday.")
    assert notes(found) == ("claude", None)
    assert found.normalized.startswith("The user is going to their sister's in Leeds")


@pytest.mark.parametrize(
    ("invented", "why"),
    [
        ("The user visits their sister Emma in Leeds.", "the name Emma was not said"),
        ("The user visits their sister in Leeds with 5 people.", "the number 5 was not said"),
        ("The user visits their sister in Leeds on 3 June 2027.", "the date 3 June 2027 was not said"),
    ],
)
def test_rules_replace_a_text_with_an_invented_name_number_or_date(invented: str, why: str) -> None:
    found = normalized(invented)
    assert notes(found) == ("rules", f"the model's text was not used: {why}")
    assert "Leeds" in found.normalized


def test_a_name_of_the_question_is_not_invented() -> None:
    assert notes(normalized("The user visits their sister Emma in Leeds.", "When do you visit Emma?")) == ("claude", None)
