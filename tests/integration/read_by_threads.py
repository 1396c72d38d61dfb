"""Read 200 texts with every pure function that a tool call uses, and print what each gives: `alone`, or with four threads.

    python -m tests.integration.read_by_threads alone
    python -m tests.integration.read_by_threads 7       # four threads, each in an order of its own drawn with this seed

A process that has just begun has empty caches, so threads meet in every one of them. The encoder takes most of the time, so
each process keeps all that it has embedded.
"""

import dataclasses
import functools
import json
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import numpy as np

from commonplace.adapters import sentence_encoder
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.word_averages import WordAverages
from commonplace.contract.validate import redaction_under_key
from commonplace.extraction.worthiness import judge
from commonplace.memories.enrich import enrich
from commonplace.retrieval.query import parse_query
from commonplace.retrieval.ranking import Question, rank
from commonplace.text.foundation import tokenizer
from commonplace.text.paraphrase.judge import Candidate, judge_candidates
from commonplace.text.paraphrase.repeats import is_repeat
from commonplace.text.redaction import redact
from commonplace.text.tagging import tags_of
from commonplace.text.third_person import to_third_person
from commonplace.text.time_ranges.reader import read_time_range
from tests.unit.retrieval.columns import columns, corpus_of

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
NAMES = "Mia", "Oskar", "Chloé", "Zoë", "健太", "Ирина", "Noura", "Piotr", "김민수", "Søren"
STATEMENTS = (
    "My daughter {} is allergic to peanuts, and she stopped importing tea in May 2025.",
    "I moved to Porto with {} three weeks ago; we are remodelling the kitchen.",
    "I no longer eat meat, {} said on Monday while organizing nationalities for rationalization.",
    "My wifi password is hunter2-{}, remember that.",
    "Please always answer {} in short sentences.",
    "{}'s flight UA4471 leaves at 7:45 am on 3 March, from gate B12.",
    "Ich wohne seit April in Köln und arbeite mit {} bei der Bahn.",
    "Meine Tochter {} mag keinen Spinat, aber gestern aß sie Äpfel.",
    "J'habite à Lyon depuis mars avec {} et je suis allergique aux noix.",
    "Mi hermana {} vive en Sevilla y le gusta el ajedrez desde hace dos años.",
    "Abito a Torino con {} e il martedì suono il violoncello.",
    "Moro no Porto e {} trabalha como enfermeira no hospital.",
    "Ik woon in Utrecht en {} fietst elke ochtend naar haar werk.",
    "Mieszkam w Krakowie, a {} uczy się gry na skrzypcach.",
    "私は{}と東京に住んでいて、毎朝チェロを弾きます。",
    "我和{}住在上海,每个星期三去游泳。",
    "저는 {}와 서울에 살고 매주 금요일에 등산을 합니다.",
    "Я живу в Казани, и {} работает врачом с прошлого года.",
    "أعيش في عمّان مع {} وأحب القهوة كل صباح.",
    "ฉันอยู่เชียงใหม่กับ {} และชอบดื่มชาทุกเช้า",
)
sentence_encoder._encode_text = functools.lru_cache(maxsize=1_024)(sentence_encoder._encode_text.__wrapped__)
WORDS, ENCODER = WordAverages(), SentenceEncoder()


def texts() -> list[str]:
    return [statement.format(name) for statement in STATEMENTS for name in NAMES]


def _next_text(text: str) -> str:
    """The text behind a text: mostly the same statement with another name."""
    every = texts()
    return every[(every.index(text) + 1) % len(every)]


def many_words(text: str) -> str:
    """Each word of a text with several endings, which a stemmer takes off."""
    return " ".join(
        f"{word}{ending}" for word in tokenizer.words(text) for ending in ("ing", "ational", "fulness", "izations")
    )


def _ranked(text: str) -> object:
    terms = tuple(dict.fromkeys(tokenizer.terms(text)))
    counts = [[float((row + at) % 3) for at in range(len(terms))] for row in range(8)]
    question = Question(terms, (1.0,) * len(terms), frozenset(tokenizer.words(text)))
    return rank(question, columns(counts=counts), corpus_of(frequencies=range(1, len(terms) + 1)))


def _judge_pair(old: str, new: str) -> object:
    return judge_candidates(new, ENCODER.embed(new), [Candidate(old, ENCODER.embed(old))], ENCODER.name)


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "terms": tokenizer.terms,
    "terms of many words": lambda text: tokenizer.terms(many_words(text)),
    "redact": redact,
    "redact an answer": lambda text: redact(text, "What is the wifi password?"),
    "redact under a key": lambda text: redaction_under_key(text, "gate_code"),
    "third person": to_third_person,
    "tags": tags_of,
    "normalize": lambda text: enrich(text, WORDS, ENCODER, {"tea": 2}),
    "worth": lambda text: judge(text, WORDS),
    "query": lambda text: parse_query(text, NOW),
    "time range": lambda text: read_time_range(text, NOW),
    "pair": lambda text: _judge_pair(text, _next_text(text)),
    "repeat": lambda text: is_repeat(text, f"{text} Indeed."),
    "average of words": WORDS.embed,
    "vector": ENCODER.embed,
    "vector of a question": ENCODER.embed_question,
    "rank": _ranked,
}


def plain(value: Any) -> Any:
    """A value as JSON has it; sets in order."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def read(calls: list[tuple[str, str]]) -> dict[str, str]:
    """What each call gives, or the error that it raises."""
    given = {}
    for name, text in calls:
        try:
            given[f"{name}: {text}"] = json.dumps(plain(FUNCTIONS[name](text)))
        except Exception as error:  # noqa: BLE001 # the comparison shows it
            given[f"{name}: {text}"] = repr(error)
    return given


def _order(calls: list[tuple[str, str]], seed: str) -> list[tuple[str, str]]:
    """An order of all calls that begins with stemming: once the words are in the cache, no two threads stem at once."""
    return sorted(random.Random(seed).sample(calls, len(calls)), key=lambda call: call[0] != "terms of many words")


def main(how: str) -> None:
    calls = [(name, text) for name in FUNCTIONS for text in texts()]
    if how == "alone":
        given = [read(calls)]
    else:
        sys.setswitchinterval(1e-5)
        orders = [_order(calls, f"{how} {thread}") for thread in range(4)]
        with ThreadPoolExecutor(len(orders)) as threads:
            given = list(threads.map(read, orders))
    json.dump(given, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
