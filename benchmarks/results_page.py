"""Writes `RESULTS.md` from what the benchmarks left in `results/`; `--check` tells whether it is up to date."""

import json
import sys
from pathlib import Path

from benchmarks.report import FOLDER, RESULTS, shown

PAGE = FOLDER / "RESULTS.md"
ORDER = (
    "everyday", "peers", "peer_times", "retrieval", "classification", "extraction", "merges", "updates", "redaction",
    "timeranges", "latency", "search_during_run", "imports", "search_cost", "footprint", "command_start", "mcp_start", "page",
    "package_size", "nights", "night_changes", "night_locomo", "night_years", "night_calls", "night_thousand",
    "cold_start", "cloud_retrieval", "cloud_latency", "success", "advanced", "fuzz",
)  # fmt: skip


def page() -> str:
    """The page: a section per benchmark with its command, tables, what was aimed at, and notes."""
    intro = (FOLDER / "results_intro.md").read_text(encoding="utf-8").rstrip()
    sections = [_section(RESULTS / f"{name}.json") for name in ORDER if (RESULTS / f"{name}.json").exists()]
    return "\n\n".join([intro, *sections]) + "\n"


def _section(path: Path) -> str:
    whole = json.loads(path.read_text(encoding="utf-8"))
    parts = [f"## {whole['description']}", f"    {whole['command']}"]
    for table in whole["tables"]:
        lines = [f"**{table['title']}**", "", "| " + " | ".join(table["columns"]) + " |"]
        lines.append("|" + "---|" * len(table["columns"]))
        lines += ["| " + " | ".join(shown(cell) for cell in row) + " |" for row in table["rows"]]
        if table["target"]:
            lines += ["", f"Target: {table['target']}"]
        lines += [f"\n{note}" for note in table["notes"]]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    if "--check" in sys.argv:
        if PAGE.read_text(encoding="utf-8") != page():
            sys.exit("benchmarks/RESULTS.md is not what results/*.json give: run python -m benchmarks.results_page")
    else:
        PAGE.write_text(page(), encoding="utf-8")
