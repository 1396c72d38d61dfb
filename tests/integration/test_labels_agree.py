"""Whichever way a text is stored, it is labelled as store_memory labels it, and embedded once in a call."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.memories.enrich import enrich
from commonplace.ports.values import Vector
from tests.conftest import NOON

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]
Labels = dict[str, Any]

# The labels of each differ with and without the vector of the sentence encoders.
TEXTS = (
    "I always renew my passport in March.",
    "I promised Ana a ride to the airport.",
    "I agreed with Jonas to split the cost of the boat.",
    "We decided to call the puppy Biscuit.",
)


class CountingEncoder(SentenceEncoder):
    """The sentence encoders; they count how often each text is embedded."""

    def __init__(self) -> None:
        self.embedded: Counter[str] = Counter()

    def embed(self, text: str) -> Vector | None:
        self.embedded[text] += 1
        return super().embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]


@pytest.fixture
def counted(open_memory: Opener) -> tuple[Commonplace, CountingEncoder]:
    memory, encoder = open_memory("ben"), CountingEncoder()
    local = memory._local
    memory._opened = replace(local, ports=replace(local.ports, embedder=encoder))
    return memory, encoder


def labels(memory: Commonplace, text: str) -> Labels:
    kept = next(one for one in memory.export() if one["raw_text"] == text and one["status"] == "active")
    return {name: kept[name] for name in ("memory_type", "category", "importance")}


@pytest.fixture
def by_store(open_memory: Opener) -> Callable[[str], Labels]:
    def stored(text: str) -> Labels:
        memory = open_memory("ana")
        memory.store_memory(text)
        return labels(memory, text)

    return stored


def write(memory: Commonplace, text: str, _: Path) -> None:
    assert memory.write_memory("key", text, "personal_context", "durable").written


def update(memory: Commonplace, text: str, _: Path) -> None:
    memory.write_memory("key", "I like tea.", "personal_context", "durable")
    memory.update_memory(key="key", value=text)


def insight(memory: Commonplace, text: str, _: Path) -> None:
    memory.memory_store(text, {"type": "insight"})


def personal(memory: Commonplace, text: str, _: Path) -> None:
    memory.memory_store_personal(text, text, "other", ["note"])


def turn(memory: Commonplace, text: str, _: Path) -> None:
    memory.import_turns([{"session_id": "1", "position": 1, "speaker": "user", "text": text}])


def page(memory: Commonplace, text: str, folder: Path) -> None:
    memory.write_memory("key", "I like tea.", "personal_context", "durable")
    memory.write_markdown(folder)
    written = (folder / "MEMORY.md").read_text("utf-8")
    (folder / "MEMORY.md").write_text(written.replace("I like tea.", text), "utf-8")
    memory.apply_markdown(folder, dry_run=False)


def night(memory: Commonplace, text: str, _: Path) -> None:
    memory.record_interactions([{"type": "explicit", "id": "1", "time": NOON.isoformat(), "text": text}])
    memory.nightly("rules")


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("way", "derived"),
    [
        (write, ("memory_type", "category", "importance")),
        (update, ("memory_type", "category", "importance")),
        (turn, ("memory_type", "category", "importance")),
        (page, ("memory_type", "category", "importance")),
        (night, ("memory_type", "category", "importance")),
        (insight, ("category",)),
        (personal, ("category", "importance")),
    ],
)
def test_a_text_has_the_labels_of_store_memory_and_is_embedded_once(
    counted: tuple[Commonplace, CountingEncoder], by_store: Callable[[str], Labels], tmp_path: Path, text: str,
    way: Callable[[Commonplace, str, Path], None], derived: tuple[str, ...],
) -> None:  # fmt: skip
    memory, encoder = counted
    way(memory, text, tmp_path)
    assert {name: labels(memory, text)[name] for name in derived} == {name: by_store(text)[name] for name in derived}
    assert encoder.embedded[text] == (3 if way is night else 1)  # a night looks for what is alike and known, then labels


@pytest.mark.parametrize("text", TEXTS)
def test_the_encoders_make_a_difference_to_the_text(memory: Commonplace, text: str) -> None:
    ports = memory._local.ports
    with_encoders, without = (enrich(text, ports.words, one, {}) for one in (ports.embedder, ports.words))
    assert with_encoders.classification != without.classification
    assert (with_encoders.memory_type, with_encoders.classification.category) != (
        without.memory_type, without.classification.category,
    )  # fmt: skip


def test_a_store_embeds_its_text_once(counted: tuple[Commonplace, CountingEncoder]) -> None:
    memory, encoder = counted
    memory.store_memory(TEXTS[0])
    assert encoder.embedded == {TEXTS[0]: 1}
    assert labels(memory, TEXTS[0])["category"] == "reminders"
