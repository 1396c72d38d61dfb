"""The same answers from SQLite and from OpenSearch, over some hundred memories in sessions and over a hundred questions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.index import OpenSearchIndex
from commonplace.bootstrap.local import open_local
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.ports.bundle import Ports
from commonplace.ports.index import MemoryIndex
from commonplace.ports.values import Filter, Visibility
from commonplace.retrieval import ranking
from commonplace.retrieval.query import parse_query
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.contract.conftest import Writer
from tests.opensearch_indices import FollowedRecords, emptied
from training.many import QUESTIONS, texts

pytestmark = pytest.mark.integration

MEMORIES, ASKED, TOP = 400, 120, 10
SEEN = Visibility("local|ana", (GLOBAL_AGENT,), NOON + timedelta(days=1))
Indices = tuple[Ports, MemoryIndex, MemoryIndex]


def corpus() -> Iterator[tuple[str, dict[str, Any]]]:
    """Texts in sessions of twenty by two speakers, every tenth alone, over some years."""
    for number, text in enumerate(islice(texts(), MEMORIES)):
        fields: dict[str, Any] = {"event_time": NOON - timedelta(days=number), "importance": number % 10 / 10}
        if number % 10:
            fields |= {"session_id": str(number // 20), "position": number % 20, "speaker": ("Mia", "Tom")[number % 2]}
        yield text, fields


def questions() -> list[str]:
    """Some words of texts that are stored and of others, with and without a speaker or a time."""
    chance = random.Random(11)
    asked = list(QUESTIONS)
    for number, text in enumerate(islice(texts(), 0, 4 * MEMORIES, 5)):
        words = text.split()
        at = chance.randrange(max(1, len(words) - 4))
        asked.append(f"{('', 'what did Mia say about ', 'last year ')[number % 3]}{' '.join(words[at : at + 5])}")
    return asked[:ASKED]


@pytest.fixture(scope="module")
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, shared_index: str, opensearch_client: OpenSearch
) -> Iterator[Indices]:
    """SQLite's index and OpenSearch's over the same memories."""
    local = open_local(Settings(db=Path(tmp_path_factory.mktemp("answers")) / "memory.db"))
    records = FollowedRecords(local.ports.records, opensearch_client, shared_index, "all")
    writer = Writer(replace(local.ports, records=records))
    records.add([writer.entry(text, **fields) for text, fields in corpus()])
    index = OpenSearchIndex(opensearch_client, records, local.ports.embedder.name, shared_index)
    yield local.ports, local.ports.index, index
    emptied(opensearch_client, shared_index)
    local.close()


def best(ports: Ports, index: MemoryIndex, text: str, filters: Filter) -> list[str]:
    query = parse_query(text, NOON).question
    gathered = index.find(SEEN, filters, query.terms, ports.embedder.embed(text))
    ranked = ranking.rank(query, gathered.candidates, gathered.corpus)
    return [gathered.candidates.ids[row] for row in ranked.rows[:TOP]]


def same(both: Indices, asked: Sequence[str], filters: Filter) -> tuple[float, float]:
    """Shares of the questions whose ten best are the same, and are in the same order too."""
    ports, one, other = both
    pairs = [(best(ports, one, text, filters), best(ports, other, text, filters)) for text in asked]
    assert sum(len(first) == TOP for first, _ in pairs) > 0.9 * len(pairs)  # some name what nobody stored, in other scripts
    equal = sum(set(first) == set(second) for first, second in pairs)
    ordered = sum(first == second for first, second in pairs)
    return equal / len(pairs), ordered / len(pairs)


def test_both_give_the_same_ten(both: Indices) -> None:
    equal, ordered = same(both, questions(), Filter())
    assert equal >= 0.95
    assert ordered >= 0.9


def test_so_they_do_with_a_filter(both: Indices) -> None:
    equal, ordered = same(both, questions()[::10], Filter(importance_min=0.5, before=NOON - timedelta(days=50)))
    assert equal >= 0.95
    assert ordered >= 0.9
