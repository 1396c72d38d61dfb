"""Failures on a command line: one line on stderr with what to do next, and an exit code that a script can use."""

import json
from typing import IO, Any

import click

from commonplace.errors import CommonplaceError, ErrorCode

INTERNAL, USAGE, NOT_FOUND, UNAVAILABLE, STOPPED = 1, 2, 3, 4, 130

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
    ErrorCode.TEXT_TOO_LONG: "give it in several pieces",
    ErrorCode.SECRET_ONLY: "leave it out, or say what it is for without it",
    ErrorCode.UNKNOWN_TOOL: 'see "commonplace manifest"',
    ErrorCode.KEY_NOT_FOUND: 'see "commonplace export"',
    ErrorCode.LEASE_LOST: "nothing is to be done here",
    ErrorCode.CONFLICT: "or try again later",
    ErrorCode.STORAGE_UNAVAILABLE: "--db FILE names another file",
    ErrorCode.INTERNAL: "please report this line",
}
_LISTED_BY = {"run_id": "runs list", "operation_id": "runs show", "dir": "markdown write --help"}


class Failed(click.ClickException):
    """An error of ours as the command line tells it.

    `see`: the command that shows what would be right; `following`: what to do next, where that is known better. A person
    reads `sentence`; a program reads the error's own, with the field by its path.
    """

    def __init__(
        self, error: CommonplaceError, see: str, as_json: bool, *, sentence: str | None = None, following: str | None = None
    ) -> None:
        super().__init__(sentence or str(error))
        self.status = _EXIT_CODES.get(error.code, USAGE)
        self._error, self._as_json = error, as_json
        if error.code is ErrorCode.NOT_FOUND and error.field in _LISTED_BY:
            see = f"commonplace {_LISTED_BY[error.field]}"
        self._following = following or _NEXT.get(error.code, f'see "{see}"')

    def show(self, file: IO[Any] | None = None) -> None:
        line = f"commonplace: {' '.join(self.message.split())}; {self._following}"
        click.echo(json.dumps(self._error.body(), ensure_ascii=False) if self._as_json else line, file=file, err=True)


def misused(error: click.ClickException, as_json: bool) -> Failed:
    """A command line that click can't read, as an error of ours."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    field = error.param.name if isinstance(error, click.BadParameter) and error.param else None
    ours = CommonplaceError(ErrorCode.INVALID_ARGUMENT, error.format_message().rstrip("."), field)
    return Failed(ours, f"{context.command_path if context else 'commonplace'} --help", as_json)


def unexpected(error: Exception, as_json: bool) -> Failed:
    """A mistake of ours: its kind and place, and none of its words, which may quote what somebody said."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace else ""
    return Failed(CommonplaceError(ErrorCode.INTERNAL, f"{type(error).__name__}{place}"), "commonplace --help", as_json)
