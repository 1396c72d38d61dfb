"""The storing tools, whole: what they find out, what they keep, what they refuse."""

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError, StoreContext, StoreMetadata
from commonplace.settings import Settings, read_settings
from commonplace.use_cases import dispatch
from tests.conftest import NOON, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]
PARAPHRASES = (
    ("I'd rather text than call.", "I prefer texting over phone calls."),
    ("I listen to music on Spotify.", "Spotify is my music app."),
    ("I read the news at breakfast.", "Over breakfast I read the newspaper."),
)
"""Of which a store suggests a merge in each setting, by default, and in the boldest one only."""


def record(memory: Commonplace, memory_id: str) -> dict[str, Any]:
    return next(found for found in memory.export() if found["memory_id"] == memory_id)


def test_nothing_has_to_be_decided(memory: Commonplace) -> None:
    stored = memory.store_memory("My daughter Mia is allergic to peanuts.")
    assert stored.success
    assert stored.analysis.detected_category == "contexts"
    assert stored.analysis.detected_type == "biographical"
    assert stored.analysis.importance_score >= 4
    assert {"allergy"} <= set(stored.analysis.generated_tags)
    assert stored.analysis.concepts_extracted
    kept = record(memory, stored.memory_id)
    assert kept["normalized_text"] == "The user's daughter Mia is allergic to peanuts."
    assert kept["user_id"] == "local|ana"
    assert datetime.fromisoformat(kept["created_at"]) == NOON


def test_an_unsure_category_is_told_with_the_two_likeliest_and_what_decides(memory: Commonplace) -> None:
    stored = memory.store_memory("Tuesday, not the red one")
    assert stored.analysis.confidence < 0.5
    assert stored.notes is not None
    assert stored.notes.warnings is not None
    (warning,) = stored.notes.warnings
    assert stored.analysis.detected_category in warning
    assert "force_category" in warning
    decided = memory.store_memory("The tall one in the corner", context={"force_category": "reminders"})
    assert decided.notes is None
    assert memory.store_memory("I'm allergic to latex.").notes is None


def test_from_which_confidence_on_a_category_is_sure_is_a_setting(memory_file: Path) -> None:
    def warned(confidence: float) -> bool:
        settings = Settings(db=memory_file, category_confidence=confidence)
        with Commonplace(memory_file, user_id=f"by {confidence}", settings=settings, now=lambda: NOON) as memory:
            return memory.store_memory("Tuesday, not the red one").notes is not None

    assert [warned(confidence) for confidence in (0.0, 0.5, 1.0)] == [False, True, True]
    refused = refusal(lambda: read_settings({"COMMONPLACE_CATEGORY_CONFIDENCE": "1.1"}))
    assert refused.field == "COMMONPLACE_CATEGORY_CONFIDENCE"


def test_how_surely_a_memory_says_the_same_before_a_merge_is_suggested_is_a_setting(tmp_path: Path) -> None:
    def suggested(setting: str, *texts: str) -> int:
        settings = Settings.model_validate({"db": tmp_path / f"{setting}.db", "similarity": setting})
        with Commonplace(settings=settings, user_id=texts[0], now=lambda: NOON) as memory:
            answers = [memory.store_memory(text) for text in texts]
            return len(answers[-1].recommendations.suggested_merges)

    settings = ("conservative", "balanced", "aggressive")
    found = {texts: [suggested(setting, *texts) for setting in settings] for texts in PARAPHRASES}
    assert list(found.values()) == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert [suggested(setting, "I smoke.", "I quit smoking.") for setting in settings] == [0, 0, 0]
    refused = refusal(lambda: read_settings({"COMMONPLACE_SIMILARITY": "0.85"}))
    assert refused.field == "COMMONPLACE_SIMILARITY"


def test_every_override_is_honoured_and_what_was_thought_is_kept(memory: Commonplace) -> None:
    context: StoreContext = {
        "force_category": "projects", "force_importance": 5, "additional_tags": ["Kitchen Plan"], "source": "agent",
        "user_note": "from the call", "expires_at": "2026-06-01T00:00:00",
        "place": {"session_id": "s1", "position": 3, "speaker": "Ana", "event_time": "2026-05-19T09:00:00"},
    }  # fmt: skip
    stored = memory.store_memory("I love the new tiles.", context=context)
    assert stored.analysis.detected_category == "projects"
    assert stored.analysis.importance_score == 5
    assert stored.analysis.generated_tags[0] == "kitchen-plan"
    kept = record(memory, stored.memory_id)
    assert (kept["source"], kept["user_note"]) == ("agent", "from the call")
    assert (kept["session_id"], kept["position"], kept["speaker"]) == ("s1", 3, "Ana")
    assert kept["event_time"] == "2026-05-19T09:00:00+02:00"
    assert (kept["expires_at"], kept["durability"]) == ("2026-06-01T00:00:00+02:00", "daily")
    assert kept["purge_at"] == "2026-07-01T00:00:00+02:00"
    (audit,) = memory._local.ports.records.audits("local|ana", stored.memory_id)
    assert audit.detail["engine"]["category"] == "contexts"  # type: ignore[index]
    assert "tiles" not in str(audit.detail["given"])


def test_the_same_memory_again_has_the_same_id_and_says_so(memory: Commonplace) -> None:
    first = memory.store_memory("I love jazz.")
    again = memory.store_memory("  i LOVE   jazz. ")
    assert again.memory_id == first.memory_id
    assert again.notes is not None
    assert again.notes.warnings
    assert len(list(memory.export())) == 1


def test_asked_twice_at_once_it_is_stored_once(open_memory: Opener) -> None:
    engines = [open_memory() for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        ids = {found.memory_id for found in pool.map(lambda n: engines[n % 4].store_memory("I love jazz."), range(16))}
    assert len(ids) == 1


def test_after_its_expiry_it_is_a_new_memory(open_memory: Opener) -> None:
    context: StoreContext = {"expires_at": (NOON + timedelta(days=1)).isoformat()}
    first = open_memory().store_memory("I have a voucher for the cinema.", context=context)
    later = open_memory(now=lambda: NOON + timedelta(days=2)).store_memory("I have a voucher for the cinema.")
    assert later.memory_id != first.memory_id


def test_a_near_duplicate_is_suggested_and_an_update_is_not(memory: Commonplace) -> None:
    first = memory.store_memory("I really like Italian food.")
    near = memory.store_memory("I'm a big fan of Italian food.")
    assert [merge.memory_id for merge in near.recommendations.suggested_merges] == [first.memory_id]
    salary = memory.store_memory("My salary is 4000 euros.")
    update = memory.store_memory("My salary is 5000 euros.")
    assert update.recommendations.suggested_merges == []
    assert salary.memory_id in update.recommendations.similar_memories


def test_a_text_without_a_vector_is_compared_by_its_words_and_the_answer_says_so(memory: Commonplace) -> None:
    first = memory.store_memory("मैं दिल्ली में रहता हूँ")
    repeated = memory.store_memory("मैं दिल्ली में रहता हूँ!")
    assert [merge.memory_id for merge in repeated.recommendations.suggested_merges] == [first.memory_id]
    assert repeated.notes is not None
    assert repeated.notes.degraded is not None
    assert "only if its words repeat" in repeated.notes.degraded


def test_a_known_alias_takes_the_tag_that_is_there(memory: Commonplace) -> None:
    memory.memory_store("Writes it all by hand.", {"type": "fact", "tags": ["javascript"]})
    stored = memory.store_memory("I have been writing js for ten years.")
    assert stored.recommendations.tag_consolidations.get("js", "javascript") == "javascript"
    assert "javascript" in stored.analysis.generated_tags


def test_an_abbreviation_is_stored_in_full_whatever_was_there_first(memory: Commonplace) -> None:
    memory.store_memory("I keep my notes in one place.", context={"additional_tags": ["k8s"]})
    stored = memory.store_memory(
        "The second note is about clusters.", context={"additional_tags": ["k8s", "Kubernetes", "apt"]}
    )
    assert stored.analysis.generated_tags[:2] == ["kubernetes", "apt"]
    assert stored.recommendations.tag_consolidations["k8s"] == "kubernetes"


def test_the_personal_pair_keeps_both_texts_and_finds_by_the_clean_one(memory: Commonplace) -> None:
    raw, clean = "i go running most mornings b4 work", "The user goes running most mornings before work."
    stored = memory.memory_store_personal(raw, clean, "habit", ["Running", "exercise", "morning"])
    again = memory.memory_store_personal(raw, clean, "habit", ["running"])
    assert (stored.created, again.created) == (True, False)
    assert again.id == stored.id
    (hit,) = memory.memory_search_personal("does the user go running?").results
    assert (hit.raw_text, hit.normalized_text, hit.memory_type) == (raw, clean, "habit")
    assert hit.tags == ["running", "exercise", "morning"]


def test_an_insight_keeps_its_metadata(memory: Commonplace) -> None:
    known: StoreMetadata = {
        "type": "pattern",
        "user": "bob",
        "importance": 0.7,
        "confidence": 0.6,
        "emotion": "curiosity",
        "tags": ["x"],
    }
    stored = memory.memory_store("Asks for sources first.", known, collection="agents")
    assert stored.collection == "agents"
    assert stored.metadata.model_dump() == {**known, "timestamp": round(NOON.timestamp() * 1000)}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "field"),
    [
        ("store_memory", {}, "missing_field", "content"),
        ("store_memory", {"content": "x", "colour": "red"}, "unknown_field", "colour"),
        ("store_memory", {"content": " … "}, "empty_text", "content"),
        ("store_memory", {"content": "x" * 8001}, "text_too_long", "content"),
        ("store_memory", {"content": "a\x00b"}, "invalid_argument", "content"),
        ("store_memory", {"content": "a\ud800b"}, "invalid_argument", "content"),
        ("store_memory", {"content": 7}, "invalid_argument", "content"),
        ("store_memory", {"content": "x", "context": {"force_importance": 6}}, "invalid_argument", "context.force_importance"),
        ("store_memory", {"content": "x", "context": {"force_importance": True}}, "invalid_argument", "context.force_importance"),
        ("store_memory", {"content": "x", "context": {"force_category": "stuff"}}, "invalid_argument", "context.force_category"),
        ("store_memory", {"content": "x", "context": {"expires_at": "2020-01-01"}}, "invalid_argument", "context.expires_at"),
        ("store_memory", {"content": "x", "user_id": "ben"}, "unknown_field", "user_id"),
        ("memory_normalize", {"text": "?!"}, "empty_text", "text"),
        ("memory_normalize", {"text": "x", "source": "cat"}, "invalid_argument", "source"),
        ("memory_store_personal", {"raw_text": "x", "normalized": "x", "type": "fact", "tags": []}, "invalid_argument", "type"),
        ("memory_store", {"content": "x", "metadata": {"type": "goal"}}, "invalid_argument", "metadata.type"),
        ("memory_store", {"content": "x", "metadata": {"type": "fact", "importance": 2}}, "invalid_argument", "metadata.importance"),
        ("search_memory", {"query": "x", "limit": 101}, "invalid_argument", "limit"),
        ("search_memory", {"query": "x", "options": {"min_relevance": -1}}, "invalid_argument", "options.min_relevance"),
        ("search_memory", {"query": "  "}, "empty_text", "query"),
        ("discover_memory_tools", {"tool": "rm"}, "unknown_tool", "tool"),
        ("store_memory", {"content": "x", "context": {"place": {"position": -1}}}, "invalid_argument", "context.place.position"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_the_field_is_named(
    memory: Commonplace, tool: str, arguments: dict[str, Any], code: str, field: str
) -> None:
    status, body = memory.answer(tool, arguments)
    assert status in (400, 404)
    assert body["error"]["code"] == code
    assert body["error"]["field"] == field
    assert body["error"]["message"]
    assert body["error"]["retryable"] is False
    assert list(memory.export()) == []


def test_all_kinds_of_text_come_back_byte_for_byte(memory: Commonplace) -> None:
    texts = [
        "日本語のメモ、寿司が好き",
        "naïve café\tÀ plus\nsecond line",
        "🏃🏽‍♀️ runs <b>bold</b> {\"a\": 'x'}",
        "مرحبا بالعالم",
    ]
    ids = [memory.store_memory(text).memory_id for text in texts]
    kept = {found["memory_id"]: found["raw_text"] for found in memory.export()}
    assert [kept[memory_id] for memory_id in ids] == texts


def test_a_number_of_thousands_of_digits_in_a_text_is_no_mistake(memory: Commonplace) -> None:
    for said in ("on {} May 2026", "{}-05-20", "week {}", "since {} months", "² May"):
        memory.store_memory("I like tea " + said.format("9" * 4_400))
    memory.store_memory("I like tea on 5 May")
    assert sum(1 for _ in memory.export()) == 6


@pytest.mark.parametrize(
    ("given", "field"), [({"query": "tea", "": 1}, '""'), ({"query": "tea", "options": {"": 1}}, 'options.""')]
)
def test_a_field_without_a_name_is_refused_and_can_be_told(memory: Commonplace, given: dict[str, Any], field: str) -> None:
    refused = refusal(lambda: memory.call("search_memory", given))
    assert (refused.code.label, refused.field) == ("unknown_field", field)
    known = "importance_min, content_type, include_expired, limit, min_relevance" if "." in field else "query, limit"
    assert refused.message.startswith(f"{field}: there is no such field; the fields are ")
    assert known in refused.message


def test_a_text_with_half_a_character_is_refused_and_its_field_named(memory: Commonplace, tmp_path: Path) -> None:
    half = "ana\ud800"
    at: list[tuple[str, Callable[[], object]]] = [
        ("user_id", lambda: Commonplace(tmp_path / "m.db", user_id=half)),
        ("agent_id", lambda: Commonplace(tmp_path / "m.db", user_id="ana", agent_id=half)),
        ("path", lambda: Commonplace(tmp_path / half)),
        ("dir", lambda: memory.write_markdown(tmp_path / half)),
        ("turns.0.content", lambda: memory.import_turns([{"role": "user", "content": f"I like tea {half}"}])),
        ("\\ud800", lambda: memory.call("search_memory", {"query": "tea", "\ud800": 1})),
        ("query", lambda: memory.call("search_memory", {"query": half})),
    ]
    for field, call in at:
        with pytest.raises(CommonplaceError) as refused:
            call()
        assert 400 <= refused.value.code.status < 500
        assert (refused.value.field or "").startswith(field)
        json.dumps(refused.value.body(), ensure_ascii=False).encode()


def test_a_number_that_no_store_can_keep_is_refused_in_an_export(memory: Commonplace) -> None:
    memory.store_memory("I like tea")
    (record,) = memory.export()
    for name in ("position", "version", "access_count"):
        with pytest.raises(CommonplaceError, match="must be at most") as refused:
            memory.import_records([{**record, "memory_id": "mem_new", name: 10**4_400}], apply=True)
        assert refused.value.field == f"records.0.{name}"


def test_a_mistake_of_ours_is_logged_by_kind_and_place_without_words(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("I like tea, and nobody may know")

    monkeypatch.setattr(dispatch, "use_case", lambda _: broken)
    status, _ = memory.answer("store_memory", {"content": "I like tea"})
    (record,) = caplog.records
    told = logging.Formatter().format(record)
    assert status == 500
    assert "RuntimeError" in told
    assert "test_storing:" in told
    assert "tea" not in told
