"""What a server tells of itself on stderr: never the words of what somebody said."""

import logging
import sys

from commonplace.domain.errors import escaped, places_of


class WithoutTexts(logging.Formatter):
    """One line, and of an exception only its kind and place: its words may quote what somebody said."""

    def format(self, record: logging.LogRecord) -> str:
        line = escaped(f"{record.levelname.lower()}: {record.getMessage()}")
        error = record.exc_info[1] if record.exc_info else None
        return f"{line}: {type(error).__name__} at {places_of(error)}" if error else line


def log_without_texts() -> None:
    """Warnings and worse go to stderr in that form, whoever logs them."""
    logging.basicConfig(level=logging.WARNING, handlers=[_handler()])


def library_without_texts(name: str) -> None:
    """The same for one library, in a process whose other logs are Lambda's."""
    library = logging.getLogger(name)
    if library.propagate:
        library.addHandler(_handler())
        library.setLevel(logging.WARNING)
        library.propagate = False


def _handler() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WithoutTexts())
    return handler
