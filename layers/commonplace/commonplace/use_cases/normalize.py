"""Implement `memory_normalize`, which normalizes a statement with Claude or rules, and stores nothing.

Claude's text must pass the same check for invented names, numbers, dates and negations as in a nightly run.
"""

from dataclasses import replace

from commonplace.domain.fields import Notes
from commonplace.domain.requests import NormalizeRequest
from commonplace.domain.results import NormalizeResult
from commonplace.extraction.grounding.evidence import unsupported
from commonplace.memories.enrich import MAX_TAGS, enrich
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, ModelUnavailable, Normalized
from commonplace.text.tagging import tags_of

_FEWEST_TAGS = 3


def normalize_statement(request: NormalizeRequest, caller: Caller, ports: Ports) -> NormalizeResult:
    """Return the statement in the third person, with its type and tags.

    If the model fails or invents something, rules are used instead, and a note gives the reason.
    """
    redacted = list(caller.redacted) or None
    degraded = None
    if ports.reader is not None:
        try:
            read = ports.reader.read(request.text, request.source, request.context)
        except ModelUnavailable as error:
            degraded = str(error)
        else:
            invented = unsupported(read.text, request.text, (request.context or "",), caller.now.date())
            if invented is None:
                return _build_result(_add_missing_tags(read, request), Notes(method="claude", redacted=redacted))
            degraded = f"the model's text was not used: {invented}"
    statement = enrich(request.text, ports.words, ports.embedder, {})
    read = Normalized(statement.normalized, statement.classification.statement_type, statement.tags)
    return _build_result(read, Notes(method="rules", degraded=degraded, redacted=redacted))


def _add_missing_tags(read: Normalized, request: NormalizeRequest) -> Normalized:
    """Add tags from the text if there are too few tags or one is "misc". The tag "misc" remains only if no other is found."""
    if len(read.tags) >= _FEWEST_TAGS and "misc" not in read.tags:
        return read
    more = [tag for tag in (*read.tags, *tags_of(request.text)) if tag != "misc"]
    return replace(read, tags=tuple(dict.fromkeys(more))[:MAX_TAGS] or ("misc",))


def _build_result(read: Normalized, notes: Notes) -> NormalizeResult:
    return NormalizeResult(normalized=read.text, type=read.type, tags=list(read.tags), notes=notes)
