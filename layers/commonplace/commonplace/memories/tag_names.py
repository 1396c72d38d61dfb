"""Under which names a user's tags go on, where they were merged."""

from collections.abc import Iterable

from commonplace.ports.bundle import Ports


def renamed_tags(user_id: str, ports: Ports) -> dict[str, str]:
    """The tags that are merged, each with the one that stands for it."""
    return {tag: row.into for tag, row in ports.tag_rows.rows(user_id).items() if row.into is not None}


def own_names(tags: Iterable[str], user_id: str, ports: Ports) -> tuple[str, ...]:
    """Tags of a memory to be written, each under the name that it goes on under, each once."""
    given = tuple(tags)
    renamed = renamed_tags(user_id, ports) if given else {}
    return tuple(dict.fromkeys(renamed.get(tag, tag) for tag in given))
