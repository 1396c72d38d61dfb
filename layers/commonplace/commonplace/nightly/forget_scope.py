"""What else a forget request covers: closed memories, and recorded texts."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from commonplace.domain.batching import in_batches
from commonplace.domain.interactions import Discussion, Explicit, Interaction
from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate
from commonplace.extraction.changes.statements import joined
from commonplace.extraction.clauses import sentences
from commonplace.extraction.forgetting.matching import mentions, tells, text_without
from commonplace.memories.lineage import made_of
from commonplace.nightly.memory_view import RunMemoryView
from commonplace.ports.values import Stored
from commonplace.runs.apply import RunContext
from commonplace.runs.finalize import RUNS_WITH_WORDS
from commonplace.use_cases.merge_plan import Sources

_BATCH = 100  # recorded interactions, whose texts may be long


def closed_memories(request: Candidate, shown: Sequence[Memory], view: RunMemoryView) -> list[Memory]:
    """Return closed memories that match a forget request, and those superseded by `shown`, whatever they say."""
    ids = {memory.memory_id for memory in shown}
    ended = [one for one in view.closed() if one.memory_id not in ids]
    before = ids | {memory.supersedes for memory in shown}
    found = [one for one in ended if one.content and (one.superseded_by in before or tells(request.content, one.content))]
    older = {one.memory_id for one in found}
    while more := [one for one in ended if one.memory_id not in older and one.content and one.superseded_by in older]:
        found += more
        older |= {one.memory_id for one in more}
    return found


def interactions_telling(request: Candidate, context: RunContext) -> tuple[str, ...]:
    """Return the ids of recorded interactions up to the request whose texts match it, with or without a memory."""
    since, until = context.caller.now - context.night.texts_kept, request.event_time or context.caller.now
    runs = [run for run in context.night.runs.newest(context.user_id, RUNS_WITH_WORDS) if run.started_at >= since]
    ids = list(dict.fromkeys(one for run in runs for one in run.interactions))
    return tuple(
        one.interaction_id
        for few in in_batches(ids, _BATCH)
        for one in context.night.ledger.entries(context.user_id, few)
        if one.interaction is not None and _with_zone(one.time, until) <= until and _tells(request.content, one.interaction)
    )


def remaining_text(request: Candidate, targets: Sequence[Memory], context: RunContext) -> str:
    """Return the sentences of the forgotten memories that the request does not cover, as one text.

    For a merged memory, uses the sentences of its sources: a sentence omitted for another may matter if that is forgotten.
    """
    return joined([left for memory in targets if (left := _remaining_text(request, memory, context))])


def _remaining_text(request: Candidate, memory: Memory, context: RunContext) -> str:
    records = context.ports.records
    ids = made_of(memory, records)
    sources = [one for one in records.get(memory.user_id, sorted(ids)) if one.content]
    if not ids or len(sources) < len(ids):
        return text_without(request.content, memory.content)
    rests = [(one, _without_request(request, one.content)) for one in sources]
    left = (one.model_copy(update={"raw_text": rest, "normalized_text": rest}) for one, rest in rests if rest)
    return Sources.of((Stored(one, None) for one in left), context.caller, context.ports).text


def _without_request(request: Candidate, text: str) -> str:
    return text_without(request.content, text) if mentions(request.content, text) else text


def _tells(what: str, interaction: Interaction) -> bool:
    return any(tells(what, sentence.text) for text in _texts_of(interaction) for sentence in sentences(text))


def _texts_of(interaction: Interaction) -> Iterator[str]:
    if isinstance(interaction, Discussion):
        yield from (message.content for message in interaction.messages)
    elif isinstance(interaction, Explicit):
        yield interaction.text


def _with_zone(time: datetime, other: datetime) -> datetime:
    return time if time.tzinfo else time.replace(tzinfo=other.tzinfo)
