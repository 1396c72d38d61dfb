"""What a plain install does with an extra left out, and what it says where one is needed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration import command_line
from tests.integration.command_line import Done, clean

pytestmark = pytest.mark.integration

_WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(",")))  # an import of these fails as if they were not installed
from commonplace.interfaces.cli import main
main(sys.argv[1:])
"""
CLAUDE, AWS = "anthropic", "boto3,botocore,opensearchpy,aws_lambda_powertools,aws_xray_sdk"
WITH_KEY = {"ANTHROPIC_API_KEY": "sk-ant-api03-scripted"}
ON_BEDROCK = {"COMMONPLACE_BEDROCK_MODEL": "eu.anthropic.claude"}
INSTALL_CLAUDE, INSTALL_AWS = (f"run pip install '.[{extra}]' in a clone" for extra in ("claude", "aws"))
ROOT = Path(__file__).parents[2]
DAY = ROOT / "demo" / "day.jsonl"


def run(without: str, *arguments: str, home: Path, environment: dict[str, str]) -> Done:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, without, *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False, encoding="utf-8",
        env=clean(home, {"COMMONPLACE_DB": str(home / "memory.db"), **environment}),
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


_EXAMPLE = """
import runpy, sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))
runpy.run_path(sys.argv[2], run_name="__main__")
"""
_FRAMEWORKS = {
    "langchain_agent": ("langchain", "langchain"),
    "langgraph_store": ("langgraph", "langgraph"),
    "openai_agents_agent": ("agents", "openai-agents"),
    "pydantic_ai_agent": ("pydantic_ai", "pydantic-ai"),
    "strands_agent": ("strands", "strands"),
    "discussion_agent": (CLAUDE, "claude"),
}


def refused(done: Done, install: str) -> None:
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert install in done.err
    assert "Traceback" not in done.err


def test_a_key_without_the_sdk_hinders_no_store_and_no_search(tmp_path: Path) -> None:
    stored = run(CLAUDE, "store", "My daughter Mia is allergic to peanuts.", home=tmp_path, environment=WITH_KEY)
    assert (stored.code, stored.err) == (0, "")
    found = run(CLAUDE, "--json", "search", "is anybody allergic?", home=tmp_path, environment=WITH_KEY)
    assert [hit["content"] for hit in found.answer["results"]] == ["My daughter Mia is allergic to peanuts."]


@pytest.mark.parametrize(
    ("environment", "without", "install"),
    [(WITH_KEY, CLAUDE, INSTALL_CLAUDE), (ON_BEDROCK, CLAUDE, INSTALL_CLAUDE), (ON_BEDROCK, AWS, INSTALL_AWS)],
    ids=["key", "bedrock", "bedrock without aws"],
)
def test_what_would_ask_claude_names_the_extra(
    tmp_path: Path, environment: dict[str, str], without: str, install: str
) -> None:
    for prepared in (("store", "My daughter Mia is allergic to peanuts."), ("record", str(DAY))):
        assert command_line.run("--db", str(tmp_path / "memory.db"), *prepared, home=tmp_path).code == 0
    asked = json.dumps({"query": "is anybody allergic?"})
    for command in (("normalize", "I moved to Leeds."), ("call", "summarize_memory", asked), ("nightly",)):
        refused(run(without, *command, home=tmp_path, environment=environment), install)


def test_a_night_that_cannot_ask_begins_no_run(tmp_path: Path) -> None:
    command_line.run("--db", str(tmp_path / "memory.db"), "record", str(DAY), home=tmp_path)
    refused(run(CLAUDE, "nightly", home=tmp_path, environment=WITH_KEY), INSTALL_CLAUDE)
    assert run(CLAUDE, "--json", "runs", "list", home=tmp_path, environment=WITH_KEY).answer == []
    by_rules = run(CLAUDE, "--json", "nightly", "--mode", "rules", home=tmp_path, environment=WITH_KEY)
    assert (by_rules.code, by_rules.err) == (0, "")


@pytest.mark.parametrize("verb", ["doctor", "reindex"])
def test_a_table_without_the_libraries_of_aws_names_the_extra(tmp_path: Path, verb: str) -> None:
    refused(run(AWS, verb, home=tmp_path, environment={"COMMONPLACE_TABLE": "memories"}), INSTALL_AWS)


def test_a_user_of_a_table_cannot_be_erased_without_them(tmp_path: Path) -> None:
    named = ("erase", "--table", "memories", "--user", "jwt|somebody", "--yes")
    refused(run(AWS, *named, home=tmp_path, environment={"COMMONPLACE_PAGES_BUCKET": "pages"}), INSTALL_AWS)


def test_a_bucket_for_the_pages_without_them_names_the_extra(tmp_path: Path) -> None:
    refused(run(AWS, "nightly", home=tmp_path, environment={"COMMONPLACE_PAGES_BUCKET": "pages"}), INSTALL_AWS)


def test_every_example_is_tried_without_its_library() -> None:
    programs = {path.stem for path in (ROOT / "examples").glob("*.py") if "__main__" in path.read_text("utf-8")}
    assert programs == _FRAMEWORKS.keys()


@pytest.mark.parametrize("example", _FRAMEWORKS)
def test_an_example_without_its_library_names_the_extra(example: str) -> None:
    package, extra = _FRAMEWORKS[example]
    done = subprocess.run(
        [sys.executable, "-c", _EXAMPLE, package, str(ROOT / "examples" / f"{example}.py")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"run .venv/bin/pip install '.[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    ("integration", "extra", "use"),
    [
        ("anthropic", "claude", ""),
        ("langgraph", "langgraph", ""),
        ("langchain", "langchain", ".memory_tools(None)"),
        ("openai_agents", "openai-agents", ".memory_tools(None)"),
        ("pydantic_ai", "pydantic-ai", ".memory_tools(None)"),
        ("strands", "strands", ".memory_tools(None)"),
    ],
)
def test_an_integration_without_its_library_names_the_extra(integration: str, extra: str, use: str) -> None:
    absent = ("anthropic", "langgraph", "langchain_core", "agents", "pydantic_ai", "strands")
    program = f"import sys\nsys.modules.update(dict.fromkeys({absent}))\nimport commonplace.integrations.{integration} as it\nit{use}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert f"run pip install '.[{extra}]' in a clone" in done.stderr.splitlines()[-1]
