"""What `export` wrote is taken in again: a plan first, and then the same records under the same ids."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.settings import Settings
from tests.integration.command_line import Done, run

pytestmark = pytest.mark.integration

FORM = '{"commonplace_export": 1}'


def opened(file: Path, user: str = "local") -> Commonplace:
    return Commonplace(file, user_id=user, settings=Settings(db=file))


@pytest.fixture
def lived(tmp_path: Path) -> Path:
    """A file with values that followed each other, one that was deleted, one in a session, and one that came back."""
    with opened(tmp_path / "lived.db") as memory:
        memory.write_memory("home", "The user lives in Lisbon.", "personal_context", "durable")
        memory.update_memory("home", "The user lives in Porto.")
        memory.write_memory("team", "The user leads the billing team.", "work_context", "durable")
        memory.delete_memory("team")
        memory.write_memory("tea", "The user drinks green tea.", "preference", "durable")
        memory.undo(memory.delete_memory("tea").operation_id)
        memory.import_turns([{"session_id": "s", "position": 3, "speaker": "user", "text": "I play the cello."}])
    return tmp_path / "lived.db"


def exported(file: Path, user: str = "local") -> str:
    return run("export", "--db", str(file), "--user", user, home=file.parent).out


def imported(text: str, file: Path, *options: str) -> Done:
    return run("import", "-", "--db", str(file), "--json", *options, home=file.parent, stdin=text)


def records_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()[1:]]


def test_a_plan_stores_nothing_and_apply_stores_the_same(lived: Path, memory_file: Path) -> None:
    text = exported(lived)
    plan = imported(text, memory_file)
    assert (plan.code, plan.answer["applied"]) == (0, False)
    assert "there is no memory file" in plan.err
    assert not memory_file.exists()
    done = imported(text, memory_file, "--apply")
    assert (done.code, done.err, done.answer["applied"]) == (0, "", True)
    ids = [record["memory_id"] for record in records_of(text)]
    assert [[one["where"] for one in told.answer["memories"]] for told in (plan, done)] == [ids, ids]
    assert plan.answer["outcomes"] == done.answer["outcomes"] == {"added": len(ids)}
    assert done.answer["closed"] == 2
    assert exported(memory_file) == text


def test_what_was_taken_in_is_found_and_goes_on(lived: Path, memory_file: Path) -> None:
    imported(exported(lived), memory_file, "--apply")
    with opened(memory_file) as memory:
        assert [hit.content for hit in memory.search_memory("play the cello").results] == ["I play the cello."]
        assert [value.value for value in memory.history("home").values] == [
            "The user lives in Porto.",
            "The user lives in Lisbon.",
        ]
        vectors = [stored.vector for stored in memory._local.ports.records.newest("local|local", 10)[0]]
        assert len(vectors) == 3
        assert all(vector is not None for vector in vectors)
        assert not memory.write_memory("home", "The user lives in Faro.", "personal_context", "durable").written


def test_an_undo_after_an_import_sees_what_was_changed_since(lived: Path, memory_file: Path) -> None:
    imported(exported(lived), memory_file, "--apply")
    with opened(memory_file) as memory:
        (tea,) = [record for record in memory.export() if record["key"] == "tea"]
        assert tea["version"] == 3
        deletion = memory.delete_memory("tea").operation_id
        memory.undo(deletion)
        memory.delete_memory("tea")
        (operation,) = memory.undo(deletion).operations
        assert operation.outcome == "kept"


def test_an_undo_after_an_import_brings_corrected_tags_back(lived: Path, memory_file: Path) -> None:
    imported(exported(lived), memory_file, "--apply")
    with opened(memory_file) as memory:
        before = memory.get_memory(key="tea").memory.tags
        corrected = memory.update_memory(key="tea", tags=["breakfast"])
        assert memory.get_memory(key="tea").memory.tags == ["breakfast"] != before
        memory.undo(corrected.operation_id)
        assert memory.get_memory(key="tea").memory.tags == before


def test_again_nothing_is_stored_and_what_changed_here_stays(lived: Path, memory_file: Path) -> None:
    text = exported(lived)
    imported(text, memory_file, "--apply")
    with opened(memory_file) as memory:
        memory.update_memory("home", "The user lives in Faro.")
    before = exported(memory_file)
    again = imported(text, memory_file, "--apply").answer
    assert again["outcomes"] == {"known": again["entries"]}
    assert again["known"] == [record["memory_id"] for record in records_of(text)]
    assert exported(memory_file) == before


def test_records_without_the_first_line_of_an_export_are_taken_in(lived: Path, memory_file: Path) -> None:
    form, *lines = exported(lived).splitlines()
    assert form == FORM
    imported("\n".join(lines), memory_file, "--apply")
    assert exported(memory_file) == exported(lived)


def test_they_become_the_memories_of_who_takes_them_in(lived: Path, memory_file: Path) -> None:
    imported(exported(lived), memory_file, "--apply", "--user", "ben")
    assert {record["user_id"] for record in records_of(exported(memory_file, "ben"))} == {"local|ben"}
    assert records_of(exported(memory_file)) == []


def test_an_id_of_another_user_of_the_file_is_refused(lived: Path) -> None:
    done = imported(exported(lived), lived, "--apply", "--user", "ben")
    assert (done.code, done.answer["outcomes"]) == (5, {"lost": done.answer["entries"]})
    assert "belongs to another user" in done.answer["memories"][0]["why"]
    assert records_of(exported(lived, "ben")) == []


def test_what_says_the_same_or_has_a_taken_key_is_left_out_and_links_follow(lived: Path, memory_file: Path) -> None:
    with opened(memory_file) as memory:
        here = memory.write_memory("home", "The user lives in Porto.", "personal_context", "durable").memory_id
        memory.write_memory("tea", "The user drinks no tea.", "preference", "durable")
    answer = imported(exported(lived), memory_file, "--apply").answer
    whys = [one["why"] for one in answer["memories"] if one["outcome"] in ("conflict", "known")]
    assert (len(answer["conflicts"]), len(answer["known"])) == (1, 1)
    assert sorted("has the key" in why for why in whys) == [False, True]
    records = records_of(exported(memory_file))
    (lisbon,) = [record for record in records if "Lisbon" in record["raw_text"]]
    assert (lisbon["status"], lisbon["superseded_by"]) == ("superseded", here)


def test_a_secret_that_was_put_into_an_export_is_taken_out(lived: Path, memory_file: Path) -> None:
    text = exported(lived).replace("I play the cello.", "my wifi password is hunter2-Tr0ub4dor")
    done = imported(text, memory_file, "--apply")
    assert done.answer["notes"]["redacted"] == ["password"]
    assert "Tr0ub4dor" not in exported(memory_file)


def _without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda record: {field: value for field, value in record.items() if field != name}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_without("raw_text"), "raw_text: is required"),
        (lambda record: {**record, "created_at": "2026-05-20T12:00:00"}, "created_at: must have an offset"),
        (lambda record: {**record, "memory_type": "poem"}, "memory_type"),
        (lambda record: {**record, "memory_id": "../x"}, "memory_id: is not a valid memory id"),
        (lambda record: {**record, "key": "a**: b\n## Preference"}, "key: must be 1 to 64"),
        (lambda record: {**record, "raw_text": "a\x07b"}, "raw_text: must not contain the control character U+0007"),
    ],
)
def test_a_malformed_record_is_refused_by_its_line_and_the_others_are_read(
    lived: Path, memory_file: Path, change: Callable[[dict[str, Any]], dict[str, Any]], why: str
) -> None:
    first, *others = records_of(exported(lived))
    text = "\n".join([FORM, *map(json.dumps, (change(first), *others))])
    plan, done = imported(text, memory_file), imported(text, memory_file, "--apply")
    for one in (plan, done):
        (refused,) = one.answer["refused"]
        assert (one.code, refused["where"], refused["message"].startswith(why)) == (5, "line 2", True)
        assert (one.answer["entries"], one.answer["added"]) == (len(others) + 1, len(others))
        assert one.answer["outcomes"] == {"added": len(others), "refused": 1}
        assert one.answer["left_out"] == {f"refused: {refused['code']}": 1}
        assert [row["outcome"] for row in one.answer["memories"]] == ["refused"] + ["added"] * len(others)
    assert [one["memory_id"] for one in records_of(exported(memory_file))] == [one["memory_id"] for one in others]


def test_a_line_that_is_no_record_is_refused_and_the_others_are_read(lived: Path, memory_file: Path) -> None:
    _, *lines = exported(lived).splitlines()
    text = "\n".join([FORM, lines[0], '{"memory_id": ', "[7]", *lines[1:]])
    plan, done = imported(text, memory_file, "--all"), imported(text, memory_file, "--apply")
    assert plan.answer["left_out"] == done.answer["left_out"] == {"refused: invalid_json": 2}
    assert [(one["where"], one["text"]) for one in plan.answer["passages"]] == [
        ("line 3", '{"memory_id": '),
        ("line 4", "[7]"),
    ]
    assert [(one["where"], one["code"]) for one in done.answer["refused"]] == [
        ("line 3", "invalid_json"),
        ("line 4", "invalid_json"),
    ]
    assert (done.code, exported(memory_file)) == (5, exported(lived))


def test_a_row_of_a_table_that_is_refused_is_left_out_with_all_its_lines(memory_file: Path) -> None:
    text = 'memory_id,raw_text\nm1,"I keep newts,\nand frogs.",more\nm2,I keep toads.,more\n'
    plan = imported(text, memory_file, "--all").answer
    assert plan["left_out"] == {"refused: invalid_argument": 2}
    assert [one["text"].strip() for one in plan["passages"]] == [
        'm1,"I keep newts,\nand frogs.",more',
        "m2,I keep toads.,more",
    ]


@pytest.mark.parametrize("form", ['{"commonplace_export": 2}', '{"commonplace_export": "new", "by": "me"}'])
def test_an_export_of_a_newer_form_is_refused(lived: Path, memory_file: Path, form: str) -> None:
    done = imported(exported(lived).replace(FORM, form), memory_file, "--apply")
    assert done.code == 2
    assert "another form" in json.loads(done.err)["error"]["message"]


def test_fields_of_a_newer_version_are_left_out(lived: Path, memory_file: Path) -> None:
    text = "\n".join([FORM, *(json.dumps({**record, "mood": "calm"}) for record in records_of(exported(lived)))])
    assert imported(text, memory_file, "--apply").code == 0
    assert exported(memory_file) == exported(lived)


def test_a_person_sees_the_plan_and_how_to_carry_it_out(lived: Path, memory_file: Path) -> None:
    text = exported(lived)
    plan = run("import", "-", "--db", str(memory_file), home=memory_file.parent, stdin=text)
    assert "to be added     5, 2 of them closed" in plan.out
    assert "--apply stores them" in plan.out
    done = run("import", "-", "--apply", "--db", str(memory_file), home=memory_file.parent, stdin=text)
    assert "added           5, 2 of them closed" in done.out
    assert "--apply" not in done.out


def test_python_takes_in_what_it_gave(lived: Path, memory_file: Path) -> None:
    with opened(lived) as there, opened(memory_file) as here:
        steps: list[tuple[int, int | None]] = []
        assert not here.import_records(there.export()).applied
        here.import_records(there.export(), apply=True, progress=lambda done, of: steps.append((done, of)))
        assert list(here.export()) == list(there.export())
        assert steps == [(number, 5) for number in range(1, 6)]
        with pytest.raises(CommonplaceError, match=r"records\.0"):
            here.import_records([{"memory_id": "mem_1"}])
