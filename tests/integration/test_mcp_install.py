"""`commonplace mcp install`: the change of each client's file, made or only shown, and what is left as it was."""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import mcp
import pytest

from commonplace.domain.errors import CommonplaceError
from commonplace.interfaces.mcp.clients import CLIENTS
from commonplace.interfaces.mcp.install import change_of, write
from commonplace.settings import named_folder
from tests.integration.command_line import COMMAND, Done, clean, run
from tests.integration.mcp_client import spoken

pytestmark = pytest.mark.integration

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text("utf-8")
PLACES = [
    ("claude-code", "linux", ".claude.json"),
    ("claude-code", "darwin", ".claude.json"),
    ("claude-code", "win32", ".claude.json"),
    ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
    ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
    ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ("cursor", "linux", ".cursor/mcp.json"),
    ("cursor", "darwin", ".cursor/mcp.json"),
    ("cursor", "win32", ".cursor/mcp.json"),
    ("vscode", "linux", ".config/Code/User/mcp.json"),
    ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
    ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
]
ELSEWHERE = [
    ("claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ("claude-code", "darwin", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ("claude-code", "win32", "CLAUDE_CONFIG_DIR", ".claude.json"),
    ("claude-desktop", "linux", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
    ("claude-desktop", "win32", "APPDATA", "Claude/claude_desktop_config.json"),
    ("vscode", "linux", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
    ("vscode", "win32", "APPDATA", "Code/User/mcp.json"),
]
VARIABLES = {"CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "APPDATA"}
THERE = '{\n\t"theme": "dark — 日本",\n\t"n": 1.50,\n\t"mcpServers": {"other": {"command": "x"}},\n\t"servers": {"other": {"url": "y"}}\n}'


def install(client: str, home: Path, *options: str, stdin: str = "", environment: dict[str, str] | None = None) -> Done:
    return run("mcp", "install", "--client", client, *options, home=home, stdin=stdin, environment=environment)


def placed(client: str, home: Path, platform: str = sys.platform, named: dict[str, str] | None = None) -> Path:
    return CLIENTS[client].path(home, platform, partial(named_folder, environment=named or {}))  # type: ignore[index]


def entry(client: str, *options: str) -> dict[str, Any]:
    typed = {} if client == "claude-desktop" else {"type": "stdio"}
    return {**typed, "command": COMMAND, "args": ["mcp", *options]}


@pytest.mark.parametrize(("client", "platform", "place"), PLACES)
def test_each_client_has_its_file_on_each_platform(client: str, platform: str, place: str, tmp_path: Path) -> None:
    assert placed(client, tmp_path, platform) == tmp_path / place


@pytest.mark.parametrize(("client", "platform", "variable", "place"), ELSEWHERE)
def test_the_environment_may_name_another_folder(
    client: str, platform: str, variable: str, place: str, tmp_path: Path
) -> None:
    for nothing in ("", "not/absolute", "~/.config"):
        assert placed(client, tmp_path, platform, {variable: nothing}) == placed(client, tmp_path, platform)
    others = dict.fromkeys(VARIABLES - {variable}, str(tmp_path / "others"))
    named = {variable: str(tmp_path / "there"), **others}
    assert placed(client, tmp_path / "home", platform, named) == tmp_path / "there" / place


@pytest.mark.parametrize(("client", "platform"), [("claude-desktop", "darwin"), ("vscode", "darwin"), ("cursor", "linux")])
def test_where_nothing_names_another_folder_it_stays(client: str, platform: str, tmp_path: Path) -> None:
    everything = dict.fromkeys(VARIABLES, str(tmp_path / "there"))
    assert placed(client, tmp_path, platform, everything) == placed(client, tmp_path, platform)


def test_it_writes_into_the_folder_that_is_named(tmp_path: Path) -> None:
    there = tmp_path / "work"
    done = install("claude-code", tmp_path, "--yes", environment={"CLAUDE_CONFIG_DIR": str(there)})
    assert done.code == 0
    assert json.loads((there / ".claude.json").read_text("utf-8")) == {"mcpServers": {"commonplace": entry("claude-code")}}
    assert not (tmp_path / ".claude.json").exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_file_that_is_not_there_is_made(client: str, tmp_path: Path) -> None:
    done = install(client, tmp_path, "--yes")
    assert (done.code, done.err) == (0, "")
    file = placed(client, tmp_path)
    assert json.loads(file.read_text("utf-8")) == {CLIENTS[client].servers: {"commonplace": entry(client)}}  # type: ignore[index]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [file]
    assert str(file) in done.out


@pytest.mark.parametrize("client", CLIENTS)
def test_all_else_in_a_file_stays_and_a_copy_is_kept(client: str, tmp_path: Path) -> None:
    file, servers = placed(client, tmp_path), CLIENTS[client].servers  # type: ignore[index]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(THERE, "utf-8")
    file.chmod(0o600)
    done = install(client, tmp_path, "--yes", "--db", "~/my.db", "--user", "ana", "--tier", "core")
    assert done.code == 0
    new = json.loads(file.read_text("utf-8"))
    assert new[servers].pop("commonplace") == entry(
        client, "--db", str(tmp_path / "my.db"), "--user", "ana", "--tier", "core"
    )
    assert new == json.loads(THERE)
    assert '\n\t"theme": "dark — 日本"' in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.with_name(f"{file.name}.bak1").read_text("utf-8") == THERE
    again = install(client, tmp_path, "--yes")
    assert "- " in again.out
    assert "--tier" in again.out.split("+ ")[0]
    assert file.with_name(f"{file.name}.bak2").exists()
    assert "nothing to change" in install(client, tmp_path, "--yes").out
    assert not file.with_name(f"{file.name}.bak3").exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_the_page_shows_for_each_client_what_is_written(client: str, tmp_path: Path) -> None:
    title = CLIENTS[client].title  # type: ignore[index]
    (section,) = re.findall(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    assert f"\n    commonplace mcp install --client {client}\n" in section
    (shown,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    assert install(client, tmp_path, "--yes").code == 0
    written = placed(client, tmp_path).read_text("utf-8").replace(COMMAND, "/home/ana/.venv/bin/commonplace")
    assert json.loads(shown) == json.loads(written)


def test_print_and_no_change_nothing(tmp_path: Path) -> None:
    for options, stdin, code in ((["--print"], "", 0), ([], "n\n", 130), ([], "", 130)):
        done = install("cursor", tmp_path, *options, stdin=stdin)
        assert done.code == code
        assert f'+ "commonplace": {json.dumps(entry("cursor"))}' in done.out
        assert not list(tmp_path.iterdir())
    assert install("cursor", tmp_path, stdin="y\n").code == 0
    assert placed("cursor", tmp_path).exists()


def test_a_machine_is_told_the_same(tmp_path: Path) -> None:
    answer = install("vscode", tmp_path, "--yes", "--json").answer
    assert answer == {
        "file": str(placed("vscode", tmp_path)), "servers": "servers", "old": None, "new": entry("vscode"), "written": True,
        "copy": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [(b'{"servers": {}, // mine\n}', "is no JSON"), (b"[]", "is no JSON"), (b'{"servers": []}', "under servers"),
     (b'{"a": 1, "a": 2}', "appears twice"), (b"\xff\xfe{\x00}\x00", "is not UTF-8"), (b"{" * 5_000, "is no JSON")],
)  # fmt: skip
def test_a_file_that_cannot_be_merged_is_left_with_what_to_do(text: bytes, why: str, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(text)
    done = install("vscode", tmp_path, "--yes", "--file", str(file))
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert file.read_bytes() == text
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_with_line_breaks_of_windows_a_mark_and_half_a_character_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b'\xef\xbb\xbf{\r\n    "half": "\\ud83d"\r\n}\r\n')
    assert install("cursor", tmp_path, "--yes", "--file", str(file)).code == 0
    assert b'\r\n    "half": "\\ud83d"' in file.read_bytes()
    assert json.loads(file.read_bytes())["mcpServers"]["commonplace"] == entry("cursor")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    kept, file = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    kept.write_text("{}", "utf-8")
    file.symlink_to(kept)
    assert install("cursor", tmp_path, "--yes", "--file", str(file)).code == 0
    assert file.is_symlink()
    assert json.loads(kept.read_text("utf-8"))["mcpServers"]["commonplace"] == entry("cursor")


def test_what_the_client_wrote_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}", "utf-8")
    change = change_of(CLIENTS["cursor"], file, ["/bin/commonplace", "mcp"])
    file.write_text('{"new": 1}', "utf-8")
    with pytest.raises(CommonplaceError, match="changed meanwhile"):
        write(change)
    assert file.read_text("utf-8") == '{"new": 1}'


def test_what_is_written_starts_the_server(tmp_path: Path) -> None:
    assert install("claude-code", tmp_path, "--yes", "--db", str(tmp_path / "my.db")).code == 0
    started = json.loads(placed("claude-code", tmp_path).read_text("utf-8"))["mcpServers"]["commonplace"]
    assert started.pop("type") == "stdio"

    async def talk(client: mcp.Client) -> None:
        assert (await client.list_tools()).tools

    spoken(mcp.StdioServerParameters(**started, env=clean(tmp_path)), talk)


def test_the_installed_command_names_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "mcp", "install", "--client", "cursor", "--print", "--json"], env=clean(tmp_path), cwd=tmp_path,
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["new"]["command"] == COMMAND
