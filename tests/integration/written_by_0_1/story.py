"""What the users of the fixtures said and stored."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.conftest import NOON

LIFE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("store_memory", {"content": "My daughter Mia is allergic to peanuts."}),
    ("store_memory", {"content": "I flew to Lisbon last Thursday for a conference.", "context": {"user_note": "told at lunch"}}),
    ("store_memory", {"content": "チェロを毎朝弾きます。", "context": {"force_importance": 4, "additional_tags": ["cello"]}}),
    ("store_memory", {"content": "The parking permit is in the blue box.",
                      "context": {"expires_at": (NOON + timedelta(hours=6)).isoformat()}}),
    ("write_memory", {"key": "role", "value": "The user works as a data engineer at a hospital.",
                      "category": "work_context", "durability": "durable", "confidence": 0.95}),
    ("update_memory", {"key": "role", "value": "The user works as a team lead at a hospital."}),
    ("update_memory", {"key": "role", "value": "The user works as a head of data at a hospital."}),
    ("write_memory", {"key": "tea", "value": "The user likes Assam tea.", "category": "preference", "durability": "durable"}),
    ("delete_memory", {"key": "tea"}),
    ("write_memory", {"key": "city", "value": "I live in Leipzig.", "category": "personal_context",
                      "durability": "durable"}),
    ("write_memory", {"key": "heron", "value": "The user saw a heron.", "category": "personal_context", "durability": "daily"}),
    ("memory_store_personal", {"raw_text": "I go running most mornings before work.", "type": "habit",
                               "normalized": "The user goes running most mornings before work.",
                               "tags": ["running", "exercise", "morning"]}),
    ("memory_store_personal", {"raw_text": "The budget of the pilot is 40,000 euros.", "type": "project", "agent_id": "planner",
                               "normalized": "The budget of the pilot is 40,000 euros.", "tags": ["budget", "pilot"]}),
    ("memory_store", {"content": "The user decides faster when given two options instead of five.", "collection": "habits",
                      "metadata": {"type": "insight", "importance": 0.7, "tags": ["decisions"], "emotion": "satisfaction",
                                   "user": "ana"}}),
    ("search_memory", {"query": "peanuts"}),
)  # fmt: skip
TURNS = [
    {"session_id": "s1", "position": 0, "speaker": "Ana", "text": "My first concert was Radiohead in 2003.",
     "event_time": "2026-05-02T18:00:00+02:00"},
    {"session_id": "s1", "position": 1, "speaker": "Ben", "text": "I'd never have guessed! I sing in a choir.",
     "event_time": "2026-05-02T18:01:00+02:00"},
    {"session_id": "s2", "position": 0, "speaker": "Ana", "text": "The choir has its concert on 14 June."},
]  # fmt: skip
GONE = [f"I play the {one}." for one in "bassoon oboe viola tuba harp lute zither banjo sitar bugle fiddle".split()]
MOVES = ["I work as a data engineer.", "I live in Leipzig.", "I play the bassoon.", "I own a red bicycle."]
WISHES = [
    "I work as a product manager now.",
    "I moved to Graz.",
    "I no longer play the bassoon.",
    "My sister Eva lives in Oslo.",
]


def talk(name: str, *said: str, day: int = 20) -> dict[str, Any]:
    """A discussion of the morning in which the user says these things."""
    messages = [{"role": "user", "content": one} for one in said]
    return {"type": "discussion", "id": name, "time": NOON.replace(day=day, hour=9).isoformat(), "messages": messages}


def explicit(name: str, text: str) -> dict[str, Any]:
    """A wish of the user."""
    return {"type": "explicit", "id": name, "time": NOON.replace(hour=11).isoformat(), "text": text}


TALK = [
    talk("t1", *WISHES, "Forget that I own a red bicycle.", day=19),
    talk("t2", "My landlord is called Otto.", "I always want SQL in lower case, please keep it like that.", day=20),
]


def day_of() -> list[Any]:
    """The demonstration's day, on the day of the story, and what changes a key."""
    lines = (Path(__file__).parents[3] / "demo" / "day.jsonl").read_text("utf-8").splitlines()
    demo = [json.loads(line.replace("2026-11-20", "2026-05-20")) for line in lines]
    return [*demo, talk("moved", "I moved to Vienna.", "I work as a project manager at a hospital now.")]
