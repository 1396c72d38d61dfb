"""A Strands agent that remembers: `python examples/strands_agent.py MODEL-ID-ON-BEDROCK "I play the cello."`."""

import sys
from typing import Any

try:
    from strands import Agent
except ImportError:
    sys.exit("Strands is not installed: run .venv/bin/pip install '.[strands]' in this repository")

from commonplace import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.integrations.strands import memory_tools


def answer(memory: Commonplace, model: Any, said: str, tier: ShownTier | None = None) -> str:
    """Return the agent's answer. The agent decides when to store and search."""
    agent = Agent(model=model, tools=[*memory_tools(memory, tier)], callback_handler=None)
    return str(agent(said))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with Commonplace("memory.db") as opened:
        print(answer(opened, sys.argv[1], sys.argv[2]))
