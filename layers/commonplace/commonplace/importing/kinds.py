"""Detect the formats that can be imported, and import sources with the reader for their format."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from commonplace.domain.errors import invalid
from commonplace.domain.imports import ForeignFact, Imported
from commonplace.domain.taxonomy import ImportKind
from commonplace.importing import notes, stores, turns
from commonplace.importing.chat_exports import read_chat_export
from commonplace.importing.conversation_files import MEMORIES, ConversationFile, conversation_files, unpacked
from commonplace.importing.entries import Fingerprints, ReadEntries, glance
from commonplace.importing.sources import Source, Text
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
    "agentcore": stores.read_agentcore, "markdown": notes.read_markdown,
    "basic-memory": notes.read_basic_memory, "anthropic-memory": notes.read_anthropic_memory,
}  # fmt: skip
CONVERSATIONS: tuple[ImportKind, ...] = ("chatgpt", "claude", "messages")
OWN: ImportKind = "commonplace"
"""The format of `commonplace export`. Its records are imported unchanged."""
_NOTES_EXAMINED = 50
_LISTS = (*stores.MEM0, *stores.GRAPH, *stores.PASSAGES, *stores.LANGGRAPH, *stores.AGENTCORE, turns.TURNS, turns.MESSAGES)


@dataclass(frozen=True)
class DetectedKind:
    """A detected format. `why` is the evidence for this format."""

    kind: ImportKind
    why: str


def kind_of(source: Source, kind: ImportKind | None = None) -> DetectedKind:
    """Detect the format of a source. Raises `INVALID_ARGUMENT` if that fails."""
    source = unpacked(source)
    if kind is not None:
        return DetectedKind(kind, "you said so")
    if source.is_folder:
        return _detect_folder_kind(source)
    if source.is_database:
        return DetectedKind("mem0", "it is a SQLite file")
    conversations = _detect_conversations(source)
    if conversations is not None:
        return conversations
    if source.is_archive:
        return _raise_unknown("it is a ZIP without conversations of ChatGPT or Claude; unpack it and import its files")
    if source.suffix in (".md", ".markdown"):
        return _detect_note_kind(source)
    if source.suffix == ".txt":
        return DetectedKind("markdown", "its name ends in .txt")
    return _detect_text_kind(source)


def import_source(
    source: Source, requested_kind: ImportKind | None, caller: Caller, ports: Ports, *, apply: bool, only: str | None = None,
    listed: range | None = range(20), progress: Progress = lambda _done, _of: None,
) -> Imported:  # fmt: skip
    """Import a source, or only plan the import. Raises an error if the source as a whole is invalid.

    `only` selects one of several people by name, or the entries without a name if it is "". `listed`
    contains the positions, from 0, of the entries to report. If `listed` is None, the plan reports all entries and skipped
    passages, and checks all entries for secrets and near-duplicates, as an applied import does.
    """
    source = unpacked(source)
    detected = kind_of(source, requested_kind)
    kind, why = detected.kind, detected.why
    if only is not None and kind in (OWN, *CONVERSATIONS):
        raise invalid("only", "is for stores that several people share")
    if kind == OWN:
        return import_records(read_export(source.text), caller, ports, apply, progress, why, listed, source.text)
    if kind in CONVERSATIONS:
        from commonplace.importing.import_conversations import import_conversations  # loads the nightly modules

        zone = caller.now.tzinfo
        is_chat = kind == "messages"
        conversations = turns.read_messages(source, caller.now, zone) if is_chat else read_chat_export(source, kind, zone)
        return import_conversations(kind, why, conversations, caller, ports, apply=apply, listed=listed, progress=progress)
    with Fingerprints.temporary() as seen:
        return import_facts(
            kind, why, READERS[kind](source), caller, ports, apply=apply, only=only, listed=listed,
            progress=progress, seen=None if apply or listed is None else seen,
        )  # fmt: skip


def people_in(source: Source, kind: ImportKind) -> set[str]:
    """Return the names of the people in a source. The set includes `NO_NAME` if only some entries mention a person."""
    facts = READERS[kind](unpacked(source)) if kind in READERS else ()
    named = (fact.person or NO_NAME for fact in facts if isinstance(fact, ForeignFact))
    people = {name.encode(errors="backslashreplace").decode() for name in named}
    return people if len(people) > 1 else people - {NO_NAME}


def _detect_folder_kind(source: Source) -> DetectedKind:
    assert source.path is not None
    conversations = _detect_conversations(source)
    if conversations is not None:
        return conversations
    if (history := source.path / stores.HISTORY).is_file() and Source(history).is_database:
        return DetectedKind("mem0", f"the folder has a {stores.HISTORY}")
    if source.path.resolve().name == "memories":
        return DetectedKind("anthropic-memory", "the folder is called memories")
    return _detect_note_kind(source)


def _detect_conversations(source: Source) -> DetectedKind | None:
    """Detect an export of conversations. Only the beginning of the file is read, because the whole may be too large."""
    heads = (file.head for file in conversation_files(source) if isinstance(file, ConversationFile))
    return next((kind for head in heads if (kind := _parse_kind_from_start(head.decode(errors="replace")))), None)


def _parse_kind_from_start(text: str) -> DetectedKind | None:
    head = text.lstrip("\ufeff \t\r\n")
    if not head.startswith("["):
        return None
    if '"mapping"' in head and ('"current_node"' in head or '"create_time"' in head):
        return DetectedKind("chatgpt", "its conversations have a mapping")
    return DetectedKind("claude", "its conversations have chat_messages") if '"chat_messages"' in head else None


def _detect_note_kind(source: Source) -> DetectedKind:
    """Return "basic-memory" if a note has observations, or a permalink in its front matter, else "markdown"."""
    kind = None
    for number, text in enumerate(source.texts(".md", ".markdown")):
        if number == _NOTES_EXAMINED:
            break
        if not isinstance(text, Text):
            continue
        kind = kind or DetectedKind("markdown", "there are Markdown notes")
        if "\npermalink:" in text.text.partition("\n---\n")[0]:
            return DetectedKind("basic-memory", f"{text.name} has a permalink at its head")
        if any(notes.OBSERVATION.fullmatch(statement) for _, _, statement in notes.statements(text.text)):
            return DetectedKind("basic-memory", f"{text.name} has observations: - [category] ...")
    separate = source.path is not None and (source.path / MEMORIES).is_file()
    return kind or _raise_unknown(f"its format is unknown; import its {MEMORIES} on its own" if separate else "")


def _detect_text_kind(source: Source) -> DetectedKind:
    head = source.head.decode(source.encoding, errors="ignore").lstrip("\ufeff \t\r\n")
    if head.startswith("memory_id,"):
        return DetectedKind(OWN, "its first line names the columns of an export")
    if head.startswith(("{", "[")):
        for kind, why in _match_fields(*glance(source, *_LISTS)):
            return DetectedKind(kind, why)
    return DetectedKind("turns", "it has no marks of another format")


def _match_fields(whole: Mapping[str, Any], first: Mapping[str, Any]) -> Iterator[tuple[ImportKind, str]]:
    """Yield the formats that match the fields of the whole object or its first entry."""
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
    if {"memoryRecordId", "memoryRecordSummaries", "memoryRecord"} & first.keys() or "memoryRecordSummaries" in whole:
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


def _raise_unknown(why: str = "") -> DetectedKind:
    raise invalid("file", why or f"its format is unknown; give --from with one of {', '.join(get_args(ImportKind))}")
