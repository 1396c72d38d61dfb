"""Which instructions each mode of a night gives to a model, and a version that changes with their words."""

import hashlib

from commonplace.instructions import instructions
from commonplace.models.runs import Mode

_OF_MODE: dict[Mode, tuple[str, ...]] = {"rules": (), "pipeline": ("extract", "decide"), "agent": ("agent",)}


def prompt_version(mode: Mode) -> str | None:
    """Twelve hexadecimal digits that tell the words of a mode's prompts; None where there are none."""
    texts = [instructions(name) for name in _OF_MODE[mode]]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:12] if texts else None
