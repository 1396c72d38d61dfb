"""Interactions that the specification shows, and what a night makes of them, read by rules."""

from typing import Any

import pytest

from commonplace import Commonplace
from tests.specification.rows import Row, check, rows_of


@pytest.mark.parametrize("row", rows_of("nights"))
def test_a_night_keeps_what_it_should(row: Row, memory: Commonplace) -> None:
    for call in row.get("before", []):
        memory.call(call["tool"], call["arguments"])
    for recorded in row["record"]:
        answer = memory.record_interactions(recorded["interactions"]).model_dump(mode="json")
        check(answer, recorded.get("answer", {"refused": []}))
    memory.nightly("rules")
    whole = list(memory.export())
    found = {"kept": _contents(whole, "active"), "closed": _contents(whole, "superseded"), "memories": whole}
    for part in found.keys() & row.keys():
        check(found[part], row[part])


def _contents(kept: list[dict[str, Any]], status: str) -> list[str]:
    return [str(one["raw_text"]) for one in kept if one["status"] == status]
