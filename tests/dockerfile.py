"""The Dockerfile, read: its instructions by stage. Only what that file uses is understood, and anything else is refused."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
_KNOWN = {
    "FROM", "WORKDIR", "RUN", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD",
}  # fmt: skip


@dataclass
class Stage:
    """One stage: what it starts from, and its instructions in their order, each as a word and the rest."""

    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        """The rests of the instructions of one kind."""
        return [rest for found, rest in self.instructions if found == word]


def stages() -> list[Stage]:
    """The stages, the one that is shipped last."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    found: list[Stage] = []
    for line in filter(None, re.sub(r"\\\n\s*", "", text).splitlines()):
        word, _, rest = line.partition(" ")
        assert word in _KNOWN, line
        if word == "FROM":
            found.append(Stage(rest.split()[0]))
        else:
            found[-1].instructions.append((word, rest))
    return found
