"""The port of tokens that models may spend."""

from datetime import date
from typing import Protocol


class TokenBudget(Protocol):
    """Tokens reserved before a call and settled after, per user and in all, by calendar day (UTC)."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Takes as many tokens of the day if both limits allow it."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Gives back what was reserved and not used, or takes what was used beyond it."""
