"""What models are told: the files in `prompts/`."""

import functools
from importlib.resources import files


@functools.cache
def instructions(name: str) -> str:
    """The instructions of that name."""
    return (files("commonplace") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
