"""Add this server to a client's configuration file. A copy of the old file is saved before the new one is written."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.strict_json import read_object
from commonplace.interfaces.mcp.clients import Client
from commonplace.interfaces.replacing import replace

NAME = "commonplace"
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """A change to a client's file. `before` is the current text, or None if there is no file. `old` is the current entry."""

    file: Path
    servers: str
    before: str | None
    after: str
    old: Any
    new: dict[str, Any]

    @property
    def is_needed(self) -> bool:
        """Whether the file lacks the entry or contains a different one."""
        return bool(self.old != self.new)


def change_of(client: Client, file: Path, command: Sequence[str]) -> Change:
    """Return the change that adds this server to the file. Raises `INVALID_ARGUMENT` if the file's JSON is invalid."""
    before, entry = _read_text(file), client.entry(command[0], list(command[1:]))
    try:
        whole = read_object(before) if before and before.strip("\ufeff \t\r\n") else {}
    except CommonplaceError as error:
        raise _build_refusal(file, f"is no JSON: {error.message}", client, entry) from None
    servers = whole.setdefault(client.servers, {})
    if not isinstance(servers, dict):
        raise _build_refusal(file, f"has something else than an object under {client.servers}", client, entry)
    old, servers[NAME] = servers.get(NAME), entry
    return Change(file, client.servers, before, _format_config(whole, before or ""), old, entry)


def write(change: Change) -> Path | None:
    """Write the file atomically and return the path of the backup copy, if any. Raises `CONFLICT` if the file has changed."""
    if _read_text(change.file) != change.before:
        raise CommonplaceError(ErrorCode.CONFLICT, f"{change.file} was changed meanwhile; run this again")
    file = change.file.resolve()  # replace the target of a link, not the link
    copy = None
    try:
        if change.before is not None:
            names = (file.with_name(f"{file.name}.bak{number}") for number in count(1))
            copy = Path(shutil.copy2(file, next(name for name in names if not name.exists())))
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, change.after.encode())
    except OSError as error:
        raise _build_file_error(file, error) from error
    return copy


def _read_text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{file} is not UTF-8; save it as that first") from None
    except OSError as error:
        raise _build_file_error(file, error) from error


def _format_config(whole: dict[str, Any], before: str) -> str:
    """Return the new text of a file, with the indentation and line breaks of the old text `before`."""
    match = _INDENT.search(before)
    indent = match[1] if match else "  "
    text = json.dumps(whole, indent=indent, ensure_ascii=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate can only be written as an escape sequence
        text = json.dumps(whole, indent=indent) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def _build_refusal(file: Path, why: str, client: Client, entry: dict[str, Any]) -> CommonplaceError:
    by_hand = f"mend it, or add {json.dumps({NAME: entry})} under {client.servers} by hand (comments can't be kept)"
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{file} {why}; nothing was changed: {by_hand}")


def _build_file_error(file: Path, error: OSError) -> CommonplaceError:
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{file} can't be used: {error.strerror}")
