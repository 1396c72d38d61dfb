from pathlib import Path

import pytest

from tests.integration.command_line import run, run_process, stored

pytestmark = pytest.mark.integration


@pytest.fixture
def filled(memory_file: Path) -> Path:
    for text in ("I play the cello in an orchestra.", "My daughter Mia is allergic to peanuts.", "金曜日に大阪へ行きます。"):
        stored(text, memory_file)
    return memory_file


def test_a_person_sees_the_memory_and_its_relevance(filled: Path) -> None:
    done = run("search", "is anybody allergic to peanuts?", "--db", str(filled), home=filled.parent)
    assert (done.code, done.err) == (0, "")
    assert "allergic to peanuts" in done.out
    assert "relevance" in done.out


def test_a_machine_gets_exactly_the_answer_of_the_tool(filled: Path) -> None:
    done = run("search", "cello", "--json", "--db", str(filled), home=filled.parent)
    assert set(done.answer) == {"results", "total_found", "query_analysis"}
    assert done.answer["results"][0]["content"] == "I play the cello in an orchestra."


@pytest.mark.parametrize("words", [["who", "plays", "the", "cello?"], ["who plays", "the cello?"]])
@pytest.mark.parametrize("verb", ["search", "context"])
def test_a_question_needs_no_quotes(filled: Path, verb: str, words: list[str]) -> None:
    asked = [verb, *words[:1], "--json", "--db", str(filled), *words[1:]]  # options may stand anywhere
    done = run(*asked, home=filled.parent)
    assert (done.code, done.err) == (0, "")
    quoted = run(verb, " ".join(words), "--json", "--db", str(filled), home=filled.parent)
    found = "context" if verb == "context" else "total_found"
    assert done.answer[found] == quoted.answer[found]
    assert "orchestra" in done.out


def test_a_dash_among_words_is_a_word(filled: Path) -> None:
    done = run("search", "cello", "-", "orchestra", "--json", "--db", str(filled), home=filled.parent, stdin="大阪")
    assert done.answer["results"][0]["content"] == "I play the cello in an orchestra."


def test_no_question_at_all_is_a_mistake(filled: Path) -> None:
    done = run("search", "--db", str(filled), home=filled.parent)
    assert done.code == 2
    assert "Missing argument 'QUERY'" in done.err


def test_nothing_found_is_no_failure(filled: Path) -> None:
    done = run("search", "zeppelin hangar", "--db", str(filled), home=filled.parent)
    assert (done.code, done.err) == (0, "")
    assert "nothing matches" in done.out or "that match" in done.out


def test_filters_reach_the_engine(filled: Path) -> None:
    def found(*options: str) -> int:
        done = run("search", "cello orchestra", "--json", "--db", str(filled), *options, home=filled.parent)
        return len(done.answer["results"])

    assert found() == 1
    assert found("--before", "2001-01-01") == 0
    assert found("--after", "2001-01-01", "--include-expired", "--limit", "1") == 1
    assert found("--category", "system") == 0
    assert found("--kind", "instruction") == 0
    assert found("--min-importance", "1") == 1


def test_the_query_may_come_from_stdin(filled: Path) -> None:
    done = run("search", "-", "--json", "--db", str(filled), home=filled.parent, stdin="大阪\n")
    assert done.answer["results"][0]["content"] == "金曜日に大阪へ行きます。"


def test_what_was_said_is_shown_as_it_is_and_not_as_markup(memory_file: Path) -> None:
    text = "The label [bold]tea[/bold] and :tea: stand on the tin [redacted:note]."
    stored(text, memory_file)
    done = run("search", "label tea tin", "--db", str(memory_file), home=memory_file.parent, environment={"COLUMNS": "140"})
    assert text in done.out


def test_output_into_a_file_has_no_colours(filled: Path) -> None:
    assert "\x1b" not in run("search", "cello", "--db", str(filled), home=filled.parent).out


def test_answers_are_utf8_whatever_the_locale(filled: Path) -> None:
    environment = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run_process(
        "search", "What do you know about me?", "--db", str(filled), home=filled.parent, environment=environment
    )
    assert "金曜日に大阪へ行きます。" in done.out


def test_a_time_in_the_query_is_shown(filled: Path) -> None:
    done = run("search", "cello last week", "--timezone", "Europe/Berlin", "--db", str(filled), home=filled.parent)
    assert "until before" in done.out
