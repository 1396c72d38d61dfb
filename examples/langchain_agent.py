"""A LangChain agent that remembers: `python examples/langchain_agent.py "anthropic:claude-haiku-4-5" "I play the cello."`."""

import sys
from typing import Any

try:
    from langchain.agents import create_agent
except ImportError:
    sys.exit("LangChain is not installed: run .venv/bin/pip install '.[langchain]' in this repository")

from commonplace import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.integrations.langchain import memory_tools


def answer(memory: Commonplace, model: Any, said: str, tier: ShownTier | None = None) -> str:
    """Return the agent's answer. The agent decides when to store and search."""
    agent = create_agent(model, tools=memory_tools(memory, tier))
    return str(agent.invoke({"messages": [("user", said)]})["messages"][-1].content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with Commonplace("memory.db") as opened:
        print(answer(opened, sys.argv[1], sys.argv[2]))
