"""Describe the location and the format of each MCP client's configuration file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ClientName = Literal["claude-code", "claude-desktop", "cursor", "vscode"]
_FOLDERS: Mapping[str, tuple[str | None, tuple[str, ...]]] = {
    "darwin": (None, ("Library", "Application Support")), "win32": ("APPDATA", ("AppData", "Roaming")),
    "linux": ("XDG_CONFIG_HOME", (".config",)),
}  # fmt: skip
"""Maps each platform to the variable that names the settings folder, and to the default folder below the home folder."""


@dataclass(frozen=True)
class Client:
    """A client and its configuration file, which lists servers under `servers`. If `typed` is true, entries have a `type`.

    If the file is outside the settings folder, the environment variable `variable` can replace the home folder.
    """

    title: str
    file: tuple[str, ...]
    in_settings: bool
    servers: str
    typed: bool
    then: str
    variable: str | None = None

    def path(self, home: Path, platform: str, named: Callable[[str], Path | None]) -> Path:
        """Return the path of the file. `platform` is a value of `sys.platform`. `named` reads a folder from a variable."""
        settings = _FOLDERS.get(platform, _FOLDERS["linux"])
        variable, usual = settings if self.in_settings else (self.variable, ())
        folder = named(variable) if variable else None
        return (folder or home.joinpath(*usual)).joinpath(*self.file)

    def entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """Return the entry for a server in the client's file."""
        return {**({"type": "stdio"} if self.typed else {}), "command": command, "args": arguments}


CLIENTS: Mapping[ClientName, Client] = {
    "claude-code": Client(
        title="Claude Code", file=(".claude.json",), in_settings=False, servers="mcpServers", typed=True,
        then="start claude anew; /mcp shows the server", variable="CLAUDE_CONFIG_DIR",
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
