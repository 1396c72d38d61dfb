"""What a model is told for the night: the files in `prompts/`, and a version that changes with their words."""

import functools
import hashlib
from importlib.resources import files
from typing import Literal

from commonplace.models.runs import Mode

Prompt = Literal["extract", "decide", "agent"]
_OF_MODE: dict[Mode, tuple[Prompt, ...]] = {"rules": (), "pipeline": ("extract", "decide"), "agent": ("agent",)}


@functools.cache
def prompt(name: Prompt) -> str:
    """The instructions of that name."""
    return (files("commonplace") / "prompts" / f"{name}.md").read_text(encoding="utf-8")


def prompt_version(mode: Mode) -> str | None:
    """Twelve hexadecimal digits that tell the words of a mode's prompts; None where there are none."""
    texts = [prompt(name) for name in _OF_MODE[mode]]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] if texts else None
