"""The law of imports: each word of what is imported is in a memory, in a tag, or in a passage that is counted by its reason."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.domain.taxonomy import ImportKind
from commonplace.importing.kinds import CONVERSATIONS, OWN, READERS
from commonplace.use_cases.left_out import words_of
from tests.fuzz.conftest import open_file
from tests.fuzz.effort import MARKS, examples

pytestmark = MARKS
_PLAIN = (
    "tea cello Porto I drink play live in the my sister leaks at #7 #812 #ff8800 #B4 #tag #zwei#drei C++ C# 1984. 3. js"
    " go_live Café Grüße 日本 AT&T (aside) [x] [kind] - # > ``` ~~~ <b> <a_b c> --- ... x² ½ naïve e\u0301 ﬁne [[Link]] a:b"
).split()
_TIME = "2025-03-01T10:00:00Z"
_GAPS = (
    " ",
    " ",
    " ",
    " ",
    "\n",
    "\n\n",
    "\n- ",
    "\n# ",
    "\n1. ",
    "\n2. ",
    "\n12. ",
    "\n\n---\n",
    "\t",
    "\u2028",
    "\x1f",
    "\\n",
)


@st.composite
def texts(draw: st.DrawFn, *, most: int = 12) -> str:
    """A text in which each word counts, and among them what notes are made of."""
    words = draw(st.lists(st.one_of(st.sampled_from(_PLAIN), _made), min_size=1, max_size=most))
    return "".join(part for word in words for part in (word, draw(st.sampled_from(_GAPS))))


_made = st.text(st.sampled_from("aeiouklmnrst"), min_size=3, max_size=8).map(lambda word: f"{word}q")
_lines = texts(most=5).map(lambda text: " ".join(text.split()))
_values = st.recursive(
    _lines, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_made, inner, max_size=3), max_leaves=4
)
_odd = st.one_of(st.none(), st.just(""), st.integers(0, 9), _lines, st.lists(_lines, max_size=3), _values)
_times = st.one_of(st.none(), st.just(_TIME), _lines)
_ids = st.sampled_from(["a1", "b2", "c3", "d4"])
_more = st.dictionaries(_made, _values, max_size=2)


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of the fields, and others that no store has."""
    return st.builds(lambda found, more: {**more, **found}, some(**fields), _more)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


def listed(entry: st.SearchStrategy[Any], *keys: str) -> st.SearchStrategy[Any]:
    """A list of entries, some of which are none, alone or in an object with other parts."""
    entries = st.lists(st.one_of(entry, entry, entry, _odd), min_size=1, max_size=4)
    wholes = [st.builds(lambda found, more, key=key: {**more, key: found}, entries, _more) for key in keys]
    return st.one_of(entries, *wholes)


def _chatgpt(
    messages: list[dict[str, Any]], shown: int, title: Any, kind: str, hidden: bool, other: dict[str, Any]
) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for number, one in enumerate(messages):
        content = {
            "content_type": kind if number == 1 else "text",
            "parts": [one.get("said", ""), *([one] if number == 2 else [])],
        }
        more = {"is_visually_hidden_from_conversation": hidden and number == 0, **(other if number == 1 else {})}
        message = {"author": {"role": one.get("role")}, "content": content, "create_time": 1.7e9 + number, "metadata": more}
        mapping[f"n{number}"] = {"parent": f"n{number - 1}", "message": message}
    return {
        **other,
        "id": "c1",
        "title": title,
        "create_time": 1.7e9,
        "mapping": mapping,
        "current_node": f"n{min(shown, len(messages) - 1)}",
    }


_TURN = objects(
    session_id=_ids, position=st.integers(0, 9), speaker=st.sampled_from(["user", "assistant", "Kim"]), text=_odd, event_time=_times
)  # fmt: skip
_MESSAGE = objects(
    role=st.sampled_from(["user", "assistant", "system", "tool", "developer"]), created_at=_times, tool_calls=_values,
    content=st.one_of(_odd, texts(), st.lists(some(type=st.sampled_from(["text", "image_url"]), text=texts(), image_url=_lines))),
)  # fmt: skip
_MEMORY = objects(
    id=_ids, memory=_odd, data=_odd, text=_odd, categories=_odd, metadata=_values, created_at=_times, updated_at=_times, role=_odd,
    hash=st.just("1a79a4d60de6718e"), input=_values, expiration_date=_times,
)  # fmt: skip
_EDGE = objects(
    uuid=_ids, fact=_odd, name=_odd, attributes=_values, valid_at=_times, invalid_at=_times, reference_time=_times,
    expired_at=_times, created_at=_times, fact_embedding=st.just([0.5, 1e-3]), source_node_uuid=_made,
)  # fmt: skip
_BLOCK = objects(id=_ids, label=_lines, value=st.one_of(texts(), _odd), description=_odd, metadata=_values)
_PASSAGE = objects(
    id=_ids, text=_odd, tags=_odd, metadata=_values, metadata_=_values, embedding_config=_values, created_at=_times
)
_ITEM = objects(namespace=st.just(["memories", "ana"]), key=_ids, value=_values, created_at=_times, updated_at=_times)
_RECORD = objects(
    memoryRecordId=_ids, content=st.one_of(_values, st.builds(lambda text: {"text": text}, texts())), memoryStrategyId=_made,
    namespaces=st.just(["/actors/ana"]), createdAt=_times, metadata=st.dictionaries(_made, st.builds(lambda s: {"stringValue": s}, _lines)),
)  # fmt: skip
_NODE = st.one_of(
    objects(type=st.just("entity"), name=_lines, entityType=_odd, observations=_odd),
    objects(type=st.just("relation"), **{"from": _lines, "to": _lines, "relationType": _lines}),
)
_SAID = st.lists(some(role=st.sampled_from(["user", "assistant", "tool", "system"]), said=texts()), max_size=4)
_TALK = st.builds(_chatgpt, _SAID, st.integers(0, 3), _lines, st.sampled_from(["text", "code"]), st.booleans(), _more)
_PART = some(type=st.sampled_from(["text", "tool_use"]), text=texts())
_CLAUDE_MESSAGE = some(
    sender=st.sampled_from(["human", "assistant", "tool"]), text=texts(), attachments=_values, content=st.lists(_PART, max_size=2)
)  # fmt: skip
_CLAUDE = objects(
    uuid=_ids, name=_lines, summary=texts(), created_at=st.just(_TIME),
    chat_messages=st.lists(st.one_of(_CLAUDE_MESSAGE, _CLAUDE_MESSAGE, _odd), max_size=4),
)  # fmt: skip
JSON: dict[ImportKind, st.SearchStrategy[Any]] = {
    "mem0": listed(_MEMORY, "results"),
    "zep": listed(_EDGE, "edges"),
    "graphiti": listed(_EDGE, "edges"),
    "letta": st.one_of(
        listed(_PASSAGE, "passages"),
        objects(blocks=st.lists(_BLOCK, max_size=3), messages=_values, core_memory=listed(_BLOCK)),
    ),
    "langgraph": listed(_ITEM, "items"),
    "agentcore": st.one_of(
        listed(_RECORD, "memoryRecordSummaries"), st.lists(listed(_RECORD, "memoryRecordSummaries"), max_size=2)
    ),
    "mcp-memory": st.one_of(listed(_NODE), objects(entities=st.lists(_NODE), relations=st.lists(_NODE))),
    "turns": listed(_TURN, "turns"),
    "messages": st.one_of(
        listed(_MESSAGE, "messages"), st.lists(objects(messages=st.lists(_MESSAGE)), min_size=1, max_size=2)
    ),
    "chatgpt": st.lists(_TALK, min_size=1, max_size=2),
    "claude": st.lists(st.one_of(_CLAUDE, _odd), min_size=1, max_size=2),
}
_HEAD = st.dictionaries(st.one_of(_made, st.sampled_from(["title", "tags", "created", "date", "note"])), _lines, max_size=4)
_NOTE = st.builds(
    lambda heads, blank, text: "".join(f"---\n{_fields(head)}---\n{blank}" for head in heads) + text,
    st.lists(_HEAD, max_size=2), st.sampled_from(["", "\n"]), texts(most=40),
)  # fmt: skip
_OBSERVED = st.lists(st.one_of(
    texts(), st.builds(lambda kind, text, tags: f"\n- [{kind}] {text} {tags}\n", _made, _lines, st.sampled_from(["", "#a #b", "(so)", "PR #9"])),
    st.builds(lambda kind, target, context: f"\n- {kind} [[{target}]] ({context})\n", _made, _made, _lines),
), max_size=4).map("".join)  # fmt: skip
NOTES: dict[ImportKind, st.SearchStrategy[str]] = {
    "markdown": _NOTE,
    "anthropic-memory": _NOTE,
    "basic-memory": st.builds(lambda note, more: note + more, _NOTE, _OBSERVED),
}


def _fields(head: dict[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in head.items())


_NO_WORDS = set(
    "id uuid key session_id memoryRecordId namespace namespaces hash type role sender content_type parent current_node".split()
)


def leaves(value: Any) -> Iterator[str]:
    """All texts of a JSON value; ids are none."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from () if name in _NO_WORDS else leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, str) and value != _TIME and not re.fullmatch(r"[\d\s.:+/-]*", value):  # a time, a figure
        yield value


def _structure(said: set[str]) -> set[str]:
    """What numbers a list, and ticks a task off."""
    return {word for word in said if word.isdigit() or word == "x"}


def check(folder: Path, name: str, write: Callable[[Path], object], kind: ImportKind, said: set[str]) -> None:
    """Imports a file, and holds what was said against what came of it."""
    file = folder / name
    write(file)
    with open_file(folder / "memory.db") as memory:
        path = file if kind in JSON else folder / "memories"
        streamed = memory.import_from(path, kind).left_out
        plan = memory.import_from(path, kind, listed=None)
        done = memory.import_from(path, kind, apply=True)
        records = [*memory.export()]
    assert plan.left_out == done.left_out == Counter(one.reason for one in plan.passages)
    assert streamed == plan.left_out
    fields = ("raw_text", "user_note", "evidence", "speaker")
    kept = [one[field] or "" for one in records for field in fields] + [" ".join(one["tags"]) for one in records]
    told = [one.text for one in plan.passages]
    assert not said - words_of(" ".join([*kept, *told])), (said, kept, plan.passages)


@pytest.mark.sample
def test_the_law_is_held_for_each_kind() -> None:
    assert {*JSON, *NOTES} == {*READERS, *CONVERSATIONS} - {OWN}


@pytest.mark.parametrize("kind", JSON)
@examples(4)
@given(data=st.data())
def test_no_word_of_an_export_is_lost(
    tmp_path_factory: pytest.TempPathFactory, kind: ImportKind, data: st.DataObject
) -> None:
    value = data.draw(JSON[kind])
    in_lines = kind not in CONVERSATIONS and isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict)
    text = "\n".join(map(json.dumps, value)) if in_lines and data.draw(st.booleans()) else json.dumps(value)
    said = words_of(" ".join(leaves(value)))
    said -= _structure(said) if kind == "letta" else {"user", "assistant"} if kind == "turns" else set()
    check(tmp_path_factory.mktemp("law"), "given.json", lambda file: file.write_text(text, "utf-8"), kind, said)


@pytest.mark.parametrize("kind", NOTES)
@examples(5)
@given(data=st.data())
def test_no_word_of_a_note_is_lost(tmp_path_factory: pytest.TempPathFactory, kind: ImportKind, data: st.DataObject) -> None:
    text = data.draw(NOTES[kind])
    folder = tmp_path_factory.mktemp("law")
    (folder / "memories").mkdir()
    ending = data.draw(st.sampled_from([".md", ".xml"] if kind == "anthropic-memory" else [".md"]))
    said = words_of(text) - {"title", "tags", "created", "date", "note"}
    said -= _structure(said)
    check(folder, f"memories/a{ending}", lambda file: file.write_text(text, "utf-8"), kind, said)


@examples(5)
@given(
    events=st.lists(
        st.tuples(
            _ids, st.one_of(st.none(), _lines), st.one_of(st.none(), _lines), st.sampled_from(["ADD", "UPDATE", "DELETE"])
        )
    )
)
def test_no_word_of_a_history_is_lost(tmp_path_factory: pytest.TempPathFactory, events: list[tuple[Any, ...]]) -> None:
    def write(file: Path) -> None:
        with closing(sqlite3.connect(file)) as history, history:
            history.execute(
                "CREATE TABLE history (id, memory_id, old_memory, new_memory, event, created_at, updated_at, is_deleted, actor_id, role)"
            )
            history.executemany("INSERT INTO history (memory_id, old_memory, new_memory, event) VALUES (?, ?, ?, ?)", events)

    said = words_of(" ".join(one for event in events for one in event[1:3] if one))
    check(tmp_path_factory.mktemp("law"), "history.db", write, "mem0", said)
