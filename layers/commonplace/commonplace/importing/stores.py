"""Read exports from mem0, Zep, Graphiti, Letta, LangGraph, AgentCore and the MCP memory server, and mem0's database."""

import re
import sqlite3
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import groupby, pairwise
from typing import Any

from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.imports import ForeignFact, Unread, merged_fields
from commonplace.domain.strict_json import read_json
from commonplace.domain.taxonomy import Source as Who
from commonplace.importing.entries import JsonText, ReadEntries, ReadEntry, as_line, each, in_pages, objects, unused_fields
from commonplace.importing.notes import digest, statements
from commonplace.importing.sources import Source
from commonplace.use_cases.left_out import words_of

MEM0, GRAPH, LANGGRAPH = ("results", "memories"), ("edges", "facts", "results"), ("items",)
AGENTCORE, _SINGLE = ("memoryRecordSummaries", "memoryRecords"), "memoryRecord"
BLOCKS, PASSAGES = ("core_memory", "blocks"), ("passages", "archival_memory")
DELETED = "a memory that was deleted there"
HISTORY = "history.db"
"""The file in mem0's folder that contains the memories and their earlier wordings."""
_SOURCES: Mapping[str, Who] = {"user": "user", "assistant": "agent", "system": "system"}
_WORDS = ("content", "text", "memory", "data", "fact", "preference")
"""The fields that may contain a value's text. If a value has none of these, its text consists of all fields."""
_MEM0 = {"id", "categories", "created_at", "expiration_date", "metadata", "hash", "score", "updated_at"}
_MEM0 |= {"text_lemmatized", "input"}
_EVENTS = """SELECT memory_id, new_memory, event = 'DELETE' OR coalesce(is_deleted, 0), coalesce(updated_at, created_at),
role, actor_id, old_memory FROM history ORDER BY memory_id, coalesce(updated_at, created_at), rowid"""
_EDGE = {"uuid", "fact", "name", "created_at", "valid_at", "invalid_at", "expired_at", "reference_time", "attributes"}
_EDGE |= {"fact_embedding", "score", "relevance", "source_node_uuid", "target_node_uuid", "hyperedge_uuid"}
_PASSAGE = {"id", "text", "tags", "created_at", "metadata", "metadata_", "embedding", "embedding_config", "organization_id"}
_PASSAGE |= {"is_deleted", "created_by_id", "last_updated_by_id"}
_ITEM = {"namespace", "key", "value", "created_at", "createdAt", "updated_at", "updatedAt", "score"}
_RECORD = {"memoryRecordId", "content", "namespaces", "createdAt", "metadata", "score", "memoryStrategyId"}
_ENTITY, _RELATION = {"type", "name", "entityType", "observations"}, {"type", "from", "to", "relationType"}

# In a namespace, the part after one of `_PERSON_WORDS` is a person's name. The part after one of `_OTHER_WORDS` isn't.
_PERSON_WORDS = re.compile(r"users?|actors?|people|persons?|customers?", re.IGNORECASE)
_OTHER_WORDS = re.compile(r"strateg(y|ies)|sessions?|threads?|runs?|agents?|assistants?|projects?|tenants?", re.IGNORECASE)
_NOUNS = re.compile(
    r"((user|agent|chat|core|personal|(long|short)[-_]?term)[-_]?)?(memor(y|ies)|profiles?|facts?|preferences?|summar(y|ies)|notes?"
    r"|todos?|tasks?|instructions?|history|documents?|settings?|conversations?|messages?|chats?|events?|goals?|knowledge|context"
    r"|collections?|data|info|general|work|private|personal|semantic|procedural|episod(e|ic|es)|store|default)|[\d\W]*",
    re.IGNORECASE,
)
_Place = tuple[int, int]  # the length of a namespace, and the position of a part in it
_NUMBER = re.compile(r"(?=.*\d)[\d\W]+|[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}", re.IGNORECASE)


def read_entries(read: ReadEntry, keys: Sequence[str], source: Source) -> ReadEntries:
    """Read each entry in a file with `read`. `keys` names the fields that contain entries. Other fields are `Unread`."""
    return each(in_pages(source, *keys), read)


def read_mem0(source: Source) -> ReadEntries:
    """Yield memories from mem0 or OpenMemory with categories, times and metadata. Earlier wordings become closed memories."""
    if source.is_folder or source.is_database:
        return _read_database(source)
    return each(map(_replace_deleted, in_pages(source, *MEM0)), _parse_mem0)


def _replace_deleted(entry: Any) -> Any:
    """Return an `Unread` for a memory that was deleted in OpenMemory, or any other entry unchanged."""
    is_deleted = isinstance(entry, Mapping) and entry.get("state") == "deleted"
    return Unread(str(entry.get("id") or "entry"), DELETED, entry.get("content")) if is_deleted else entry


def read_mcp_memory(source: Source) -> ReadEntries:
    """Yield the observations and relations in the MCP memory server's file, or in the result of its tool `read_graph`."""
    whole = _load_object(source)
    if not {"entities", "relations"} & whole.keys():
        yield from read_entries(_read_node, (), source)
        return
    for kind, name in (("entity", "entities"), ("relation", "relations")):
        listed = objects(whole.get(name) or [])
        yield from each([{"type": kind, **item} if isinstance(item, Mapping) else item for item in listed], _read_node)
    yield from unused_fields(whole, "entities", "relations")


def read_letta(source: Source) -> ReadEntries:
    """Yield the passages in an agent file, and the statements in its memory blocks. Messages and tools are skipped."""
    whole = _load_object(source)
    lists = [name for name in (*BLOCKS, *PASSAGES) if isinstance(whole.get(name), list)]
    if not (lists or "agents" in whole):
        yield from read_entries(_parse_passage, (), source)
        return
    agents = whole.get("agents")
    agent = next((agent for agent in agents if isinstance(agent, Mapping)), whole) if isinstance(agents, list) else whole
    for name in lists:
        yield from each(whole[name], partial(_read_block, agent) if name in BLOCKS else _parse_passage)
    yield from unused_fields(whole, *lists)


def _load_object(source: Source) -> Mapping[str, Any]:
    """Return the object in a file of up to 50 MB, or an empty object if the file contains a list or JSON Lines."""
    is_single = not source.is_json_lines and JsonText(source.pieces()).next() == "{"
    whole: Mapping[str, Any] = source.json if is_single else {}
    return whole


def _parse_mem0(where: str, entry: Mapping[str, Any]) -> Iterator[ForeignFact]:
    field = next((name for name in ("memory", "data", "text", "content") if entry.get(name) is not None), "memory")
    metadata = entry.get("metadata")
    more = dict(metadata) if isinstance(metadata, Mapping) else {"metadata": metadata}
    role = next((name for name in ("role", "attributed_to") if _get_source(entry.get(name))), "")
    yield ForeignFact(
        where=where,
        name=str(entry.get("id") or where),
        content=entry.get(field),
        tags=[*_list_values(entry.get("categories")), *_list_values(more.pop("tags", None))],
        times={
            "created_at": entry.get("created_at"),
            "event_time": more.pop("event_time", None),
            "expires_at": entry.get("expiration_date"),
        },
        source=_get_source(entry.get(role)) or "user",
        extra=merged_fields(_omit(entry, _MEM0 | {field, role}), more),
        person=_format_name(entry.get("user_id")),
    )


def _read_database(source: Source) -> ReadEntries:
    """Yield the memories in mem0's SQLite file. If the source is a folder, its other files are yielded as `Unread`."""
    assert source.path is not None
    path, skipped = source.path, list[Unread]()
    if source.is_folder:
        path = source.path / HISTORY
        list(source.files("no ending", skipped=skipped))  # no file has this suffix, so all are added to `skipped`
        yield from (unread for unread in skipped if unread.where not in (HISTORY, f"{HISTORY}-wal", f"{HISTORY}-shm"))
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            for memory_id, events in groupby(connection.execute(_EVENTS), key=lambda row: row[0]):
                yield from _read_history(str(memory_id), [row[1:] for row in events])
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages'").fetchone():
                for role, content in connection.execute("SELECT role, content FROM messages"):
                    yield Unread(f"message of {role}", "a message stored by mem0", content)
    except sqlite3.Error as error:
        raise invalid("file", f"is not a mem0 history: {error}") from None


def _read_history(memory_id: str, events: list[tuple[Any, ...]]) -> Iterator[ForeignFact]:
    """Yield the wordings of a memory, each of which ends at the next event. Events without a new text add no wording.

    An earlier wording that is known only from the next event gets the time of that event.
    """
    grouped = list[tuple[Any, ...]]()
    for content, deleted, since, role, actor, old in events:
        for text in (old, content if deleted else None):
            if text and (not grouped or grouped[-1][0] != text):
                grouped.append((text, 0, since, role, actor))
        grouped.append((None if deleted else content, deleted, since, role, actor))
    wordings = [next(same) for _, same in groupby(grouped, key=lambda event: event[:2])]
    last = len(wordings)
    for number, (wording, after) in enumerate(pairwise([*wordings, None]), 1):
        assert wording is not None
        content, deleted, since, role, actor = wording
        if deleted:
            continue
        times = {"created_at": since, "valid_from": since} | ({"valid_to": after[2]} if after is not None else {})
        name = memory_id if number == last else f"{memory_id}/{number}"
        fields = {"actor_id": actor, "role": None if _get_source(role) else role}
        yield ForeignFact(f"memory {memory_id}", name, content, times=times, source=_get_source(role) or "user", extra=fields)


def read_agentcore(source: Source) -> ReadEntries:
    """Yield records from AgentCore Memory, given responses that list records or contain a single `memoryRecord`."""

    def records() -> Iterator[Any]:
        for entry in in_pages(source, *AGENTCORE):
            single = isinstance(entry, Mapping) and isinstance(entry.get(_SINGLE), Mapping)
            yield entry[_SINGLE] if single else entry
            yield from unused_fields(entry, _SINGLE) if single else ()

    return each(records(), _parse_record)


def edge_facts(where: str, edge: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield the fact on an edge of a graph from Zep or Graphiti. `valid_to` is when the fact stopped being true."""
    more = edge.get("attributes")
    yield ForeignFact(
        where=where,
        name=str(edge.get("uuid") or where),
        content=edge.get("fact"),
        tags=_list_values(edge.get("name")),
        times={
            "created_at": edge.get("created_at"),
            "event_time": edge.get("valid_at") or edge.get("reference_time"),
            "valid_from": edge.get("valid_at"),
            "valid_to": edge.get("invalid_at") or edge.get("expired_at"),
        },
        extra=merged_fields(_omit(edge, _EDGE), more if isinstance(more, Mapping) else {"attributes": more}),
        person=_format_name(edge.get("group_id")),
    )


def _read_block(agent: Mapping[str, Any], where: str, block: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield the statements in a memory block. The block "persona" is about the agent, and other blocks are about the user."""
    label, value = str(block.get("label") or "block"), block.get("value")
    itself = label == "persona"
    for line, heading, content in statements(value) if isinstance(value, str) else [(0, "", value)]:
        yield ForeignFact(
            where=f"block {label}, line {line}" if line else where,
            name=f"{block.get('id') or label}#{digest(content)}",
            content=content,
            tags=[label],
            times={"created_at": block.get("created_at") or agent.get("created_at")},
            source="agent" if itself else "user",
            speaker=str(agent.get("name") or "assistant") if itself else None,
            extra={"heading": heading, "block": block.get("description")},
        )


def _parse_passage(where: str, passage: Mapping[str, Any]) -> Iterator[ForeignFact]:
    metadata = [passage.get(name) for name in ("metadata", "metadata_")]
    more = [item if isinstance(item, Mapping) else {"metadata": item} for item in metadata]
    yield ForeignFact(
        where=where,
        name=str(passage.get("id") or where),
        content=passage.get("text"),
        tags=passage.get("tags"),
        times={"created_at": passage.get("created_at")},
        extra=merged_fields(_omit(passage, _PASSAGE), *more),
    )


def read_langgraph(source: Source) -> ReadEntries:
    """Yield the items in a LangGraph store. To find people, namespaces of equal length are compared. A position where a noun
    occurs contains no person's name, and a position with different numbers contains people's names."""
    nouns, first, numbered = set[_Place](), dict[_Place, str](), set[_Place]()
    for parts in (_list_parts(item) for item in in_pages(source, *LANGGRAPH) if isinstance(item, Mapping)):
        for at, part in enumerate(parts):
            if _NOUNS.fullmatch(part) and any(map(str.isalpha, part)):
                nouns.add((len(parts), at))
            if _NUMBER.fullmatch(part) and first.setdefault((len(parts), at), part) != part:
                numbered.add((len(parts), at))
    yield from read_entries(partial(_read_item, nouns, numbered), LANGGRAPH, source)


def _list_parts(item: Mapping[str, Any]) -> list[str]:
    namespace = item.get("namespace")
    return [str(part) for part in namespace] if isinstance(namespace, list) else [str(namespace or "")]


def _read_item(nouns: set[_Place], numbered: set[_Place], where: str, item: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield the statement in an item that LangGraph's `Item.dict()` wrote."""
    parts = _list_parts(item)
    numbers = {part for at, part in enumerate(parts) if (len(parts), at) in numbered and _NUMBER.fullmatch(part)}
    content, more = _parse_value(item.get("value"))
    tags, path = more.pop("tags", ()), "/".join(parts)
    yield ForeignFact(
        where=where,
        name=f"{path}/{item.get('key') or where}",
        content=content,
        tags=tags,
        times={"created_at": item.get("created_at") or item.get("createdAt")},
        extra=merged_fields({"namespace": path}, more, _omit(item, _ITEM)),
        person=_find_person(["" if (len(parts), at) in nouns else part for at, part in enumerate(parts)], numbers)
        or _find_person(parts, numbers),
    )


def _parse_record(where: str, record: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield the statement in a record from AgentCore. Its text is a sentence, or JSON with a preference and categories."""
    content, namespaces, metadata = (record.get(name) for name in ("content", "namespaces", "metadata"))
    text, more = (content.get("text"), _omit(content, {"text"})) if isinstance(content, Mapping) else (content, {})
    if isinstance(text, str) and text.lstrip().startswith("{"):
        with suppress(CommonplaceError):  # a sentence may begin with a brace
            text, parts = _parse_value(read_json(text))
            more = merged_fields(more, parts)
    values = {
        name: next(iter(value.values())) if isinstance(value, Mapping) and len(value) == 1 else value
        for name, value in (metadata.items() if isinstance(metadata, Mapping) else [("metadata", metadata)])
    }
    path = namespaces[0] if isinstance(namespaces, list) and len(namespaces) == 1 else namespaces
    yield ForeignFact(
        where=where,
        name=str(record.get("memoryRecordId") or where),
        content=text,
        tags=[*_list_values(more.pop("categories", None)), *_list_values(more.pop("tags", None))],
        times={"created_at": record.get("createdAt")},
        extra=merged_fields({"namespace": path}, more, values, _omit(record, _RECORD)),
        person=_find_person(path.split("/")) if isinstance(path, str) else None,
    )


def _read_node(where: str, node: Mapping[str, Any]) -> Iterator[ForeignFact]:
    """Yield an entity's observations, prefixed with the entity's name if they lack it, or a relation as a sentence."""
    if node.get("type") == "relation":
        start, kind, end = (str(node.get(name) or "") for name in ("from", "relationType", "to"))
        text = f"{start} {kind.replace('_', ' ')} {end}." if start and end else None
        extra = _omit(node, _RELATION if text else set())
        yield ForeignFact(where, f"{start}/{kind}/{end}", text, tags=["relation"], extra=extra)
        return
    name, tags = node.get("name"), _list_values(node.get("entityType"))
    more = merged_fields({"entity": name}, _omit(node, _ENTITY))
    for fact in _list_values(node.get("observations")):
        whole = f"{name}: {fact}" if isinstance(fact, str) and not words_of(str(name)) <= words_of(fact) else fact
        yield ForeignFact(where, f"{name}#{digest(fact)}", whole, tags=tags, extra=more)


def _parse_value(value: Any) -> tuple[Any, dict[str, Any]]:
    """Return a value's text and its other fields. In values from LangMem, the text is nested one level deeper."""
    if not isinstance(value, Mapping):
        return value, {}
    for name in _WORDS:
        if isinstance(value.get(name), str):
            return value[name], _omit(value, {name})
        if isinstance(value.get(name), Mapping):
            content, more = _parse_value(value[name])
            return content, merged_fields(_omit(value, {name}), more)
    return as_line(value) or None, {}


def _omit(entry: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


def _list_values(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _get_source(role: Any) -> Who | None:
    return _SOURCES.get(role) if isinstance(role, str) else None


def _format_name(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, (str, int)) else None


def _find_person(namespace: Sequence[str], numbers: Container[str] = ()) -> str | None:
    """Return the part of a namespace that is a person's name, or None. The name often follows a word like "users"."""
    pairs = list(zip(("", *namespace), namespace, strict=False))
    behind = (part for word, part in pairs if _PERSON_WORDS.fullmatch(word) and part)
    nouns = (_PERSON_WORDS, _OTHER_WORDS, _NOUNS)
    names = (pair for pair in pairs if pair[1] in numbers or not any(noun.fullmatch(pair[1]) for noun in nouns))
    free = (part for word, part in names if not _OTHER_WORDS.fullmatch(word))
    return next(behind, None) or next(free, None)
