"""What other stores wrote is taken in: a plan first, then a run, which is known when it comes again and can be undone."""

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.imports import Imported
from commonplace.domain.taxonomy import ImportKind
from commonplace.importing.kinds import CONVERSATIONS, OWN, READERS, kind_of
from commonplace.importing.sources import Source
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.integration.command_line import run

pytestmark = pytest.mark.integration
ELSEWHERE = Path(__file__).parent / "elsewhere"
Opener = Callable[..., Commonplace]

COUNTS: dict[str, tuple[str, int, int, int, int]] = {
    "mem0.json": ("mem0", 8, 5, 0, 3),
    "mem0.db": ("mem0", 3, 3, 2, 0),
    "zep.json": ("zep", 4, 3, 1, 1),
    "graphiti.json": ("graphiti", 2, 2, 1, 0),
    "letta_v1.af": ("letta", 5, 4, 0, 1),
    "letta.af": ("letta", 1, 1, 0, 0),
    "letta_passages.json": ("letta", 2, 1, 0, 1),
    "langgraph.json": ("langgraph", 4, 3, 0, 1),
    "agentcore.json": ("agentcore", 3, 2, 0, 1),
    "mcp_memory.jsonl": ("mcp-memory", 5, 4, 0, 1),
    "basic-memory": ("basic-memory", 10, 9, 0, 1),
    "memories": ("anthropic-memory", 4, 4, 0, 0),
    "notes": ("markdown", 3, 3, 0, 0),
    "made/mem0.json": ("mem0", 7, 7, 0, 0),
    "made/mem0.db": ("mem0", 9, 9, 2, 0),
    "made/langgraph.json": ("langgraph", 5, 4, 0, 1),
    "made/basic-memory": ("basic-memory", 13, 13, 0, 0),
}
"""Of each: its kind, and how many entries it has, are added, of those closed, and refused."""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A copy, in which nothing may be written; with mem0's histories as the databases that they are."""
    folder = tmp_path / "elsewhere"
    shutil.copytree(ELSEWHERE, folder)
    for history in ("mem0_history.sql", "made/mem0_history.sql"):
        with closing(sqlite3.connect((folder / history).with_name("mem0.db"))) as connection:
            connection.executescript((ELSEWHERE / history).read_text("utf-8"))
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Commonplace]:
    file = tmp_path / "memory.db"
    with Commonplace(file, now=lambda: NOON, settings=Settings(db=file)) as opened:
        yield opened


def kept(memory: Commonplace) -> dict[str, dict[str, Any]]:
    return {one["raw_text"]: one for one in memory.export()}


def told(done: Imported) -> tuple[str, int, int, int, int]:
    return done.kind, done.entries, done.added, done.closed, len(done.refused)


@pytest.mark.parametrize("name", COUNTS)
def test_a_plan_changes_nothing_apply_does_it_and_again_all_is_known(elsewhere: Path, memory: Commonplace, name: str) -> None:
    plan = memory.import_from(elsewhere / name)
    assert (told(plan), plan.applied, plan.run_id) == (COUNTS[name], False, None)
    assert kept(memory) == {}
    seen: list[tuple[int, int | None]] = []
    done = memory.import_from(elsewhere / name, apply=True, progress=lambda at, of: seen.append((at, of)))
    assert (told(done), done.refused, done.lost) == (COUNTS[name], plan.refused, [])
    assert seen[-1] == (done.added, done.added)
    assert len(kept(memory)) == done.added
    again = memory.import_from(elsewhere / name, apply=True)
    assert (again.added, len(again.known), again.conflicts, again.run_id) == (0, done.added, [], None)
    assert done.run_id is not None
    undone = memory.undo_run(done.run_id)
    assert {one.outcome for one in undone.operations} == {"undone"}
    assert not [one for one in kept(memory).values() if one["status"] == "active"]
    assert memory.import_from(elsewhere / name).added == done.added


def test_every_kind_that_can_be_asked_for_is_read() -> None:
    assert {*get_args(ImportKind)} == {*READERS, *CONVERSATIONS, OWN}


def test_times_tags_fields_and_roles_of_mem0_are_kept(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "mem0.json", apply=True)
    allergy = kept(memory)["User is allergic to peanuts."]
    assert allergy["created_at"] == "2024-07-26T08:29:36.504127-07:00"
    assert set(allergy["tags"]) >= {"health", "food-preferences"}
    assert allergy["user_note"] == "user_id: alex; mood: calm; source: intake form"
    assert memory.get("892db2ae-06d9-49e5-8b3e-585ef9b85b8e").memory_id == allergy["memory_id"]
    assert kept(memory)["User plays the cello in a quartet."]["source"] == "agent"
    assert kept(memory)["User keeps bees on the roof."]["user_note"] == "created_at: last spring"
    assert "gym pass" not in str([hit.content for hit in memory.search_memory("gym pass").results])
    assert done.notes is not None
    assert done.notes.redacted
    assert "Tr0ub4dor" not in json.dumps(list(memory.export()))
    assert [(one.where, one.field, one.code) for one in done.refused] == [
        ("entry 4", "content", "missing_field"),
        ("entry 6", None, "invalid_json"),
        ("entry 7", "content", "invalid_argument"),
    ]


def test_each_wording_of_mem0s_history_has_its_time(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "mem0.db", apply=True)
    found = kept(memory)
    assert {text: one["status"] for text, one in found.items()} == {
        "User lives in Berlin.": "superseded", "User lives in Lisbon.": "active", "User drinks oat milk.": "superseded",
    }  # fmt: skip
    assert (
        found["User lives in Berlin."]["valid_to"] == found["User lives in Lisbon."]["valid_from"] == "2025-03-01T10:00:00Z"
    )
    assert memory.get("m1").value == "User lives in Lisbon."


def test_what_mem0_itself_wrote_has_its_times_its_fields_and_who_said_it(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "made" / "mem0.json", apply=True)
    found = kept(memory)
    said = {text for text, one in found.items() if one["source"] == "agent"}
    assert said == {"Assistant recommended the bakery on Rua Augusta.", "I booked the table for eight."}
    assert found["User is allergic to peanuts."]["user_note"] == "user_id: alex; run_id: r1; source: intake form"
    assert found["I live in Lisbon."]["created_at"] == "2025-03-05T08:58:15.250000Z"
    assert found["I have a gym pass."]["expires_at"][:10] == "2030-05-01"


def test_a_change_of_other_fields_is_no_new_wording_in_what_mem0_itself_kept(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "made" / "mem0.db", apply=True)
    found = kept(memory)
    closed = {text for text, one in found.items() if one["status"] == "superseded"}
    assert closed == {"I live in Berlin.", "I drink oat milk."}
    assert found["I have a gym pass."]["created_at"] == "2025-03-07T09:12:15.250000Z"
    assert found["I live in Lisbon."]["valid_from"] == found["I live in Berlin."]["valid_to"] == "2025-03-10T09:33:15.250000Z"
    assert found["I booked the table for eight."]["user_note"] == "actor_id: Sam"


def test_items_that_langgraph_itself_wrote_and_one_that_says_nothing(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "made" / "langgraph.json", apply=True)
    found = kept(memory)
    assert found["Ana drinks soy milk."]["user_note"] == "namespace: memories/ana; rating: 4"
    assert 'language: Portuguese; time zone: Europe/Lisbon; children: ["Rui", "Eva"]' in found
    assert [(one.where, one.code) for one in done.refused] == [("entry 5", "missing_field")]


def test_facts_of_a_graph_keep_when_they_were_true(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "zep.json", apply=True)
    lives, loves, contract = (kept(memory)[f"Kendra {said}"] for said in (
        "lives in Lisbon.", "loves Adidas shoes.", "has a contract with Puma."
    ))  # fmt: skip
    assert (lives["status"], lives["valid_from"], lives["event_time"]) == ("active", *["2025-01-15T00:00:00Z"] * 2)
    assert (lives["tags"], lives["user_note"]) == (["lives-in"], 'episodes: ["e7"]; district: Alfama')
    assert (loves["status"], loves["valid_to"]) == ("superseded", "2024-11-05T00:00:00Z")
    assert (contract["status"], contract["expires_at"]) == ("active", "2030-01-31T00:00:00Z")
    assert [
        hit.content for hit in memory.search_memory("Which shoes does Kendra love?").results if "Adidas" in hit.content
    ] == []


def test_what_a_block_says_of_the_user_and_what_the_agent_says_of_itself(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "letta_v1.af", apply=True)
    found = kept(memory)
    assert Counter(one["source"] for one in found.values()) == {"user": 3, "agent": 1}
    assert found["My name is Sam, a helpful assistant."]["speaker"] == "Sam"
    assert found["He likes vibe coding."]["created_at"] == "2025-03-01T12:00:00Z"
    assert [(one.where, one.code) for one in done.refused] == [("entry 3", "missing_field")]


def test_values_of_langgraph_are_words_and_fields(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "langgraph.json", apply=True)
    found = kept(memory)
    assert found["Ana loves ramen."]["user_note"] == "namespace: users/ana/memories; rating: 5"
    assert memory.get("users/ana/memories/food").value == "Ana loves ramen."
    assert "Ana works from Porto on Fridays." in found
    assert "language: Portuguese; time zone: Europe/Lisbon" in found


def test_observations_relations_and_prose_of_basic_memory(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "basic-memory", apply=True)
    found = kept(memory)
    water = found["Water at 205°F extracts best #water #extraction"]
    assert water["tags"] == ["technique", "water", "extraction", "coffee", "brewing"]
    assert water["created_at"] == "2025-05-01T09:00:00Z"
    beans = found["Ethiopian beans go well with light roasts"]
    assert beans["user_note"].startswith("note: Coffee Brewing Methods; context: own experience; file: coffee.md")
    assert "status: active" in beans["user_note"]
    assert "Coffee Brewing Methods requires Proper Grinding Technique." in found
    assert "How I make coffee at home, on weekdays." in found
    assert "The café by the river opens at seven" in found
    assert [(one.where, one.message) for one in done.refused] == [("broken.md", "file: is not a text file")]


def test_notes_that_basic_memory_itself_wrote_and_changed(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "made" / "basic-memory", apply=True)
    found = kept(memory)
    assert found["Mia plays the cello"]["user_note"] == (
        'note: Mia; file: people/family/Mia.md; type: person; aliases: ["Mimi", "M."]; birthday: 2018-09-03; '
        'address: ["city: Porto", "floor: 3"]'
    )
    assert found["Water at 205°F extracts best #water #extraction"]["tags"] == [
        "technique",
        "water",
        "extraction",
        "coffee",
        "home-brewing",
    ]
    assert "Coffee Brewing Methods grown by Mia." in found
    assert found["Water the orchids on Fridays, before noon."]["user_note"].startswith("note: Orchids: a note")


def test_a_record_of_agentcore_keeps_its_time_its_namespace_and_its_metadata(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "agentcore.json", apply=True)
    found = kept(memory)
    nurse, seats = found["Ana lives in Porto and works as a nurse."], found["Prefers window seats"]
    assert nurse["created_at"] == "2025-03-05T08:38:15.250000Z"
    assert nurse["user_note"] == "namespace: /strategies/facts-A1b2C3d4E5/actors/ana/; channel: phone call"
    assert (seats["tags"], "context: Ana said so." in seats["user_note"]) == (["travel"], True)
    assert (done.people, done.left_out) == ({"ana": 3}, {"refused: missing_field": 1})


def test_observations_and_relations_of_the_memory_server_are_sentences(elsewhere: Path, memory: Commonplace) -> None:
    done = memory.import_from(elsewhere / "mcp_memory.jsonl", apply=True, listed=None)
    assert {text: one["tags"] for text, one in kept(memory).items()} == {
        "John_Smith: Speaks fluent Spanish": ["person"],
        "John Smith plays the cello.": ["person"],
        "default_user: Prefers tea to coffee": ["person"],
        "John_Smith works at Harbour Hospital.": ["relation"],
    }
    assert [(one.where, one.reason, one.text) for one in done.passages[:2]] == [
        ("entry 2", "a field that no memory has", '{"name": "Harbour Hospital"}'),
        ("entry 2", "a field that no memory has", '{"entityType": "employer"}'),
    ]
    graph = {"entities": [{"name": "Mia", "entityType": "person", "observations": ["Mia sings."]}], "relations": []}
    assert kind_of(Source(None, json.dumps(graph))).kind == "mcp-memory"


def note_in(folder: Path, text: str) -> Path:
    (folder / "note.md").write_text(text, "utf-8")
    return folder / "note.md"


def test_a_number_sign_in_prose_stays_in_the_text(memory: Commonplace, tmp_path: Path) -> None:
    said = (
        "Condenser #7 leaks at 3 l/h", "Condenser #8 leaks at 3 l/h", "The race was fixed in PR #812",
        "The race was fixed in PR #905", "The wall is #ff8800 by day", "Use port #B4 for now #wiring #home#lab",
    )  # fmt: skip
    done = memory.import_from(note_in(tmp_path, "".join(f"- [fact] {one}\n" for one in said)), "basic-memory", apply=True)
    assert (done.added, done.known) == (6, [])
    assert {text: one["tags"] for text, one in kept(memory).items()} == {
        **{text: ["fact"] for text in said[:5]}, said[5]: ["fact", "wiring", "home", "lab"],
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["basic-memory", "markdown"])
@pytest.mark.parametrize("inner", ["title: Inner\ntype: litnote", "metadata: {}\nstatus: draft\ncitekey: smith2024"])
def test_a_second_front_matter_is_skipped(memory: Commonplace, tmp_path: Path, kind: Any, inner: str) -> None:
    file = note_in(tmp_path, f"---\ntitle: Outer\n---\n\n---\n{inner}\n---\n\nMia plays the cello.\n")
    done = memory.import_from(file, kind, apply=True, listed=None)
    assert list(kept(memory)) == ["Mia plays the cello."]
    assert [(one.where, one.reason, one.text) for one in done.passages] == [
        ("note.md, line 5", "a second front matter", f"---\n{inner}\n---")
    ]


@pytest.mark.parametrize("kind", ["basic-memory", "markdown"])
@pytest.mark.parametrize("first", ["---\ntitle: Outer\n---\n", "---\ntitle: Outer\n---\n---\ntitle: Inner\n---\n", ""])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_front_matter_behind_a_heading_is_skipped(
    memory: Commonplace, tmp_path: Path, kind: Any, first: str, gap: str
) -> None:
    block = "---\ntype: litnote\nowner: nobody\n---"
    file = note_in(tmp_path, f"{first}# Head{gap}{block}{gap}- Mia plays the cello.\n")
    done = memory.import_from(file, kind, apply=True, listed=None)
    assert list(kept(memory)) == ["Mia plays the cello."]
    assert [one.text for one in done.passages if one.reason == "a second front matter"][-1:] == [block]
    assert "heading: Head" in kept(memory)["Mia plays the cello."]["user_note"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("# Head\n\n---\n\nMia plays the cello.\n\n---\n\nShe is seven.\n", ["Mia plays the cello.", "She is seven."]),
        ("# Head\n---\nNote: Mia plays the cello.\n---\n", ["Note: Mia plays the cello."]),
        ("# Head\n---\nTODO: Tune the cello.\n---\n", ["TODO: Tune the cello."]),
        ("# Head\n\nShe is seven.\n\n---\nkeeps: newts\n---\n", ["She is seven.", "keeps: newts"]),
        ("\n---\nkeeps: newts\n---\n", ["keeps: newts"]),
        ("# Head\n---\n- Mia plays the cello.\n---\n", ["Mia plays the cello."]),
    ],
)
def test_what_stands_between_two_rules_of_a_text_is_text(
    memory: Commonplace, tmp_path: Path, body: str, said: list[str]
) -> None:
    done = memory.import_from(note_in(tmp_path, body), "basic-memory", apply=True)
    assert (list(kept(memory)), "a second front matter" in done.left_out) == (said, False)


def test_a_secret_is_in_no_passage(memory: Commonplace, tmp_path: Path) -> None:
    done = memory.import_from(note_in(tmp_path, "Tea.\n\n```\nexport DB_PASSWORD=hunter2Tr0ub4dor\n```\n"), listed=None)
    assert [one.text for one in done.passages] == ["```\nexport DB_PASSWORD=[redacted:password]\n```"]
    assert (done.left_out, memory.import_from(tmp_path / "note.md").passages) == ({"code between fences": 1}, [])


def test_notes_are_read_bullet_by_bullet(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "notes", apply=True)
    assert {text: one["user_note"] for text, one in kept(memory).items()} == dict.fromkeys(
        ("The tomatoes stand behind the shed.", "Water the orchids on Fridays before noon", "Cut the hedge in October"),
        "heading: Garden; file: garden.md",
    )


def test_what_is_here_in_other_words_stays_and_what_was_said_gets_the_name(elsewhere: Path, memory: Commonplace) -> None:
    said = memory.store_memory("user is allergic to  peanuts.").memory_id
    done = memory.import_from(elsewhere / "mem0.json", apply=True)
    assert (done.added, done.known) == (4, ["892db2ae-06d9-49e5-8b3e-585ef9b85b8e"])
    assert memory.get(done.known[0]).memory_id == said
    changed = json.loads((elsewhere / "mem0.json").read_text("utf-8"))
    changed["results"][1]["memory"] = "User plays the viola."
    (elsewhere / "mem0.json").write_text(json.dumps(changed), encoding="utf-8")
    again = memory.import_from(elsewhere / "mem0.json", apply=True)
    assert (again.added, again.conflicts) == (0, ["0a14d8f0-e364-4f5c-b305-10da1f0d0878"])
    assert "User plays the viola." not in kept(memory)


def test_what_was_erased_does_not_come_back(elsewhere: Path, memory: Commonplace) -> None:
    memory.import_from(elsewhere / "notes", apply=True)
    memory.erase(kept(memory)["Cut the hedge in October"]["memory_id"])
    again = memory.import_from(elsewhere / "notes", apply=True)
    assert (again.added, [one.code for one in again.refused]) == (0, ["erased"])


@pytest.mark.parametrize(
    ("text", "why"),
    [("[]", "turns"), ('{"results": [{"id": 1, "memory": "tea"}]}', "mem0"), ('{"role": "user", "content": "tea"}', "messages"),
     ('{"commonplace_export": 1}\n{"memory_id": "mem_1"}', OWN), ("memory_id,raw_text\n", OWN)],
)  # fmt: skip
def test_the_kind_is_found_out_by_the_first_entry(text: str, why: str) -> None:
    assert kind_of(Source(None, text)).kind == why


def test_a_folder_in_which_nothing_tells_what_it_is_asks_for_the_kind(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(CommonplaceError, match="--from"):
        kind_of(Source(tmp_path))


def test_a_person_sees_what_would_come_and_why_others_would_not(elsewhere: Path, memory_file: Path) -> None:
    arguments = ("import", str(elsewhere / "mem0.json"), "--db", str(memory_file))
    plan = run(*arguments, home=memory_file.parent)
    assert plan.code == 5
    assert "mem0: its entries have id and memory" in plan.out
    assert "to be added     5, 0 of them closed" in plan.out
    assert "entry 4" in plan.out
    assert "--apply stores them" in plan.out
    assert not memory_file.exists()
    done = run(*arguments, "--apply", home=memory_file.parent)
    assert (done.code, "undo by" in done.out) == (5, True)


def test_a_plan_tells_what_happens_to_each_entry_and_all_of_it_what_is_alike(memory: Commonplace) -> None:
    here = memory.store_memory("The user is allergic to peanuts.").memory_id
    texts = ["The user is allergic to peanuts.", "The user has a peanut allergy.", "User keeps bees.", "user keeps  BEES.",
             "The router stands in the hall, its password is hunter2-Tr0ub4dor.", "  "]  # fmt: skip
    source = Source(None, json.dumps([{"id": str(number), "memory": text} for number, text in enumerate(texts)]))
    plan = memory.import_from(source)
    told = [(one.outcome, one.memory_id) for one in plan.memories]
    assert told[:4] == [("known", here), ("added", None), ("added", None), ("known", None)]
    assert (plan.outcomes, plan.added, plan.known) == ({"added": 3, "known": 2, "refused": 1}, 3, ["0", "3"])
    assert "Tr0ub4dor" not in plan.model_dump_json()
    few = memory.import_from(source, listed=range(1, 3))
    assert ([one.where for one in few.memories], few.outcomes) == (["entry 2", "entry 3"], plan.outcomes)
    every = memory.import_from(source, listed=None)
    assert [one.outcome for one in every.memories] == ["known", "near_duplicate", "added", "known", "added", "refused"]
    assert (every.memories[1].memory_id, every.added) == (here, 3)
    done = memory.import_from(source, apply=True)
    assert (done.added, done.outcomes) == (3, every.outcomes)
    again = memory.import_from(source)
    assert again.outcomes == {"known": 5, "refused": 1}


def test_what_is_only_a_secret_is_refused_where_it_is_shown_and_counted_where_it_is_not(memory: Commonplace) -> None:
    key = "ghp_" + "aB3dE5gH7jK9" * 3
    source = Source(None, json.dumps([{"id": str(number), "memory": key} for number in range(2)]))
    assert memory.import_from(source).outcomes == {"refused": 2}
    assert memory.import_from(source, listed=range(0)).outcomes == {"added": 1, "known": 1}
    done = memory.import_from(source, apply=True)
    assert ([one.code for one in done.refused], list(memory.export())) == (["secret_only"] * 2, [])


def test_turns_are_planned_first_like_all_else(memory_file: Path) -> None:
    text = json.dumps([{"session_id": "s", "position": 1, "speaker": "Mia", "text": "I play the cello."}])
    arguments = ("import", "-", "--db", str(memory_file))
    plan = run(*arguments, home=memory_file.parent, stdin=text)
    assert (plan.code, "to be added     1" in plan.out, memory_file.exists()) == (0, True, False)
    done = run(*arguments, "--apply", "--json", home=memory_file.parent, stdin=text)
    assert (done.answer["added"], done.answer["memories"][0]["outcome"]) == (1, "added")
    again = run(*arguments, "--apply", "--json", home=memory_file.parent, stdin=text)
    assert (again.answer["added"], again.answer["known"]) == (0, ["s#1"])


def test_times_to_come_are_held_at_now(elsewhere: Path, memory: Commonplace, tmp_path: Path) -> None:
    later = (NOON + timedelta(days=900)).isoformat()
    file = tmp_path / "later.json"
    file.write_text(json.dumps([{"id": "x", "memory": "Tea.", "created_at": later}]), encoding="utf-8")
    memory.import_from(file, apply=True)
    assert kept(memory)["Tea."]["created_at"] == NOON.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("form", ["mem0", "langgraph"])
def test_what_is_exported_in_the_form_of_another_store_comes_in_again(
    elsewhere: Path, memory: Commonplace, tmp_path: Path, form: Any
) -> None:
    memory.import_from(elsewhere / "zep.json", apply=True)
    memory.store_memory("I play the cello.", context={"additional_tags": ["music"]})
    text = "".join(memory.export_lines(form))
    current = {one["raw_text"]: one for one in memory.export() if one["status"] == "active"}
    (tmp_path / "out.json").write_text(text, encoding="utf-8")
    again = memory.import_from(tmp_path / "out.json", apply=True)
    assert (again.added, len(again.known), again.conflicts) == (0, 3, [])
    file = tmp_path / "other.db"
    with Commonplace(file, now=lambda: NOON, settings=Settings(db=file)) as other:
        done = other.import_from(tmp_path / "out.json", apply=True)
        assert (done.kind, done.added, done.refused) == (form, 3, [])
        for words, one in kept(other).items():
            assert (one["tags"], one["created_at"]) == (current[words]["tags"], current[words]["created_at"])
            name = current[words]["memory_id"] if form == "mem0" else f"memories/local/{current[words]['memory_id']}"
            assert other.get(name).value == words


KIM_AND_LEE: dict[str, list[dict[str, Any]]] = {
    "mem0": [{"id": "1", "memory": "Lives in Turku.", "user_id": "kim"}, {"id": "2", "memory": "Lives in Cusco.", "user_id": "lee"}],
    "graphiti": [
        {"uuid": "1", "fact": "Lives in Turku.", "group_id": "kim"}, {"uuid": "2", "fact": "Lives in Cusco.", "group_id": "lee"}
    ],
    "langgraph": [
        {"namespace": ["users", "kim", "memories"], "key": "1", "value": {"text": "Lives in Turku."}},
        {"namespace": ["memories", "lee"], "key": "2", "value": {"text": "Lives in Cusco."}},
    ],
    "agentcore": [
        {"memoryRecordId": "1", "content": {"text": "Lives in Turku."}, "namespaces": ["/strategies/s1/actors/kim"]},
        {"memoryRecordId": "2", "content": {"text": "Lives in Cusco."}, "namespaces": ["lee/facts"]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", KIM_AND_LEE)
def test_of_several_people_one_is_to_be_chosen(memory: Commonplace, tmp_path: Path, kind: Any) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(KIM_AND_LEE[kind]))
    plan = memory.import_from(tmp_path / "dump.json")
    assert (plan.kind, plan.people, plan.added) == (kind, {"kim": 1, "lee": 1}, 2)
    assert plan.notes is not None
    assert plan.notes.warnings == ["these are memories of 2 people: kim (1), lee (1); choose one of them"]
    for only, why in (
        (None, "these are memories of 2 people"),
        ("mia", r"nobody has this name; the people are kim \(1\), lee"),
    ):
        with pytest.raises(CommonplaceError, match=f"only: {why}"):
            memory.import_from(tmp_path / "dump.json", apply=True, only=only)
    done = memory.import_from(tmp_path / "dump.json", apply=True, only="kim")
    assert (list(kept(memory)), done.left_out) == (["Lives in Turku."], {"of another person": 1})


@pytest.mark.parametrize("lines", [1, 2])
def test_an_answer_of_agentcore_with_a_single_record_is_read(memory: Commonplace, tmp_path: Path, lines: int) -> None:
    answers = [{"memoryRecord": record, "remark": "Ben asked for it."} for record in KIM_AND_LEE["agentcore"][:lines]]
    (tmp_path / "dump.json").write_text("\n".join(map(json.dumps, answers)))
    plan = memory.import_from(tmp_path / "dump.json", listed=None)
    assert (plan.kind, plan.added, plan.refused) == ("agentcore", lines, [])
    assert [entry.content for entry in plan.memories] == ["Lives in Turku.", "Lives in Cusco."][:lines]
    assert "Ben asked for it." in {passage.text for passage in plan.passages}


OF_NOBODY: dict[str, dict[str, Any]] = {
    "mem0": {"id": "3", "memory": "The office has a garden."},
    "graphiti": {"uuid": "3", "fact": "The office has a garden."},
    "langgraph": {"namespace": ["memories"], "key": "3", "value": {"text": "The office has a garden."}},
    "agentcore": {"memoryRecordId": "3", "content": {"text": "The office has a garden."}, "namespaces": ["/facts"]},
}


@pytest.mark.parametrize("only", ["", "(no name)"])
@pytest.mark.parametrize("kind", KIM_AND_LEE)
def test_entries_without_a_name_are_counted_and_can_be_chosen(
    memory: Commonplace, tmp_path: Path, kind: Any, only: str
) -> None:
    (tmp_path / "dump.json").write_text(json.dumps([*KIM_AND_LEE[kind], OF_NOBODY[kind]]))
    plan = memory.import_from(tmp_path / "dump.json")
    assert plan.people == {"kim": 1, "lee": 1, "(no name)": 1}
    assert plan.notes is not None
    assert plan.notes.warnings == ["these are memories of 2 people: (no name) (1), kim (1), lee (1); choose one of them"]
    done = memory.import_from(tmp_path / "dump.json", apply=True, only=only)
    assert (list(kept(memory)), done.left_out) == (["The office has a garden."], {"of another person": 2})


def test_entries_without_a_name_beside_one_person_are_taken_with_theirs(memory: Commonplace, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps([KIM_AND_LEE["mem0"][0], OF_NOBODY["mem0"]]))
    done = memory.import_from(tmp_path / "dump.json", apply=True)
    assert (done.people, done.added) == ({"kim": 1}, 2)


def test_the_command_line_takes_entries_without_a_name(memory_file: Path, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps([*KIM_AND_LEE["mem0"], OF_NOBODY["mem0"]]))
    arguments = ("import", str(tmp_path / "dump.json"), "--db", str(memory_file), "--apply")
    assert "(no name): 1" in run(*arguments[:-1], home=tmp_path).out
    assert run(*arguments, home=tmp_path).code == 2
    assert run(*arguments, "--only", "", home=tmp_path).code == 0
    assert run(*arguments, "--user-map", "(no name)=office", home=tmp_path).code == 0
    for user in ("local", "office"):
        with Commonplace(memory_file, user_id=user) as memory:
            assert [one["raw_text"] for one in memory.export()] == ["The office has a garden."]


@pytest.mark.parametrize(
    ("namespaces", "people"),
    [
        ([["memories", "ana"], ["todos", "ana"]], {"ana": 2}),
        ([["memories", "ana"], ["recipes", "ana"], ["recipes", "bob"]], {"ana": 2, "bob": 1}),
        ([["todo", "work", "ana"], ["profile", "work", "ana"], ["memories", "bob"]], {"ana": 2, "bob": 1}),
        ([["ana", "memories"], ["ana", "recipes"]], {"ana": 2}),
        ([["ana"], ["bob"], ["memories"]], {"ana": 1, "bob": 1, "(no name)": 1}),
        ([["users", "ana", "recipes"], ["users", "bob", "notes"]], {"ana": 1, "bob": 1}),
        ([["memories", "42"], ["memories", "43"], ["memories", "43"]], {"42": 1, "43": 2}),
        ([["42", "memories"], ["43", "recipes"], ["memories"]], {"42": 1, "43": 1, "(no name)": 1}),
        ([["memories", "42"], ["memories", "0b2e5f9a-5c3d-4c53-8b1e-2f6f6d0e9a11"]],
         {"42": 1, "0b2e5f9a-5c3d-4c53-8b1e-2f6f6d0e9a11": 1}),
        ([["memories", "42"], ["todos", "42"]], {}),
        ([["ana", "1"], ["ana", "2"], ["bob", "3"]], {"ana": 2, "bob": 1}),
        ([["1", "ana"], ["2", "ana"], ["2", "bob"]], {"1": 1, "2": 2}),
        ([["threads", "1"], ["threads", "2"]], {}),
        ([["memories", "42"], ["memories", "43"], ["threads", "1"], ["memories", "notes"]], {"42": 1, "43": 1, "(no name)": 2}),
    ],
)  # fmt: skip
def test_the_person_of_a_namespace_is_no_noun(
    memory: Commonplace, tmp_path: Path, namespaces: list[list[str]], people: dict[str, int]
) -> None:
    items = [{"namespace": one, "key": str(at), "value": {"text": f"Note {at}."}} for at, one in enumerate(namespaces)]
    for text in (json.dumps(items), "\n".join(map(json.dumps, items))):
        (tmp_path / "items.json").write_text(text)
        assert memory.import_from(tmp_path / "items.json", "langgraph").people == people


def test_each_person_of_a_dump_becomes_a_user_of_their_own(memory_file: Path, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps(KIM_AND_LEE["mem0"]))
    arguments = ("import", str(tmp_path / "dump.json"), "--db", str(memory_file))
    assert run(*arguments, "--apply", home=tmp_path).code == 2
    assert run(*arguments, "--only", "kim", "--user-map", "lee=lea", home=tmp_path).code == 2
    assert "has no mia; it names kim, lee" in run(*arguments, "--user-map", "mia=mia", "--apply", home=tmp_path).err
    plan = run(*arguments, home=tmp_path)
    assert (plan.code, "kim: 1" in plan.out, plan.out.splitlines()[-1]) == (
        0, True, "--only NAME --apply stores the memories of one person",
    )  # fmt: skip
    assert run(*arguments, "--only", "kim", home=tmp_path).out.splitlines()[-1] == "--apply stores them"
    done = run(*arguments, "--user-map", "kim=kim", "--user-map", "lee=lea", "--apply", home=tmp_path)
    assert (done.code, "undo by" in done.out, "--user lea" in done.out) == (0, True, True)
    for user, said in (("kim", "Lives in Turku."), ("lea", "Lives in Cusco."), ("local", None)):
        with Commonplace(memory_file, user_id=user) as memory:
            assert [one["raw_text"] for one in memory.export()] == ([said] if said else [])


def test_the_folder_of_mem0_is_read_by_its_history(elsewhere: Path, memory: Commonplace, tmp_path: Path) -> None:
    folder = tmp_path / "memories"
    (folder / "qdrant").mkdir(parents=True)
    (folder / "qdrant" / "meta.json").write_text("{}")
    (folder / ".config.json").write_text("{}")
    (folder / "history.db.old").write_text("")
    (folder / "qdrant" / "link.json").symlink_to(folder / "qdrant" / "meta.json")
    shutil.copy(elsewhere / "made" / "mem0.db", folder / "history.db")
    for ending in ("-wal", "-shm"):  # SQLite's own, whose words come with those of the history
        (folder / f"history.db{ending}").touch()
    done = memory.import_from(folder, apply=True)
    assert told(done) == COUNTS["made/mem0.db"]
    assert done.left_out == {
        "a message stored by mem0": 1, "a file of another kind": 2, "a hidden file": 1, "a link, which is not followed": 1,
    }  # fmt: skip
    assert {text for text, one in kept(memory).items() if one["status"] == "active"} >= {"I live in Lisbon."}


REPEATS = {
    "the same fields": ({"categories": ["tea"], "mood": "calm"}, {"categories": ["tea"], "mood": "calm"}, 0),
    "no fields": ({"categories": ["tea"], "mood": "calm"}, {}, 0),
    "another tag": ({"categories": ["tea"]}, {"categories": ["oolong"]}, 1),
    "another note": ({"mood": "calm"}, {"mood": "merry"}, 1),
    "the same secret": ({"mood": "password: hunter2Tr0ub4dor"}, {"mood": "password: hunter2Tr0ub4dor"}, 0),
}


@pytest.mark.parametrize(("first", "second", "counted"), REPEATS.values(), ids=REPEATS)
@pytest.mark.parametrize("is_here", [False, True])
def test_a_plan_counts_the_same_with_and_without_all(
    memory: Commonplace, tmp_path: Path, first: dict[str, Any], second: dict[str, Any], counted: int, is_here: bool
) -> None:
    one, two = ({"id": name, "memory": "Drinks tea at noon."} for name in ("1", "2"))
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps([one | first]))
    if is_here:
        memory.import_from(file, apply=True)
    file.write_text(json.dumps([one | first, two | second]))
    few, every = memory.import_from(file, listed=range(0)), memory.import_from(file, listed=None)
    assert (
        few.left_out
        == every.left_out
        == ({"tags and other fields of a statement that is stored already": 1} if counted else {})
    )
    assert few.outcomes == every.outcomes == ({"known": 2} if is_here else {"added": 1, "known": 1})
    assert memory.import_from(file, apply=True).left_out == every.left_out
    why = every.memories[-1].why or ""
    assert "an earlier entry says the same" in why or is_here


def test_an_empty_store_is_an_empty_list_in_any_form(memory: Commonplace) -> None:
    assert json.loads("".join(memory.export_lines("mem0"))) == {"results": []}
    assert json.loads("".join(memory.export_lines("langgraph"))) == []
