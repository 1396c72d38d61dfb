"""The kinds of what can be imported, each with its reader, and by what a file is known as one of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ForeignFact, Imported
from commonplace.domain.taxonomy import ImportKind
from commonplace.importing import notes, stores, turns
from commonplace.importing.conversation_files import ConversationFile, conversation_files, unpacked
from commonplace.importing.entries import Fingerprints, glance
from commonplace.importing.entries import Found as ReadEntries
from commonplace.importing.sources import Source, Text
from commonplace.importing.talks import talks_of
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases.import_facts import NO_NAME, Progress, import_facts
from commonplace.use_cases.import_records import import_records, read_export
from commonplace.use_cases.record_files import HEADER

Reader = Callable[[Source], ReadEntries]
_GRAPH = partial(stores.read_entries, stores.edge_facts, stores.GRAPH)
READERS: Mapping[ImportKind, Reader] = {
    "mem0": stores.read_mem0, "zep": _GRAPH, "graphiti": _GRAPH, "letta": stores.read_letta,
    "langgraph": stores.read_langgraph, "mcp-memory": stores.read_mcp_memory, "turns": turns.read_turns,
    "agentcore": partial(stores.read_entries, stores.record_facts, stores.AGENTCORE), "markdown": notes.read_markdown,
    "basic-memory": notes.read_basic_memory, "anthropic-memory": notes.read_anthropic_memory,
}  # fmt: skip
TALKS: tuple[ImportKind, ...] = ("chatgpt", "claude", "messages")
OWN: ImportKind = "commonplace"
"""What `commonplace export` wrote: records, which are taken in as they are."""
_NOTES_LOOKED_AT = 50
_LISTS = (*stores.MEM0, *stores.GRAPH, *stores.PASSAGES, *stores.LANGGRAPH, *stores.AGENTCORE, turns.TURNS, turns.MESSAGES)


@dataclass(frozen=True)
class Found:
    """A kind, and by what it was found out."""

    kind: ImportKind
    why: str


def kind_of(source: Source, asked: ImportKind | None = None) -> Found:
    """The kind of a source. Raises `INVALID_ARGUMENT` where nothing tells it."""
    source = unpacked(source)
    if asked is not None:
        return Found(asked, "you said so")
    if source.is_folder:
        return _of_folder(source)
    if source.is_database:
        return Found("mem0", "it is a SQLite file")
    talks = _of_talks(source)
    if talks is not None:
        return talks
    if source.is_archive:
        return _unknown("it is a ZIP without conversations of ChatGPT or Claude, and without a memories.json; unpack it")
    if source.suffix in (".md", ".markdown"):
        return _of_notes(source)
    if source.suffix == ".txt":
        return Found("markdown", "its name ends in .txt")
    return _of_text(source)


def import_source(
    source: Source, asked: ImportKind | None, caller: Caller, ports: Ports, *, apply: bool, only: str | None = None,
    listed: range | None = range(20), progress: Progress = lambda _done, _of: None,
) -> Imported:  # fmt: skip
    """Tells what taking in a source would do, or does it. Raises what is wrong with it as a whole.

    `only`: whose memories of several people's are taken in, "" for entries without a name. `listed`: of which
    entries, by their places from 0, it is told what happens to them. With None it is told of all, and of the passages that
    are left out, and secrets and near-duplicates are looked for in all of them, as when it is applied.
    """
    source = unpacked(source)
    found = kind_of(source, asked)
    if only is not None and found.kind in (OWN, *TALKS):
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "only: is for stores that several people share", "only")
    if found.kind == OWN:
        records = read_export(source.text)
        return import_records(records, caller, ports, apply, progress, found.why, listed, source.text)
    if found.kind in TALKS:
        from commonplace.importing.import_talks import import_talks  # with all of a night

        zone = caller.now.tzinfo
        is_chat = found.kind == "messages"
        talks = turns.talks_of_messages(source, caller.now, zone) if is_chat else talks_of(source, found.kind, zone)
        return import_talks(found.kind, found.why, talks, caller, ports, apply=apply, listed=listed, progress=progress)
    with Fingerprints.kept() as seen:
        return import_facts(
            found.kind, found.why, READERS[found.kind](source), caller, ports, apply=apply, only=only, listed=listed,
            progress=progress, seen=None if apply or listed is None else seen,
        )  # fmt: skip


def people_in(source: Source, kind: ImportKind) -> set[str]:
    """The people whose memories are in a source; `NO_NAME` for entries that name nobody, where others do."""
    facts = READERS[kind](unpacked(source)) if kind in READERS else ()
    found = {one.person or NO_NAME for one in facts if isinstance(one, ForeignFact)}
    return found if len(found) > 1 else found - {NO_NAME}


def _of_folder(source: Source) -> Found:
    assert source.path is not None
    talks = _of_talks(source)
    if talks is not None:
        return talks
    if (history := source.path / stores.HISTORY).is_file() and Source(history).is_database:
        return Found("mem0", f"the folder has a {stores.HISTORY}")
    if source.path.resolve().name == "memories":
        return Found("anthropic-memory", "the folder is called memories")
    return _of_notes(source)


def _of_talks(source: Source) -> Found | None:
    """An export of conversations, by how it begins: it may be too large to be read whole."""
    heads = (file.head for file in conversation_files(source) if isinstance(file, ConversationFile))
    return next((found for head in heads if (found := _by_head(head.decode(errors="replace")))), None)


def _by_head(text: str) -> Found | None:
    head = text.lstrip("\ufeff \t\r\n")
    if not head.startswith("["):
        return None
    if '"mapping"' in head and ('"current_node"' in head or '"create_time"' in head):
        return Found("chatgpt", "its conversations have a mapping")
    return Found("claude", "its conversations have chat_messages") if '"chat_messages"' in head else None


def _of_notes(source: Source) -> Found:
    """Notes with a permalink at their head, or with observations, are basic-memory's."""
    found = None
    for number, text in enumerate(source.texts(".md", ".markdown")):
        if number == _NOTES_LOOKED_AT:
            break
        if not isinstance(text, Text):
            continue
        found = found or Found("markdown", "there are Markdown notes")
        if "\npermalink:" in text.text.partition("\n---\n")[0]:
            return Found("basic-memory", f"{text.name} has a permalink at its head")
        if any(notes.OBSERVATION.fullmatch(said) for _, _, said in notes.statements(text.text)):
            return Found("basic-memory", f"{text.name} has observations: - [category] ...")
    return found or _unknown()


def _of_text(source: Source) -> Found:
    head = source.head.decode(source.encoding, errors="ignore").lstrip("\ufeff \t\r\n")
    if head.startswith("memory_id,"):
        return Found(OWN, "its first line names the columns of an export")
    if not head.startswith(("{", "[")):
        return Found("turns", "nothing tells that it is anything else")
    for kind, why in _by_shape(*glance(source, *_LISTS)):
        return Found(kind, why)
    return Found("turns", "nothing tells that it is anything else")


def _by_shape(whole: Mapping[str, Any], first: Mapping[str, Any]) -> Iterator[tuple[ImportKind, str]]:
    """What an object, or the first of a list, has that only one kind has."""
    if HEADER in first or {"memory_id", "raw_text"} <= first.keys():
        yield OWN, f"it has {HEADER}" if HEADER in first else "its entries have memory_id and raw_text"
    if "core_memory" in whole or {"agents", "blocks"} <= whole.keys():
        yield "letta", "it is an agent file"
    if "text" in first and ({"archive_id", "embedding_config"} & first.keys() or str(first.get("id")).startswith("passage-")):
        yield "letta", "its entries are passages"
    if "fact" in first and "uuid" in first:
        graphiti = {"group_id", "fact_embedding"} & first.keys()
        yield ("graphiti", "its entries have fact and group_id") if graphiti else ("zep", "its entries have fact and uuid")
    if {"namespace", "key", "value"} <= first.keys():
        yield "langgraph", "its entries have namespace, key and value"
    if {"memoryRecordId", "memoryRecordSummaries"} & first.keys() or "memoryRecordSummaries" in whole:
        yield "agentcore", "its entries have a memoryRecordId"
    if {"entities", "relations"} <= whole.keys() or {"entityType", "relationType"} & first.keys():
        yield "mcp-memory", "its entries are entities and relations"
    if "memory" in first and "id" in first:
        yield "mem0", "its entries have id and memory"
    if {"id", "content", "state"} <= first.keys():
        yield "mem0", "its entries have id, content and state, as OpenMemory's have"
    if notes.CLAUDE_MEMORY in first:
        yield "anthropic-memory", f"its entries have {notes.CLAUDE_MEMORY}"
    if "role" in first or isinstance(first.get(turns.MESSAGES), list):
        yield "messages", "its entries have a role" if "role" in first else "its entries have messages"
    if {"session_id", "speaker"} & first.keys():
        yield "turns", "its entries have session_id and speaker"


def _unknown(why: str = "") -> Found:
    told = why or f"nothing tells what it is; give --from with one of {', '.join(get_args(ImportKind))}"
    raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"file: {told}", "file")
