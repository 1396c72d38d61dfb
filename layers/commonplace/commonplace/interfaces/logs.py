"""Log to stderr, but never a user's text."""

import logging
import sys

from commonplace.domain.errors import escaped, places_of


class WithoutTexts(logging.Formatter):
    """Formats a log record as one line. An exception is logged without its message, because the message may quote a user."""

    def format(self, record: logging.LogRecord) -> str:
        line = escaped(f"{record.levelname.lower()}: {record.getMessage()}")
        error = record.exc_info[1] if record.exc_info else None
        return f"{line}: {type(error).__name__} at {places_of(error)}" if error else line


def log_without_texts() -> None:
    """Send the warnings and errors of all libraries to stderr, formatted by `WithoutTexts`."""
    logging.basicConfig(level=logging.WARNING, handlers=[_build_handler()])


def library_without_texts(name: str) -> None:
    """Send the warnings of one library to stderr, formatted by `WithoutTexts`. Lambda's own handler receives other logs."""
    library = logging.getLogger(name)
    if library.propagate:
        library.addHandler(_build_handler())
        library.setLevel(logging.WARNING)
        library.propagate = False


def _build_handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutTexts())
    return handler
