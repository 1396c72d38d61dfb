"""What became of a user's Markdown pages."""

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LeftPage(_Part):
    """A page that was left as it is."""

    name: str
    why: str


class WrittenPages(_Part):
    """What was done. A page that says the same as before is in none of these."""

    written: tuple[str, ...] = Field((), description="The names of the pages that were written.")
    removed: tuple[str, ...] = Field((), description="Days of which no note is left.")
    left: tuple[LeftPage, ...] = Field((), description="What is not ours, or was edited and not taken over yet.")
