"""Look up the current names of a user's merged tags."""

from collections.abc import Iterable

from commonplace.ports.bundle import Ports


def renamed_tags(user_id: str, ports: Ports) -> dict[str, str]:
    """Map each merged tag of a user to its current name."""
    return {tag: row.into for tag, row in ports.tag_rows.rows(user_id).items() if row.into is not None}


def own_names(tags: Iterable[str], user_id: str, ports: Ports) -> tuple[str, ...]:
    """Return the distinct tags of a memory under their current names."""
    names = tuple(tags)
    renamed = renamed_tags(user_id, ports) if names else {}
    return tuple(dict.fromkeys(renamed.get(tag, tag) for tag in names))
