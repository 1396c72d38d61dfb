import json
from pathlib import Path

import pytest

from commonplace.importing import kinds
from commonplace.interfaces import cli
from commonplace.interfaces.cli import options
from tests.integration.command_line import run, run_process

pytestmark = pytest.mark.integration

MISUSED = [
    (["frobnicate"], "No such command"),
    (["store"], "Missing argument"),
    (["search"], "Missing argument"),
    (["store", "tea", "--colour", "red"], "No such option"),
    (["search", "tea", "--limit", "many"], "not a valid integer"),
    (["serve", "--port", "99999"], "99999"),
    (["import", "nowhere.jsonl"], "does not exist"),
    (["call", "search_memory", "{"], "invalid_json"),
    (["call", "search_memory", "[]"], "must be a JSON object"),
    (["serve", "--host", "0.0.0.0", "--port", "0"], "this machine only"),
    (["serve", "--host", "example.com", "--port", "0"], "this machine only"),
    (["serve", "--host", "", "--port", "0"], "this machine only"),
]


@pytest.mark.parametrize(("arguments", "why"), MISUSED)
def test_what_is_misused_is_told_in_one_line_with_code_2(tmp_path: Path, arguments: list[str], why: str) -> None:
    done = run(*arguments, home=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith("commonplace: ")
    assert why in done.err
    assert "; " in done.err  # what to do next


@pytest.mark.parametrize(("arguments", "why"), MISUSED)
def test_with_json_it_is_the_body_of_the_error(tmp_path: Path, arguments: list[str], why: str) -> None:
    done = run("--json", *arguments, home=tmp_path)
    assert (done.code, done.out) == (2, "")
    error = json.loads(done.err)["error"]
    assert set(error) == {"code", "message", "field", "retryable"}
    assert why in f"{error['code']} {error['message']}"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["store", "?!"], "content"),
        (["store", "a\x01b"], "content"),
        (["store", "t" * 8001], "content"),
        (["store", "tea", "--importance", "9"], "context.force_importance"),
        (["search", "tea", "--limit", "0"], "limit"),
        (["search", "tea", "--min-relevance", "7"], "options.min_relevance"),
        (["search", "tea", "--after", "soon"], "options.time_range.after"),
        (["search", "tea", "--timezone", "Mars/Olympus"], "timezone"),
        (["search", "tea", "--user", ""], "user_id"),
    ],
)
def test_bad_input_names_its_field(tmp_path: Path, arguments: list[str], field: str) -> None:
    done = run(*arguments, "--json", home=tmp_path)
    assert done.code == 2
    assert json.loads(done.err)["error"]["field"] == field


def test_an_unknown_tool_is_code_3(tmp_path: Path) -> None:
    done = run_process("call", "forget_everything", home=tmp_path)
    assert done.code == 3
    assert "store_memory" in done.err


@pytest.mark.parametrize("content", [None, b"this is no memory file, and a long way from one" * 90])
def test_a_memory_file_that_cannot_be_used_is_code_4(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "memory.db"
    if content is None:
        file.mkdir()
    else:
        file.write_bytes(content)
    done = run("search", "tea", "--db", str(file), home=tmp_path)
    assert done.code == 4
    assert done.err.count("\n") == 1
    assert "--db" in done.err


@pytest.mark.parametrize(
    ("arguments", "next_step"),
    [
        (["import", "nofile.json"], "{missing}"),
        (["record", "nofile.jsonl"], "{missing}"),
        (["migrate", "tinydb", "nofile.json"], "{missing}"),
        (["manifest", "--check", "nofile.json"], "{missing}"),
        (["export", "-o", "nofolder/all.jsonl"], "there is no folder nofolder: create it, or name another"),
        (["search", "tea", "--db", "nofile.db"], 'there is no memory file nofile.db; "commonplace store" creates it'),
        (["search", "tea", "--db", "."], "is a folder: name a file in it, such as {cwd}/memory.db"),
        (["token", "list", "--tokens", "nofile"], '"commonplace token add NAME" makes it'),
        (["backup", "restore", "bak_1"], 'see "commonplace backup list"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_not_there_is_told_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], next_step: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, home=tmp_path)
    missing = f"does not exist; check its name, or give the whole path; the current folder is {tmp_path}"
    assert next_step.format(cwd=tmp_path, missing=missing) in done.err
    assert done.err.count("\n") == 1


def test_a_wrong_setting_is_told_by_its_name(tmp_path: Path) -> None:
    done = run("search", "tea", home=tmp_path, environment={"COMMONPLACE_RANKING": "magic"})
    assert done.code == 2
    assert "COMMONPLACE_RANKING" in done.err


def test_stdin_that_is_no_text_is_code_2(tmp_path: Path) -> None:
    done = run("store", "-", home=tmp_path, stdin=b"\xff\xfe\xfa")
    assert done.code == 2
    assert "UTF-8" in done.err


def test_a_mistake_of_ours_is_code_1_without_traceback_or_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_shared: options.Shared) -> None:
        raise RuntimeError("my darkest secret")

    monkeypatch.setattr(options.Shared, "open", broken)
    with pytest.raises(SystemExit) as ended:
        cli.main(["search", "tea"])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (1, "")
    assert printed.err.count("\n") == 1
    assert "internal: RuntimeError" in printed.err
    assert "secret" not in printed.err


def test_ctrl_c_before_anything_happened_is_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    file = tmp_path / "turns.jsonl"
    file.touch()
    monkeypatch.setattr(kinds, "kind_of", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.main(["import", str(file)])
    assert ended.value.code == 130
    assert capsys.readouterr().err.strip() == "commonplace: stopped"


ANSI = "\x1b[2J\u202eevil"


@pytest.mark.parametrize(
    "arguments", [["call", ANSI], ["discover", ANSI], ["get", ANSI], ["history", ANSI], ["runs", "show", ANSI], [ANSI],
                  ["search", "tea", f"--{ANSI}"], ["--timezone", ANSI, "search", "tea"], ["import", ANSI], ["serve", "--host", ANSI],
                  ["call", "search_memory", json.dumps({"query": "tea", ANSI: 1})], ["erase", "--user", ANSI],
                  ["search", "tea", "--db", f"/nowhere/{ANSI}"], ["undo", ANSI]],
)  # fmt: skip
@pytest.mark.parametrize("shared", [[], ["--json"]])
def test_what_was_typed_is_shown_without_moving_a_cursor(tmp_path: Path, arguments: list[str], shared: list[str]) -> None:
    done = run(*shared, *arguments, home=tmp_path)
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.err + ("" if shared else done.out)


@pytest.mark.parametrize(("right", "wrong", "code"), [(1, 0, 0), (1, 1, 5), (0, 1, 2)])
def test_interactions_that_are_refused_are_told_by_the_exit_code(tmp_path: Path, right: int, wrong: int, code: int) -> None:
    day = tmp_path / "day.jsonl"
    lines = [{"type": "explicit", "text": "I drink tea."}] * right + [{"type": "explicit"}] * wrong
    day.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    for recorded in ("recorded", "known"):
        done = run("record", str(day), "--json", home=tmp_path)
        assert (done.code, done.answer[recorded], len(done.answer["refused"])) == (code, right, wrong)


def test_an_export_into_a_folder_that_is_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "afile").write_text("tea", "utf-8")
    done = run("export", "-o", str(tmp_path / "afile" / "all.jsonl"), home=tmp_path)
    assert done.code == 2
    assert f"there is no folder {tmp_path / 'afile'}: create it, or name another" in done.err


def test_a_refused_id_is_shown_escaped(tmp_path: Path) -> None:
    day = tmp_path / "day.json"
    day.write_text(json.dumps([{"id": ANSI, "type": "explicit"}]), "utf-8")
    done = run("record", str(day), home=tmp_path)
    assert done.code == 2
    assert "\\x1b[2J\\u202eevil" in done.out.replace("\n", "").replace(" ", "")
    assert "\x1b" not in done.out
