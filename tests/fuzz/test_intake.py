"""What is taken in at once: conversations, records of an export, the files of both, and what a day left behind."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, CommonplaceError
from commonplace.contract.formats.openapi import write
from commonplace.contract.manifest import rows
from commonplace.use_cases.record_files import csv_lines, jsonl_lines
from tests.fuzz.conftest import Kept, open_file
from tests.fuzz.effort import COUNTS, MARKS, attempt, examples
from tests.fuzz.hostile import Drawn, anything, arguments, dates, texts
from tests.fuzz.owed import quotes_memory
from tests.integration.command_line import run

pytestmark = MARKS
_SOME = 5  # seconds of process time for what is no single memory


def _items_of(path: str, field: str) -> Mapping[str, Any]:
    """The schema of the items that a route takes."""
    content = write(rows())["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    items: Mapping[str, Any] = content["schema"]["properties"][field]["items"]
    return items


def _some(path: str, field: str) -> Drawn:
    """A few items of the same form, as the route takes them."""
    items = _items_of(path, field)
    forms = [arguments(form, anything()) for form in items.get("anyOf", items.get("oneOf", [items]))]
    return st.sampled_from(forms).flatmap(lambda form: st.lists(form, max_size=4))


_TURNS, _INTERACTIONS = _some("/import", "turns"), _some("/interactions", "interactions")


@pytest.mark.sample
@examples(10)
@given(turns=_TURNS, keep=st.sampled_from(["all", "worthy"]))
def test_turns_are_stored_or_told_to_be_left_out(kept: Kept, turns: list[Any], keep: Any) -> None:
    with kept.opened() as (memory, _):
        answer = attempt("import of turns", lambda: memory.import_turns(turns, keep=keep), _SOME)
        if not isinstance(answer, CommonplaceError):
            left_out = {one.turn for one in answer.left_out}
            assert left_out == {number for number, memory_id in enumerate(answer.ids) if memory_id is None}
            assert not quotes_memory([one.why for one in answer.left_out])
            assert {memory_id for memory_id in answer.ids if memory_id} <= _ids(memory)


@examples(10)
@given(interactions=_INTERACTIONS)
def test_interactions_are_recorded_or_refused_and_can_be_read_at_night(kept: Kept, interactions: list[Any]) -> None:
    with kept.opened() as (memory, _):
        before = _ids(memory)
        answer = attempt("record of interactions", lambda: memory.record_interactions(interactions), _SOME)
        if not isinstance(answer, CommonplaceError):
            assert answer.recorded + answer.known + len(answer.refused) == len(interactions)
            assert not quotes_memory([one.message for one in answer.refused])
            run = attempt("night by rules", lambda: memory.nightly("rules"), _SOME)
            assert not isinstance(run, CommonplaceError)
            assert run.error is None
            assert before <= _ids(memory)  # one that a day wants forgotten is erased, and leaves its record


@examples(10)
@given(data=st.data())
def test_records_are_taken_in_or_told_to_be_left_out(kept: Kept, data: st.DataObject) -> None:
    with kept.opened() as (memory, _):
        records = [dict(record) for record in memory.export()][:4]
        _spoil(records, data)
        with open_file(kept.folder / "other.db") as other:
            answer = attempt("import of records", lambda: other.import_records(records, apply=True), _SOME)
            if not isinstance(answer, CommonplaceError):
                stored = {one.where for one in answer.memories if one.outcome == "added"}
                here = {one.memory_id or one.where for one in answer.memories if one.outcome == "known"}
                assert stored | here <= _ids(other)
                attempt("search", lambda: other.search_memory("tea"), _SOME)
        for file in kept.folder.glob("other.db*"):
            file.unlink()


@examples(10)
@given(data=st.data(), form=st.sampled_from(["jsonl", "csv"]))
def test_an_export_of_any_bytes_is_planned_applied_and_undone(kept: Kept, data: st.DataObject, form: Any) -> None:
    with kept.opened() as (memory, file), open_file(file.with_name("other.db")) as other:
        records = [dict(record) for record in memory.export()][:4]
        _spoil(records, data)
        text = "".join((jsonl_lines if form == "jsonl" else csv_lines)(records)).encode(errors="surrogatepass")
        upload = other.upload(_bytes_changed(text, data)).upload_id
        plan = attempt("import of an export", lambda: other.import_memories(upload_id=upload, format=form), _SOME)
        assert not _ids(other)
        if isinstance(plan, CommonplaceError) or plan.run_id is None:
            return
        assert not quotes_memory([one.message for one in plan.refused])
        run_id = plan.run_id
        done = attempt("import of a plan", lambda: other.import_memories(run_id=run_id, dry_run=False), _SOME)
        assert not isinstance(done, CommonplaceError)
        assert (done.new, done.conflicts, done.refused) == (plan.new, plan.conflicts, plan.refused)
        assert len(_ids(other)) == done.new
        assert other.validate_storage().ok
        assert not isinstance(attempt("import undone", lambda: other.undo_run(run_id), _SOME), CommonplaceError)


def _bytes_changed(text: bytes, data: st.DataObject) -> bytes:
    """The same with a few other bytes in it, or not."""
    places = st.tuples(st.integers(0, len(text)), st.binary(max_size=4))
    for place, bytes_ in data.draw(st.one_of(st.just([]), st.lists(places, max_size=3)), label="bytes"):
        text = text[:place] + bytes_ + text[place + len(bytes_) // 2 :]
    return text


def _spoil(records: list[dict[str, Any]], data: st.DataObject) -> None:
    """Another value in some fields: one of the same kind, or anything."""
    for record in data.draw(st.lists(st.sampled_from(records), min_size=1, max_size=3), label="records"):
        field = data.draw(st.sampled_from([*record, "more"]), label="field")
        record[field] = data.draw(
            st.one_of(dates(), texts(), anything(), st.sampled_from(list(record.values()))), label="value"
        )


def _whole(turns: list[Any]) -> str:
    return json.dumps(turns)


def _lines(turns: list[Any]) -> str:
    return "\n".join(map(json.dumps, turns))


@examples(10)
@given(turns=_TURNS, form=st.sampled_from([_whole, _lines]), data=st.data())
def test_a_file_of_any_bytes_is_taken_in_or_told_to_be_none(
    kept: Kept, turns: list[Any], form: Any, data: st.DataObject
) -> None:
    text = _bytes_changed(form(turns).encode(errors="surrogatepass"), data)
    with kept.opened() as (_, file):
        given_ = Path(file.with_name("turns.json"))
        given_.write_bytes(text)
        done = run("import", str(given_), "--apply", "--db", str(file), "--user", "ana", "--json", home=file.parent)
        COUNTS["import of files"].add(None if done.code == 0 else f"exit code {done.code}")
        assert done.code in (0, 2, 3, 4, 5), done
        assert not quotes_memory(done.err)


def _ids(memory: Commonplace) -> set[str]:
    return {record["memory_id"] for record in memory.export()}
