"""Remove the words of erased memories from their source documents."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from commonplace.domain.documents import DocumentHead
from commonplace.domain.memory import Memory
from commonplace.memories.passages import ERASED, HEADING, texts_of, without_passages
from commonplace.ports.documents import Documents


@dataclass(frozen=True)
class _Lines:
    body: frozenset[str]
    headings: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "_Lines":
        """Split a text into its lines and headings, in normal form. If there are only headings, they count as lines."""
        folded = unicodedata.normalize("NFKC", text.replace(ERASED, " ")).casefold().splitlines()
        words = [(" ".join(re.findall(r"\w+", line)), HEADING.match(line) is not None) for line in folded]
        body, headings = (
            frozenset(f" {text} " for text, is_heading in words if text and is_heading is is_title)
            for is_title in (False, True)
        )
        return cls(body or headings, headings if body else frozenset())

    @property
    def all(self) -> frozenset[str]:
        return self.body | self.headings


@dataclass(frozen=True)
class ForgottenWords:
    """A document's erased text. `staying` contains the remaining lines. `lines` contains the other erased lines."""

    passages: frozenset[_Lines]
    lines: frozenset[str]
    staying: frozenset[str]

    @classmethod
    def of(cls, forgotten: Iterable[str], staying: Iterable[str]) -> "ForgottenWords":
        """Create an instance from the texts of the erased and the remaining passages."""
        passages = frozenset(lines for lines in map(_Lines.of, forgotten) if lines.body)
        stays = frozenset[str]().union(*(_Lines.of(memory).all for memory in staying))
        return cls(passages, frozenset(line for part in passages for line in part.all if not _is_in_any(line, stays)), stays)

    @cached_property
    def bodies(self) -> frozenset[frozenset[str]]:
        return frozenset(passage.body for passage in self.passages)

    def equals(self, text: str, with_heading: bool) -> bool:
        """Return whether the text equals an erased passage. If `with_heading` is False, the headings may differ."""
        lines = _Lines.of(text)
        return lines in self.passages if with_heading else lines.body in self.bodies

    def are_in(self, text: str, stays: bool) -> bool:
        """Return whether the text equals an erased passage or, unless `stays` is True, shares a line with one.

        A shared heading counts only if the text also has other lines that no remaining passage contains.
        """
        lines = _Lines.of(text)
        if stays or lines in self.passages:
            return lines in self.passages
        shared = {line for line in lines.all if any(line in other or other in line for other in self.lines)}
        left = {line for line in (lines.body if shared else ()) if not _is_in_any(line, self.staying)}
        return bool(shared & left) or any(left and not _is_in_any(line, self.staying) for line in shared & lines.headings)


def _is_in_any(line: str, lines: Iterable[str]) -> bool:
    return any(line in other for other in lines)


def twins(gone: Collection[Memory], known: Sequence[Memory], current: Collection[str]) -> list[str]:
    """Return the ids of other passages to erase. These equal an erased passage, or are closed and share a line with one.

    The same text may be in several memories, for example if a paragraph was removed and restored, or a file was copied.
    Shared lines count only within the same document. `current` contains the ids of active memories.
    """
    ids = {memory.memory_id for memory in gone}
    passages = [memory for memory in known if memory.is_passage and memory.raw_text]
    memories = [memory for memory in passages if memory.memory_id not in ids]
    erased = ForgottenWords.of((memory.raw_text for memory in passages if memory.memory_id in ids), ())
    matching = [item.memory_id for item in memories if erased.equals(item.raw_text, item.memory_id in current)]
    for reference in {memory.session_id for memory in gone if memory.is_passage}:
        nearby = [memory for memory in memories if memory.session_id == reference]
        words = ForgottenWords.of(
            (memory.raw_text for memory in passages if memory.session_id == reference and memory.memory_id in ids),
            (memory.raw_text for memory in nearby if memory.memory_id in current),
        )
        matching += [memory.memory_id for memory in nearby if words.are_in(memory.raw_text, memory.memory_id in current)]
    return matching


def forget_in_documents(
    forgotten: Collection[str], memories: Collection[Memory], user_id: str, now: datetime, documents: Documents
) -> bool:
    """Remove the passages of erased memories from all versions of documents. Returns whether anything changed.

    Older versions also lose passages that share a line with an erased passage. `memories` contains the records of the
    `forgotten` ids. If one is missing or unreadable, all documents are searched. Older versions of any document may contain
    copies. The next version is written first, so that concurrent writers can't restore the words. Calls may be repeated.
    """
    known = {memory.memory_id: memory.session_id if memory.is_passage else None for memory in memories}
    is_anywhere = not known.keys() >= set(forgotten)
    references = set(known.values()) - {None}
    copied, is_cut = ForgottenWords.of((memory.raw_text for memory in memories if memory.is_passage), ()), False
    for head in list(documents.listed(user_id)) if is_anywhere or references else []:
        is_own = is_anywhere or head.reference in references
        if is_own or head.version > 1:
            is_cut |= _erase_words(head, is_own, set(forgotten), memories, copied, user_id, now, documents)
    return is_cut


def _erase_words(
    head: DocumentHead, is_own: bool, forgotten: set[str], memories: Collection[Memory], copied: ForgottenWords, user_id: str,
    now: datetime, documents: Documents,
) -> bool:  # fmt: skip
    """Remove erased words from one document. `is_own` is True if the document is the source of an erased memory.

    The newest version of any other document is left unchanged. `copied` contains the erased passages of all documents.
    """
    lines = [memory.raw_text for memory in memories if memory.is_passage and memory.session_id == head.reference]
    versions = documents.versions(user_id, head.namespace, head.key)
    texts, ids = dict[str, str](), dict[str, set[str]]()  # by digest, because several memories may have the same words
    for version in versions:
        by_id = texts_of(version)
        for passage in version.passages:
            texts.setdefault(passage.digest, by_id[passage.memory_id])
            ids.setdefault(passage.digest, set()).add(passage.memory_id)
    newest = {passage.digest for version in versions[:1] for passage in version.passages}
    gone = {
        digest
        for digest, names in ids.items()
        if names & forgotten or (digest not in newest and copied.equals(texts[digest], with_heading=False))
    }
    stays = newest - gone
    more = {*gone, *lines}
    while more:
        words = ForgottenWords.of([*lines, *(texts[digest] for digest in gone)], (texts[digest] for digest in stays))
        left = [(digest, text) for digest, text in texts.items() if digest not in gone and (is_own or digest not in stays)]
        more = {digest for digest, text in left if words.are_in(text, digest in stays)}
        gone, stays = gone | more, stays - more
    memory_ids = {name for digest in gone for name in ids[digest]}
    if versions and _has_passage_of_any(versions[0], memory_ids):
        following = {"version": versions[0].version + 1, "updated_at": now}
        documents.put(user_id, without_passages(versions[0], memory_ids).model_copy(update=following))
    for version in versions:
        changed = without_passages(version, memory_ids)
        if _has_passage_of_any(version, memory_ids) and not documents.rewrite(user_id, changed, version):
            _erase_words(head, is_own, forgotten, memories, copied, user_id, now, documents)  # retry after another write
            break
    return bool(memory_ids)


def _has_passage_of_any(head: DocumentHead, memory_ids: Collection[str]) -> bool:
    return any(passage.memory_id in memory_ids for passage in head.passages)
