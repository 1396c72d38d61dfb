"""What every route answers: its result, and its errors by status."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from commonplace.errors import ErrorCode

_EVERYWHERE = (
    ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INTERNAL, ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""What is too large may be the answer."""
OF_BODIES = (
    ErrorCode.INVALID_JSON, ErrorCode.INVALID_ARGUMENT, ErrorCode.UNKNOWN_FIELD, ErrorCode.MISSING_FIELD,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""What a body may be refused for."""
_THROTTLED = {"description": "Too many requests: API Gateway's own answer; try again later."}


def responses(answer: Mapping[str, Any], errors: set[tuple[int, str]]) -> dict[str, Any]:
    """The answer of a 200, and one entry for each status of the errors and of those that any route may have."""
    known = sorted({*errors, *told(_EVERYWHERE)})
    failures = {
        str(status): {
            "description": ", ".join(label for _, label in group),
            "content": {"application/json": {"schema": reference("schemas/Error")}},
        }
        for status, group in groupby(known, key=lambda error: error[0])
    }
    done = {"description": "The answer.", "content": {"application/json": {"schema": answer}}}
    return {"200": done, **dict(sorted({**failures, "429": _THROTTLED}.items()))}


def told(codes: Iterable[ErrorCode]) -> Iterator[tuple[int, str]]:
    """Status and name of each code."""
    return ((code.status, code.label) for code in codes)


def reference(place: str) -> dict[str, str]:
    """A reference to a component of the document."""
    return {"$ref": f"#/components/{place}"}
