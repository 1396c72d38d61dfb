"""The file of each client that says which servers it starts: where it is, and what it looks like."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ClientName = Literal["claude-code", "claude-desktop", "cursor", "vscode"]

_FOLDERS: Mapping[str, tuple[str, ...]] = {
    "darwin": ("Library", "Application Support"), "win32": ("AppData", "Roaming"), "linux": (".config",),
}  # fmt: skip
"""Where programs keep their settings, below the home folder."""


@dataclass(frozen=True)
class Client:
    """A client. `servers`: the key of its file under which servers stand by name; `typed`: an entry says that it is stdio."""

    title: str
    file: tuple[str, ...]
    in_settings: bool
    servers: str
    typed: bool
    then: str

    def path(self, home: Path, platform: str) -> Path:
        """Its file, for a platform as `sys.platform` names it."""
        folder = _FOLDERS.get(platform, _FOLDERS["linux"]) if self.in_settings else ()
        return home.joinpath(*folder, *self.file)

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """What it starts, as it stands in the file."""
        return {**({"type": "stdio"} if self.typed else {}), "command": command, "args": arguments}


CLIENTS: Mapping[ClientName, Client] = {
    "claude-code": Client(
        title="Claude Code", file=(".claude.json",), in_settings=False, servers="mcpServers", typed=True,
        then="start claude anew; /mcp shows the server",
    ),
    "claude-desktop": Client(
        title="Claude Desktop", file=("Claude", "claude_desktop_config.json"), in_settings=True, servers="mcpServers",
        typed=False, then="quit Claude Desktop and start it again",
    ),
    "cursor": Client(
        title="Cursor", file=(".cursor", "mcp.json"), in_settings=False, servers="mcpServers", typed=True,
        then="restart Cursor, and look whether the server is on there",
    ),
    "vscode": Client(
        title="VS Code", file=("Code", "User", "mcp.json"), in_settings=True, servers="servers", typed=True,
        then='run "MCP: List Servers" in VS Code and start it',
    ),
}  # fmt: skip
