"""Compare searches in an old store with searches of the migrated memories."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, invalid
from commonplace.domain.flaws import gathered
from commonplace.domain.legacy import CheckedQuery, CheckRequest, MigrationCheck
from commonplace.domain.requests import SearchRequest
from commonplace.domain.strict_json import read_object
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases.legacy_records import LegacyRecord, field_names, legacy_ids, read_record
from commonplace.use_cases.named import behind_alias
from commonplace.use_cases.search import search_memory
from commonplace.use_cases.tinydb import read_tinydb

HITS = 10
_WORD = re.compile(r"\w+")
_LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)


def check_migration(
    data: bytes, caller: Caller, ports: Ports, queries: str | None = None, *, tables: Sequence[str] = (),
    fields: Mapping[str, str] | None = None, progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> MigrationCheck:  # fmt: skip
    """Search both stores without logging. `queries` contains lines `{"query", "expected"?}`. The default is the old tags."""
    with gathered() as flaws:
        records = _parse_all(data, caller, tables, field_names(fields or {}))
        moved = {
            record.legacy_id: memories[0].memory_id
            for record in records
            if (memories := behind_alias(record.legacy_id, caller, ports))
        }
        requests = _read_queries(queries) if queries is not None else _build_tag_queries(records)
        quiet, checked = replace(caller, counts=False), list[CheckedQuery]()
        for number, query in enumerate(requests, 1):
            checked.append(_check_query(query, records, moved, quiet, ports))
            progress(number, len(requests))
    return MigrationCheck(
        queries=len(checked),
        not_moved=[record.legacy_id for record in records if record.legacy_id not in moved],
        old_recall=_compute_mean([query.old_recall for query in checked]),
        new_recall=_compute_mean([query.new_recall for query in checked]),
        worse=[query for query in checked if query.new_recall < query.old_recall],
    ).naming(flaws)


def _parse_all(data: bytes, caller: Caller, tables: Sequence[str], names: Mapping[str, Sequence[str]]) -> list[LegacyRecord]:
    """Return the records that can be stored, which are the records that a migration adds."""
    documents = read_tinydb(data, tables).documents
    ids, records = legacy_ids(documents, names), list[LegacyRecord]()
    for document in documents:
        try:
            records.append(read_record(document, ids[document.name], names, caller.now.tzinfo))
        except CommonplaceError:
            continue
    return records


def _read_queries(text: str) -> list[CheckRequest]:
    requests = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                requests.append(validate.check(CheckRequest, read_object(line)))
            except CommonplaceError as error:
                raise CommonplaceError(error.code, f"queries: line {number}: {error.message}", "queries") from None
    if not requests:
        raise invalid("queries", "holds none")
    return requests


def _build_tag_queries(records: Sequence[LegacyRecord]) -> list[CheckRequest]:
    """Return a query for each old tag, which should find the records that have the tag."""
    having: dict[str, list[str]] = {}
    for record in records:
        for tag in record.memory.tags:
            having.setdefault(" ".join(tag.replace("-", " ").replace("_", " ").split()), []).append(record.legacy_id)
    return [CheckRequest(query=tag, expected=ids) for tag, ids in having.items() if any(map(str.isalnum, tag))]


def _check_query(
    request: CheckRequest, records: Sequence[LegacyRecord], moved: Mapping[str, str], caller: Caller, ports: Ports
) -> CheckedQuery:
    """Compare both searches. If the query has no expected ids, the new search should find what the old search found."""
    old = [record.legacy_id for record in legacy_search(request.query, records)]
    hits = search_memory(SearchRequest(query=request.query, limit=HITS), caller, ports).results
    new = [name for hit in hits for name, memory_id in moved.items() if memory_id == hit.id]
    wanted = set(request.expected or old)
    return CheckedQuery(
        query=request.query, old=old, new=new, expected=len(wanted),
        old_recall=_compute_recall(old, wanted), new_recall=_compute_recall(new, wanted),
    )  # fmt: skip


def legacy_search(query: str, records: Sequence[LegacyRecord], limit: int = HITS) -> list[LegacyRecord]:
    """Return the old records that share words with the query. Records with more shared words come first, then newer ones."""
    words = set(_split_words(query))
    texts = (" ".join((record.memory.content, record.category or "", *record.memory.tags)) for record in records)
    scored = [(len(words & set(_split_words(text))), record) for text, record in zip(texts, records, strict=True)]
    ranked = sorted(
        ((score, record) for score, record in scored if score),
        key=lambda pair: (pair[0], pair[1].memory.created_at or _LONG_AGO), reverse=True,
    )  # fmt: skip
    return [record for _, record in ranked[:limit]]


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("_", " "))


def _compute_recall(ids: Sequence[str], wanted: set[str]) -> float:
    """Return the share of the wanted ids that were found, or 1.0 if none are wanted. At most `HITS` ids can be found."""
    return round(len(set(ids) & wanted) / min(len(wanted), HITS), 4) if wanted else 1.0


def _compute_mean(shares: Sequence[float]) -> float:
    return round(sum(shares) / len(shares), 4) if shares else 1.0
