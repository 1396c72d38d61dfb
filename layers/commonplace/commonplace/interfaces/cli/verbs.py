"""The commands of the command line, each listed without its module, which is imported when it is called."""

from collections.abc import Callable
from types import ModuleType

import click


def _analysis() -> ModuleType:
    from commonplace.interfaces.cli import analysis

    return analysis


def _backing_up() -> ModuleType:
    from commonplace.interfaces.cli import backing_up

    return backing_up


def _conversations() -> ModuleType:
    from commonplace.interfaces.cli import conversations

    return conversations


def _deployment() -> ModuleType:
    from commonplace.interfaces.cli import deployment

    return deployment


def _erasing() -> ModuleType:
    from commonplace.interfaces.cli import erasing

    return erasing


def _feedback() -> ModuleType:
    from commonplace.interfaces.cli import feedback

    return feedback


def _files() -> ModuleType:
    from commonplace.interfaces.cli import files

    return files


def _kept() -> ModuleType:
    from commonplace.interfaces.cli import kept

    return kept


def _maintenance() -> ModuleType:
    from commonplace.interfaces.cli import maintenance

    return maintenance


def _mcp() -> ModuleType:
    from commonplace.interfaces.cli import mcp

    return mcp


def _memories() -> ModuleType:
    from commonplace.interfaces.cli import memories

    return memories


def _migrating() -> ModuleType:
    from commonplace.interfaces.cli import migrating

    return migrating


def _nightly_runs() -> ModuleType:
    from commonplace.interfaces.cli import nightly_runs

    return nightly_runs


def _programs() -> ModuleType:
    from commonplace.interfaces.cli import programs

    return programs


def _searching() -> ModuleType:
    from commonplace.interfaces.cli import searching

    return searching


def _serving() -> ModuleType:
    from commonplace.interfaces.cli import serving

    return serving


def _ui() -> ModuleType:
    from commonplace.interfaces.cli import ui

    return ui


def _upkeep() -> ModuleType:
    from commonplace.interfaces.cli import upkeep

    return upkeep


class Listed(click.Command):
    """A command as `--help` lists it, by the first sentence of its own help; its module is imported when it is called."""

    def __init__(self, name: str, module: Callable[[], ModuleType], help: str, attribute: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module, self._attribute = module, attribute or name

    def load(self) -> click.Command:
        """The command itself."""
        command = getattr(self._module(), self._attribute)
        assert isinstance(command, click.Command)
        return command


LISTED = (
    Listed("backup", _backing_up, "Keep backups of the memories, and bring one back."),
    Listed("call", _programs, "Call any tool with a JSON object."),
    Listed("context", _memories, "Print what an agent puts into its prompt."),
    Listed("delete", _kept, "Delete a memory; undo brings it back."),
    Listed("discover", _memories, "Show the state, and what else there is."),
    Listed("doctor", _deployment, "Tell what is the matter with a file, or a deployment."),
    Listed("erase", _erasing, "Erase everything that is kept of a user, or one memory."),
    Listed("export", _conversations, "Print every record as JSON lines, or another way."),
    Listed("feedback", _feedback, "Tell whether a memory was useful for a query."),
    Listed("get", _kept, "Show one memory as it is kept."),
    Listed("history", _kept, "Show what a memory was before, newest first."),
    Listed("import", _conversations, "Bring memories along from other stores and notes.", "import_file"),
    Listed("list", _kept, "List the memories, newest first.", "list_memories"),
    Listed("manifest", _programs, "Print the manifest of all tools, or check one.", "check_manifest"),
    Listed("markdown", _files, "Write the memories as pages, to read and to edit."),
    Listed("mcp", _mcp, "Serve the tools to an agent, over MCP."),
    Listed("merge", _maintenance, "Make one memory of several, or tell which say the same."),
    Listed("migrate", _migrating, "Move here from another store."),
    Listed("network", _analysis, "Show which concepts stand together."),
    Listed("nightly", _nightly_runs, "Read what was recorded and is not read yet."),
    Listed("normalize", _memories, "Turn a text into a clean statement."),
    Listed("record", _files, "Record what a day left behind, for a night to read."),
    Listed("reindex", _deployment, "Embed a file anew, or rebuild a deployment's index."),
    Listed("repair", _upkeep, "Bring the index in line with the memories."),
    Listed("runs", _nightly_runs, "What the nights did, and how to take it back."),
    Listed("search", _searching, "Find memories for a question in plain words."),
    Listed("serve", _serving, "Serve the tools over HTTP on this machine."),
    Listed("stats", _analysis, "Count the memories, and draw what there is."),
    Listed("store", _memories, "Remember something, as it was said."),
    Listed("tags", _maintenance, "Keep the tags few."),
    Listed("timeline", _analysis, "Show when things happened, and what changed."),
    Listed("token", _serving, "Keep the tokens of a server for several users."),
    Listed("trace", _searching, "Show how a search comes to its answer."),
    Listed("ui", _ui, "Open a page to see, search and correct the memories."),
    Listed("undo", _nightly_runs, "Take one operation back, a tool's or a run's."),
    Listed("update", _kept, "Change what a memory says, or correct its labels."),
    Listed("usage", _searching, "Show how the memories are used."),
    Listed("validate", _upkeep, "Check whether memories and index are in line."),
)
