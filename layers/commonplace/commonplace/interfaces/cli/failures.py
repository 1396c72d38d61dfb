"""Errors on the command line. Each is one line on stderr that names the option or argument and suggests the next step."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import click

from commonplace.domain.errors import CommonplaceError, ErrorCode, escaped, places_of

INTERNAL, USAGE, NOT_FOUND, UNAVAILABLE, LEFT, STOPPED = 1, 2, 3, 4, 5, 130
_EXIT_CODES = {
    ErrorCode.INTERNAL: INTERNAL,
    ErrorCode.NOT_FOUND: NOT_FOUND,
    ErrorCode.UNKNOWN_TOOL: NOT_FOUND,
    ErrorCode.KEY_NOT_FOUND: NOT_FOUND,
    ErrorCode.CONFLICT: UNAVAILABLE,
    ErrorCode.LEASE_LOST: UNAVAILABLE,
    ErrorCode.STORAGE_UNAVAILABLE: UNAVAILABLE,
}
_NEXT = {
    ErrorCode.EMPTY_TEXT: "give at least one word",
    ErrorCode.TEXT_TOO_LONG: "split it into several texts",
    ErrorCode.SECRET_ONLY: "leave the secret out, or describe it without its value",
    ErrorCode.UNKNOWN_TOOL: 'see "commonplace manifest"',
    ErrorCode.KEY_NOT_FOUND: 'see "commonplace list"',
    ErrorCode.LEASE_LOST: "another process continues the work; there is nothing to do",
    ErrorCode.CONFLICT: "or try again later",
    ErrorCode.STORAGE_UNAVAILABLE: "give another file with --db FILE",
    ErrorCode.INTERNAL: "please report this line",
}
_LISTED_BY = {
    "memory_id": "list",
    "run_id": "runs list",
    "operation_id": "runs show",
    "dir": "markdown write --help",
    "backup_id": "backup list",
}


@dataclass(frozen=True)
class ArgumentHelp:
    """The name of an argument or option, with a description of valid values and an example."""

    name: str
    must_be: str
    example: str = ""

    def sentence(self, why: str) -> str:
        """Return a message that names the option or argument and explains why its value was refused."""
        message = f"{self.name}: {f'must be {self.must_be}' if why.startswith(('must be ', 'must have ')) else why}"
        return f"{message}, e.g. {self.name} {self.example}" if self.example and self.example not in why else message


_TEXT = ArgumentHelp("TEXT", "a text of up to 8,000 characters")
_FOLDER = ArgumentHelp("DIR", "a folder")
_DAY = "2026-05-20 or 2026-05-20T18:30"
_SHARED = {
    "user_id": ArgumentHelp("--user", "a name", "ana"),
    "timezone": ArgumentHelp("--timezone", "an IANA name", "Europe/Berlin"),
}
_TAGS = ArgumentHelp("--tag", "a word of 1 to 64 characters, at most 32 times", "garden")
_LIMIT = ArgumentHelp("--limit", "a whole number from 1 to 100", "20")
_IMPORTANCE = ArgumentHelp("--importance", "a whole number from 1 to 5", "4")
_EXPIRES = ArgumentHelp("--expires", "a day or a time in ISO 8601", _DAY)
_FILTERS = {
    "options.importance_min": replace(_IMPORTANCE, name="--min-importance"),
    "options.time_range.after": replace(_EXPIRES, name="--after"),
    "options.time_range.before": replace(_EXPIRES, name="--before"),
}
_PERIOD = {"after": replace(_EXPIRES, name="--after"), "before": replace(_EXPIRES, name="--before")}
_NAMES: Mapping[str, Mapping[str, ArgumentHelp]] = {
    "normalize": {"text": _TEXT, "context": replace(_TEXT, name="--context", example='"What is your name?"')},
    "store": {
        "content": _TEXT,
        "context.force_importance": _IMPORTANCE,
        "context.additional_tags": _TAGS,
        "context.expires_at": _EXPIRES,
        "context.source": ArgumentHelp("--source", "a speaker or an origin", "web"),
        "context.user_note": ArgumentHelp("--note", "a text of up to 2,000 characters", '"said twice"'),
    },
    "context": {
        "topic": replace(_TEXT, name="TOPIC"),
        "max_tokens": ArgumentHelp("--max-tokens", "a whole number from 100 to 8000", "500"),
    },
    "write": {"dir": _FOLDER},
    "apply": {"dir": _FOLDER},
    "search": {
        "query": replace(_TEXT, name="QUERY"),
        "limit": _LIMIT,
        "options.min_relevance": ArgumentHelp("--min-relevance", "a number from 0 to 1", "0.5"),
        **_FILTERS,
    },
    "feedback": {"memory_id": ArgumentHelp("ID", "the id of a memory"), "query": replace(_TEXT, name="QUERY")},
    "stats": _PERIOD,
    "network": {
        "focus": ArgumentHelp("FOCUS", "a concept of up to 128 characters", "running"),
        "depth": ArgumentHelp("--depth", "a whole number from 1 to 3", "2"),
        "limit": _LIMIT,
    },
    "timeline": {
        **_PERIOD,
        "topic": replace(_TEXT, name="--topic", example="running"),
        "cursor": ArgumentHelp("--cursor", "the cursor of an earlier timeline"),
    },
    "list": {"limit": _LIMIT, "cursor": ArgumentHelp("--cursor", "the cursor of an earlier list"), **_FILTERS},
    "update": {
        "value": replace(_TEXT, name="VALUE"),
        "importance": _IMPORTANCE,
        "tags": _TAGS,
        "expires_at": _EXPIRES,
        "durability": ArgumentHelp("--durability", "durable or daily"),
    },
}


def sentence_for_person(error: CommonplaceError, command: str, arguments: Mapping[str, object]) -> str:
    """Return an error message for a person. `arguments` contains the shared options, which are None if not given."""
    field, prefix = error.field or "", f"{error.field}: "
    shared = {name: typed for name, typed in _SHARED.items() if arguments.get(typed.name.removeprefix("--")) is not None}
    for path, typed in {**_NAMES.get(command, {}), **shared}.items():
        if error.message.startswith(prefix) and (field == path or field.startswith(f"{path}.")):
            return f"{error.code.label}: {typed.sentence(error.message.removeprefix(prefix))}"
    return str(error)


class Failed(click.ClickException):
    """A `CommonplaceError` as the command line shows it.

    `see` is a command that shows the correct usage. `following` is a more specific next step, if there is one. `sentence` is
    the message for people. If `as_json` is true, the error is printed as JSON for programs, with the path of the field.
    """

    def __init__(
        self, error: CommonplaceError, see: str, as_json: bool, *, sentence: str | None = None, following: str | None = None
    ) -> None:
        super().__init__(sentence or str(error))
        self.status = _EXIT_CODES.get(error.code, USAGE)
        self._error, self._as_json = error, as_json
        if error.code is ErrorCode.NOT_FOUND and error.field in _LISTED_BY:
            see = f"commonplace {_LISTED_BY[error.field]}"
        if error.field == "dir" and error.code is ErrorCode.STORAGE_UNAVAILABLE:
            following = following or "name a folder in which you may write"
        self._following = following or _NEXT.get(error.code, f'see "{see}"')

    def show(self, file: IO[Any] | None = None) -> None:
        line = f"commonplace: {' '.join(self.message.split())}; {self._following}"
        click.echo(json.dumps(self._error.body(), ensure_ascii=False) if self._as_json else line, file=file, err=True)


def exit_if(condition: object) -> None:
    """Exit with code 5 if the condition is true. The caller has already printed the details."""
    if condition:
        raise click.exceptions.Exit(LEFT)


def usage_error(error: click.ClickException, as_json: bool) -> Failed:
    """Convert an error in the command line to a failure that suggests the next step or the command's `--help`."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    parameter = error.param if isinstance(error, click.BadParameter) else None
    field = parameter.name if parameter else None
    ours = CommonplaceError(ErrorCode.INVALID_ARGUMENT, error.format_message().rstrip("."), field)
    steps = {
        "does not exist": f"check its name, or give the whole path; the current folder is {escaped(str(Path.cwd()))}",
        "is not readable": "ask its owner for permission to read it",
    }
    of_a_file = parameter is not None and isinstance(parameter.type, click.Path)
    following = next((step for why, step in steps.items() if of_a_file and why in error.message), None)
    see = f"{context.command_path if context else 'commonplace'} --help"
    return Failed(ours, see, as_json, following=following)


def unexpected(error: Exception, as_json: bool) -> Failed:
    """Return an internal error with the type and code location of `error`, but not its message, which may quote a user."""
    place = f" at {place}" if (place := places_of(error).rpartition(", ")[2]) else ""
    return Failed(CommonplaceError(ErrorCode.INTERNAL, f"{type(error).__name__}{place}"), "commonplace --help", as_json)
