"""Load the prompts in this folder, and enclose untrusted text in tags that the text cannot close."""

import functools
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from importlib.resources import files

from commonplace.domain.runs import Mode

_OF_MODE: dict[Mode, tuple[str, ...]] = {"rules": (), "pipeline": ("extract", "decide"), "agent": ("agent",)}


@functools.cache
def instructions(name: str) -> str:
    """Return the prompt in the file `name`, which is given without ".md"."""
    return (files(__package__) / f"{name}.md").read_text(encoding="utf-8")


def prompt_version(mode: Mode) -> str | None:
    """Return twelve hexadecimal digits that identify the prompts of a mode, or None for a mode without prompts."""
    texts = [instructions(name) for name in _OF_MODE[mode]]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] if texts else None


def delimited_data(parts: Mapping[str, str], mark: str) -> str:
    """Return the parts as one text, in which each part is enclosed in tags made of its name and `mark`."""
    return "\n".join(f"<{name}-{mark}>\n{part}\n</{name}-{mark}>" for name, part in parts.items())


def unused_mark(parts: Iterable[str]) -> str:
    """Return a random mark that occurs in none of the parts."""
    texts = tuple(parts)
    while any((mark := secrets.token_hex(6)) in part for part in texts):
        continue
    return mark
