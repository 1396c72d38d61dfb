"""`token` on the command line, and what `serve` refuses."""

import os
from pathlib import Path

import pytest

from commonplace.interfaces.http.tokens import TokenFile
from tests.integration.command_line import Done, run

pytestmark = pytest.mark.integration


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def token(file: Path, *arguments: str) -> Done:
    return run("token", *arguments, "--tokens", str(file), home=file.parent)


def test_a_token_is_shown_once_alone_on_stdout(file: Path) -> None:
    done = token(file, "add", "laptop", "--user", "ana")
    assert done.code == 0
    assert "laptop opens the memories of ana" in done.err
    holder = TokenFile(file).holder_of(done.out.strip())
    assert holder is not None
    assert (holder.name, holder.user) == ("laptop", "ana")
    listed = token(file, "list")
    assert (listed.code, listed.err) == (0, "")
    assert "laptop  opens the memories of ana, since 20" in listed.out
    assert done.out.strip() not in listed.out + file.read_text()


def test_without_a_user_it_opens_memories_of_its_own_name(file: Path) -> None:
    made = token(file, "add", "ana", "--json").answer
    assert (made["name"], made["user"]) == ("ana", "ana")
    assert TokenFile(file).holder_of(made["token"]) is not None
    assert [(one["name"], one["user"]) for one in token(file, "list", "--json").answer["tokens"]] == [("ana", "ana")]


def test_what_is_removed_opens_nothing(file: Path) -> None:
    made = token(file, "add", "ana", "--json").answer["token"]
    assert "removed the token ana" in token(file, "remove", "ana").out
    assert TokenFile(file).holder_of(made) is None
    assert token(file, "remove", "ana").code == 3
    assert token(file, "add", "ana").code == 0
    assert token(file, "add", "ana").code == 4


def test_a_file_that_is_none_is_told(file: Path) -> None:
    assert token(file, "list").code == 2
    assert "token add" in token(file, "list").err
    file.touch(mode=0o600)
    for inside in (file, file / "tokens.json"):
        done = token(inside, "add", "ana")
        assert (done.code, done.out) == (2, "")
        assert f"tokens: {inside} " in done.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "0.0.0.0"], "--tokens"),
        (["--host", "192.168.1.5"], "--tokens"),
        (["--allow-host", "nas.lan"], "--tokens"),
        (["--per-minute", "5"], "--tokens"),
        (["--tokens", "{file}", "--host", "0.0.0.0"], "--allow-host"),
        (["--tokens", "{file}", "--allow-host", "https://nas.lan"], "is no name or address"),
        (["--tokens", "{file}", "--user", "ana"], "each token opens the memories of its own user"),
        (["--tokens", "{file}.none"], "token add"),
    ],
)
def test_what_would_be_open_to_others_is_not_served(file: Path, options: list[str], told: str) -> None:
    TokenFile(file).add("laptop", "ana")
    given = [option.format(file=file) for option in options]
    done = run("serve", "--port", "0", "--db", str(file.parent / "memory.db"), *given, home=file.parent)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


@pytest.mark.skipif(os.name != "posix", reason="rights are of POSIX")
def test_a_file_that_others_may_read_is_not_served(file: Path) -> None:
    TokenFile(file).add("laptop", "ana")
    file.chmod(0o644)
    done = run("serve", "--port", "0", "--tokens", str(file), home=file.parent)
    assert done.code == 2
    assert f"chmod 600 {file}" in done.err
