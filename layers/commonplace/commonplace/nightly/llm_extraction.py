"""Define the schema for a model's answer, and parse the memories that the model proposes."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from commonplace.contract.manifest import schema
from commonplace.domain.fields import Fraction, printable
from commonplace.domain.taxonomy import Durability, Scope, Section
from commonplace.extraction.candidate import Candidate, ExtractedType
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.content_words import shared_stems
from commonplace.extraction.days import Utterance
from commonplace.extraction.grounding.support import subject_stems
from commonplace.text.foundation.sentences import sentence_spans

MAX_CONTENT = 1_000
_Word = Annotated[str, AfterValidator(printable)]
_MOST_TAGS = 8
_LONGEST_TAG = 40
_LEAST_SHARE, _MOST_SENTENCES = 0.5, 3
"""A passage is evidence only if it has at most three sentences and at least half of the content's stems."""


def _drop_if_invalid(value: object, known: ValidatorFunctionWrapHandler) -> object:
    """Drop an invalid optional field instead of the whole memory."""
    try:
        return known(value)
    except ValidationError:
        return None


class Proposal(BaseModel):
    """A memory as a model proposes it."""

    message: Annotated[int, Field(strict=True)] = Field(description="The number of the message that says it.")
    evidence: Annotated[str, Field(min_length=1, max_length=LONGEST_EVIDENCE), AfterValidator(printable)] = Field(
        description="The shortest part of the user's words that says it, letter by letter, up to 300 characters."
    )
    content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT), AfterValidator(printable)] = Field(
        description="The memory: one self-contained sentence about the user, in their language."
    )
    type: Annotated[ExtractedType | None, WrapValidator(_drop_if_invalid)] = Field(None, description="What kind it is.")
    confidence: Fraction = Field(description="0.9-1.0 said outright, 0.7-0.9 a pattern, 0.5-0.7 a weak sign.")
    scope: Annotated[Scope | None, WrapValidator(_drop_if_invalid)] = Field(
        None, description="user_global, or what only matters to this session, site or conversation."
    )
    durability: Annotated[Durability | None, WrapValidator(_drop_if_invalid)] = Field(
        None, description="durable, or daily for what is over in weeks."
    )
    section: Annotated[Section | None, WrapValidator(_drop_if_invalid)] = Field(None, description="Where it is filed.")
    tags: Annotated[list[_Word] | None, WrapValidator(_drop_if_invalid)] = Field(None, description="1-5 lower-case topics.")
    key: Annotated[_Word | None, WrapValidator(_drop_if_invalid)] = Field(
        None, description="A short name for a fact that has one value at a time, such as home_city."
    )
    corrects: bool = Field(False, description="The user says that something earlier was wrong or is over.")
    forgets: bool = Field(False, description="The user wants what `content` says forgotten.")


class Proposals(BaseModel):
    """What is worth remembering of the messages."""

    memories: list[Proposal]


SHAPE = schema(Proposals, "validation")
"""The JSON schema that the API enforces for the whole answer. The parser validates each item separately."""


def parse_proposal(item: object, messages: Mapping[int, Utterance]) -> Candidate | str:
    """Convert an item in the answer to a candidate, or return the reason that the item is rejected."""
    if isinstance(item, dict) and not item.keys() & {"message", "evidence"}:
        item = {**item, **_locate_content(item.get("content"), messages)}
    try:
        proposal = Proposal.model_validate(item)
    except ValidationError as error:
        return first_error(error)
    utterance = messages.get(proposal.message)
    if utterance is None:
        return "it rests on a message that was not shown"
    tags = (" ".join(tag.casefold().split()) for tag in proposal.tags or ())
    return Candidate(
        content=proposal.content.strip(),
        interaction_id=utterance.interaction_id,
        position=utterance.position,
        evidence=proposal.evidence.strip(),
        scope=proposal.scope or "user_global",
        tags=tuple(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= _LONGEST_TAG))[:_MOST_TAGS],
        key=proposal.key or None,
        event_time=utterance.time,
        **proposal.model_dump(include={"confidence", "type", "section", "durability", "corrects", "forgets"}),
    )


def _locate_content(content: object, messages: Mapping[int, Utterance]) -> dict[str, object]:
    """Return the message and the passage that share the most stems with `content`, as fields for an item without evidence."""
    wanted = subject_stems(content) if isinstance(content, str) else frozenset[str]()
    places = [
        (len(shared_stems(wanted, subject_stems(evidence))), -length, {"message": number, "evidence": evidence})
        for number, utterance in messages.items()
        for evidence, length in _split_passages(utterance)
    ]
    count, _, place = max(places, key=lambda place: place[:2], default=(0, 0, {}))
    return place if count >= max(1.0, _LEAST_SHARE * len(wanted)) else {}


def _split_passages(utterance: Utterance) -> Iterator[tuple[str, int]]:
    """Yield each passage of one to three sentences in the user's own words, with its number of sentences."""
    for start, end in utterance.own:
        spans = list(sentence_spans(utterance.text, start, end))
        for at, length in product(range(len(spans)), range(1, _MOST_SENTENCES + 1)):
            passage = spans[at : at + length]
            evidence = utterance.text[passage[0][0] : passage[-1][1]].strip()
            if len(passage) == length and 0 < len(evidence) <= LONGEST_EVIDENCE:
                yield evidence, length


def first_error(error: ValidationError) -> str:
    """Return the first validation error of a model's item, without quoting it."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the item'}: {first['msg']}"
