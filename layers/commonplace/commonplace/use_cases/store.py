"""Implement the two tools that store a statement using rules and no language model."""

from collections.abc import Mapping
from typing import Any

from commonplace.domain.fields import provenance_fields
from commonplace.domain.memory import importance_of, level_of
from commonplace.domain.requests import StoreContext, StorePersonalRequest, StoreRequest
from commonplace.domain.results import Analysis, StorePersonalResult, StoreResult
from commonplace.domain.taxonomy import memory_type
from commonplace.memories.enrich import EnrichedStatement, enrich, tidy_tags
from commonplace.memories.ingest import COMPARED_LATER, Ingested, ingest, new_entry, notes, recommended
from commonplace.memories.transitions import check_model_may_close, closed_by
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.text.tagging.names import standard
from commonplace.use_cases.named import memory_with_id


def store_memory(request: StoreRequest, caller: Caller, ports: Ports) -> StoreResult:
    """Store a statement verbatim. Rules derive the labels that the caller doesn't give."""
    context = request.context or StoreContext()
    statement = enrich(request.content, ports.words, ports.embedder, ports.facts.tags(caller.user_id))
    fields: dict[str, Any] = {"agent_id": caller.agent_id}
    if context.force_category is not None:
        fields["category"] = context.force_category
        fields["memory_type"] = memory_type(statement.classification.statement_type, context.force_category)
    if context.force_importance is not None:
        fields["importance"] = importance_of(context.force_importance)
    if context.additional_tags:
        fields["tags"] = tidy_tags((*context.additional_tags, *statement.tags))
    fields |= context.model_dump(include={"expires_at", "user_note"}, exclude_none=True) | provenance_fields(context.source)
    folded = {tag: full for tag in context.additional_tags or () if (full := standard(tag)) != tag}
    done = _ingest_statement(statement, context, fields, caller, ports)
    memory, unsure = done.memory, [] if context.force_category else _note_uncertainty(statement, ports)
    return StoreResult(
        success=True,
        memory_id=memory.memory_id,
        analysis=Analysis(
            detected_category=memory.category,
            detected_type=memory.memory_type,
            generated_tags=list(memory.tags),
            importance_score=level_of(memory.importance),
            confidence=memory.confidence,
            concepts_extracted=list(memory.concepts),
        ),
        recommendations=recommended(done.similar, done.merges, done.updates, folded | dict(statement.renamed)),
        operation_id=done.operation_id,
        notes=notes(done, caller, warnings=[*unsure, *([] if caller.waits else [COMPARED_LATER])]),
    )


def _ingest_statement(
    statement: EnrichedStatement, context: StoreContext, fields: Mapping[str, Any], caller: Caller, ports: Ports
) -> Ingested:
    """Store a statement and close the memories in `context.supersedes`. A model may close only a limited number of these."""
    ids = dict.fromkeys(context.supersedes or ())
    old = [memory_with_id(memory_id, caller, ports, "context.supersedes") for memory_id in ids]
    if len(old) > 1:
        check_model_may_close(len(old) - 1, f"commonplace delete {old[1].memory_id}", caller, ports)
    first = {"supersedes": old[0].memory_id} if old else {}
    entry = new_entry("store_memory", statement, context.place, caller, ports, {**fields, **first})
    return ingest(entry, ports, old, compare=caller.waits, closed_by=closed_by(caller, caller.now))


def _note_uncertainty(statement: EnrichedStatement, ports: Ports) -> list[str]:
    classification = statement.classification
    if classification.confidence >= ports.category_confidence:
        return []
    likely = " or ".join(classification.likely)
    return [f"the category is uncertain, {likely} is likeliest: set context.force_category if another fits better"]


def store_personal(request: StorePersonalRequest, caller: Caller, ports: Ports) -> StorePersonalResult:
    """Store a normalized statement."""
    statement = enrich(request.normalized, ports.words, ports.embedder, ports.facts.tags(caller.user_id))
    fields = {
        "agent_id": request.agent_id,
        "raw_text": request.raw_text,
        "normalized_text": request.normalized,
        "indexed": "normalized_text",
        "memory_type": memory_type(request.type, statement.classification.category),
        "tags": tidy_tags(request.tags) or statement.tags,
    }
    entry = new_entry("memory_store_personal", statement, request.place, caller, ports, fields)
    done = ingest(entry, ports)
    return StorePersonalResult(id=done.memory.memory_id, created=done.created, notes=notes(done, caller, report_known=False))
