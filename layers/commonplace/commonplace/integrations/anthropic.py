"""Implement Claude's memory tool (`memory_20250818`), which keeps files under `/memories` as documents of the memory."""

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import islice
from typing import Any, TypeVar

from commonplace.client.memory import Commonplace
from commonplace.domain.documents import Document
from commonplace.domain.errors import CommonplaceError, how_to_install
from commonplace.integrations.memory_files import MemoryFiles, PathError, Place, place_of

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
    from anyio.to_thread import run_sync
except ImportError as error:
    error.add_note(how_to_install("claude"))
    raise

_AROUND = 2  # lines shown before and after an edit
_MOST_PLACES = 10  # the most line numbers that an error lists
_MOST_QUOTED = 200  # characters of a text that an error repeats
_AnyMethod = TypeVar("_AnyMethod", bound=Callable[..., str])


def _raise_as_tool_errors(method: _AnyMethod) -> _AnyMethod:
    """Convert a method's failures to tool errors that contain only the message."""

    @wraps(method)
    def called(self: Any, command: Any) -> str:
        try:
            return method(self, command)
        except (CommonplaceError, PathError) as error:
            raise ToolError(error.message if isinstance(error, CommonplaceError) else str(error)) from error

    return called  # type: ignore[return-value]


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.tool_runner(tools=[MemoryTool(memory)], ...)`.

    Each file is a document with versions in the namespace `memories`, and `search_memory` finds its paragraphs. Secrets are
    removed before a file is written, and the answer reports the removal to the model.
    """

    def __init__(self, memory: Commonplace, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._documents = memory.documents

    @_raise_as_tool_errors
    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return the numbered lines of a file, or the contents of a folder, two levels deep."""
        place, files = place_of(command.path), MemoryFiles.read(self._documents)
        if place in files.folders:
            heading = f"Here're the files and directories up to 2 levels deep in {command.path}, excluding hidden items:"
            return "\n".join((heading, *files.lines(place, command.path)))
        if place not in files.files:
            raise _build_missing_error(command.path)
        lines, first, last = files.open(place).body.split("\n"), 1, -1
        if command.view_range and len(command.view_range) == 2:
            first, last = max(1, command.view_range[0]), command.view_range[1]
        shown = lines[first - 1 : len(lines) if last == -1 else last]
        return f"Here's the content of {command.path} with line numbers:\n{_number_lines(shown, first)}"

    @_raise_as_tool_errors
    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file and any missing parent folders."""
        place, files = place_of(command.path), MemoryFiles.read(self._documents)
        _refuse_file_above(place, files)
        if files.exists(place):
            raise ToolError(f"File {command.path} already exists")
        written = files.write(place, command.file_text)
        return f"File created successfully at: {command.path}{_describe_redaction(written)}"

    @_raise_as_tool_errors
    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs exactly once in a file."""
        place, files, text = self._read_file(command.path)
        lines = list(islice(_find_lines(text, command.old_str), _MOST_PLACES + 1))
        quoted = command.old_str if len(command.old_str) <= _MOST_QUOTED else f"{command.old_str[:_MOST_QUOTED]}…"
        if not lines:
            raise ToolError(f"No replacement was performed, old_str `{quoted}` did not appear verbatim in {command.path}.")
        if text.count(command.old_str) > 1:
            more = " and more" if len(lines) > _MOST_PLACES else ""
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{quoted}` in lines:"
                f" {', '.join(map(str, lines[:_MOST_PLACES]))}{more}."
                " Please ensure it is unique"
            )
        written = files.write(place, text.replace(command.old_str, command.new_str))
        first = max(1, lines[0] - _AROUND)
        shown = written.body.split("\n")[first - 1 : lines[0] + _AROUND]
        heading = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{heading}\n{_number_lines(shown, first)}{_describe_redaction(written)}"

    @_raise_as_tool_errors
    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text after a line of a file. Line 0 means before the first line."""
        place, files, text = self._read_file(command.path)
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        joined = "\n".join(lines)
        written = files.write(place, joined if joined.endswith("\n") else f"{joined}\n")
        return f"The file {command.path} has been edited.{_describe_redaction(written)}"

    @_raise_as_tool_errors
    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a whole folder. `memory.documents.undo` can undo the deletion of each file for 30 days."""
        place, files = place_of(command.path), MemoryFiles.read(self._documents)
        if not place:
            raise ToolError("Cannot delete the /memories directory itself")
        if not files.exists(place):
            raise ToolError(f"The path {command.path} does not exist")
        files.delete(place)
        return f"Successfully deleted {command.path}"

    @_raise_as_tool_errors
    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or folder to another path. Existing files are never overwritten."""
        old, new, files = place_of(command.old_path), place_of(command.new_path), MemoryFiles.read(self._documents)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        if files.exists(new):
            raise ToolError(f"The destination {command.new_path} already exists")
        _refuse_file_above(new, files)
        if not files.exists(old):
            raise ToolError(f"The path {command.old_path} does not exist")
        if new[: len(old)] == old:
            raise ToolError(f"The path {command.old_path} cannot be moved into itself")
        files.move(old, new)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Delete every file. Models have no command for this. Each deletion can be undone for 30 days."""
        files = MemoryFiles.read(self._documents)
        for place in list(files.below(())):
            MemoryFiles.read(self._documents).delete(place)
        return "All memory cleared"

    def _read_file(self, path: str) -> tuple[Place, MemoryFiles, str]:
        place, files = place_of(path), MemoryFiles.read(self._documents)
        if not files.exists(place):
            raise _build_missing_error(path)
        if place not in files.files:
            raise ToolError(f"The path {path} is not a file.")
        return place, files, files.open(place).body


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for `AsyncAnthropic`. Calls don't block the event loop."""

    def __init__(self, memory: Commonplace, *, cache_control: BetaCacheControlEphemeralParam | None = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = MemoryTool(memory)

    async def execute(self, command: Any) -> str:
        """Run any of the six commands."""
        return str(await run_sync(self._tool.execute, command))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Delete every file."""
        return await run_sync(self._tool.clear_all_memory)


def _number_lines(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))


def _find_lines(text: str, part: str) -> Iterator[int]:
    """Yield the number of each line in which an occurrence of `part` begins."""
    at, line, before = text.find(part), 1, 0
    while at != -1:
        line += text.count("\n", before, at)
        yield line
        at, before = text.find(part, at + 1), at


def _refuse_file_above(place: Place, files: MemoryFiles) -> None:
    """Raise `ToolError` if a parent folder of `place` exists as a file."""
    above = files.above(place)
    if above is not None:
        raise ToolError(f"The path /memories/{'/'.join(above)} is not a directory.")


def _build_missing_error(path: str) -> ToolError:
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")


def _describe_redaction(written: Document) -> str:
    if not written.redacted:
        return ""
    kinds = ", ".join(written.redacted)
    return f"\nSecrets are never kept: {kinds} taken out; the file has [redacted:{written.redacted[0]}] in such places."
