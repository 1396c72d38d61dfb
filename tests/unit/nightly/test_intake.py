"""The intake: what is recorded, refused, redacted and cut, over a ledger in memory."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.fields import MAX_TEXT
from commonplace.domain.interactions import INTERACTION, Discussion, Explicit, Interaction, Message, RecordResult
from commonplace.nightly import given_interactions
from commonplace.nightly.given_interactions import MAX_CHARACTERS, MAX_MESSAGES
from commonplace.nightly.intake import record_interactions, split_text
from commonplace.ports.values import Caller
from commonplace.text.redaction import redact

BERLIN = ZoneInfo("Europe/Berlin")
CALLER = Caller("local|ana", datetime(2026, 5, 20, 23, 0, tzinfo=BERLIN))
AT = "2026-05-20T09:00:00"


class Ledger:
    """Keeps what is recorded, the first of each id. `last`: so many of the first call are kept before it dies."""

    def __init__(self, last: int | None = None) -> None:
        self.kept: dict[str, Interaction] = {}
        self._last = last

    def record(self, _user_id: str, interactions: Sequence[Interaction], _at: datetime) -> list[bool]:
        last, self._last = self._last, None
        new = []
        for one in interactions if last is None else interactions[len(interactions) - last :]:
            new.append(one.id not in self.kept)
            self.kept.setdefault(one.id, INTERACTION.validate_json(INTERACTION.dump_json(one)))
        if last is not None:
            raise ConnectionError
        return new

    def entries(self, _user_id: str, interaction_ids: Sequence[str]) -> list[Any]:
        found = [(name, self.kept[name]) for name in interaction_ids if name in self.kept]
        return [SimpleNamespace(interaction_id=name, interaction=one, messages=0) for name, one in found]

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"recording needs no {name}")


def record(*interactions: Any) -> tuple[RecordResult, dict[str, Any]]:
    ledger = Ledger()
    return record_interactions(interactions, CALLER, ledger), ledger.kept


def talk(*messages: tuple[str, str], **more: Any) -> dict[str, Any]:
    said = [{"role": role, "content": content} for role, content in messages]
    return {"type": "discussion", "id": "d", "time": AT, "messages": said, **more}


WISH = {"type": "explicit", "id": "w", "time": AT, "text": "Remember that I prefer metric units."}
SAVE = {"type": "save", "id": "s", "time": AT, "post_title": "How PostgreSQL vacuums"}
LIKE = {"type": "reaction", "id": "r", "time": AT, "post_id": "p1", "reaction": "like", "title": "Bread in a cold oven"}


def test_each_kind_is_recorded() -> None:
    result, kept = record(talk(("user", "I live in Berlin.")), WISH, SAVE, LIKE)
    assert result == RecordResult(recorded=4, known=0, refused=[], redacted=[])
    assert set(kept) == {"d", "w", "s", "r"}


def without(one: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in names}


def test_without_a_time_it_was_now() -> None:
    _, kept = record(without(WISH, "time"), {**SAVE, "time": None})
    assert {one.time for one in kept.values()} == {CALLER.now}


def test_without_an_id_the_same_call_again_is_known_but_not_on_another_day_or_for_another_user() -> None:
    ledger, nameless = Ledger(), without(WISH, "id", "time")
    later = replace(CALLER, now=CALLER.now + timedelta(hours=1, minutes=1))
    calls = [(CALLER, 1), (CALLER, 0), (replace(CALLER, now=CALLER.now - timedelta(hours=9)), 0), (later, 1)]
    assert [record_interactions([nameless], who, ledger).recorded for who, _ in calls] == [new for _, new in calls]
    assert record_interactions([nameless], replace(CALLER, user_id="local|bea"), ledger).recorded == 1


def test_without_an_id_the_same_again_within_a_call_is_another_and_what_is_refused_counts_for_none() -> None:
    ledger, nameless = Ledger(), without(WISH, "id")
    assert record_interactions([nameless, {**nameless, "text": 7}, nameless], CALLER, ledger).recorded == 2
    again = record_interactions([{**nameless, "text": "Remember that I swim."}, nameless, nameless], CALLER, ledger)
    assert (again.recorded, again.known) == (1, 2)


def test_an_id_that_was_made_tells_nothing_of_a_secret() -> None:
    _, first = record({"type": "explicit", "text": "Remember my bike. The PIN of my card is 4471."})
    _, second = record({"type": "explicit", "text": "Remember my bike. The PIN of my card is 4472."})
    assert set(first) == set(second)


def test_a_page_is_read_or_is_the_transcript_of_a_talk() -> None:
    page = {"type": "page", "id": "p", "time": AT, "url": "https://example.org/a", "platform": "web"}
    _, kept = record({**page, "text": "\n# Bread in a cold oven\n\nI have been baking since 1990."})
    assert kept["p"].model_dump(include={"type", "post_id", "reaction", "title"}) == {
        "type": "reaction", "post_id": "https://example.org/a", "reaction": "read on web", "title": "Bread in a cold oven",
    }  # fmt: skip
    _, kept = record({**page, "text": "You said:\nI bake bread.\nIn a cold oven.\n\nChatGPT said:\nNice."})
    assert kept["p"].messages == (
        Message(role="user", content="I bake bread.\nIn a cold oven."), Message(role="assistant", content="Nice."),
    )  # fmt: skip
    result, _ = record({**page, "text": "x" * (MAX_CHARACTERS + 1)}, {**page, "text": "..."}, without(page, "url"))
    assert [one.field for one in result.refused] == ["text", "text", "text"]


@pytest.mark.parametrize(
    "text",
    [
        "An interview with a machine\n\nUser: I am a vegan.\nAssistant: Nice.",
        "Assistant: I am a vegan.\nBot: So am I.",
        "Users: 400 a day\nAI: none",
        "I am a vegan.",
    ],
)
def test_nobody_on_another_page_is_the_user(text: str) -> None:
    _, kept = record({"type": "page", "id": "p", "time": AT, "text": text})
    assert kept["p"].type == "reaction"


def test_the_same_id_again_is_known_and_the_first_stays() -> None:
    result, kept = record(WISH, {**WISH, "text": "Remember nothing."}, {**SAVE, "id": "w"})
    assert (result.recorded, result.known) == (1, 2)
    assert kept["w"].text == WISH["text"]


def test_a_time_without_an_offset_is_in_the_users_zone() -> None:
    _, kept = record(WISH, {**SAVE, "time": "2026-05-20T09:00:00Z"})
    assert kept["w"].time == datetime(2026, 5, 20, 9, 0, tzinfo=BERLIN)
    assert kept["s"].time == datetime(2026, 5, 20, 11, 0, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("malformed", "identity", "field"),
    [
        (7, None, None),
        ({}, None, "type"),
        ({**WISH, "type": "poem"}, "w", "type"),
        ({**WISH, "type": ["explicit"]}, "w", "type"),
        ({**WISH, "id": 7}, None, "id"),
        ({**WISH, "id": ""}, "", "id"),
        ({**WISH, "id": "w\ud83d"}, "w\\ud83d", "id"),
        ({**WISH, "id": "w\ud83d", "mood": "good"}, "w\\ud83d", "id"),
        ({**WISH, "type": "\ud83d"}, "w", "type"),
        ({**WISH, "\ud83d": 1}, "w", "\\ud83d"),
        ({**WISH, "time": "yesterday"}, "w", "time"),
        ({**WISH, "time": "0001-01-01T00:00:00+14:00"}, "w", "time"),
        ({**WISH, "time": "9999-12-31T23:59:59-14:00"}, "w", "time"),
        ({**WISH, "text": None}, "w", "text"),
        ({**WISH, "text": "a\x00b"}, "w", "text"),
        ({**WISH, "mood": "good"}, "w", "mood"),
        ({**SAVE, "post_title": "x" * 1_001}, "s", "post_title"),
        ({"type": "reaction", "id": "r", "time": AT, "post_id": "p", "title": "t"}, "r", "reaction"),
        (talk(("narrator", "Once upon a time")), "d", "messages"),
        (talk(("system", "You are a helpful assistant."), ("tool", "sunny"), ("user", " ")), "d", "messages"),
        ({**talk(), "messages": [{"role": "user", "content": None}]}, "d", "messages"),
        ({**talk(), "messages": [{"role": "user", "content": [{"image": {"format": "png"}}]}]}, "d", "messages"),
        ({**talk(), "messages": [{"role": "user", "content": 7}]}, "d", "messages.0.content"),
        ({**talk(), "messages": [{"content": "I live in Oslo."}]}, "d", "messages.0.role"),
        ({**talk(), "messages": ["I live in Oslo."]}, "d", "messages.0"),
        (talk(*[("tool", "sunny")] * MAX_MESSAGES, ("user", "hi")), "d", "messages"),
        (talk(), "d", "messages"),
        (talk(("user", "x" * (MAX_CHARACTERS + 1))), "d", "messages"),
        (talk(*[("user", "hi")] * (MAX_MESSAGES + 1)), "d", "messages"),
    ],
    ids=str,
)  # fmt: skip
def test_a_malformed_one_is_refused_on_its_own_by_its_field(malformed: Any, identity: str | None, field: str | None) -> None:
    result, kept = record(malformed, SAVE if identity != "s" else WISH)
    assert (result.recorded, len(kept), len(result.refused)) == (1, 1, 1)
    assert (result.refused[0].id, result.refused[0].field) == (identity, field)
    assert "x" * 50 not in result.refused[0].message
    assert json.loads(result.model_dump_json()) == result.model_dump(mode="json")


OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "The user lives in Oslo."},
    {"role": "developer", "content": [{"type": "text", "text": "Answer briefly."}]},
    {"role": "user", "name": "ana", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, {"type": "text", "text": "I live in Bergen."},
    ]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function"}], "refusal": None},
    {"role": "tool", "tool_call_id": "call_1", "content": '{"sky": "clear"}'},
    {"role": "function", "name": "weather", "content": "clear"},
    {"role": "assistant", "content": "It is clear there."},
]  # fmt: skip
BEDROCK: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": "I live in Bergen."}, {"text": "How is the weather?"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "weather", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"text": "I live in Oslo."}]}}]},
    {"role": "assistant", "content": [{"reasoningContent": {}}, {"text": "It is clear there."}]},
]


@pytest.mark.parametrize(
    ("messages", "said", "skipped"),
    [
        (OPENAI, [("user", "I live in Bergen."), ("assistant", "It is clear there.")], [
            (0, "system", "not said by the user or the assistant"), (1, "developer", "not said by the user or the assistant"),
            (2, "user", "contains more than text: image_url"), (3, "assistant", "contains no text"),
            (4, "tool", "not said by the user or the assistant"), (5, "function", "not said by the user or the assistant"),
        ]),
        (BEDROCK, [("user", "I live in Bergen.\nHow is the weather?"), ("assistant", "It is clear there.")], [
            (1, "assistant", "contains no text, only toolUse"), (2, "user", "contains no text, only toolResult"),
            (3, "assistant", "contains more than text: reasoningContent"),
        ]),
        ([{"role": "USER", "content": [{"type": "input_text", "text": "Hi!"}, "I live in Bergen."]},
          {"role": "assistant", "content": [{"type": "text", "text": {"value": "Fine.", "annotations": []}}]}],
         [("user", "Hi!\nI live in Bergen."), ("assistant", "Fine.")], []),
    ],
    ids=["OpenAI", "Bedrock", "others"],
)  # fmt: skip
def test_of_a_log_what_the_user_and_the_assistant_say_is_read_and_the_rest_is_told(
    messages: list[dict[str, Any]], said: list[tuple[str, str]], skipped: list[tuple[int, str, str]]
) -> None:
    result, kept = record({**talk(), "messages": messages})
    assert (result.recorded, result.refused) == (1, [])
    assert [(one.role, one.content) for one in kept["d"].messages] == said
    assert [(one.id, one.index, one.role, one.reason) for one in result.skipped] == [("d", *one) for one in skipped]


def test_secrets_are_taken_out_of_every_role_with_the_message_before_in_view() -> None:
    result, kept = record(
        talk(
            ("assistant", "What's the gate code?"),
            ("user", "four four seven one"),
            ("assistant", "Your password is hunter2hunter2, right?"),
        )
    )
    said = [message.content for message in kept["d"].messages]
    assert "four seven" not in said[1]
    assert "hunter2hunter2" not in said[2]
    assert result.redacted


def test_without_the_question_before_it_is_a_number_like_any_other() -> None:
    result, kept = record(talk(("assistant", "How many are you?"), ("user", "four")))
    assert kept["d"].messages[1].content == "four"
    assert result.redacted == []


KEY = "ghp_" + "aB3dE5gH7jK9" * 3  # made up


@pytest.mark.parametrize(
    "hiding",
    [
        {**WISH, "text": f"my key is {KEY}"},
        {**SAVE, "post_title": f"key {KEY}"},
        {**SAVE, "post_id": KEY},
        {**LIKE, "title": f"key {KEY}"},
        {**LIKE, "post_id": KEY},
        {**LIKE, "reaction": KEY},
        {**WISH, "id": KEY},
        talk(("user", "hi"), article_title=f"key {KEY}"),
    ],
    ids=str,
)
def test_no_field_keeps_a_secret(hiding: dict[str, Any]) -> None:
    result, kept = record(hiding)
    assert result.recorded == 1
    assert result.redacted
    (one,) = kept.values()
    assert KEY not in one.model_dump_json()


def test_an_id_that_is_a_secret_is_known_the_second_time() -> None:
    result, _ = record({**WISH, "id": KEY}, {**WISH, "id": KEY}, {**WISH, "id": f"{KEY}B"})
    assert (result.recorded, result.known) == (2, 1)


@pytest.mark.parametrize("identity", ["1df6b6ec-ed8a-4c90-8b9a-680b37289bef", "507f1f77bcf86cd799439011", "2026-05-20/1"])
def test_an_ordinary_id_stays(identity: str) -> None:
    _, kept = record({**WISH, "id": identity})
    assert set(kept) == {identity}


def test_what_is_only_a_secret_is_recorded_redacted() -> None:
    result, kept = record({**WISH, "text": KEY})
    assert result.recorded == 1
    assert kept["w"].text.startswith("[redacted:")


def test_a_title_that_grew_by_its_redaction_can_be_read_again() -> None:
    title = " ".join(f"pw: Xk{number}9!qLm" for number in range(90))[:1_000]
    result, _ = record({**SAVE, "post_title": title})
    assert result.recorded == 1


def test_long_messages_are_split() -> None:
    long = "I like tea. " * 2_000
    _, kept = record(talk(("user", long), ("assistant", "ok")))
    found = kept["d"]
    assert isinstance(found, Discussion)
    assert all(len(message.content) <= MAX_TEXT for message in found.messages)
    assert "".join(message.content for message in found.messages[:-1]) == long
    assert [message.role for message in found.messages] == ["user"] * (len(found.messages) - 1) + ["assistant"]


def test_a_long_wish_becomes_several_and_is_known_as_one() -> None:
    long = {**WISH, "text": "remember this " * 1_500}
    result, kept = record(long, long)
    assert (result.recorded, result.known) == (1, 1)
    assert all(isinstance(one, Explicit) and len(one.text) <= MAX_TEXT for one in kept.values())
    assert "".join(one.text for one in kept.values()) == long["text"]


LONG = {**WISH, "text": "".join(f"I was at place {number}. " for number in range(1_200))}
OTHER = {**WISH, "text": LONG["text"][:9_000] + "And I play the cello. " * 800}


def kept_text(kept: dict[str, Interaction]) -> str:
    return "".join(one.text for one in sorted(kept.values(), key=lambda one: one.id) if isinstance(one, Explicit))


@pytest.mark.parametrize("first", [WISH, LONG, SAVE | {"id": "w"}], ids=["short", "long", "another kind"])
@pytest.mark.parametrize("again", [LONG, OTHER], ids=["long", "other"])
@pytest.mark.parametrize("together", [True, False])
def test_of_a_long_one_whose_id_is_known_nothing_is_recorded(first: Any, again: Any, together: bool) -> None:
    ledger, (_, alone) = Ledger(), record(first)
    calls = [[first, again]] if together else [[first], [again]]
    results = [record_interactions(call, CALLER, ledger) for call in calls]
    assert (sum(one.recorded for one in results), sum(one.known for one in results)) == (1, 1)
    assert ledger.kept == alone


def test_a_text_that_only_begins_like_the_known_one_is_another() -> None:
    begun = split_text(LONG["text"])[0]  # whole as it is, and the first piece of the longer one
    result, kept = record({**WISH, "text": begun}, LONG)
    assert (result.recorded, result.known) == (1, 1)
    assert kept_text(kept) == begun


@pytest.mark.parametrize(
    ("one", "other"),
    [("x" * 120 + "a", "x" * 120 + "b"), ("n/2", "n"), ("n", "n/2"), ("x" * 128, "x" * 127)],
    ids=["alike", "before", "after", "longest"],
)
def test_no_piece_has_the_id_of_another_interaction(one: str, other: str) -> None:
    result, kept = record({**LONG, "id": one}, {**LONG, "id": other}, {**WISH, "id": "n/3"})
    assert (result.recorded, result.known) == (3, 0)
    assert len(kept) == 2 * len(split_text(LONG["text"])) + 1
    assert all(len(name) <= 128 for name in kept)


@pytest.mark.parametrize("last", range(4))
def test_one_that_died_between_two_pieces_is_whole_after_a_repeat(last: int) -> None:
    ledger = Ledger(last)
    with pytest.raises(ConnectionError):
        record_interactions([LONG], CALLER, ledger)
    assert record_interactions([LONG], CALLER, ledger).recorded == 1
    assert kept_text(ledger.kept) == LONG["text"]


def test_one_that_died_between_two_pieces_leaves_its_id_to_another_text() -> None:
    ledger = Ledger(2)
    with pytest.raises(ConnectionError):
        record_interactions([LONG], CALLER, ledger)
    assert record_interactions([OTHER, LONG], CALLER, ledger).recorded == 1
    assert set(record(OTHER)[1]) <= set(ledger.kept)


@given(st.text(alphabet=st.sampled_from("ab \n日"), max_size=3 * MAX_TEXT))
def test_pieces_make_up_the_text_again(text: str) -> None:
    cut = split_text(text)
    assert "".join(cut) == text
    assert all(len(piece) <= MAX_TEXT for piece in cut)


def test_what_was_come_to_before_a_stop_is_kept_and_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, read = Ledger(), list[str]()
    long = "I was at the market. " * 3_000

    def counted(text: str, before: str | None = None) -> Any:
        if len(text) > 50:
            read.append(text)
        if len(read) == 4:
            raise KeyboardInterrupt
        return redact(text, before)

    monkeypatch.setattr(given_interactions, "redact", counted)
    said = [talk(("user", long), id=f"talk-{number}") for number in range(6)]
    with pytest.raises(KeyboardInterrupt):
        record_interactions(said, CALLER, ledger)
    read.append("the stop")
    result = record_interactions(said, CALLER, ledger)
    assert (result.recorded, result.known) == (4, 2)
    assert len(read) == 4 + 1 + 4


def test_the_answer_to_a_question_for_a_secret_is_kept_out_of_the_next_interaction() -> None:
    question = {**WISH, "id": "q", "text": "what's the wifi password?"}
    result, kept = record(question, {**WISH, "id": "a", "text": "hunter2horse"}, WISH)
    assert result.redacted == ["password"]
    assert "hunter2horse" not in str(kept)
    assert kept["w"].text == WISH["text"]
