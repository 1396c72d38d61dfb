"""The same questions as `retrieval`, through DynamoDB and OpenSearch: what the other engine costs or gives."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any
from uuid import uuid4

from rich.progress import track

from benchmarks.cloud_in_a_box import cloud
from benchmarks.conversations import Conversation, beam, locomo
from benchmarks.report import Cell, Table, main
from benchmarks.retrieval import COLUMNS, Answer, answered, answers, row
from commonplace.bootstrap.cloud import open_cloud
from commonplace.bootstrap.maintenance import open_projector
from commonplace.indexing.stream import reconcile
from commonplace.ports.values import Caller, IndexChange, IndexOutcome
from commonplace.settings import Settings
from commonplace.use_cases import dispatch
from commonplace.use_cases.import_conversation import import_turns


def measure(given: argparse.Namespace) -> list[Table]:
    """Each conversation as a user of its own, all of it through the index: nothing is left pending."""
    rows: list[tuple[Cell, ...]] = []
    for name, conversations in {"LoCoMo": locomo(given.data), "BEAM 100K": beam(given.data)}.items():
        here = [list(answers(one)) for one in track(conversations, f"{name}, SQLite")]
        with cloud() as settings:
            there = [list(_answers(one, settings)) for one in track(conversations, f"{name}, OpenSearch")]
        rows.append((*row(f"{name}, SQLite", list(chain.from_iterable(here))), None))
        rows.append((*row(f"{name}, OpenSearch", list(chain.from_iterable(there))), _same(here, there)))
    title = "Share of the evidence turns that are found, by engine"
    return [Table(title, (*COLUMNS, "same ten"), rows, "R@10 within .01 of SQLite")]


def _answers(conversation: Conversation, settings: Settings) -> Iterator[Answer]:
    ports, upkeep = open_cloud(settings).ports, open_projector(settings)
    caller = Caller(f"bench|{uuid4()}", datetime.now(UTC))
    ids = import_turns([turn.given() for turn in conversation.turns], "all", caller, ports).ids
    reconcile(datetime.now(UTC) + timedelta(minutes=1), upkeep.writer, upkeep.pending, _refused)

    def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = dispatch.call(tool, arguments, caller, ports).model_dump(mode="json")
        if "degraded" in (answer.get("notes") or {}):
            raise RuntimeError("the index was not asked")
        return answer

    yield from answered(conversation, ids, call)


def _refused(_change: IndexChange, outcome: IndexOutcome) -> None:
    raise RuntimeError(f"the index refused a memory: {outcome.reason}")


def _same(here: list[list[Answer]], there: list[list[Answer]]) -> float:
    """The share of questions to which both engines give the same ten, in whatever order."""
    pairs = list(zip(chain.from_iterable(here), chain.from_iterable(there), strict=True))
    return sum(set(one.at_zero) == set(other.at_zero) for one, other in pairs) / len(pairs)


if __name__ == "__main__":
    main("cloud_retrieval", "Retrieval through OpenSearch", measure, True)
