"""Random searches over fifty users who say the same things: nobody gets a hit of another."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import islice
from typing import Any

import pytest
from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.document import ROW, unpacked
from commonplace.adapters.opensearch.index import OpenSearchIndex
from commonplace.adapters.opensearch.rebuild import OpenSearchWriter
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.ports.values import Filter, Stored, Visibility
from commonplace.text.foundation import tokenizer
from tests.conftest import NOON
from tests.examples import TIMES
from tests.faults.conftest import Tell
from tests.integration.test_opensearch_writing import stored
from tests.word_vectors import WordVectors
from training.many import texts

pytestmark = pytest.mark.integration

USERS = [
    *("issuer|ana", "issuer|ana,issuer|ben", "issuer|ben", "issuer|*", "*", "issuer|an", "issuer|ana ", "ISSUER|ANA"),
    *(f"issuer|{number}" for number in range(42)),
]  # ids that a careless query would take for others
EACH, THREADS = 20, 4
SEARCHES = 10_000 if TIMES else 1_000  # ten thousand in the slow check
EMBEDDER = WordVectors()


class Watched:
    """The real client; whatever the domain gives is looked at before anybody drops what isn't the user's."""

    def __init__(self, client: OpenSearch) -> None:
        self._client = client
        self.hits: Counter[bool] = Counter()

    def msearch_for(self, user_id: str, index: str, body: Any) -> Any:
        answer = self._client.msearch(index=index, body=body)
        rows = [hit["fields"]["row"][0] for one in answer["responses"] for hit in one["hits"]["hits"]]
        self.hits.update(kept[ROW.index("user_id")] == user_id for kept in unpacked(rows))
        return answer


class Asking:
    """The watched client, for one user."""

    def __init__(self, watched: Watched, user_id: str) -> None:
        self._watched, self._user_id = watched, user_id

    def msearch(self, index: str, body: Any) -> Any:
        return self._watched.msearch_for(self._user_id, index, body)


class Waiting:
    """Of each user's memories the last few wait to be indexed."""

    def __init__(self, records: dict[str, list[Stored]]) -> None:
        self._records = records

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        return self._records[user_id], True


@pytest.mark.sample
@pytest.mark.timeout(300)
def test_random_searches_find_nothing_of_another_user(opensearch_client: OpenSearch, new_index: str, tell: Tell) -> None:
    said = list(islice(texts(), EACH))
    fields: list[dict[str, Any]] = [{"session_id": "1", "position": number} if number % 2 else {} for number in range(EACH)]
    all_of = {
        user: [stored(f"m{at:02}-{number:02}", text, user_id=user, **fields[number]) for number, text in enumerate(said)]
        for at, user in enumerate(USERS)
    }
    owners = {one.memory.memory_id: user for user, records in all_of.items() for one in records}
    writer = OpenSearchWriter(opensearch_client, new_index)
    outcomes = writer.put([one for records in all_of.values() for one in records[:-3]])
    assert {outcome.state for outcome in outcomes} == {"done"}
    watched, waiting = Watched(opensearch_client), Waiting({user: records[-3:] for user, records in all_of.items()})
    words = sorted({term for text in said for term in tokenizer.terms(text)})
    vectors = [one.vector for one in next(iter(all_of.values()))]
    kinds = Counter[str]()

    def search(number: int) -> tuple[int, int]:
        """How many ids one random search gave, and how many of them are another's."""
        chance = random.Random(number)
        user = chance.choice(USERS)
        index = OpenSearchIndex(Asking(watched, user), waiting, EMBEDDER.name, new_index)  # type: ignore[arg-type]
        seen = Visibility(user, (GLOBAL_AGENT,), NOON + timedelta(days=1))
        terms, vector = chance.sample(words, chance.randint(1, 4)), chance.choice([None, chance.choice(vectors)])
        kind = chance.choice(["find"] * 5 + ["filtered", "similar"] + ["important"] * 3)
        kinds[kind] += 1
        if kind == "similar":
            ids = [one.memory_id for one in index.similar(seen, terms, vector, 5)]
        elif kind == "important":
            ids, _ = index.most_important(seen, Filter(), 10)
        else:
            wanted = Filter(importance_min=0.1) if kind == "filtered" else Filter()
            ids = index.find(seen, wanted, terms, vector).candidates.ids
        return len(ids), sum(owners[one] != user for one in ids)

    began = time.monotonic()
    with ThreadPoolExecutor(THREADS) as pool:
        given = list(pool.map(search, range(SEARCHES)))
    took = time.monotonic() - began
    ids, foreign = (sum(column) for column in zip(*given, strict=True))
    tell(
        f"searches {SEARCHES} of {len(USERS)} users ({dict(kinds)}), ids {ids}, of others {foreign}; "
        f"hits that the domain gave {watched.hits.total()}, of others {watched.hits[False]}; {took:.0f} s"
    )
    assert foreign == watched.hits[False] == 0
    assert sum(1 for count, _ in given if count) > SEARCHES * 0.9
