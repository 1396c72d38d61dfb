"""A model that answers the night's prompts as the API would, by rule: short, well-formed and of no great judgement."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from commonplace.nightly.budget import tokens_of
from commonplace.ports.values import Reply

_ONE_OF = 5
_FIRST_SENTENCE = re.compile(r"[^.!?。\n]{12,200}")
Line = Mapping[str, Any]


class ScriptedModel:
    """Keeps the first sentence of one message of five, and takes every candidate for new."""

    name = "scripted"

    def reply(
        self,
        instructions: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        **_limits: Any,
    ) -> Reply:
        """The answer to the extraction prompt, to the decision prompt, or the next turn with the tools."""
        lines = list(_lines(messages[0]["content"]))
        blocks, ended = self._turn(lines, len(messages) // 2) if tools else ([_said(lines)], True)
        read = tokens_of(instructions, messages, tools, schema)
        return Reply(tuple(blocks), "end_turn" if ended else "tool_use", read, tokens_of(blocks))

    def _turn(self, lines: Sequence[Line], turn: int) -> tuple[list[dict[str, Any]], bool]:
        """Looks for all, then writes all, then ends."""
        calls = [
            _call("search_memory", number, query=evidence)
            if turn == 0
            else _call("write_memory", number, key=f"{line['interaction_id']}-{line['message']}", value=evidence,
                       category="personal_context", durability="durable", confidence=0.9, evidence=evidence,
                       interaction_id=line["interaction_id"])
            for number, (line, evidence) in enumerate(_kept(lines))
        ]  # fmt: skip
        return (calls, False) if calls and turn < 2 else ([{"type": "text", "text": "Done."}], True)


def _lines(shown: str) -> Iterator[Line]:
    for line in shown.splitlines():
        if line.startswith('{"message"') or line.startswith('{"candidate"'):
            yield json.loads(line)


def _kept(lines: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    for line in lines[::_ONE_OF]:
        found = _FIRST_SENTENCE.search(line["user"])
        if found:
            yield line, found[0].strip()


def _said(lines: Sequence[Line]) -> dict[str, Any]:
    if lines and "candidate" in lines[0]:
        answer: dict[str, Any] = {"decisions": [{"candidate": line["candidate"], "operation": "ADD"} for line in lines]}
    else:
        answer = {
            "memories": [
                {"message": line["message"], "evidence": evidence, "content": evidence, "confidence": 0.9}
                for line, evidence in _kept(lines)
            ]
        }
    return {"type": "text", "text": json.dumps(answer, ensure_ascii=False)}


def _call(name: str, number: int, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{name}_{number}", "name": name, "input": given}
