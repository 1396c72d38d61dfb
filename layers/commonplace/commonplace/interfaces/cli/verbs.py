"""The commands of the command line, each listed without its module, which is imported when it is called."""

from importlib import import_module

import click


class Listed(click.Command):
    """A command as `--help` lists it, by the first sentence of its own help; its module is imported when it is called."""

    def __init__(self, name: str, module: str, help: str, attribute: str | None = None) -> None:
        super().__init__(name, help=help)
        self._module, self._attribute = module, attribute or name

    def load(self) -> click.Command:
        """The command itself."""
        command = getattr(import_module(f"commonplace.interfaces.cli.{self._module}"), self._attribute)
        assert isinstance(command, click.Command)
        return command


LISTED = (
    Listed("backup", "backing_up", "Keep backups of the memories, and bring one back."),
    Listed("call", "programs", "Call any tool with a JSON object."),
    Listed("context", "memories", "Print what an agent puts into its prompt."),
    Listed("delete", "kept", "Delete a memory; undo brings it back."),
    Listed("discover", "memories", "Show the state, and what else there is."),
    Listed("doctor", "deployment", "Tell what is the matter with a file, or a deployment."),
    Listed("erase", "erasing", "Erase everything that is kept of a user, or one memory."),
    Listed("export", "conversations", "Print every record as JSON lines, or another way."),
    Listed("feedback", "feedback", "Tell whether a memory was useful for a query."),
    Listed("get", "kept", "Show one memory as it is kept."),
    Listed("history", "kept", "Show what a memory was before, newest first."),
    Listed("import", "conversations", "Bring memories along from other stores and notes.", "import_file"),
    Listed("list", "kept", "List the memories, newest first.", "list_memories"),
    Listed("manifest", "programs", "Print the manifest of all tools, or check one.", "check_manifest"),
    Listed("markdown", "files", "Write the memories as pages, to read and to edit."),
    Listed("mcp", "mcp", "Serve the tools to an agent, over MCP."),
    Listed("merge", "maintenance", "Make one memory of several, or tell which say the same."),
    Listed("migrate", "migrating", "Move here from another store."),
    Listed("network", "analysis", "Show which concepts stand together."),
    Listed("nightly", "nightly_runs", "Read what was recorded and is not read yet."),
    Listed("normalize", "memories", "Turn a text into a clean statement."),
    Listed("record", "files", "Record what a day left behind, for a night to read."),
    Listed("reindex", "deployment", "Embed a file anew, or rebuild a deployment's index."),
    Listed("repair", "upkeep", "Bring the index in line with the memories."),
    Listed("runs", "nightly_runs", "What the nights did, and how to take it back."),
    Listed("search", "searching", "Find memories for a question in plain words."),
    Listed("serve", "serving", "Serve the tools over HTTP on this machine."),
    Listed("stats", "analysis", "Count the memories, and draw what there is."),
    Listed("store", "memories", "Remember something, as it was said."),
    Listed("tags", "maintenance", "Keep the tags few."),
    Listed("timeline", "analysis", "Show when things happened, and what changed."),
    Listed("token", "serving", "Keep the tokens of a server for several users."),
    Listed("trace", "searching", "Show how a search comes to its answer."),
    Listed("ui", "ui", "Open a page to see, search and correct the memories."),
    Listed("undo", "nightly_runs", "Take one operation back, a tool's or a run's."),
    Listed("update", "kept", "Change what a memory says, or correct its labels."),
    Listed("usage", "searching", "Show how the memories are used."),
    Listed("validate", "upkeep", "Check whether memories and index are in line."),
)
