"""Where a memory came from, as a caller's `source` tells it: who said it, or what it was taken from."""

import re
from typing import Annotated, get_args

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from commonplace.domain.taxonomy import Source

ORIGINS = ("conversation", "document", "web", "explicit_mention", "explicit_mention_in_discussion", "batch_extraction")
_KNOWN = (*get_args(Source), *ORIGINS)
_PATTERN = rf"^({'|'.join(_KNOWN)}|discussion:[\w-]{{1,64}})?$"
_SOURCE = re.compile(_PATTERN)


def _known(given: str) -> str:
    if not _SOURCE.fullmatch(given):
        raise PydanticCustomError("source", "must be one of {known}, or discussion:<id>", {"known": ", ".join(_KNOWN)})
    return given


Provenance = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"pattern": _PATTERN})]
"""Who said it (user, agent, system) or what it was taken from; an empty text tells nothing."""


def provenance_fields(given: str | None) -> dict[str, str]:
    """The fields of the record for a `source`: `source` tells who, `origin` where from; neither where nothing is told.

    They are two, so that a version that knows no origins still reads the record.
    """
    if not given:
        return {}
    return {"source" if given in get_args(Source) else "origin": given}
