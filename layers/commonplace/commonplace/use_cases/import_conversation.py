"""Import a conversation turn by turn, and store the position of each turn."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, TypeVar

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, list_of
from commonplace.domain.fields import MAX_TEXT, Place
from commonplace.domain.imports import ImportResult, Keep, LeftOut, Turn
from commonplace.domain.interactions import ChatMessage
from commonplace.extraction.worthiness import only_greets
from commonplace.memories.enrich import EnrichedStatement, PrecomputedEmbedder, enrich
from commonplace.memories.ingest import new_entry
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, Entry
from commonplace.text.redaction import redact, without_secret

_BATCH = 100
ASSISTANT = ("assistant", "system", "agent", "bot")
NOBODY = ("user", *ASSISTANT)
_NOT_WORTHY = "not_worthy: small talk, a question or a passing matter"
_LONGEST_NAME = 128
Progress = Callable[[int], None]
_Checked = TypeVar("_Checked", Turn, ChatMessage)


def import_turns(
    turns: Sequence[Mapping[str, Any]], keep: Keep, caller: Caller, ports: Ports, progress: Progress | None = None
) -> ImportResult:
    """Store turns or chat messages in batches. `progress` receives the number of finished turns.

    A turn is skipped if it contains only a secret or no words, is too long, or isn't worth storing. The result lists skipped
    turns with the reason. If a turn is invalid, an error with its number is raised before anything is stored.
    """
    zone, turns = caller.now.tzinfo, list_of(turns, "turns")
    checked = [_add_zone(_check_turn(Turn, turn, number), number, zone) for number, turn in enumerate(turns_of_chat(turns))]
    reader = _TurnReader(checked, keep, ports.facts.tags(caller.user_id), caller, ports)
    ids: list[str | None] = [None] * len(checked)
    left_out: list[LeftOut] = []
    for start in range(0, len(checked), _BATCH):
        numbers = range(start, min(start + _BATCH, len(checked)))
        outcomes = reader.entries(numbers)
        left_out += [LeftOut(turn=number, why=why) for number, why in outcomes.items() if isinstance(why, str)]
        entries = {number: entry for number, entry in outcomes.items() if isinstance(entry, Entry)}
        for number, (memory, _) in zip(entries, ports.records.add(list(entries.values())), strict=True):
            ids[number] = memory.memory_id
        if progress:
            progress(numbers.stop)
    return ImportResult(ids=ids, left_out=left_out)


def turns_of_chat(messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Convert chat messages to turns in a session, whose id is derived from the messages up to the user's first.

    Whether these are chat messages depends on the first item. Otherwise the list is returned unchanged.
    """
    if not messages or not isinstance(messages[0], Mapping) or "role" not in messages[0]:
        return messages
    checked = [_check_turn(ChatMessage, message, number) for number, message in enumerate(messages)]
    texts = [message.words for message in checked]
    until = next((number for number, message in enumerate(checked) if message.role == "user"), 0)
    begins = hashlib.sha256("\0".join(texts[: until + 1]).encode()).hexdigest()
    return [
        {"session_id": f"chat-{begins[:16]}", "position": number, "speaker": message.speaker or "system", "text": text}
        for number, (message, text) in enumerate(zip(checked, texts, strict=True))
    ]


@dataclass(frozen=True)
class _TurnReader:
    """Converts turns to entries."""

    turns: Sequence[Turn]
    keep: Keep
    own_tags: Mapping[str, int]
    caller: Caller
    ports: Ports

    def entries(self, numbers: Iterable[int]) -> dict[int, Entry | str]:
        """Return the entry of each turn, or the reason for skipping it. Vectors are computed in one batch."""
        checked = {number: self._redact_turn(number) for number in numbers}
        texts = {number: text for number, (text, why) in checked.items() if why is None}
        embedder = PrecomputedEmbedder.of(texts.values(), self.ports.embedder)
        statements = {}
        for number, text in texts.items():
            speaker = self.turns[number].speaker
            named = None if speaker.lower() in NOBODY else redact(speaker).text
            statement = enrich(text, self.ports.words, embedder, self.own_tags, named)
            if self.keep == "all" or (statement.classification.worthy and not only_greets(text)):
                statements[number] = statement
        return {
            number: self._build_entry(self.turns[number], statements[number]) if number in statements else why or _NOT_WORTHY
            for number, (_, why) in checked.items()
        }

    def _redact_turn(self, number: int) -> tuple[str, str | None]:
        """Return the redacted text of a turn, and the reason for skipping the turn or None."""
        turn = self.turns[number]
        if not any(map(str.isalnum, turn.text)):
            return "", "empty_text: contains no letter or digit"
        before = self.turns[number - 1] if number else None  # may show that a number in this turn is a secret
        asked = before.text if before and before.session_id == turn.session_id else None
        redaction = redact(turn.text[: 2 * MAX_TEXT], asked)
        if redaction.only_secret:
            return "", "secret_only: contains only a secret"
        if len(redaction.text) > MAX_TEXT:
            return "", f"text_too_long: {len(turn.text)} characters; {MAX_TEXT} are the most"
        if self.keep == "worthy" and turn.speaker.lower() in ASSISTANT:
            return "", "not_worthy: said by the assistant"
        return redaction.text, None

    def _build_entry(self, turn: Turn, statement: EnrichedStatement) -> Entry:
        source = "agent" if turn.speaker.lower() in ASSISTANT else "user"
        fields = {"agent_id": self.caller.agent_id, "source": source}
        place = Place(
            session_id=without_secret(turn.session_id),
            position=turn.position,
            speaker=redact(turn.speaker).text[:_LONGEST_NAME],
            event_time=turn.event_time,
        )
        return new_entry("import", statement, place, self.caller, self.ports, fields)


def _add_zone(turn: Turn, number: int, zone: tzinfo | None) -> Turn:
    if turn.event_time is None:
        return turn
    return turn.model_copy(update={"event_time": validate.moment_in(zone, turn.event_time, f"turns.{number}.event_time")})


def _check_turn(kind: type[_Checked], turn: Mapping[str, Any], number: int) -> _Checked:
    try:
        return validate.check(kind, turn)
    except CommonplaceError as error:
        field = f"turns.{number}" + (f".{error.field}" if error.field else "")
        raise CommonplaceError(error.code, f"turns.{number}: {error.message}", field) from None
