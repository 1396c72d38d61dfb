"""A decision becomes a whole record."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from commonplace.adapters.word_averages import WordAverages
from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.new_memory import memory_from_decision, tidy_key
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from tests.unit.extraction.memory_view import memory

SAID_AT = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 3, 11, 23, 0, tzinfo=UTC)
CANDIDATE = Candidate("My daughter Mia is allergic to peanuts.", "talk", 4, "My daughter Mia is allergic to peanuts.", 0.9)


def made(
    candidate: Candidate = CANDIDATE, holder: Memory | None = None, talk: tuple[Utterance, ...] = (), **decided: Any
) -> Memory:
    day = Day(SAID_AT.date(), talk or (Utterance("talk", 4, "user", candidate.evidence, SAID_AT, ((0, 10),)),))
    embedder = WordAverages()
    operations = SimpleNamespace(holder=lambda *_: holder)
    facts = SimpleNamespace(tags=lambda _: {})
    tags = SimpleNamespace(rows=lambda _: {})
    ports = cast(
        "Ports", SimpleNamespace(embedder=embedder, words=embedder, operations=operations, facts=facts, tag_rows=tags)
    )
    found, vector = memory_from_decision(
        Decision(candidate, "ADD", **decided), day, Caller("ana", NOW), ports, NOW, "mem_new"
    )
    assert vector is not None
    return found


def test_a_yes_rests_on_the_question_too_and_more_than_a_yes_on_itself() -> None:
    for answer, evidence in (("Yes.", "Do you live in Kiel? · Yes."), ("Yes, in Kiel.", "Yes, in Kiel.")):
        question = Utterance("talk", 3, "assistant", "I see. Do you live in Kiel?", SAID_AT)
        said = Utterance("talk", 4, "user", answer, SAID_AT, ((0, len(answer)),))
        found = made(Candidate("The user lives in Kiel.", "talk", 4, answer, 0.9), talk=(question, said))
        assert found.evidence == evidence


def test_it_tells_where_its_words_are_and_when_they_were_said() -> None:
    found = made()
    assert found.raw_text == CANDIDATE.content
    assert found.normalized_text == "The user's daughter Mia is allergic to peanuts."
    assert (found.session_id, found.position, found.evidence) == ("talk", 4, CANDIDATE.evidence)
    assert (found.event_time, found.created_at, found.source, found.user_id) == (SAID_AT, NOW, "user", "ana")
    assert found.valid_from is None


def test_what_the_reader_did_not_say_the_engine_derives() -> None:
    found = made()
    assert (found.memory_type, found.category, found.section) == ("biographical", "contexts", "personal_context")
    assert found.importance >= 0.75
    assert found.tags


def test_what_the_reader_said_wins() -> None:
    said = replace(CANDIDATE, type="project", section="work_context", tags=("Nut Allergy",), durability="daily")
    found = made(said)
    assert (found.memory_type, found.category, found.section) == ("project", "projects", "work_context")
    assert found.tags == ("nut-allergy",)
    assert found.durability == "daily"


def test_an_update_says_what_was_decided() -> None:
    assert made(content="Mia is allergic to peanuts and eggs.").raw_text == "Mia is allergic to peanuts and eggs."


@pytest.mark.parametrize(
    ("changed", "ref"), [({"scope": "session"}, "talk"), ({"scope": "conversation"}, "talk"), ({"confidence": 0.6}, None)]
)
def test_what_holds_for_one_talk_or_is_not_sure_expires_after_ninety_days(changed: dict[str, Any], ref: str | None) -> None:
    found = made(replace(CANDIDATE, durability="durable", **changed))
    assert (found.durability, found.scope_ref) == ("daily", ref)
    assert found.expires_at == NOW + timedelta(days=90)
    assert found.purge_at == NOW + timedelta(days=120)


def test_what_is_sure_and_lasting_does_not_expire() -> None:
    assert (made().durability, made().expires_at) == ("durable", None)


def test_a_key_is_tidied_and_left_out_where_another_memory_holds_it() -> None:
    assert made(replace(CANDIDATE, key="Mia's Allergy")).key == "mia_s_allergy"
    assert made(replace(CANDIDATE, key="allergy"), holder=memory("I am allergic to eggs", key="allergy")).key is None


def test_an_older_value_is_kept_closed() -> None:
    later = memory("Mia is allergic to nothing any more", event_time=NOW)
    found = made(replace(CANDIDATE, key="allergy"), outdated_by=later)
    assert (found.status, found.superseded_by, found.valid_to, found.key) == ("superseded", later.memory_id, NOW, None)


@pytest.mark.parametrize(
    ("given", "kept"), [("Ｒole", "role"), ("a" * 80, "a" * 64), ("...", None), ("", None), (None, None)]
)
def test_keys_are_as_they_are_kept(given: str | None, kept: str | None) -> None:
    assert tidy_key(given) == kept
