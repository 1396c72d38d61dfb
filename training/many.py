"""Any number of different memories of one user, made of the labelled statements, the same at every run."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STATEMENTS = Path(__file__).parent / "statements"
QUESTIONS = (
    "where did I go on holiday with the family", "which medicine am I allergic to", "what is the deadline of the audit",
    "how do I take my coffee", "who is my dentist", "what did I decide about the database", "my favourite music",
    "which language am I learning", "when do I go running", "what is my daughter's name", "how much is the rent",
    "what do I think about honesty", "which books did I read", "the recipe for bread", "what is left to do on the kitchen",
    "do I prefer window seats", "what am I saving money for", "which tests fail", "where do my parents live",
    "what did the doctor say about my knee",
)  # fmt: skip


def texts() -> Iterator[str]:
    """Statements, then pairs and triples of them in a fixed random order; each different."""
    lines = [line for path in sorted(STATEMENTS.glob("*.tsv")) for line in path.read_text("utf-8").splitlines()]
    statements = [line.split("\t")[5] for line in lines if line]
    chance = random.Random(7)
    chance.shuffle(statements)
    seen = set()
    yield from statements
    while True:
        text = " ".join(chance.sample(statements, chance.choice((2, 2, 3))))
        if text not in seen:
            seen.add(text)
            yield text


def turns(count: int) -> list[dict[str, Any]]:
    """The texts as turns of sessions of 20."""
    found = zip(range(count), texts(), strict=False)
    return [
        {"session_id": str(number // 20), "position": number % 20, "speaker": "user", "text": text} for number, text in found
    ]
