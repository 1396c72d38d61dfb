"""A statement made clean by Claude."""

import math
from collections.abc import Callable

from commonplace.adapters.claude.answer import read_answer
from commonplace.adapters.claude.api import MessagesApi
from commonplace.adapters.claude.clients import Clients
from commonplace.adapters.claude.question import question_about
from commonplace.ports import Normalized


class ClaudeReader:
    """Asks one model, once per statement, and keeps nothing of what was said."""

    def __init__(
        self, clients: Clients, model: str, temperature: float | None = None, deadline_seconds: float = 20.0,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:  # fmt: skip
        """`temperature` 0-1 is sent only if given; `deadline_seconds` is for one answer, with all its retries.

        `left`: seconds that whoever asks now has left.
        """
        self._api = MessagesApi(clients, model, temperature, left)
        self._deadline_seconds = deadline_seconds

    def read(self, text: str, source: str, context: str | None) -> Normalized:
        """The clean statement; raises `ModelUnavailable` when there is none to be had in time."""
        body = self._api.ask(question_about(text, source, context), self._deadline_seconds)
        return read_answer(body, text)

    def close(self) -> None:
        """Lets go of the connections; the next `read` makes new ones."""
        self._api.close()
