"""What a model is told for the night: the files in `prompts/`, and a version that changes with their words."""

import hashlib
from typing import Literal

from commonplace.instructions import instructions
from commonplace.models.runs import Mode

Prompt = Literal["extract", "decide", "agent"]
_OF_MODE: dict[Mode, tuple[Prompt, ...]] = {"rules": (), "pipeline": ("extract", "decide"), "agent": ("agent",)}


def prompt(name: Prompt) -> str:
    """The instructions of that name."""
    return instructions(name)


def prompt_version(mode: Mode) -> str | None:
    """Twelve hexadecimal digits that tell the words of a mode's prompts; None where there are none."""
    texts = [prompt(name) for name in _OF_MODE[mode]]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] if texts else None
