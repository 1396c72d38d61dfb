"""LoCoMo and BEAM as conversations: turns with their place, and questions with the turns that answer them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

_TURN_ID = re.compile(r"D\d+:\d+")
_BATCH_MARK = re.compile(r"\s*->->.*$", re.DOTALL)


@dataclass(frozen=True)
class Turn:
    """A message. `name` is unique in its conversation; `at` is when it was said, without a zone."""

    name: str
    session: str
    position: int
    speaker: str
    text: str
    at: datetime | None

    def given(self) -> dict[str, Any]:
        """The turn as `import_turns` takes it."""
        return {
            "session_id": self.session, "position": self.position, "speaker": self.speaker, "text": self.text,
            "event_time": self.at.isoformat() if self.at else None,
        }  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A question, the names of the turns that answer it, and its kind."""

    question: str
    evidence: frozenset[str]
    kind: str


@dataclass(frozen=True)
class Conversation:
    """Turns in order and what is asked about them."""

    turns: list[Turn]
    asked: list[Asked]


LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def locomo(data: Path) -> list[Conversation]:
    """Conversations 0-4 of LoCoMo; a picture's caption belongs to the turn that shares it."""
    whole = json.loads((data / "locomo" / "locomo10_handed_conv0-4.json").read_text(encoding="utf-8"))
    return [_locomo_conversation(part) for part in whole]


def beam(data: Path) -> list[Conversation]:
    """The 20 chats of BEAM 100K, the user's turns only, a batch as a session; the questions that have evidence."""
    return [_beam_chat(data / "beam" / "100K" / str(number)) for number in range(1, 21)]


def together(conversations: list[Conversation]) -> Conversation:
    """All in one store: turns and evidence keep to their conversation by name."""
    turns = [
        replace(turn, name=f"{number}/{turn.name}", session=f"{number}/{turn.session}")
        for number, one in enumerate(conversations)
        for turn in one.turns
    ]
    asked = [
        replace(question, evidence=frozenset(f"{number}/{name}" for name in question.evidence))
        for number, one in enumerate(conversations)
        for question in one.asked
    ]
    return Conversation(turns, asked)


def _locomo_conversation(part: dict[str, Any]) -> Conversation:
    spoken, turns = part["conversation"], []
    for number in range(1, 60):
        for position, turn in enumerate(spoken.get(f"session_{number}", [])):
            at = datetime.strptime(spoken[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append(Turn(turn["dia_id"], str(number), position, turn["speaker"], turn["text"] + caption, at))
    names = {turn.name for turn in turns}
    asked = [
        Asked(row["question"], frozenset(_TURN_ID.findall(" ".join(row.get("evidence", [])))) & names,
              LOCOMO_KINDS[row["category"]])
        for row in part["qa"]
    ]  # fmt: skip
    return Conversation(turns, [question for question in asked if question.evidence])


def _beam_chat(folder: Path) -> Conversation:
    chat = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
    probing = json.loads((folder / "probing_questions.json").read_text(encoding="utf-8"))
    turns: list[Turn] = []
    day = None
    for batch in chat:
        for message in (message for group in batch["turns"] for message in group):
            if message.get("time_anchor"):
                day = datetime.strptime(message["time_anchor"], "%B-%d-%Y")
            if message["role"] == "user":
                text = _BATCH_MARK.sub("", message["content"])
                turns.append(Turn(str(message["id"]), str(batch["batch_number"]), len(turns), "user", text, day))
    names = {turn.name for turn in turns}
    asked = [
        Asked(row["question"], frozenset(map(str, _numbers(row.get("source_chat_ids", [])))) & names, kind)
        for kind, rows in probing.items()
        for row in rows
    ]
    return Conversation(turns, [question for question in asked if question.evidence])


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _numbers(part)
    elif isinstance(value, int):
        yield value
