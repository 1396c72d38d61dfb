"""Store and delete feedback on whether a memory was useful for a query."""

from collections.abc import Mapping
from typing import Any

from commonplace.contract.validate import validate
from commonplace.domain.analysis import FeedbackRequest, FeedbackResult, ForgetFeedbackRequest, ForgottenFeedback
from commonplace.domain.fields import Notes
from commonplace.memories.lineage import successors
from commonplace.memories.searches import logged_query
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Rating
from commonplace.retrieval.feedback import content_stems
from commonplace.use_cases.named import memories_by_alias, memory_with_id, unknown_id

_OFF = "queries are not stored here (COMMONPLACE_SEARCH_LOG is off, or the file is read-only), so no search will use this"
_NO_CONTENT = "the query has no content words that another query could share, so no search would use this"


def record_feedback(arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> FeedbackResult:
    """Store whether a memory was useful for a query. For a closed memory, `NOT_FOUND` suggests the one that replaced it."""
    request, kinds = validate(FeedbackRequest, arguments, caller.now.tzinfo)
    memory = memory_with_id(request.memory_id, caller, ports)
    rating = Rating(memory.memory_id, logged_query(request.query), request.useful, caller.now)
    why_not = _OFF if not ports.search_log.is_on() else None if content_stems(rating.query) else _NO_CONTENT
    if why_not is None and not ports.feedback.rate(caller.user_id, rating):
        raise unknown_id("this memory was closed just now")
    notes = Notes(redacted=kinds or None, warnings=None if why_not is None else [why_not])
    return FeedbackResult(
        memory_id=rating.memory_id, query=rating.query, useful=rating.useful, kept=why_not is None, notes=notes or None
    )


def forget_feedback(arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> ForgottenFeedback:
    """Delete the feedback on a memory, or all feedback of the user. Raises `NOT_FOUND` for an unknown memory."""
    name = validate(ForgetFeedbackRequest, arguments, caller.now.tzinfo)[0].memory_id
    if name is None:
        return ForgottenFeedback(forgotten=ports.feedback.forget(caller.user_id, lambda _: True))
    first = memories_by_alias([name], caller, ports).values()
    ids = {name, *(version.memory_id for memory in first for version in (memory, *successors(memory, ports.records)))}
    forgotten = ports.feedback.forget(caller.user_id, lambda rating: rating.memory_id in ids)
    if not forgotten:
        memory_with_id(name, caller, ports)
    return ForgottenFeedback(forgotten=forgotten)
