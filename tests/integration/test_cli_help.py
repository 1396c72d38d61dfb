import subprocess
import sys
from pathlib import Path

import click
import pytest

from commonplace.interfaces.cli import LISTED, Listed
from tests.integration.command_line import run, run_process

pytestmark = pytest.mark.integration

VERBS = [
    "backup", "call", "context", "delete", "discover", "doctor", "erase", "export", "feedback", "get", "history", "import", "list",
    "manifest", "markdown", "mcp", "merge", "migrate", "network", "nightly", "normalize", "record", "reindex", "repair", "runs", "search",
    "serve", "stats", "store", "tags", "timeline", "token", "trace", "ui", "undo", "update", "usage", "validate",
]  # fmt: skip
LOADED = {str(listed.name): listed.load() for listed in LISTED}
COMMANDS = {
    f"{verb} {name}".strip(): command
    for verb, group in LOADED.items()
    for name, command in (group.commands.items() if isinstance(group, click.Group) else [("", group)])
}


def test_help_lists_every_verb_and_what_the_exit_codes_mean(tmp_path: Path) -> None:
    done = run_process("--help", home=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert all(f"  {verb} " in done.out for verb in VERBS)
    assert all(f"{code} " in done.out.split("Exit codes:")[1] for code in (0, 1, 2, 3, 4, 130))


def test_without_a_command_the_help_is_on_stderr_as_it_is_and_the_code_is_2(tmp_path: Path) -> None:
    done = run(home=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == run("--help", home=tmp_path).out


@pytest.mark.parametrize("verb", ["doctor", "reindex"])
def test_the_verbs_of_a_deployment_tell_how_to_run_over_make_cloud(tmp_path: Path, verb: str) -> None:
    told = run(verb, "--help", home=tmp_path).out
    assert f"commonplace {verb} --table commonplace --endpoint" in told
    assert "AWS_ENDPOINT_URL_DYNAMODB" in told


def test_the_verbs_are_these() -> None:
    assert [listed.name for listed in LISTED] == VERBS


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.name)
def test_a_verb_is_listed_by_the_name_and_the_first_sentence_of_its_own_help(listed: Listed) -> None:
    command = listed.load()
    assert (listed.name, listed.get_short_help_str(80)) == (command.name, command.get_short_help_str(80))


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_verb_and_every_option_says_what_it_is_for(verb: str) -> None:
    command = COMMANDS[verb]
    assert command.help
    assert LOADED[verb.split()[0]].help
    assert all(option.help for option in command.params if isinstance(option, click.Option))


@pytest.mark.parametrize("verb", COMMANDS)
def test_what_may_be_left_out_stands_in_brackets(verb: str) -> None:
    arguments = [one for one in COMMANDS[verb].params if isinstance(one, click.Argument)]
    shown = [one.make_metavar(click.Context(COMMANDS[verb])) for one in arguments]
    assert [one.startswith("[") for one in shown] == [not one.required for one in arguments], shown


@pytest.mark.parametrize("verb", COMMANDS)
def test_every_verb_takes_the_shared_options(verb: str) -> None:
    names = {name for option in COMMANDS[verb].params for name in option.opts}
    assert {"--db", "--user", "--timezone", "--json"} <= names


def test_the_list_of_verbs_is_not_cut_off(tmp_path: Path) -> None:
    assert "..." not in run("--help", home=tmp_path).out.split("Commands:")[1]


def test_help_imports_no_command_and_nothing_of_ours_but_how_errors_are_told() -> None:
    code = """
import atexit
atexit.register(lambda: print(*(name for name in sys.modules if name.startswith("commonplace.")), file=sys.stderr))
from commonplace.interfaces.cli import main
main(["--help"])
"""
    done = subprocess.run([sys.executable, "-S", "-c", _path() + code], capture_output=True, text=True, check=True)
    rooms = {"commonplace.domain", "commonplace.interfaces"}
    files = {"commonplace.domain.errors", *(f"commonplace.interfaces.cli{file}" for file in ("", ".failures", ".options"))}
    assert set(done.stderr.split()) == rooms | files


def test_the_help_of_a_command_imports_nothing_heavy() -> None:
    heavy = {"anthropic", "mcp", "numpy", "pydantic", "rich", "sqlite3", "starlette", "uvicorn"}
    code = "import sys; from commonplace.interfaces.cli import LISTED; [verb.load() for verb in LISTED]"
    code += f"; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-S", "-c", _path() + code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_help_makes_no_file(tmp_path: Path) -> None:
    run("--help", home=tmp_path)
    assert list(tmp_path.iterdir()) == []


def _path() -> str:
    return f"import sys; sys.path[:] = {sys.path!r}; "  # -S: what a site adds at start is not ours to count
