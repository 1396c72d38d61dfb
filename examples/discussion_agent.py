"""Chat with Claude in the terminal. It remembers what you say about yourself in later conversations.

    ANTHROPIC_API_KEY=... python examples/discussion_agent.py --db memory.db --user ana

The tools come from `tool_manifest.json`, the instructions from `system_prompt.md`. At the end, the conversation is
recorded for the next nightly run.
"""

import argparse
import json
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

import click

try:
    import anthropic
    from anthropic.types import Message, MessageParam, TextBlockParam, ToolParam, ToolResultBlockParam, ToolUseBlock
except ImportError:
    sys.exit("Claude's SDK is not installed: run .venv/bin/pip install '.[claude]' in this repository")

from agent_memory import Memory, opened
from commonplace import CommonplaceError
from commonplace.settings import read_settings

with suppress(ImportError):  # arrow keys and history at the prompt, if available
    import readline  # noqa: F401

PROMPT = Path(__file__).with_name("system_prompt.md")
MANIFEST = Path(__file__).parents[1] / "tool_manifest.json"
MAX_CALLS = 8  # API calls per message of the user
MAX_TOKENS = 4_000  # per answer
SECONDS = 60.0  # per request
MAX_TOPIC = 8_000  # characters
NEEDS = "discussion_agent: it talks with Claude and needs a key of the Anthropic API: set ANTHROPIC_API_KEY"
CUT = {"error": {"message": "this call was cut off and did not run; make it again, with less in one answer"}}
NO_ANSWER = {
    "refusal": "Claude declined to answer this.",
    "model_context_window_exceeded": "This conversation is too long. End it and start a new one; stored memories stay.",
}


class Unanswered(Exception):  # noqa: N818 - not a programming error
    """A message got no answer. The text tells the user why."""


class Agent:
    """A conversation. Texts and tool calls are written to `out` as they arrive."""

    def __init__(self, claude: anthropic.Anthropic, model: str, memory: Memory, out: TextIO) -> None:
        self._claude, self._model, self._memory, self._out = claude, model, memory, out
        self._began = datetime.now().astimezone()
        self._prompt = PROMPT.read_text(encoding="utf-8")
        self._tools = tools_of(json.loads(MANIFEST.read_text(encoding="utf-8")))
        self._messages: list[MessageParam] = []
        self._said: list[dict[str, str]] = []

    def say(self, text: str) -> str:
        """Return Claude's answer to a message. Raises `Unanswered`, and then drops the message."""
        self._said.append({"role": "user", "content": text})
        before = list(self._messages)
        opening = [] if before else self._opening(text)
        self._messages.append({"role": "user", "content": [*opening, {"type": "text", "text": text}]})
        try:
            answer = self._answered()
        except BaseException:
            self._messages = before  # a tool call without a result would make every later request invalid
            raise
        if answer:
            self._said.append({"role": "assistant", "content": answer})
        return answer

    def record(self) -> None:
        """Record the conversation for the next nightly run. Raises `CommonplaceError`."""
        if not self._said:
            return
        talk = {"type": "discussion", "id": f"talk-{uuid.uuid4()}", "time": self._began.isoformat(), "messages": self._said}
        done = self._memory.record_interactions([talk])
        refused = "".join(f"Not recorded for the night: {one.message}" for one in done.refused)
        self._show(refused or "Recorded for the night.", dim=True)

    def _opening(self, topic: str) -> list[TextBlockParam]:
        """Return the time and the memories about the first message."""
        now: TextBlockParam = {"type": "text", "text": f"<now>{self._began:%A, %Y-%m-%d %H:%M %Z}</now>"}
        status, body = self._call("get_memory_context", {"topic": topic[:MAX_TOPIC]})
        return [now, {"type": "text", "text": body["context"]}] if status == 200 else [now]

    def _answered(self) -> str:
        """Ask and run the tool calls until an answer calls no tool. Return all texts."""
        texts: list[str] = []
        for number in range(1, MAX_CALLS + 1):
            answer = self._ask(last=number == MAX_CALLS)
            if answer.stop_reason in NO_ANSWER:
                raise Unanswered(NO_ANSWER[answer.stop_reason])
            blocks = [block for block in answer.content if block.type != "text" or block.text]
            if blocks:  # the API refuses empty messages
                self._messages.append({"role": "assistant", "content": blocks})
            new = [block.text for block in blocks if block.type == "text"]
            texts += new
            for text in new:
                self._show(text)
            results = self._results(answer)
            if not results:
                return "\n".join(texts)
            self._messages.append({"role": "user", "content": results})
        raise Unanswered(f"Claude called tools {MAX_CALLS} times and gave no answer.")

    def _ask(self, last: bool) -> Message:
        try:
            return self._claude.messages.create(
                model=self._model,
                max_tokens=MAX_TOKENS,
                system=self._prompt,
                tools=self._tools,
                tool_choice={"type": "none"} if last else anthropic.omit,
                messages=self._messages,
                cache_control={"type": "ephemeral"},  # tools, instructions and the conversation so far are charged once
                timeout=SECONDS,
            )
        except anthropic.APIError as error:
            raise Unanswered(f"Claude could not be asked: {error.message}") from error

    def _results(self, answer: Message) -> list[ToolResultBlockParam]:
        """Run the tool calls of an answer in order. If the answer was cut off, skip the last call: it may be incomplete."""
        results: list[ToolResultBlockParam] = []
        for block in answer.content:
            if not isinstance(block, ToolUseBlock):
                continue
            cut = answer.stop_reason == "max_tokens" and block is answer.content[-1]
            status, body = (400, CUT) if cut else self._call(block.name, block.input)
            said = json.dumps(body, ensure_ascii=False)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": said, "is_error": status != 200})
        return results

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        status, body = self._memory.answer(tool, arguments)
        told = "" if status == 200 else f" -> {json.dumps(body, ensure_ascii=False)}"
        self._show(f"  {tool} {json.dumps(arguments, ensure_ascii=False)}{told}", dim=True)
        return status, body

    def _show(self, text: str, dim: bool = False) -> None:
        click.echo(click.style(text, dim=True) if dim else text, file=self._out)


def tools_of(manifest: Mapping[str, Any]) -> list[ToolParam]:
    """Return the tools of the manifest in the format of the Messages API."""
    return [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["input_schema"]}
        for tool in manifest["tools"]
    ]


def chat(agent: Agent) -> None:
    """Yield the user's lines until Ctrl-D, Ctrl-C or /quit."""
    with suppress(EOFError, KeyboardInterrupt):
        while (text := input("\nyou> ").strip()) != "/quit":
            try:
                if text:
                    agent.say(text)
            except Unanswered as error:
                click.secho(str(error), fg="red", bold=True)
    agent.record()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chat. Return 0 at its end, 1 if the memory fails, 2 if a requirement is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--model", metavar="NAME", help="which Claude [COMMONPLACE_CLAUDE_MODEL]")
    parser.add_argument("--db", metavar="FILE", help="the memory file [COMMONPLACE_DB]")
    parser.add_argument("--user", metavar="NAME", help="whose memories [COMMONPLACE_USER]")
    parser.add_argument("--url", metavar="URL", help="a server instead of a file, with COMMONPLACE_TOKEN if it needs one")
    given = parser.parse_args(arguments)
    if given.url and (given.db or given.user):
        parser.error("--url: a server has its own file and knows the user itself; leave out --db and --user")
    if given.url and not given.url.startswith(("http://", "https://")):
        parser.error("--url: begins with http:// or https://")
    try:
        settings = read_settings()
        key = (settings.anthropic_api_key or "").strip()
        if not key:
            print(NEEDS, file=sys.stderr)
            return 2
        claude = anthropic.Anthropic(api_key=key, base_url=settings.anthropic_base_url)
        with claude, opened(given.url, given.db, given.user) as memory:
            chat(Agent(claude, given.model or settings.claude_model, memory, sys.stdout))
    except CommonplaceError as error:
        print(f"discussion_agent: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
