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
    ErrorCode.CONFLICT: UNAVAILABLE,
    ErrorCode.STORAGE_UNAVAILABLE: UNAVAILABLE,
}
_NEXT = {
    ErrorCode.EMPTY_TEXT: "give at least one word",
    ErrorCode.TEXT_TOO_LONG: "give it in several pieces",
    ErrorCode.SECRET_ONLY: "leave it out, or say what it is for without it",
    ErrorCode.UNKNOWN_TOOL: 'see "commonplace manifest"',
    ErrorCode.NOT_FOUND: 'see "commonplace export"',
    ErrorCode.CONFLICT: "or try again later",
    ErrorCode.STORAGE_UNAVAILABLE: "--db FILE names another file",
    ErrorCode.INTERNAL: "please report this line",
}


class Failed(click.ClickException):
    """An error of ours as the command line tells it. `command`: which one failed, as it was called."""

    def __init__(self, error: CommonplaceError, command: str, as_json: bool) -> None:
        super().__init__(str(error))
        self.status = _EXIT_CODES.get(error.code, USAGE)
        self._error, self._command, self._as_json = error, command, as_json

    def show(self, file: IO[Any] | None = None) -> None:
        following = _NEXT.get(self._error.code, f'see "{self._command} --help"')
        line = f"commonplace: {' '.join(str(self._error).split())}; {following}"
        click.echo(json.dumps(self._error.body(), ensure_ascii=False) if self._as_json else line, file=file, err=True)


def misused(error: click.ClickException, as_json: bool) -> Failed:
    """A command line that click can't read, as an error of ours."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    field = error.param.name if isinstance(error, click.BadParameter) and error.param else None
    ours = CommonplaceError(ErrorCode.INVALID_ARGUMENT, error.format_message().rstrip("."), field)
    return Failed(ours, context.command_path if context else "commonplace", as_json)


def unexpected(error: Exception, as_json: bool) -> Failed:
    """A mistake of ours: its kind and place, and none of its words, which may quote what somebody said."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" at {trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace else ""
    return Failed(CommonplaceError(ErrorCode.INTERNAL, f"{type(error).__name__}{place}"), "commonplace", as_json)
