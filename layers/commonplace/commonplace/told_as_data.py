"""What somebody else wrote, shown to a model as data: between marks that it cannot know and so cannot close."""

import secrets
from collections.abc import Iterable, Mapping


def told_as_data(parts: Mapping[str, str], mark: str) -> str:
    """The parts as they are, each between marks of its name."""
    return "\n".join(f"<{name}-{mark}>\n{part}\n</{name}-{mark}>" for name, part in parts.items())


def unheard_of(parts: Iterable[str]) -> str:
    """A mark that none of the parts holds."""
    given = tuple(parts)
    while any((mark := secrets.token_hex(6)) in part for part in given):
        continue
    return mark
