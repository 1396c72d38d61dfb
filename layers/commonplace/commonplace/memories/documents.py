"""Create and close the memories that are derived from documents when a document gets a new version."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain, product

from commonplace.domain.documents import Document, PassageOf
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import new_operation_id
from commonplace.domain.memory import DOCUMENTS, GLOBAL_AGENT
from commonplace.memories.enrich import PrecomputedEmbedder, enrich
from commonplace.memories.ingest import new_entry
from commonplace.memories.passages import HEADING, Passage, passages_of, texts_of
from commonplace.memories.transitions import deleted, erased
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change, Entry, Operation
from commonplace.text.foundation.tokenizer import terms

_TOOL = "documents"
_ATTEMPTS, _ROUNDS = 3, 20
_LEAST_SHARED = 1 / 3
"""The share of words that an edited passage must have in common with the passage that it replaces, if it has moved."""


def derived(document: Document, before: Document | None, caller: Caller, ports: Ports) -> tuple[Document, dict[str, Entry]]:
    """Link the document to the memories of its passages. Returns the linked document, and the new memories by digest.

    An unchanged passage keeps its memory, unless that memory was closed. If a passage was edited, `supersedes` in its new
    memory refers to the former memory, so that both are erased together.
    """
    passages = passages_of(document.body, document.form, document.fields)
    ids_by_digest = {part.digest: part.memory_id for part in before.passages if part.digest in passages} if before else {}
    known = ports.records.get(caller.user_id, list(ids_by_digest.values()))
    active = {item.memory_id for item in known if item.status == "active"}
    new = {digest: passage for digest, passage in passages.items() if ids_by_digest.get(digest) not in active}
    entries = _build_entries(document, new, _match_edited_passages(passages, before) if before else {}, caller, ports)
    ids = ids_by_digest | {digest: entry.memory.memory_id for digest, entry in entries.items()}
    linked = tuple(PassageOf(memory_id=ids[digest], digest=digest, places=part.places) for digest, part in passages.items())
    return document.model_copy(update={"passages": linked}), entries


def _match_edited_passages(passages: Mapping[str, Passage], before: Document) -> dict[str, str]:
    """Return the id of the replaced memory for each edited passage, by digest.

    A passage is paired with one at the same position, or with one elsewhere if the two share a word that no other passage
    contains. The pairs with the largest share of common words win. Each passage is in at most one pair.
    """
    ids = {passage.digest: passage.memory_id for passage in before.passages}
    if ids.keys() <= passages.keys() or passages.keys() <= ids.keys():
        return {}  # passages were only added or only removed
    texts = texts_of(before)
    old = {digest: _find_words(texts[memory_id]) for digest, memory_id in ids.items()}
    new = {digest: _find_words(passage.text) for digest, passage in passages.items()}
    pairs = dict.fromkeys(_pair_sole_holders(old, new), _LEAST_SHARED)
    names, digests = list(old), list(new)
    for kind, start, end, first, last in SequenceMatcher(None, names, digests, autojunk=False).get_opcodes():
        pairs |= dict.fromkeys(product(names[start:end], digests[first:last]) if kind == "replace" else (), 0.0)
    shared = [
        (len(old[gone] & new[come]) / len(old[gone] | new[come]), least, gone, come)
        for (gone, come), least in pairs.items()
        if gone not in new and come not in old and old[gone] & new[come]
    ]
    matches: dict[str, str] = {}
    for share, least, gone, come in sorted(shared, key=lambda pair: pair[0], reverse=True):
        if share >= least and come not in matches and ids[gone] not in matches.values():
            matches[come] = ids[gone]
    return matches


def _pair_sole_holders(old: Mapping[str, set[str]], new: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Return the pairs of an old and a new passage that share a word found in no other passage."""
    holders = [Counter(chain.from_iterable(version.values())) for version in (old, new)]
    sole = {word for word in holders[0] if holders[0][word] == holders[1][word] == 1}
    digests = {word: digest for digest, words in new.items() for word in words & sole}
    return ((digest, digests[word]) for digest, words in old.items() for word in words & sole)


def _find_words(text: str) -> set[str]:
    """Return the words of a text, except for headings, which many passages share."""
    return set(terms("\n".join(line for line in text.splitlines() if not HEADING.match(line))))


def _build_entries(
    document: Document, passages: Mapping[str, Passage], replaced: Mapping[str, str], caller: Caller, ports: Ports
) -> dict[str, Entry]:
    """Build the new memory of each passage, by digest. `replaced` maps digests to the ids that these memories supersede."""
    embedder = PrecomputedEmbedder.of((passage.text for passage in passages.values()), ports.embedder)
    tags = ports.facts.tags(caller.user_id) if passages else {}
    fields = {
        "agent_id": GLOBAL_AGENT, "collection": DOCUMENTS, "origin": "document", "session_id": document.reference,
        "scope_ref": document.reference, "user_note": document.path,
    }  # fmt: skip
    entries: dict[str, Entry] = {}
    for digest, passage in passages.items():
        statement = enrich(passage.text, ports.words, embedder, tags)
        extra = {**fields, "supersedes": replaced.get(digest)}
        entries[digest] = new_entry(_TOOL, statement, None, caller, ports, extra)
    return entries


def settle(document: Document, entries: Mapping[str, Entry], caller: Caller, ports: Ports) -> Document:
    """Store the new memories of a version, and close the memories that the newest version no longer contains.

    If another writer adds a version, that version is the newest. If the document was erased, the new memories are erased too.
    """
    document, added = _add_entries(document, entries, caller, ports)
    versions = close_former(document.namespace, document.key, caller, ports, added)
    digests = [passage.digest for passage in document.passages]
    for version in versions:
        if (version.version, [passage.digest for passage in version.passages]) == (document.version, digests):
            return version
    linked_elsewhere = {passage.memory_id for version in versions for passage in version.passages}
    _close_or_erase(added - linked_elsewhere, caller, ports, erases=True)
    return document


def close_former(
    namespace: Sequence[str], key: str, caller: Caller, ports: Ports, more: set[str] | None = None
) -> list[Document]:
    """Close the memories in `more` and in older versions that the newest version doesn't contain. Returns all versions.

    Another writer may have closed memories that the newest version links to. Their passages are stored again, and the new ids
    are added to `more`. This repeats until nothing changes, because another writer may replace the newest version.
    """
    more = set() if more is None else more
    for _ in range(_ROUNDS):
        versions = ports.documents.versions(caller.user_id, namespace, key)
        ids = [{passage.memory_id for passage in version.passages} for version in versions]
        is_changed = _close_or_erase(more.union(*ids).difference(*ids[:1]), caller, ports)
        restored = _restore_passages(versions[0], caller, ports) if versions else set()
        if not is_changed and not restored:
            break
        more |= restored
    return versions


def _restore_passages(document: Document, caller: Caller, ports: Ports) -> set[str]:
    """Store new memories for passages with closed memories. Each supersedes the closed one, so both are erased together."""
    memories = ports.records.get(caller.user_id, [part.memory_id for part in document.passages])
    closed = {memory.memory_id for memory in memories if memory.content and memory.status != "active"}
    former = {part.digest: part.memory_id for part in document.passages if part.memory_id in closed}
    passages = passages_of(document.body, document.form, document.fields) if former else {}
    lost = {digest: passage for digest, passage in passages.items() if digest in former}
    return _add_entries(document, _build_entries(document, lost, former, caller, ports), caller, ports)[1]


def _add_entries(document: Document, entries: Mapping[str, Entry], caller: Caller, ports: Ports) -> tuple[Document, set[str]]:
    """Store new memories for passages, and link the document to them or to active memories with the same content.

    Returns the linked document and the memory ids. Words that are erased from this version in the meantime stay erased.
    """
    stored = ports.records.add(list(entries.values())) if entries else []
    ids = {digest: memory.memory_id for digest, (memory, _) in zip(entries, stored, strict=True)}
    for _ in range(_ROUNDS):
        passages = [part.model_copy(update={"memory_id": ids.get(part.digest, part.memory_id)}) for part in document.passages]
        linked = document.model_copy(update={"passages": tuple(passages)})
        if linked == document or ports.documents.rewrite(caller.user_id, linked, document):
            return linked, set(ids.values())
        versions = ports.documents.versions(caller.user_id, document.namespace, document.key)
        document = next((version for version in versions if version.version == document.version), document)
    raise changed_meanwhile()


def changed_meanwhile() -> CommonplaceError:
    """Return the error for a document that another writer changed."""
    return CommonplaceError(ErrorCode.CONFLICT, "version: the document was changed meanwhile; read it again", "version")


def _close_or_erase(memory_ids: Collection[str], caller: Caller, ports: Ports, erases: bool = False) -> bool:
    """Close memories, or erase them if `erases` is True. Returns whether any memory changed."""
    left, is_changed = set(memory_ids), False  # memories that another writer has changed are read again
    for attempt in range(_ATTEMPTS):
        memories = ports.records.get(caller.user_id, sorted(left))
        left = set()
        for memory in (memory for memory in memories if memory.content and (erases or memory.status == "active")):
            try:
                if erases:
                    change = Change(erased(memory, caller.now), Audit("erase", caller.now, {}), before=memory, erases=True)
                    forget = Operation(new_operation_id(caller.now), caller.user_id, "FORGET", caller.now, closes=(change,))
                    ports.operations.apply(forget)
                else:
                    ports.records.update(deleted(memory, caller.now), Audit("delete", caller.now, {"tool": _TOOL}))
                is_changed = True
            except CommonplaceError as error:
                if error.code is not ErrorCode.CONFLICT or attempt == _ATTEMPTS - 1:
                    raise
                left.add(memory.memory_id)
        if not left:
            break
    return is_changed
