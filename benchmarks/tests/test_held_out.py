"""Nothing that is measured on was trained on."""

import json
from pathlib import Path

from commonplace.text.classifier.model import normal

ROOT = Path(__file__).parents[2]
LEAST = 40
"""Shorter messages than that are alike by chance."""


def test_no_statement_of_the_test_part_is_in_the_training_part() -> None:
    trained = {
        normal(line.split("\t")[5]).strip(" .!?")
        for path in (ROOT / "training" / "statements").glob("*.tsv")
        for line in path.read_text("utf-8").splitlines()
    }
    tested = (ROOT / "benchmarks" / "statements" / "test.tsv").read_text("utf-8").splitlines()
    assert not trained & {normal(line.split("\t")[5]).strip(" .!?") for line in tested}


def test_no_pair_of_the_even_lines_is_in_the_training_part() -> None:
    trained = {
        tuple(normal(text) for text in line.split("\t")[2:])
        for path in (ROOT / "training" / "pairs").glob("*.tsv")
        for line in path.read_text("utf-8").splitlines()
    }
    tested = [
        tuple(normal(row[name]) for name in names)
        for file, names in (("changes", ("old", "new")), ("duplicates", ("a", "b")))
        for row in map(json.loads, (ROOT / "benchmarks" / "pairs" / f"{file}.jsonl").read_text("utf-8").splitlines()[1::2])
    ]
    assert len(trained) > 2_000
    assert not trained & set(tested)


def test_nothing_that_is_measured_on_is_in_the_training_part() -> None:
    trained = {
        text.casefold().strip(" .!?")
        for path in (ROOT / "training" / "messages").glob("*.jsonl")
        for line in path.read_text("utf-8").splitlines()
        for text, _ in json.loads(line)["clauses"]
        if len(text) >= LEAST
    }
    stories = [path.read_text("utf-8").casefold() for path in (ROOT / "benchmarks" / "stories").rglob("*.json")]
    changes = [path.read_text("utf-8").casefold() for path in (ROOT / "benchmarks" / "changes").glob("*.jsonl")]
    people = [path.read_text("utf-8").casefold() for path in (ROOT / "benchmarks" / "everyday").glob("*.jsonl")]
    assert stories
    assert changes
    assert not [text for text in trained if any(text in measured for measured in (*stories, *changes, *people))]
