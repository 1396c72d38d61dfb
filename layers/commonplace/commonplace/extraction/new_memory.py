"""Create the memory for a decision. Rules fill in fields that the reader left empty."""

import re
import unicodedata
from datetime import datetime
from typing import Any

from commonplace.domain.memory import DEFAULT_COLLECTION, Memory, importance_of
from commonplace.domain.taxonomy import Category, Durability, Scope, Section, section_of
from commonplace.extraction.candidate import Candidate, Decision, ExtractedType
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Day
from commonplace.extraction.dialogue import question_to_user
from commonplace.extraction.interests import BETWEEN
from commonplace.extraction.patterns import has_wording
from commonplace.memories.enrich import EnrichedStatement, enrich, tidy_tags
from commonplace.memories.ingest import DAILY_FOR, DURABLE_FROM
from commonplace.memories.tag_names import own_names
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Vector

LONGEST_KEY = 64
_CATEGORY: dict[ExtractedType, Category] = {"project": "projects", "task": "reminders", "meta": "system"}
_NO_KEY = re.compile(r"[^\w.-]+")
_SESSIONS: tuple[Scope, ...] = ("session", "conversation")


def memory_from_decision(
    decision: Decision, day: Day, caller: Caller, ports: Ports, now: datetime, memory_id: str
) -> tuple[Memory, Vector | None]:
    """Build the memory that an ADD, UPDATE or DELETE creates, and its vector. `now` must be timezone-aware."""
    candidate = decision.candidate
    text = decision.says
    statement = enrich(text, ports.words, ports.embedder, ports.facts.tags(caller.user_id))
    fields: dict[str, Any] = {**_get_labels(candidate, statement), **_get_limits(candidate, now), **_close_outdated(decision)}
    memory = Memory(
        memory_id=memory_id,
        user_id=caller.user_id,
        agent_id=caller.agent_id,
        raw_text=text,
        normalized_text=statement.normalized,
        concepts=statement.concepts,
        tags=own_names(tidy_tags(candidate.tags) or statement.tags, caller.user_id, ports),
        importance=importance_of(statement.classification.level),
        confidence=candidate.confidence,
        source="user",
        session_id=candidate.interaction_id,
        position=candidate.position,
        evidence=_build_evidence(candidate, day),
        event_time=candidate.event_time or _get_spoken_time(candidate, day),
        key=_choose_key(candidate, caller, ports, now) if decision.outdated_by is None else None,
        created_at=now,
        updated_at=now,
        embedding_model=ports.embedder.name if statement.vector is not None else None,
        **fields,
    )
    return memory, statement.vector


def durability_of(candidate: Candidate) -> Durability:
    """Return "daily" if the candidate is uncertain or has a limited scope, else the reader's choice or "durable"."""
    if candidate.scope != "user_global" or candidate.confidence < DURABLE_FROM:
        return "daily"
    return candidate.durability or "durable"


def tidy_key(key: str | None) -> str | None:
    """Reduce the key to word characters, `.` and `-`, up to 64 in all. Returns None if no letter or digit is left."""
    tidy = _NO_KEY.sub("_", unicodedata.normalize("NFKC", key or "").casefold().strip())[:LONGEST_KEY]
    return tidy if tidy.strip("_.-") else None


def _get_labels(candidate: Candidate, statement: EnrichedStatement) -> dict[str, Any]:
    """Return the type, category and section of a memory. A title is always filed as a fact, never as an instruction."""
    category = statement.classification.category
    kind = statement.memory_type
    if candidate.type is not None:
        # Prefer the type from the rules if the reader just says "fact", because that may be a habit.
        kind = kind if candidate.type == "fact" and kind not in ("project", "task", "meta") else candidate.type
        category = _CATEGORY.get(candidate.type, category)
    if candidate.section == "reading_history" and category == "system":
        kind, category = "fact", "references"  # others write titles, so a title must never become a standing instruction
    section: Section = candidate.section or section_of(kind, category)
    return {"memory_type": kind, "category": category, "section": section}


def _get_limits(candidate: Candidate, now: datetime) -> dict[str, Any]:
    """Return the fields that limit a memory in scope and time."""
    durability = durability_of(candidate)
    fields: dict[str, Any] = {"durability": durability, "scope": candidate.scope}
    if candidate.scope in _SESSIONS:
        fields["scope_ref"] = candidate.interaction_id
    if durability == "daily":
        expires = now + DAILY_FOR
        fields |= {"expires_at": expires, "purge_at": expires + PURGE_DELAY}
    return fields


def _close_outdated(decision: Decision) -> dict[str, Any]:
    """Return the fields that close an outdated value at the time when the newer value starts."""
    later = decision.outdated_by
    if later is None:
        return {}
    return {"status": "superseded", "superseded_by": later.memory_id, "valid_to": later.happened_at}


def _get_spoken_time(candidate: Candidate, day: Day) -> datetime | None:
    """Return the time of the message or, if there is none, of the title behind a candidate, or None."""
    utterance = day.utterance_at(candidate.interaction_id, candidate.position)
    times = (title.time for title in day.titles if title.interaction_id == candidate.interaction_id)
    return utterance.time if utterance else next(times, None)


def _build_evidence(candidate: Candidate, day: Day) -> str:
    """Return the evidence, after the assistant's question if it answers one with yes or no, cut to its maximum length."""
    words, turn = candidate.evidence, day.utterance_at(candidate.interaction_id, candidate.position)
    answers = turn is not None and (has_wording("yes", words) or has_wording("no", words))
    question = question_to_user(day.before(turn)) if turn and answers else None
    return (words if question is None else f"{question}{BETWEEN}{words}")[:LONGEST_EVIDENCE]


def _choose_key(candidate: Candidate, caller: Caller, ports: Ports, now: datetime) -> str | None:
    """Return the candidate's tidy key, or None if it has none or another memory already has this key."""
    key = tidy_key(candidate.key)
    if key is None or ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, key, now) is not None:
        return None
    return key
