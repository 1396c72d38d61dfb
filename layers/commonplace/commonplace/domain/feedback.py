"""What is taken and answered when somebody tells whether a memory was useful for a query."""

from typing import Annotated

from pydantic import Field

from commonplace.domain.fields import Name, Request, Result, Sent, Text


class FeedbackRequest(Request):
    """Whether a memory was useful for a query."""

    memory_id: Name = Field(description="The memory, by its id or one that it had elsewhere.")
    query: Text = Field(description="What was asked.")
    useful: bool = Field(strict=True, description="Whether the memory was of use for that.")


class FeedbackResult(Result):
    memory_id: str = Field(description="The memory that was rated: the one that an old id leads to.")
    query: str = Field(description="The query as it is kept: without secrets, cut to 200 characters.")
    useful: bool
    kept: bool = Field(description="Whether it is kept, for 90 days; if not, `notes` tells why.")


class ForgetFeedbackRequest(Request):
    """Feedback to be forgotten."""

    memory_id: Annotated[Name | None, Sent(selects=True)] = Field(
        None, description="Only that on this memory; all of the user's when left out."
    )


class ForgottenFeedback(Result):
    forgotten: int = Field(description="How many ratings were taken out.")
