"""The tool: memories found in three ways, fitted into the budget."""

from dataclasses import replace

from commonplace.context.fitting import fit
from commonplace.context.groups import groups_of
from commonplace.context.text import EMPTY, NOTHING_ON_TOPIC
from commonplace.models.storage import ContextRequest, ContextResult
from commonplace.ports import Caller, Ports


def get_memory_context(request: ContextRequest, caller: Caller, ports: Ports) -> ContextResult:
    """What always matters, what the topic finds, and the notes of seven days."""
    groups, found = groups_of(request.topic, caller, ports)
    none_at_all = all(each.none_at_all for each in found)
    nothing = EMPTY if none_at_all else NOTHING_ON_TOPIC
    fitted = fit(groups, request.max_tokens, ports.words.pieces, nothing)
    degraded = next((each.degraded for each in found if each.degraded), None)
    whole = replace(found[0], degraded=degraded, partial=any(each.partial for each in found))
    count = len(fitted.memory_ids)
    left = f"; {fitted.left_out} more had no room" if fitted.left_out else ""
    return ContextResult(
        message=f"✓ {count} {'memory' if count == 1 else 'memories'} in at most {fitted.tokens} tokens{left}",
        context=fitted.text,
        tokens=fitted.tokens,
        memory_ids=fitted.memory_ids,
        left_out=fitted.left_out,
        notes=whole.notes(caller.redacted),
    )
