"""An agent of the OpenAI SDK that remembers: `python examples/openai_agents_agent.py gpt-5-mini "I play the cello."`."""

import asyncio
import sys
from typing import Any

try:
    from agents import Agent, Runner
except ImportError:
    sys.exit("the OpenAI Agents SDK is not installed: run .venv/bin/pip install '.[openai-agents]' in this repository")

from commonplace import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.integrations.openai_agents import memory_tools


async def answer(memory: Commonplace, model: Any, said: str, tier: ShownTier | None = None) -> str:
    """Return the agent's answer. The agent decides when to store and search."""
    agent = Agent(name="remembers", model=model, tools=[*memory_tools(memory, tier)])
    return str((await Runner.run(agent, said)).final_output)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with Commonplace("memory.db") as opened:
        print(asyncio.run(answer(opened, sys.argv[1], sys.argv[2])))
