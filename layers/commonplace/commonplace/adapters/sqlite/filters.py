"""`Visibility` and `Filter` as SQL."""

from commonplace.adapters.sqlite.rows import seconds
from commonplace.ports import Filter, Visibility


def visible(seen: Visibility) -> tuple[str, list[object]]:
    """The same for active memories that are valid now, unexpired unless those are asked for too, for one of the agents.

    Whose they are is not among them.
    """
    now = seen.now.timestamp()
    conditions = [
        f"status = 'active' AND agent_id IN ({','.join('?' * len(seen.agents))})",
        "(valid_from IS NULL OR valid_from <= ?) AND (valid_to IS NULL OR valid_to > ?)",
        *([] if seen.include_expired else ["(expires_at IS NULL OR expires_at > ?)"]),
    ]
    return " AND ".join(conditions), [*seen.agents, now, now, *([] if seen.include_expired else [now])]


def where(wanted: Filter) -> tuple[str, list[object]]:
    """Conditions joined by AND with their values, `""` when all pass."""
    conditions = [f"{name} = ?" for name in wanted.equal]
    values: list[object] = list(wanted.equal.values())
    ranges = {
        "importance >= ?": wanted.importance_min,
        "happened_at >= ?": seconds(wanted.after),
        "happened_at < ?": seconds(wanted.before),
    }
    conditions += [condition for condition, value in ranges.items() if value is not None]
    values += [value for value in ranges.values() if value is not None]
    if wanted.types is not None:
        conditions.append(f"memory_type IN ({','.join('?' * len(wanted.types))})")
        values += wanted.types
    return " AND ".join(conditions), values
