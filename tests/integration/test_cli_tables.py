"""The tables of the command line on narrow terminals: no id, tag or word is broken."""

import re
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.interfaces.cli.tables import Remarked, print_rows
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

TAG = "hydroelectric-engineering-department-seventeen"
LONG_WORD = "Rindfleischetikettierungsaufgaben"
CONCEPT = "Kleinstrasseninstandsetzung"
DAY = Path(__file__).parents[2] / "demo" / "day.jsonl"
_RULE = re.compile(r"─+|[\d.,]+")  # a rule, or a number: times differ from call to call


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    with Commonplace(home / "memory.db", user_id="ana", timezone="UTC") as memory:
        for text in (f"Ana is in charge of {LONG_WORD}.", f"Ana leads the {CONCEPT} with Bob."):
            memory.store_memory(text, context={"additional_tags": [TAG]})
        memory.write_memory("drink", f"Ana drinks tea at {CONCEPT}.", "preference", "durable")
        memory.update_memory("drink", f"Ana drinks coffee at {LONG_WORD}.")
        memory.memory_store("Ana decides fast.", {"type": "insight", "tags": [TAG]}, collection="x" * 40)
        memory.search_memory("who leads?")
    for arguments in (("record", str(DAY)), ("nightly",), ("runs", "undo", "last"), ("backup", "make")):
        run(*arguments, "--db", str(home / "memory.db"), "--user", "ana", home=home)
    return home


def asked(home: Path, *arguments: str, width: int) -> str:
    done = run(*arguments, "--db", str(home / "memory.db"), "--user", "ana", home=home, environment={"COLUMNS": str(width)})
    assert (done.code, done.err) == (0, ""), arguments
    return done.out


def words(text: str) -> set[str]:
    return {word for word in text.split() if not _RULE.fullmatch(word)}


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize(
    "arguments",
    [
        "runs list", "runs show last", "stats", "timeline", "network", "search who leads?", "trace who leads?", "usage", "list",
        "get drink", "history drink", "discover", "discover memory_timeline", "tags list", "tags optimize", "merge",
        "backup list", "validate", "repair", "erase",
    ],
)  # fmt: skip
def test_no_id_tag_or_word_is_broken(home: Path, arguments: str, width: int) -> None:
    wide, narrow = (asked(home, *arguments.split(), width=columns) for columns in (1_000, width))
    assert words(narrow) - words(wide) == set()


def test_words_without_spaces_and_those_wider_than_the_terminal_lose_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    japanese, link = "うちの猫の名前はミケです。" * 6, "https://example.org/" + "a" * 80
    print_rows(("when", "memory"), [("2026-05-20", Remarked(japanese, link))], "memory")
    printed = capsys.readouterr().out
    assert link in printed.split()
    lines = [line for line in printed.splitlines() if "猫" in line or "ミケ" in line]
    assert "".join(line.split()[-1] for line in lines) == japanese
    assert max(map(len, lines)) <= 60
