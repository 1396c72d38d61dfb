"""The port of the token budget of models."""

from datetime import date
from typing import Protocol


class TokenBudget(Protocol):
    """Tokens reserved before a call and settled after, per user and in all, by calendar day (UTC)."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Reserves tokens of the day; False if a limit does not allow it."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Corrects a reservation to the tokens used."""
