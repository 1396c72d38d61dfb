"""What an agent waits for, and reads, before it knows the tools: `commonplace mcp` from its start to its list."""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO, Any

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import BertPreTokenizer

import commonplace
from benchmarks.report import Table, main
from commonplace.contract.manifest import ShownTier
from commonplace.interfaces.mcp.tiers import shown_tools

_RUNS = 15
_TARGET, _MOST_TOKENS = 0.4, 2_000
_SERVER = ("-c", "from commonplace.interfaces.cli import main; main()", "mcp")
_BESIDE = {"an interpreter, nothing imported": ("-c", "pass"), "import mcp.server": ("-c", "import mcp.server")}
_TIERS: Mapping[str, ShownTier | None] = {"(none)": None, "primary": "primary", "core": "core", "all": "all"}
_PIECES = Path(commonplace.__file__).parent / "data" / "embedding" / "vocabulary.txt"


def measure(_: argparse.Namespace) -> list[Table]:
    """Both tables; what was never started before is compiled first."""
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "COMMONPLACE_DB": str(Path(folder, "memory.db"))}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        found = _timed(environment)
    return [_times(found), _tokens()]


def _timed(environment: Mapping[str, str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in (*_BESIDE, "commonplace mcp, to the list of tools")}
    for run in range(_RUNS + 1):
        took = [*(_ended(program, environment) for program in _BESIDE.values()), _listed(environment)]
        if run:
            for seconds, one in zip(found.values(), took, strict=True):
                seconds.append(one)
    return found


def _ended(program: Sequence[str], environment: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *program], env=environment, check=True)
    return time.perf_counter() - begun


def _listed(environment: Mapping[str, str]) -> float:
    """Seconds from the start of the process until it has answered what a client asks first."""
    begun, pipe = time.perf_counter(), subprocess.PIPE
    with subprocess.Popen([sys.executable, *_SERVER], env=environment, stdin=pipe, stdout=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        _answered(server.stdin, server.stdout, {"id": 1, "method": "initialize", "params": hello})
        _send(server.stdin, {"method": "notifications/initialized"})
        tools = _answered(server.stdin, server.stdout, {"id": 2, "method": "tools/list"})
        seconds = time.perf_counter() - begun
        server.stdin.close()
        assert tools["result"]["tools"]
    return seconds


def _send(to: IO[bytes], message: Mapping[str, Any]) -> None:
    to.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    to.flush()


def _answered(to: IO[bytes], out: IO[bytes], message: Mapping[str, Any]) -> Any:
    _send(to, message)
    return json.loads(out.readline())


def _times(found: Mapping[str, Sequence[float]]) -> Table:
    rows = [(name, min(took), median(took)) for name, took in found.items()]
    beyond = rows[-1][1] - rows[-2][1]
    note = (
        f"Each row is from {_RUNS} fresh processes with compiled Python files, and the rows take turns. The last row minus "
        f"the row `import mcp.server` is {beyond:.3f} s for the least times and {rows[-1][2] - rows[-2][2]:.3f} s for the "
        f"medians; the target is {'met' if beyond <= _TARGET else 'not met'}."
    )
    target = f"the list takes at most {_TARGET} s more than import mcp.server, in the same run"
    return Table("From the start to the list of tools", ("process", "least s", "median s"), list(rows), target, [note])


def _tokens() -> Table:
    pieces = Tokenizer(WordPiece.from_file(str(_PIECES), unk_token="[UNK]", max_input_chars_per_word=200))
    pieces.pre_tokenizer = BertPreTokenizer()
    rows = []
    for name, tier in _TIERS.items():
        tools = shown_tools(tier)
        text = json.dumps([_read_by_model(tool) for tool in tools], ensure_ascii=False, separators=(",", ":"))
        words = " ".join(f"{tool.title} {tool.description}" for tool in tools)
        rows.append((name, len(tools), len(text), len(text) // 4, len(pieces.encode(text.lower()).ids), len(words) // 4))
    note = (
        "The figures are for the text that a client passes to its model: the name, description and input schema of each "
        "tool, as JSON without blanks. Four characters per token is the usual rule for English and JSON. The number of "
        "BERT's word pieces is an upper bound, because each bracket and each quote is a piece of its own."
    )
    columns = (
        "--tier", "tools", "characters", "tokens (characters / 4)", "BERT word pieces", "tokens in titles and descriptions",
    )  # fmt: skip
    return Table("Tokens per tier", columns, list(rows), f"without --tier at most {_MOST_TOKENS:,} tokens", [note])


def _read_by_model(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


if __name__ == "__main__":
    main("mcp_start", "MCP: how long an agent waits, and how much it reads, before it knows the tools", measure, False)
