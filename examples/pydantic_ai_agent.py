"""A pydantic-ai agent that remembers: `python examples/pydantic_ai_agent.py "openai:gpt-5-mini" "I play the cello."`."""

import sys
from typing import Any

try:
    from pydantic_ai import Agent
except ImportError:
    sys.exit("pydantic-ai is not installed: run .venv/bin/pip install '.[pydantic-ai]' in this repository")

from commonplace import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.integrations.pydantic_ai import memory_tools


def answer(memory: Commonplace, model: Any, said: str, tier: ShownTier | None = None) -> str:
    """Return the agent's answer. The agent decides when to store and search."""
    agent = Agent(model, tools=memory_tools(memory, tier))
    return str(agent.run_sync(said).output)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with Commonplace("memory.db") as opened:
        print(answer(opened, sys.argv[1], sys.argv[2]))
