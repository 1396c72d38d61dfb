"""A `Filter` as SQL."""

from commonplace.adapters.sqlite.rows import seconds
from commonplace.ports import Filter


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
